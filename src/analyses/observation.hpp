// Who sees a motion so that its linearised equations have constant coefficients (T-modes-2).
#pragma once
#include "analyses/small_motion.hpp"

namespace escapement {

/// Chooses the observer, by his twist in space: what moves with it stands still for him, and parts that turn otherwise are described
/// in axes that do not turn with them. A while later the operator must do the same.
class Observation {
 public:
  Observation(const System& system, const State& state, double proximal);
  const Twist& best() const { return best_; }
  /// Do coefficients change for everyone?
  bool unsteady() const { return change_ > steady; }
  /// Are accelerations those of a steady motion, v̇ = −[a, v], but for rounding of the stiffest forces?
  bool balanced() const;

 private:
  static constexpr double steady = 1e-5;

  /// Half a radian, or a tenth of a metre, later, with the accelerations and multipliers that there are then: frames move as
  /// exp(W t) H exp(a t).
  bool go_on(const Twist& o, State& later) const;
  /// exp(a t), a = v − u.
  Frame<double> own_turn(std::span<const double> u, const LieVariable& v, double t) const;
  /// Ad of this on the part of x, which begins at `first`, that belongs to the variable.
  static void turn(const Frame<double>& by, const LieVariable& v, int first, std::span<double> x);
  double change(const Twist& o) const;
  /// From the axes of the description, in which frames have turned by exp(a t), to those of the frames: Ad(exp(−a t)).
  void turn(const Twist& o, const DampedMotion& problem, std::span<double> x) const;

  const System& system_;
  const State& state_;
  double proximal_;
  double turning_ = 0, speed_ = 0, time_ = 0, change_ = 0;
  Twist best_;
};

}  // namespace escapement
