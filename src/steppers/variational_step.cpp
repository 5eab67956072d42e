#include "steppers/variational_step.hpp"

#include <algorithm>
#include <cmath>

#include "math/dual.hpp"

namespace escapement {
namespace {

constexpr double rounding = 16 * 2.2e-16;

/// T(u) a = a − α u×a + β u×(u×a) of SO(3).
template <class S>
Vec3<S> tangent_applied(const TangentCoefficients<S>& c, const Vec3<S>& u, const Vec3<S>& a) {
  const Vec3<S> ua = cross(u, a);
  return a - c.a * ua + c.b * cross(u, ua);
}

/// T(−u)ᵀ P: a momentum at the end of a step of u, as the balance at its middle counts it (T-variational-9). For u = (v, w) and
/// P = (f, m) that is (T(w) f, T(w) m + ∂/∂w' [f·exp(−w) T(−w')(−v)] at w' = −w); on SO(3) and ℝ³×SO(3) v counts for nothing.
template <class S>
Vec<6, S> turned_momentum(const Vec<6, S>& u, const Vec<6, S>& momentum) {
  const auto part = [](const Vec<6, S>& x, int i) { return Vec3<S>{{x[i], x[i + 1], x[i + 2]}}; };
  const Vec3<S> x = -part(u, 0), w = part(u, 3), f = part(momentum, 0), z = -w;
  const TangentCoefficients<S> c(dot(w, w));
  const Vec3<S> y = turned(z, f);  // exp(−w) f
  const S along = dot(z, cross(x, y)), xy = dot(x, y), xz = dot(x, z), yz = dot(y, z);
  const S twist = 2.0 * (c.a_slope * along + c.b_slope * (xz * yz - dot(z, z) * xy));
  const Vec3<S> coupling = twist * z + c.a * cross(x, y) + c.b * (yz * x + xz * y - (2.0 * xy) * z);
  const Vec3<S> linear = tangent_applied(c, w, f),
                angular = tangent_applied(c, w, part(momentum, 3)) + coupling;
  return {{linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]}};
}

/// Where momenta turn with their frame: on SE(3) all six rows, else the three of the rotation.
int turning_rows(const LieVariable& lie) { return lie.manifold == Manifold::se3 ? 6 : 3; }
int first_turning_row(const LieVariable& lie) { return lie.place.row + lie.dofs() - turning_rows(lie); }

/// The six numbers of a variable's turning rows, those of the rotation last.
template <class S>
Vec<6, S> turning_part(const LieVariable& lie, std::span<const double> x) {
  const int count = turning_rows(lie);
  Vec<6, S> part;
  for (int k = 0; k < count; ++k) part[6 - count + k] = S(x[first_turning_row(lie) + k]);
  return part;
}

/// A = T(−u)ᵀ of all Lie variables: T(u) itself but on SE(3).
void momentum_operators(const System& system, std::span<const double> u, std::span<const double> T,
                        std::span<double> A) {
  std::copy(T.begin(), T.end(), A.begin());
  for (const LieVariable& lie : system.lie_variables()) {
    if (lie.manifold != Manifold::se3) continue;
    for (int j = 0; j < 6; ++j) {
      Vec<6, double> unit;
      unit[j] = 1;
      const Vec<6, double> column = turned_momentum(turning_part<double>(lie, u), unit);
      for (int i = 0; i < 6; ++i) A[lie.place.tangent + i * 6 + j] = column[i];
    }
  }
}

}  // namespace

VariationalStep::VariationalStep(const System& system) : mid(system.state()), end(mid) {
  const int n = system.size(), positions = system.rows(Kind::position).end;
  for (auto* x : {&start.p, &start.half, &start.bend, &u, &u_half, &unturned, &pushed})
    x->assign(positions, 0.0);
  for (auto* x : {&start.impulse, &start.multiplier_shift, &start.phi_rate, &before.phi, &after.phi})
    x->assign(n, 0.0);
  start.stored.assign(system.rows(Kind::state).size(), 0.0);
  for (auto* x : {&before.gradient, &after.gradient}) x->assign(system.pattern().nonzeros(), 0.0);
  for (auto* x : {&T, &T_half, &back, &back_half}) x->assign(system.tangent_operators_size(), 0.0);
  open.assign(n, 0);
}

