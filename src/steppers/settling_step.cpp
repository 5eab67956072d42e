#include "steppers/settling_step.hpp"

#include <algorithm>
#include <cmath>

#include "steppers/hermite.hpp"

namespace escapement {

static constexpr double damped = 1 - 1e-9;  // radius at infinity below which oscillations decay

SettlingStep::SettlingStep(const System& system, const GeneralizedAlphaOptions& options)
    : system_(system),
      states_(system.rows(Kind::state)),
      positions_(system.rows(Kind::position).end),
      test_(system, {options.proximal, options.mechanics.radius_at_infinity() < damped,
                     options.states.radius_at_infinity() < damped}),
      first_(system.state()),
      first_u_(positions_),
      way_(positions_) {
  for (StageRates& stage : rates_) {
    for (auto* x : {&stage.v, &stage.a}) x->assign(positions_, 0.0);
    stage.w.assign(states_.size(), 0.0);
  }
}

bool SettlingStep::possible(const GeneralizedAlphaOptions& options) {
  return options.settling && options.update_parameters && options.mechanics.beta != 0 &&
         options.mechanics.second_order() && options.states.second_order();
}

bool SettlingStep::is_due(const State& state, double h, Excitation& jump) {
  if (!(state.t - jump.time < 1.99 * h)) return false;
  const bool judged = jump.judged > 0 && h < 1.5 * jump.judged && jump.judged < 1.5 * h;
  if (!judged) {
    jump.unresolved = test_.unresolved(state, h, jump);
    jump.judged = h;
  }
  return jump.unresolved;
}

void SettlingStep::compute(const State& from, AlphaStep& step, AlphaEquations& equations, Newton& newton,
                           NewtonReport& report) {
  if (!compute_stage(0, from, step, equations, newton, report)) return;
  first_.take(step.end);
  first_u_ = step.u;
  for (int stage = 1; stage < SettlingStages::count; ++stage)
    if (!compute_stage(stage, from, step, equations, newton, report)) return;
}

/// (T-settle-2) says where a stage starts from, its own rate is what Newton finds. False: there is no solution.
bool SettlingStep::compute_stage(int stage, const State& from, AlphaStep& step, AlphaEquations& equations,
                                 Newton& newton, NewtonReport& report) {
  const SettlingStages& stages = settling_stages();
  const double h = step.c.h;
  AlphaStep::Prediction& known = step.predicted;
  for (int i = 0; i < positions_; ++i) {
    double way = 0, change = 0;
    for (int j = 0; j < stage; ++j) {
      way += stages.a[stage][j] * rates_[j].v[i];
      change += stages.a[stage][j] * rates_[j].a[i];
    }
    known.v[i] = from.rate[i] + h * change;
    known.u[i] = h * way + step.c.c1 * known.v[i];
    step.end.acceleration[i] = (step.end.rate[i] - known.v[i]) / step.c.c1;  // velocities of the stage before
  }
  for (int i = 0; i < states_.size(); ++i) {
    double change = 0;
    for (int j = 0; j < stage; ++j) change += stages.a[stage][j] * rates_[j].w[i];
    known.s[i] = from.store[i] + h * change;
  }
  step.end.t = from.t + stages.c[stage] * h;
  step.clear_projections();
  equations.place();
  NewtonReport solved = newton.solve(equations);
  solved.iterations += report.iterations;
  solved.factorizations += report.factorizations;
  report = std::move(solved);
  if (!report.ok()) return false;
  equations.follow_stores();
  StageRates& rates = rates_[stage];
  std::copy_n(step.end.rate.begin(), positions_, rates.v.begin());
  std::copy_n(step.end.acceleration.begin(), positions_, rates.a.begin());
  std::copy_n(step.end.rate.begin() + states_.begin, states_.size(), rates.w.begin());
  return true;
}

/// What decays within the step has rates at its beginning that lead far off: in two pieces, by way of the first stage, between
/// whose ends nothing overshoots.
void SettlingStep::interpolate(const State& from, const AlphaStep& step, double s, State& between) const {
  const double middle = settling_stages().c[0], h = step.c.h;
  const bool first = s < middle;
  const State &a = first ? from : first_, &b = first ? first_ : step.end;
  const double length = (first ? middle : 1 - middle) * h, p = (s - (first ? 0 : middle)) * h / length;
  const HermiteWeights weights(p);
  // A cubic whose slopes are at most thrice that of the chord, and not against it, stays between its ends.
  const auto cubic = [&](double f0, double f1, double slope0, double slope1) {
    const double chord = (f1 - f0) / length;
    const auto limited = [&](double slope) {
      return slope * chord > 0 ? std::copysign(std::min(std::abs(slope), 3 * std::abs(chord)), chord) : 0.0;
    };
    return weights.h00 * f0 + weights.h01 * f1 +
           length * (weights.h10 * limited(slope0) + weights.h11 * limited(slope1));
  };
  const auto line = [&](double f0, double f1) { return f0 + p * (f1 - f0); };
  const auto at = system_.value_of_row();
  between.value.resize(from.value.size());
  between.rate.resize(from.rate.size());
  between.acceleration.resize(from.acceleration.size());
  between.store.resize(from.store.size());
  between.t = from.t + s * h;
  between.take_elements(from);
  for (int i = 0; i < positions_; ++i) {
    way_[i] = cubic(first ? 0.0 : first_u_[i], first ? first_u_[i] : step.u[i], a.rate[i], b.rate[i]);
    between.rate[i] = cubic(a.rate[i], b.rate[i], a.acceleration[i], b.acceleration[i]);
    between.acceleration[i] = line(a.acceleration[i], b.acceleration[i]);
  }
  move_positions(system_, from.value, way_, between.value, {});
  for (int i = positions_; i < system_.size(); ++i)
    between.value[at[i]] = line(a.value[at[i]], b.value[at[i]]);
  for (int i = 0; i < states_.size(); ++i) {
    const double f0 = a.rate[states_.begin + i], f1 = b.rate[states_.begin + i];
    between.rate[states_.begin + i] = line(f0, f1);
    between.store[i] = cubic(a.store[i], b.store[i], f0, f1);
  }
}

}  // namespace escapement
