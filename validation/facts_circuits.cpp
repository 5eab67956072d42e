// Linear circuits and a motor against their exact solutions: voltages, currents and, of the motor, angle, speed and acceleration,
// in the largest error from t = 0 on, for every ρ∞ of the states, constant and varying steps. Circuits of index 2. Charge that is
// moved about a hundred thousand times.
#include "linear_reference.hpp"
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

const Wave wave{1.0L, 100.0L, 0.3L, 0.5L};

/// ẋ = A x + B u, and what the channels are: C x + D u.
struct Case {
  std::string name, nodes, components;
  RealMatrix A, B, start, C, D;
  std::vector<std::string> channels;
  double until, step;
};

RealMatrix matrix(int rows, int columns, std::initializer_list<double> values) {
  RealMatrix m(rows, columns);
  int k = 0;
  for (const double v : values) m(k / columns, k % columns) = Real(v), ++k;
  return m;
}

std::string volts() { return "sine: {offset: 0.5 V, amplitude: 1 V, frequency: 100 Hz, phase: 0.3 rad}"; }
std::string amperes() { return "sine: {offset: 0.5 A, amplitude: 1 A, frequency: 100 Hz, phase: 0.3 rad}"; }

Case series_rlc(const char* name, double R, double step) {
  const double L = 10e-3, C = 100e-6;
  return {
      name,
      "a, b, c",
      "  e: {type: electric.voltage_source, " + volts() +
          ", between: [a, ground]}\n"
          "  r: {type: electric.resistor, resistance: " +
          fmt::format("{}", R) +
          " ohm, between: [a, b]}\n"
          "  l: {type: electric.inductor, inductance: 10 mH, initial: {current: 0.1 A}, between: [b, c]}\n"
          "  k: {type: electric.capacitor, capacitance: 100 uF, initial: {voltage: 0.2 V}, between: [c, "
          "ground]}\n",
      matrix(2, 2, {0, 1 / C, -1 / L, -R / L}),
      matrix(2, 1, {0, 1 / L}),
      matrix(2, 1, {0.2, 0.1}),
      matrix(4, 2, {1, 0, 0, 1, 0, -1, -1, -R}),
      matrix(4, 1, {0, 0, 0, 1}),
      {"k.voltage", "l.current", "e.current", "l.voltage"},
      0.02,
      step};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"RC",
                 "a, b",
                 "  e: {type: electric.voltage_source, " + volts() +
                     ", between: [a, ground]}\n"
                     "  r: {type: electric.resistor, resistance: 1 kohm, between: [a, b]}\n"
                     "  k: {type: electric.capacitor, capacitance: 1 uF, initial: {voltage: 0.2 V}, between: "
                     "[b, ground]}\n",
                 matrix(1, 1, {-1e3}),
                 matrix(1, 1, {1e3}),
                 matrix(1, 1, {0.2}),
                 matrix(2, 1, {1, 1e-3}),
                 matrix(2, 1, {0, -1e-3}),
                 {"k.voltage", "e.current"},
                 0.02,
                 4e-4});
  all.push_back({"RL",
                 "a, b",
                 "  e: {type: electric.voltage_source, " + volts() +
                     ", between: [a, ground]}\n"
                     "  r: {type: electric.resistor, resistance: 10 ohm, between: [a, b]}\n"
                     "  l: {type: electric.inductor, inductance: 10 mH, initial: {current: 0.02 A}, between: "
                     "[b, ground]}\n",
                 matrix(1, 1, {-1e3}),
                 matrix(1, 1, {100}),
                 matrix(1, 1, {0.02}),
                 matrix(2, 1, {1, -10}),
                 matrix(2, 1, {0, 1}),
                 {"l.current", "b.voltage"},
                 0.02,
                 4e-4});
  all.push_back(series_rlc("series RLC, oscillating", 2, 4e-4));
  all.push_back(series_rlc("series RLC, critically damped", 20, 2e-4));
  all.push_back(series_rlc("series RLC, overdamped", 60, 5e-5));
  const double C = 100e-6, L = 10e-3, R = 20;
  all.push_back({"parallel RLC",
                 "a",
                 "  e: {type: electric.current_source, " + amperes() +
                     ", between: [ground, a]}\n"
                     "  r: {type: electric.resistor, resistance: 20 ohm, between: [a, ground]}\n"
                     "  l: {type: electric.inductor, inductance: 10 mH, initial: {current: 0.1 A}, between: "
                     "[a, ground]}\n"
                     "  k: {type: electric.capacitor, capacitance: 100 uF, initial: {voltage: 0.2 V}, "
                     "between: [a, ground]}\n",
                 matrix(2, 2, {-1 / (R * C), -1 / C, 1 / L, 0}),
                 matrix(2, 1, {1 / C, 0}),
                 matrix(2, 1, {0.2, 0.1}),
                 matrix(3, 2, {1, 0, 0, 1, 1 / R, 0}),
                 matrix(3, 1, {0, 0, 0}),
                 {"a.voltage", "l.current", "r.current"},
                 0.02,
                 4e-4});
  // Two coils, k = 0.9: L i' = (u − R1 i1, −R2 i2).
  const double L1 = 10e-3, L2 = 40e-3, M = 0.9 * std::sqrt(L1 * L2), det = L1 * L2 - M * M, R1 = 5, R2 = 30;
  all.push_back({"coupled coils",
                 "a, b, c",
                 "  e: {type: electric.voltage_source, " + volts() +
                     ", between: [a, ground]}\n"
                     "  r1: {type: electric.resistor, resistance: 5 ohm, between: [a, b]}\n"
                     "  w: {type: electric.transformer, inductance: [10 mH, 40 mH], coupling: [0.9], "
                     "initial: {current: [0 A, 0.01 A]}, primary: [b, ground], secondary: [c, ground]}\n"
                     "  r2: {type: electric.resistor, resistance: 30 ohm, between: [c, ground]}\n",
                 matrix(2, 2, {-L2 * R1 / det, M * R2 / det, M * R1 / det, -L1 * R2 / det}),
                 matrix(2, 1, {L2 / det, -M / det}),
                 matrix(2, 1, {0, 0.01}),
                 matrix(3, 2, {1, 0, 0, 1, 0, -R2}),
                 matrix(3, 1, {0, 0, 0}),
                 {"w.primary.current", "w.secondary.current", "c.voltage"},
                 0.02,
                 1e-4});
  // x = (i, ω, φ)
  const double Rm = 1, Lm = 5e-3, k = 0.05, J = 2e-4, b = 1e-4;
  all.push_back({"motor with inertia",
                 "a",
                 "  e: {type: electric.voltage_source, " + volts() +
                     ", between: [a, ground]}\n"
                     "  m: {type: electric.dc_motor, resistance: 1 ohm, inductance: 5 mH, torque_constant: "
                     "0.05 N*m/A, inertia: 5e-5 kg*m^2, damping: 1e-4 N*m*s/rad, initial: {current: 0.1 A}, "
                     "between: [a, ground], shaft: wheel}\n"
                     "  wheel: {type: rotational.inertia, inertia: 1.5e-4 kg*m^2, initial: {angle: 0.3 rad, "
                     "velocity: 1 rad/s}}\n",
                 matrix(3, 3, {-Rm / Lm, -k / Lm, 0, k / J, -b / J, 0, 0, 1, 0}),
                 matrix(3, 1, {1 / Lm, 0, 0}),
                 matrix(3, 1, {0.1, 1, 0.3}),
                 matrix(5, 3, {1, 0, 0, 0, 0, 1, 0, 1, 0, k / J, -b / J, 0, k, 0, 0}),
                 matrix(5, 1, {0, 0, 0, 0, 0}),
                 {"m.current", "wheel.angle", "wheel.velocity", "wheel.acceleration", "m.torque"},
                 0.05,
                 5e-4});
  return all;
}

