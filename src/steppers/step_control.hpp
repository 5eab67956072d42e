// StepControl: the size of the next step from the errors of the last ones, by a digital filter with limits (T-step).
#pragma once
#include <algorithm>
#include <cmath>

#include "base/archive.hpp"

namespace escapement {

class StepControl {
 public:
  /// `horizon`: over which the errors of all steps may add up to the tolerance.
  StepControl(double first, double smallest, double largest, double horizon, double tolerance)
      : smallest_(smallest),
        largest_(largest),
        rounding_(1e-9 * horizon / tolerance),
        next_(std::clamp(first, smallest, largest)),
        credit_(reserve * horizon) {}

  static constexpr double accept = 1.2;  // errors up to this pass: the filter aims below

  double next() const { return next_; }
  /// What becomes of a step of size h with this error (1: the tolerance), after those rejected before it.
  enum class Verdict {
    take,      // within the tolerance
    pass,      // a corner or a jump that no step ends at: with what the steps so far have left (T-step-4)
    tolerate,  // no shorter step would have less error (T-step-5)
    reject
  };
  Verdict judge(double h, double error) {
    if (error <= accept) return Verdict::take;
    if (!std::isfinite(error)) return Verdict::reject;
    if (!(planned_ > 0)) planned_ = tried_size_ = h, tried_error_ = error;
    if (h <= 0.1 * planned_ && (error - 1) * h <= part * credit_) return Verdict::pass;
    if (h <= 0.1 * tried_size_) {
      falls_ = 1 + std::log(tried_error_ / error) / std::log(tried_size_ / h);
      tried_size_ = h, tried_error_ = error;
      if (falls_ < 0.25 && error * h < rounding_) return Verdict::tolerate;
    }
    return Verdict::reject;
  }
  /// The power of the step by which its error fell at last, as it was tried: 3 where all is smooth, 2 at a corner, 1 at a jump, 0
  /// where there is only rounding; NaN: not tried.
  double falls() const { return falls_; }
  double smallest() const { return smallest_; }
  /// A step of size h had this error (1: the tolerance) and was taken. `whole`: it was as long as planned, not cut short.
  void taken(double h, double error, bool whole) {
    credit_ = std::max(0.0, credit_ + h - std::max(0.0, error - accept) * h);
    planned_ = 0;
    falls_ = NAN;
    const double e = std::clamp(error, 1e-8, accept) / aim;  // what is beyond says nothing of the next step
    if (fresh_ > 0) {  // no history yet, or another motion: by the last error alone, and fast
      --fresh_;
      change(h, std::clamp(0.9 * std::pow(e, -0.5), 0.2, 5.0), whole);
    } else {  // H211b with b = 4: smooth steps (T-step-2)
      const double ratio = std::pow(e * last_error_, -1.0 / 8) * std::pow(h / last_size_, -0.25);
      change(h, std::clamp(ratio, 0.5, 2.0), whole);
    }
    last_error_ = e;
    last_size_ = h;
    ++taken_;
    if (repeats_ < often) return;
    ceiling_ *= 1 + 0.2 / repeats_;
    next_ = std::min(next_, ceiling_);
  }
  /// … and was not taken.
  void rejected(double h, double error) {
    next_ = h * std::clamp(0.9 * std::pow(error / aim, -0.5), 0.1, 0.7);
    fresh_ = std::max(fresh_, 1);
    if (taken_ == 0) return;  // a shorter one was rejected too: as short as its error says
    // Errors that leap between this size and that of the last step, again and again: steps stay between the two (T-step-7).
    const bool again = taken_ <= 4 * (1 + repeats_) && h < 2 * refused_ && h > 0.5 * refused_;
    repeats_ = again ? std::min(repeats_ + 1, 20) : 0;
    refused_ = h;
    taken_ = 0;
    if (repeats_ < often) return;
    ceiling_ = 0.8 * h;
    next_ = std::max(next_, std::min(last_size_, 0.7 * h));
  }
  /// It had no solution.
  void failed(double h) {
    next_ = 0.25 * h;
    fresh_ = std::max(fresh_, 2);
  }
  /// A jump: what comes may be faster or slower.
  void interrupted() {
    fresh_ = 2;
    repeats_ = 0;
  }
  bool too_small() const { return next_ < smallest_; }
  void archive(Archive& a) {
    a(next_, last_error_, last_size_, fresh_, credit_, ceiling_, refused_, taken_, repeats_);
  }

 private:
  static constexpr double aim = 0.6;
  static constexpr int often = 3;                     // rejections at about the same size: no accident
  static constexpr double reserve = 0.1, part = 0.1;  // credit at the start; what one step may use of it
  /// Steps that change little are held: the scheme is not A-stable under steps that alternate (T-step-3).
  void change(double h, double ratio, bool whole) {
    if (ratio > 0.93 && ratio < 1.1) ratio = 1;
    const double wanted = std::min(largest_, h * ratio);
    next_ = whole ? wanted : std::max(next_, wanted);
  }
  double smallest_, largest_, rounding_, next_, last_error_ = 1, last_size_ = 1;
  double credit_;  // s: time whose share of the tolerance is still to be used
  double planned_ = 0, tried_size_ = 0, tried_error_ = 0, falls_ = NAN;  // of the steps rejected in a row
  double ceiling_ = 0, refused_ = 0;  // of the next step, while rejections repeat; the last size rejected
  long taken_ = 0;
  int repeats_ = 0;  // steps since then; rejections at about the same size
  int fresh_ = 3;
};

}  // namespace escapement
