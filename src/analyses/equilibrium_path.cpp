#include "analyses/equilibrium_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/manifold.hpp"
#include "core/newton.hpp"
#include "core/projection.hpp"

namespace escapement {
namespace {

constexpr double least_length = 1e-8, corner_length = 1e-5, widest_bend = 0.35, usual_bend = 0.15;
constexpr Shift at_rest{.position = 1, .flow = 1};

void move(const System& system, State& state, std::span<const double> u, double factor) {
  std::vector<double> q = state.value, part(u.begin(), u.end());
  for (double& x : part) x *= factor;
  move_positions(system, q, part, state.value, {});
  const auto at = system.value_of_row();
  for (int i = system.rows(Kind::position).end; i < system.size(); ++i) state.value[at[i]] += part[i];
}

/// How a measure changes along an increment: by a difference quotient over a millionth of what is usual.
double along(const Assembly& assembly, const State& state, const PathMeasure& measure,
             std::span<const double> u) {
  const System& system = assembly.system;
  double size = 0;
  for (int i = 0; i < system.rows(Kind::position).end; ++i)
    size = std::max(size, std::abs(u[i]) / system.nominal()[i]);
  if (size == 0) return 0;
  State ahead = state, behind = state;
  move(system, ahead, u, 1e-6 / size);
  move(system, behind, u, -1e-6 / size);
  return (measure(assembly, ahead) - measure(assembly, behind)) / (2e-6 / size);
}

}  // namespace

/// R, J and ∂R/∂s from the models at two values of the parameter: in between and beyond where R is linear in it, as in loads; else
/// R and J from a model of their own.
class EquilibriumPath::Rows {
 public:
  Rows(const EquilibriumPath& path, double low, double high)
      : path_(path),
        begin_(low),
        end_(high),
        low_(path.at(low)),
        high_(path.at(high)),
        newton_(low_.system, 0, {}),
        kept_(low_.system.size(), 0) {
    newton_.solver().explain(false);
    const auto& kept = path.options_.kept.position;
    std::copy(kept.begin(), kept.end(), kept_.begin());
  }
  const System& system() const { return low_.system; }
  /// Is R linear in the parameter, here and at random places around?
  void examine_linearity(const State& state) {
    const double between = begin_ + 0.37 * (end_ - begin_);
    const Assembly middle = path_.at(between);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-0.01, 0.01);
    State aside = state;
    std::vector<double> push(system().size());
    for (std::size_t i = 0; i < push.size(); ++i) push[i] = uniform(random) * path_.nominal_[i];
    move(system(), aside, push, 1);
    linear_ = agrees(middle.system, state, 0.37) && agrees(middle.system, aside, 0.37);
  }
  bool linear() const { return linear_; }
  /// −J⁻¹ R and −J⁻¹ ∂R/∂s (T-path-1). False: J is singular, or something is no number.
  bool solve(double parameter, const State& state, std::vector<double>& a, std::vector<double>& b) {
    const int n = system().size();
    a.resize(n), b.resize(n), at_low_.resize(n);
    if (linear_) {
      tangent(low_.system, state, at_low_, newton_.matrix());
      other_.resize(newton_.matrix().size());
      tangent(high_.system, state, b, other_);
      const double part = (parameter - begin_) / (end_ - begin_);
      for (int i = 0; i < n; ++i) a[i] = at_low_[i] + part * (b[i] - at_low_[i]);
      for (std::size_t k = 0; k < other_.size(); ++k)
        newton_.matrix()[k] += part * (other_[k] - newton_.matrix()[k]);
    } else {
      tangent(path_.at(parameter).system, state, a, newton_.matrix());
      low_.system.residual(state, at_rest, at_low_);
      high_.system.residual(state, at_rest, b);
    }
    for (int i = 0; i < n; ++i) {
      b[i] = kept_[i] ? 0 : -(b[i] - at_low_[i]) / (end_ - begin_);
      a[i] = kept_[i] ? 0 : -a[i];
      if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return false;
    }
    add_proximal(system(), proximal_diagonal(system(), path_.options_.proximal, newton_.matrix()),
                 newton_.matrix());
    hold(system(), kept_, newton_.matrix());
    if (!newton_.factor().ok) return false;
    newton_.solver().solve(a);
    newton_.solver().solve(b);
    return true;
  }

 private:
  static void tangent(const System& system, const State& state, std::span<double> r,
                      std::span<double> values) {
    system.tangent(state, at_rest, {}, r, values);
  }
  bool agrees(const System& middle, const State& state, double part) const {
    const int n = middle.size();
    std::vector<double> low(n), high(n), there(n);
    low_.system.residual(state, at_rest, low);
    high_.system.residual(state, at_rest, high);
    middle.residual(state, at_rest, there);
    double most = 0;
    for (int i = 0; i < n; ++i) most = std::max({most, std::abs(low[i]), std::abs(high[i])});
    for (int i = 0; i < n; ++i)
      if (!(std::abs(low[i] + part * (high[i] - low[i]) - there[i]) <= 1e-12 * most)) return false;
    return true;
  }

