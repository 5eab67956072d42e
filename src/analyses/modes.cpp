#include "analyses/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <random>

#include "core/manifold.hpp"
#include "core/newton.hpp"
#include "core/start.hpp"
#include "sparse/eigenvalues.hpp"

namespace escapement {
namespace {

using Complex = std::complex<double>;

constexpr double farthest = 1e-7;  // |θ| over the largest one, below which an eigenvalue is taken as infinite
constexpr double nothing =
    1e-3;  // |s| over the shift, below which it looks like zero (Jordan blocks: √ε, ∛ε)
constexpr double good_residual = 1e-6;  // of a mode that is reported
constexpr int dense_limit_of_modes = 240;

/// Entries (row, column, value) of a matrix.
struct Entries {
  std::vector<int> row, column;
  std::vector<double> value;
  void add(int i, int j, double x) {
    if (x == 0) return;
    row.push_back(i), column.push_back(j), value.push_back(x);
  }
  /// y += factor · A x.
  void multiply(std::span<const double> x, std::span<double> y, double factor = 1) const {
    for (std::size_t k = 0; k < value.size(); ++k) y[row[k]] += factor * value[k] * x[column[k]];
  }
};

Vector3 at(std::span<const double> x, int i) { return {{x[i], x[i + 1], x[i + 2]}}; }
void put(std::span<double> x, int i, const Vector3& a) {
  for (int k = 0; k < 3; ++k) x[i + k] = a[k];
}

/// Who sees the motion: what moves with this twist in space stands still for him. Parts that turn otherwise are described in
/// axes that do not turn with them (T-modes-2).
struct Observer {
  Vector3 linear{}, angular{};  // world axes; the linear part is that of the point at the origin

  /// His twist in the axes of every frame: u.
  std::vector<double> in_frames(const System& system, const State& state) const {
    std::vector<double> u(system.rows(Kind::position).end, 0.0);
    for (const LieVariable& v : system.lie_variables()) {
      const auto back = rotation(state, v).inverse();
      const int row = v.place.row, angular_row = row + v.dofs() - 3;
      put(u, angular_row, back * angular);
      if (v.dofs() == 6) put(u, row, back * (linear + cross(angular, at(state.value, v.place.value + 4))));
    }
    return u;
  }
  /// One who moves with this frame.
  static Observer with(const State& state, const LieVariable& v) {
    const auto R = rotation(state, v);
    const int row = v.place.row;
    Observer o;
    o.angular = R * at(state.rate, row + v.dofs() - 3);
    if (v.dofs() == 6)
      o.linear = R * at(state.rate, row) - cross(o.angular, at(state.value, v.place.value + 4));
    return o;
  }
  static Rotation<double> rotation(const State& state, const LieVariable& v) {
    return {state.value[v.place.value], at(state.value, v.place.value + 1)};
  }
};

/// An eigenproblem T u = θ u in scaled coordinates u, whose eigenvalues of largest magnitude are the modes nearest to a shift.
class Problem {
 public:
  explicit Problem(const System& system) : system_(system), positions_(system.rows(Kind::position).end) {}
  virtual ~Problem() = default;
  virtual int size() const = 0;
  virtual void apply(std::span<const double> u, std::span<double> Tu) = 0;
  /// Rows that every mode is orthogonal to, one after the other: constraints, hidden ones included.
  virtual std::vector<double> constraints() const = 0;
  virtual std::vector<EigenPair> search(int count, std::span<const double> start) = 0;
  virtual Complex rate(Complex theta) const = 0;
  /// Of what apply() was last given: increments of all unknowns by row.
  virtual void shape(std::span<double> z) const = 0;

  /// A row on which the factorisation failed; -1: it did not.
  int singular() const { return singular_; }

