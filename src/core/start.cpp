#include "core/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/manifold.hpp"
#include "core/operating_point.hpp"
#include "core/signal_loop.hpp"
#include "core/start_problem.hpp"
#include "core/state_rows.hpp"

namespace escapement {
namespace {

class Start final : public StartProblem {
 public:
  Start(const System& system, State& state, const StartOptions& options)
      : StartProblem(system, state, options), newton_(system, 0, {.tolerance = 1e-12}) {
    const int n = system.size();
    other_r_.assign(n, 0.0);
    other_values_.assign(system.pattern().nonzeros(), 0.0);
    stored_.assign(n, 0.0);
    drift_.assign(n, 0.0);
    rows_ = system.rows(Kind::state);
  }

  Newton& newton() { return newton_; }
  void archive(Archive& a) { a(newton_, undetermined_); }
  bool hidden() const { return hidden_; }
  /// `solver`: of the examination, its own or one that serves nothing else.
  NewtonReport run(LinearSolver& solver) {
    begin(solver);
    NewtonReport report = solve_in_passes();
    if (!report.ok()) return report;
    if (state_rows_.has_mixed) {
      balance_floating();
      hidden_rates();
    }
    for (int i = rows_.begin; i < rows_.end; ++i) state_.rate[i] = -drift_[i];
    system_.state_store(state_, stored_);
    for (int i = rows_.begin; i < rows_.end; ++i) state_.store[i - rows_.begin] = stored_[i];
    return report;
  }

  void begin(LinearSolver& solver) {
    examination_.look(state_, solver, state_rows_);
    if (state_rows_.has_driven) {
      rate_r_.resize(system_.size());
      rate_values_.resize(system_.pattern().nonzeros());
    }
    vanishing_ = std::max(1e-15, 1e-6 * (std::isfinite(state_rows_.fastest) ? state_rows_.fastest : 1.0));
    if (options_.hold_massless) undetermined_.find(system_, state_, options_.proximal, held_);
    hidden_ = false;
    std::fill(stored_.begin(), stored_.end(), 0.0);
    std::fill(drift_.begin(), drift_.end(), 0.0);
    if (options_.keep_stores)
      std::copy(state_.store.begin(), state_.store.end(), stored_.begin() + rows_.begin);
    else system_.state_store(state_, stored_);
    given_ = state_.value;
    accelerations_ = state_.acceleration;
  }
  void return_to_given() {
    state_.value = given_;
    state_.acceleration = accelerations_;
  }

  /// Mixed rows: each pass removes one more order of the vanishing step (T-start-4).
  NewtonReport solve_in_passes() {
    NewtonReport report;
    double defect = INFINITY;
    int shrunk = 0;
    for (int pass = 0; pass < (state_rows_.has_mixed ? 4 : 1); ++pass) {
      report = solve_pass(pass == 0);
      if (report.status == NewtonStatus::singular && can_begin_anew(pass == 0, shrunk)) {
        pass = -1;
        continue;
      }
      if (report.status == NewtonStatus::singular)
        report.loop = signal_loop(system_, newton_.matrix(), report);
      if (!report.ok()) return report;
      system_.state_flow(state_, drift_);
      if (!state_rows_.has_mixed) continue;
      const double left = lost_store();
      if (pass > 0 && left > 1e-9 && !(left < 0.01 * defect) && shrunk <= most_shrunk) {
        // The step is too long for something fast; or what cannot be kept (a voltage forced upon a capacitor) has changed
        // at once, and is the new start (T-start-6).
        if (++shrunk > most_shrunk) {
          system_.state_store(state_, stored_);
        } else {
          vanishing_ *= 1e-3;
          return_to_given();
        }
        std::fill(drift_.begin(), drift_.end(), 0.0);
        pass = -1;
      }
      defect = left;
    }
    return report;
  }

  NewtonReport solve_pass(bool first) {
    newton_.invalidate();
    set_scale();
    set_weights();
    NewtonReport report = newton_.solve(*this);
    if (report.status == NewtonStatus::singular && state_rows_.has_mixed) {
      if (first) return_to_given();
      if (balance_floating(true)) report.status = NewtonStatus::converged;
    }
    if (report.ok() || !first) return report;
    return_to_given();
    if (!substitute_signals(system_.pattern())) return report;
    newton_.invalidate();
    NewtonReport again = newton_.solve(*this);
    return again.ok() || report.status != NewtonStatus::singular ? again : report;
  }

