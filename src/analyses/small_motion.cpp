#include "analyses/small_motion.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/manifold.hpp"
#include "core/start.hpp"

namespace escapement {

std::vector<double> SmallMotion::tangent(const State& state, const Shift& shift) const {
  std::vector<double> r(system_.size()), values(system_.pattern().nonzeros());
  system_.tangent(state, shift, {}, r, values);
  return values;
}

bool SmallMotion::factor(Newton& newton, double proximal) {
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

std::vector<double> in_frames(const Twist& observer, const System& system, const State& state) {
  std::vector<double> u(system.rows(Kind::position).end, 0.0);
  for (const LieVariable& v : system.lie_variables()) observer.seen_from(state, v, u);
  return u;
}

DampedMotion::DampedMotion(const System& system, const State& state, const Twist& observer, double sigma,
                           double proximal)
    : SmallMotion(system), sigma_(sigma), newton_(system, 0, {}), kinematic_(positions_), z_(system.size()) {
  const int n = system.size();
  const std::vector<double> u = in_frames(observer, system, state);
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
  for (std::size_t k = 0; k < stored_.size(); ++k) scale_[2 * positions_ + k] = system.nominal()[stored_[k]];
  x_.resize(size());
}

void DampedMotion::apply(std::span<const double> u, std::span<double> Tu) {
  for (int i = 0; i < size(); ++i) x_[i] = scale_[i] * u[i];
  std::copy_n(x_.begin(), positions_, kinematic_.begin());
  to_positions(kinematic_);
  std::fill(z_.begin(), z_.end(), 0.0);
  B_.multiply(x_, z_);
  slope_.multiply(kinematic_, z_, -1);
  const Range holonomic = system_.rows(Kind::holonomic);
  for (int i = holonomic.begin; i < holonomic.end; ++i) z_[i] *= sigma_;
  solve(Tu);
}

void DampedMotion::respond(int row, std::span<double> seen) {
  std::fill(x_.begin(), x_.end(), 0.0);
  std::fill(z_.begin(), z_.end(), 0.0);
  z_[row] = 1;
  solve(seen);
}

/// From the right side z_, and B's argument x_, to z_, positions of which are velocities, and to positions.
void DampedMotion::solve(std::span<double> Tu) {
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

void DampedMotion::shape(std::span<double> z) const {
  std::copy(z_.begin(), z_.end(), z.begin());
  std::copy(kinematic_.begin(), kinematic_.end(), z.begin());
}

std::vector<double> DampedMotion::constraints() const {
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

std::vector<EigenPair> DampedMotion::search(int count, std::span<const double> start) {
  return largest_eigenpairs([this](auto u, auto Tu) { apply(u, Tu); }, count, start);
}

void DampedMotion::to_positions(std::span<double> x) const {
  if (!operators_.empty()) apply_operators(system_, operators_, x);
  for (double& value : x) value /= sigma_;
}

DampedMotion::Brackets DampedMotion::brackets(std::span<const double> u) const {
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

void DampedMotion::add_own_turns(const State& state, std::span<const double> u,
                                 const std::vector<double>& mass) {
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

UndampedMotion::UndampedMotion(const System& system, const State& state, double sigma, double proximal)
    : SmallMotion(system), sigma_(sigma), newton_(system, 0, {}), z_(system.size()) {
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

void UndampedMotion::apply(std::span<const double> u, std::span<double> Tu) {
  std::vector<double> Mu(positions_);
  multiply_mass(u, Mu);
  solve(Mu, Tu);
}

std::vector<double> UndampedMotion::constraints() const {
  std::vector<double> rows(static_cast<std::size_t>(system_.rows(Kind::holonomic).size()) * positions_, 0.0);
  for (std::size_t k = 0; k < G_.value.size(); ++k)
    rows[static_cast<std::size_t>(G_.row[k]) * positions_ + G_.column[k]] += G_.value[k];
  return rows;
}

std::vector<EigenPair> UndampedMotion::search(int count, std::span<const double> start) {
  return largest_symmetric_eigenpairs([this](auto x, auto y) { solve(x, y); },
                                      [this](auto x, auto y) { multiply_mass(x, y); }, count, start);
}

std::complex<double> UndampedMotion::rate(std::complex<double> theta) const {
  const double square = (1.0 / theta).real() - sigma_ * sigma_;  // ω²
  return square < 0 ? std::complex<double>(std::sqrt(-square), 0)
                    : std::complex<double>(0, std::sqrt(square));
}

bool UndampedMotion::self_adjoint(double rounding) {
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

void UndampedMotion::multiply_mass(std::span<const double> x, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 0.0);
  M_.multiply(x, y);
}

void UndampedMotion::solve(std::span<const double> x, std::span<double> y) {
  std::fill(z_.begin(), z_.end(), 0.0);
  std::copy(x.begin(), x.end(), z_.begin());
  newton_.solver().solve(z_);
  std::copy_n(z_.begin(), positions_, y.begin());
}

}  // namespace escapement
