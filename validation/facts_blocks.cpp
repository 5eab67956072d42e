// Linear blocks against their exact solutions: output and states, in the largest error from t = 0 on, for every ρ∞ of the
// states and for constant and varying steps. Integrals with limits and resets against fine Runge–Kutta solutions.
#include <map>
#include <memory>

#include "analyses/simulate.hpp"
#include "components/control/prototypes.hpp"
#include "components/registry.hpp"
#include "linear_reference.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

const Real pi = std::numbers::pi_v<Real>;

/// Runs a model; `watch(t, value of each channel)` at the start and after every step.
void follow(const std::string& components, double until, const std::vector<double>& steps, double rho_states,
            const std::vector<std::string>& channels,
            const std::function<void(double, const std::vector<double>&)>& watch) {
  static const Registry registry = standard_registry();
  std::string list;
  for (const double h : steps) list += fmt::format("{}{:.17g} s", list.empty() ? "" : ", ", h);
  const Model model = Model::read_text(fmt::format("escapement: 1\ncomponents:\n{}simulate: {{until: {} s, "
                                                   "steps: [{}], rho_states: {}, newton_tolerance: 1e-11}}\n",
                                                   components, until, list, rho_states),
                                       "blocks", registry);
  const Assembly assembly = assemble(model);
  struct Observer final : RunObserver {
    const Assembly& assembly;
    const std::function<void(double, const std::vector<double>&)>& watch;
    std::vector<const Channel*> wanted = {};
    Observer(const Assembly& a, const std::function<void(double, const std::vector<double>&)>& w)
        : assembly(a), watch(w) {}
    void row(const State& s) override {
      std::vector<double> values;
      for (const Channel* c : wanted) values.push_back(assembly.read(*c, s));
      watch(s.t, values);
    }
    bool step(const StepDone&) override { return true; }
  } observer(assembly, watch);
  for (const std::string& c : channels) observer.wanted.push_back(assembly.select({{c, {}, {}}}).at(0));
  const RunResult result = simulate(assembly, simulate_options(model), observer);
  if (result.failure) FAIL(result.failure->cause);
}

struct StepPattern {
  const char* name;
  std::vector<double> sizes;
};
const StepPattern patterns[] = {{"constant", {1.0}},
                                {"alternating 0.7/1.3", {0.7, 1.3}},
                                {"irregular", {0.8, 1.1, 0.6, 0.9, 1.5, 0.7, 1.3, 1.1}}};

std::vector<double> scaled(const StepPattern& p, double h) {
  std::vector<double> steps = p.sizes;
  for (double& s : steps) s *= h;
  return steps;
}

// ------------------------------------------------------------------ linear blocks

const char* const blocks = R"(
  wave: {type: control.sine, amplitude: 2, frequency: 0.8 Hz, phase: 0.3 rad, offset: 0.5}
  integrator: {type: control.integrator, gain: 0.7, input: wave, initial: {output: 0.2}}
  derivative: {type: control.derivative, gain: 0.3, filter: 0.15 s, input: wave, initial: {output: 0.6}}
  first_order: {type: control.first_order, gain: 2, time_constant: 0.4 s, input: wave, initial: {output: 1.5}}
  second_order: {type: control.second_order, gain: 1.5, frequency: 1.2 Hz, damping_ratio: 0.25, input: wave, initial: {output: -0.4, rate: 3}}
  lead_lag: {type: control.lead_lag, gain: 1.2, numerator_time: 0.5 s, denominator_time: 0.2 s, input: wave, initial: {input: 0.9}}
  transfer_function: {type: control.transfer_function, numerator: [1, 2, 5], denominator: [0.5, 2, 6, 8], input: wave}
  zero_pole_gain: {type: control.zero_pole_gain, zeros: [-2 rad/s], zero_pairs: [[-0.5 rad/s, 4 rad/s]], poles: [-1.5 rad/s, -4 rad/s], pole_pairs: [[-1 rad/s, 5 rad/s]], gain: 3, input: wave, initial: {input: 0.3}}
  notch: {type: control.notch, frequency: 1 Hz, width: 0.6 Hz, depth: 0.8, input: wave, initial: {input: 1}}
  butterworth_low: {type: control.filter, order: 4, cutoff: 1 Hz, input: wave, initial: {input: 0.5}}
  butterworth_high: {type: control.filter, pass: high, order: 3, cutoff: 0.5 Hz, input: wave, initial: {input: 0.5}}
  butterworth_band: {type: control.filter, pass: band, order: 2, cutoff: [0.4 Hz, 1.1 Hz], input: wave}
  butterworth_stop: {type: control.filter, pass: stop, order: 2, cutoff: [0.4 Hz, 1.1 Hz], input: wave}
  bessel_low: {type: control.filter, kind: bessel, order: 5, cutoff: 1.2 Hz, input: wave}
  pade_delay: {type: control.pade_delay, delay: 0.8 s, order: 4, input: wave}
  state_space: {type: control.state_space, A: [[0, 1], [-9, -2]], B: [[0.5], [3]], C: [[1, 0.2]], D: [[0.1]], input: wave, initial: {state: [1, -1]}}
  observer: {type: control.observer, A: [[0, 1], [-9, -2]], B: [[0.5], [3]], C: [[1, 0.2]], D: [[0.1]], L: [[2], [5]], input: wave, measurement: state_space}
  feedback: {type: control.state_feedback, K: [[2, 0.5]], state: observer, reference: wave}
  pid: {type: control.pid, input: wave, kp: 2, ki: 3, kd: 0.4, derivative_filter: 0.2 s, initial: {integral: 0.3, derivative: -1}}
)";