  /// … where the equations are singular?
  bool can_begin_anew(bool first, int& shrunk) {
    if (first && state_rows_.mix()) {  // states hold what others determine
      return_to_given();
      return true;
    }
    if (shrunk == 0 || shrunk > most_shrunk) return false;
    vanishing_ *= 1e3;  // too short to be seen
    shrunk = most_shrunk + 1;
    return_to_given();
    std::fill(drift_.begin(), drift_.end(), 0.0);
    return true;
  }

  static constexpr int most_shrunk = 3;
  /// The largest change of what is stored, relative to its size.
  double lost_store() {
    system_.state_store(state_, other_r_);
    double change = 0;
    for (int i = rows_.begin; i < rows_.end; ++i)
      change =
          std::max(change, std::abs(other_r_[i] - stored_[i]) /
                               std::max(1e-300, std::abs(stored_[i]) + state_rows_.usual[i - rows_.begin]));
    return change;
  }

  /// Where stores are tied to each other by algebraic rows, so are their rates, by the derivatives of these rows: the current
  /// that a source drives into a capacitor across it is C times the slope of its voltage. From two small implicit steps ahead,
  /// extrapolated back (T-start-7).
  void hidden_rates() {
    if (!ahead_) ahead_ = std::make_unique<Ahead>();
    auto& [here, later, stored, drift, step, rates] = *ahead_;
    here = state_;
    stored = stored_;
    drift = drift_;
    const double ahead = std::max(vanishing_, 1e-12 * std::abs(here.t));
    const double vanishing = std::exchange(vanishing_, ahead);
    system_.state_store(here, stored_);
    std::fill(drift_.begin(), drift_.end(), 0.0);
    const int positions = system_.rows(Kind::position).end;
    step.assign(system_.size(), 0.0);
    for (auto& r : rates) r.assign(system_.size(), 0.0);
    bool ok = true;
    for (int k = 0; k < 2 && ok; ++k) {
      const double h = (k + 1) * ahead;
      vanishing_ = h;
      state_ = here;
      state_.t += h;
      for (int i = 0; i < positions; ++i) {
        step[i] = h * (here.rate[i] + 0.5 * h * here.acceleration[i]);
        state_.rate[i] += h * here.acceleration[i];
      }
      move_positions(system_, here.value, step, state_.value, {});
      // Rows whose stores alone determine them advance as they do now.
      given_ = state_.value;
      newton_.invalidate();
      set_scale();
      set_weights();
      ok = newton_.solve(*this).ok();
      if (ok) balance_floating();
      later[k] = state_;
      system_.state_flow(state_, rates[k]);
    }
    state_ = here;
    vanishing_ = vanishing;
    stored_ = stored;
    drift_ = drift;
    if (!ok) return;
    double size = 0, change = 0;
    for (int i = rows_.begin; i < rows_.end; ++i) {
      if (!may_be_tied(i)) continue;
      size = std::max({size, std::abs(drift_[i]), std::abs(rates[0][i])});
      change = std::max(change, std::abs(rates[0][i] - drift_[i]));
    }
    if (!(change > 1e-5 * size)) return;
    hidden_ = true;
    for (int i = rows_.begin; i < rows_.end; ++i) drift_[i] = 2 * rates[0][i] - rates[1][i];
    const auto at = system_.value_of_row();
    for (int i = rows_.begin; i < system_.size(); ++i)
      state_.value[at[i]] = 2 * later[0].value[at[i]] - later[1].value[at[i]];
    for (int i = 0; i < positions; ++i)
      state_.acceleration[i] = 2 * later[0].acceleration[i] - later[1].acceleration[i];
  }