const std::vector<std::pair<std::string, std::vector<double>>> patterns = {
    {"constant", {1.0}}, {"irregular", {0.8, 1.1, 0.6, 0.9, 1.5, 0.7, 1.3, 1.1}}};

std::string steps_text(const std::vector<double>& pattern, double h) {
  std::string list;
  for (const double p : pattern) list += fmt::format("{}{:.17g} s", list.empty() ? "" : ", ", p * h);
  return "steps: [" + list + "]";
}

/// Largest error of each channel from t = 0 on.
std::vector<double> errors(const Case& c, const std::vector<double>& pattern, double h, double rho) {
  const TextRun run(c.components,
                    fmt::format("until: {} s, {}, rho_states: {}, newton_tolerance: 1e-12", c.until,
                                steps_text(pattern, h), rho),
                    c.channels, "nodes: {electrical: [" + c.nodes + "]}");
  Driven exact(c.A, c.B, c.start, wave);
  std::vector<double> worst(c.channels.size(), 0.0);
  double t = 0;
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    if (run.t[k] > t) exact.advance(run.t[k] - t);
    t = run.t[k];
    const RealVector y = c.C * exact.state() + c.D * wave.at(Real(t));
    for (std::size_t j = 0; j < worst.size(); ++j)
      worst[j] = std::max(worst[j], std::abs(run.rows[k][j] - double(y(Eigen::Index(j)))));
  }
  return worst;
}

}  // namespace