 protected:
  std::vector<double> tangent(const State& state, const Shift& shift) const {
    std::vector<double> r(system_.size()), values(system_.pattern().nonzeros());
    system_.tangent(state, shift, {}, r, values);
    return values;
  }
  template <class F>
  void each_entry(const std::vector<double>& values, F f) const {
    const Pattern& p = system_.pattern();
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (values[k] != 0) f(p.row[k], j, values[k]);
  }
  /// False: singular, which a larger shift may mend.
  bool factor(Newton& newton, double proximal) {
    add_proximal(system_, proximal_diagonal(system_, proximal, newton.matrix()), newton.matrix());
    for (double x : newton.matrix())
      if (!std::isfinite(x))
        throw ModelError("E-MODES", "", "a derivative of the equations is not a finite number here",
                         "another configuration: --at");
    const Factorization f = newton.factor();
    const auto& rows = f.singular_rows.empty() ? f.singular_columns : f.singular_rows;
    if (!f.ok) singular_ = rows.empty() ? 0 : rows[0];
    return f.ok;
  }
  const System& system_;
  int positions_;
  int singular_ = -1;
};

/// B ż + A z = 0 with z = (δ, w, x): increments of positions, of their rates, and of what has a store (T-modes-3).
class General final : public Problem {
 public:
  General(const System& system, const State& state, const Observer& observer, double sigma, double proximal)
      : Problem(system), sigma_(sigma), newton_(system, 0, {}), kinematic_(positions_), z_(system.size()) {
    const int n = system.size();
    const std::vector<double> u = observer.in_frames(system, state);
    if (std::any_of(u.begin(), u.end(), [](double x) { return x != 0; })) {
      turning_operators(system, u, 1 / sigma, operators_);
      turns_ = brackets(u);
    }
    std::vector<double> r(n);
    system.tangent(state,
                   {.position = 1 / sigma,
                    .velocity = 1,
                    .acceleration = sigma,
                    .store = sigma,
                    .flow = 1,
                    .holonomic_scale = sigma},
                   operators_, r, newton_.matrix());
    const std::vector<double> mass = tangent(state, Shift::mass());
    add_own_turns(state, u, mass);
    if (!factor(newton_, proximal)) return;
    const Range states = system.rows(Kind::state);
    const auto is_state = [&](int row) { return row >= states.begin && row < states.end; };
    std::vector<int> place(n, -1);
    if (states.size() > 0) {
      each_entry(tangent(state, {.store = 1, .flow = 0}), [&](int i, int j, double) {
        if (is_state(i) && j >= positions_ && place[j] < 0) {
          place[j] = 2 * positions_ + static_cast<int>(stored_.size());
          stored_.push_back(j);
        }
      });
      each_entry(tangent(state, {.position = 1, .store = 1, .flow = 0}), [&](int i, int j, double x) {
        if (is_state(i)) B_.add(i, j < positions_ ? j : place[j], x);
        if (is_state(i) && j < positions_) slope_.add(i, j, sigma_ * x);
      });
      each_entry(tangent(state, {.velocity = 1, .store = 1, .flow = 0}), [&](int i, int j, double x) {
        if (is_state(i) && j < positions_) B_.add(i, positions_ + j, x);
      });
    }
    each_entry(mass, [&](int i, int j, double x) {
      if (!is_state(i) && j < positions_) B_.add(i, positions_ + j, x);
    });
    each_entry(tangent(state, Shift::stiffness()), [&](int i, int j, double x) {
      if (j < positions_) slope_.add(i, j, x);
    });
    const Range slips = system.rows(Kind::nonholonomic);
    if (slips.size() > 0)
      each_entry(tangent(state, Shift::damping()), [&](int i, int j, double x) {
        if (i >= slips.begin && j < positions_) slip_.add(i, j, x);
      });
    scale_.resize(size());
    for (int i = 0; i < positions_; ++i) {
      scale_[i] = system.nominal()[i];
      scale_[positions_ + i] = sigma * system.nominal()[i];
    }
    for (std::size_t k = 0; k < stored_.size(); ++k)
      scale_[2 * positions_ + k] = system.nominal()[stored_[k]];
    x_.resize(size());
  }

  int size() const override { return 2 * positions_ + static_cast<int>(stored_.size()); }

  /// (A + σB) z = B x, with δ = (σ + ad)⁻¹ (w + x_δ) eliminated (T-modes-4).
  void apply(std::span<const double> u, std::span<double> Tu) override {
    for (int i = 0; i < size(); ++i) x_[i] = scale_[i] * u[i];
    std::copy_n(x_.begin(), positions_, kinematic_.begin());
    to_positions(kinematic_);
    std::fill(z_.begin(), z_.end(), 0.0);
    B_.multiply(x_, z_);
    slope_.multiply(kinematic_, z_, -1);
    const Range holonomic = system_.rows(Kind::holonomic);
    for (int i = holonomic.begin; i < holonomic.end; ++i) z_[i] *= sigma_;
    newton_.solver().solve(z_);
    for (int i = 0; i < positions_; ++i) {
      Tu[positions_ + i] = z_[i] / scale_[positions_ + i];
      kinematic_[i] = z_[i] + x_[i];
    }
    to_positions(kinematic_);
    for (int i = 0; i < positions_; ++i) Tu[i] = kinematic_[i] / scale_[i];
    for (std::size_t k = 0; k < stored_.size(); ++k)
      Tu[2 * positions_ + k] = z_[stored_[k]] / scale_[2 * positions_ + k];
  }
  void shape(std::span<double> z) const override {
    std::copy(z_.begin(), z_.end(), z.begin());
    std::copy(kinematic_.begin(), kinematic_.end(), z.begin());
  }

