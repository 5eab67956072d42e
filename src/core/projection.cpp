#include "core/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/manifold.hpp"
#include "core/newton.hpp"

namespace escapement {
namespace {

struct Violation {
  int row = -1;
  double size = 0;  // relative to the row's nominal magnitude
};

Violation largest(const System& system, std::span<const double> r, Range rows) {
  Violation worst;
  for (int i = rows.begin; i < rows.end; ++i) {
    const double e = std::abs(r[i]) / system.row_nominal()[i];
    if (!(e <= worst.size)) worst = {i, e};
  }
  return worst;
}

Range all_constraints(const System& system) { return {system.rows(Kind::holonomic).begin, system.size()}; }

[[noreturn]] void refuse(const System& system, const Violation& v, double t, bool rate,
                         const StartOptions& options) {
  const std::string& unit = system.row_unit(v.row);
  const bool holonomic = v.row < system.rows(Kind::holonomic).end;
  const std::string size =
      fmt::format("{:.3g}{}{}", v.size * system.row_nominal()[v.row], unit.empty() ? "" : " " + unit,
                  rate && holonomic && !unit.empty() ? "/s" : "");
  const char* what = rate ? "velocities" : "positions";
  if (!options.project)
    throw ModelError("E-START", system.row_name(v.row),
                     fmt::format("the given {} violate it: off by {} at t = {:g} s", what, size, t),
                     "mend the initial values, or let them be moved: `start: assembled`");
  const auto& kept = rate ? options.kept.rate : options.kept.position;
  const bool some_kept = std::find(kept.begin(), kept.end(), 1) != kept.end();
  throw ModelError(
      "E-START", system.row_name(v.row),
      fmt::format(
          "no {} near the given ones satisfy all constraints{} at t = {:g} s: this one stays off by {}", what,
          some_kept ? " with what is `fixed` kept" : "", t, size),
      rate ? "constraints that prescribe velocities may contradict each other"
           : "start closer to an assembled position; parts may be too short to meet, or constraints "
             "contradict "
             "each other");
}

}  // namespace

/// Solves [M Φᵀ; Φ 0] for the increment that removes the violations in `r` (rows of constraints only).
class Projector {
 public:
  Projector(const System& system, const StartOptions& options)
      : system_(system),
        proximal_(options.proximal),
        hold_massless_(options.hold_massless),
        newton_(system, 0, {}),
        r_(system.size()),
        du_(system.size()) {}

  /// Where masses are very different, what is regularised gives way slowly: less of it.
  void tighten() { proximal_ = std::max(1e-2 * proximal_, 1e-13); }

  void factor(const State& state, std::span<const char> kept = {}) {
    system_.tangent(state, {.acceleration = 1, .store = 1, .flow = 0, .constraint_accelerations = true}, {},
                    r_, newton_.matrix());
    set_proximal_diagonal(system_, proximal_, newton_.matrix(), epsilon_);
    add_proximal(system_, epsilon_, newton_.matrix());
    // States, signals and what is kept stay.
    if (hold_massless_) undetermined_.find(system_, state, proximal_, still_);
    if (!hold_massless_ || still_.empty()) still_.assign(system_.size(), 0);
    for (std::size_t i = 0; i < kept.size(); ++i) still_[i] = still_[i] || kept[i];
    std::fill(still_.begin() + system_.rows(Kind::state).begin,
              still_.begin() + system_.rows(Kind::algebraic).end, 1);
    hold(system_, still_, newton_.matrix());
    const auto f = newton_.factor();
    if (!f.ok) {
      const auto& rows = f.singular_rows.empty() ? f.singular_columns : f.singular_rows;
      throw ModelError(
          "E-SINGULAR", rows.empty() ? "constraints" : system_.row_name(rows[0]),
          "the constraints cannot be projected onto: they depend on each other or on massless motion",
          "remove the redundant constraint, or allow redundant constraints");
    }
  }
  long pivotings() const { return newton_.pivotings(); }
  void archive(Archive& a) { a(newton_, undetermined_); }
  /// What an impulse of one at this row does.
  std::span<const double> respond(int row) {
    std::fill(du_.begin(), du_.end(), 0.0);
    du_[row] = 1;
    newton_.solver().solve(du_);
    return du_;
  }
  /// Largest relative increment; `du` holds it for the position rows.
  std::span<const double> solve(std::span<const double> violation) {
    std::fill(du_.begin(), du_.end(), 0.0);
    for (Kind kind : {Kind::holonomic, Kind::nonholonomic})
      for (int i = system_.rows(kind).begin; i < system_.rows(kind).end; ++i) du_[i] = -violation[i];
    newton_.solver().solve(du_);
    return du_;
  }
  /// What the last increment leaves of the violation of a row, to first order: nothing that it can see moves it.
  double left(int row) const { return epsilon_.empty() ? 0.0 : std::abs(epsilon_[row] * du_[row]); }

