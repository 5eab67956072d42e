// Turning: how far angles turn within a step: sines that elements take, bodies, what delays remember. Steps whose error is
// controlled are short enough to resolve it (T-phase); of others it is reported where they are not.
#pragma once
#include <vector>

#include "analyses/interior.hpp"
#include "analyses/run_log.hpp"
#include "analyses/simulate_options.hpp"
#include "core/dynamic.hpp"
#include "core/system.hpp"

namespace escapement {

class Turning {
 public:
  Turning(const System& system, const SimulateOptions& options, Interior& interior, RunLog& log);

  /// The step just computed; `events`: they may lie within it.
  void measure(const Stepper& stepper, const State& from, bool events);
  /// It has no solution.
  void forget();
  /// rad in the step just computed.
  double angle() const { return angle_; }
  /// The step was computed again, with another end.
  void set_angle(double angle) { angle_ = angle; }
  /// A step of size h must be shorter (T-phase-2).
  bool too_far(double h) const { return h > 1.2 * resolving_ && h > 2 * least_; }
  /// s: steps up to this resolve what turns, as it did last.
  double longest_step() const { return longest_; }

  /// Before the step is taken: is something of it a guess?
  void look(const State& from, const Stepper& stepper, double h);
  /// Delays remember what their inputs were within the step just computed, where its ends alone do not tell (T-delay-3).
  void remember(const Stepper& stepper, State& from, double end);
  void archive(Archive& a) { a(angle_, longest_, turns_told_, delays_told_, waves_told_); }

 private:
  double fine_turn() const;
  double resolving(double h) const;
  void look_at_bodies(const State& from, const Stepper& stepper, double h);
  void look_at_delays(const State& from, double h);
  void look_at_waves(const State& from, const Stepper& stepper, double h);

  const System& system_;
  const SimulateOptions& options_;
  Interior& interior_;
  RunLog& log_;
  DynamicGroup::ShortestDelay delay_;
  double angle_ = 0, longest_ = INFINITY;
  double resolving_ = INFINITY, least_ = 0;  // s
  bool turns_told_ = false, delays_told_ = false, waves_told_ = false;
  std::vector<double> angles_, later_angles_;
  State between_;
};

}  // namespace escapement