  /// Φ_q δ = 0, Φ_q (w − ad δ) = 0, k_q δ + k_v w = 0.
  std::vector<double> constraints() const override {
    const Range holonomic = system_.rows(Kind::holonomic), slips = system_.rows(Kind::nonholonomic);
    const std::size_t n = size();
    std::vector<double> rows((2 * holonomic.size() + slips.size()) * n, 0.0);
    for (std::size_t k = 0; k < slope_.value.size(); ++k) {
      const int i = slope_.row[k], j = slope_.column[k];
      if (i < holonomic.begin || i >= slips.end) continue;
      const bool slip = i >= slips.begin;
      const std::size_t at = slip ? holonomic.size() + i - holonomic.begin : i - holonomic.begin;
      rows[at * n + j] += slope_.value[k];
      if (!slip) rows[(holonomic.size() + at) * n + positions_ + j] += slope_.value[k];
    }
    for (std::size_t k = 0; k < slip_.value.size(); ++k)
      rows[(holonomic.size() + slip_.row[k] - holonomic.begin) * n + positions_ + slip_.column[k]] +=
          slip_.value[k];
    for (int i = 0; i < holonomic.size(); ++i) {  // −Φ_q ad(v₀), from Φ_q beside it
      std::span<double> row(&rows[(holonomic.size() + i) * n], n);
      for (const auto& [variable, ad] : turns_)
        for (int b = 0; b < variable.dofs(); ++b)
          for (int a = 0; a < variable.dofs(); ++a)
            row[variable.place.row + b] -=
                row[positions_ + variable.place.row + a] * ad[a * variable.dofs() + b];
    }
    for (std::size_t r = 0; r * n < rows.size(); ++r)
      for (std::size_t j = 0; j < n; ++j) rows[r * n + j] *= scale_[j];
    return rows;
  }
  std::vector<EigenPair> search(int count, std::span<const double> start) override {
    return largest_eigenpairs([this](auto u, auto Tu) { apply(u, Tu); }, count, start);
  }
  Complex rate(Complex theta) const override { return sigma_ - 1.0 / theta; }
  std::span<const double> scale() const { return scale_; }

 private:
  /// x := (σ + ad)⁻¹ x.
  void to_positions(std::span<double> x) const {
    if (!operators_.empty()) apply_operators(system_, operators_, x);
    for (double& value : x) value /= sigma_;
  }
  using Brackets = std::vector<std::pair<LieVariable, std::vector<double>>>;
  /// ad(u) of the variables on groups.
  Brackets brackets(std::span<const double> u) const {
    Brackets list;
    for (const LieVariable& variable : system_.lie_variables())
      list.emplace_back(variable, std::vector<double>(variable.dofs() * variable.dofs()));
    std::vector<double> unit(system_.size()), b(system_.size());
    for (int j = 0; j < 6; ++j) {  // column j of all of them
      std::fill(unit.begin(), unit.end(), 0.0);
      for (const auto& [variable, ad] : list)
        if (j < variable.dofs()) unit[variable.place.row + j] = 1;
      lie_bracket(system_, u, unit, b);
      for (auto& [variable, ad] : list)
        for (int i = 0; i < variable.dofs() && j < variable.dofs(); ++i)
          ad[i * variable.dofs() + j] = b[variable.place.row + i];
    }
    return list;
  }
  /// What does not move with the observer, by a = v₀ − u, is described in axes of his: ẇ = (s − ad(a)) w.
  void add_own_turns(const State& state, std::span<const double> u, const std::vector<double>& mass) {
    std::vector<double> a(positions_);
    double most = 0, all = 0;
    for (const LieVariable& v : system_.lie_variables())
      for (int i = v.place.row; i < v.place.row + v.dofs(); ++i) {
        a[i] = state.rate[i] - u[i];
        most = std::max(most, std::abs(a[i]));
        all = std::max(all, std::abs(state.rate[i]));
      }
    if (!(most > 1e-12 * all)) return;
    const Pattern& p = system_.pattern();
    for (const auto& [variable, ad] : brackets(a)) {
      const int first = variable.place.row, n = variable.dofs();
      for (int k = 0; k < n; ++k)
        for (int e = p.column_begin[first + k]; e < p.column_begin[first + k + 1]; ++e)
          for (int j = 0; j < n && mass[e] != 0; ++j)
            if (const double x = mass[e] * ad[k * n + j]; x != 0) {
              const int at = p.find(p.row[e], first + j);
              if (at < 0)
                throw ModelError("E-MODES", system_.row_name(p.row[e]),
                                 "the spin of this part cannot be taken into account", "");
              newton_.matrix()[at] -= x;
            }
    }
  }