 private:
  const System& system_;
  double proximal_;
  bool hold_massless_;
  Newton newton_;
  UndeterminedPositions undetermined_;
  std::vector<char> still_;
  std::vector<double> r_, du_, epsilon_;
};

namespace {

/// Φ(q, t) = 0: checked, or reached by moving q.
void settle_positions(const System& system, State& state, Projector* projector, const StartOptions& options) {
  std::vector<double> r(system.size());
  std::minstd_rand random(1);
  std::uniform_real_distribution<double> aside(-0.1, 0.1);
  double best = INFINITY;
  for (int k = 0, worse = 0;; ++k) {
    system.constraints(state, 0, -1, r);
    const Violation v = largest(system, r, system.rows(Kind::holonomic));
    if (v.size <= (options.project ? 1e-13 : options.tolerance)) return;
    worse = v.size < 0.5 * best ? 0 : worse + 1;
    best = std::min(best, v.size);
    if (!options.project || k >= 200 || worse > 20 || !std::isfinite(v.size)) {
      if (v.size <= options.tolerance) return;  // at the rounding floor
      refuse(system, v, state.t, false, options);
    }
    if (worse > 2) projector->tighten();
    projector->factor(state, options.kept.position);
    const auto du = projector->solve(r);
    double size = 0;  // far away the linear picture is good for a part of the way
    for (int i = 0; i < system.rows(Kind::position).end; ++i)
      size = std::max(size, std::abs(du[i]) / system.nominal()[i]);
    std::vector<double> step(du.begin(), du.end());
    if (size > 0.5)
      for (double& x : step) x *= 0.5 / size;
    // Half a turn away, or at a dead centre, constraints do not see the way: any way aside is one (T-start-9).
    if (v.size > 0.1 && projector->left(v.row) > 0.5 * std::abs(r[v.row]))
      for (int i = 0; i < system.rows(Kind::position).end; ++i)
        if (options.kept.position.empty() || !options.kept.position[i])
          step[i] += aside(random) * system.nominal()[i];
    const auto q = state.value;
    move_positions(system, q, step, state.value, {});
  }
}

/// Φ̇ = 0 and k(q, v, t) = 0: checked, or reached by changing v.
void settle_velocities(const System& system, State& state, Projector* projector,
                       const StartOptions& options) {
  std::vector<double> r(system.size());
  double previous = INFINITY;
  for (int k = 0;; ++k) {
    system.constraints(state, 1, 0, r);
    const Violation v = largest(system, r, all_constraints(system));
    double speed = 1;
    for (int i = 0; i < system.rows(Kind::position).end; ++i)
      speed = std::max(speed, std::abs(state.rate[i]) / system.nominal()[i]);
    const double allowed = options.tolerance * speed;
    if (v.size <= (options.project ? 1e-13 * speed : allowed)) return;
    if (!options.project || k >= 30 || !std::isfinite(v.size)) {
      if (v.size <= allowed) return;
      refuse(system, v, state.t, true, options);
    }
    if (v.size > 0.3 * previous) projector->tighten();
    previous = v.size;
    projector->factor(state, options.kept.rate);
    const auto du = projector->solve(r);
    for (int i = 0; i < system.rows(Kind::position).end; ++i) state.rate[i] += du[i];
  }
}

void settle(const System& system, State& state, Projector* projector, const StartOptions& options) {
  settle_positions(system, state, projector, options);
  settle_velocities(system, state, projector, options);
}

}  // namespace

void check_or_project(const System& system, State& state, const StartOptions& options) {
  if (system.rows(Kind::holonomic).size() + system.rows(Kind::nonholonomic).size() == 0) return;
  if (!options.project) {  // no matrix is needed to look
    settle(system, state, nullptr, options);
    return;
  }
  StartOptions careful = options;  // constraints may depend on each other until they are satisfied, or ever
  careful.proximal = std::max(options.proximal, 1e-8);
  Projector projector(system, careful);
  settle(system, state, &projector, careful);
}

void refuse_contradiction(const System& system, const State& state) {
  std::vector<double> r(system.size());
  refuse_contradiction(system, state, r);
}

void refuse_contradiction(const System& system, const State& state, std::span<double> r) {
  system.constraints(state, 2, 1, r);
  const Violation v = largest(system, r, all_constraints(system));
  double top = 1;
  for (int i = 0; i < system.rows(Kind::position).end; ++i)
    top = std::max({top, std::abs(state.acceleration[i]) / system.nominal()[i],
                    std::pow(state.rate[i] / system.nominal()[i], 2)});
  if (v.size <= 1e-6 * top) return;
  throw ModelError(
      "E-REDUNDANT", system.row_name(v.row),
      fmt::format("constraints that depend on each other prescribe different accelerations at t = "
                  "{:g} s: this one stays off by {:.3g}",
                  state.t, v.size * system.row_nominal()[v.row]),
      "remove one of them, or make them agree at all times");
}

std::vector<double> constrained_increment(const System& system, const State& state,
                                          std::span<const double> rows, const StartOptions& options) {
  Projector projector(system, options);
  projector.factor(state);
  const auto du = projector.solve(rows);
  return {du.begin(), du.end()};
}

ConstrainedIncrement::ConstrainedIncrement(const System& system, const StartOptions& options)
    : projector_(std::make_unique<Projector>(system, options)) {}
ConstrainedIncrement::~ConstrainedIncrement() = default;
std::span<const double> ConstrainedIncrement::find(const State& state, std::span<const double> rows) {
  projector_->factor(state);
  return projector_->solve(rows);
}
long ConstrainedIncrement::pivotings() const { return projector_->pivotings(); }
void ConstrainedIncrement::archive(Archive& a) { projector_->archive(a); }

std::vector<double> impulsive_increment(const System& system, const State& state, std::span<const int> rows,
                                        std::span<const double> rates, const StartOptions& options) {
  const std::size_t n = rows.size();
  const int positions = system.rows(Kind::position).end;
  Projector projector(system, options);
  projector.factor(state);
  std::vector<std::vector<double>> response(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto du = projector.respond(rows[k]);
    response[k].assign(du.begin(), du.begin() + positions);
  }
  // The impulses: a few equations, by elimination with pivots.
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) a[i][k] = response[k][rows[i]];
    a[i][n] = rates[i] - state.rate[rows[i]];
  }
  std::vector<double> dv(positions, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    double free = 0;  // what the same impulse would do to others: constraints may leave nothing of it here
    for (const double x : response[k]) free = std::max(free, std::abs(x));
    if (!(std::abs(a[k][k]) > 1e-9 * free))
      throw ModelError("E-EVENT", system.unknown_name(rows[k]),
                       "its velocity cannot be set: constraints hold it",
                       "set the velocity of what drives it");
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  for (std::size_t k = 0; k < n; ++k)
    for (int i = 0; i < positions; ++i) dv[i] += a[k][n] / a[k][k] * response[k][i];
  return dv;
}