TEST_CASE("voltages and currents are of second order from t = 0 on, for every ρ∞ and step pattern") {
  for (const Case& c : cases())
    for (const auto& [name, pattern] : patterns)
      for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
        Ladder ladder(c.channels);
        for (const double h : {c.step / 16, c.step / 32, c.step / 64})
          ladder.add(h, errors(c, pattern, h, rho));
        INFO(c.name, ", ", name, " steps, rho ", rho);
        if (rho == 0.8) ladder.print(c.name + ", " + name + " steps, rho 0.8");
        ladder.check_second_order(0.1);
      }
}

TEST_CASE("index 2: a source across a capacitor, a coil in series with a current source") {
  // i = C ė and v = L i̇: rates of stores, exact up to what ρ∞ⁿ leaves of the start and second order.
  const std::string text = "  e: {type: electric.voltage_source, " + volts() +
                           ", between: [a, ground]}\n"
                           "  k: {type: electric.capacitor, capacitance: 10 uF, between: [a, ground]}\n"
                           "  r: {type: electric.resistor, resistance: 50 ohm, between: [a, b]}\n"
                           "  k2: {type: electric.capacitor, capacitance: 20 uF, initial: {voltage: 0.1 V}, "
                           "between: [b, ground]}\n"
                           "  j: {type: electric.current_source, " +
                           amperes() +
                           ", between: [ground, c]}\n"
                           "  l: {type: electric.inductor, inductance: 5 mH, between: [c, ground]}\n";
  const double R = 50, C2 = 20e-6;
  for (const auto& [name, pattern] : patterns)
    for (const double rho : {0.0, 0.5, 0.8}) {
      Ladder ladder({"b.voltage", "(given)", "e.current", "c.voltage"});
      for (const double h : {1e-4, 5e-5, 2.5e-5}) {
        const TextRun run(text,
                          fmt::format("until: 20 ms, {}, rho_states: {}, newton_tolerance: 1e-12",
                                      steps_text(pattern, h), rho),
                          {"b.voltage", "l.current", "e.current", "c.voltage"},
                          "nodes: {electrical: [a, b, c]}");
        Driven exact(matrix(1, 1, {-1 / (R * C2)}), matrix(1, 1, {1 / (R * C2)}), matrix(1, 1, {0.1}), wave);
        std::vector<double> worst(4, 0.0);
        double t = 0;
        for (std::size_t k = 0; k < run.t.size(); ++k) {
          if (run.t[k] > t) exact.advance(run.t[k] - t);
          t = run.t[k];
          const double w = 2 * std::numbers::pi * 100, u = double(wave.at(t)),
                       slope = w * std::cos(w * t + 0.3);
          const double v = double(exact.state()(0));
          const double values[4] = {v, u, -(10e-6 * slope + (u - v) / R), 5e-3 * slope};
          for (int j = 0; j < 4; ++j) worst[j] = std::max(worst[j], std::abs(run.rows[k][j] - values[j]));
        }
        CHECK(worst[1] < 1e-11);  // the coil has no choice
        worst[1] = 1;
        ladder.add(h, worst);
      }
      INFO(name, " steps, rho ", rho);
      ladder.print(fmt::format("index 2, {} steps, rho {}", name, rho));
      CHECK(std::abs(ladder.order(2, 0) - 2) < 0.1);
      CHECK(std::abs(ladder.order(2, 2) - 2) < 0.1);
      CHECK(std::abs(ladder.order(2, 3) - 2) < 0.1);
    }
}

