// Operating points from a cold start, directly and by both continuations, which must agree; none may leave a leak behind.
#include <doctest/doctest.h>

#include <cmath>

#include "components/registry.hpp"
#include "core/operating_point.hpp"
#include "model/assembly.hpp"

using namespace escapement;

namespace {

const Registry& registry() {
  static const Registry all = standard_registry();
  return all;
}

Assembly assembled(const std::string& nodes, const std::string& components) {
  return assemble(
      Model::read_text("escapement: 1\nnodes: {electrical: [" + nodes + "]}\ncomponents:\n" + components,
                       "circuit", registry()));
}

double voltage(const Assembly& a, const State& s, const std::string& node) {
  for (const Channel& c : a.channels)
    if (c.name == node + ".voltage") return a.read(c, s);
  FAIL("no node " << node);
  return 0;
}

/// All ways lead to the same point. (Transistors without any current at all cannot be ramped up.)
State agreed(const Assembly& a, bool ramps = true) {
  State direct = a.initial, leaking = a.initial, ramping = a.initial;
  find_operating_point(a.system, direct, {});
  find_operating_point(a.system, leaking, {}, OperatingWay::leaking);
  if (ramps) find_operating_point(a.system, ramping, {}, OperatingWay::ramping);
  for (std::size_t i = 0; i < direct.value.size(); ++i) {
    CHECK(leaking.value[i] == doctest::Approx(direct.value[i]).epsilon(1e-9));
    if (ramps) CHECK(ramping.value[i] == doctest::Approx(direct.value[i]).epsilon(1e-9));
  }
  return direct;
}

}  // namespace

TEST_CASE("a stage with one transistor") {
  const Assembly a =
      assembled("supply, base, collector, emitter",
                "  battery: {type: electric.voltage_source, value: 12 V, between: [supply, ground]}\n"
                "  r1: {type: electric.resistor, resistance: 47 kohm, between: [supply, base]}\n"
                "  r2: {type: electric.resistor, resistance: 10 kohm, between: [base, ground]}\n"
                "  rc: {type: electric.resistor, resistance: 2.2 kohm, between: [supply, collector]}\n"
                "  re: {type: electric.resistor, resistance: 480 ohm, between: [emitter, ground]}\n"
                "  q: {type: electric.bjt, saturation_current: 14.34 fA, forward_gain: 255.9, reverse_gain: "
                "6.092, temperature: 300 K, collector: collector, base: base, emitter: emitter}\n");
  const State s = agreed(a);
  CHECK(voltage(a, s, "base") == doctest::Approx(2.0154).epsilon(1e-4));
  CHECK(voltage(a, s, "collector") == doctest::Approx(5.8665).epsilon(1e-4));
  CHECK(voltage(a, s, "emitter") == doctest::Approx(1.3435).epsilon(1e-4));
}

TEST_CASE("a hundred diodes in series, from a thousand volts") {
  std::string nodes = "n0",
              text = "  v: {type: electric.voltage_source, value: 1000 V, between: [n0, ground]}\n";
  for (int i = 1; i <= 100; ++i) {
    nodes += ", n" + std::to_string(i);
    text += "  d" + std::to_string(i) + ": {type: electric.diode, between: [n" + std::to_string(i - 1) +
            ", n" + std::to_string(i) + "]}\n";
  }
  const Assembly a = assembled(
      nodes, text + "  r: {type: electric.resistor, resistance: 10 ohm, between: [n100, ground]}\n");
  const State s = agreed(a);
  const double i = voltage(a, s, "n100") / 10, each = (1000 - voltage(a, s, "n100")) / 100;
  CHECK(each ==
        doctest::Approx(1.380649e-23 / 1.602176634e-19 * 300.15 * std::log1p(i / 1e-14)).epsilon(1e-9));
}