  double sigma_;
  Newton newton_;
  std::vector<double> operators_;
  Brackets turns_;            // ad(u), unless the observer stands still
  std::vector<int> stored_;   // unknowns beside positions that B sees
  Entries B_, slope_, slip_;  // slope: A + σB along δ; slip: k_v
  std::vector<double> scale_, x_, kinematic_, z_;
};

/// Chooses the observer for whom the coefficients do not change while the motion goes on: a while later the operator does the same.
class Observation {
 public:
  Observation(const System& system, const State& state, double proximal)
      : system_(system), state_(state), proximal_(proximal) {
    for (const LieVariable& v : system.lie_variables()) {
      turning_ = std::max(turning_, norm(at(state.rate, v.place.row + v.dofs() - 3)));
      if (v.dofs() == 6) speed_ = std::max(speed_, norm(at(state.rate, v.place.row)));
    }
    if (turning_ == 0 && speed_ == 0) return;
    change_ = std::numeric_limits<double>::infinity();
    time_ = turning_ > 0 ? 0.5 / turning_ : 0.1 / speed_;
    std::vector<Observer> candidates = {{}};
    for (const LieVariable& v : system.lie_variables()) {
      const Observer o = Observer::with(state, v);
      const auto same = [&](const Observer& c) {
        return norm(c.angular - o.angular) <= 1e-9 * turning_ &&
               norm(c.linear - o.linear) <= 1e-9 * (speed_ + turning_);
      };
      if (candidates.size() < 20 && std::none_of(candidates.begin(), candidates.end(), same))
        candidates.push_back(o);
    }
    for (const Observer& o : candidates) {
      const double c = change(o);
      if (c < 0.5 * change_) change_ = c, best_ = o;
      if (c < steady) break;
    }
  }
  const Observer& best() const { return best_; }
  /// Do coefficients change for everyone?
  bool unsteady() const { return change_ > steady; }
  /// Are accelerations those of a steady motion, v̇ = −[a, v], but for rounding of the stiffest forces?
  bool balanced() const {
    const Pattern& p = system_.pattern();
    const int positions = system_.rows(Kind::position).end;
    std::vector<double> r(system_.size()), K(p.nonzeros()), M(p.nonzeros()), a(positions), b(positions);
    system_.tangent(state_, Shift::stiffness(), {}, r, K);
    system_.tangent(state_, Shift::mass(), {}, r, M);
    const std::vector<double> u = best_.in_frames(system_, state_);
    for (int i = 0; i < positions; ++i) a[i] = state_.rate[i] - u[i];
    lie_bracket(system_, a, state_.rate, b);
    double top = 0, least = 1e-6;
    for (int i = 0; i < positions; ++i) {
      const int diagonal = p.find(i, i);
      top = std::max(top, std::abs(state_.acceleration[i] + b[i]) / system_.nominal()[i]);
      least = std::max(least, 1e-9 * std::abs(b[i]) / system_.nominal()[i]);
      if (M[diagonal] != 0) least = std::max(least, 1e-11 * std::abs(K[diagonal] / M[diagonal]));
    }
    return top <= least;
  }

 private:
  static constexpr double steady = 1e-5;

  /// Half a radian, or a tenth of a metre, later, with the accelerations and multipliers that there are then: frames move as
  /// exp(W t) H exp(a t).
  bool go_on(const Observer& o, State& later) const {
    later = state_;
    const std::vector<double> u = o.in_frames(system_, state_);
    for (int i = 0; i < system_.rows(Kind::position).end; ++i)
      if (const int value = system_.value_of_row()[i]; value >= 0)
        later.value[value] += time_ * state_.rate[i];
    const Frame<double> seen{exp_so3(time_ * o.angular),
                             left_tangent_so3(time_ * o.angular) * (time_ * o.linear)};
    for (const LieVariable& v : system_.lie_variables()) {
      const bool frame = v.dofs() == 6;
      const Frame<double> now{Observer::rotation(state_, v),
                              frame ? at(state_.value, v.place.value + 4) : Vector3{}};
      const Frame<double> moved = seen * now * own_turn(u, v, time_);
      const Rotation<double> R = normalised(moved.R);
      later.value[v.place.value] = R.w;
      put(later.value, v.place.value + 1, R.u);
      if (frame) put(later.value, v.place.value + 4, moved.x);
      turn(own_turn(u, v, -time_), v, 0, later.rate);
    }
    StartOptions options;
    options.check = options.operating_point = false;
    options.proximal = proximal_;
    try {
      make_consistent(system_, later, options);
    } catch (const ModelError&) {
      return false;
    }
    return true;
  }
  /// exp(a t), a = v − u.
  Frame<double> own_turn(std::span<const double> u, const LieVariable& v, double t) const {
    const int row = v.place.row, angular = row + v.dofs() - 3;
    const Vector3 w = t * (at(state_.rate, angular) - at(u, angular));
    const Vector3 l = v.dofs() == 6 ? t * (at(state_.rate, row) - at(u, row)) : Vector3{};
    return {exp_so3(w), left_tangent_so3(w) * l};
  }
  /// Ad of this on the part of x, which begins at `first`, that belongs to the variable.
  static void turn(const Frame<double>& by, const LieVariable& v, int first, std::span<double> x) {
    const int row = first + v.place.row, angular = row + v.dofs() - 3;
    const Vector3 turned = by.R * at(x, angular);
    put(x, angular, turned);
    if (v.dofs() == 6) put(x, row, by.R * at(x, row) + cross(by.x, turned));
  }
  double change(const Observer& o) const {
    State later;
    if (!go_on(o, later)) return 1;
    const double sigma = std::max({turning_, speed_, 1.0});
    General now(system_, state_, o, sigma, proximal_), then(system_, later, o, sigma, proximal_);
    if (now.singular() >= 0 || then.singular() >= 0 || now.size() != then.size()) return 1;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const std::size_t n = now.size();
    std::vector<double> x(n), a(n), b(n);
    for (double& e : x) e = uniform(random);
    for (int k = 0; k < 2; ++k) {  // onto the constraints
      now.apply(x, a);
      x = a;
    }
    now.apply(x, a);
    turn(o, now, a);
    turn(o, now, x);
    then.apply(x, b);
    double size = 0, difference = 0;
    for (std::size_t i = 0; i < n; ++i) {
      size = std::max(size, std::abs(a[i]));
      difference = std::max(difference, std::abs(a[i] - b[i]));
    }
    return size > 0 ? difference / size : 0;
  }
  /// From the axes of the description, in which frames have turned by exp(a t), to those of the frames: Ad(exp(−a t)).
  void turn(const Observer& o, const General& problem, std::span<double> x) const {
    const std::vector<double> u = o.in_frames(system_, state_);
    const auto scale = problem.scale();
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale[i];
    for (const LieVariable& v : system_.lie_variables())
      for (const int first : {0, system_.rows(Kind::position).end})  // δ and w
        turn(own_turn(u, v, -time_), v, first, x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] /= scale[i];
  }

