// Work and precision: processor time over the error at the final time, on eight problems; here with constant and with
// chosen steps, in SUNDIALS IDA and in PETSc TSALPHA2, where these are installed. Argument: only problems whose name
// contains it.
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "peer/alpha2_peer.hpp"
#include "peer/ida_peer.hpp"
#include "report.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

namespace {

#ifdef ESCAPEMENT_WITH_IDA
constexpr bool has_ida = true;
#else
constexpr bool has_ida = false;
#endif
#ifdef ESCAPEMENT_WITH_PETSC
constexpr bool has_petsc = true;
#else
constexpr bool has_petsc = false;
#endif

// ------------------------------------------------------------------ the problems

struct Problem {
  std::string name;
  std::string text;  // of the model, but for `simulate:`
  double until;      // s
  struct Channel {
    std::string name;
    double size;  // errors are relative to it
  };
  std::vector<Channel> observed;
  int fewest,
      reference;  // steps: where the ladder begins; of the coarsest run that the reference is extrapolated from
  std::shared_ptr<ImplicitProblem> implicit;
  std::shared_ptr<SecondOrderProblem> second_order;  // none with constraints
  double longest = 0.5;                              // s of a run
};

Problem controlled_mass() {
  using P = ControlledMass;
  return {"controlled spring-mass",
          fmt::format(R"(
escapement: 1
components:
  mass:     {{type: translational.mass, mass: {} kg, initial: {{position: {} m}}}}
  spring:   {{type: translational.spring, stiffness: {} N/m, between: [ground, mass]}}
  filter:   {{type: control.state_space, A: [[-{} 1/s]], B: [[-{} N*s/m]], C: [[1]], D: [[0]], input: mass.acceleration}}
  limiter:  {{type: control.tanh_saturation, limit: {} N, input: filter}}
  actuator: {{type: translational.force, at: mass, input: limiter}}
)",
                      P::m, P::q0, P::k, P::sigma, P::b, P::limit),
          20,
          {{"mass.position", P::q0}, {"mass.velocity", P::q0}, {"filter.output", P::q0}},
          16,
          4000,
          implicit(P{}),
          second_order(P{})};
}

Problem van_der_pol() {
  using P = VanDerPol;
  return {"Van der Pol",
          fmt::format(R"(
escapement: 1
components:
  oscillator:
    type: math.equations
    unknowns: {{x: {{kind: position, initial: {}}}}}
    equations: {{x: der2(x) = {}*(1 - x^2)*der(x) - x}}
)",
                      P::x0, P::mu),
          200,
          {{"oscillator.x", P::x0}},
          8000,
          200000,
          implicit(P{}),
          second_order(P{}),
          1.5};
}

Problem pendulum(const std::string& name, const Pendulum& p, double until, int fewest, int reference) {
  const double total = p.n * p.length, speed = std::sqrt(p.g * total);
  const std::string tip = fmt::format("mass.{}", p.n);
  return {name,
          fmt::format(R"(
escapement: 1
parameters: {{n: {}, l: {} m, a: {} rad}}
components:
  mass:  {{for: {{i: 1..n}}, type: planar.mass, mass: {} kg, gravity: [0, -{} m/s^2], initial: {{position: [i*l*sin(a), -i*l*cos(a)]}}}}
  first: {{type: planar.distance, length: l, between: [ground, mass.1]}}
)",
                      p.n, p.length, p.angle, p.mass, p.g) +
              (p.n > 1 ? "  rod:   {for: {i: 2..n}, type: planar.distance, length: l, between: [mass.(i-1), "
                         "mass.(i)]}\n"
                       : ""),
          until,
          {{tip + ".position.x", total},
           {tip + ".position.y", total},
           {tip + ".velocity.x", speed},
           {tip + ".velocity.y", speed}},
          fewest,
          reference,
          implicit(p),
          nullptr};
}

Problem heavy_top() {
  using P = HeavyTop;
  return {"heavy top",
          fmt::format(R"(
escapement: 1
gravity: [0, 0, -{} m/s^2]
components:
  top:
    type: body.rigid
    mass: {} kg
    principal_inertia: [{} kg*m^2, {} kg*m^2, {} kg*m^2]
    initial: {{position: [0, 1 m, 0], angular_velocity: [0, {} rad/s, {} rad/s], velocity: [{} m/s, 0, 0]}}
  joint: {{type: joint.spherical, between: [ground, top], at: [0, 0, 0]}}
)",
                      P::g, P::m, P::J1, P::J2, P::J3, P::spin, P::tilt, -P::tilt),
          0.2,
          {{"top.position.x", 1},
           {"top.position.y", 1},
           {"top.position.z", 1},
           {"top.angular_velocity.x", -P::tilt},
           {"top.angular_velocity.z", -P::tilt}},
          100,
          4000,
          implicit(P{}),
          nullptr};
}