TEST_CASE("charge is conserved: two capacitors on an isolated part, a hundred thousand cycles of a switch") {
  // A capacitor is connected to another and back: together they keep their charge; nothing else is connected.
  const std::string text =
      "  clock: {type: control.pulse, period: 1 ms, duty: 0.5}\n"
      "  one: {type: electric.capacitor, capacitance: 1 uF, initial: {voltage: 5 V}, between: [a, ground]}\n"
      "  two: {type: electric.capacitor, capacitance: 2.2 uF, initial: {voltage: 0 V}, between: [b, "
      "ground]}\n"
      "  three: {type: electric.capacitor, capacitance: 0.5 uF, initial: {voltage: 1 V}, between: [c, "
      "ground]}\n"
      "  left: {type: electric.switch, input: clock, threshold: 0.5, on_resistance: 50 ohm, off_resistance: "
      "1e12 ohm, between: [a, b]}\n"
      "  not: {type: control.expression, inputs: {u: clock}, expression: 1 - u}\n"
      "  right: {type: electric.switch, input: not, threshold: 0.5, on_resistance: 50 ohm, off_resistance: "
      "1e12 ohm, between: [b, c]}\n";
  const TextRun run(text, "until: 100 s, step: 0.1 ms, output_every: 10 s",
                    {"one.charge", "two.charge", "three.charge"}, "nodes: {electrical: [a, b, c]}");
  const double total = 5e-6 + 0.5e-6;
  double drift = 0;
  for (const auto& r : run.rows) drift = std::max(drift, std::abs(r[0] + r[1] + r[2] - total) / total);
  fmt::print("charge after 1e5 cycles: relative drift {:.2e}\n", drift);
  CHECK(drift < 1e-10);
}

