// The three schemes (generalized-α, variational, SPOOK) on a pendulum chain, a four-bar, a circuit and a motor with mechanism: error
// over step, steps per second at equal step, time at equal measured error; and the step times of a run paced by the clock.
// Arguments: only cases whose name contains the first one; the real-time run takes 15 s ("real time").
#include <time.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>

#include "analyses/schedule.hpp"
#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "report.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

namespace {

constexpr const char* schemes[] = {"generalized-alpha", "variational", "spook"};
constexpr int instants = 8;  // errors are the largest at so many times of a run, evenly spaced

// ------------------------------------------------------------------ the cases

enum Quantity { position, velocity, reaction };

struct Case {
  std::string name, text;
  double until;  // s
  struct Observed {
    std::string channel;
    double size;  // errors are relative to it
    Quantity quantity;
  };
  std::vector<Observed> observed;
  int fewest, rungs;  // steps of the longest step; so many times halved
  const char* quantities[3] = {"positions", "velocities", "reactions"};
};

Case chain() {
  return {"pendulum chain, 20 links",
          R"(
escapement: 1
parameters: {n: 20, l: 1 m/n}
components:
  mass:  {for: {i: 1..n}, type: planar.mass, mass: 1 kg/n, gravity: [0, -9.81 m/s^2], initial: {position: [i*l*sin(0.5), -i*l*cos(0.5)]}}
  first: {type: planar.distance, length: l, between: [ground, mass.1]}
  rod:   {for: {i: 2..n}, type: planar.distance, length: l, between: [mass.(i-1), mass.(i)]}
)",
          1,
          {{"mass.10.position.x", 1, position},
           {"mass.20.position.x", 1, position},
           {"mass.20.position.y", 1, position},
           {"mass.10.velocity.x", 3, velocity},
           {"mass.20.velocity.x", 3, velocity},
           {"first.tension", 9.81, reaction}},
          64,
          7};
}

/// Crank and rocker as bodies in space, of validation/models/four_bar.yaml.
const char* const four_bar_text = R"yaml(
escapement: 1
gravity: [0, -9.81 m/s^2, 0]
parameters:
  a: 0.2 m
  b: 0.6 m
  c: 0.5 m
  f: 0.7 m
  theta: 0.5 rad
  w: 8 rad/s
  dx: f - a*cos(theta)
  dy: -a*sin(theta)
  d: sqrt(dx^2 + dy^2)
  psi: "atan2(dy, dx) + acos((b^2 + d^2 - c^2)/(2*b*d))"
  phi: "atan2(a*sin(theta) + b*sin(psi), a*cos(theta) + b*cos(psi) - f)"
  psi_rate: -a*w*sin(theta - phi)/(b*sin(psi - phi))
  phi_rate: a*w*sin(theta - psi)/(c*sin(phi - psi))
components:
  crank: {type: body.rigid, mass: 1.5 kg, principal_inertia: [0.004 kg*m^2, 0.007 kg*m^2, 0.009 kg*m^2], com: [0.07 m, 0.01 m, 0], frames: {pin: {position: [a, 0, 0]}}}
  coupler: {type: body.rigid, mass: 0.9 kg, principal_inertia: [0.002 kg*m^2, 0.025 kg*m^2, 0.026 kg*m^2], com: [0.28 m, 0.04 m, 0], frames: {end: {position: [b, 0, 0]}}}
  rocker: {type: body.rigid, mass: 1.2 kg, principal_inertia: [0.003 kg*m^2, 0.022 kg*m^2, 0.024 kg*m^2], com: [0.2 m, -0.02 m, 0], frames: {end: {position: [c, 0, 0]}}, initial: {position: [f, 0, 0]}}
  bearing: {type: joint.revolute, between: [ground, crank], initial: {angle: theta, velocity: w}}
  crank_pin: {type: joint.revolute, between: [crank.pin, coupler], initial: {angle: psi - theta, velocity: psi_rate - w}}
  rocker_bearing: {type: joint.revolute, between: [ground, rocker], at: [f, 0, 0], initial: {angle: phi, velocity: phi_rate}}
  coupler_pin: {type: joint.point_on_line, between: [rocker.end, coupler.end]}
)yaml";

const std::vector<Case::Observed> of_four_bar = {
    {"coupler.position.x", 0.2, position}, {"coupler.position.y", 0.2, position},
    {"rocker.position.x", 0.2, position},  {"coupler.velocity.x", 1.6, velocity},
    {"coupler.velocity.y", 1.6, velocity}, {"rocker.angular_velocity.z", 4, velocity},
    {"bearing.force.x", 30, reaction},     {"bearing.force.y", 30, reaction}};

Case four_bar() { return {"four-bar in space", four_bar_text, 1, of_four_bar, 64, 8}; }