Problem slider_crank() {
  using P = SliderCrank;
  const double fast = P::crank * P::speed;
  return {"slider-crank",
          fmt::format(R"(
escapement: 1
gravity: [0, -{} m/s^2, 0]
parameters: {{r: {} m, l: {} m, speed: {} rad/s}}
components:
  crank:  {{type: body.rigid, mass: {} kg, principal_inertia: [1e-4 kg*m^2, {} kg*m^2, {} kg*m^2], initial: {{position: [r/2, 0, 0]}}}}
  rod:    {{type: body.rigid, mass: {} kg, principal_inertia: [1e-4 kg*m^2, {} kg*m^2, {} kg*m^2], initial: {{position: [r + l/2, 0, 0]}}}}
  slider: {{type: body.rigid, mass: {} kg, principal_inertia: [1e-4 kg*m^2, 1e-4 kg*m^2, 1e-4 kg*m^2], initial: {{position: [r + l, 0, 0]}}}}
  main: {{type: joint.revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], initial: {{velocity: speed}}}}
  pin:  {{type: joint.revolute, between: [crank, rod], at: [r, 0, 0], axis: [0, 0, 1], initial: {{velocity: -speed*(1 + r/l)}}}}
  end:  {{type: joint.point_on_line, between: [rod, slider], at: [r + l, 0, 0], axis: [0, 0, 1]}}
  way:  {{type: joint.prismatic, between: [ground, slider], at: [r + l, 0, 0], axis: [1, 0, 0]}}
)",
                      P::g, P::crank, P::rod, P::speed, P::m1, P::J1, P::J1, P::m2, P::J2, P::J2, P::m3),
          1,
          {{"crank.position.x", P::crank},
           {"crank.position.y", P::crank},
           {"slider.position.x", P::crank},
           {"crank.velocity.x", fast},
           {"crank.velocity.y", fast},
           {"slider.velocity.x", fast}},
          50,
          2000,
          implicit(P{}),
          nullptr};
}

Problem rc_oscillator() {
  using P = RcOscillator;
  return {"RC circuit and oscillator",
          fmt::format(R"(
escapement: 1
components:
  mass:   {{type: translational.mass, mass: {} kg, initial: {{position: {} m}}}}
  spring: {{type: translational.spring, law: "({} N/m)*elongation + ({} N/m^3)*elongation^3", between: [ground, mass]}}
  damper: {{type: translational.damper, damping: {} N*s/m, between: [ground, mass]}}
  source: {{type: control.expression, inputs: {{v: mass.velocity}}, expression: "({} V)*sin({}*t/(1 s)) - ({} V*s/m)*v"}}
  rc:     {{type: control.first_order, time_constant: {} s, input: source}}
  coil:   {{type: control.gain, gain: {} N/V, input: rc, unit: N}}
  push:   {{type: translational.force, at: mass, input: coil}}
)",
                      P::m, P::q0, P::k, P::k3, P::d, P::E, P::omega, P::ke, P::tau, P::kf),
          5,
          {{"mass.position", P::q0}, {"mass.velocity", 1}, {"rc.output", P::E}},
          50,
          20000,
          implicit(P{}),
          second_order(P{})};
}

Problem spring_chain() {
  using P = SpringChain;
  Problem p{"chain of 100 cubic springs",
            fmt::format(R"(
escapement: 1
parameters: {{n: {}}}
components:
  mass:   {{for: {{i: 1..n}}, type: translational.mass, mass: {} kg, initial: {{position: ({} m)*sin(pi*i/(n + 1))}}}}
  first:  {{type: translational.spring, law: "({} N/m)*elongation + ({} N/m^3)*elongation^3", between: [ground, mass.1]}}
  spring: {{for: {{i: 2..n}}, type: translational.spring, law: "({} N/m)*elongation + ({} N/m^3)*elongation^3", between: [mass.(i-1), mass.(i)]}}
  last:   {{type: translational.spring, law: "({} N/m)*elongation + ({} N/m^3)*elongation^3", between: [mass.(n), ground]}}
)",
                        +P::n, P::m, P::amplitude, P::k, P::k3, P::k, P::k3, P::k, P::k3),
            1,
            {},
            50,
            2000,
            implicit(P{}),
            second_order(P{})};
  for (int i : {25, 50, 75}) {
    p.observed.push_back({fmt::format("mass.{}.position", i), P::amplitude});
    p.observed.push_back({fmt::format("mass.{}.velocity", i), 10 * P::amplitude});
  }
  return p;
}

