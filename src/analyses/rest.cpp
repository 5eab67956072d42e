#include "analyses/rest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyses/assemble.hpp"
#include "core/manifold.hpp"

namespace escapement {
namespace {

StartOptions quiet(StartOptions options) {
  options.check = options.project =
      false;  // prescribed motions may want velocities: they are not looked at here
  options.proximal = std::max(options.proximal, 1e-9);
  return options;
}

/// A x = b with all pivots chosen; what a singular A leaves open is zero.
std::vector<double> solved(std::vector<std::vector<double>> A, std::vector<double> b) {
  const std::size_t n = b.size();
  std::vector<std::size_t> column(n);
  std::size_t rank = 0;
  double top = 0;
  for (const auto& row : A)
    for (const double x : row) top = std::max(top, std::abs(x));
  for (std::size_t i = 0; i < n; ++i) column[i] = i;
  for (; rank < n; ++rank) {
    std::size_t pr = rank, pc = rank;
    for (std::size_t i = rank; i < n; ++i)
      for (std::size_t j = rank; j < n; ++j)
        if (std::abs(A[i][column[j]]) > std::abs(A[pr][column[pc]])) pr = i, pc = j;
    if (!(std::abs(A[pr][column[pc]]) > 1e-12 * top)) break;
    std::swap(A[rank], A[pr]);
    std::swap(b[rank], b[pr]);
    std::swap(column[rank], column[pc]);
    for (std::size_t i = rank + 1; i < n; ++i) {
      const double f = A[i][column[rank]] / A[rank][column[rank]];
      for (std::size_t j = rank; j < n; ++j) A[i][column[j]] -= f * A[rank][column[j]];
      b[i] -= f * b[rank];
    }
  }
  std::vector<double> x(n, 0.0);
  for (std::size_t i = rank; i-- > 0;) {
    double sum = b[i];
    for (std::size_t j = i + 1; j < rank; ++j) sum -= A[i][column[j]] * x[column[j]];
    x[column[i]] = sum / A[i][column[i]];
  }
  return x;
}

/// The largest difference, relative to the numbers themselves; and where.
std::pair<double, std::size_t> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::pair<double, std::size_t> most{0, 0};
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const double d = std::abs(a[i] - b[i]) / (1e-3 + std::abs(a[i]) + std::abs(b[i])); !(d <= most.first))
      most = {d, i};
  return most;
}

}  // namespace

Rest::Rest(const Assembly& assembly, const StartOptions& options, double slack)
    : assembly_(assembly),
      system_(assembly.system),
      options_(options),
      watch_(assembly),
      start_(assembly, quiet(options), slack),
      sampling_(assembly) {
  State scratch = assembly.initial;
  for (const auto& g : system_.groups())
    if (g->loosen(scratch)) frictions_.push_back(g.get());
  std::vector<char> before(system_.size()), open(system_.size());
  for (const Group* g : frictions_)
    for (int k = 0; k < g->size(); ++k) {  // its row is that which opens when it gives way
      const int place = g->memory_of(k);
      State one = scratch;
      for (int j = 0; j < g->size(); ++j) one.memory[g->memory_of(j)] = 0;
      std::fill(before.begin(), before.end(), 0);
      std::fill(open.begin(), open.end(), 0);
      g->open_rows(one, before);
      one.memory[place] = scratch.memory[place];
      g->open_rows(one, open);
      for (int i = 0; i < system_.size(); ++i)
        if (open[i] != before[i]) friction_.push_back({{g, k}, place, i});
    }
}

bool Rest::gives_way(int function) const {
  return std::find(frictions_.begin(), frictions_.end(), watch_.element(function).group) != frictions_.end();
}