  const EquilibriumPath& path_;
  double begin_, end_;
  Assembly low_, high_;
  Newton newton_;
  std::vector<char> kept_;
  std::vector<double> at_low_, other_;
  bool linear_ = false;
};

std::shared_ptr<EquilibriumPath::Rows> EquilibriumPath::rows(double parameter) const {
  if (everywhere_) return everywhere_;
  return std::make_shared<Rows>(*this, parameter - 5e-4 * range_, parameter + 5e-4 * range_);
}

EquilibriumPath::EquilibriumPath(ModelAt model_at, const State& near, double parameter, double range,
                                 StartOptions options)
    : model_at_(std::move(model_at)), options_(std::move(options)), range_(std::abs(range)) {
  const Assembly assembly = model_at_(parameter);
  const System& system = assembly.system;
  nominal_.assign(system.nominal().begin(), system.nominal().end());
  positions_ = system.rows(Kind::position).end;
  point_.parameter = parameter;
  point_.state = near;
  if (!newton_to_equilibrium(system, point_.state, options_))
    find_equilibrium(system, point_.state, options_);
  PathPoint forwards;
  forwards.direction.assign(system.size(), 0.0);
  forwards.slope = range;
  if (!set_direction(point_, forwards))
    throw ModelError("E-EQUILIBRIUM", "", "the path cannot begin here: the equilibrium is not alone",
                     "something may move freely, or the structure is just about to buckle; start elsewhere");
  measure_lengths();
  before_ = point_;
}

Assembly EquilibriumPath::at(double parameter) const {
  Assembly assembly = model_at_(parameter);
  if (assembly.system.size() != static_cast<int>(nominal_.size()))
    throw ModelError("E-EQUILIBRIUM", "", "this parameter changes what the model is made of",
                     "a path needs a parameter that changes numbers alone");
  return assembly;
}

double EquilibriumPath::product(std::span<const double> a, double slope_a, std::span<const double> b,
                                double slope_b) const {
  double sum = 0;
  for (int i = 0; i < positions_; ++i) sum += a[i] * b[i] / (nominal_[i] * nominal_[i]);
  return sum / (scale_ * scale_) + slope_a * slope_b / (range_ * range_);
}

/// The first response over the whole range counts as much as the range itself, if it is not all but nothing.
void EquilibriumPath::measure_lengths() {
  double square = 0;
  for (int i = 0; i < positions_; ++i) square += std::pow(point_.direction[i] / nominal_[i], 2);
  const double response = std::sqrt(square) * range_ / std::abs(point_.slope);
  scale_ = std::max(response, 1e-3 * std::sqrt(static_cast<double>(std::max(positions_, 1))));
  const double size = std::sqrt(product(point_.direction, point_.slope, point_.direction, point_.slope));
  for (double& x : point_.direction) x /= size;
  point_.slope /= size;
}

/// Along the path, onwards from a point near by (T-path-2).
bool EquilibriumPath::set_direction(PathPoint& point, const PathPoint& like) const {
  std::vector<double> unused;
  if (!rows(point.parameter)->solve(point.parameter, point.state, unused, point.direction)) return false;
  double size = std::sqrt(product(point.direction, 1, point.direction, 1));
  if (!std::isfinite(size)) return false;
  if (product(point.direction, 1, like.direction, like.slope) < 0) size = -size;
  for (double& x : point.direction) x /= size;
  point.slope = 1 / size;
  return true;
}

