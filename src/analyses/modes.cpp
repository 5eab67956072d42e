#include "analyses/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <random>

#include "analyses/delayed_motion.hpp"
#include "analyses/observation.hpp"

namespace escapement {
namespace {

using Complex = std::complex<double>;

constexpr double farthest = 1e-7;  // |θ| over the largest one, below which an eigenvalue is taken as infinite
constexpr double nothing =
    1e-3;  // |s| over the shift, below which it looks like zero (Jordan blocks: √ε, ∛ε)
constexpr double good_residual = 1e-6;  // of a mode that is reported
constexpr int dense_limit_of_modes = 240;

/// All eigenpairs, in the space that the constraints leave.
std::vector<EigenPair> all_of(SmallMotion& problem) {
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

std::vector<EigenPair> some_of(SmallMotion& problem, int count) {
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

[[noreturn]] void refuse_nothing() {
  throw ModelError("E-MODES", "", "nothing in the model moves, and nothing is stored: there are no modes",
                   "`escapement show` lists the unknowns");
}

class Finder {
 public:
  Finder(const System& system, State state, const ModesOptions& options)
      : system_(system),
        state_(std::move(state)),
        options_(options),
        observation_(system, state_, options.proximal) {}

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
    if (!state_.delays.empty()) with_delays(result);
    for (Mode& mode : modes_) {
      if (options_.below > 0 ? mode.natural() > options_.below
                             : static_cast<int>(result.modes.size()) == options_.count) {
        if (result.radius > 0) result.radius = std::min(result.radius, std::abs(mode.s));
        break;
      }
      result.modes.push_back(std::move(mode));
    }
    if (result.radius > 0)
      result.notes.push_back(fmt::format(
          "delays take part; there are always more and faster modes. Listed are all with |s| < {:.6g} "
          "1/s, a natural frequency below {:.6g} Hz",
          result.radius, result.radius / (2 * std::numbers::pi)));
    if (!observation_.balanced())
      result.notes.push_back(
          "forces are out of balance in this configuration: the modes are those of the equations as they are "
          "at this instant (--at equilibrium, or --at steady, finds a balance first)");
    else if (observation_.unsteady())
      result.warnings.push_back(
          {"W-UNSTEADY",
           "parts move against each other: the coefficients of the linearised equations change while the "
           "motion goes on, and these are the modes of one instant only"});
    if (refused_ > 0)
      result.warnings.push_back(
          {"W-CONDITION",
           fmt::format("{} mode{} left out: {} equations do not hold to {:g}, they are badly conditioned",
                       refused_, refused_ == 1 ? " is" : "s are", refused_ == 1 ? "its" : "their",
                       good_residual)});
    return result;
  }

 private:
  /// Delays make it another problem, of which what was found with their outputs held is the beginning (T-modes-7).
  void with_delays(ModesResult& result) {
    const auto held = [&](const char* why) {
      result.warnings.push_back(
          {"W-HELD", fmt::format("the outputs of delays are held, they take no part in the modes: {}", why)});
    };
    if (options_.undamped) return held("--undamped knows mass and stiffness alone");
    if (!all_) return held("the model is too large for that");
    const std::vector<DelayedPath> paths = delayed_paths(system_, state_);
    if (paths.empty()) return;
    const auto problem = make();
    DelayedMotion motion(dynamic_cast<DampedMotion&>(*problem), system_, paths);
    const auto roots = motion.eigenvalues().roots(options_.count, 2 * std::numbers::pi * options_.below,
                                                  std::max(noise_, 1e-7 * sigma_));
    if (!roots)
      throw ModelError(
          "E-MODES", "",
          "the modes with these delays could not all be found: their number in a circle is known, "
          "but not where they are",
          "--count or --below, for another circle; or control.pade_delay");
    modes_.clear();
    refused_ = 0;
    const auto take = [&](Complex s, const DelayedEigenvalues::Motion& m) {
      keep({s, motion.shape(s, m), 0, m.residual});
    };
    for (const Complex s : roots->s) take(s, motion.eigenvalues().motion(s));
    for (const auto& m : motion.eigenvalues().still(roots->zeros)) take(0.0, m);
    sort();
    result.radius = roots->radius;
  }
  void sort() {
    std::stable_sort(modes_.begin(), modes_.end(),
                     [](const Mode& a, const Mode& b) { return std::abs(a.s) < std::abs(b.s); });
  }
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
  std::vector<EigenPair> look(SmallMotion& problem, int count) const {
    return all_ ? all_of(problem) : some_of(problem, count);
  }
  /// Which of them are zero? What rounding makes of zeros changes with the shift; a mode does not.
  Found judge(SmallMotion& problem, int count) {
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
  static double residual_of(SmallMotion& problem, const EigenPair& p) {
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
  std::unique_ptr<SmallMotion> make() {
    for (int attempt = 0;; ++attempt) {
      std::unique_ptr<SmallMotion> problem;
      if (options_.undamped)
        problem = std::make_unique<UndampedMotion>(system_, state_, sigma_, options_.proximal);
      else
        problem =
            std::make_unique<DampedMotion>(system_, state_, observation_.best(), sigma_, options_.proximal);
      if (problem->singular() >= 0) {
        if (attempt == 6)
          throw ModelError("E-SINGULAR", system_.row_name(problem->singular()),
                           "the linearised equations are singular: they do not say how this moves",
                           "`escapement check` examines the model");
        noise_ = std::max(noise_, sigma_);
        sigma_ *= 30;
        continue;
      }
      if (problem->size() == 0) refuse_nothing();
      if (options_.undamped && !problem->self_adjoint(10 * noise_ * noise_ / (sigma_ * sigma_)))
        throw ModelError(
            "E-MODES", "--undamped",
            "the stiffness is not symmetric here: a force turns with what it pushes, a controller acts, or "
            "forces are out of balance",
            "leave --undamped away, or --at equilibrium");
      return problem;
    }
  }
  void make_modes(SmallMotion& problem, const Found& found) {
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
    sort();
  }
  void add(SmallMotion& problem, const EigenPair& p, Complex s) {
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
    keep(std::move(mode));
  }
  /// One that holds, with the shape in units of what moves most.
  void keep(Mode mode) {
    // What drifts may do so steadily: a Jordan block, of which the residual sees the second vector.
    if (!(mode.residual <= (mode.s == 0.0 ? 0.1 : good_residual))) {
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
  const State state_;
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
  if (positions + system.rows(Kind::state).size() == 0) refuse_nothing();
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
  return Finder(system, with_delays_held(system, state), options).run();
}

}  // namespace escapement
