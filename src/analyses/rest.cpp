#include "analyses/rest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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
}

bool Rest::gives_way(int function) const {
  return std::find(frictions_.begin(), frictions_.end(), watch_.element(function).group) != frictions_.end();
}

EquilibriumReport Rest::find(State& state) {
  if (start_.trivial()) return find_equilibrium(system_, state, options_);
  std::fill(state.rate.begin(), state.rate.end(), 0.0);
  system_.enter(state);
  start_.modes(state);
  for (const GroupBase* g : frictions_) g->enter(state);  // at rest it holds, for now
  for (const auto& g : system_.groups())
    if (g->has_sides) g->enter(state);  // sides of expressions go along with the search
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
  for (int round = 0; round < 50; ++round) {
    for (const Sliding& s : sliding_) state.memory[s.place] = s.side * share;
    report = search(state);
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
    for (const int f : due) {
      if (!gives_way(f)) continue;
      const ElementId e = watch_.element(f);
      const int place = e.group->memory_of(e.index);
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
  return find_equilibrium(system_, state, options_, [this](State& s) { return switch_on_the_way(s); });
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
  if (!newton_to_equilibrium(system_, state, options_)) search(state);
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
