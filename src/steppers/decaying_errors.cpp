#include "steppers/decaying_errors.hpp"

#include <algorithm>
#include <cmath>

#include "core/projection.hpp"

namespace escapement {

DecayingErrors::DecayingErrors(const System& system)
    : system_(system), states_(system.rows(Kind::state)), positions_(system.rows(Kind::position).end) {
  for (auto* x : {&left_, &swinging_, &after_[0], &after_[1], &after_[2], &difference_, &product_, &unused_})
    x->assign(system.size(), 0.0);
}

void DecayingErrors::make_room() {
  if (solver_) return;
  solver_ = make_solver(system_.size());
  solver_->analyze(system_.pattern(), system_.elimination_order());
  matrix_.assign(system_.pattern().nonzeros(), 0.0);
  held_.assign(system_.size(), 1);
  std::fill(held_.begin() + states_.begin, held_.begin() + system_.rows(Kind::algebraic).end, 0);
}

void DecayingErrors::only_states(std::vector<double>& x) const {
  std::fill(x.begin(), x.begin() + states_.begin, 0.0);
  std::fill(x.begin() + states_.end, x.end(), 0.0);
}

void DecayingErrors::step_of(LinearSolver& solver, std::vector<double>& x) {
  multiply(system_.pattern(), part_, x, product_);
  x = product_;
  only_states(x);
  solver.solve(x);
  only_states(x);
}

/// xᵀ E y.
double DecayingErrors::energy(std::span<const double> x, std::span<const double> y) {
  multiply(system_.pattern(), part_, y, product_);
  double sum = 0;
  for (int i = states_.begin; i < states_.end; ++i) sum += x[i] * product_[i];
  return sum;
}

/// The errors after three short implicit steps, in which stiff parts vanish, and their first and second differences over two
/// more: what decays has both along itself, what oscillates has the second against itself, measured by the energy xᵀMx.
bool DecayingErrors::oscillates(LinearSolver& step, std::span<const double> errors) {
  auto& [y0, y1, y2] = after_;
  y0.assign(errors.begin(), errors.end());
  only_states(y0);
  for (int k = 0; k < 3; ++k) step_of(step, y0);
  step_of(step, y1 = y0);
  step_of(step, y2 = y1);
  const double square = energy(y0, y0);
  for (int i = 0; i < system_.size(); ++i) difference_[i] = y0[i] - y1[i];
  const double first = energy(y0, difference_);
  for (int i = 0; i < system_.size(); ++i) difference_[i] = y0[i] - 2 * y1[i] + y2[i];
  const double second = energy(y0, difference_);
  return second < 0 && first < 0.3 * std::sqrt(-second * std::abs(square));
}

/// (M + H A)⁻¹ M ε of errors ε (T-error-5).
bool DecayingErrors::of_states(const State& end, LinearSolver& step, std::span<const double> errors,
                               double horizon) {
  part_.resize(system_.pattern().nonzeros());
  system_.tangent(end, Shift::stores(), {}, unused_, part_);
  if (oscillates(step, errors)) return false;
  make_room();
  system_.tangent(end, {.acceleration = 1, .store = 1, .flow = horizon}, {}, unused_, matrix_);
  hold(system_, held_, matrix_);
  if (!solver_->factor(matrix_).ok) return false;
  left_.assign(errors.begin(), errors.end());
  step_of(*solver_, left_);
  return true;
}

/// A part of the matrix times x, in the rows of positions.
std::span<const double> DecayingErrors::product(const State& at, const Shift& part,
                                                std::span<const double> x) {
  part_.resize(system_.pattern().nonzeros());
  system_.tangent(at, part, {}, unused_, part_);
  multiply(system_.pattern(), part_, x, product_);
  std::fill(product_.begin() + positions_, product_.end(), 0.0);
  return product_;
}

bool DecayingErrors::of_velocities(const State& end, LinearSolver& step, std::span<const double> errors,
                                   double horizon) {
  make_room();
  Shift at_end{
      .position = horizon * horizon, .velocity = horizon, .acceleration = 1, .store = 1, .flow = horizon};
  at_end.holonomic_scale = 1 / at_end.position;
  at_end.nonholonomic_scale = 1 / horizon;
  system_.tangent(end, at_end, {}, unused_, matrix_);
  if (!solver_->factor(matrix_).ok) return false;
  auto& y = after_[0];
  y.assign(system_.size(), 0.0);
  std::copy_n(errors.begin(), positions_, y.begin());
  const auto start = product(end, Shift::mass(), y);
  left_.assign(start.begin(), start.end());
  solver_->solve(left_);
  for (int k = 0; k < 3; ++k) {  // what a step does not resolve goes
    const auto momentum = product(end, Shift::mass(), y);
    std::copy(momentum.begin(), momentum.end(), y.begin());
    step.solve(y);
    std::fill(y.begin() + positions_, y.end(), 0.0);
  }
  auto &damping = after_[1], &stiffness = after_[2];
  const auto damped = product(end, Shift::damping(), y);
  damping.assign(damped.begin(), damped.end());
  const auto stiff = product(end, Shift::stiffness(), y);
  stiffness.assign(stiff.begin(), stiff.end());
  const auto momentum = product(end, Shift::mass(), y);
  for (int i = 0; i < positions_; ++i) {
    const double m = y[i] * momentum[i], c = y[i] * damping[i], k = y[i] * stiffness[i];
    left_[i] = std::abs(left_[i]);
    swinging_[i] = c > 0 && c * c >= 4 * std::abs(k * m) ? 0.0 : std::abs(y[i]);
  }
  return true;
}

void DecayingErrors::archive(Archive& a) {
  bool used = solver_ != nullptr;  // its pivots are those of its first matrix
  a(used);
  if (!used) return;
  make_room();
  a(matrix_);
  if (matrix_.size() != static_cast<std::size_t>(system_.pattern().nonzeros()))
    throw ArchiveError("a matrix of another system");
  solver_->archive(a, matrix_);
}

}  // namespace escapement