std::vector<double> proximal_diagonal(const System& system, double proximal, std::span<const double> values) {
  std::vector<double> epsilon;
  set_proximal_diagonal(system, proximal, values, epsilon);
  return epsilon;
}

void set_proximal_diagonal(const System& system, double proximal, std::span<const double> values,
                           std::vector<double>& epsilon) {
  epsilon.clear();
  if (proximal == 0 && !system.switches()) return;
  const Pattern& p = system.pattern();
  epsilon.assign(system.size(), 0.0);  // Σ_j Φ_ij² / S_jj
  const int positions = system.rows(Kind::position).end;
  double largest = 0;
  for (int j = 0; j < positions; ++j) largest = std::max(largest, std::abs(values[p.find(j, j)]));
  for (int j = 0; j < positions; ++j) {
    const double inertia = std::abs(values[p.find(j, j)]);
    if (!(inertia > 1e-12 * largest))
      continue;  // no mass: what a force that hardly changes leaves there is none
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      epsilon[p.row[k]] += values[k] * values[k] / inertia;
  }
  // A constraint of finite force leaves to others what they can carry, and shares with its like by what it can (T-unilateral-5).
  constexpr double softer = 1e4, weakest = 1e-2;
  const auto strengths = system.strengths();
  double strongest = 0;
  for (const double s : strengths) strongest = std::max(strongest, s);
  for (int i = 0; i < system.size(); ++i) {
    epsilon[i] =
        (system.switches(i) ? std::max(proximal, 1e-9) : proximal) * (epsilon[i] > 0 ? epsilon[i] : 1.0);
    if (!strengths.empty() && strengths[i] > 0)
      epsilon[i] *= softer / std::max(weakest, strengths[i] / strongest);
  }
}