VariationalEquations::VariationalEquations(const System& system, const VariationalOptions& options,
                                           VariationalStep& step, const EndOfStep& end_of_step,
                                           const VariationalHistory& history)
    : system_(system),
      options_(options),
      step_(step),
      end_of_step_(end_of_step),
      history_(history),
      n_(system.size()),
      positions_(system.rows(Kind::position).end),
      states_(system.rows(Kind::state)),
      holonomic_(system.rows(Kind::holonomic)),
      coordinate_size_(system) {
  const Pattern& p = system.pattern();
  for (int k = 0; k < p.nonzeros(); ++k)
    if (p.row[k] >= holonomic_.begin && p.row[k] < holonomic_.end) holonomic_entries_.push_back(k);
  lie_of_row_.assign(positions_, -1);
  for (std::size_t l = 0; l < system.lie_variables().size(); ++l) {
    const LieVariable& lie = system.lie_variables()[l];
    for (int k = 0; k < turning_rows(lie); ++k) lie_of_row_[first_turning_row(lie) + k] = static_cast<int>(l);
  }
  for (auto* x : {&weights_, &momenta_, &driven_, &end_rows_, &unbent_, &unused_}) x->assign(n_, 0.0);
  left_over_.assign(n_, INFINITY);
  force_.assign(positions_, 0.0);
  for (auto* x : {&part_, &stiffness_}) x->assign(p.nonzeros(), 0.0);
}

void VariationalEquations::begin(const State& from) {
  from_ = &from;
  const double h = step_.h;
  const auto nominal = system_.nominal();
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions_; ++i) weights_[i] = 1 / (h * (nominal[i] + std::abs(from.rate[i])));
  for (int i = positions_; i < n_; ++i)
    weights_[i] = 1 / ((nominal[i] + std::abs(from.value[at[i]])) * (i < holonomic_.begin ? 1.0 : h));
  for (int i = 0; i < holonomic_.begin; ++i) {
    const double most = escapement::most_left_over(system_, i, history_.largest[i]);
    left_over_[i] =
        i >= positions_
            ? most
            : h * std::min(most / h, escapement::most_left_over(system_, i, history_.largest[n_ + i]));
  }
  if (options_.proximal > 0 || system_.switches())
    std::fill(weights_.begin() + holonomic_.begin, weights_.end(), 0.0);
}

double VariationalEquations::damping_time(int row) const {
  const Relaxation& r = options_.relaxations[row - holonomic_.begin];
  return r.in_seconds ? r.damping : r.damping * std::max(step_.h, options_.step);
}

/// τ of a constraint row under SPOOK (T-spook-2).
double VariationalEquations::relaxation(int row) const { return 1 / (1 + 4 * damping_time(row) / step_.h); }

/// Σ of a constraint row under SPOOK (T-spook-3).
double VariationalEquations::softness(int row) const {
  return 4 * options_.relaxations[row - holonomic_.begin].compliance * relaxation(row) / (step_.h * step_.h);
}

double VariationalEquations::share(int row) const {
  return end_of_step_.is_soft(row) ? 1.0 : step_.start.share;
}

Shift VariationalEquations::shift() const {
  Shift c;
  c.position = 0.5 * step_.h;
  c.velocity = 1;
  c.acceleration = 2 / step_.h;
  c.momentum = 1;
  c.momentum_rate = 0;
  c.force = 0.5 * step_.h;
  c.flow = state_weight();
  c.reaction = 0;
  c.store = 1;
  c.holonomic_scale = 0;
  return c;
}

Shift VariationalEquations::end_shift() const {
  return {.position = step_.h,
          .momentum_rate = 0,
          .force = 0,
          .reaction = 0,
          .flow = 0,
          .holonomic_scale = 1 / step_.h,
          .nonholonomic_scale = 0};
}

Shift VariationalEquations::driven_shift() const {
  Shift c = shift();
  c.store = 0;
  c.flow = c.store_rate = 1;
  return c;
}

