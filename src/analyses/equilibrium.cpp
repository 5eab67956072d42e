#include "analyses/equilibrium.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "analyses/twist.hpp"
#include "core/manifold.hpp"

namespace escapement {
namespace {

/// The twists that frames keep in space while they are moved: what a steady turn is about.
class FrameTwists {
 public:
  explicit FrameTwists(const System& system) : system_(system) {}
  FrameTwists(const System& system, const State& state) : system_(system) {
    for (const LieVariable& v : system.lie_variables()) twists_.push_back(Twist::of(state, v));
  }
  bool is_still() const { return twists_.empty(); }
  /// Velocities of the frames where they are now.
  void give(State& state) const {
    for (std::size_t k = 0; k < twists_.size(); ++k)
      twists_[k].seen_from(state, system_.lie_variables()[k], state.rate);
  }

 private:
  const System& system_;
  std::vector<Twist> twists_;  // of the variables on groups; empty: at rest
};

/// Pseudo-transient continuation: [K + C/τ + M/τ², Φ_qᵀ; Φ_q, 0] δ = −R (T-equilibrium-2).
class PseudoTransient {
 public:
  PseudoTransient(const System& system, State& state, const StartOptions& options, const FrameTwists& turning,
                  ModesOnTheWay modes = {}, bool carried = false)
      : system_(system),
        state_(state),
        options_(options),
        turning_(turning),
        modes_(std::move(modes)),
        carried_(carried),
        newton_(system, 0, {}),
        r_(system.size()),
        du_(system.size()),
        stored_(system.size()),
        kept_(system.size(), 0) {
    std::copy(options.kept.position.begin(), options.kept.position.end(), kept_.begin());
    newton_.solver().explain(false);  // a shorter step will do
  }

  /// False: it neither settles nor fails within this many iterations.
  bool run(EquilibriumReport& report, int most) {
    double tau = first_step();
    const double longest = 1e6 * tau;
    for (int k = 0; k < most; ++k) {
      ++report.iterations;
      system_.state_store(state_, stored_);
      double size = 0;
      for (int attempt = 0;; ++attempt) {
        size = increment(tau);
        const bool uphill = turning_.is_still() && size > 1e-7 && work() > 0;
        if (size <= 0.3 && !uphill) break;
        if (attempt == 60) return false;
        tau *= size > 0.3 ? std::max(0.2, std::min(0.7, std::sqrt(0.3 / size))) : 0.5;
      }
      const auto q = state_.value;
      move_positions(system_, q, du_, state_.value, {});
      if (!turning_.is_still()) turning_.give(state_);
      const auto at = system_.value_of_row();
      for (int i = system_.rows(Kind::position).end; i < system_.size(); ++i) state_.value[at[i]] += du_[i];
      const bool switched = modes_ && modes_(state_);
      if (!switched && size < 1e-11 && others_ < 1e-10 && tau >= 1e-2 * longest) return true;
      tau = std::min(longest, tau * (size < 0.03 ? 4 : 1.7));
    }
    return false;
  }

  /// The rows that are farthest from balance, as the start sees them.
  int worst() const { return worst_; }
  /// What is left to move, over nominal magnitudes.
  RestDefect left() {
    const double tau = 1e6 * first_step();
    system_.state_store(state_, stored_);
    const double position = increment(tau);
    return {std::max(position, others_), position, worst_};
  }