TEST_CASE(
    "electromechanical components balance their powers: terminals = shaft + field + heat, to rounding") {
  static const Registry registry = standard_registry();
  const std::string text = R"yaml(
escapement: 1
nodes: {electrical: [supply, a, b]}
components:
  battery: {type: electric.voltage_source, value: 24 V, between: [supply, ground]}
  wish:    {type: control.sine, amplitude: 0.8, frequency: 7 Hz}
  bridge:  {type: electric.h_bridge, input: wish, on_resistance: 30 mohm, supply: [supply, ground], between: [a, b]}
  earth:   {type: electric.resistor, resistance: 1 Mohm, between: [b, ground]}
  motor:   {type: electric.dc_motor, resistance: 0.3 ohm, inductance: 82 uH, torque_constant: 30.2 mN*m/A, between: [a, b], shaft: wheel, housing: frame}
  wheel:   {type: rotational.inertia, inertia: 1e-4 kg*m^2}
  frame:   {type: rotational.inertia, inertia: 1e-2 kg*m^2}
  mount:   {type: rotational.spring, stiffness: 50 N*m/rad, between: [ground, frame]}
  coil:    {type: electric.voice_coil, resistance: 8 ohm, inductance: 1 mH, force_constant: 10 N/A, between: [a, b], slider: cone}
  cone:    {type: translational.mass, mass: 0.1 kg}
  rim:     {type: translational.spring, stiffness: 500 N/m, between: [ground, cone]}
simulate: {until: 0.2 s, step: 50 us}
)yaml";
  const Model model = Model::read_text(text, "powers", registry);
  const Assembly assembly = assemble(model);
  struct Watch final : RunObserver {
    const Assembly& assembly;
    double motor = 0, coil = 0, bridge = 0;
    explicit Watch(const Assembly& a) : assembly(a) {}
    double read(const State& s, const std::string& name) const {
      for (const Channel& c : assembly.channels)
        if (c.name == name) return assembly.read(c, s);
      FAIL("no channel " << name);
      return 0;
    }
    double flux_rate(const State& s, const std::string& name) const {
      for (const Variable& v : assembly.system.variables())
        if (v.name == name) return s.rate[v.row];
      FAIL("no unknown " << name);
      return 0;
    }
    void row(const State& s) override {
      const auto balance = [&](const char* who, double R, double mechanical) {
        const std::string name = who;
        const double v = read(s, name + ".voltage"), i = read(s, name + ".current");
        const double left = v * i - R * i * i - i * flux_rate(s, name + ".current") - mechanical;
        return std::abs(left) / (1e-3 + std::abs(v * i) + R * i * i + std::abs(mechanical));
      };
      motor = std::max(
          motor, balance("motor", 0.3,
                         read(s, "motor.torque") * (read(s, "wheel.velocity") - read(s, "frame.velocity"))));
      coil = std::max(coil, balance("coil", 8, read(s, "coil.force") * read(s, "cone.velocity")));
      const double i = read(s, "bridge.current"), in = 24 * read(s, "bridge.supply_current"),
                   out = -read(s, "bridge.voltage") * i;
      bridge = std::max(bridge, std::abs(in - out - 0.06 * i * i) / (1e-3 + std::abs(in)));
    }
    bool step(const StepDone&) override { return true; }
  } watch(assembly);
  const RunResult result = simulate(assembly, simulate_options(model), watch);
  REQUIRE(!result.failure);
  fmt::print("powers are balanced to {:.1e} (motor), {:.1e} (voice coil), {:.1e} (bridge)\n", watch.motor,
             watch.coil, watch.bridge);
  CHECK(watch.motor < 1e-10);
  CHECK(watch.coil < 1e-10);
  CHECK(watch.bridge < 1e-10);
}

TEST_CASE(
    "corners of a source leave stores alone, in circuits of nanoseconds too; a junction behind its "
    "resistance") {
  // R ‖ C2 behind C1: v(a) = k · ramp response, exact.
  const TextRun fast(
      "  v: {type: electric.voltage_source, table: [[0, 0 V], [1 ns, 0 V], [2 ns, 1 V]], between: [in, "
      "ground]}\n"
      "  c1: {type: electric.capacitor, capacitance: 10 fF, between: [in, a]}\n"
      "  c2: {type: electric.capacitor, capacitance: 90 fF, between: [a, ground]}\n"
      "  r: {type: electric.resistor, resistance: 10 kohm, between: [a, ground]}\n",
      "until: 2 ns, step: 1 ps, newton_tolerance: 1e-13", {"a.voltage"}, "nodes: {electrical: [in, a]}");
  const double tau = 1e-9, exact = 0.1 * tau / 1e-9 * (1 - std::exp(-1.0));  // C1 u' R (1 − exp(−t / τ))
  fmt::print("two nanoseconds: {:.3e} off\n", fast.last[0] - exact);
  CHECK(std::abs(fast.last[0] - exact) < 1e-7 * 0.1);
  const TextRun reverse(
      "  v: {type: electric.voltage_source, table: [[0, 15 V], [1 ms, 15 V], [1.1 ms, 12 V], [2 ms, 12 V]], "
      "between: [in, ground]}\n"
      "  r: {type: electric.resistor, resistance: 1 kohm, between: [in, z]}\n"
      "  d: {type: electric.diode, saturation_current: 1 fA, series_resistance: 5 ohm, junction_capacitance: "
      "100 pF, between: [ground, z]}\n",
      "until: 2 ms, step: 10 us, rho_states: 0", {"z.voltage"}, "nodes: {electrical: [in, z]}");
  CHECK(std::abs(reverse.last[0] - 12) < 1e-6);
}
