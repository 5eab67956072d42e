#include "analyses/alarms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/row_owner.hpp"

namespace escapement {
namespace {

constexpr int violation_patience = 3;                      // steps in a row
constexpr double noticed_part = 0.1, hopeless_part = 0.5;  // of a violation (T-alarm-5)
constexpr double rounding = 1e-10;                         // of a nominal magnitude
constexpr double no_energy = 1e-14;                        // of the nominal magnitudes of a balance
constexpr double least_way = 1e-6;                         // of a nominal magnitude, for constraints

}  // namespace

void Alarms::constraints_relax(std::span<const Relaxation> relaxations, double step) {
  violations_.resize(relaxations.size());
  for (std::size_t i = 0; i < relaxations.size(); ++i) violations_[i].relaxation = relaxations[i];
  step_ = step;
  at_rest_ = system_.state();
}

double Alarms::in_play() const {
  double least = rounding * account_.load();  // what rounding and Newton's method leave is no energy
  for (int i = 0; i < system_.rows(Kind::position).end; ++i)
    least = std::max(least, no_energy * system_.nominal()[i] * system_.row_nominal()[i]);
  return std::max({account_.in_play(), kinetic_, least});
}

double Alarms::kinetic_energy(const State& state) {
  system_.momenta(state, rows_);
  double twice = 0;
  for (int i = 0; i < system_.rows(Kind::position).end; ++i) twice += rows_[i] * state.rate[i];
  return 0.5 * twice;
}

/// SPOOK lags behind Φ_tt, and forgets that like a violation (T-alarm-7).
void Alarms::follow_lags(const State& state) {
  at_rest_.t = state.t;
  at_rest_.value = state.value;
  at_rest_.take_elements(state);
  system_.constraints(at_rest_, 2, 0, rows_);
  for (Violation& v : violations_) {
    const Relaxation& r = v.relaxation;
    const double damping = r.in_seconds ? r.damping : r.damping * std::max(h_, step_);
    const double tau = 1 / (1 + 4 * damping / h_);  // (T-spook-2)
    const double half = 0.5 * (1 - 3 * tau), root = half * half - tau;
    const double left = root < 0 ? std::sqrt(tau) : std::abs(half) + std::sqrt(root);  // (T-spook-4)
    v.lag = std::max(left * v.lag, (1 + tau) / (8 * tau) * h_ * h_ * std::abs(rows_[row_of(v)]));
  }
}

/// Velocities of nodes leave a little of Φ̇, to regularisation: no position follows that.
void Alarms::follow_creep(const State& state) {
  system_.constraints(state, 1, 0, rows_);
  double power = 0;
  for (const Violation& v : violations_)
    if (v.relaxation.compliance == 0)
      power += rows_[row_of(v)] * state.value[system_.value_of_row()[row_of(v)]];
  crept_ += 0.5 * h_ * (creep_ + power);
  creep_ = power;
}

/// The violations beside what the constraints owe by their compliance.
void Alarms::look_at_constraints(const State& state) {
  const Range holonomic = system_.rows(Kind::holonomic);
  follow_lags(state);
  follow_creep(state);
  system_.constraints(state, 0, 0, rows_);
  bool grown = false;
  for (int i = holonomic.begin; i < holonomic.end; ++i) {
    Violation& v = violations_[i - holonomic.begin];
    const double owed = v.relaxation.compliance * std::abs(state.value[system_.value_of_row()[i]]);
    v.size = std::max(std::abs(rows_[i]) - owed, 0.0);
    v.largest = std::max(v.largest, v.size);
    v.not_owed = std::max(v.not_owed, v.size - v.lag);
    grown = grown || v.largest > 1.5 * v.compared || v.part > noticed_part;
  }
  if (grown) compare_constraints(state);
}

/// … with what they would be if their unknowns moved all the way they have come (T-alarm-5).
void Alarms::compare_constraints(const State& state) {
  const Pattern& p = system_.pattern();
  const Range holonomic = system_.rows(Kind::holonomic);
  tangent_.assign(p.nonzeros(), 0.0);
  system_.constraint_tangent(state, {.position = 1, .momentum_rate = 0, .force = 0, .reaction = 0, .flow = 0},
                             {}, rows_, tangent_);
  for (Violation& v : violations_) v.reach = 0;
  for (int j = 0; j < system_.rows(Kind::position).end; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (p.row[k] >= holonomic.begin && p.row[k] < holonomic.end)
        violations_[p.row[k] - holonomic.begin].reach +=
            std::abs(tangent_[k]) * std::max(resolution_.extent(j), least_way * system_.nominal()[j]);
  for (Violation& v : violations_) {
    v.compared = v.largest;
    const bool seen = v.largest > rounding * system_.row_nominal()[row_of(v)];
    v.part = seen ? v.largest / v.reach : 0.0;
    v.beyond = seen && v.not_owed > hopeless_part * v.reach ? v.beyond + 1 : 0;
    if (!(v.part > noticed_part)) v.since = -1;
    else if (v.since < 0) v.since = state.t;
  }
}

const Alarms::Violation* Alarms::worst_violation() const {
  const auto worst = std::ranges::max_element(violations_, {}, &Violation::part);
  return worst == violations_.end() || !(worst->part > noticed_part) ? nullptr : &*worst;
}

std::optional<Hopeless> Alarms::taken(const State& state, const std::optional<EnergyBalance>& energy) {
  if (auto found = resolution_.hopeless()) return found;
  if (!violations_.empty()) look_at_constraints(state);
  if (const Violation* v = worst_violation(); v && v->beyond >= violation_patience)
    return Hopeless{"E-VIOLATED", describe(*v),
                    "a smaller step; or `scheme: variational`, which ends where a mechanism locks",
                    row_of(*v)};
  if (!energy) return std::nullopt;
  account_.look(*energy, violations_.empty() ? std::nullopt : std::optional(crept_));
  // A potential may cancel what moves: then that is in play, too.
  if (std::max(account_.gained(), account_.lost()) > Discrepancy::limit * in_play())
    kinetic_ = std::max(kinetic_, kinetic_energy(state));
  const double all = in_play();
  gain_.look(account_.gained(), all, state.t);
  loss_.look(account_.lost(), all, state.t);
  if (gain_.hopeless())
    return Hopeless{"E-ENERGY", gained(),
                    "look at what happens at that time; a smaller step, or `adaptive: true`"};
  return std::nullopt;
}

std::string Alarms::gained() const {
  return fmt::format(
      "from t = {:.4g} s on there is energy that nothing supplied: {:.3g} J, of {:.3g} J in play",
      gain_.since(), gain_.largest(), in_play());
}

int Alarms::row_of(const Violation& v) const {
  return system_.rows(Kind::holonomic).begin + static_cast<int>(&v - violations_.data());
}

std::string Alarms::describe(const Violation& v) const {
  const int row = row_of(v);
  return fmt::format(
      "from t = {:.4g} s on {} does not hold: it is violated by {:.3g} {}, {:.2g} % of all that its "
      "parts have moved",
      v.since, system_.row_name(row), v.largest, system_.row_unit(row), 100 * v.part);
}

std::vector<Warning> Alarms::verdicts() const {
  std::vector<Warning> list;
  if (auto w = resolution_.verdict()) list.push_back(std::move(*w));
  if (const Violation* v = worst_violation())
    list.push_back({"W-VIOLATED", describe(*v), "a smaller step, or `scheme: variational`",
                    owner_of_unknown(system_.unknown_name(row_of(*v))), v->since});
  const double all = in_play();
  if (gain_.noticed(all)) list.push_back({"W-ENERGY", gained(), "a smaller step", "", gain_.since()});
  if (loss_.noticed(all))
    list.push_back(
        {"W-ENERGY",
         fmt::format("from t = {:.4g} s on {:.3g} J of the {:.3g} J in play are lost, though nothing in "
                     "the model takes them",
                     loss_.since(), loss_.largest(), all),
         "a smaller step; a larger `rho`, or `scheme: variational`, loses less", "", loss_.since()});
  return list;
}

}  // namespace escapement