 private:
  Shift shift(double tau) const {
    return {.position = 1,
            .velocity = 1 / tau,
            .acceleration = 1 / (tau * tau),
            .store = 1 / tau,
            .flow = 1,
            .nonholonomic_scale = tau};
  }
  /// A time in which the first accelerations move things by a tenth of their nominal magnitude.
  double first_step() {
    State probe = state_;
    StartOptions quiet = options_;
    quiet.check = quiet.project = false;
    quiet.proximal = std::max(quiet.proximal, 1e-8);
    double top = 0;
    try {
      make_consistent(system_, probe, quiet);
      for (int i = 0; i < system_.rows(Kind::position).end; ++i)
        top = std::max(top, std::abs(probe.acceleration[i]) / system_.nominal()[i]);
      // Multipliers, signals: a good guess.
      const auto at = system_.value_of_row();
      for (int i = system_.rows(Kind::state).end; i < system_.size(); ++i)
        state_.value[at[i]] = probe.value[at[i]];
    } catch (const ModelError&) {  // not needed to go on
    }
    return std::sqrt(0.1 / std::max(top, 0.1));
  }
  /// Solves for the increment; its size over nominal magnitudes (positions).
  double increment(double tau) {
    if (!turning_.is_still()) turning_operators(system_, state_.rate, tau, operators_);
    system_.tangent(state_, shift(tau), operators_, r_, newton_.matrix());
    const Range states = system_.rows(Kind::state);
    for (int i = states.begin; i < states.end; ++i) r_[i] -= stored_[i] / tau;
    add_proximal(system_, proximal_diagonal(system_, std::max(options_.proximal, 1e-9), newton_.matrix()),
                 newton_.matrix());
    const int positions = system_.rows(Kind::position).end;
    if (carried_)  // velocities are what they should be, and stay
      for (int i = system_.rows(Kind::nonholonomic).begin; i < system_.size(); ++i) r_[i] = 0;
    hold(system_, kept_, newton_.matrix());
    for (int i = 0; i < positions; ++i)
      if (kept_[i]) r_[i] = 0;
    for (double x : r_)
      if (!std::isfinite(x)) {
        if (const ModelError* e = system_.fault(state_)) throw *e;
        return INFINITY;
      }
    if (!newton_.factor().ok) return INFINITY;
    for (int i = 0; i < system_.size(); ++i) du_[i] = -r_[i];
    newton_.solver().solve(du_);
    if (!turning_.is_still()) apply_operators(system_, operators_, du_);
    double size = 0;
    for (int i = 0; i < positions; ++i) {
      const double e = std::abs(du_[i]) / system_.nominal()[i];
      if (!(e <= size)) size = e, worst_ = i;
    }
    others_ = 0;
    const auto at = system_.value_of_row();
    for (int i = positions; i < system_.rows(Kind::algebraic).end; ++i) {
      const double e = std::abs(du_[i]) / (system_.nominal()[i] + std::abs(state_.value[at[i]]));
      if (!(e <= others_)) {
        others_ = e;
        if (size < 1e-9) worst_ = i;
      }
    }
    return std::isfinite(size) ? size : INFINITY;
  }
  /// Along the increment, against the forces: positive means uphill. Multipliers do no work (T-equilibrium-3).
  double work() {
    double sum = 0;
    for (int i = 0; i < system_.rows(Kind::position).end; ++i) sum += du_[i] * r_[i];
    return sum;
  }

