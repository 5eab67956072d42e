#include "analyses/buckling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analyses/equilibrium_path.hpp"
#include "core/newton.hpp"
#include "core/projection.hpp"
#include "sparse/eigenvalues.hpp"

namespace escapement {
namespace {

constexpr int all_at_once = 150;  // unknowns up to which all eigenvalues are computed

/// The equilibrium at a factor of the loads, and the matrix there.
struct Level {
  double factor = 0;
  Assembly assembly;
  State state;
  std::vector<double> matrix;
};

/// Of a matrix that is all but singular, by inverse iteration with its transpose.
std::vector<double> left_null_vector(const System& system, const std::vector<double>& matrix) {
  const Pattern& p = system.pattern();
  const int n = p.n;
  PatternBuilder builder(n);
  for (int j = 0; j < n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) builder.add(j, p.row[k]);
  const Pattern transposed = builder.finish();
  std::vector<double> values(transposed.nonzeros()), psi(n);
  const auto solver = make_solver(n);
  solver->explain(false);
  solver->analyze(transposed);
  std::mt19937 random(13);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double shift : {0.0, 1e-12, 1e-10, 1e-8}) {  // of the diagonal, if it is singular to rounding
    for (int j = 0; j < n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        values[transposed.find(j, p.row[k])] = matrix[k] * (p.row[k] == j ? 1 + shift : 1);
    if (!solver->factor(values).ok) continue;
    for (double& x : psi) x = uniform(random);
    for (int round = 0; round < 6; ++round) {
      solver->solve(psi);
      double most = 0;
      for (const double x : psi) most = std::max(most, std::abs(x));
      for (double& x : psi) x /= most;
    }
    break;
  }
  return psi;
}

class Buckling {
 public:
  Buckling(const State& start, const BucklingOptions& options, const WithLoads& with_loads)
      : options_(options), with_loads_(with_loads) {
    equilibrium_.proximal = options.proximal;
    Level level = at(0, nullptr, start);
    unloaded_.emplace(std::move(level));
  }

  BucklingResult run() {
    BucklingResult result;
    // A first estimate from little load; then about loads ever nearer to the critical one.
    const Level little = at(first_step, &*unloaded_, {});
    const std::vector<Critical> linear = critical(*unloaded_, little, 2 * options_.count);
    find_limit_point(little, linear);
    for (const Critical& c : linear) {
      if (static_cast<int>(result.modes.size()) == options_.count) break;
      BucklingMode mode;
      if (refine(c, mode)) result.modes.push_back(std::move(mode));
      else if (!limit_)
        result.warnings.push_back(
            {"W-BUCKLING",
             fmt::format("near {:.4g} times the loads the unloaded structure would buckle, but the "
                         "equilibrium could not be followed so "
                         "far, bends away, or stiffnesses differ too much to be sure: left out",
                         c.factor)});
    }
    if (!limit_) {
      double last = result.modes.empty() ? farthest_ : 0;
      for (const BucklingMode& m : result.modes) last = std::max(last, m.factor);
      follow(last);
    }
    if (limit_) {
      std::erase_if(result.modes, [&](const BucklingMode& m) { return m.factor > limit_->parameter; });
      result.modes.push_back(at_limit_point(linear));
    }
    std::stable_sort(result.modes.begin(), result.modes.end(),
                     [](const BucklingMode& a, const BucklingMode& b) { return a.factor < b.factor; });
    if (static_cast<int>(result.modes.size()) > options_.count) result.modes.resize(options_.count);
    result.searched = path_->point().parameter;
    return result;
  }

 private:
  static constexpr double first_step = 1e-3;  // of the loads
  struct Critical {
    double factor;
    std::vector<double> shape;
  };

