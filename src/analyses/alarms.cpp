#include "analyses/alarms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/settle_signals.hpp"
#include "model/row_owner.hpp"
#include "sparse/connected_parts.hpp"

namespace escapement {
namespace {

constexpr double unresolved = 1;                           // rad in a step (T-alarm-1)
constexpr double much = 0.05;                              // of the way that an unknown has
constexpr double negligible = 0.01;                        // of the way of others like it
constexpr int patience = 3;                                // steps in a row
constexpr double resolving = 0.3;                          // rad in a step, 20 steps per period
constexpr double noticed_part = 0.1, hopeless_part = 0.5;  // of a violation (T-alarm-5)
constexpr double rounding = 1e-10;                         // of a nominal magnitude
constexpr double no_energy = 1e-14;                        // of the nominal magnitudes of a balance
constexpr double least_way = 1e-6;                         // of a nominal magnitude, for constraints
constexpr double unbounded = 1e6;                          // times as far as before

}  // namespace

// ------------------------------------------------------------------ what steps resolve

ResolutionAlarm::ResolutionAlarm(const System& system)
    : system_(system),
      unknowns_(system.rows(Kind::state).end),
      alike_(unknowns_.size()),
      turns_(unknowns_.size()),
      on_line_(unknowns_.size()) {
  const std::vector<int> parts = connected_parts(system.pattern());
  std::map<std::tuple<int, Kind, bool, bool, std::string>, int> kinds;
  for (const Variable& v : system.variables()) {
    if (v.kind != Kind::position && v.kind != Kind::state) continue;
    for (int k = 0; k < v.dofs; ++k) {
      const int row = v.row + k;
      on_line_[row] = v.manifold == Manifold::vector;
      turns_[row] = !on_line_[row] && k >= v.dofs - 3;
      const auto kind = kinds.try_emplace({parts[row], v.kind, turns_[row], on_line_[row], v.unit},
                                          static_cast<int>(kinds.size()));
      alike_[row] = kind.first->second;
    }
  }
  largest_.resize(kinds.size());
}

void ResolutionAlarm::begin(const State& state) {
  storeless_ = states_without_store(system_, state);
  const Range states = system_.rows(Kind::state);
  for (int i = 0; i < states.end; ++i) {
    const double at = i >= states.begin ? state.store[i - states.begin]
                      : on_line_[i]     ? state.value[system_.value_of_row()[i]]
                                        : 0.0;
    unknowns_[i].low = unknowns_[i].high = at;
  }
}

void ResolutionAlarm::interrupted() {
  for (Unknown& u : unknowns_) u.run = 0, u.last = {}, u.signed_change = 0, u.straight = patience;
}

void ResolutionAlarm::look(const State& from, const State& to, double h) {
  const Range states = system_.rows(Kind::state);
  const auto at = system_.value_of_row();
  std::fill(largest_.begin(), largest_.end(), 0.0);
  const auto visit = [&](int i, double value) {
    Unknown& u = unknowns_[i];
    u.low = std::min(u.low, value), u.high = std::max(u.high, value);
    largest_[alike_[i]] = std::max(largest_[alike_[i]], u.extent());
  };
  for (int i = 0; i < states.begin; ++i) {
    if (on_line_[i]) visit(i, to.value[at[i]]);
    else visit(i, unknowns_[i].high + std::abs(0.5 * h * (from.rate[i] + to.rate[i])));
  }
  for (int i = states.begin; i < states.end; ++i) {
    visit(i, to.store[i - states.begin]);
    unknowns_[i].leap = std::max(unknowns_[i].leap, std::abs(to.value[at[i]] - from.value[at[i]]));
  }
  for (int i = 0; i < states.begin; ++i) {
    const double mean = 0.5 * h * (from.rate[i] + to.rate[i]);
    const double change = on_line_[i] ? to.value[at[i]] - from.value[at[i]] : mean;
    judge(i, {std::abs(change), h * h * std::abs(to.acceleration[i] - from.acceleration[i])}, mean, h,
          from.t);
  }
  for (int i = states.begin; i < states.end; ++i) {
    if (storeless_[i]) continue;
    const double change = to.store[i - states.begin] - from.store[i - states.begin];
    const double bend = h * std::abs(to.rate[i] - from.rate[i]), mean = 0.5 * h * (from.rate[i] + to.rate[i]);
    const bool agree = bend < std::abs(mean);  // rates that ring about what is stiff promise nothing
    if (swings(unknowns_[i], change) || agree)
      judge(i, {std::abs(change), bend}, agree ? mean : 0.0, h, from.t);
    else unknowns_[i].run = 0, unknowns_[i].last = {std::abs(change), bend};
  }
}

/// To and fro, or ever faster: what is stiff has a large phase, too, but follows the others.
bool ResolutionAlarm::swings(Unknown& u, double change) {
  const bool turns = change * u.signed_change<0, grows = std::abs(change)> 1.5 * std::abs(u.signed_change);
  u.signed_change = change;
  u.straight = turns ? 0 : u.straight + 1;
  return u.straight < patience || grows;
}

/// How far an unknown has come, or others like it.
double ResolutionAlarm::extent(int row) const {
  const double all = negligible * largest_[alike_[row]];
  const double own = unknowns_[row].extent();
  return std::max(all, turns_[row] ? std::min(own, 1.0) : own);
}

/// Not if all there is is rounding, or if nothing is stored in this row.
bool ResolutionAlarm::moves(int row) const {
  const Unknown& u = unknowns_[row];
  const double moved = row < system_.rows(Kind::state).begin ? u.extent() : u.leap;
  return u.extent() > 0 && moved > rounding * system_.nominal()[row];
}

/// An unknown that turns by more than a radian in a step, and moves much in it or would by its rates, is not resolved
/// (T-alarm-1). Two steps count together: of an oscillation at four steps per period every second change is small.
void ResolutionAlarm::judge(int row, Change now, double promised, double h, double t) {
  Unknown& u = unknowns_[row];
  const Change before = std::exchange(u.last, now);
  const double moved = now.value + before.value, bent = now.bend + before.bend;
  const double change = std::max({now.value, before.value, std::abs(promised)});
  const double ratio = moved > 0 ? bent / moved : 0.0;
  const double phase = row < system_.rows(Kind::state).begin ? std::sqrt(ratio) : ratio;
  if (!moves(row) || !(change > much * extent(row)) || !(phase > unresolved)) {
    u.run = 0;
    return;
  }
  if (u.run++ == 0) u.since = t, u.extent_then = std::max(extent(row), system_.nominal()[row]);
  if (u.run < patience || change <= u.change) return;
  if (u.change == 0) u.time = u.since;
  else if (change > u.change / much) u.time = t;  // all before was nothing
  u.change = change, u.phase = phase, u.step = h;
}

/// The unknown whose unresolved changes are the largest part of its way.
int ResolutionAlarm::worst() const {
  int worst = -1;
  double most = much;
  for (int i = 0; i < static_cast<int>(unknowns_.size()); ++i)
    if (const double part = unknowns_[i].change / extent(i); part > most) most = part, worst = i;
  return worst;
}

std::optional<Warning> ResolutionAlarm::verdict() const {
  const int row = worst();
  if (row < 0) return std::nullopt;
  const Unknown& u = unknowns_[row];
  const std::string name = system_.unknown_name(row);
  return Warning{
      "W-UNRESOLVED",
      fmt::format("from t = {:.4g} s on {} changes faster than steps of {:.3g} s resolve: by {:.3g} rad, and "
                  "by {:.2g} % of all its way, in one",
                  u.time, name, u.step, u.phase, 100 * std::min(u.change / extent(row), 1.0)),
      fmt::format("a step of at most {:.2g} s, or `adaptive: true`", resolving / u.phase * u.step),
      owner_of_unknown(name), u.time};
}

std::optional<Hopeless> ResolutionAlarm::hopeless() const {
  for (int i = 0; i < static_cast<int>(unknowns_.size()); ++i)
    if (const Unknown& u = unknowns_[i]; u.run >= patience && u.extent() > unbounded * u.extent_then)
      return Hopeless{
          "E-DIVERGED",
          fmt::format("{} grows without bound: since t = {:.4g} s, in {} steps, to {:.2g} times as "
                      "far as before, faster than the steps resolve",
                      system_.unknown_name(i), u.since, u.run, u.extent() / u.extent_then),
          fmt::format("look at what happens before t = {:.4g} s with a smaller step, or with "
                      "`adaptive: true`",
                      u.since),
          i};
  return std::nullopt;
}

// ------------------------------------------------------------------ joules that should be zero

void Discrepancy::look(double amount, double in_play, double t) {
  last_ = amount;
  if (before_ == 0) before_ = in_play;
  if (amount <= limit * in_play) before_ = in_play, began_ = t;
  if (amount > largest_) largest_ = amount, since_ = began_;
  steps_ = amount > 0.5 * in_play ? steps_ + 1 : 0;
}

bool Discrepancy::noticed(double in_play) const { return largest_ > limit * in_play; }

/// The loss of what decays within a step is not known (its power at both ends says nothing), so that none is needed for energy to
/// count as gained, and all of it for energy to count as lost. Nor is the work of forces along ways that settle within it: both
/// accounts of work must leave something open (T-alarm-6); but what reactions do along violations, is lost.
void OpenAccount::look(const EnergyBalance& b, std::optional<double> crept) {
  returned_ += std::min(b.dissipated - dissipated_, 0.0);
  dissipated_ = b.dissipated;
  const double open = b.end - b.start - b.supplied - crept.value_or(0);
  const double unseen = crept ? 0.0 : b.unseen;
  gained_ = std::max(open - std::max(unseen, 0.0) + returned_, 0.0);
  lost_ = std::max(-open + std::min(unseen, 0.0) - b.dissipated, 0.0);
  in_play_ = std::max({in_play_, std::abs(b.start), std::abs(b.end), std::abs(b.supplied)});
  load_ = b.load;
}

// ------------------------------------------------------------------ all together

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
  at_rest_.memory = state.memory;
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
  if (const Violation* v = worst_violation(); v && v->beyond >= patience)
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
