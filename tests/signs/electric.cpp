// Sign conventions of everything electric.
#include "signs.hpp"

namespace escapement::signs {
namespace {

/// Two nodes a and b at 10 V and 4 V.
const std::string nodes = "electrical: [a, b, c, d]";
const std::string held =
    "va: {type: electric.voltage_source, value: 10 V, between: [a, ground]}\n"
    "vb: {type: electric.voltage_source, value: 4 V, between: [b, ground]}\n";

}  // namespace

Cases electric() {
  const std::string two = "electrical: [a, b]";
  return {
      {"electric.resistor",
       [=] {
         const At at(0, held + "r: {type: electric.resistor, resistance: 2 ohm, between: [a, b]}", two);
         CHECK(at["r.voltage"] == about(6));
         CHECK(at["r.current"] == about(3));
         CHECK(at["va.current"] == about(-3));
         CHECK(at["vb.current"] == about(3));
       }},
      {"electric.capacitor",
       [=] {
         const At at(0,
                     held +
                         "r: {type: electric.resistor, resistance: 2 ohm, between: [b, c]}\n"
                         "k: {type: electric.capacitor, capacitance: 3 F, measure_current: true, initial: "
                         "{voltage: 2 V}, between: [a, c]}",
                     "electrical: [a, b, c]");
         CHECK(at["k.voltage"] == about(2));
         CHECK(at["k.charge"] == about(6));
         CHECK(at["r.current"] == about(-2));
         CHECK(at["k.current"] == about(2));
       }},
      {"electric.inductor",
       [=] {
         const At at(
             0,
             held + "l: {type: electric.inductor, inductance: 3 H, initial: {current: 2 A}, between: [a, b]}",
             two);
         CHECK(at["l.voltage"] == about(6));
         CHECK(at["l.current"] == about(2));
         CHECK(at["va.current"] == about(-2));
         CHECK(at["l.flux"] == about(6));
         const At later(
             0.1,
             held + "l: {type: electric.inductor, inductance: 3 H, initial: {current: 2 A}, between: [a, b]}",
             two);
         CHECK(later["l.current"] == about(2.2));
       }},
      {"electric.transformer",
       [] {
         const At at(0.01,
                     "v: {type: electric.voltage_source, value: 10 V, between: [a, ground]}\n"
                     "w: {type: electric.transformer, inductance: [1 H, 4 H], coupling: [0.5], initial: "
                     "{current: [0 A, 0 A]}, primary: [a, ground], secondary: [b, ground]}\n"
                     "r: {type: electric.resistor, resistance: 1 mohm, between: [b, ground]}",
                     "electrical: [a, b]");
         CHECK(at["w.primary.current"] == doctest::Approx(0.1 / 0.75).epsilon(1e-3));
         CHECK(at["w.secondary.current"] == doctest::Approx(-0.025 / 0.75).epsilon(1e-3));  // M / L2 = 1/4
       }},
      {"electric.ideal_transformer",
       [] {
         const At at(
             0,
             "v: {type: electric.voltage_source, value: 10 V, between: [a, ground]}\n"
             "w: {type: electric.ideal_transformer, ratio: 5, primary: [a, ground], secondary: [b, ground]}\n"
             "r: {type: electric.resistor, resistance: 2 ohm, between: [b, ground]}",
             "electrical: [a, b]");
         CHECK(at["b.voltage"] == about(2));
         CHECK(at["r.current"] == about(1));
         CHECK(at["w.current"] == about(0.2));
       }},
      {"electric.voltage_source",
       [] {
         const At at(0,
                     "v: {type: electric.voltage_source, value: 10 V, between: [a, ground]}\n"
                     "r: {type: electric.resistor, resistance: 2 ohm, between: [a, ground]}",
                     "electrical: [a]");
         CHECK(at["a.voltage"] == about(10));
         CHECK(at["v.current"] == about(-5));
       }},
      {"electric.current_source",
       [] {
         const At at(0,
                     "i: {type: electric.current_source, value: 3 A, between: [ground, a]}\n"
                     "r: {type: electric.resistor, resistance: 2 ohm, between: [a, ground]}",
                     "electrical: [a]");
         CHECK(at["a.voltage"] == about(6));
         CHECK(at["i.current"] == about(3));
         CHECK(at["i.voltage"] == about(-6));
       }},
      {"electric.vcvs",
       [] {
         const At at(0,
                     held +
                         "e: {type: electric.vcvs, gain: 3, between: [c, d], control: [a, b]}\nr: {type: "
                         "electric.resistor, resistance: 2 ohm, between: [c, ground]}\ns: {type: "
                         "electric.resistor, resistance: 1 ohm, between: [d, ground]}",
                     nodes);
         CHECK(at["e.voltage"] == about(18));
         CHECK(at["r.current"] == about(6));
         CHECK(at["e.current"] == about(-6));
       }},
      {"electric.vccs",
       [] {
         const At at(0,
                     held +
                         "g: {type: electric.vccs, transconductance: 0.5 S, between: [ground, c], control: "
                         "[a, b]}\nr: {type: electric.resistor, resistance: 2 ohm, between: [c, ground]}",
                     "electrical: [a, b, c]");
         CHECK(at["g.current"] == about(3));
         CHECK(at["c.voltage"] == about(6));
       }},
      {"electric.ccvs",
       [] {
         const At at(0,
                     held +
                         "x: {type: electric.resistor, resistance: 2 ohm, between: [a, b]}\nh: {type: "
                         "electric.ccvs, transresistance: 5 ohm, input: x.current, between: [c, ground]}\nr: "
                         "{type: electric.resistor, resistance: 3 ohm, between: [c, ground]}",
                     "electrical: [a, b, c]");
         CHECK(at["c.voltage"] == about(15));
         CHECK(at["h.current"] == about(-5));
       }},
      {"electric.cccs",
       [] {
         const At at(0,
                     held +
                         "x: {type: electric.resistor, resistance: 2 ohm, between: [a, b]}\nf: {type: "
                         "electric.cccs, gain: 4, input: x.current, between: [ground, c]}\nr: {type: "
                         "electric.resistor, resistance: 3 ohm, between: [c, ground]}",
                     "electrical: [a, b, c]");
         CHECK(at["f.current"] == about(12));
         CHECK(at["c.voltage"] == about(36));
       }},
      {"electric.behavioural_source",
       [] {
         const At at(
             0,
             held +
                 "e: {type: electric.behavioural_source, inputs: {u: a.voltage}, voltage: 2*u, between: [c, "
                 "ground]}\nr: {type: electric.resistor, resistance: 4 ohm, between: [c, ground]}\ni: {type: "
                 "electric.behavioural_source, inputs: {u: a.voltage}, current: (1 S)*u, between: [d, "
                 "ground]}\ns: {type: electric.resistor, resistance: 3 ohm, between: [d, ground]}",
             nodes);
         CHECK(at["c.voltage"] == about(20));
         CHECK(at["e.current"] == about(-5));
         CHECK(at["d.voltage"] == about(-30));
       }},
      {"electric.ideal_opamp",
       [] {
         const At at(0,
                     "v: {type: electric.voltage_source, value: 1 V, between: [a, ground]}\n"
                     "r1: {type: electric.resistor, resistance: 1 kohm, between: [a, b]}\n"
                     "r2: {type: electric.resistor, resistance: 3 kohm, between: [b, c]}\n"
                     "o: {type: electric.ideal_opamp, plus: ground, minus: b, output: c}",
                     "electrical: [a, b, c]");
         CHECK(at["c.voltage"] == about(-3));
         CHECK(at["o.current"] == about(-1e-3));
       }},
      {"electric.opamp",
       [] {
         const At at(0,
                     "v: {type: electric.voltage_source, value: 1 V, between: [a, ground]}\n"
                     "r1: {type: electric.resistor, resistance: 1 kohm, between: [a, b]}\n"
                     "r2: {type: electric.resistor, resistance: 3 kohm, between: [b, c]}\n"
                     "o: {type: electric.opamp, gain: 1e6, plus: ground, minus: b, output: c}",
                     "electrical: [a, b, c]");
         CHECK(at["c.voltage"] == doctest::Approx(-3).epsilon(1e-4));
         CHECK(at["o.current"] == doctest::Approx(-1e-3).epsilon(1e-4));
         const At limited(
             0,
             "v: {type: electric.voltage_source, value: 1 V, between: [a, ground]}\n"
             "o: {type: electric.opamp, plus: a, minus: ground, output: c, minimum: -5 V, maximum: 7 V}",
             "electrical: [a, c]");
         CHECK(limited["c.voltage"] ==
               doctest::Approx(7.001).epsilon(1e-4));  // a thousandth of 1 V of drive beyond the limit
       }},
      {"electric.diode",
       [] {
         const At at(0,
                     held +
                         "d: {type: electric.diode, between: [a, c]}\nr: {type: electric.resistor, "
                         "resistance: 1 kohm, between: [c, b]}",
                     "electrical: [a, b, c]");
         CHECK(at["d.current"] > 5e-3);
         CHECK(at["r.current"] == about(at["d.current"]));
         const At blocked(0,
                          held +
                              "d: {type: electric.diode, between: [b, c]}\nr: {type: electric.resistor, "
                              "resistance: 1 kohm, between: [c, a]}",
                          "electrical: [a, b, c]");
         CHECK(blocked["d.current"] == about(-1e-14));
       }},
      {"electric.ideal_diode",
       [] {
         const At at(
             0,
             held +
                 "d: {type: electric.ideal_diode, knee_voltage: 1 V, on_resistance: 0 ohm, off_conductance: "
                 "0 S, between: [a, c]}\nr: {type: electric.resistor, resistance: 1 kohm, between: [c, b]}",
             "electrical: [a, b, c]");
         CHECK(at["d.current"] == about(5e-3));
         const At blocked(0,
                          held +
                              "d: {type: electric.ideal_diode, off_conductance: 1e-3 S, between: [b, c]}\nr: "
                              "{type: electric.resistor, resistance: 1 kohm, between: [c, a]}",
                          "electrical: [a, b, c]");
         CHECK(blocked["d.current"] == about(-3e-3));
       }},
      {"electric.bjt",
       [] {
         const At npn(0,
                      held +
                          "r: {type: electric.resistor, resistance: 100 kohm, between: [b, c]}\nq: {type: "
                          "electric.bjt, collector: a, base: c, emitter: ground}",
                      "electrical: [a, b, c]");
         CHECK(npn["q.base_current"] > 3e-5);
         CHECK(npn["q.collector_current"] == about(100 * npn["q.base_current"]));
         CHECK(npn["q.emitter_current"] == about(-101 * npn["q.base_current"]));
         const At pnp(0,
                      held +
                          "r: {type: electric.resistor, resistance: 100 kohm, between: [b, c]}\nq: {type: "
                          "electric.bjt, polarity: pnp, collector: ground, base: c, emitter: a}",
                      "electrical: [a, b, c]");
         CHECK(pnp["q.base_current"] < -3e-5);
         CHECK(pnp["q.collector_current"] == about(100 * pnp["q.base_current"]));
       }},
      {"electric.mosfet",
       [] {
         const At n(0,
                    held +
                        "m: {type: electric.mosfet, threshold: 1 V, transconductance: 2e-3 A/V^2, drain: a, "
                        "gate: b, source: ground}",
                    "electrical: [a, b]");
         CHECK(n["m.current"] == about(9e-3));
         const At p(0,
                    held +
                        "m: {type: electric.mosfet, polarity: pmos, threshold: -1 V, transconductance: 2e-3 "
                        "A/V^2, drain: ground, gate: b, source: a}",
                    "electrical: [a, b]");
         CHECK(p["m.current"] == about(-25e-3));
       }},
      {"electric.switch",
       [] {
         const At on(0,
                     held +
                         "s: {type: electric.switch, control: [a, b], threshold: 5, on_resistance: 2 ohm, "
                         "between: [a, b]}",
                     "electrical: [a, b]");
         CHECK(on["s.current"] == about(3));
         const At off(0,
                      held +
                          "s: {type: electric.switch, control: [a, b], threshold: 7, off_resistance: 2 kohm, "
                          "between: [a, b]}",
                      "electrical: [a, b]");
         CHECK(off["s.current"] == about(3e-3));
       }},
      {"electric.potentiometer",
       [] {
         const At at(0,
                     held +
                         "p: {type: electric.potentiometer, resistance: 6 ohm, position: 0.75, between: [a, "
                         "b], wiper: c}",
                     "electrical: [a, b, c]");
         CHECK(at["c.voltage"] == doctest::Approx(8.5).epsilon(1e-5));
         CHECK(at["p.current"] == doctest::Approx(1).epsilon(1e-5));
       }},
      {"electric.dc_motor",
       [] {
         const At at(0,
                     held +
                         "m: {type: electric.dc_motor, resistance: 2 ohm, inductance: 1 H, torque_constant: "
                         "0.5 N*m/A, initial: {current: 3 A}, between: [a, b], shaft: w}\nw: {type: "
                         "rotational.inertia, inertia: 2 kg*m^2, initial: {velocity: 4 rad/s}}",
                     "electrical: [a, b]");
         CHECK(at["m.torque"] == about(1.5));
         CHECK(at["w.acceleration"] == about(0.75));
         CHECK(at["m.back_emf"] == about(2));
         CHECK(at["va.current"] == about(-3));
       }},
      {"electric.voice_coil",
       [] {
         const At at(0,
                     held +
                         "m: {type: electric.voice_coil, resistance: 2 ohm, inductance: 0 H, force_constant: "
                         "0.5 N/A, between: [a, b], slider: w}\nw: {type: translational.mass, mass: 2 kg, "
                         "initial: {velocity: 4 m/s}}",
                     "electrical: [a, b]");
         CHECK(at["m.current"] == about(2));
         CHECK(at["m.force"] == about(1));
         CHECK(at["w.acceleration"] == about(0.5));
       }},
      {"control.pwm",
       [] {
         const std::string text =
             "u: {type: control.constant, value: 0.5}\np: {type: control.pwm, frequency: 10 Hz, low: -1, "
             "high: 1, input: u}";
         CHECK(At(0.07, text)["p.output"] == about(1));
         CHECK(At(0.08, text)["p.output"] == about(-1));
         CHECK(At(0.12, text)["p.output"] == about(1));
       }},
      {"electric.h_bridge",
       [] {
         const At at(
             0,
             held +
                 "u: {type: control.constant, value: -0.5}\nh: {type: electric.h_bridge, input: u, supply: "
                 "[a, ground], between: [c, d]}\nr: {type: electric.resistor, resistance: 5 ohm, between: "
                 "[c, d]}\ng: {type: electric.resistor, resistance: 5 ohm, between: [d, ground]}",
             nodes);
         CHECK(at["h.voltage"] == about(-5));
         CHECK(at["r.current"] == about(-1));
         CHECK(at["h.supply_current"] == about(0.5));
       }},
  };
}

}  // namespace escapement::signs