/// q_{n+½} = q_n ∘ exp(h v/2), q_{n+1} = q_n ∘ exp(h v).
void VariationalEquations::place() {
  const double h = step_.h;
  for (int i = 0; i < positions_; ++i) {
    const double speed = step_.mid.rate[i];
    step_.u_half[i] = 0.5 * h * speed;
    step_.u[i] = h * speed;
    step_.mid.acceleration[i] = (2 * (speed - from_->rate[i]) + step_.start.bend[i]) / h;
    step_.end.rate[i] = 2 * speed - from_->rate[i];  // angles count their turns by it (T-turn-1)
  }
  move_positions(system_, from_->value, step_.u_half, step_.mid.value, step_.T_half);
  move_positions(system_, from_->value, step_.u, step_.end.value, step_.T);
  momentum_operators(system_, step_.u_half, step_.T_half, step_.back_half);
  momentum_operators(system_, step_.u, step_.T, step_.back);
  const auto at = system_.value_of_row();
  for (int m = holonomic_.begin; m < n_; ++m) step_.end.value[at[m]] = step_.mid.value[at[m]];
}

/// The impulse hλ of a constraint at t_n.
double VariationalEquations::impulse(int m) const {
  return step_.h * (step_.mid.value[system_.value_of_row()[m]] - step_.start.multiplier_shift[m]);
}

/// T(−u)ᵀ (p_n − Φ_qᵀ hλ − k_vᵀ hμ): what the step starts with, in the axes of its momentum.
void VariationalEquations::push() {
  const Pattern& p = system_.pattern();
  std::copy(step_.start.p.begin(), step_.start.p.end(), step_.pushed.begin());
  for (int m = holonomic_.begin; m < n_; ++m) {
    const double rest = share(m) * impulse(m) - step_.start.impulse[m];
    for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < positions_; ++k)
      step_.pushed[p.row[k]] -= step_.before.gradient[k] * rest;
  }
  std::copy(step_.pushed.begin(), step_.pushed.end(), step_.unturned.begin());
  apply_operators(system_, step_.back, step_.pushed);
}

void VariationalEquations::residual(std::span<double> r) {
  system_.residual(step_.mid, shift(), r);
  correct_own_masses(r);
  if (end_of_step_.state_rows().has_driven) {
    system_.residual(step_.mid, driven_shift(), driven_);
    put_driven(r);
  }
  balance(r);
  constrain(r);
}

void VariationalEquations::tangent(std::span<double> r, std::span<double> values) {
  system_.tangent(step_.mid, shift(), step_.T_half, r, values);
  correct_own_masses(r);
  if (end_of_step_.state_rows().has_driven) {
    system_.tangent(step_.mid, driven_shift(), step_.T_half, driven_, part_);
    put_driven(r);
    const Pattern& p = system_.pattern();
    for (int k = 0; k < p.nonzeros(); ++k)
      if (is_driven(p.row[k])) values[k] = part_[k];
  }
  balance(r);
  constrain(r);
  const Pattern& p = system_.pattern();
  for (int k = p.column_begin[holonomic_.begin]; k < p.nonzeros(); ++k) values[k] /= step_.h;
  if (options_.quasi_linear) put_relaxed_rows(values);
  else put_end_rows(values);
  put_reactions(values);
  put_turning(values);
  regularise(values);
}

void VariationalEquations::move(std::span<const double> du, double scale) {
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions_; ++i) step_.mid.rate[i] += scale * du[i];
  for (int i = positions_; i < n_; ++i)
    step_.mid.value[at[i]] += scale * (i < holonomic_.begin ? 1.0 : 1 / step_.h) * du[i];
  place();
}

void VariationalEquations::magnitudes(std::span<double> size, std::span<double> noise) const {
  const auto at = system_.value_of_row();
  const auto nominal = system_.nominal();
  for (int i = 0; i < positions_; ++i) {  // rounding of q comes back through Φ (T-newton-3)
    size[i] = std::abs(step_.mid.rate[i]);
    if (holonomic_.size() > 0)
      noise[i] += rounding * std::max(nominal[i], coordinate_size_(step_.end, i)) / step_.h;
  }
  for (int i = positions_; i < n_; ++i)
    size[i] = std::abs(step_.mid.value[at[i]]) * (i < holonomic_.begin ? 1.0 : step_.h);
  for (int i = holonomic_.begin; i < n_; ++i) noise[i] = INFINITY;
}