  const System& system_;
  const State& state_;
  double proximal_;
  double turning_ = 0, speed_ = 0, time_ = 0, change_ = 0;
  Observer best_;
};

/// K φ = ω² M φ on the constraints, signals eliminated, states held (T-modes-5).
class Undamped final : public Problem {
 public:
  Undamped(const System& system, const State& state, double sigma, double proximal)
      : Problem(system), sigma_(sigma), newton_(system, 0, {}), z_(system.size()) {
    std::vector<double> r(system.size());
    system.tangent(state, {.position = 1, .acceleration = sigma * sigma}, {}, r, newton_.matrix());
    std::vector<char> held(system.size(), 0);
    const Range states = system.rows(Kind::state);
    std::fill(held.begin() + states.begin, held.begin() + states.end, 1);
    hold(system, held, newton_.matrix());
    if (!factor(newton_, proximal)) return;
    const Range holonomic = system.rows(Kind::holonomic);
    each_entry(tangent(state, Shift::mass()), [&](int i, int j, double x) {
      if (i < positions_ && j < positions_) M_.add(i, j, x);
    });
    each_entry(tangent(state, Shift::stiffness()), [&](int i, int j, double x) {
      if (i >= holonomic.begin && i < holonomic.end && j < positions_) G_.add(i - holonomic.begin, j, x);
    });
  }

  int size() const override { return positions_; }
  void apply(std::span<const double> u, std::span<double> Tu) override {
    std::vector<double> Mu(positions_);
    multiply_mass(u, Mu);
    solve(Mu, Tu);
  }
  void shape(std::span<double> z) const override { std::copy(z_.begin(), z_.end(), z.begin()); }
  std::vector<double> constraints() const override {
    std::vector<double> rows(static_cast<std::size_t>(system_.rows(Kind::holonomic).size()) * positions_,
                             0.0);
    for (std::size_t k = 0; k < G_.value.size(); ++k)
      rows[static_cast<std::size_t>(G_.row[k]) * positions_ + G_.column[k]] += G_.value[k];
    return rows;
  }
  std::vector<EigenPair> search(int count, std::span<const double> start) override {
    return largest_symmetric_eigenpairs([this](auto x, auto y) { solve(x, y); },
                                        [this](auto x, auto y) { multiply_mass(x, y); }, count, start);
  }
  Complex rate(Complex theta) const override {
    const double square = (1.0 / theta).real() - sigma_ * sigma_;  // ω²
    return square < 0 ? Complex(std::sqrt(-square), 0) : Complex(0, std::sqrt(square));
  }
  /// Forces that follow what they push, and controllers, make K unsymmetric: then there is no such problem.
  bool self_adjoint(double rounding) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> x(positions_), y(positions_), Tx(positions_), Ty(positions_);
    const auto randomise = [&](std::vector<double>& a, std::vector<double>& Ta) {
      for (int i = 0; i < positions_; ++i) Ta[i] = uniform(random) * system_.nominal()[i];
      apply(Ta, a);  // onto the constraints
      apply(a, Ta);
    };
    randomise(x, Tx);
    randomise(y, Ty);
    std::vector<double> Mx(positions_), My(positions_);
    multiply_mass(x, Mx);
    multiply_mass(y, My);
    double xTy = 0, yTx = 0, size = 0;
    for (int i = 0; i < positions_; ++i) {
      xTy += Mx[i] * Ty[i];
      yTx += My[i] * Tx[i];
      size += std::abs(Mx[i] * Ty[i]) + std::abs(My[i] * Tx[i]);
    }
    return std::abs(xTy - yTx) <= (1e-6 + rounding) * size;
  }