/// The exact solutions, each from another source than the blocks themselves.
class Exact {
 public:
  std::vector<std::string> channels;

  Exact() {
    const auto vector = [](std::initializer_list<Real> x) {
      RealVector v(static_cast<Eigen::Index>(x.size()));
      std::copy(x.begin(), x.end(), v.data());
      return v;
    };
    output("integrator", {{0.7L}, {1, 0}, wave, vector({0.2L / 0.7L})});
    // D = k (u − x)/τ with τ ẋ = u − x: x starts at u − τ D / k.
    output("derivative", {{0.3L, 0}, {0.15L, 1}, wave, vector({(wave.at(0) - 0.15L * 0.6L / 0.3L) * 0.15L})});
    output("first_order", {{2}, {0.4L, 1}, wave, vector({1.5L * 0.4L / 2})});
    const Real w = 2 * pi * 1.2L, k = 1.5L * w * w;
    auto& second = output("second_order", {{k}, {1, 0.5L * w, w * w}, wave, vector({-0.4L / k, 3 / k})});
    add("second_order.rate", [&second, k](Real) { return k * second.state()(1); });
    output("lead_lag", {{0.6L, 1.2L}, {0.2L, 1}, wave, 0.9L});
    auto& transfer = output("transfer_function", {{1, 2, 5}, {0.5L, 2, 6, 8}, wave});
    for (int j = 0; j < 3; ++j)
      add(fmt::format("transfer_function.state.{}", j + 1),
          [&transfer, j](Real) { return transfer.state()(j) * std::pow(16.0L, (3 - j) / 3.0L); });
    output("zero_pole_gain", {Polynomial{3} * Polynomial{1, 2} * Polynomial{1, 1, 16.25L},
                              Polynomial{1, 1.5L} * Polynomial{1, 4} * Polynomial{1, 2, 26}, wave, 0.3L});
    const Real n = 2 * pi, width = 2 * pi * 0.6L;
    output("notch", {{1, 0.2L * width, n * n}, {1, width, n * n}, wave, 1});
    output("butterworth_low",  // s² + 2 sin((2k − 1)π/2n) s + 1
           {{n * n * n * n}, quadratic(pi / 8, n) * quadratic(3 * pi / 8, n), wave, 0.5L});
    const Real c = 2 * pi * 0.5L;
    output("butterworth_high", {{1, 0, 0, 0}, Polynomial{1, c} * quadratic(pi / 6, c), wave, 0.5L});
    // Second order, p² + √2 p + 1, with p = (s² + ab) / ((b − a) s), or its inverse.
    const Real a = 2 * pi * 0.4L, b = 2 * pi * 1.1L, B = b - a, root = std::sqrt(2.0L) * B;
    const Polynomial square = {1, 0, a * b};
    Polynomial band = square * square;
    const Polynomial middle = Polynomial{root, 0} * square;
    for (int i = 0; i < 4; ++i) band[i + 1] += middle[i];
    band[2] += B * B;
    output("butterworth_band", {{B * B, 0, 0}, band, wave});
    output("butterworth_stop", {square * square, band, wave});
    // θ₅ = s⁵ + 15 s⁴ + 105 s³ + 420 s² + 945 s + 945 passes half the power at 2.42741070215263 rad/s.
    const Real scale = 2.42741070215263L / (2 * pi * 1.2L);
    Polynomial theta = {1, 15, 105, 420, 945, 945};
    for (int i = 0; i < 6; ++i) theta[i] *= std::pow(scale, 5 - i);
    output("bessel_low", {{945}, theta, wave});
    // Padé (4, 4): x⁴ ∓ 20 x³ + 180 x² ∓ 840 x + 1680.
    const Real d = 0.8L;
    output("pade_delay", {{d * d * d * d, -20 * d * d * d, 180 * d * d, -840 * d, 1680},
                          {d * d * d * d, 20 * d * d * d, 180 * d * d, 840 * d, 1680},
                          wave});
    plant_and_observer();
    output("pid", {{3}, {1, 0}, wave, vector({0.1L})}, false);
    const auto integral = solutions_.back().get();
    output("pid", {{0.4L, 0}, {0.2L, 1}, wave, vector({(wave.at(0) + 0.2L / 0.4L) * 0.2L})}, false);
    const auto derivative = solutions_.back().get();
    add("pid.output", [this, integral, derivative](Real t) {
      return 2 * wave.at(t) + integral->output(t) + derivative->output(t);
    });
    add("pid.integral", [integral](Real t) { return integral->output(t); });
    add("pid.derivative", [derivative](Real t) { return derivative->output(t); });
    same_realization("zero_pole_gain", control::sections({-2.0, {-0.5, 4}}, {-1.5, -4.0, {-1, 5}}, 3), 0.3);
  }