Case motor() {
  Case c{"motor and four-bar",
         std::string(four_bar_text) + R"(
  source: {type: electric.voltage_source, sine: {offset: 12 V, amplitude: 3 V, frequency: 3 Hz}, between: [supply, ground]}
  motor:  {type: electric.dc_motor, resistance: 0.5 ohm, inductance: 10 mH, torque_constant: 0.5 N*m/A, inertia: 2e-3 kg*m^2, between: [supply, ground], shaft: bearing, initial: {current: 0 A}}
nodes: {electrical: [supply]}
)",
         1,
         of_four_bar,
         64,
         8};
  c.observed.push_back({"motor.current", 10, velocity});
  c.quantities[velocity] = "velocities and current";
  return c;
}

/// A line of coils and capacitors, 50 ohm, 5 ns per cell.
Case ladder(int cells) {
  std::string nodes = "in, n0", parts;
  for (int i = 1; i <= cells; ++i) {
    nodes += fmt::format(", n{}", i);
    parts += fmt::format(
        "  L{0}: {{type: electric.inductor, inductance: 250 nH, between: [n{1}, n{0}]}}\n"
        "  C{0}: {{type: electric.capacitor, capacitance: 100 pF, between: [n{0}, ground]}}\n",
        i, i - 1);
  }
  Case c{fmt::format("ladder, {} cells", cells),
         fmt::format(R"(
escapement: 1
nodes: {{electrical: [{0}]}}
components:
  source: {{type: electric.voltage_source, sine: {{amplitude: 1 V, frequency: 500 kHz}}, between: [in, ground]}}
  inner: {{type: electric.resistor, resistance: 50 ohm, between: [in, n0]}}
  load: {{type: electric.resistor, resistance: 50 ohm, between: [n{1}, ground]}}
{2})",
                     nodes, cells, parts),
         4e-6,
         {},
         250,
         6};
  for (const int i : {cells / 4, cells / 2, cells}) {
    c.observed.push_back({fmt::format("n{}.voltage", i), 0.5, position});
    c.observed.push_back({fmt::format("L{}.current", i), 0.01, velocity});
  }
  c.quantities[position] = "voltages";
  c.quantities[velocity] = "currents";
  return c;
}

// ------------------------------------------------------------------ runs

using Values = std::vector<double>;

double elapsed(ProcessorClock::time_point since) {
  return std::chrono::duration<double>(ProcessorClock::now() - since).count();
}

struct Outcome {
  Values values;  // observed, at all instants
  double seconds = 0;
  long steps = 0, iterations = 0, factorizations = 0;
};

/// A model, assembled for one scheme.
class Runner {
 public:
  Runner(const Case& c, const char* scheme)
      : model_(Model::read_text(fmt::format("{}simulate: {{until: {} s, step: {:.17g} s, scheme: {}}}\n",
                                            c.text, c.until, c.until / c.fewest, scheme),
                                "model.yaml", registry())),
        options_(simulate_options(model_)),
        assembly_(assemble(model_)),
        prepared_(prepare(assembly_, options_.prepare)),
        until_(c.until) {
    for (const auto& wanted : c.observed)
      observed_.push_back(assembly_.select({{wanted.channel, {}, {}}}).at(0));
  }
  Runner(const Runner&) = delete;

  std::unique_ptr<Stepper> stepper() const {
    if (options_.method == Method::generalized_alpha) {
      GeneralizedAlphaOptions o = options_.stepper;
      o.proximal = prepared_.proximal;
      return std::make_unique<GeneralizedAlpha>(assembly_.system, o);
    }
    VariationalOptions o = options_.variational;
    o.proximal = prepared_.proximal;
    o.tell_left_over = false;  // as in models that a program steps; it would cost one more solve
    return std::make_unique<Variational>(assembly_.system, o);
  }
  State initial() const {
    State s = prepared_.state;
    apply_jumps_at_start(assembly_, s);
    return s;
  }
  int unknowns() const { return assembly_.system.size(); }

  /// Only steps count: neither the start nor what is read on the way. None: a step fails.
  std::optional<Outcome> run(int steps) const {
    const auto stepper = this->stepper();
    State s = initial();
    stepper->start(s);
    Outcome o;
    o.steps = steps;
    const double h = until_ / steps;
    for (int k = 0; k < instants; ++k) {
      const auto since = ProcessorClock::now();
      for (int i = k * steps / instants; i < (k + 1) * steps / instants; ++i) {
        const StepReport report = stepper->advance(s, h);
        if (!report.ok()) return std::nullopt;
        o.iterations += report.newton.iterations;
        o.factorizations += report.newton.factorizations;
      }
      o.seconds += elapsed(since);
      for (const Channel* channel : observed_) o.values.push_back(assembly_.read(*channel, s));
    }
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
  Prepared prepared_;
  double until_;
  std::vector<const Channel*> observed_;
};

/// The largest over all instants, of this quantity; NaN if none is observed.
double difference(const Case& c, Quantity quantity, const Values& a, const Values& b) {
  double worst = NAN;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const auto& o = c.observed[i % c.observed.size()]; o.quantity == quantity)
      worst = std::fmax(worst, std::abs(a[i] - b[i]) / o.size);
  return worst;
}