  /// From the equilibrium at another level, in steps that shrink where Newton fails.
  Level at(double factor, const Level* from, const State& start) {
    Level level{factor, with_loads_(factor), from ? from->state : start, {}};
    if (!from) {
      find_equilibrium(level.assembly.system, level.state, equilibrium_);
    } else if (!newton_to_equilibrium(level.assembly.system, level.state, equilibrium_)) {
      double reached = from->factor, step = (factor - reached) / 4;
      for (int tries = 0; reached != factor; ++tries) {
        const double next = std::abs(factor - reached) <= std::abs(step) * 1.001 ? factor : reached + step;
        const Assembly part = with_loads_(next);
        if (newton_to_equilibrium(part.system, level.state, equilibrium_)) reached = next;
        else step /= 2;
        if (tries > 200)
          throw ModelError(
              "E-EQUILIBRIUM", "",
              fmt::format("the equilibrium could be followed up to {:.4g} times the loads only", reached),
              "the structure may snap through there, or slide without end");
      }
    }
    level.matrix = matrix_of(level.assembly.system, level.state);
    return level;
  }
  std::vector<double> matrix_of(const System& system, const State& state) const {
    std::vector<double> r(system.size()), matrix(system.pattern().nonzeros());
    system.tangent(state, {.position = 1, .flow = 1}, {}, r, matrix);
    add_proximal(system, proximal_diagonal(system, options_.proximal, matrix), matrix);
    return matrix;
  }

  /// Factors at which J(a) + (f − a) J′ is singular, the nearest to a first; only beyond a.
  std::vector<Critical> critical(const Level& a, const Level& b, int count) {
    const System& system = a.assembly.system;
    Newton newton(system, 0, {});
    std::copy(a.matrix.begin(), a.matrix.end(), newton.matrix().begin());
    if (const Factorization f = newton.factor(); !f.ok) {
      const auto& rows = f.singular_rows.empty() ? f.singular_columns : f.singular_rows;
      throw ModelError("E-MODES", rows.empty() ? "" : system.row_name(rows[0]),
                       "the structure may move freely without its loads: it has no stiffness to lose",
                       "support it: joints, springs");
    }
    std::vector<double> slope(a.matrix.size());
    double change = 0, size = 0;
    for (std::size_t k = 0; k < slope.size(); ++k) {
      slope[k] = (b.matrix[k] - a.matrix[k]) / (b.factor - a.factor);
      change = std::max(change, std::abs(slope[k]));
      size = std::max(size, std::abs(a.matrix[k]));
    }
    if (!(change > 1e-12 * size))
      throw ModelError("E-MODES", "", "no load changes the stiffness: nothing can buckle",
                       "gravity, or a force.point on a part that bends");
    const int n = system.size();
    const auto nominal = system.nominal();
    std::vector<double> x(n);
    const LinearOperator T = [&](std::span<const double> u, std::span<double> y) {
      for (int i = 0; i < n; ++i) x[i] = nominal[i] * u[i];
      multiply(system.pattern(), slope, x, y);
      newton.solver().solve(y);
      for (int i = 0; i < n; ++i) y[i] /= -nominal[i];
    };
    std::vector<EigenPair> pairs;
    if (n <= all_at_once) {
      std::vector<double> matrix(static_cast<std::size_t>(n) * n), unit(n, 0.0);
      for (int j = 0; j < n; ++j) {
        unit[j] = 1;
        T(unit, std::span(matrix).subspan(static_cast<std::size_t>(j) * n, n));
        unit[j] = 0;
      }
      pairs = all_eigenpairs(matrix);
    } else {
      std::mt19937 random(13);
      std::uniform_real_distribution<double> uniform(-1, 1);
      std::vector<double> start(n), y(n);
      for (double& e : start) e = uniform(random);
      T(start, y);
      pairs = largest_eigenpairs(T, count, y);
    }
    std::vector<Critical> list;
    double top = 0;
    for (const EigenPair& p : pairs) top = std::max(top, std::abs(p.value));
    for (const EigenPair& p : pairs) {
      const double theta = p.value.real();
      if (!(theta > 1e-9 * top) || std::abs(p.value.imag()) > 1e-6 * theta) continue;
      Critical c{a.factor + 1 / theta, std::vector<double>(n)};
      // A real eigenvalue has a real vector, up to a factor.
      int largest = 0;
      for (int i = 0; i < n; ++i)
        if (std::abs(p.vector[i]) > std::abs(p.vector[largest])) largest = i;
      for (int i = 0; i < n; ++i) c.shape[i] = nominal[i] * (p.vector[i] / p.vector[largest]).real();
      list.push_back(std::move(c));
    }
    return list;  // the largest θ first: the nearest
  }

