// Sign conventions of blocks that compute signals from signals.
#include <array>

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
      // ---- operations
      {"control.product",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: [3, -4]}
v: {type: control.constant, value: 2}
p: {type: control.product, inputs: [u, v]}
q: {type: control.product, inputs: [u, v], signs: "*/"}
)yaml");
         CHECK(at["p.output.1"] == 6);
         CHECK(at["p.output.2"] == -8);
         CHECK(at["q.output.2"] == -2);
       }},
      {"control.table",
       [] {
         const std::string table =
             "u: {type: control.constant, value: [0.5, 3]}\ny: {type: control.table, table: [[0, 1], [1, "
             "-1], [2, -2]], input: u";
         CHECK(At(0, table + "}")["y.output.1"] == 0);
         CHECK(At(0, table + "}")["y.output.2"] == about(-3));
         CHECK(At(0, table + ", beyond: hold}")["y.output.2"] == -2);
       }},
      {"control.table_2d",
       [] {
         const At at(0, R"yaml(
x: {type: control.constant, value: [1, 3]}
y: {type: control.constant, value: 5}
f: {type: control.table_2d, x: [0, 2], y: [0, 10], values: [[0, 10], [4, 30]], inputs: [x, y]}
)yaml");
         CHECK(at["f.output.1"] == about(0.25 * (0 + 10 + 4 + 30)));
         CHECK(at["f.output.2"] == about(17 + 0.5 * (17 - 5)));
       }},
      {"control.norm",
       [] {
         CHECK(At(0,
                  "u: {type: control.constant, value: [3, -4]}\ny: {type: control.norm, input: "
                  "u}")["y.output"] == about(5));
       }},
      {"control.minimum",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: [-3, 1]}
v: {type: control.constant, value: 0.5}
y: {type: control.minimum, inputs: [u, v]}
z: {type: control.minimum, of: all, inputs: [v, u]}
)yaml");
         CHECK(at["y.output.1"] == -3);
         CHECK(at["y.output.2"] == 0.5);
         CHECK(at["z.output"] == -3);
       }},
      {"control.maximum",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: [-3, 1]}
v: {type: control.constant, value: 0.5}
y: {type: control.maximum, inputs: [u, v]}
z: {type: control.maximum, of: all, inputs: [v, u]}
)yaml");
         CHECK(at["y.output.1"] == 0.5);
         CHECK(at["y.output.2"] == 1);
         CHECK(at["z.output"] == 1);
       }},
      {"control.absolute",
       [] {
         CHECK(At(0,
                  "u: {type: control.constant, value: -3}\ny: {type: control.absolute, input: "
                  "u}")["y.output"] == 3);
       }},
      {"control.selector",
       [] {
         const At at(0,
                     "u: {type: control.constant, value: [5, 6, 7]}\ny: {type: control.selector, parts: [3, "
                     "1], input: u}");
         CHECK(at["y.output.1"] == 7);
         CHECK(at["y.output.2"] == 5);
       }},
      {"control.multiplexer",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: [5, 6]}
v: {type: control.constant, value: 7}
y: {type: control.multiplexer, input: [v, u]}
)yaml");
         CHECK(at["y.output.1"] == 7);
         CHECK(at["y.output.3"] == 6);
       }},
      {"control.demultiplexer",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: [5, 6, 7]}
