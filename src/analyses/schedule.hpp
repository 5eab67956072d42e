// Schedule: what jumps at times that are known beforehand: sources, samples, and what delays pass on (T-jump, T-sample).
#pragma once
#include <limits>
#include <queue>
#include <vector>

#include "analyses/run_log.hpp"
#include "analyses/sampling.hpp"
#include "model/assembly.hpp"

namespace escapement {

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

/// What sources jump to at the very start, or have before.
void apply_jumps_at_start(const Assembly& assembly, State& state, double slack = 0);

class Schedule {
 public:
  Schedule(const Assembly& assembly, RunLog& log)
      : system_(assembly.system), log_(log), jumps_(assembly.events), sampling_(assembly) {}
  /// Jumps and samples of the first instant are in this state already.
  void begin(const State& state, double slack);
  /// When the next source jumps, or something that was delayed, or a block samples.
  double next(const State& state) const;
  /// Everything that is due by now. False: nothing has jumped. `follow`: see Sampling::apply().
  bool apply(State& state, double now, const Sampling::Modes& follow);
  /// Elements have got the numbers of this assembly: their sources are as these have made them by now.
  void take(const Assembly& changed, State& state, double now);
  /// After restore(), of a run whose elements had got these numbers.
  void take(const Assembly& changed);
  /// As it was before any take().
  void take_back(const Assembly& original);
  long samples() const { return sampling_.samples(); }
  void archive(Archive& a) { a(jumps_, sampling_); }

 private:
  const System& system_;
  RunLog& log_;
  Jumps jumps_;
  Sampling sampling_;
};

}  // namespace escapement
