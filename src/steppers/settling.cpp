#include "steppers/settling.hpp"

#include <algorithm>

#include "core/projection.hpp"
#include "sparse/connected_parts.hpp"

namespace escapement {

const SettlingStages& settling_stages() {
  static const SettlingStages stages = [] {
    constexpr double g = SettlingStages::gamma;
    // R(z) = y²(r0 + r1 y + r2 y²), y = 1/(1 − γz), is of second order (T-settle-3); c2, c3 and a43 are free.
    const double r2 = 0.5 / (g * g) - 3 / g + 3;
    const double c2 = 0.95 - g, c3 = 0.5 - g, a43 = 0.5;
    const double a42 = (0.5 - 2 * g + g * g - a43 * c3) / c2, a32 = r2 * g * g * g / (a43 * c2);
    SettlingStages s{};
    s.a = {{{g, 0, 0, 0}, {c2, g, 0, 0}, {c3 - a32, a32, g, 0}, {1 - g - a42 - a43, a42, a43, g}}};
    for (int i = 0; i < SettlingStages::count; ++i)
      for (int j = 0; j <= i; ++j) s.c[i] += s.a[i][j];
    return s;
  }();
  return stages;
}

void Excitation::start(double t, std::span<const double> v_dot, std::span<const double> s_dot) {
  time = t;
  acceleration.assign(v_dot.begin(), v_dot.end());
  rate.assign(s_dot.begin(), s_dot.end());
  judged = 0;
}

void Excitation::add(double t, std::span<const double> v_dot, std::span<const double> s_dot) {
  const bool now = t == time, earlier_counts = t - time < 2 * judged;
  const auto join = [&](std::vector<double>& all, std::span<const double> jump) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (now) all[i] += jump[i];
      else if (!earlier_counts || std::abs(jump[i]) > std::abs(all[i])) all[i] = jump[i];
    }
  };
  join(acceleration, v_dot);
  join(rate, s_dot);
  time = t;
  judged = 0;
}

ExcitationTest::ExcitationTest(const System& system, Options options)
    : system_(system), options_(options), part_of_row_(connected_parts(system.pattern())) {
  for (auto* x : {&largest_, &turning_, &along_, &square_}) x->assign(system.size(), 0.0);
}

void ExcitationTest::make_room() {
  if (solver_) return;
  solver_ = make_solver(system_.size());
  solver_->analyze(system_.pattern(), system_.elimination_order());
  solver_->explain(false);
  for (auto* x : {&matrix_, &at_once_, &stores_}) x->assign(system_.pattern().nonzeros(), 0.0);
  for (auto* x : {&response_, &stored_, &flowed_, &work_}) x->assign(system_.size(), 0.0);
}

/// S ζ = (M J, κ J_s) with the matrix of an implicit step: what is left of the jump at its end, into response_ (ζ) and
/// stored_ (E ζ). Without feedback it is the jump itself.
bool ExcitationTest::respond(const State& state, double h, const Excitation& jump) {
  const Pattern& p = system_.pattern();
  const int positions = system_.rows(Kind::position).end;
  const Range states = system_.rows(Kind::state);
  const double position = options_.mechanics_damped ? 0.25 * h * h : 0.0;
  system_.tangent(state,
                  {.position = position,
                   .velocity = h,
                   .acceleration = 1,
                   .store = 1,
                   .flow = h,
                   .constraint_accelerations = true},
                  {}, work_, matrix_);
  system_.tangent(state, {.acceleration = 1, .store = 0, .flow = h, .constraint_accelerations = true}, {},
                  work_, at_once_);
  if (options_.proximal > 0 || system_.switches()) {
    set_proximal_diagonal(system_, options_.proximal, matrix_, epsilon_);
    add_proximal(system_, epsilon_, matrix_);
  }
  std::fill(response_.begin(), response_.end(), 0.0);
  for (int j = 0; j < positions; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      response_[p.row[k]] += at_once_[k] * jump.acceleration[j];
  system_.tangent(state, {.position = position, .velocity = h, .store = 1, .flow = 0}, {}, work_, stores_);
  // What Newton's method leaves over jumps by itself.
  constexpr double left_over = 1e-11;
  const auto at = system_.value_of_row();
  const auto nominal = system_.nominal();
  std::fill(work_.begin(), work_.end(), 0.0);
  for (int column = states.begin; column < system_.size(); ++column)
    for (int k = p.column_begin[column]; k < p.column_begin[column + 1]; ++k)
      work_[p.row[k]] += left_over * (std::abs(at_once_[k]) + std::abs(stores_[k])) *
                         (nominal[column] + std::abs(state.value[at[column]]));
  for (int i = states.begin; i < states.end; ++i) {
    const double flow = h * jump.rate[i - states.begin];
    flowed_[i] = std::abs(flow) > work_[i] || std::isnan(flow) ? flow : 0.0;
    response_[i] += flowed_[i];
  }
  const auto finite = [](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double e) { return std::isfinite(e); });
  };
  if (!finite(matrix_) || !finite(response_) || !solver_->factor(matrix_).ok) return false;
  solver_->solve(response_);
  if (!finite(response_)) return false;
  if (states.size() == 0) return true;
  multiply(p, stores_, response_, stored_);
  return true;
}