void hold(const System& system, std::span<const char> rows, std::span<double> values) {
  const Pattern& p = system.pattern();
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (rows[p.row[k]] || rows[j]) values[k] = p.row[k] == j ? 1.0 : 0.0;
}

namespace {

/// Positions whose rows have no acceleration; with `free`, those that no constraint acts on either.
void find_light(const System& system, const State& state, bool free, std::vector<double>& r,
                std::vector<double>& M, std::vector<double>& forces, std::vector<char>& light) {
  const Pattern& p = system.pattern();
  const int positions = system.rows(Kind::position).end, multipliers = system.rows(Kind::holonomic).begin;
  r.resize(system.size());
  M.resize(p.nonzeros());
  forces.resize(p.nonzeros());
  system.tangent(state, {.acceleration = 1, .flow = 0}, {}, r, M);  // nothing that states do
  system.tangent(state, {.position = 0.6, .velocity = 0.8, .flow = 0}, {}, r, forces);
  light.assign(system.size(), 0);
  std::fill(light.begin(), light.begin() + positions, 1);
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (j < positions ? M[k] != 0 : free && j >= multipliers && forces[k] != 0) light[p.row[k]] = 0;
}

bool any(const std::vector<char>& rows) { return std::find(rows.begin(), rows.end(), 1) != rows.end(); }

}  // namespace

std::vector<char> massless_positions(const System& system, const State& state) {
  if (system.rows(Kind::position).size() == 0) return {};
  std::vector<char> rows;
  std::vector<double> r, M, forces;
  find_light(system, state, true, r, M, forces, rows);
  if (!any(rows)) rows.clear();
  return rows;
}

UndeterminedPositions::UndeterminedPositions() = default;
UndeterminedPositions::~UndeterminedPositions() = default;

bool UndeterminedPositions::determined_without(const System& system, std::span<const char> held) {
  still_.assign(held.begin(), held.end());
  std::fill(still_.begin() + system.rows(Kind::state).begin,
            still_.begin() + system.rows(Kind::algebraic).end, 1);
  std::copy(values_.begin(), values_.end(), newton_->matrix().begin());
  hold(system, still_, newton_->matrix());
  last_ = newton_->factor();
  return last_.ok;
}