EquilibriumReport Rest::find(State& state) {
  const State given = state;
  goes_on_.clear();
  carried_ = false;
  for (Friction& f : friction_) f.released = false;
  std::optional<ModelError> refused;
  EquilibriumReport report;
  try {
    report = search_still(state);
  } catch (const ModelError& e) {
    if (e.code != "E-EQUILIBRIUM") throw;
    refused = e;
    state = given;
  }
  if (!prescribed(state)) {
    if (refused) throw *refused;
    return report;
  }
  // What moves goes on to move: does everything stay in balance? Else friction that would have to bear more and more slides.
  std::string first;
  State there = state;
  try {
    carried_ = true;
    if (!refused) {
      carry(there);
      first = change(there).what;
      if (first.empty()) return report;
    }
    for (std::size_t round = 0; round <= friction_.size(); ++round) {
      there = given;
      const EquilibriumReport moving = search_still(there);
      const Change next = change(there);
      if (next.what.empty()) {
        state = there;
        return moving;
      }
      if (next.released.empty()) break;
      for (const int f : next.released) friction_[f].released = true;
    }
  } catch (const ModelError&) {  // no such place
  }
  carried_ = false;
  if (refused) throw *refused;
  goes_on_ = first;
  return report;
}

/// Do motions that depend on time alone move anything?
bool Rest::prescribed(const State& state) const {
  State still = state;
  std::fill(still.rate.begin(), still.rate.end(), 0.0);
  std::vector<double> rows(system_.size());
  system_.constraints(still, 1, 0, rows);
  return std::any_of(rows.begin(), rows.end(), [](double x) { return x != 0; });
}

bool Rest::is_released(int place) const {
  return std::any_of(friction_.begin(), friction_.end(),
                     [&](const Friction& f) { return f.released && f.place == place; });
}

/// Velocities that prescribed motions want: the least, with friction that does not slide holding, and away from stops.
void Rest::carry(State& state) {
  std::fill(state.rate.begin(), state.rate.begin() + system_.rows(Kind::position).end, 0.0);
  StartOptions options = options_;
  options.kept = {};
  std::vector<double> modes;
  for (const Friction& f : friction_) modes.push_back(state.memory[f.place]);
  State loose = state;
  for (const Group* g : frictions_) g->loosen(loose);
  for (const Friction& f : friction_) state.memory[f.place] = f.released ? loose.memory[f.place] : 0;
  assemble_start(system_, state, options);
  State entered = state;
  for (const Group* g : frictions_) g->enter(entered);
  for (std::size_t i = 0; i < friction_.size(); ++i)
    state.memory[friction_[i].place] = friction_[i].released ? entered.memory[friction_[i].place] : modes[i];
}

/// A little later, everything moved along with its velocities: is it still in balance, and does friction bear what it did?
Rest::Change Rest::change(const State& state) {
  constexpr double along = 1e-3, same = 1e-6;
  double fastest = 0;
  for (int i = 0; i < system_.rows(Kind::position).end; ++i)
    fastest = std::max(fastest, std::abs(state.rate[i]) / system_.nominal()[i]);
  if (fastest == 0) return {};
  StartOptions options = quiet(options_);
  if (const RestDefect d = rest_defect(system_, state, options, true); !(d.position < same))
    return {system_.row_name(d.row), {}};
  const double time = along / fastest;
  State later = state;
  std::vector<double> moves(system_.size(), 0.0);
  for (int i = 0; i < system_.rows(Kind::position).end; ++i) moves[i] = time * state.rate[i];
  later.t += time;
  move_positions(system_, state.value, moves, later.value, {});
  project_positions(system_, later, options);
  carry(later);
  if (const RestDefect d = rest_defect(system_, later, options, true); !(d.position < same))
    return {system_.row_name(d.row), {}};
  State at = state;
  const State now = start_.consistent(at), then = start_.consistent(later);
  const auto value = system_.value_of_row();
  std::vector<double> strengths;
  system_.strengths(state, strengths);
  double soonest = INFINITY;
  std::vector<double> until(friction_.size(), INFINITY);
  for (std::size_t i = 0; i < friction_.size(); ++i) {
    const Friction& f = friction_[i];
    if (state.memory[f.place] != 0) continue;
    const double load = now.value[value[f.row]], more = then.value[value[f.row]] - load;
    if (!(std::abs(more) > 1e-8 * strengths[f.row])) continue;
    if (!f.released)
      until[i] = std::max(0.0, strengths[f.row] - std::copysign(1.0, more) * load) / std::abs(more);
    soonest = std::min(soonest, until[i]);
  }
  Change change;
  for (std::size_t i = 0; i < friction_.size(); ++i)
    if (until[i] <= soonest * (1 + 1e-6) && std::isfinite(until[i])) {
      if (change.what.empty()) change.what = system_.row_name(friction_[i].row);
      change.released.push_back(static_cast<int>(i));
    }
  return change;
}