// ------------------------------------------------------------------ runs

enum Method { fixed, fixed_undamped, adaptive, ida, petsc };
const char* name_of(Method m) {
  static const char* const names[] = {"fixed steps", "fixed steps rho=1", "adaptive", "IDA",
                                      "PETSc TSALPHA2"};
  return names[m];
}

using Values = std::vector<double>;

/// What a run ends with. Throws std::runtime_error or ModelError if it does not come to its end.
struct Outcome {
  Values values;  // observed, at the final time
  long steps = 0, iterations = 0;
};

struct Run {
  Method method;
  std::string setting;
  std::function<Outcome()> call;
  Outcome outcome{};
  double time = INFINITY, error = INFINITY;  // s, relative
};

double difference(const Problem& problem, const Values& a, const Values& b) {
  double worst = 0;
  for (std::size_t i = 0; i < problem.observed.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]) / problem.observed[i].size);
  return std::isfinite(worst) ? worst : INFINITY;
}

/// The best of several calls, fewer if they are long.
double stopwatch(const std::function<void()>& f) {
  double best = 1e300, sum = 0;
  for (int k = 0; k < 5 && sum < 0.1; ++k) {
    const double time = seconds<ProcessorClock>(f, 1, 0.004);
    best = std::min(best, time);
    sum += time;
  }
  return best;
}

struct Nothing final : RunObserver {
  void row(const State&) override {}
  bool step(const StepDone&) override { return true; }
};

/// The model of a problem, read and assembled.
class Here {
 public:
  Here(const Problem& problem, const std::string& keys)
      : model_(Model::read_text(fmt::format("{}simulate: {{until: {} s, output_every: {} s, {}}}\n",
                                            problem.text, problem.until, problem.until, keys),
                                "model.yaml", registry())),
        options_(simulate_options(model_)),
        assembly_(assemble(model_)) {
    for (const auto& wanted : problem.observed)
      for (const Channel& channel : assembly_.channels)
        if (channel.name == wanted.name) observed_.push_back(&channel);
    if (observed_.size() != problem.observed.size()) throw std::runtime_error("a channel is missing");
  }
  Here(const Here&) = delete;

  Outcome run() const {
    Nothing observer;
    const RunResult result = simulate(assembly_, options_, observer);
    if (const auto& f = result.failure)
      throw std::runtime_error(fmt::format("{} {}: {}", f->code, f->where, f->cause));
    Outcome o{{}, result.statistics.steps, result.statistics.newton_iterations};
    for (const Channel* channel : observed_) o.values.push_back(assembly_.read(*channel, result.state));
    return o;
  }

 private:
  static const Registry& registry() {
    static const Registry all = standard_registry();
    return all;
  }
  Model model_;
  SimulateOptions options_;
  Assembly assembly_;
  std::vector<const Channel*> observed_;
};

Run here(const Problem& problem, Method method, const std::string& setting, const std::string& keys) {
  return {method, setting, [model = std::make_shared<Here>(problem, keys)] { return model->run(); }};
}

std::string step_keys(const Problem& problem, long steps) {
  return fmt::format("step: {:.17g} s", problem.until / static_cast<double>(steps));
}
std::string step_name(const Problem& problem, long steps) {
  return fmt::format("h={:.3g}", problem.until / static_cast<double>(steps));
}

Run with_fixed_steps(const Problem& problem, Method method, long steps) {
  return here(problem, method, step_name(problem, steps),
              step_keys(problem, steps) + (method == fixed_undamped ? ", rho: 1" : ""));
}

Run with_chosen_steps(const Problem& problem, double tolerance) {
  return here(problem, adaptive, fmt::format("tolerance={:.2g}", tolerance),
              fmt::format("adaptive: true, tolerance: {:.3g}", tolerance));
}

