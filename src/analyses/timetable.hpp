// When steps end: multiples of the prescribed steps, jumps of sources, the end.
#pragma once
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include "analyses/simulate.hpp"

namespace escapement {

/// A step to take.
struct PlannedStep {
  double size, end;
  bool regular;  // ends at a time of the pattern (or the end of the run): rows of results belong here
  bool jump;     // ends where a source jumps
};

/// Times at which prescribed steps end. They are computed from whole numbers of steps, so they do not drift.
class Timetable {
 public:
  explicit Timetable(const SimulateOptions& options) : options_(options) {
    for (double h : options.steps) pattern_ += h;
  }

  /// The step from t on; `jump` is when the next source jumps.
  PlannedStep next(double t, double jump) const {
    const double h = size_of(done_);
    double end = regular_end(done_, h);
    const bool regular = jump >= end - slack();
    if (!regular) end = jump;
    // A whole step keeps its exact size: the coefficients of the scheme, and so its matrix, stay the same. One that begins a little
    // late, after an event, does not reach beyond its end: the same would happen again in the next one.
    const bool whole = regular && std::abs(end - t - h) <= 4e-16 * end;
    return {whole ? h : end - t, end, regular, jump <= end + slack()};
  }
  /// The step was taken, as planned or cut short at this time.
  void taken(const PlannedStep& step, double t) {
    if (step.regular && t >= step.end) ++done_;
  }
  void archive(Archive& a) { a(done_); }
  /// Of the next step of the pattern.
  double size() const { return size_of(done_); }
  /// From here on the next time of the pattern has come.
  double whole_step_end(double t) const {
    for (long k = done_;; ++k) {
      const double end = regular_end(k, size_of(k)), near = end - slack();
      if (t < near || end >= options_.until) return near;
    }
  }
  /// Times that differ by less are the same: rounding of the times themselves.
  double slack() const { return 1e-9 * size_of(done_); }

 private:
  double size_of(long k) const { return options_.steps[k % options_.steps.size()]; }
  double regular_end(long done, double h) const {
    const double end = time_of(done + 1);
    return end > options_.until - 1e-6 * h ? options_.until : end;
  }
  double time_of(long k) const {
    const long n = static_cast<long>(options_.steps.size());
    if (n == 1) return static_cast<double>(k) * options_.steps[0];
    double t = static_cast<double>(k / n) * pattern_;
    for (long i = 0; i < k % n; ++i) t += options_.steps[i];
    return t;
  }
  const SimulateOptions& options_;
  double pattern_ = 0;
  long done_ = 0;
};

/// What jumps when: the next time of every event, the earliest first.
class Jumps {
 public:
  explicit Jumps(const std::vector<TimeEvent>& events) : events_(&events), done_(events.size(), 0.0) {
    for (std::size_t i = 0; i < events.size(); ++i) await(i);
  }
  double next() const {
    return queue_.empty() ? std::numeric_limits<double>::infinity() : queue_.top().first;
  }
  void archive(Archive& a) {
    a(done_);
    if (a.reading()) take(*events_);
  }
  /// The same events with other numbers.
  void take(const std::vector<TimeEvent>& events) {
    if (done_.size() != events.size()) throw ArchiveError("events of another model");
    events_ = &events;
    queue_ = {};
    for (std::size_t i = 0; i < done_.size(); ++i)
      if (done_[i] < events[i].count) await(i);
  }
  /// All that is due by now; how many.
  int apply(State& state, double now) {
    int count = 0;
    while (next() <= now) {
      const std::size_t i = queue_.top().second;
      const TimeEvent& e = (*events_)[i];
      queue_.pop();
      if (const double last = last_due(e, now); last > done_[i]) {  // of several at once the last one counts
        done_[i] = last;
      } else {
        state.memory[e.element.group->memory_of(e.element.index) + e.slot] = e.value + done_[i] * e.increment;
        done_[i] += 1;
        ++count;
      }
      if (done_[i] < e.count) await(i);
    }
    return count;
  }

 private:
  static double time_of(const TimeEvent& e, double k) { return e.time + k * e.period; }
  static double last_due(const TimeEvent& e, double now) {
    if (e.period <= 0) return 0;
    double k = std::min(e.count - 1, std::floor((now - e.time) / e.period));
    if (time_of(e, k) > now) k -= 1;  // rounding
    return k;
  }
  void await(std::size_t i) { queue_.emplace(time_of((*events_)[i], done_[i]), i); }

  using Due = std::pair<double, std::size_t>;  // time, event
  const std::vector<TimeEvent>* events_;
  std::vector<double> done_;  // how many times, by event
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
};

}  // namespace escapement