void Rest::enter(State& state) {
  std::fill(state.rate.begin(), state.rate.end(), 0.0);
  system_.enter(state);
  start_.modes(state);
  for (const Group* g : frictions_) g->enter(state);  // at rest it holds, for now
  for (const auto& g : system_.groups())
    if (g->has_sides) g->enter(state);  // sides of expressions go along with the search
}

EquilibriumReport Rest::search_still(State& state) {
  if (start_.trivial()) return search(state);
  enter(state);
  return search_with_shares(state);
}

EquilibriumReport Rest::search_with_shares(State& state) {
  const State given = state;
  std::optional<ModelError> refused;
  // Friction that cannot hold where it is gives way: without any force, or with a part of it against the motion.
  for (const double share : {1e-30, 0.5, 0.999}) {
    state = given;
    EquilibriumReport report;
    try {
      if (with_share(state, share, report)) return report;
    } catch (const ModelError& e) {
      if (e.code != "E-EQUILIBRIUM") throw;
      if (!refused) refused = e;
    }
    if (sliding_.empty()) break;
  }
  if (refused) throw *refused;
  throw ModelError("E-EQUILIBRIUM", sliding_.back().name,
                   "no place was found at which friction can hold everything: this one gives way",
                   "start closer to where it rests, or look at the forces that act there");
}

/// The equilibrium with what gives way and what holds; and what holds must be able to. False: what gave way does not hold
/// where it has come to.
bool Rest::with_share(State& state, double share, EquilibriumReport& report) {
  sliding_.clear();
  std::string last = "sampled blocks";
  std::vector<std::string> switching;  // relays and the like
  for (int round = 0; round < 50; ++round) {
    for (const Sliding& s : sliding_) state.memory[s.place] = s.side * share;
    try {
      report = search(state);
    } catch (ModelError& e) {
      for (const int f : watch_.due(state))
        if (!gives_way(f) && !watch_.is_trigger(f) &&
            std::find(switching.begin(), switching.end(), watch_.name(f)) == switching.end())
          switching.push_back(watch_.name(f));
      if (e.code == "E-EQUILIBRIUM" && !switching.empty())
        e.cause +=
            fmt::format("; what switched on the way, and may have no rest: {}", fmt::join(switching, ", "));
      throw;
    }
    for (const Sliding& s : sliding_) state.memory[s.place] = 0;
    State& there = start_.consistent(state);
    std::vector<int> due;
    for (const int f : watch_.due(there))
      if (!watch_.is_trigger(f)) due.push_back(f);
    if (due.empty()) {
      for (const Variable& v : system_.variables())
        if (v.kind != Kind::position)
          std::copy_n(there.value.begin() + v.value, v.values, state.value.begin() + v.value);
      if (samples_rest(state)) return true;
      continue;
    }
    watch_.cross(there, due);
    last = watch_.name(due.front());
    for (const int f : due)
      if (!gives_way(f) && std::find(switching.begin(), switching.end(), watch_.name(f)) == switching.end())
        switching.push_back(watch_.name(f));
    for (const int f : due) {
      if (!gives_way(f)) continue;
      const ElementId e = watch_.element(f);
      const int place = e.group->memory_of(e.index);
      if (is_released(place)) continue;
      if (std::any_of(sliding_.begin(), sliding_.end(), [&](const Sliding& s) { return s.place == place; }))
        return false;
      sliding_.push_back({place, there.memory[place], watch_.name(f)});
    }
    state.memory = there.memory;
  }
  throw ModelError(
      "E-EQUILIBRIUM", last,
      "it has no rest: with each of its modes everything comes to rest where that mode does not hold",
      "give it a hysteresis or a smooth transition, or begin near the rest");
}