 private:
  void multiply_mass(std::span<const double> x, std::span<double> y) const {
    std::fill(y.begin(), y.end(), 0.0);
    M_.multiply(x, y);
  }
  void solve(std::span<const double> x, std::span<double> y) {
    std::fill(z_.begin(), z_.end(), 0.0);
    std::copy(x.begin(), x.end(), z_.begin());
    newton_.solver().solve(z_);
    std::copy_n(z_.begin(), positions_, y.begin());
  }
  double sigma_;
  Newton newton_;
  Entries M_, G_;
  std::vector<double> z_;
};

/// All eigenpairs, in the space that the constraints leave.
std::vector<EigenPair> all_of(Problem& problem) {
  const int n = problem.size();
  const std::vector<double> basis = null_space(problem.constraints(), n);
  const int d = static_cast<int>(basis.size()) / std::max(1, n);
  std::vector<double> Tu(n), matrix(static_cast<std::size_t>(d) * d);
  const auto vector = [&](int k) { return std::span(basis).subspan(static_cast<std::size_t>(k) * n, n); };
  for (int j = 0; j < d; ++j) {
    problem.apply(vector(j), Tu);
    for (int i = 0; i < d; ++i) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += vector(i)[k] * Tu[k];
      matrix[static_cast<std::size_t>(j) * d + i] = sum;
    }
  }
  std::vector<EigenPair> pairs = all_eigenpairs(matrix);
  for (EigenPair& pair : pairs) {
    std::vector<Complex> u(n, 0.0);
    for (int i = 0; i < d; ++i)
      for (int k = 0; k < n; ++k) u[k] += pair.vector[i] * vector(i)[k];
    pair.vector = std::move(u);
  }
  return pairs;
}

std::vector<EigenPair> some_of(Problem& problem, int count) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> start(problem.size()), purified(problem.size());
  for (double& x : start) x = uniform(random);
  for (int twice = 0; twice < 2; ++twice) {  // off what is infinite
    problem.apply(start, purified);
    double size = 0;
    for (double x : purified) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = size > 0 ? purified[i] / size : 0;
  }
  return problem.search(count, start);
}

class Finder {
 public:
  Finder(const System& system, const State& state, const ModesOptions& options)
      : system_(system), state_(state), options_(options), observation_(system, state, options.proximal) {}

  ModesResult run() {
    const int positions = system_.rows(Kind::position).end;
    const int size = options_.undamped ? positions : 2 * positions + system_.rows(Kind::state).size();
    all_ = options_.method == ModesOptions::Method::all ||
           (options_.method == ModesOptions::Method::automatic && size <= dense_limit_of_modes);
    // Of what drifts, two eigenvalues make one mode: some more are asked for, and more again if they were too few.
    for (int count = options_.count + 4;; count *= 2) {
      find(count);
      if (all_ || looked_at_ < count || enough()) break;
    }
    ModesResult result;
    for (Mode& mode : modes_) {
      if (options_.below > 0 ? mode.natural() > options_.below
                             : static_cast<int>(result.modes.size()) == options_.count)
        break;
      result.modes.push_back(std::move(mode));
    }
    if (!observation_.balanced())
      result.notes.push_back(
          "forces are out of balance in this configuration: the modes are those of the equations as they are "
          "at this instant (--at equilibrium, or --at steady, finds a balance first)");
    else if (observation_.unsteady())
      result.warnings.push_back(
          "parts move against each other: the coefficients of the linearised equations change while the "
          "motion goes on, and these are the modes of one instant only");
    if (refused_ > 0)
      result.warnings.push_back(fmt::format(
          "{} mode{} left out: {} equations do not hold to {:g}, they are badly conditioned", refused_,
          refused_ == 1 ? " is" : "s are", refused_ == 1 ? "its" : "their", good_residual));
    return result;
  }

