#include "core/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/manifold.hpp"
#include "core/operating_point.hpp"
#include "core/signal_loop.hpp"

namespace escapement {
namespace {

/// How a state row takes part in the start.
enum class StateRow {
  dynamic,    // its store is given: store(z) = s₀
  algebraic,  // nobody stores in it: flow(z) = 0
  driven,     // its store depends on q, v, t only: d/dt store + flow = 0
  mixed       // stores that do not determine the states alone: a vanishing implicit step keeps what is stored
};

class Start final : public NewtonProblem {
 public:
  Start(const System& system, State& state, const StartOptions& options)
      : system_(system), state_(state), options_(options), newton_(system, 0, {.tolerance = 1e-12}) {
    const int n = system.size();
    weights_.assign(n, 1.0);
    scale_.assign(n, 1.0);
    other_r_.assign(n, 0.0);
    other_values_.assign(system.pattern().nonzeros(), 0.0);
    stored_.assign(n, 0.0);
    drift_.assign(n, 0.0);
    rows_ = system.rows(Kind::state);
    classify();
  }

  bool hidden() const { return hidden_; }
  NewtonReport run() {
    if (options_.keep_stores)
      std::copy(state_.store.begin(), state_.store.end(), stored_.begin() + rows_.begin);
    else system_.state_store(state_, stored_);
    given_ = state_.value;
    const std::vector<double> accelerations = state_.acceleration;
    NewtonReport report;
    // Mixed rows: each pass removes one more order of the vanishing step (T-start-4).
    double defect = INFINITY;
    int shrunk = 0;
    for (int pass = 0; pass < (has_mixed_ ? 4 : 1); ++pass) {
      newton_.invalidate();
      set_weights();
      report = newton_.solve(*this);
      if (!report.ok() && pass == 0) {
        state_.acceleration = accelerations;
        if (substitute_signals()) {
          newton_.invalidate();
          const NewtonReport again = newton_.solve(*this);
          if (again.ok() || report.status != NewtonStatus::singular) report = again;
        }
      }
      if (report.status == NewtonStatus::singular && pass == 0 &&
          mix()) {  // states hold what others determine
        state_.value = given_;
        state_.acceleration = accelerations;
        pass = -1;
        continue;
      }
      if (report.status == NewtonStatus::singular && shrunk > 0 &&
          shrunk <= most_shrunk) {  // too short to be seen
        vanishing_ *= 1e3;
        shrunk = most_shrunk + 1;
        state_.value = given_;
        state_.acceleration = accelerations;
        std::fill(drift_.begin(), drift_.end(), 0.0);
        pass = -1;
        continue;
      }
      if (report.status == NewtonStatus::singular)
        report.loop = signal_loop(system_, newton_.matrix(), report);
      if (!report.ok()) return report;
      system_.state_flow(state_, drift_);
      if (!has_mixed_) continue;
      const double left = lost_store();
      if (pass > 0 && left > 1e-9 && !(left < 0.01 * defect) && shrunk <= most_shrunk) {
        // The step is too long for something fast; or what cannot be kept (a voltage forced upon a capacitor) has changed
        // at once, and is the new start (T-start-6).
        if (++shrunk > most_shrunk) {
          system_.state_store(state_, stored_);
        } else {
          vanishing_ *= 1e-3;
          state_.value = given_;
          state_.acceleration = accelerations;
        }
        std::fill(drift_.begin(), drift_.end(), 0.0);
        pass = -1;
      }
      defect = left;
    }
    if (has_mixed_) hidden_rates();
    for (int i = rows_.begin; i < rows_.end; ++i) state_.rate[i] = -drift_[i];
    system_.state_store(state_, stored_);
    for (int i = rows_.begin; i < rows_.end; ++i) state_.store[i - rows_.begin] = stored_[i];
    return report;
  }

  static constexpr int most_shrunk = 3;
  /// The largest change of what is stored, relative to its size.
  double lost_store() {
    system_.state_store(state_, other_r_);
    double change = 0;
    for (int i = rows_.begin; i < rows_.end; ++i)
      change = std::max(change, std::abs(other_r_[i] - stored_[i]) /
                                    std::max(1e-300, std::abs(stored_[i]) + usual_[i - rows_.begin]));
    return change;
  }