namespace {

/// Of one unknown, or the parts of a vector: what has jumped, and what a step does not leave of it.
struct Part {
  double jump = 0, lost = 0;
  bool stiff = false;  // by its own row
};

/// A part counts if most of it is lost, and it is a part of the jump rather than of what others do to it; or if what is lost is
/// as large as the largest jump.
bool counts(const Part& part, double largest) {
  if (!(part.lost > 0.5 * part.jump)) return false;
  if (part.lost > 0.5 * largest) return true;
  return part.jump > 0.3 * part.lost && (part.stiff || part.jump > 0.1 * largest);
}

}  // namespace

bool ExcitationTest::unresolved_motion(double h, const Excitation& jump) {
  constexpr double noise = 1e-12;  // of nominal magnitudes
  const auto nominal = system_.nominal();
  const Pattern& p = system_.pattern();
  const auto part_of = [&](int first, int count) {
    Part part;
    for (int i = first; i < first + count; ++i) {
      const double j = jump.acceleration[i] / nominal[i], left = response_[i] / nominal[i];
      part.jump += j * j;
      part.lost += (j - left) * (j - left);
      const int k = p.find(i, i);
      if (k >= 0) part.stiff = part.stiff || 3 * std::abs(matrix_[k] - at_once_[k]) > std::abs(matrix_[k]);
    }
    part.jump = std::sqrt(part.jump);
    part.lost = std::sqrt(part.lost);
    return part;
  };
  // Vectors are judged as such, lengths and angles apart: the axes they are written in do not matter.
  const auto each = [&](auto&& f) {
    for (const Variable& v : system_.variables()) {
      if (v.kind != Kind::position) continue;
      const int where = part_of_row_[v.row];
      double &length = largest_[where], &angle = turning_[where];
      if (v.dofs == 6) f(part_of(v.row, 3), length), f(part_of(v.row + 3, 3), angle);
      else f(part_of(v.row, v.dofs), v.extent_of(0) == Extent::angle ? angle : length);
    }
  };
  std::fill(largest_.begin(), largest_.end(), 0.0);
  std::fill(turning_.begin(), turning_.end(), 0.0);
  each([](const Part& part, double& largest) { largest = std::max(largest, part.jump); });
  bool found = false;
  each([&](const Part& part, double& largest) {
    if (h * h * part.lost > noise && counts(part, largest)) found = true;
  });
  return found;
}

bool ExcitationTest::unresolved_states() {
  constexpr double noise = 1e-12;
  const Range states = system_.rows(Kind::state);
  const auto nominal = system_.nominal();
  const Pattern& p = system_.pattern();
  const auto part_of = [&](int i) {
    const int k = p.find(i, i);
    const double own = k >= 0 ? std::abs(matrix_[k]) : 0.0, stored = k >= 0 ? std::abs(stores_[k]) : 0.0;
    const double unit = own > 0 ? 1 / (own * nominal[i]) : 0.0;
    const double j = flowed_[i] * unit, left = stored_[i] * unit;
    return Part{std::abs(j), std::abs(j - left), 3 * (own - stored) > own};
  };
  for (auto* x : {&largest_, &along_, &square_}) std::fill(x->begin(), x->end(), 0.0);
  for (int i = states.begin; i < states.end; ++i) {
    double& largest = largest_[part_of_row_[i]];
    largest = std::max(largest, part_of(i).jump);
  }
  for (int i = states.begin; i < states.end; ++i) {
    const int where = part_of_row_[i];
    const Part part = part_of(i);
    if (!(part.lost > noise && counts(part, largest_[where]))) continue;
    if (options_.states_damped) return true;
    const int k = p.find(i, i);
    const double stored = k >= 0 ? std::abs(stores_[k]) : 0.0;
    if (!(stored > 0)) continue;
    along_[where] += flowed_[i] * stored_[i] / stored;
    square_[where] += stored_[i] * stored_[i] / stored;
  }
  // What oscillates without loss has ⟨J, ζ⟩ = ⟨ζ, ζ⟩ by its energy, what decays has more (T-settle-4).
  for (int where = 0; where < system_.size(); ++where)
    if (along_[where] > 1.5 * square_[where]) return true;
  return false;
}

bool ExcitationTest::unresolved(const State& state, double h, const Excitation& jump) {
  make_room();
  if (!respond(state, h, jump)) return false;
  return unresolved_motion(h, jump) || unresolved_states();
}

void ExcitationTest::archive(Archive& a) {
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