first: {type: control.demultiplexer, sizes: [1, 2], piece: 1, input: u}
second: {type: control.demultiplexer, sizes: [1, 2], piece: 2, input: u}
)yaml");
         CHECK(at["first.output"] == 5);
         CHECK(at["second.output.1"] == 6);
         CHECK(at["second.output.2"] == 7);
       }},
      {"control.input",
       [] {
         const At at(0, "u: {type: control.input, value: [3, -2 mm]}");
         CHECK(at["u.output.1"] == 3);
         CHECK(at["u.output.2"] == -2e-3);
       }},
      {"control.variable",
       [] {
         const At at(0, "k: {type: control.variable, value: [3, -2 mm]}");
         CHECK(at["k.output.1"] == 3);
         CHECK(at["k.output.2"] == -2e-3);
       }},
      {"event.crossing",
       [] {  // rising from −1 to 1 at t = 0.5 s
         const At at(1, R"yaml(
u: {type: control.ramp, slope: 2, offset: -1}
up: {type: control.variable, value: 0}
down: {type: control.variable, value: 0}
rise: {type: event.crossing, inputs: {x: u}, expression: x, direction: rising, set: {up: 1}}
fall: {type: event.crossing, inputs: {x: u}, expression: x, direction: falling, set: {down: 1}}
)yaml");
         CHECK(at["rise.value"] == doctest::Approx(1));
         CHECK(at["up.output"] == 1);
         CHECK(at["down.output"] == 0);
       }},
      {"control.logic",
       [] {
         const auto truth = [](const std::string& operation) {  // of 00, 01, 11
           const At at(0, R"yaml(
u: {type: control.constant, value: [0, 0, 1]}
v: {type: control.constant, value: [0, 1, 1]}
y: {type: control.logic, operation: )yaml" +
                              operation + (operation == "not" ? ", inputs: [v]}" : ", inputs: [u, v]}"));
           return std::array{at["y.output.1"], at["y.output.2"], at["y.output.3"]};
         };
         CHECK(truth("and") == std::array{0.0, 0.0, 1.0});
         CHECK(truth("or") == std::array{0.0, 1.0, 1.0});
         CHECK(truth("xor") == std::array{0.0, 1.0, 0.0});
         CHECK(truth("nand") == std::array{1.0, 1.0, 0.0});
         CHECK(truth("nor") == std::array{1.0, 0.0, 0.0});
         CHECK(truth("not") == std::array{1.0, 0.0, 0.0});
       }},
      {"control.comparison",
       [] {
         const auto truth = [](const std::string& relation) {  // of −1, 0, 1 compared with 0
           const At at(0,
                       "u: {type: control.constant, value: [-1, 0, 1]}\ny: {type: control.comparison, "
                       "relation: \"" +
                           relation + "\", constant: 0, input: u}");
           return std::array{at["y.output.1"], at["y.output.2"], at["y.output.3"]};
         };
         CHECK(truth(">") == std::array{0.0, 0.0, 1.0});
         CHECK(truth(">=") == std::array{0.0, 1.0, 1.0});
         CHECK(truth("<") == std::array{1.0, 0.0, 0.0});
         CHECK(truth("<=") == std::array{1.0, 1.0, 0.0});
         const At smooth(0, R"yaml(
u: {type: control.constant, value: [-0.1, 0, 0.4]}
v: {type: control.constant, value: 0}
y: {type: control.comparison, other: v, width: 0.6, input: u}
)yaml");
         CHECK(smooth["y.output.1"] < 0.5);
         CHECK(smooth["y.output.2"] == 0.5);
         CHECK(smooth["y.output.3"] == 1);
       }},
      // ---- nonlinear
      {"control.saturation",
       [] {
         const At at(0, R"yaml(
u: {type: control.constant, value: [-9, 0.5, 9]}
y: {type: control.saturation, minimum: -1, maximum: 2, input: u}
z: {type: control.saturation, minimum: -1, maximum: 2, smooth: 0.5, input: u}
)yaml");
         for (const std::string y : {"y", "z"}) {
           CHECK(at[y + ".output.1"] == -1);
           CHECK(at[y + ".output.2"] == 0.5);
           CHECK(at[y + ".output.3"] == 2);
         }
       }},
      {"control.dead_zone",
       [] {
         const At at(0,
                     "u: {type: control.constant, value: [-9, 0.5, 9]}\ny: {type: control.dead_zone, lower: "
                     "-1, upper: 2, input: u}");
         CHECK(at["y.output.1"] == -8);
         CHECK(at["y.output.2"] == 0);
         CHECK(at["y.output.3"] == 7);
       }},
      {"control.relay",
       [] {
         const At at(0,
                     "u: {type: control.constant, value: [-9, 1, 9]}\ny: {type: control.relay, threshold: 1, "
                     "width: 0.1, low: 2, high: 5, input: u}");
         CHECK(at["y.output.1"] == about(2));
         CHECK(at["y.output.2"] == about(3.5));
         CHECK(at["y.output.3"] == about(5));
       }},
      {"control.quantiser",
       [] {
         const At at(0,
                     "u: {type: control.constant, value: [-0.9, 0.2, 0.8]}\ny: {type: control.quantiser, "
                     "interval: 0.5, smooth: 0.1, input: u}");
         CHECK(at["y.output.1"] == about(-1));
         CHECK(std::abs(at["y.output.2"]) < 1e-15);
         CHECK(at["y.output.3"] == about(1));
       }},
      {"control.hysteresis",
       [] {
         const auto after = [](const std::string& input, const std::string& initial) {
           return At(0.2, "u: {type: control.constant, value: " + input +
                              "}\ny: {type: control.hysteresis, lower: -1, upper: 2, width: 0.1, time: 5 ms, "
                              "low: 3, high: 7, initial: {output: " +
                              initial + "}, input: u}")["y.output"];
         };
         CHECK(after("0", "3") == about(3));  // between the thresholds it stays where it is
         CHECK(after("0", "7") == about(7));
         CHECK(after("3", "3") == about(7));
         CHECK(after("-2", "7") == about(3));
       }},
      {"control.backlash",
       [] {
         const auto after = [](const std::string& slope) {
           return At(0.5, "u: {type: control.ramp, slope: " + slope +
                              "}\ny: {type: control.backlash, gap: 0.5, time: 1 ms, input: u}")["y.output"];
         };
         CHECK(after("2") == about(1 - 0.25 - 2e-3));  // trails by time · rate
         CHECK(after("-2") == about(-1 + 0.25 + 2e-3));
         CHECK(after("0.4") == 0);
       }},
      {"control.rate_limiter",
       [] {
         const auto after = [](const std::string& target) {
           return At(0.1, "u: {type: control.constant, value: " + target +
                              "}\ny: {type: control.rate_limiter, rising: 5, falling: 3, time: 1 ms, input: "
                              "u}")["y.output"];
         };
         CHECK(after("9") == about(0.5));
         CHECK(after("-9") == about(-0.3));
         CHECK(after("0.1") == about(0.1));
       }},
  };
}

}  // namespace escapement::signs