  const System& system_;
  State& state_;
  const StartOptions& options_;
  const FrameTwists& turning_;
  ModesOnTheWay modes_;
  bool carried_;
  Newton newton_;
  std::vector<double> r_, du_, stored_, operators_;
  std::vector<char> kept_;
  double others_ = 0;
  int worst_ = 0;
};

}  // namespace

EquilibriumReport find_equilibrium(const System& system, State& state, const StartOptions& options,
                                   const ModesOnTheWay& modes, bool carried) {
  EquilibriumReport report;
  const int positions = system.rows(Kind::position).end;
  if (!carried) std::fill(state.rate.begin(), state.rate.begin() + positions, 0.0);
  std::fill(state.acceleration.begin(), state.acceleration.end(), 0.0);
  StartOptions still = options;
  still.kept.rate.clear();
  // Prescribed motions may want velocities: they are not looked at here.
  const auto close = [&](State& s) { project_positions(system, s, still); };
  close(state);
  const State before = state;
  const FrameTwists at_rest(system);
  ModesOnTheWay closing;
  if (modes)
    closing = [&](State& s) {  // a stop that is passed closes, and what passed it comes back to it
      if (!modes(s)) return false;
      close(s);
      return true;
    };
  PseudoTransient search(system, state, still, at_rest, closing, carried);
  if (!search.run(report, 2000))
    throw ModelError(
        "E-EQUILIBRIUM", system.row_name(search.worst()),
        fmt::format("no equilibrium found in {} iterations; this row moved most at last", report.iterations),
        "something may fall or turn without end, or only come to rest in motion; start closer to "
        "the equilibrium, or fix what may drift: initial: {fixed: [position]}");
  close(state);
  if (!moved(system, before, state, 1e-6).empty() || positions == 0) return report;
  // It was there from the start. Pushed a little, does it come back?
  State pushed = state;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> push(system.size(), 0.0);
  for (int i = 0; i < positions; ++i)
    if (still.kept.position.empty() || !still.kept.position[i])
      push[i] = 1e-5 * uniform(random) * system.nominal()[i];
  move_positions(system, state.value, push, pushed.value, {});
  try {
    close(pushed);
    EquilibriumReport ignored;
    PseudoTransient(system, pushed, still, at_rest, closing, carried).run(ignored, 200);
    report.unstable = !moved(system, state, pushed, 1e-2).empty();
  } catch (const ModelError&) {  // the push led out of what the constraints allow
  }
  return report;
}

RestDefect rest_defect(const System& system, const State& state, const StartOptions& options, bool carried) {
  State at = state;
  std::fill(at.acceleration.begin(), at.acceleration.end(), 0.0);
  const FrameTwists at_rest(system);
  PseudoTransient search(system, at, options, at_rest, {}, carried);
  return search.left();
}

bool newton_to_equilibrium(const System& system, State& state, const StartOptions& options, double* first,
                           bool carried) {
  const State before = state;
  const int positions = system.rows(Kind::position).end;
  if (!carried) std::fill(state.rate.begin(), state.rate.begin() + positions, 0.0);
  std::fill(state.acceleration.begin(), state.acceleration.end(), 0.0);
  Newton newton(system, 0, {});
  newton.solver().explain(false);
  std::vector<double> r(system.size()), q;
  std::vector<char> kept(system.size(), 0);
  std::copy(options.kept.position.begin(), options.kept.position.end(), kept.begin());
  const auto at = system.value_of_row();
  double previous = INFINITY;
  for (int k = 0; k < 40; ++k) {
    system.tangent(state, {.position = 1, .flow = 1}, {}, r, newton.matrix());
    add_proximal(system, proximal_diagonal(system, options.proximal, newton.matrix()), newton.matrix());
    hold(system, kept, newton.matrix());
    for (int i = 0; i < positions; ++i)
      if (kept[i]) r[i] = 0;
    const bool finite = std::all_of(r.begin(), r.end(), [](double x) { return std::isfinite(x); });
    if (!finite || !newton.factor().ok) break;
    for (double& x : r) x = -x;
    newton.solver().solve(r);
    double size = 0;
    for (int i = 0; i < positions; ++i) size = std::max(size, std::abs(r[i]) / system.nominal()[i]);
    if (first && k == 0) *first = size;
    for (int i = positions; i < system.rows(Kind::algebraic).end; ++i)
      size = std::max(size, std::abs(r[i]) / (system.nominal()[i] + std::abs(state.value[at[i]])));
    if (!std::isfinite(size) || size > 1e6) break;
    if (const double shorter = 0.3 / size; shorter < 1)
      for (double& x : r) x *= shorter;
    q = state.value;
    move_positions(system, q, r, state.value, {});
    for (int i = positions; i < system.size(); ++i) state.value[at[i]] += r[i];
    // At the floor of rounding increments shrink no more.
    if (size < 1e-11 || (size < 1e-8 && size > 0.5 * previous)) return true;
    previous = size;
  }
  state = before;
  return false;
}

namespace {

/// On the same path with other loads. A path that bends like a parabola moves at most twice as far in a step as its tangent: more
/// is another branch (T-buckling-4).
bool follow_path(const System& system, State& state, const StartOptions& options) {
  const State before = state;
  double first = 0;
  if (!newton_to_equilibrium(system, state, options, &first)) return false;
  const auto moves = moved(system, before, state, 0);
  if (moves.empty() || moves.front().relative < 3 * first + 1e-6) return true;
  state = before;
  return false;
}

}  // namespace

EquilibriumReport step_to_equilibrium(const System& system, State& state, const StartOptions& options,
                                      int steps, const WithLoads& with_loads) {
  EquilibriumReport report;
  const double usual = 1.0 / steps, least = usual / 64;
  double reached = 0, step = usual;
  {
    const Assembly unloaded = with_loads(0);
    report.unstable = find_equilibrium(unloaded.system, state, options).unstable;
  }
  while (reached < 1) {
    const double next = reached + step > 1 - 1e-9 ? 1 : reached + step;
    std::optional<Assembly> part;
    if (next < 1) part.emplace(with_loads(next));
    const System& loaded = part ? part->system : system;
    ++report.iterations;
    if (!follow_path(loaded, state, options)) {
      if (step > least) {
        step /= 2;
        continue;
      }
      const State before = state;
      report.unstable = find_equilibrium(loaded, state, options).unstable;
      const auto moves = moved(loaded, before, state, 0);
      if (!moves.empty() && moves.front().relative > 1e-3) report.lost_at = std::min(report.lost_at, reached);
    }
    reached = next;
    step = std::min(usual, 2 * step);
  }
  return report;
}

bool snapped_through(const System& system, const State& state, const State& unloaded,
                     const StartOptions& options, const WithLoads& with_loads) {
  constexpr double back = 1e-6, least = 1.0 / 512;
  State at = unloaded;
  if (!newton_to_equilibrium(with_loads(0).system, at, options) || !moved(system, unloaded, at, back).empty())
    return false;
  at = state;
  double left = 1, step = 0.25;
  while (left > 0) {
    const double next = std::max(0.0, left - step);
    if (follow_path(with_loads(next).system, at, options)) left = next;
    else if ((step /= 2) < least) return true;
  }
  return !moved(system, unloaded, at, 1e-4).empty();
}

EquilibriumReport find_steady_motion(const System& system, State& state, const StartOptions& options) {
  EquilibriumReport report;
  StartOptions moving = options;
  moving.kept = {};
  std::fill(state.acceleration.begin(), state.acceleration.end(), 0.0);
  const FrameTwists turning(system, state);
  PseudoTransient search(system, state, moving, turning);
  if (!search.run(report, 2000))
    throw ModelError(
        "E-EQUILIBRIUM", system.row_name(search.worst()),
        fmt::format("no steady motion found in {} iterations; this row moved most at last",
                    report.iterations),
        "forces must be able to balance while everything keeps its twist: all that is connected turns about "
        "one axis, and gravity is along it or `gravity: none`");
  return report;
}

}  // namespace escapement
