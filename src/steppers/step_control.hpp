// StepControl: the size of the next step from the errors of the last ones, by a digital filter with limits (T-step).
#pragma once
#include <algorithm>
#include <cmath>

#include "sparse/archive.hpp"

namespace escapement {

class StepControl {
 public:
  StepControl(double first, double smallest, double largest)
      : smallest_(smallest), largest_(largest), next_(std::clamp(first, smallest, largest)) {}

  static constexpr double accept = 1.2;  // errors up to this pass: the filter aims below

  double next() const { return next_; }
  double smallest() const { return smallest_; }
  /// A step of size h had this error (1: the tolerance) and was taken. `whole`: it was as long as planned, not cut short.
  void taken(double h, double error, bool whole) {
    const double e = std::max(error, 1e-8) / aim;
    if (fresh_ > 0) {  // no history yet, or another motion: by the last error alone, and fast
      --fresh_;
      change(h, std::clamp(0.9 * std::pow(e, -0.5), 0.2, 5.0), whole);
    } else {  // H211b with b = 4: smooth steps (T-step-2)
      const double ratio = std::pow(e * last_error_, -1.0 / 8) * std::pow(h / last_size_, -0.25);
      change(h, std::clamp(ratio, 0.5, 2.0), whole);
    }
    last_error_ = e;
    last_size_ = h;
  }
  /// … and was not taken.
  void rejected(double h, double error) {
    next_ = h * std::clamp(0.9 * std::pow(error / aim, -0.5), 0.1, 0.7);
    fresh_ = std::max(fresh_, 1);
  }
  /// It had no solution.
  void failed(double h) {
    next_ = 0.25 * h;
    fresh_ = std::max(fresh_, 2);
  }
  /// A jump: what comes may be faster or slower.
  void interrupted() { fresh_ = 2; }
  bool too_small() const { return next_ < smallest_; }
  void archive(Archive& a) { a(next_, last_error_, last_size_, fresh_); }

 private:
  static constexpr double aim = 0.6;
  /// Steps that change little are held: the scheme is not A-stable under steps that alternate (T-step-3).
  void change(double h, double ratio, bool whole) {
    if (ratio > 0.93 && ratio < 1.1) ratio = 1;
    const double wanted = std::min(largest_, h * ratio);
    next_ = whole ? wanted : std::max(next_, wanted);
  }
  double smallest_, largest_, next_, last_error_ = 1, last_size_ = 1;
  int fresh_ = 3;
};

}  // namespace escapement
