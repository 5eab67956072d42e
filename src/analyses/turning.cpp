#include "analyses/turning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/row_owner.hpp"

namespace escapement {

static constexpr double most_turn = 1;  // rad in a step whose error is controlled (T-phase-2)

Turning::Turning(const System& system, const SimulateOptions& options, Interior& interior, RunLog& log)
    : system_(system),
      options_(options),
      interior_(interior),
      log_(log),
      delay_(system.shortest_delay(system.state())) {}

void Turning::measure(const Stepper& stepper, const State& from, bool events) {
  const bool looked_into = events || system_.remembers();
  const double h = stepper.step_size();
  angle_ = looked_into || options_.adaptive ? interior_.turn(stepper, from, looked_into) : 0;
  resolving_ = angle_ > 0 ? resolving(h) : INFINITY;
  least_ = std::max(10 * options_.h_min, 1e-15 * from.t);
  longest_ = angle_ > 0 ? std::max(resolving_, least_) : INFINITY;
}

void Turning::forget() {
  angle_ = 0;
  resolving_ = longest_ = INFINITY;
}

/// rad between two samples of a delay (T-delay-3).
double Turning::fine_turn() const {
  return options_.adaptive ? std::pow(4 * std::min(1.0, tightest(options_.scales)), 0.25) : 0.1;
}

/// The longest step that resolves what turns, by the one just computed; also what a delay that is shorter than the step reads of
/// it (T-delay-4).
double Turning::resolving(double h) const {
  const double longest = h * most_turn / angle_, fine = h * fine_turn() / angle_;
  return longest <= delay_.time ? longest : std::max(delay_.time, std::min(fine, longest));
}

void Turning::remember(const Stepper& stepper, State& from, double end) {
  if (!system_.remembers()) return;
  const int parts = static_cast<int>(std::min(std::ceil(angle_ / fine_turn()), 1000.0));
  for (int k = 1; k < parts; ++k) {
    interior_.at(stepper, from, static_cast<double>(k) / parts, between_);
    LentDelays histories(from, between_);
    system_.remember_within(between_, stepper.step_size(), end);
  }
}

void Turning::look(const State& from, const Stepper& stepper, double h) {
  look_at_bodies(from, stepper, h);
  if (options_.adaptive) return;
  look_at_delays(from, h);
  look_at_waves(from, stepper, h);
}

/// Angles count their turns by the rates at both ends of a step: where these differ by half a turn, it is a guess (T-turn-2).
void Turning::look_at_bodies(const State& from, const Stepper& stepper, double h) {
  if (turns_told_) return;
  const State& end = stepper.result();
  double most = 0, second = 0;  // two bodies may turn against each other
  int who = -1;
  for (const LieVariable& lie : system_.lie_variables()) {
    const int row = lie.place.row + lie.dofs() - 3;
    double square = 0;
    for (int i = row; i < row + 3; ++i) square += std::pow(end.rate[i] - from.rate[i], 2);
    const double turn = h * std::sqrt(square);
    if (turn > most) second = most, most = turn, who = row;
    else second = std::max(second, turn);
  }
  if (most + second <= std::numbers::pi) return;
  turns_told_ = true;
  const std::string body = owner_of_unknown(system_.unknown_name(who));
  log_.warn(
      {"W-TURNS",
       fmt::format("at t = {:.4g} s {} turns {:.3g} rad/s faster or slower after a step of {:.3g} s: how "
                   "many whole turns angles of joints make there is a guess",
                   from.t, body, most / h, h),
       "a smaller step, or `adaptive: true`", body, from.t});
}

void Turning::look_at_delays(const State& from, double h) {
  if (delays_told_ || !(h > delay_.time && angle_ > most_turn)) return;
  delays_told_ = true;
  const std::string name = owner_of_unknown(system_.unknown_name(delay_.row));
  log_.warn(
      {"W-DELAY",
       fmt::format("at t = {:.4g} s {} delays by less than a step, in which its input, or something else, "
                   "turns by {:.3g} rad: its output is not resolved",
                   from.t, name, angle_),
       fmt::format("a step of at most {:.3g} s, or `adaptive: true`",
                   std::max(delay_.time, h * most_turn / angle_)),
       name, from.t});
}

/// A wave of which constant steps see fewer than two points per period is invisible to what it drives (T-phase-4).
void Turning::look_at_waves(const State& from, const Stepper& stepper, double h) {
  const long steps = log_.statistics().steps;
  if (waves_told_ || (steps > 10 && steps % 64 != 0)) return;
  if (system_.rows(Kind::position).size() + system_.rows(Kind::state).size() == 0) return;
  angles_.clear();
  later_angles_.clear();
  system_.phases(from, angles_);
  if (angles_.empty()) return;
  system_.phases(stepper.result(), later_angles_);
  double most = 0;
  for (std::size_t i = 0; i < angles_.size(); ++i)
    if (const double turn = std::abs(later_angles_[i] - angles_[i]); turn < INFINITY)
      most = std::max(most, turn);
  if (most <= 1.001 * std::numbers::pi) return;
  waves_told_ = true;
  log_.warn(
      {"W-ALIASED",
       fmt::format("at t = {:.4g} s a sine turns by {:.3g} rad in a step of {:.3g} s: what it drives sees "
                   "fewer than two points of each of its waves",
                   from.t, most, h),
       fmt::format("a step of at most {:.2g} s, or `adaptive: true`", h / most), "", from.t});
}

}  // namespace escapement