  /// Groups of rows whose stores only move among them (a capacitor between nodes that nothing else holds): the sum of what
  /// flows is zero, and in the vanishing step that is lost to rounding. One state of each group is held instead, at the
  /// value at which the sum is zero (T-start-8). False: there is no such value, or it was not found; then nothing has changed.
  bool balance_floating(bool needed = false) {
    if (!find_floating()) return false;
    auto& f = floating_;
    const std::size_t count = f.groups.size();
    const auto at = system_.value_of_row();
    const Pattern& p = system_.pattern();
    const auto sums = [&] {  // how far they are from zero, in the largest of their parts
      system_.state_flow(state_, f.flow);
      double most = 0;
      for (std::size_t g = 0; g < count; ++g) {
        double sum = 0, size = 1e-300;
        for (const int i : f.groups[g]) sum += f.flow[i], size = std::max(size, std::abs(f.flow[i]));
        f.sum[g] = sum;
        const double off = std::abs(sum) / (size * static_cast<double>(f.groups[g].size()));
        if (!(off <= most)) most = off;
      }
      return most;
    };
    constexpr double rounding = 1e-15;
    double before = sums();
    if (before <= rounding && !needed) return false;
    f.values = state_.value;
    f.accelerations = state_.acceleration;
    f.drift = drift_;
    for (std::size_t g = 0; g < count; ++g) f.held[g] = state_.value[at[f.groups[g][0]]];
    const auto leave = [&](bool found) {
      f.on = false;
      newton_.invalidate();
      if (found) return true;
      state_.value = f.values;
      state_.acceleration = f.accelerations;
      drift_ = f.drift;
      return false;
    };
    f.on = true;
    for (int round = 0; round < 12; ++round) {
      newton_.invalidate();
      set_scale();
      set_weights();
      if (!newton_.solve(*this).ok()) return leave(false);
      const double off = sums();
      drift_ = f.flow;
      if (off <= rounding || (round > 1 && off < 1e-9 && off > 0.1 * before)) return leave(true);
      before = off;
      // How the sums change with what is held, all else following.
      tangent(other_r_, newton_.matrix());
      if (!newton_.factor().ok) return leave(false);
      for (std::size_t g = 0; g < count; ++g) {
        auto& x = f.along[g];
        std::fill(x.begin(), x.end(), 0.0);
        x[f.groups[g][0]] = 1;
        newton_.solver().solve(x);
        for (int j = 0; j < p.n; ++j) x[j] *= scale_[j];
      }
      system_.tangent(state_, shift(0, 1), {}, other_r_, other_values_);
      std::fill(f.matrix.begin(), f.matrix.end(), 0.0);
      for (int j = 0; j < p.n; ++j)
        for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
          if (const int g = f.group_of[p.row[k]]; g >= 0)
            for (std::size_t h = 0; h < count; ++h)
              f.matrix[static_cast<std::size_t>(g) * count + h] += other_values_[k] * f.along[h][j];
      for (double& x : f.sum) x = -x;
      if (!solve_small(f.matrix, f.sum)) return leave(false);
      for (std::size_t g = 0; g < count; ++g) {
        f.held[g] += f.sum[g];
        newton_.invalidate();
        for (int i = 0; i < p.n; ++i)
          (i < system_.rows(Kind::position).end ? state_.acceleration[i] : state_.value[at[i]]) +=
              f.sum[g] * f.along[g][i];
      }
    }
    return leave(false);
  }
  /// From the tangent of the stores: connected rows whose columns add up to zero.
  bool find_floating() {
    auto& f = floating_;
    const Pattern& p = system_.pattern();
    const int n = p.n;
    f.group_of.resize(n);
    f.total.resize(n);
    f.groups.clear();
    const auto mixed = [&](int i) {
      return i >= rows_.begin && i < rows_.end && state_rows_.kinds[i - rows_.begin] == StateRow::mixed;
    };
    const auto root = [&](int i) {
      while (f.group_of[i] != i) i = f.group_of[i] = f.group_of[f.group_of[i]];
      return i;
    };
    system_.tangent(state_, shift(1, 0), {}, other_r_, other_values_);
    for (int i = 0; i < n; ++i) f.group_of[i] = i;
    f.total.assign(n, 0.0);  // 0: a group so far; 1: it holds something on its own
    for (int j = 0; j < n; ++j) {
      int first = -1;
      double sum = 0, size = 0;
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        const int i = p.row[k];
        if (!mixed(i) || other_values_[k] == 0) continue;
        sum += other_values_[k];
        size += std::abs(other_values_[k]);
        if (first < 0) {
          first = root(i);
          continue;
        }
        const int other = root(i);
        f.total[first] = std::max(f.total[first], f.total[other]);
        f.group_of[other] = first;
      }
      if (first >= 0 && !(std::abs(sum) <= 1e-14 * size)) f.total[first] = 1;
    }
    f.order.assign(n, -1);  // by root: which group
    for (int i = rows_.begin; i < rows_.end; ++i) {
      if (!mixed(i) || f.total[root(i)] != 0 || p.find(i, i) < 0) continue;
      int& g = f.order[root(i)];
      if (g < 0) g = static_cast<int>(f.groups.size()), f.groups.emplace_back();
      f.groups[g].push_back(i);
    }
    std::erase_if(f.groups, [](const std::vector<int>& g) { return g.size() < 2; });
    const std::size_t count = f.groups.size();
    constexpr std::size_t most = 30;
    if (count == 0 || count > most) return false;
    f.group_of.assign(n, -1);
    for (std::size_t g = 0; g < count; ++g)
      for (const int i : f.groups[g]) f.group_of[i] = static_cast<int>(g);
    f.flow.resize(n);
    f.sum.resize(count);
    f.held.resize(count);
    f.matrix.resize(count * count);
    f.along.resize(count);
    for (auto& x : f.along) x.resize(n);
    return true;
  }
  /// Gauss with row pivots; b becomes x. False: it is singular.
  static bool solve_small(std::vector<double>& A, std::vector<double>& b) {
    const std::size_t n = b.size();
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      double size = 0;
      for (std::size_t i = c; i < n; ++i)
        if (std::abs(A[i * n + c]) > std::abs(A[pivot * n + c])) pivot = i;
      for (std::size_t i = 0; i <= c; ++i) size = std::max(size, std::abs(A[i * n + c]));
      if (!(std::abs(A[pivot * n + c]) > 1e-12 * size)) return false;
      for (std::size_t j = 0; j < n && pivot != c; ++j) std::swap(A[c * n + j], A[pivot * n + j]);
      if (pivot != c) std::swap(b[c], b[pivot]);
      for (std::size_t i = c + 1; i < n; ++i) {
        const double factor = A[i * n + c] / A[c * n + c];
        for (std::size_t j = c; j < n; ++j) A[i * n + j] -= factor * A[c * n + j];
        b[i] -= factor * b[c];
      }
    }
    for (std::size_t c = n; c-- > 0;) {
      for (std::size_t j = c + 1; j < n; ++j) b[c] -= A[c * n + j] * b[j];
      b[c] /= A[c * n + c];
    }
    return true;
  }

