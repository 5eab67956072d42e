// Sign conventions of blocks that compute signals from signals.
#include "signs.hpp"

namespace escapement::signs {

Cases signals() {
  return {
      // ---- signals
      {"control.constant",
       [] {
         const At at(0, "k: {type: control.constant, value: [3, -2 mm]}");
         CHECK(at["k.output.1"] == 3);
         CHECK(at["k.output.2"] == about(-2e-3));
       }},
      {"control.step",
       [] {
         const std::string jump = "k: {type: control.step, time: 0.1 s, before: 1, after: -2}";
         CHECK(At(0.099, jump)["k.output"] == 1);
         CHECK(At(0.1, jump)["k.output"] == -2);
       }},
      {"control.sine",
       [] {
         const std::string wave =
             "k: {type: control.sine, amplitude: 2, frequency: 1 Hz, phase: 30 deg, offset: 1}";
         CHECK(At(0, wave)["k.output"] == about(2));
         CHECK(At(0.01, wave)["k.output"] > 2);
       }},
      {"control.tanh_saturation",
       [] {
         const At at(0,
                     "k: {type: control.constant, value: [9, -9]}\ny: {type: control.tanh_saturation, "
                     "limit: 1, input: k}");
         CHECK(at["y.output.1"] == about(std::tanh(9.0)));
         CHECK(at["y.output.2"] == about(-std::tanh(9.0)));
       }},
      {"control.state_space",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: 3}
y: {type: control.state_space, A: [[-1]], B: [[1]], C: [[2]], D: [[-1]], input: u, initial: {state: [5]}}
)yaml");
         CHECK(at["y.output"] == about(2 * 5 - 3));
       }},
      {"control.gain",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: [3, 4]}
each: {type: control.gain, gain: -2, input: u}
mix: {type: control.gain, gain: [[1, -1]], input: u}
)yaml");
         CHECK(at["each.output.1"] == about(-6));
         CHECK(at["each.output.2"] == about(-8));
         CHECK(at["mix.output"] == about(-1));
       }},
      {"control.sum",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: [3, 4]}
v: {type: control.constant, value: [1, 1]}
both: {type: control.sum, inputs: [u, v]}
difference: {type: control.sum, inputs: [u, v], signs: "+-"}
weighted: {type: control.sum, inputs: [u, v], weights: [2, -3]}
)yaml");
         CHECK(at["both.output.2"] == about(5));
         CHECK(at["difference.output.1"] == about(2));
         CHECK(at["weighted.output.2"] == about(5));
       }},
      {"control.integrator",
       [] {
         const At at(
             0.5,
             "u: {type: control.constant, value: 3}\ny: {type: control.integrator, gain: 2, input: u, "
             "initial: {output: 1}}");
         CHECK(at["y.output"] == about(4));
         // Beyond a limit by the rate times tracking_time the integral stops; back-calculation holds it there too.
         const std::string limited =
             "u: {type: control.constant, value: [3, -3]}\ny: {type: control.integrator, input: u, "
             "minimum: -1, maximum: 0.5, tracking_time: 10 ms, anti_windup: ";
         for (const char* kind : {"clamping", "back_calculation"}) {
           const At held(1, limited + kind + "}");
           CHECK(held["y.output.1"] == 0.5);
           CHECK(held["y.output.2"] == -1);
           CHECK(held["y.integral.1"] == doctest::Approx(0.53).epsilon(1e-4));
           CHECK(held["y.integral.2"] == doctest::Approx(-1.03).epsilon(1e-4));
         }
         const std::string reset =
             "u: {type: control.constant, value: 3}\nr: {type: control.step, time: 0.1 s}\ny: {type: "
             "control.integrator, input: u, reset: r, reset_time: 10 ms, reset_value: -2}";
         CHECK(At(0.1, reset)["y.output"] == about(0.3));
         CHECK(At(0.11, reset)["y.output"] == doctest::Approx(-2 + 2.3 * std::exp(-1.0)).epsilon(1e-2));
         CHECK(At(0.3, reset)["y.output"] == about(-2));
       }},
      {"control.pid",
       [] {
         const auto pid = [](double setpoint, double measurement, const std::string& keys) {
           return At(0.1, "r: {type: control.constant, value: " + std::to_string(setpoint) +
                              "}\ny: {type: control.constant, value: " + std::to_string(measurement) +
                              "}\nc: {type: control.pid, setpoint: r, measurement: y, " + keys + "}\n");
         };
         CHECK(pid(2, 0, "kp: 3")["c.output"] == about(6));
         CHECK(pid(0, 2, "kp: 3")["c.output"] == about(-6));
         const At integrating = pid(2, 0, "kp: 3, ki: 5, setpoint_weight: 0.5, initial: {integral: 1}");
         CHECK(integrating["c.proportional"] == about(3));
         CHECK(integrating["c.integral"] == about(1 + 5 * 2 * 0.1));
         CHECK(integrating["c.output"] == about(5));
         CHECK(pid(2, 0, "form: isa, gain: 3, integral_time: 0.5 s")["c.integral"] ==
               about(3 / 0.5 * 2 * 0.1));
         // Limited: the integral settles where  ki e + (maximum − demand) / tracking_time = 0.
         const At limited = pid(2, 0, "kp: 3, ki: 5, maximum: 4, tracking_time: 1 ms");
         CHECK(limited["c.output"] == 4);
         CHECK(limited["c.integral"] == about(4 + 5 * 2 * 1e-3 - 6));
         CHECK(pid(-2, 0, "kp: 3, minimum: -4")["c.output"] == -4);
         // Clamping: the demand is at once far beyond the limit, the integral stays; inwards it moves.
         const std::string clamped = "kp: 3, ki: 5, maximum: 4, tracking_time: 1 ms, anti_windup: clamping";
         CHECK(pid(2, 0, clamped)["c.integral"] == 0);
         CHECK(pid(1, 0, clamped)["c.integral"] == about(0.5));
         CHECK(pid(-2, 0, clamped + ", initial: {integral: 20}")["c.integral"] == about(19));
         CHECK(pid(2, 0, "kp: 3, ki: 5, maximum: 4, anti_windup: none")["c.integral"] == about(1));
         // The derivative of a ramp through the filter: kd · slope · (1 − exp(−t/τ)); a measurement counts negative.
         const std::string ramp = R"yaml(
one: {type: control.constant, value: 1}
y: {type: control.integrator, gain: 2, input: one, initial: {output: 7}}
zero: {type: control.constant, value: 0}
f: {type: control.constant, value: 50}
)yaml";
         const At derivative(0.1, ramp +
                                      "c: {type: control.pid, setpoint: zero, measurement: y, kd: 3, "
                                      "derivative_filter: 0.1 s, feedforward: f}");
         CHECK(derivative["c.derivative"] == doctest::Approx(-6 * (1 - std::exp(-1.0))).epsilon(1e-4));
         CHECK(derivative["c.output"] == about(50 + derivative["c.derivative"]));
         const At error(0.1,
                        ramp + "c: {type: control.pid, input: y, kp: 1, kd: 3, derivative_filter: 0.1 s}");
         CHECK(error["c.derivative"] == doctest::Approx(6 * (1 - std::exp(-1.0))).epsilon(1e-4));
         CHECK(error["c.proportional"] == about(7.2));
       }},
  };
}

}  // namespace escapement::signs
