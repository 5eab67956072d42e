#include "analyses/resolution_alarm.hpp"

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

constexpr double unresolved = 1;     // rad in a step (T-alarm-1)
constexpr double much = 0.05;        // of the way that an unknown has
constexpr double negligible = 0.01;  // of the way of others like it
constexpr int straight_patience = 3;          // steps in a row
constexpr double resolving = 0.3;    // rad in a step, 20 steps per period
constexpr double rounding = 1e-10;   // of a nominal magnitude
constexpr double unbounded = 1e6;    // times as far as before

}  // namespace

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
  for (Unknown& u : unknowns_) u.run = 0, u.last = {}, u.signed_change = 0, u.straight = straight_patience;
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
  return u.straight < straight_patience || grows;
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
  if (u.run < straight_patience || change <= u.change) return;
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
    if (const Unknown& u = unknowns_[i]; u.run >= straight_patience && u.extent() > unbounded * u.extent_then)
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

}  // namespace escapement