TEST_CASE("a differential pair with a mirror, and a chain of inverters") {
  agreed(assembled(
      "p, n, x, e, a, b, m",
      "  vp: {type: electric.voltage_source, value: 10 V, between: [p, ground]}\n"
      "  vn: {type: electric.voltage_source, value: -10 V, between: [n, ground]}\n"
      "  vx: {type: electric.voltage_source, value: 5 mV, between: [x, ground]}\n"
      "  q1: {type: electric.bjt, collector: a, base: x, emitter: e, forward_early: 80 V}\n"
      "  q2: {type: electric.bjt, collector: b, base: ground, emitter: e, forward_early: 80 V}\n"
      "  q3: {type: electric.bjt, polarity: pnp, collector: a, base: a, emitter: p, forward_early: 50 V}\n"
      "  q4: {type: electric.bjt, polarity: pnp, collector: b, base: a, emitter: p, forward_early: 50 V}\n"
      "  q5: {type: electric.bjt, collector: e, base: m, emitter: n, forward_early: 80 V}\n"
      "  q6: {type: electric.bjt, collector: m, base: m, emitter: n, forward_early: 80 V}\n"
      "  r: {type: electric.resistor, resistance: 20 kohm, between: [ground, m]}\n"
      "  load: {type: electric.resistor, resistance: 1 Mohm, between: [b, ground]}\n"));
  std::string nodes = "dd, n0",
              text =
                  "  vdd: {type: electric.voltage_source, value: 5 V, between: [dd, ground]}\n"
                  "  v: {type: electric.voltage_source, value: 5 V, between: [n0, ground]}\n";
  for (int i = 1; i <= 9; ++i) {
    const std::string k = std::to_string(i), before = std::to_string(i - 1);
    nodes += ", n" + k;
    text += "  a" + k +
            ": {type: electric.mosfet, polarity: pmos, threshold: -0.9 V, modulation: 0.02 1/V, drain: n" +
            k + ", gate: n" + before + ", source: dd}\n";
    text += "  b" + k + ": {type: electric.mosfet, threshold: 0.8 V, modulation: 0.02 1/V, drain: n" + k +
            ", gate: n" + before + ", source: ground}\n";
  }
  const Assembly chain = assembled(nodes, text);
  const State s = agreed(chain, false);
  CHECK(voltage(chain, s, "n9") < 0.01);
  CHECK(voltage(chain, s, "n8") > 4.99);
}

TEST_CASE("a current into a breakdown, into a transistor as a diode: nothing is left unbalanced") {
  for (const char* current : {"1e-13 A", "1 nA", "0.4 mA", "1 mA", "2 A"}) {
    INFO(std::string(current));
    const std::string source =
        std::string("  i: {type: electric.current_source, value: ") + current + ", between: [ground, g]}\n";
    const Assembly zener = assembled(
        "g", source + "  d: {type: electric.diode, breakdown_voltage: 5 V, between: [ground, g]}\n");
    State a = agreed(zener);
    make_consistent(zener.system, a, {.operating_point = false});
    std::vector<double> r(zener.system.size());
    zener.system.residual(a, {.store = 0, .flow = 1}, r);
    for (const double x : r) CHECK(std::abs(x) < 1e-12);
    const Assembly transistor =
        assembled("g", source +
                           "  m: {type: electric.mosfet, threshold: 0.9 V, transconductance: 4e-5 A/V^2, "
                           "width: 20 um, length: 1 um, drain: g, gate: g, source: ground}\n");
    State b = agreed(transistor);
    make_consistent(transistor.system, b, {.operating_point = false});
    r.assign(transistor.system.size(), 0.0);
    transistor.system.residual(b, {.store = 0, .flow = 1}, r);
    for (const double x : r) CHECK(std::abs(x) < 1e-9);
  }
}

TEST_CASE("signals that have no value where they begin, beside a circuit and driving it") {
  for (const auto& [u, d] : {std::pair{3.0, 2.0}, {-0.2, 40.0}, {1e3, -7.0}}) {
    const Assembly a = assembled(
        "in, out", "  u: {type: control.constant, value: " + std::to_string(u) +
                       "}\n  d: {type: control.constant, value: " + std::to_string(d) +
                       "}\n  twice: {type: control.product, inputs: [u, d]}\n"
                       "  ratio: {type: control.product, inputs: [twice, d, u], signs: \"*/*\"}\n"
                       "  root: {type: control.expression, inputs: {r: ratio, d: d}, expression: sqrt(r)/d}\n"
                       "  feed: {type: electric.voltage_source, input: root, between: [in, ground]}\n"
                       "  r1: {type: electric.resistor, resistance: 1 kohm, between: [in, out]}\n"
                       "  r2: {type: electric.resistor, resistance: 3 kohm, between: [out, ground]}\n");
    State s = a.initial;
    find_operating_point(a.system, s, {});
    CHECK(voltage(a, s, "out") == doctest::Approx(0.75 * std::abs(u) / d).epsilon(1e-9));
  }
}