/// Newton's method for R = 0 and one more equation (T-path-1).
bool EquilibriumPath::correct(State& state, double& parameter, const Closing& closing) const {
  const auto rows = this->rows(parameter);
  const System& system = rows->system();
  std::vector<double> a, b;
  double previous = INFINITY;
  for (int k = 0; k < 20; ++k) {
    if (!rows->solve(parameter, state, a, b)) return false;
    const double on = closing(state, parameter, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += on * b[i];
    double size = std::abs(on) / range_;
    for (int i = 0; i < positions_; ++i) size = std::max(size, std::abs(a[i]) / nominal_[i]);
    const auto at = system.value_of_row();
    for (int i = positions_; i < system.rows(Kind::algebraic).end; ++i)
      size = std::max(size, std::abs(a[i]) / (nominal_[i] + std::abs(state.value[at[i]])));
    if (!std::isfinite(size) || (k > 3 && size > 2 * previous)) return false;
    const double factor = std::min(1.0, 0.3 / size);
    move(system, state, a, factor);
    parameter += factor * on;
    // At the floor of rounding increments shrink no more.
    if (size < 1e-11 || (size < 1e-8 && size > 0.5 * previous)) return true;
    previous = size;
  }
  return false;
}

/// The tangent, so far; then at right angles to it.
bool EquilibriumPath::step(const PathPoint& from, double length, PathPoint& to) const {
  to = from;
  to.parameter += length * from.slope;
  to.along += length;
  move(rows(to.parameter)->system(), to.state, from.direction, length);
  const Closing arc = [&](const State&, double, std::span<const double> a, std::span<const double> b) {
    return -product(from.direction, from.slope, a, 0) / product(from.direction, from.slope, b, 1);
  };
  return correct(to.state, to.parameter, arc) && set_direction(to, from);
}

bool EquilibriumPath::advance() {
  for (; length_ > least_length; length_ /= 2) {
    PathPoint next;
    if (!step(point_, length_, next)) continue;
    const double cosine = product(point_.direction, point_.slope, next.direction, next.slope);
    const double bend = std::acos(std::clamp(cosine, -1.0, 1.0));
    if (bend > widest_bend && !(length_ < corner_length && cosine > 0))
      continue;  // a corner has no short bend
    before_ = std::exchange(point_, std::move(next));
    const double longest = std::max(0.05, 0.1 * point_.along);
    length_ = std::min(longest, length_ * std::clamp(usual_bend / (bend + 1e-9), 0.5, 2.0));
    return true;
  }
  return false;
}

/// In the last step, by regula falsi over its length, the weight of the other end halved.
PathPoint EquilibriumPath::where(const std::function<double(const PathPoint&)>& zero) const {
  double low = 0, high = point_.along - before_.along, at_low = zero(before_), at_high = zero(point_);
  PathPoint best = std::abs(at_low) < std::abs(at_high) ? before_ : point_;
  double least = std::min(std::abs(at_low), std::abs(at_high));
  int side = 0;
  for (int k = 0; k < 60 && least > 0 && high - low > 1e-13 * high; ++k) {
    const double middle = (low * at_high - high * at_low) / (at_high - at_low);
    PathPoint next;
    if (!step(before_, middle, next)) break;
    const double value = zero(next);
    if (std::abs(value) < least) least = std::abs(value), best = std::move(next);
    if (least < 1e-13) break;
    if (value * at_low > 0) {
      low = middle, at_low = value;
      if (side == 1) at_high *= 0.5;
      side = 1;
    } else {
      high = middle, at_high = value;
      if (side == -1) at_low *= 0.5;
      side = -1;
    }
  }
  return best;
}

PathPoint EquilibriumPath::turning_point() const {
  return where([&](const PathPoint& p) { return p.slope / range_; });
}

void EquilibriumPath::stop_at_turn() {
  point_ = turning_point();
  point_.slope = 0;
}

bool EquilibriumPath::stop_at(double parameter) {
  PathPoint there = where([&](const PathPoint& p) { return (p.parameter - parameter) / range_; });
  if (!newton_to_equilibrium(at(parameter).system, there.state, options_)) return false;
  there.parameter = parameter;
  if (!set_direction(there, before_)) return false;
  point_ = std::move(there);
  return true;
}

bool EquilibriumPath::measured_step(const PathMeasure& measure, double value) {
  const Assembly here = at(point_.parameter);
  const double now = measure(here, point_.state),
               slope = along(here, point_.state, measure, point_.direction);
  PathPoint next = point_;
  double length = slope != 0 ? (value - now) / slope : 0;
  double size = 0;
  for (int i = 0; i < positions_; ++i) size = std::max(size, std::abs(point_.direction[i] / nominal_[i]));
  if (std::abs(length) * size > 0.3) return false;
  move(here.system, next.state, point_.direction, length);
  next.parameter += length * point_.slope;
  next.along += std::abs(length);
  const Closing closing = [&](const State& s, double parameter, std::span<const double> a,
                              std::span<const double> b) {
    const Assembly there = at(parameter);
    return (value - measure(there, s) - along(there, s, measure, a)) / along(there, s, measure, b);
  };
  if (!correct(next.state, next.parameter, closing) || !set_direction(next, point_)) return false;
  if (product(point_.direction, point_.slope, next.direction, next.slope) < std::cos(2 * widest_bend))
    return false;
  before_ = std::exchange(point_, std::move(next));
  return true;
}

bool EquilibriumPath::reach(const PathMeasure& measure, double value) {
  double reached = measure(at(point_.parameter), point_.state), step = value - reached;
  const double least = 1e-6 * std::abs(step);
  while (reached != value) {
    const double next = std::abs(value - reached) <= std::abs(step) * (1 + 1e-9) ? value : reached + step;
    if (measured_step(measure, next)) {
      reached = next;
      step *= 2;
    } else if (std::abs(step /= 2) < least) {
      return false;
    }
  }
  return true;
}

}  // namespace escapement