[[maybe_unused]] Outcome outcome(const PeerRun& run) { return {run.observed, run.steps, run.iterations}; }

/// `order`: the highest that IDA may take, 5 unless limited.
Run with_ida(const Problem& problem, double tolerance, int order = 5) {
  return {ida, fmt::format("{}rtol={:.2g}", order < 5 ? fmt::format("order {} ", order) : "", tolerance),
          [&problem, tolerance, order]() -> Outcome {
#ifdef ESCAPEMENT_WITH_IDA
            return outcome(run_ida(*problem.implicit, tolerance, order, problem.until));
#else
            return {};
#endif
          }};
}

Run with_petsc(const Problem& problem, long steps) {
  return {petsc, step_name(problem, steps), [&problem, steps]() -> Outcome {
#ifdef ESCAPEMENT_WITH_PETSC
            return outcome(run_alpha2(*problem.second_order, static_cast<int>(steps), problem.until));
#else
            return {};
#endif
          }};
}

/// Runs once; false, with a message, if it fails.
bool works(const Problem& problem, Run& run) {
  try {
    run.outcome = run.call();
    return true;
  } catch (const std::exception& e) {
    const std::string_view what = e.what();
    fmt::print(stderr, "{} {} {}: {}\n", problem.name, name_of(run.method), run.setting,
               what.substr(0, what.find('\n')));
    return false;
  }
}

// ------------------------------------------------------------------ the comparison

void line(const std::string& name, const std::string& rest) {
  fmt::print("{{\"bench\": \"work_precision\", \"case\": \"{}\", {}}}\n", name, rest);
  std::fflush(stdout);
}

/// From runs with steps h, h/2, h/4: the terms of h² and h³ cancel.
Values extrapolated(const Values& coarse, const Values& middle, const Values& fine) {
  Values v(fine.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double a = middle[i] + (middle[i] - coarse[i]) / 3, b = fine[i] + (fine[i] - middle[i]) / 3;
    v[i] = b + (b - a) / 7;
  }
  return v;
}

/// Extrapolated from constant steps here; checked against IDA at its finest.
std::optional<Values> reference(const Problem& problem) {
  std::vector<Values> found;
  for (int k = 0; k < 4; ++k) {
    Run run = with_fixed_steps(problem, fixed, static_cast<long>(problem.reference) << k);
    if (!works(problem, run)) return std::nullopt;
    found.push_back(run.outcome.values);
  }
  const Values before = extrapolated(found[0], found[1], found[2]),
               last = extrapolated(found[1], found[2], found[3]);
  line(problem.name + ", reference: the last two extrapolations differ by",
       fmt::format("\"value\": {:.3g}, \"unit\": \"1\"", difference(problem, before, last)));
  if (!has_ida) return last;
  Run finest = with_ida(problem, 1e-12);
  if (works(problem, finest))
    line(fmt::format("{}, reference: IDA at {} differs by", problem.name, finest.setting),
         fmt::format("\"value\": {:.3g}, \"unit\": \"1\"", difference(problem, finest.outcome.values, last)));
  return last;
}

/// The least time to an error: between neighbours among the runs that no other beats in both time and error, on a straight
/// line of the logarithms.
double time_to(const std::vector<Run>& runs, Method method, double error) {
  std::vector<const Run*> by_time;
  for (const Run& r : runs)
    if (r.method == method && r.error < INFINITY) by_time.push_back(&r);
  std::sort(by_time.begin(), by_time.end(), [](const Run* a, const Run* b) { return a->time < b->time; });
  const Run* before = nullptr;  // the best so far
  for (const Run* r : by_time) {
    if (before && r->error >= before->error) continue;
    if (r->error <= error) {
      if (!before) return r->time;
      const double part = std::log(error / before->error) / std::log(r->error / before->error);
      return before->time * std::pow(r->time / before->time, part);
    }
    before = r;
  }
  return INFINITY;
}