  void advance(double h) {
    for (auto& s : solutions_) s->advance(h);
    for (auto& s : others_) s->advance(h);
  }
  Real value(std::size_t channel, Real t) const { return values_[channel](t); }

 private:
  PhaseVariables& output(const std::string& block, PhaseVariables solution, bool compared = true) {
    solutions_.push_back(std::make_unique<PhaseVariables>(std::move(solution)));
    PhaseVariables& s = *solutions_.back();
    if (compared) add(block + ".output", [&s](Real t) { return s.output(t); });
    return s;
  }
  void add(std::string channel, std::function<Real(Real)> value) {
    channels.push_back(std::move(channel));
    values_.push_back(std::move(value));
  }
  static Polynomial quadratic(Real angle, Real w) { return {1, 2 * std::sin(angle) * w, w * w}; }

  void plant_and_observer() {
    RealMatrix A(4, 4);
    RealVector B(4), start(4);
    // Plant x, estimate z:  ż = A z + B u + L (C x + D u − C z − D u).
    A << 0, 1, 0, 0, -9, -2, 0, 0, 2, 0.4L, -2, 0.6L, 5, 1, -14, -3;
    B << 0.5L, 3, 0.5L, 3;
    start << 1, -1, 0, 0;
    others_.push_back(std::make_unique<Driven>(A, B, start, wave));
    const Driven& d = *others_.back();
    add("state_space.state.1", [&d](Real) { return d.state()(0); });
    add("state_space.state.2", [&d](Real) { return d.state()(1); });
    add("state_space.output",
        [this, &d](Real t) { return d.state()(0) + 0.2L * d.state()(1) + 0.1L * wave.at(t); });
    add("observer.output.1", [&d](Real) { return d.state()(2); });
    add("observer.output.2", [&d](Real) { return d.state()(3); });
    add("feedback.output",
        [this, &d](Real t) { return wave.at(t) - 2 * d.state()(2) - 0.5L * d.state()(3); });
  }
  /// The states of sections have no other meaning than their own equations.
  void same_realization(const std::string& block, const control::Realization& r, double rest) {
    const int n = r.order();
    RealMatrix A(n, n);
    RealVector B(n);
    for (int i = 0; i < n; ++i) {
      B(i) = r.B(i, 0);
      for (int j = 0; j < n; ++j) A(i, j) = r.A(i, j);
    }
    others_.push_back(std::make_unique<Driven>(A, B, -A.fullPivLu().solve(B) * Real(rest), wave));
    const Driven& d = *others_.back();
    for (int i = 0; i < n; ++i)
      add(fmt::format("{}.state.{}", block, i + 1), [&d, i](Real) { return d.state()(i); });
  }

  Wave wave{2, 0.8L, 0.3L, 0.5L};
  std::vector<std::unique_ptr<PhaseVariables>> solutions_;
  std::vector<std::unique_ptr<Driven>> others_;
  std::vector<std::function<Real(Real)>> values_;
};

}  // namespace