/// From steps h, h/2, h/4: the terms of h² and h³ cancel.
Values extrapolated(const Runner& runner, int steps) {
  Values v[3];
  for (int k = 0; k < 3; ++k) v[k] = runner.run(steps << k).value().values;
  for (std::size_t i = 0; i < v[0].size(); ++i) {
    const double a = v[1][i] + (v[1][i] - v[0][i]) / 3, b = v[2][i] + (v[2][i] - v[1][i]) / 3;
    v[2][i] = b + (b - a) / 7;
  }
  return v[2];
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + std::ssize(x) / 2, x.end());
  return x[x.size() / 2];
}

// ------------------------------------------------------------------ the comparison

struct Rung {
  int steps;
  double errors[3] = {NAN, NAN, NAN}, seconds = NAN;
  double iterations = NAN, factorizations = NAN;  // per step
};

struct At {
  double steps, seconds;
};

/// Along the straight line between two rungs in logarithms; none beyond them.
std::optional<At> at_error(const std::vector<Rung>& rungs, Quantity quantity, double error) {
  for (std::size_t k = 1; k < rungs.size(); ++k) {
    const double a = rungs[k - 1].errors[quantity], b = rungs[k].errors[quantity];
    if (!(a >= error && b < error)) continue;
    const double s = std::log(error / a) / std::log(b / a);
    const auto between = [s](double x, double y) { return x * std::pow(y / x, s); };
    return At{between(rungs[k - 1].steps, rungs[k].steps), between(rungs[k - 1].seconds, rungs[k].seconds)};
  }
  return std::nullopt;
}

void compare(const Case& c) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (const char* scheme : schemes) runners.push_back(std::make_unique<Runner>(c, scheme));
  const std::string name = fmt::format("{} ({} unknowns)", c.name, runners[0]->unknowns());
  const Values reference = extrapolated(*runners[0], c.fewest << (c.rungs - 1));
  const Values other = extrapolated(*runners[1], c.fewest << (c.rungs - 1));
  for (const Quantity q : {position, velocity, reaction})
    if (const double d = difference(c, q, reference, other); !std::isnan(d))
      report("schemes", fmt::format("{}, reference, {}", name, c.quantities[q]), d,
             "difference to the one extrapolated from the variational scheme", d, "1");

  std::vector<Rung> ladders[3];
  for (int s = 0; s < 3; ++s)
    for (int k = 0; k < c.rungs; ++k) ladders[s].push_back({c.fewest << k});
  // All schemes in turn, so that noise hits them alike; short runs more often.
  for (int k = 0; k < c.rungs; ++k) {
    std::vector<double> times[3];
    double sum = 0;
    for (int round = 0; round < 15 && (round < 5 || sum < 0.5); ++round)
      for (int s = 0; s < 3; ++s) {
        const auto outcome = runners[s]->run(c.fewest << k);
        if (!outcome) continue;
        Rung& rung = ladders[s][k];
        times[s].push_back(outcome->seconds);
        sum += outcome->seconds;
        for (const Quantity q : {position, velocity, reaction})
          rung.errors[q] = difference(c, q, outcome->values, reference);
        rung.iterations = static_cast<double>(outcome->iterations) / outcome->steps;
        rung.factorizations = static_cast<double>(outcome->factorizations) / outcome->steps;
      }
    for (int s = 0; s < 3; ++s)
      if (!times[s].empty()) ladders[s][k].seconds = median(times[s]);
  }
  const auto steps_per_second = [](const Rung& r) { return r.steps / r.seconds; };
  for (int k = 0; k < c.rungs; ++k)
    for (int s = 0; s < 3; ++s) {
      const Rung &r = ladders[s][k], &first = ladders[0][k];
      std::string errors;
      for (const Quantity q : {position, velocity, reaction})
        if (!std::isnan(r.errors[q])) errors += fmt::format(", {} {:.2e}", c.quantities[q], r.errors[q]);
      report("schemes",
             fmt::format("{}, {}, h = {:.3g} s: error{}; {:.2f} iterations, {:.2f} factorisations per step",
                         name, schemes[s], c.until / r.steps, errors.empty() ? ", none: it fails" : errors,
                         r.iterations, r.factorizations),
             steps_per_second(r) / steps_per_second(first), "steps per second of generalized-alpha",
             steps_per_second(r), "steps/s");
    }
  for (const Quantity q : {position, velocity, reaction})
    for (const double error : {1e-2, 1e-3, 1e-4}) {
      const auto first = at_error(ladders[0], q, error);
      for (int s = 0; s < 3; ++s) {
        const auto at = at_error(ladders[s], q, error);
        if (!at || !first) continue;
        const std::string here = fmt::format("{}, {}, error {:g} of {}, h = {:.3g} s", name, schemes[s],
                                             error, c.quantities[q], c.until / at->steps);
        report("schemes", here, (at->steps / at->seconds) / (first->steps / first->seconds),
               "steps per second of generalized-alpha", at->steps / at->seconds, "steps/s");
        report("schemes", here, at->seconds / first->seconds, "time of generalized-alpha",
               at->seconds / c.until, "s per simulated second");
      }
    }
}