void VariationalEquations::rounded_sizes(std::span<double> size) const {
  const auto at = system_.value_of_row();
  for (int i = 0; i < positions_; ++i)
    size[i] = std::abs(step_.mid.rate[i]) + 2 * coordinate_size_(step_.mid, i) / step_.h;
  for (int i = positions_; i < n_; ++i)
    size[i] = std::abs(step_.mid.value[at[i]]) * (i < holonomic_.begin ? 1.0 : step_.h);
}

void VariationalEquations::add_rounding(std::span<double> rows) {
  const Pattern& p = system_.pattern();
  const auto nominal = system_.nominal();
  Shift c = Shift::stiffness();
  c.momentum_rate = 0;
  c.force = 0.5 * step_.h;
  c.reaction = 0;
  system_.tangent(step_.mid, c, {}, unused_, stiffness_);
  for (int j = 0; j < positions_; ++j) {
    const double moved = rounding * std::max(nominal[j], coordinate_size_(step_.mid, j));
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (p.row[k] < positions_) rows[p.row[k]] += std::abs(stiffness_[k]) * moved;
  }
}

bool VariationalEquations::is_driven(int i) const {
  const Range& s = states_;
  return i >= s.begin && i < s.end && end_of_step_.state_rows().kinds[i - s.begin] == StateRow::driven;
}

/// Masses in equations of the user change their momentum along the step, as all others do: without the bend that signals see.
void VariationalEquations::correct_own_masses(std::span<double> r) {
  if (!end_of_step_.own_masses() || !history_.bent) return;
  for (int i = 0; i < positions_; ++i) step_.mid.acceleration[i] -= step_.start.bend[i] / step_.h;
  system_.residual(step_.mid, shift(), unbent_);
  for (int i = 0; i < positions_; ++i) step_.mid.acceleration[i] += step_.start.bend[i] / step_.h;
  std::copy(unbent_.begin(), unbent_.begin() + positions_, r.begin());
}

void VariationalEquations::put_driven(std::span<double> r) const {
  for (int i = states_.begin; i < states_.end; ++i)
    if (is_driven(i)) r[i] = driven_[i];
}

/// From p + (h/2) F to p + T(−u/2)ᵀ (h/2) F − T(−u)ᵀ (p_n − Φ_qᵀ hλ − k_vᵀ hμ), and s + (h/2) flow − s_n.
void VariationalEquations::balance(std::span<double> r) {
  push();
  if (!system_.lie_variables().empty()) {
    system_.momenta(step_.mid, momenta_);
    for (int i = 0; i < positions_; ++i) force_[i] = r[i] - momenta_[i];
    apply_operators(system_, step_.back_half, force_);
    for (int i = 0; i < positions_; ++i)
      if (lie_of_row_[i] >= 0) r[i] = momenta_[i] + force_[i];
  }
  for (int i = 0; i < positions_; ++i) r[i] -= step_.pushed[i];
  for (int i = states_.begin; i < states_.end; ++i)
    if (!is_driven(i)) r[i] -= step_.start.stored[i - states_.begin];
}

void VariationalEquations::constrain(std::span<double> r) {
  if (holonomic_.size() == 0) return;
  if (!options_.quasi_linear) {
    const LentDelays delays(step_.mid, step_.end);
    system_.constraint_forces(step_.end, end_shift(), end_rows_);
    std::copy(end_rows_.begin() + holonomic_.begin, end_rows_.begin() + holonomic_.end,
              r.begin() + holonomic_.begin);
    return;
  }
  for (int m = holonomic_.begin; m < holonomic_.end; ++m) {  // (T-spook-3)
    if (step_.open[m]) continue;                             // the row says λ = 0
    const double tau = relaxation(m);
    r[m] = (1 - tau) * step_.start.phi_rate[m] + 4 * tau / step_.h * step_.before.phi[m] -
           (softness(m) + rigid_softness(m)) * impulse(m);
  }
  add_along_constraints(
      system_, step_.before.gradient, [&](int j) { return step_.mid.rate[j] - step_.start.half[j]; }, r);
}