TEST_CASE(
    "linear blocks: order 2 in outputs and states from t = 0, for every rho_states, constant and varying "
    "steps") {
  const double until = 2, coarsest = 2.5e-3;
  const std::vector<std::string> names = Exact().channels;
  std::map<std::string, std::string> table;
  fmt::print("order of the largest error from t = 0 on, and that error at h = {:g} s\n", coarsest / 4);
  for (const StepPattern& pattern : patterns)
    for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
      Ladder ladder(names);
      for (const double h : {coarsest, coarsest / 2, coarsest / 4}) {
        Exact exact;
        std::vector<double> errors(names.size(), 0.0);
        double before = 0;
        follow(blocks, until, scaled(pattern, h), rho, names, [&](double t, const std::vector<double>& got) {
          if (t > before) exact.advance(t - before);
          before = t;
          for (std::size_t i = 0; i < got.size(); ++i)
            errors[i] = std::max(errors[i], static_cast<double>(std::abs(got[i] - exact.value(i, t))));
        });
        ladder.add(h, errors);
      }
      double lowest = 9, highest = 0;
      for (std::size_t i = 0; i < names.size(); ++i) {
        INFO(pattern.name, ", rho_states ", rho, ", ", names[i]);
        CHECK(std::abs(ladder.order(2, i) - 2) <= 0.1);
        lowest = std::min(lowest, ladder.order(2, i));
        highest = std::max(highest, ladder.order(2, i));
        table[names[i]] += fmt::format(" {:8.1e}", ladder.error(2, i));
      }
      fmt::print("{:20} rho_states {:3}: {} channels, orders {:.2f} … {:.2f}\n", pattern.name, rho,
                 names.size(), lowest, highest);
    }
  for (const std::string& name : names) fmt::print("{:26}{}\n", name, table[name]);
}

// ------------------------------------------------------------------ integrals with limits and resets

