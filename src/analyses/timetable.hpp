// When prescribed steps end: multiples of the step, jumps of sources, the end; and parts of steps that have no solution as a whole.
#pragma once
#include <cmath>

#include "analyses/run_log.hpp"
#include "analyses/simulate_options.hpp"

namespace escapement {

/// A step to take.
struct PlannedStep {
  double size, end;
  bool regular;  // ends at a time of the pattern (or the end of the run): rows of results belong here
  bool jump;     // ends where a source jumps
  bool adaptive = false;

  /// Only a part of it, from t on. A whole step keeps its size though its time may differ a little: part of it may reach the end
  /// that it is for.
  void shorten(double t, double part) {
    const bool there = regular && t + part >= end;
    *this = {part, t + part, adaptive || there, false, adaptive};
  }
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
  double slack() const { return options_.adaptive ? 1e-13 * options_.until : 1e-9 * size_of(done_); }

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

/// Parts of prescribed steps that have no solution as a whole (T-step-6).
class Substeps {
 public:
  Substeps(const SimulateOptions& options, const Timetable& timetable, RunLog& log)
      : options_(options), timetable_(timetable), log_(log) {}

  /// Of the next step, the part that is likely to have a solution.
  void limit(PlannedStep& step, double t) const {
    if (size_ < (1 - 1e-9) * step.size) step.shorten(t, size_);
  }
  /// It has none: half of it may have. False: it is too small already.
  bool halve(PlannedStep& step, double t);
  /// After a part of a step the next one may be twice as long, until whole steps are taken again.
  void taken(double size);
  /// At the end of the run.
  void tell();
  void archive(Archive& a) { a(size_); }

 private:
  const SimulateOptions& options_;
  const Timetable& timetable_;
  RunLog& log_;
  double size_ = INFINITY;
};

}  // namespace escapement