void VariationalEquations::put_end_rows(std::span<double> values) {
  if (holonomic_.size() == 0) return;
  const Pattern& p = system_.pattern();
  const LentDelays delays(step_.mid, step_.end);
  system_.constraint_tangent(step_.end, end_shift(), step_.T, end_rows_, part_);
  const int multipliers = p.column_begin[holonomic_.begin];
  for (const int k : holonomic_entries_) values[k] = part_[k] / (k < multipliers ? 1.0 : step_.h);
}

void VariationalEquations::put_relaxed_rows(std::span<double> values) {
  const Pattern& p = system_.pattern();
  const int multipliers = p.column_begin[holonomic_.begin];
  for (const int k : holonomic_entries_) {
    const int m = p.row[k];
    if (!step_.open[m]) values[k] = k < multipliers ? step_.before.gradient[k] : 0.0;
  }
  for (int m = holonomic_.begin; m < holonomic_.end; ++m)
    if (!step_.open[m]) values[p.find(m, m)] = -softness(m);
}

/// Columns of the impulses: T(−u)ᵀ Φ_qᵀ and T(−u)ᵀ k_vᵀ at the beginning of the step.
void VariationalEquations::put_reactions(std::span<double> values) {
  const Pattern& p = system_.pattern();
  const auto& lies = system_.lie_variables();
  for (int m = holonomic_.begin; m < n_; ++m) {
    const double acting = share(m);
    for (int k = p.column_begin[m]; k < p.column_begin[m + 1] && p.row[k] < positions_;) {
      const int l = lie_of_row_[p.row[k]];
      if (l < 0) {
        values[k] += acting * step_.before.gradient[k];
        ++k;
        continue;
      }
      const int n = lies[l].dofs(), count = turning_rows(lies[l]), first = first_turning_row(lies[l]);
      const double* A = &step_.back[lies[l].place.tangent];
      double g[6] = {};
      const int begin = k;
      for (; k < p.column_begin[m + 1] && p.row[k] < first + count; ++k)
        g[p.row[k] - first] = acting * step_.before.gradient[k];
      for (int e = begin; e < k; ++e) {
        const int i = n - count + p.row[e] - first;
        for (int j = 0; j < count; ++j) values[e] += A[i * n + n - count + j] * g[j];
      }
    }
  }
}

/// −d(T(−u)ᵀ P)/dv on the diagonal blocks of frames and rotations.
void VariationalEquations::put_turning(std::span<double> values) {
  const Pattern& p = system_.pattern();
  for (const LieVariable& lie : system_.lie_variables()) {
    const int count = turning_rows(lie), first = first_turning_row(lie);
    using D = Dual<6>;
    Vec<6, D> u = turning_part<D>(lie, step_.u);
    for (int j = 0; j < 6; ++j) u[j].d[j] = 1;
    const Vec<6, D> turned = turned_momentum(u, turning_part<D>(lie, step_.unturned));
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        if (const int k = p.find(first + i, first + j); k >= 0)
          values[k] -= step_.h * turned[6 - count + i].d[6 - count + j];
  }
}

/// −Σ of rigid constraints (SPOOK), or −ε of a proximal iteration.
void VariationalEquations::regularise(std::span<double> values) {
  const bool linear = options_.quasi_linear;
  if (holonomic_.begin == n_ || (!linear && options_.proximal == 0 && !system_.switches())) return;
  if (epsilon_.empty()) set_proximal_diagonal(system_, linear ? 1.0 : options_.proximal, values, epsilon_);
  const Pattern& p = system_.pattern();
  for (int m = holonomic_.begin; m < n_; ++m)
    values[p.find(m, m)] -= linear ? rigid_softness(m) : epsilon_[m];
}

/// Σ of a constraint that is not soft by itself.
double VariationalEquations::rigid_softness(int m) const {
  const bool soft = m < holonomic_.end && options_.relaxations[m - holonomic_.begin].compliance > 0;
  return soft || epsilon_.empty() ? 0.0 : step_.start.softening * epsilon_[m];
}

}  // namespace escapement