  /// Does a row without a store read this state? Others change as their own rows say.
  bool may_be_tied(int i) const {
    const Pattern& p = system_.pattern();
    for (int k = p.column_begin[i]; k < p.column_begin[i + 1]; ++k)
      if (const int row = p.row[k]; row != i && row >= rows_.begin && row < rows_.end &&
                                    state_rows_.kinds[row - rows_.begin] == StateRow::algebraic)
        return true;
    return false;
  }

  void residual(std::span<double> r) override {
    system_.residual(state_, shift(1, 0), other_r_);
    if (state_rows_.has_driven) system_.residual(state_, rate_shift(), rate_r_);
    system_.residual(state_, shift(0, 1), r);
    combine(r);
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    system_.tangent(state_, shift(1, 0), {}, other_r_, other_values_);
    if (state_rows_.has_driven) system_.tangent(state_, rate_shift(), {}, rate_r_, rate_values_);
    system_.tangent(state_, shift(0, 1), {}, r, values);
    combine(r);
    const Pattern& p = system_.pattern();
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        const int i = p.row[k];
        if (i < rows_.begin || i >= rows_.end) continue;
        const auto [s, f] = row_weights(i);
        values[k] = is_held(i) || floats(i) ? (i == j ? 1.0 : 0.0)
                    : is_driven(i)          ? rate_values_[k]
                                            : s * other_values_[k] + f * values[k];
      }
    set_proximal_diagonal(system_, options_.proximal, values, epsilon_);
    add_proximal(system_, epsilon_, values);
    if (!held_.empty()) hold(system_, held_, values);
    if (state_rows_.has_mixed)
      for (int j = 0; j < p.n; ++j)
        for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) values[k] *= scale_[j];
  }

 private:
  static Shift shift(double store, double flow) {
    return {.acceleration = 1, .store = store, .flow = flow, .constraint_accelerations = true};
  }
  static Shift rate_shift() {
    return {.acceleration = 1, .flow = 1, .store_rate = 1, .constraint_accelerations = true};
  }
  bool is_driven(int i) const { return state_rows_.kinds[i - rows_.begin] == StateRow::driven; }
  /// x is given, not s: what is stored may depend on signals that are only known once the start is solved.
  bool is_held(int i) const {
    return !options_.keep_stores && state_rows_.kinds[i - rows_.begin] == StateRow::dynamic;
  }
  /// Is the state of this row held for its group?
  bool floats(int i) const {
    return floating_.on && floating_.group_of[i] >= 0 && floating_.groups[floating_.group_of[i]][0] == i;
  }
  std::pair<double, double> row_weights(int i) const {
    const StateRow kind = state_rows_.kinds[i - rows_.begin];
    if (kind == StateRow::dynamic) return {1.0, 0.0};
    if (kind == StateRow::mixed) return {1.0, vanishing_};
    return {0.0, 1.0};
  }
  void combine(std::span<double> r) {
    if (!held_.empty())
      for (int i = 0; i < system_.rows(Kind::position).end; ++i)
        if (held_[i]) r[i] = state_.acceleration[i];
    for (int i = rows_.begin; i < rows_.end; ++i) {
      const auto [s, f] = row_weights(i);
      const int at = system_.value_of_row()[i];
      r[i] = floats(i)      ? state_.value[at] - floating_.held[floating_.group_of[i]]
             : is_held(i)   ? state_.value[at] - given_[at]
             : is_driven(i) ? rate_r_[i]
                            : s * (other_r_[i] - stored_[i]) + f * (r[i] - (s != 0 ? drift_[i] : 0.0));
    }
  }

  /// Unknowns that rows meet only through the vanishing step are measured in units in which they count, by powers of two.
  void set_scale() {
    std::fill(scale_.begin(), scale_.end(), 1.0);
    if (!state_rows_.has_mixed) return;
    const Pattern& p = system_.pattern();
    auto& [r, values, row] = scaling_;
    r.resize(p.n);
    values.resize(p.nonzeros());
    row.assign(p.n, 0.0);
    tangent(r, values);
    for (int k = 0; k < p.nonzeros(); ++k) row[p.row[k]] = std::max(row[p.row[k]], std::abs(values[k]));
    for (int j = 0; j < p.n; ++j) {
      double largest = 0;
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (row[p.row[k]] > 0) largest = std::max(largest, std::abs(values[k]) / row[p.row[k]]);
      if (largest > 0 && std::isfinite(largest)) scale_[j] = std::exp2(-std::round(std::log2(largest)));
    }
  }

  Newton newton_;
  Range rows_;
  StateRows state_rows_;
  StateRowExamination examination_{system_};
  UndeterminedPositions undetermined_;
  std::vector<char> held_;  // by row: positions whose acceleration is not determined; empty: none
  std::vector<double> other_r_, other_values_, stored_, drift_, given_;
  std::vector<double> rate_r_, rate_values_, epsilon_, accelerations_;
  struct Scaling {
    std::vector<double> r, values, row;
  } scaling_;
  struct Ahead {  // work of hidden_rates()
    State here, later[2];
    std::vector<double> stored, drift, step, rates[2];
  };
  std::unique_ptr<Ahead> ahead_;
  struct Floating {
    std::vector<std::vector<int>> groups;  // of rows
    std::vector<int> group_of, order;
    std::vector<double> held, sum, flow, total, matrix;  // by group; work
    std::vector<std::vector<double>> along;              // what follows when the state that is held changes
    std::vector<double> values, accelerations, drift;    // before
    bool on = false;
  } floating_;
  double vanishing_ = 0;
  bool hidden_ = false;
};