void UndeterminedPositions::find(const System& system, const State& state, double proximal,
                                 std::vector<char>& held) {
  held.clear();
  find_light(system, state, false, rows_, mass_, forces_, light_);
  if (!any(light_)) return;
  find_light(system, state, true, rows_, mass_, forces_, free_);
  if (!newton_) newton_ = std::make_unique<Newton>(system, 0, NewtonOptions{});
  const Pattern& p = system.pattern();
  const int positions = system.rows(Kind::position).end;
  values_.resize(p.nonzeros());
  system.tangent(state, {.acceleration = 1, .store = 1, .flow = 0, .constraint_accelerations = true}, {},
                 rows_, values_);
  set_proximal_diagonal(system, proximal, values_, epsilon_);
  add_proximal(system, epsilon_, values_);
  // The same as the last time, where that is enough.
  const bool same = known_light_ == light_ && known_free_ == free_ && determined_without(system, known_);
  if (!same) {
    system.tangent(state, Shift::damping(), {}, rows_, mass_);
    std::vector<char> damped(system.size(), 0);
    for (int k = 0; k < p.column_begin[positions]; ++k)
      if (mass_[k] != 0) damped[p.row[k]] = 1;
    known_light_ = light_;
    known_free_ = known_ = free_;
    while (!determined_without(system, known_)) {
      // One of those that depend on each other; a damped one has its velocity from its own row.
      int next = -1;
      for (const auto& rows : {last_.singular_rows, last_.singular_columns})
        for (const int i : rows)
          if (i < positions && light_[i] && !known_[i] && (next < 0 || (damped[i] && !damped[next])))
            next = i;
      if (next < 0) break;  // it is something else
      known_[next] = 1;
    }
  }
  if (any(known_)) held = known_;
}

void UndeterminedPositions::archive(Archive& a) { a(known_light_, known_free_, known_); }

void add_proximal(const System& system, std::span<const double> epsilon, std::span<double> values) {
  if (epsilon.empty()) return;
  for (Kind kind : {Kind::holonomic, Kind::nonholonomic})
    for (int i = system.rows(kind).begin; i < system.rows(kind).end; ++i)
      values[system.pattern().find(i, i)] -= epsilon[i];
}

void check_constraints(const System& system, const State& state, const StartOptions& options) {
  StartOptions checking = options;
  checking.project = false;
  State copy = state;
  check_or_project(system, copy, checking);
}

void project(const System& system, State& state, const StartOptions& options) {
  StartOptions projecting = options;
  projecting.project = true;
  check_or_project(system, state, projecting);
}

void project_positions(const System& system, State& state, const StartOptions& options) {
  if (system.rows(Kind::holonomic).size() == 0) return;
  StartOptions projecting = options;
  projecting.project = true;
  projecting.proximal = std::max(options.proximal, 1e-8);
  Projector projector(system, projecting);
  settle_positions(system, state, &projector, projecting);
}

std::vector<Moved> moved(const System& system, const State& from, const State& to, double least) {
  std::vector<Moved> list;
  for (const Variable& v : system.variables()) {
    if (v.kind != Kind::position) continue;
    Moved m{v.name, v.unit};
    const double *a = &from.value[v.value], *b = &to.value[v.value];
    const bool turns = v.manifold != Manifold::vector;
    if (turns) {  // 1 − |⟨a, b⟩| is too coarse near zero: from the difference of the quaternions
      double plus = 0, minus = 0;
      for (int k = 0; k < 4; ++k) plus += std::pow(a[k] + b[k], 2), minus += std::pow(a[k] - b[k], 2);
      m.angle = 4 * std::asin(std::min(1.0, 0.5 * std::sqrt(std::min(plus, minus))));
    }
    double square = 0;
    for (int k = turns ? 4 : 0; k < v.values; ++k) square += std::pow(b[k] - a[k], 2);
    m.position = std::sqrt(square);
    for (int k = 0; k < v.dofs; ++k) {
      const double change = std::abs(to.rate[v.row + k] - from.rate[v.row + k]);
      double& to_tell = turns && k >= v.dofs - 3 ? m.turning : m.rate;
      to_tell = std::max(to_tell, change);
      m.relative = std::max(m.relative, change / system.nominal()[v.row + k]);
    }
    m.relative = std::max({m.relative, m.position / system.nominal()[v.row], m.angle});
    if (m.relative > least) list.push_back(m);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Moved& a, const Moved& b) { return a.relative > b.relative; });
  return list;
}

}  // namespace escapement