/// Finer and finer runs of every method, each as far as it is of use.
std::vector<Run> ladders(const Problem& problem, const Values& exact) {
  std::vector<Run> runs;
  const auto last = [&](Run r) {
    r.time = seconds<ProcessorClock>([&] { works(problem, r); }, 1, 0);
    if (r.outcome.values.empty()) return false;
    r.error = difference(problem, r.outcome.values, exact);
    runs.push_back(std::move(r));
    return runs.back().error < 3e-8 || 2 * runs.back().time > problem.longest;
  };
  const auto finer_steps = [&](auto make) {
    for (long steps = problem.fewest; steps < 1 << 24; steps *= 2)
      if (last(make(steps))) break;
  };
  const auto finer_tolerances = [&](auto make, double finest = 1e-11) {
    for (double tolerance = 1e-2; tolerance > 0.9 * finest; tolerance /= std::sqrt(10.0))
      if (last(make(tolerance))) break;
  };
  finer_steps([&](long steps) { return with_fixed_steps(problem, fixed, steps); });
  if (problem.second_order)
    finer_steps([&](long steps) { return with_fixed_steps(problem, fixed_undamped, steps); });
  try {
    finer_tolerances([&](double tolerance) { return with_chosen_steps(problem, tolerance); });
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: adaptive steps are left out: {}\n", problem.name, e.what());
  }
  if (has_ida)
    for (int order : {5, 3, 2})
      finer_tolerances([&](double tolerance) { return with_ida(problem, tolerance, order); },
                       order < 5 ? 1e-8 : 1e-11);
  if (has_petsc && problem.second_order) finer_steps([&](long steps) { return with_petsc(problem, steps); });
  return runs;
}

void compare(const Problem& problem) {
  const auto exact = reference(problem);
  if (!exact) return;
  line(problem.name + " read and assembled", fmt::format("\"value\": {:.6g}, \"unit\": \"s\"", stopwatch([&] {
                                                           Here(problem, step_keys(problem, problem.fewest));
                                                         })));
  std::vector<Run> runs = ladders(problem, *exact);
  for (int turn = 0; turn < 3; ++turn)  // all take turns: other work on the machine hits all
    for (Run& r : runs)
      if (turn == 0 || r.time < 0.03) r.time = std::min(r.time, stopwatch([&] { r.call(); }));
  for (const Run& r : runs)
    line(fmt::format("{} {} {}", problem.name, name_of(r.method), r.setting),
         fmt::format(
             "\"error\": {:.3g}, \"value\": {:.6g}, \"unit\": \"s\", \"steps\": {}, \"iterations\": {}",
             r.error, r.time, r.outcome.steps, r.outcome.iterations));
  struct Pair {
    Method ours, theirs;
    const char* against;
  };
  for (const auto& [ours, theirs, against] :
       {Pair{adaptive, ida, "SUNDIALS IDA"}, Pair{adaptive, fixed, "fixed steps"},
        Pair{fixed, ida, "SUNDIALS IDA"}, Pair{fixed, petsc, "PETSc TSALPHA2"},
        Pair{fixed_undamped, petsc, "PETSc TSALPHA2"}})
    for (double error : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
      const double a = time_to(runs, ours, error), b = time_to(runs, theirs, error);
      if (!(a < INFINITY && b < INFINITY)) continue;
      line(fmt::format("{} at error {:.0e}: {} against {}", problem.name, error, name_of(ours),
                       name_of(theirs)),
           fmt::format("\"ratio\": {:.3g}, \"against\": \"{}\", \"value\": {:.6g}, \"unit\": \"s\"", a / b,
                       against, a));
    }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  if (!has_ida) fmt::print(stderr, "SUNDIALS IDA is left out: it was not there when this was built\n");
  if (!has_petsc) fmt::print(stderr, "PETSc is left out: it was not there when this was built\n");
  bool ok = true;
  for (const Problem& problem :
       {controlled_mass(), van_der_pol(), pendulum("pendulum", {1, 1, 1, 2 * M_PI / 3}, 5, 50, 4000),
        heavy_top(), slider_crank(), rc_oscillator(), spring_chain(),
        pendulum("chain of 50 rods", {50, 0.02, 0.02, 0.5}, 1, 100, 2000)}) {
    if (problem.name.find(wanted) == std::string::npos) continue;
    const double fault = std::max(jacobian_fault(*problem.implicit),
                                  problem.second_order ? jacobian_fault(*problem.second_order) : 0);
    if (fault > 1e-6) {
      fmt::print(stderr, "{}: a Jacobian for the peers is off by {:.2g}\n", problem.name, fault);
      ok = false;
      continue;
    }
    try {
      compare(problem);
    } catch (const std::exception& e) {
      fmt::print(stderr, "{}: {}\n", problem.name, e.what());
      ok = false;
    }
  }
  return ok ? 0 : 1;
}