EquilibriumReport Rest::search(State& state) {
  switched_ = 0;
  ModesOnTheWay modes;
  if (!start_.trivial()) modes = [this](State& s) { return switch_on_the_way(s); };
  if (!carried_) return find_equilibrium(system_, state, options_, modes);
  // Velocities belong to the place, and the place to them.
  project_positions(system_, state, options_);
  carry(state);
  for (int k = 0;; ++k) {
    const EquilibriumReport report = find_equilibrium(system_, state, options_, modes, true);
    const std::vector<double> rate = state.rate;
    carry(state);
    double change = 0, top = 1;
    for (int i = 0; i < system_.rows(Kind::position).end; ++i) {
      change = std::max(change, std::abs(state.rate[i] - rate[i]) / system_.nominal()[i]);
      top = std::max(top, std::abs(rate[i]) / system_.nominal()[i]);
    }
    if (change <= 1e-9 * top) return report;
    if (k == 20)
      throw ModelError("E-EQUILIBRIUM", "velocities", "prescribed motions leave no place at rest", "");
  }
}

/// Stops close where they are passed, and open where they would pull. All other modes are looked at where it rests.
bool Rest::switch_on_the_way(State& state) {
  if (switched_ > 20 + 10 * static_cast<int>(watch_.size())) return false;
  std::vector<int> due;
  for (const int f : watch_.due(state))
    if (watch_.element(f).group->switches && !gives_way(f)) due.push_back(f);
  if (due.empty()) return false;
  ++switched_;
  watch_.cross(state, due);
  return true;
}

/// What blocks keep after a sample, with everything at rest while they keep this.
std::vector<double> Rest::after_a_sample(State& state, std::span<const double> kept) {
  sampling_.keep(state, kept);
  if (!newton_to_equilibrium(system_, state, options_, nullptr, carried_)) search(state);
  State sampled = state;
  sampling_.compute_all(sampled);
  return sampling_.kept(sampled);
}

/// Do all sampled blocks compute what they hold? If not, what they keep is sought as an unknown of rest, by Newton's method with
/// differences (T-equilibrium-5); false: it has changed, and the rest with it.
bool Rest::samples_rest(State& state) {
  if (assembly_.samplers.empty()) return true;
  constexpr double same = 1e-9, exactly = 1e-13;
  std::vector<double> kept = sampling_.kept(state), next = after_a_sample(state, kept);
  if (difference(kept, next).first <= same) return true;
  kept = next;  // some only know after a sample that there was one
  next = after_a_sample(state, kept);
  const std::size_t n = kept.size();
  for (int k = 0; k < 8 && n <= 100 && difference(kept, next).first > exactly; ++k) {
    std::vector<std::vector<double>> A(n, std::vector<double>(n, 0.0));
    std::vector<double> left(n);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> aside = kept;
      const double step = 1e-5 * (1 + std::abs(kept[j]));
      aside[j] += step;
      State at = state;
      const std::vector<double> moved = after_a_sample(at, aside);
      for (std::size_t i = 0; i < n; ++i) A[i][j] = (i == j ? 1.0 : 0.0) - (moved[i] - next[i]) / step;
    }
    for (std::size_t i = 0; i < n; ++i) left[i] = next[i] - kept[i];
    const std::vector<double> change = solved(std::move(A), left);
    for (std::size_t i = 0; i < n; ++i) kept[i] += change[i];
    next = after_a_sample(state, kept);
  }
  for (int k = 0; k < 50 && difference(kept, next).first > same; ++k) {  // whole numbers, counters …
    kept = next;
    next = after_a_sample(state, kept);
  }
  if (const auto [size, where] = difference(kept, next); size > same)
    throw ModelError("E-EQUILIBRIUM", sampling_.keeper(where),
                     "it does not come to rest: from sample to sample it computes something else, with "
                     "everything else at rest",
                     "integral action rests only where its error can become zero; start: given, or a run "
                     "until it has settled");
  sampling_.keep(state, kept);
  return false;
}

void Rest::refuse_motion(const State& state) const {
  const int positions = system_.rows(Kind::position).end;
  if (start_.trivial() ||
      std::any_of(state.rate.begin(), state.rate.begin() + positions, [](double v) { return v != 0; }))
    return;  // prescribed motions
  const RestDefect defect = rest_defect(system_, state, options_);
  if (defect.size < 1e-6) return;
  throw ModelError(
      "E-EQUILIBRIUM", system_.row_name(defect.row),
      "it does not rest where the search ended: with all modes and samples as they are there, it "
      "would move",
      "start closer to the equilibrium, or from given values");
}

}  // namespace escapement