 private:
  bool enough() const {
    if (options_.below > 0) return !modes_.empty() && modes_.back().natural() > options_.below;
    return static_cast<int>(modes_.size()) >= options_.count;
  }
  /// With a shift that suits them: a third of the slowest. What looks like zero from there is looked at with smaller shifts,
  /// as far down as rounding lets them see.
  void find(int count) {
    if (sigma_ == 0) look_at_rows();
    int probes = 0;
    for (int round = 0;; ++round) {
      auto problem = make();
      const Found found = judge(*problem, count);
      const double better = std::max(10 * noise_, std::isfinite(found.slowest) ? found.slowest / 3
                                                  : found.poor                 ? 100 * sigma_
                                                                               : sigma_);
      if (round < 8 && !(better > 0.1 * sigma_ && better < 10 * sigma_)) {
        sigma_ = better;
        continue;
      }
      const double here = sigma_;
      double slower = std::numeric_limits<double>::infinity();
      while (found.zeros > 0 && probes < (all_ ? 6 : 2) && sigma_ > 20 * noise_ && !std::isfinite(slower)) {
        sigma_ = std::max(10 * noise_, nothing * sigma_);
        ++probes;
        if (const Found below = judge(*make(), count); below.slowest < 0.3 * found.slowest)
          slower = below.slowest;
      }
      if (std::isfinite(slower)) {
        sigma_ = std::max(10 * noise_, slower / 3);
        continue;
      }
      sigma_ = here;
      looked_at_ = found.number;
      make_modes(*problem, found);
      return;
    }
  }
  struct Found {
    std::vector<EigenPair> pairs;
    std::vector<char> is_zero;
    double slowest = std::numeric_limits<double>::infinity();  // |s| of those that are not zero
    int zeros = 0, number = 0;
    bool poor = false;  // some could not be told from this shift
  };
  std::vector<EigenPair> look(Problem& problem, int count) const {
    return all_ ? all_of(problem) : some_of(problem, count);
  }
  /// Which of them are zero? What rounding makes of zeros changes with the shift; a mode does not.
  Found judge(Problem& problem, int count) {
    Found found;
    found.pairs = look(problem, count);
    found.number = static_cast<int>(found.pairs.size());
    double top = 0;
    for (const EigenPair& p : found.pairs) top = std::max(top, std::abs(p.value));
    std::erase_if(found.pairs, [&](const EigenPair& p) { return !(std::abs(p.value) > farthest * top); });
    std::vector<double> sizes, again;
    for (const EigenPair& p : found.pairs) sizes.push_back(std::abs(problem.rate(p.value)));
    if (std::any_of(sizes.begin(), sizes.end(), [&](double s) { return s > zero() && s < 0.1 * sigma_; })) {
      const double here = std::exchange(sigma_, 3 * sigma_);
      auto other = make();
      for (const EigenPair& p : look(*other, count)) again.push_back(std::abs(other->rate(p.value)));
      sigma_ = here;
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double s = sizes[i];
      const auto same = [&](double t) { return std::abs(s - t) < 1e-2 * s; };
      const bool zero_here =
          s <= zero() || (s < 0.1 * sigma_ && std::none_of(again.begin(), again.end(), same));
      found.is_zero.push_back(zero_here);
      found.zeros += zero_here;
      if (zero_here || !(s < found.slowest)) continue;
      if (residual_of(problem, found.pairs[i]) <= good_residual) found.slowest = s;
      else found.poor = true;
    }
    return found;
  }
  static double residual_of(Problem& problem, const EigenPair& p) {
    std::vector<double> part(problem.size()), Tu(problem.size());
    std::vector<Complex> difference(problem.size(), 0.0);
    double off = 0, all = 0;
    for (const Complex i : {Complex(1, 0), Complex(0, 1)}) {
      for (std::size_t k = 0; k < part.size(); ++k)
        part[k] = i == 1.0 ? p.vector[k].real() : p.vector[k].imag();
      problem.apply(part, Tu);
      for (std::size_t k = 0; k < part.size(); ++k) difference[k] += i * (part[k] - Tu[k] / p.value);
    }
    for (std::size_t k = 0; k < part.size(); ++k)
      off += std::norm(difference[k]), all += std::norm(p.vector[k]);
    return std::sqrt(off / all);
  }
  double zero() const { return std::max(nothing * sigma_, noise_); }
  /// What stiffness and mass (flow and store) of single rows tell: the first shift is well below the usual one, and rounding
  /// of the stiffest looks like slow motion.
  void look_at_rows() {
    const Pattern& p = system_.pattern();
    std::vector<double> r(system_.size()), K(p.nonzeros()), C(p.nonzeros()), M(p.nonzeros()), rates;
    system_.tangent(state_, Shift::stiffness(), {}, r, K);
    system_.tangent(state_, Shift::damping(), {}, r, C);
    system_.tangent(state_, {.acceleration = 1, .store = 1, .flow = 0}, {}, r, M);
    const int positions = system_.rows(Kind::position).end;
    double all_stiffness = 0, all_damping = 0, all_mass = 0;
    for (int j = 0; j < system_.rows(Kind::algebraic).begin; ++j) {
      const double mass = std::abs(M[p.find(j, j)]);
      if (mass == 0) continue;
      double stiffness = 0, damping = 0;  // of a state both are what flows
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (p.row[k] == j || (p.row[k] < positions && j < positions)) {
          stiffness = std::max(stiffness, std::abs(K[k]));
          damping = std::max(damping, std::abs(C[k]));
        }
      if (j >= positions) stiffness = 0;
      for (const double rate : {std::sqrt(stiffness / mass), damping / mass})
        if (rate > 0) rates.push_back(rate);
      if (j < positions) {
        const double nominal = system_.nominal()[j];
        all_stiffness += stiffness * nominal * nominal;
        all_damping += damping * nominal * nominal;
        all_mass += mass * nominal * nominal;
      }
    }
    if (all_mass > 0)  // √ε of all together
      noise_ = 3e-8 * std::max(std::sqrt(all_stiffness / all_mass), all_damping / all_mass);
    for (const LieVariable& v : system_.lie_variables())  // … and of the forces of inertia of what turns
      noise_ = std::max(noise_, 3e-8 * norm(at(state_.rate, v.place.row + v.dofs() - 3)));
    if (!rates.empty()) std::nth_element(rates.begin(), rates.begin() + rates.size() / 2, rates.end());
    sigma_ = std::max(10 * noise_, rates.empty() ? 1.0 : 1e-3 * rates[rates.size() / 2]);
  }
  /// With the shift, or a larger one where rounding makes it singular.
  std::unique_ptr<Problem> make() {
    for (int attempt = 0;; ++attempt) {
      std::unique_ptr<Problem> problem;
      if (options_.undamped) problem = std::make_unique<Undamped>(system_, state_, sigma_, options_.proximal);
      else
        problem = std::make_unique<General>(system_, state_, observation_.best(), sigma_, options_.proximal);
      if (problem->singular() >= 0) {
        if (attempt == 6)
          throw ModelError("E-SINGULAR", system_.row_name(problem->singular()),
                           "the linearised equations are singular: they do not say how this moves",
                           "`escapement check` examines the model");
        noise_ = std::max(noise_, sigma_);
        sigma_ *= 30;
        continue;
      }
      if (options_.undamped &&
          !static_cast<Undamped&>(*problem).self_adjoint(10 * noise_ * noise_ / (sigma_ * sigma_)))
        throw ModelError(
            "E-MODES", "--undamped",
            "the stiffness is not symmetric here: a force turns with what it pushes, a controller acts, or "
            "forces are out of balance",
            "leave --undamped away, or --at equilibrium");
      return problem;
    }
  }
  void make_modes(Problem& problem, const Found& found) {
    modes_.clear();
    refused_ = 0;
    std::vector<EigenPair> still;
    for (std::size_t i = 0; i < found.pairs.size(); ++i) {
      const EigenPair& p = found.pairs[i];
      const Complex s = problem.rate(p.value);
      if (found.is_zero[i]) {
        still.push_back(p);
      } else if (s.imag() != 0 && std::abs(s.imag()) < 1e-6 * std::abs(s)) {
        add(problem, p, s.real());  // a double one, split by rounding
        add(problem, p, s.real());
      } else {
        add(problem, p, s);
      }
    }
    for (const auto& u : independent(still, 1e-3)) {
      const double theta = 1 / (options_.undamped ? sigma_ * sigma_ : sigma_);
      add(problem, {theta, std::vector<Complex>(u.begin(), u.end())}, 0.0);
    }
    std::stable_sort(modes_.begin(), modes_.end(),
                     [](const Mode& a, const Mode& b) { return std::abs(a.s) < std::abs(b.s); });
  }
  void add(Problem& problem, const EigenPair& p, Complex s) {
    const int size = problem.size(), n = system_.size();
    std::vector<double> part(size), Tu(size), z(n);
    Mode mode;
    mode.s = s;
    mode.shape.assign(n, 0.0);
    for (const Complex i : {Complex(1, 0), Complex(0, 1)}) {
      for (int k = 0; k < size; ++k) part[k] = i == 1.0 ? p.vector[k].real() : p.vector[k].imag();
      problem.apply(part, Tu);
      problem.shape(z);
      for (int k = 0; k < n; ++k) mode.shape[k] += i * z[k];
    }
    mode.residual = residual_of(problem, p);
    // What drifts may do so steadily: a Jordan block, of which the residual sees the second vector.
    if (!(mode.residual <= (s == 0.0 ? 0.1 : good_residual))) {
      ++refused_;
      return;
    }
    double most = -1;
    for (int k = 0; k < system_.rows(Kind::algebraic).begin; ++k)
      if (const double a = std::abs(mode.shape[k]) / system_.nominal()[k]; a > most * (1 + 1e-9))
        most = a, mode.largest = k;
    if (!(most > 0)) return;
    const Complex unit = system_.nominal()[mode.largest] / mode.shape[mode.largest];
    for (Complex& x : mode.shape) x *= unit;
    modes_.push_back(std::move(mode));
  }