  /// Follows the path of equilibria to where it turns back, or past the factors that the unloaded structure tells (T-buckling-2).
  void find_limit_point(const Level& little, const std::vector<Critical>& linear) {
    // The loads that would move something by a fiftieth of the size of the structure.
    const double rate = response(little) / first_step;
    const double range = rate > 0 ? 0.02 / rate : 1;
    farthest_ = 100 * range;
    path_.emplace(with_loads_, unloaded_->state, 0.0,
                  linear.empty() ? range : std::min(range, linear.front().factor), equilibrium_);
    const std::size_t last = std::min<std::size_t>(linear.size(), options_.count);
    follow(last > 0 ? 1.2 * linear[last - 1].factor : farthest_);
  }
  /// How far a little load moves something: a frame over the size of the whole, an angle, another position over what is usual.
  double response(const Level& little) const {
    const System& system = little.assembly.system;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (const LieVariable& v : system.lie_variables())
      for (int k = 0; k < 3 && v.dofs() == 6; ++k) {
        const double x = unloaded_->state.value[v.place.value + 4 + k];
        low[k] = std::min(low[k], x), high[k] = std::max(high[k], x);
        size = std::max(size, high[k] - low[k]);
      }
    double most = 0;
    for (const Moved& m : moved(system, unloaded_->state, little.state, 0))
      most = std::max(most, size > 0 ? std::max(m.position / size, m.angle) : m.relative);
    return most;
  }
  void follow(double until) {
    for (int k = 0; k < 400 && path_->point().parameter < until; ++k) {
      if (!path_->advance()) return;
      if (!path_->turned()) continue;
      limit_ = path_->turning_point();
      return;
    }
  }
  BucklingMode at_limit_point(const std::vector<Critical>& linear) const {
    BucklingMode mode;
    mode.factor = limit_->parameter;
    mode.state = limit_->state;
    mode.shape = limit_->direction;
    mode.linear = NAN;
    const Assembly assembly = with_loads_(mode.factor);
    mode.kind = kind_of(matrix_of(assembly.system, mode.state), mode.state, mode.factor);
    double best = 0.5;
    for (const Critical& c : linear)
      if (const double l = likeness(assembly.system, c.shape, mode.shape); l > best)
        best = l, mode.linear = c.factor;
    scale(assembly.system, mode);
    return mode;
  }
  /// ψᵀ∂R/∂f, the load in the left null vector: zero where the path branches, not where it turns back (T-buckling-3).
  Instability kind_of(const std::vector<double>& matrix, const State& state, double factor) const {
    const Assembly below = with_loads_(factor * (1 - 1e-3)), above = with_loads_(factor * (1 + 1e-3));
    const System& system = below.system;
    std::vector<double> load(system.size()), less(system.size());
    above.system.residual(state, {.position = 1, .flow = 1}, load);
    system.residual(state, {.position = 1, .flow = 1}, less);
    const std::vector<double> psi = left_null_vector(system, matrix);
    double product = 0, loads = 0, shape = 0;
    for (int i = 0; i < system.rows(Kind::position).end; ++i) {
      const double nominal = system.nominal()[i], by = load[i] - less[i];
      product += psi[i] * by;
      loads += std::pow(by * nominal, 2);
      shape += std::pow(psi[i] / nominal, 2);
    }
    return std::abs(product) > 1e-6 * std::sqrt(loads * shape) ? Instability::limit_point
                                                               : Instability::bifurcation;
  }