  /// Where stores are tied to each other by algebraic rows, so are their rates, by the derivatives of these rows: the current
  /// that a source drives into a capacitor across it is C times the slope of its voltage. From two small implicit steps ahead,
  /// extrapolated back (T-start-7).
  void hidden_rates() {
    const State here = state_;
    const std::vector<double> stored = stored_, drift = drift_;
    const double ahead = std::max(vanishing_, 1e-12 * std::abs(here.t));
    const double vanishing = std::exchange(vanishing_, ahead);
    system_.state_store(here, stored_);
    const std::vector<double> begin = stored_;
    std::fill(drift_.begin(), drift_.end(), 0.0);
    const int positions = system_.rows(Kind::position).end;
    std::vector<double> step(system_.size(), 0.0), flow(system_.size());
    State later[2] = {here, here};
    std::vector<double> rates[2];
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
      set_weights();
      ok = newton_.solve(*this).ok();
      later[k] = state_;
      system_.state_flow(state_, flow);
      rates[k] = flow;
    }
    state_ = here;
    vanishing_ = vanishing;
    stored_ = stored;
    drift_ = drift;
    if (!ok) return;
    double size = 0, change = 0;
    for (int i = rows_.begin; i < rows_.end; ++i) {
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

  void residual(std::span<double> r) override {
    system_.residual(state_, shift(1, 0), other_r_);
    if (has_driven_) system_.residual(state_, rate_shift(), rate_r_);
    system_.residual(state_, shift(0, 1), r);
    combine(r);
  }
  void tangent(std::span<double> r, std::span<double> values) override {
    system_.tangent(state_, shift(1, 0), {}, other_r_, other_values_);
    if (has_driven_) system_.tangent(state_, rate_shift(), {}, rate_r_, rate_values_);
    system_.tangent(state_, shift(0, 1), {}, r, values);
    combine(r);
    const Pattern& p = system_.pattern();
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        const int i = p.row[k];
        if (i < rows_.begin || i >= rows_.end) continue;
        const auto [s, f] = row_weights(i);
        values[k] = is_held(i)     ? (i == j ? 1.0 : 0.0)
                    : is_driven(i) ? rate_values_[k]
                                   : s * other_values_[k] + f * values[k];
      }
    epsilon_ = proximal_diagonal(system_, options_.proximal, values);
    add_proximal(system_, epsilon_, values);
    if (has_mixed_)
      for (int j = 0; j < p.n; ++j)
        for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) values[k] *= scale_[j];
  }
  void move(std::span<const double> du, double scale) override {
    const Range p = system_.rows(Kind::position);
    const auto at = system_.value_of_row();
    for (int i = 0; i < p.end; ++i) state_.acceleration[i] += scale * scale_[i] * du[i];
    for (int i = p.end; i < system_.size(); ++i) state_.value[at[i]] += scale * scale_[i] * du[i];
  }
  std::span<const double> weights() const override { return weights_; }
  void magnitudes(std::span<double> size, std::span<double> noise) const override {
    const int positions = system_.rows(Kind::position).end;
    for (int i = 0; i < system_.size(); ++i)
      size[i] = std::abs(i < positions ? state_.acceleration[i] : state_.value[system_.value_of_row()[i]]) /
                scale_[i];
    for (int i = system_.rows(Kind::holonomic).begin; i < system_.size(); ++i) noise[i] = INFINITY;
  }

 private:
  static Shift shift(double store, double flow) {
    return {.acceleration = 1, .store = store, .flow = flow, .constraint_accelerations = true};
  }
  static Shift rate_shift() {
    return {.acceleration = 1, .flow = 1, .store_rate = 1, .constraint_accelerations = true};
  }
  bool is_driven(int i) const { return kinds_[i - rows_.begin] == StateRow::driven; }
  /// x is given, not s: what is stored may depend on signals that are only known once the start is solved.
  bool is_held(int i) const { return !options_.keep_stores && kinds_[i - rows_.begin] == StateRow::dynamic; }
  std::pair<double, double> row_weights(int i) const {
    const StateRow kind = kinds_[i - rows_.begin];
    if (kind == StateRow::dynamic) return {1.0, 0.0};
    if (kind == StateRow::mixed) return {1.0, vanishing_};
    return {0.0, 1.0};
  }
  void combine(std::span<double> r) {
    for (int i = rows_.begin; i < rows_.end; ++i) {
      const auto [s, f] = row_weights(i);
      const int at = system_.value_of_row()[i];
      r[i] = is_held(i)     ? state_.value[at] - given_[at]
             : is_driven(i) ? rate_r_[i]
                            : s * (other_r_[i] - stored_[i]) + f * (r[i] - (s != 0 ? drift_[i] : 0.0));
    }
  }