// ------------------------------------------------------------------ by the clock

double seconds_between(const timespec& a, const timespec& b) {
  return static_cast<double>(b.tv_sec - a.tv_sec) + 1e-9 * static_cast<double>(b.tv_nsec - a.tv_nsec);
}

/// One step of 1 ms every millisecond: 5 s for each scheme, in turns of half a second.
void real_time(const Case& c) {
  constexpr long period = 1'000'000;  // ns
  constexpr int turns = 10, steps = 500;
  struct Lane {
    std::unique_ptr<Runner> runner;
    std::unique_ptr<Stepper> stepper;
    State state;
    std::vector<double> times, computed, late;  // s: by the clock, of the processor, after the time due
    std::vector<double> iterations;
  };
  std::vector<Lane> lanes;
  for (const char* scheme : schemes) {
    Lane& lane = lanes.emplace_back();
    lane.runner = std::make_unique<Runner>(c, scheme);
    lane.stepper = lane.runner->stepper();
    lane.state = lane.runner->initial();
    lane.stepper->start(lane.state);
    lane.times.reserve(turns * steps);
    lane.computed.reserve(turns * steps);
    lane.iterations.reserve(turns * steps);
    lane.late.reserve(turns * steps);
  }
  for (int turn = 0; turn < turns; ++turn)
    for (Lane& lane : lanes) {
      timespec due{}, begin{}, end{};
      clock_gettime(CLOCK_MONOTONIC, &due);
      for (int i = 0; i < steps; ++i) {
        due.tv_nsec += period;
        if (due.tv_nsec >= 1'000'000'000) due.tv_nsec -= 1'000'000'000, ++due.tv_sec;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
        clock_gettime(CLOCK_MONOTONIC, &begin);
        const auto since = ProcessorClock::now();
        const StepReport done = lane.stepper->advance(lane.state, 1e-9 * period);
        if (!done.ok()) throw std::runtime_error("a step of the real-time run fails");
        lane.computed.push_back(elapsed(since));
        clock_gettime(CLOCK_MONOTONIC, &end);
        lane.iterations.push_back(done.newton.iterations);
        lane.times.push_back(seconds_between(begin, end));
        lane.late.push_back(seconds_between(due, begin));
      }
    }
  const auto quantile = [](std::vector<double>& x, double part) {
    std::sort(x.begin(), x.end());
    return x[std::min(x.size() - 1, static_cast<std::size_t>(part * static_cast<double>(x.size())))];
  };
  for (const auto& [part, name] :
       {std::pair{0.5, "median"}, {0.99, "99 %"}, {0.999, "99.9 %"}, {1.0, "longest"}})
    for (std::size_t s = 0; s < lanes.size(); ++s) {
      const std::string here = fmt::format("real time, {}, h = 1 ms, {}, {}", c.name, schemes[s], name);
      const double time = quantile(lanes[s].times, part), computed = quantile(lanes[s].computed, part),
                   late = quantile(lanes[s].late, part);
      report("schemes", here + " of step times by the clock", time / quantile(lanes[0].times, part),
             "that of generalized-alpha", 1e6 * time, "us");
      report("schemes", here + " of processor times of steps", computed / quantile(lanes[0].computed, part),
             "that of generalized-alpha", 1e6 * computed, "us");
      report("schemes", here + " of the iterations of a step",
             quantile(lanes[s].iterations, part) / quantile(lanes[s].iterations, 0.5), "their median",
             quantile(lanes[s].iterations, part), "1");
      report("schemes", here + " of how late steps begin", late / (1e-9 * period), "the step", 1e6 * late,
             "us");
    }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  for (const Case& c : {chain(), four_bar(), ladder(100), motor()})
    if (c.name.find(only) != std::string::npos) compare(c);
  if (std::string("real time").find(only) != std::string::npos) real_time(motor());
}