/// Finite numbers, and rotations of unit length.
void refuse_values(const System& system, State& state) {
  for (const Variable& v : system.variables()) {
    for (int k = 0; k < v.values; ++k)
      if (!std::isfinite(state.value[v.value + k]))
        throw ModelError("E-START", v.name, "the initial value is not a finite number", "");
    for (int k = 0; k < v.dofs && v.kind == Kind::position; ++k)
      if (!std::isfinite(state.rate[v.row + k]))
        throw ModelError("E-START", v.name, "the initial velocity is not a finite number", "");
  }
  if (!std::isfinite(state.t))
    throw ModelError("E-START", "time", "the start time is not a finite number", "");
  for (const auto& lie : system.lie_variables()) {
    double* q = &state.value[lie.place.value];
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::abs(size - 1) < 1e-6))
      throw ModelError("E-START", system.unknown_name(lie.place.row),
                       fmt::format("a rotation needs a unit quaternion, this one has length {:g}", size), "");
    for (int k = 0; k < 4; ++k) q[k] /= size;
  }
}

[[noreturn]] void refuse(const System& system, const State& state, const NewtonReport& report) {
  if (!report.loop.empty())
    throw ModelError(
        "E-LOOP", system.row_name(report.loop[0]),
        "signals that determine each other in a circle have no solution near the start, or many: " +
            loop_text(system, report.loop),
        "break the circle, or change a gain: around it something must be left over; unknowns of "
        "math.equations take a first guess as `initial`");
  if (const ModelError* e = system.fault(state); e && report.status == NewtonStatus::not_finite) throw *e;
  if (report.status == NewtonStatus::singular) {
    std::string set;
    for (const auto& w : report.worst) set += (set.empty() ? "" : ", ") + system.row_name(w.row);
    throw ModelError(
        "E-SINGULAR", report.worst.empty() ? "start" : system.row_name(report.worst[0].row),
        "accelerations, multipliers and signals are not determined; rows that depend on each other: " + set,
        "look for redundant constraints, massless motion without stiffness, or a loop of signals "
        "that determines nothing");
  }
  throw ModelError("E-START", report.worst.empty() ? "start" : system.row_name(report.worst[0].row),
                   "no consistent accelerations, multipliers and signals: " + describe(report, system),
                   report.status == NewtonStatus::not_finite
                       ? "look at the named rows for a division by zero or a root of a negative number"
                       : "start from values closer to a solution");
}

}  // namespace