  /// Signals that are not known yet are zero, where a quotient has no value and a limiter is on the wrong side. Rows that
  /// have a value determine their signal by substitution, sweep by sweep, until nothing moves any more; in a loop that
  /// does not settle, until all rows have a value. False if that leads nowhere.
  bool substitute_signals() {
    const Range signals = system_.rows(Kind::algebraic);
    const Pattern& p = system_.pattern();
    const auto at = system_.value_of_row();
    std::vector<double> r(system_.size()), values(p.nonzeros()), usable;
    state_.value = given_;
    for (int sweep = 0; sweep < 200; ++sweep) {
      tangent(r, values);
      std::vector<char> known(system_.size(), 1);
      for (int i = 0; i < system_.size(); ++i) known[i] = std::isfinite(r[i]);
      for (int k = 0; k < p.nonzeros(); ++k) known[p.row[k]] = known[p.row[k]] && std::isfinite(values[k]);
      const bool all = std::find(known.begin(), known.end(), 0) == known.end();
      if (all && usable.empty()) usable = state_.value;
      double moved = 0;
      for (int i = signals.begin; i < signals.end; ++i) {
        const int diagonal = p.find(i, i);
        if (!known[i] || diagonal < 0 || values[diagonal] == 0) continue;
        const double increment = -r[i] / values[diagonal] * scale_[i];
        state_.value[at[i]] += increment;
        moved = std::max(moved, std::abs(increment) / (system_.nominal()[i] + std::abs(state_.value[at[i]])));
      }
      if (all && moved < 1e-9) return true;
    }
    if (!usable.empty()) state_.value = usable;
    return !usable.empty();
  }

  /// Sorts the state rows by the tangent of their stores.
  void classify() {
    kinds_.assign(rows_.size(), StateRow::algebraic);
    if (rows_.size() == 0) return;
    const Pattern& p = system_.pattern();
    std::vector<double> r(system_.size()), E(p.nonzeros()), A(p.nonzeros());
    system_.tangent(state_, shift(1, 0), {}, r, E);
    system_.tangent(state_, shift(0, 1), {}, r, A);
    // A store may happen to be flat in its state here: look at a second point too.
    std::vector<double> E2(p.nonzeros()), Q(p.nonzeros());
    State aside = state_;
    for (int i = 0; i < system_.size(); ++i)
      if (system_.value_of_row()[i] >= 0)
        aside.value[system_.value_of_row()[i]] += 0.37 * system_.nominal()[i];
    system_.tangent(aside, shift(1, 0), {}, r, E2);
    // … and along positions and velocities.
    system_.tangent(state_, {.position = 0.6, .velocity = 0.8, .store = 1, .flow = 0}, {}, r, Q);
    double fastest = INFINITY;
    usual_.assign(rows_.size(), 0.0);
    for (int j = rows_.begin; j < rows_.end; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        const int i = p.row[k];
        if (i >= rows_.begin && i < rows_.end)
          usual_[i - rows_.begin] += 1e-3 * std::abs(E[k]) * system_.nominal()[j];
        if (i < rows_.begin || i >= rows_.end || (E[k] == 0 && !(std::abs(E2[k]) > 0))) continue;
        kinds_[i - rows_.begin] = StateRow::dynamic;
        if (A[k] != 0 && E[k] != 0) fastest = std::min(fastest, std::abs(E[k] / A[k]));
      }
    for (int j = 0; j < system_.rows(Kind::position).end; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        const int i = p.row[k];
        if (i < rows_.begin || i >= rows_.end || Q[k] == 0) continue;
        if (kinds_[i - rows_.begin] == StateRow::algebraic) {
          kinds_[i - rows_.begin] = StateRow::driven;
          has_driven_ = true;
        }
      }
    if (has_driven_) {
      rate_r_.assign(system_.size(), 0.0);
      rate_values_.assign(p.nonzeros(), 0.0);
    }
    vanishing_ = std::max(1e-15, 1e-6 * (std::isfinite(fastest) ? fastest : 1.0));
    // Do the stores determine the states? Factor their tangent with unit rows for everybody else.
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        const int i = p.row[k];
        const bool inside = j >= rows_.begin && j < rows_.end && i >= rows_.begin && i < rows_.end &&
                            kinds_[i - rows_.begin] == StateRow::dynamic &&
                            kinds_[j - rows_.begin] == StateRow::dynamic;
        if (!inside) E[k] = i == j ? 1.0 : 0.0;
      }
    std::copy(E.begin(), E.end(), newton_.matrix().begin());
    if (!newton_.factor().ok) mix();
    newton_.invalidate();
  }
  /// All that is stored by the vanishing step; false: it is so already.
  bool mix() {
    const bool any = std::find(kinds_.begin(), kinds_.end(), StateRow::dynamic) != kinds_.end();
    std::replace(kinds_.begin(), kinds_.end(), StateRow::dynamic, StateRow::mixed);
    has_mixed_ = has_mixed_ || any;
    return any;
  }