  const System& system_;
  const State& state_;
  const ModesOptions& options_;
  Observation observation_;
  bool all_ = false;
  double sigma_ = 0, noise_ = 0;
  std::vector<Mode> modes_;
  int refused_ = 0, looked_at_ = 0;
};

}  // namespace

double Mode::frequency() const { return std::abs(s.imag()) / (2 * std::numbers::pi); }
double Mode::natural() const { return std::abs(s) / (2 * std::numbers::pi); }
double Mode::damping() const { return s == 0.0 ? 0 : -s.real() / std::abs(s); }

ModesResult find_modes(const System& system, const State& state, const ModesOptions& options) {
  const int positions = system.rows(Kind::position).end;
  if (positions + system.rows(Kind::state).size() == 0)
    throw ModelError("E-MODES", "", "nothing in the model moves or has a state: there are no modes",
                     "`escapement show` lists the unknowns");
  if (options.undamped) {
    if (positions == 0)
      throw ModelError("E-MODES", "--undamped", "the model has no positions", "leave --undamped away");
    if (system.rows(Kind::nonholonomic).size() > 0)
      throw ModelError("E-MODES", "--undamped", "constraints on velocities (rolling) have no undamped modes",
                       "leave --undamped away");
    if (std::any_of(state.rate.begin(), state.rate.begin() + positions, [](double v) { return v != 0; }))
      throw ModelError("E-MODES", "--undamped", "the configuration is moving: gyroscopic terms would be lost",
                       "leave --undamped away, or --at equilibrium");
  }
  return Finder(system, state, options).run();
}

}  // namespace escapement