namespace {

/// Runge–Kutta of fourth order with steps of 20 µs, Hermite polynomials between them. Where the slope of the right-hand
/// side jumps, one such step is off by its square, 4e-10 times the jump: far below what is measured here.
template <int n>
class Fine {
 public:
  using X = std::array<double, n>;
  template <class Slope>
  Fine(double until, X x, Slope&& slope) {
    for (int k = 0; k * h <= until + h; ++k) {
      const double t = k * h;
      const X a = slope(t, x), b = slope(t + h / 2, plus(x, h / 2, a)),
              c = slope(t + h / 2, plus(x, h / 2, b)), d = slope(t + h, plus(x, h, c));
      points_.push_back({x, a});
      for (int i = 0; i < n; ++i) x[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
  }
  X at(double t) const {
    const std::size_t k = std::min(static_cast<std::size_t>(t / h), points_.size() - 2);
    const double s = t / h - static_cast<double>(k), r = 1 - s;
    const auto& [x0, a0] = points_[k];
    const auto& [x1, a1] = points_[k + 1];
    X x;
    for (int i = 0; i < n; ++i)
      x[i] = r * r * ((1 + 2 * s) * x0[i] + h * s * a0[i]) + s * s * ((1 + 2 * r) * x1[i] - h * r * a1[i]);
    return x;
  }

 private:
  static constexpr double h = 2e-5;
  static X plus(X x, double h, const X& d) {
    for (int i = 0; i < n; ++i) x[i] += h * d[i];
    return x;
  }
  std::vector<std::pair<X, X>> points_;
};

/// The right-hand sides are Lipschitz continuous with isolated kinks. Each kink adds one local error C h², where C depends
/// on where in the step the kink falls: the error is bounded by h², but scatters between zero and that bound. So at each
/// rung the largest errors of runs with slightly different steps are averaged, and the rungs are a factor of 8 apart;
/// ± 0.2 there leaves a factor of 1.5 to the scatter that remains.
void check_ladder(const std::string& title, const std::string& components, double until,
                  const std::vector<std::string>& channels,
                  const std::function<std::vector<double>(double)>& exact) {
  constexpr int variants = 16;
  for (const StepPattern& pattern : {patterns[0], patterns[2]})
    for (const double rho : {0.0, 0.8}) {
      Ladder ladder(channels);
      for (const double h : {8e-3, 1e-3}) {
        std::vector<double> mean(channels.size(), 0.0);
        for (int variant = 0; variant < variants; ++variant) {
          std::vector<double> errors(channels.size(), 0.0);
          follow(components, until, scaled(pattern, h * (1 - 0.1 * variant / variants)), rho, channels,
                 [&](double t, const std::vector<double>& got) {
                   const std::vector<double> wanted = exact(t);
                   for (std::size_t i = 0; i < got.size(); ++i)
                     errors[i] = std::max(errors[i], std::abs(got[i] - wanted[i]));
                 });
          for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += errors[i] / variants;
        }
        ladder.add(h, mean);
      }
      for (std::size_t i = 0; i < channels.size(); ++i) {
        const double order = ladder.order(1, i);
        fmt::print("{:28} {:10} rho_states {:3}: {:10} {:.2e} {:.2e}, order {:.2f}\n", title, pattern.name,
                   rho, channels[i], ladder.error(0, i), ladder.error(1, i), order);
        INFO(title, ", ", pattern.name, ", ", channels[i]);
        CHECK(std::abs(order - 2) <= 0.2);
      }
    }
}

double within(double x, double low, double high) { return std::min(std::max(x, low), high); }

}  // namespace

TEST_CASE("PID with limits around a lag: back-calculation, clamping and none against fine solutions") {
  for (const std::string kind : {"back_calculation", "clamping", "none"}) {
    const double kp = 4, ki = 6, low = -0.8, high = 1.2, lag = 0.5;
    const double tracking = kind == "clamping" ? 0.3 : kp / ki;  // the latter is the default
    const auto r = [](double t) { return 0.5 + 1.5 * std::sin(std::numbers::pi * t); };
    using X = std::array<double, 2>;  // plant, integral
    const auto demand = [=](double t, const X& x) { return kp * (r(t) - x[0]) + x[1]; };
    const Fine<2> exact(3, {0, 0}, [=](double t, const X& x) {
      const double d = demand(t, x), u = within(d, low, high);
      double w = ki * (r(t) - x[0]);
      if (kind == "back_calculation") w += (u - d) / tracking;
      if (kind == "clamping" && w > 0 && d > high) w = std::max(0.0, w - (d - high) / tracking);
      if (kind == "clamping" && w < 0 && d < low) w = std::min(0.0, w + (low - d) / tracking);
      return X{(u - x[0]) / lag, w};
    });
    check_ladder(
        "PID, " + kind,
        "  r: {type: control.sine, amplitude: 1.5, offset: 0.5, frequency: 0.5 Hz}\n"
        "  y: {type: control.first_order, time_constant: 0.5 s, input: c}\n"
        "  c: {type: control.pid, setpoint: r, measurement: y, kp: 4, ki: 6, minimum: -0.8, maximum: 1.2, "
        "anti_windup: " +
            kind + (kind == "clamping" ? ", tracking_time: 0.3 s" : "") + "}\n",
        3, {"y.output", "c.integral", "c.output"}, [&](double t) {
          const X x = exact.at(t);
          return std::vector{x[0], x[1], within(demand(t, x), low, high)};
        });
  }
}

TEST_CASE("limited integrator: back-calculation, clamping and none, with a reset, against fine solutions") {
  for (const std::string kind : {"back_calculation", "clamping", "none"}) {
    const double low = -0.2, high = 0.4, tracking = 0.05;
    const auto u = [](double t) { return 0.3 + 2 * std::sin(2 * std::numbers::pi * 0.7 * t); };
    const auto reset = [](double t) { return 0.4 + 0.5 * std::sin(2 * std::numbers::pi * 0.3 * t - 1); };
    using X = std::array<double, 1>;
    const Fine<1> exact(3, {0.1}, [=](double t, const X& x) {
      const double s = within(2 * reset(t) - 0.5, 0, 1), y = within(x[0], low, high);
      double w = (1 - s) * 1.5 * u(t);
      if (kind == "clamping" && w > 0 && x[0] > high) w = std::max(0.0, w - (x[0] - high) / tracking);
      if (kind == "clamping" && w < 0 && x[0] < low) w = std::min(0.0, w + (low - x[0]) / tracking);
      if (kind == "back_calculation") w += (y - x[0]) / tracking;
      return X{w + s * (0.3 - x[0]) / 0.1};
    });
    check_ladder("integrator, " + kind,
                 "  u: {type: control.sine, amplitude: 2, offset: 0.3, frequency: 0.7 Hz}\n"
                 "  r: {type: control.sine, amplitude: 0.5, offset: 0.4, frequency: 0.3 Hz, phase: -1 rad}\n"
                 "  x: {type: control.integrator, gain: 1.5, input: u, initial: {output: 0.1}, minimum: "
                 "-0.2, maximum: 0.4, "
                 "reset: r, reset_time: 0.1 s, reset_value: 0.3, anti_windup: " +
                     kind + (kind == "none" ? "" : ", tracking_time: 0.05 s") + "}\n",
                 3, {"x.output"}, [&](double t) { return std::vector{within(exact.at(t)[0], low, high)}; });
  }
}