  /// Unknowns that rows meet only through the vanishing step are measured in units in which they count, by powers of two.
  void set_scale() {
    std::fill(scale_.begin(), scale_.end(), 1.0);
    if (!has_mixed_) return;
    const Pattern& p = system_.pattern();
    std::vector<double> r(p.n), values(p.nonzeros()), row(p.n, 0.0);
    tangent(r, values);
    for (int k = 0; k < p.nonzeros(); ++k) row[p.row[k]] = std::max(row[p.row[k]], std::abs(values[k]));
    for (int j = 0; j < p.n; ++j) {
      double largest = 0;
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (row[p.row[k]] > 0) largest = std::max(largest, std::abs(values[k]) / row[p.row[k]]);
      if (largest > 0 && std::isfinite(largest)) scale_[j] = std::exp2(-std::round(std::log2(largest)));
    }
  }

  /// Relative to the larger of nominal and present magnitude, kind by kind (accelerations have no nominal).
  void set_weights() {
    set_scale();
    double top = 0;
    for (double a : state_.acceleration) top = std::max(top, std::abs(a));
    const auto nominal = system_.nominal();
    const auto at = system_.value_of_row();
    for (int i = 0; i < system_.size(); ++i)
      weights_[i] = i < system_.rows(Kind::position).end ? 1.0 / (nominal[i] + top)
                                                         : 1.0 / (nominal[i] + std::abs(state_.value[at[i]]));
    for (int i = 0; i < system_.size(); ++i) weights_[i] *= scale_[i];
    if (options_.proximal > 0 ||
        system_.switches())  // redundant multipliers are not determined: their forces are judged through v̇
      std::fill(weights_.begin() + system_.rows(Kind::holonomic).begin, weights_.end(), 0.0);
  }

  const System& system_;
  State& state_;
  const StartOptions& options_;
  Newton newton_;
  Range rows_;
  std::vector<StateRow> kinds_;
  std::vector<double> weights_, other_r_, other_values_, stored_, drift_, given_;
  std::vector<double> rate_r_, rate_values_, epsilon_;
  std::vector<double> scale_;  // of the unknowns
  std::vector<double> usual_;  // a thousandth of what rows store at nominal values
  double vanishing_ = 0;
  bool has_mixed_ = false, has_driven_ = false, hidden_ = false;
};

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

/// Solves [M Φᵀ; Φ 0] for the increment that removes the violations in `r` (rows of constraints only).
class Projector {
 public:
  Projector(const System& system, const StartOptions& options)
      : system_(system),
        proximal_(options.proximal),
        newton_(system, 0, {}),
        r_(system.size()),
        du_(system.size()) {}

  /// Where masses are very different, what is regularised gives way slowly: less of it.
  void tighten() { proximal_ = std::max(1e-2 * proximal_, 1e-13); }

  void factor(const State& state, std::span<const char> kept = {}) {
    system_.tangent(state, {.acceleration = 1, .store = 1, .flow = 0, .constraint_accelerations = true}, {},
                    r_, newton_.matrix());
    add_proximal(system_, proximal_diagonal(system_, proximal_, newton_.matrix()), newton_.matrix());
    // States, signals and what is kept stay.
    std::vector<char> still(system_.size(), 0);
    std::copy(kept.begin(), kept.end(), still.begin());
    std::fill(still.begin() + system_.rows(Kind::state).begin,
              still.begin() + system_.rows(Kind::algebraic).end, 1);
    hold(system_, still, newton_.matrix());
    const auto f = newton_.factor();
    if (!f.ok) {
      const auto& rows = f.singular_rows.empty() ? f.singular_columns : f.singular_rows;
      throw ModelError(
          "E-SINGULAR", rows.empty() ? "constraints" : system_.row_name(rows[0]),
          "the constraints cannot be projected onto: they depend on each other or on massless motion",
          "remove the redundant constraint, or allow redundant constraints");
    }
  }
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