  /// By two levels below the factor found, ever nearer to it, down to a thousandth and a tenth of that: what is left of the
  /// second order is their product.
  bool refine(const Critical& found, BucklingMode& mode) {
    mode.linear = found.factor;
    Critical now = found;
    try {
      for (const double below : {0.3, 0.1, 0.03, 0.01, 0.003, 1e-3}) {
        const double aim = limit_ ? std::min(now.factor, limit_->parameter) : now.factor;
        const Level& from = last_ && last_->factor < aim ? *last_ : *unloaded_;
        Level a = at((1 - below) * aim, &from, {});
        const Level b = at((1 - 0.1 * below) * aim, &a, {});
        const std::vector<Critical> next = critical(a, b, 4);
        const Critical* like = nullptr;
        double best = 0.2;  // two of the same factor may mix
        for (const Critical& c : next)
          if (const double l = likeness(a.assembly.system, c.shape, now.shape); l > best) like = &c, best = l;
        if (!like) return false;
        now = *like;
        if (limit_ && below < 0.2 && beyond_limit(a.assembly.system, now, below)) return false;
        last_.emplace(std::move(a));
      }
    } catch (const ModelError& e) {
      if (e.code != "E-EQUILIBRIUM" && e.code != "E-MODES") throw;
      return false;
    }
    const System& system = last_->assembly.system;
    if (limit_ && now.factor > limit_->parameter * (1 + 1e-4)) return false;  // it has snapped before
    if (!(softness(now.shape) < 0.05)) return false;
    if (kind_of(last_->matrix, last_->state, now.factor) == Instability::limit_point)
      return false;  // on the path
    mode.factor = now.factor;
    mode.state = last_->state;
    mode.shape = std::move(now.shape);
    return scale(system, mode);
  }
  /// Estimated from so far below: it comes after the limit point, or is the limit point itself.
  bool beyond_limit(const System& system, const Critical& c, double below) const {
    return c.factor > limit_->parameter * (1 + 2 * below) ||
           likeness(system, c.shape, limit_->direction) > 0.9;
  }
  /// So that the largest part is one nominal magnitude.
  static bool scale(const System& system, BucklingMode& mode) {
    double most = 0;
    for (int i = 0; i < system.rows(Kind::position).end; ++i)
      if (const double a = std::abs(mode.shape[i]) / system.nominal()[i]; a > most * (1 + 1e-9))
        most = a, mode.largest = i;
    if (!(most > 0)) return false;
    const double unit = system.nominal()[mode.largest] / mode.shape[mode.largest];
    for (double& x : mode.shape) x *= unit;
    return true;
  }
  /// What is left of the stiffness against a shape at the last level, |J(0)⁻¹ J φ|/|φ|: a thousandth at a thousandth below the
  /// factor (its root where the path turns back). More means that differences of J have drowned in rounding, and the factor with them.
  double softness(const std::vector<double>& shape) const {
    const System& system = unloaded_->assembly.system;
    Newton newton(system, 0, {});
    std::copy(unloaded_->matrix.begin(), unloaded_->matrix.end(), newton.matrix().begin());
    if (!newton.factor().ok) return INFINITY;
    std::vector<double> left(system.size());
    multiply(system.pattern(), last_->matrix, shape, left);
    newton.solver().solve(left);
    double before = 0, after = 0;
    for (int i = 0; i < system.rows(Kind::position).end; ++i) {
      before += std::pow(shape[i] / system.nominal()[i], 2);
      after += std::pow(left[i] / system.nominal()[i], 2);
    }
    return std::sqrt(after / before);
  }
  static double likeness(const System& system, const std::vector<double>& a, const std::vector<double>& b) {
    double ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < system.rows(Kind::position).end; ++i) {
      const double weight = 1 / (system.nominal()[i] * system.nominal()[i]);
      ab += weight * a[i] * b[i];
      aa += weight * a[i] * a[i];
      bb += weight * b[i] * b[i];
    }
    return aa > 0 && bb > 0 ? ab * ab / (aa * bb) : 0;
  }

  BucklingOptions options_;
  const WithLoads& with_loads_;
  StartOptions equilibrium_;
  std::optional<EquilibriumPath> path_;
  std::optional<PathPoint> limit_;
  double farthest_ = 0;  // no limit point is looked for beyond
  std::optional<Level> unloaded_, last_;
};

}  // namespace

BucklingResult find_buckling(const State& start, const BucklingOptions& options,
                             const WithLoads& with_loads) {
  return Buckling(start, options, with_loads).run();
}

}  // namespace escapement