StartReport make_consistent(const System& system, State& state, const StartOptions& options) {
  StartReport report;
  const State shape = system.state();
  if (state.value.size() != shape.value.size() || state.rate.size() != shape.rate.size() ||
      state.acceleration.size() != shape.acceleration.size() || state.store.size() != shape.store.size() ||
      state.memory.size() != shape.memory.size())
    throw ModelError("E-START", "state", "its size is not that of the system",
                     "take it from System::state()");
  refuse_values(system, state);
  if (options.check) check_or_project(system, state, options);
  if (options.operating_point && system.starts_steady()) find_operating_point(system, state, options);
  Start start(system, state, options);
  report.newton = start.run(start.newton().solver());
  report.hidden = start.hidden();
  if (!report.newton.ok()) refuse(system, state, report.newton);
  if (options.proximal > 0 || system.switches()) refuse_contradiction(system, state);
  return report;
}

// ------------------------------------------------------------------ JumpSolver

struct JumpSolver::Parts {
  Parts(const System& system, const StartOptions& options)
      : start(system, at, options), examining(make_solver(system.size())), rows(system.size()) {
    examining->analyze(system.pattern(), system.elimination_order());
    examining->explain(false);
  }
  State at;  // the state, while it is worked on
  Start start;
  std::unique_ptr<LinearSolver> examining;
  std::optional<ConstrainedIncrement> increment;
  std::vector<double> rows;
};

JumpSolver::JumpSolver(const System& system, StartOptions options)
    : system_(system), options_(std::move(options)) {
  options_.check = options_.project = false;
  options_.keep_stores = true;
  options_.operating_point = false;
}
JumpSolver::~JumpSolver() = default;

JumpSolver::Parts& JumpSolver::parts() {
  if (!parts_) parts_ = std::make_unique<Parts>(system_, options_);
  return *parts_;
}

StartReport JumpSolver::solve(State& state) {
  Parts& p = parts();
  struct Lent {
    State &a, &b;
    Lent(State& a, State& b) : a(a), b(b) { std::swap(a, b); }
    ~Lent() { std::swap(a, b); }
  } lent(p.at, state);
  StartReport report;
  refuse_values(system_, p.at);
  report.newton = p.start.run(*p.examining);
  report.hidden = p.start.hidden();
  if (!report.newton.ok()) refuse(system_, state, report.newton);
  if (options_.proximal > 0 || system_.switches()) refuse_contradiction(system_, p.at, p.rows);
  return report;
}

std::span<const double> JumpSolver::constrained_increment(const State& state, std::span<const double> rows) {
  Parts& p = parts();
  if (!p.increment) p.increment.emplace(system_, options_);
  return p.increment->find(state, rows);
}

long JumpSolver::pivotings() const {
  if (!parts_) return 0;
  return parts_->start.newton().pivotings() + (parts_->increment ? parts_->increment->pivotings() : 0);
}

void JumpSolver::archive(Archive& a) {
  bool used = parts_ != nullptr, increments = used && parts_->increment;
  a(used, increments);
  if (!used) return;
  Parts& p = parts();
  a(p.start);
  if (!increments) return;
  if (!p.increment) p.increment.emplace(system_, options_);
  a(*p.increment);
}

}  // namespace escapement