 private:
  const System& system_;
  double proximal_;
  Newton newton_;
  std::vector<double> r_, du_;
};

/// Φ(q, t) = 0: checked, or reached by moving q.
void settle_positions(const System& system, State& state, Projector* projector, const StartOptions& options) {
  std::vector<double> r(system.size());
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

/// With regularised multipliers Newton may settle although some constraints cannot hold: look at them.
void refuse_contradiction(const System& system, const State& state) {
  std::vector<double> r(system.size());
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

}  // namespace

std::vector<double> constrained_increment(const System& system, const State& state,
                                          std::span<const double> rows, const StartOptions& options) {
  Projector projector(system, options);
  projector.factor(state);
  const auto du = projector.solve(rows);
  return {du.begin(), du.end()};
}

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
  if (proximal == 0 && !system.switches()) return {};
  const Pattern& p = system.pattern();
  std::vector<double> epsilon(system.size(), 0.0);  // Σ_j Φ_ij² / S_jj
  for (int j = 0; j < system.rows(Kind::position).end; ++j) {
    const double inertia = std::abs(values[p.find(j, j)]);
    if (!(inertia > 0)) continue;
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      epsilon[p.row[k]] += values[k] * values[k] / inertia;
  }
  for (int i = 0; i < system.size(); ++i)
    epsilon[i] =
        (system.switches(i) ? std::max(proximal, 1e-9) : proximal) * (epsilon[i] > 0 ? epsilon[i] : 1.0);
  return epsilon;
}

void hold(const System& system, std::span<const char> rows, std::span<double> values) {
  const Pattern& p = system.pattern();
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (rows[p.row[k]] || rows[j]) values[k] = p.row[k] == j ? 1.0 : 0.0;
}

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

StartReport make_consistent(const System& system, State& state, const StartOptions& options) {
  StartReport report;
  const State shape = system.state();
  if (state.value.size() != shape.value.size() || state.rate.size() != shape.rate.size() ||
      state.acceleration.size() != shape.acceleration.size() || state.store.size() != shape.store.size() ||
      state.memory.size() != shape.memory.size())
    throw ModelError("E-START", "state", "its size is not that of the system",
                     "take it from System::state()");
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
  if (options.check) check_or_project(system, state, options);
  if (options.operating_point && system.has_steady()) find_operating_point(system, state, options);
  Start start(system, state, options);
  report.newton = start.run();
  report.hidden = start.hidden();
  if (report.newton.ok()) {
    if (options.proximal > 0 || system.switches()) refuse_contradiction(system, state);
    return report;
  }
  if (!report.newton.loop.empty())
    throw ModelError(
        "E-LOOP", system.row_name(report.newton.loop[0]),
        "signals that determine each other in a circle have no solution near the start, or many: " +
            loop_text(system, report.newton.loop),
        "break the circle, or change a gain: around it something must be left over; unknowns of "
        "math.equations take a first guess as `initial`");
  if (const ModelError* e = system.fault(); e && report.newton.status == NewtonStatus::not_finite) throw *e;
  if (report.newton.status == NewtonStatus::singular) {
    std::string set;
    for (const auto& w : report.newton.worst) set += (set.empty() ? "" : ", ") + system.row_name(w.row);
    throw ModelError(
        "E-SINGULAR", report.newton.worst.empty() ? "start" : system.row_name(report.newton.worst[0].row),
        "accelerations, multipliers and signals are not determined; rows that depend on each other: " + set,
        "look for redundant constraints, massless motion without stiffness, or a loop of signals "
        "that determines nothing");
  }
  throw ModelError("E-START",
                   report.newton.worst.empty() ? "start" : system.row_name(report.newton.worst[0].row),
                   "no consistent accelerations, multipliers and signals: " + describe(report.newton, system),
                   report.newton.status == NewtonStatus::not_finite
                       ? "look at the named rows for a division by zero or a root of a negative number"
                       : "start from values closer to a solution");
}

}  // namespace escapement
