#include "signs.hpp"

namespace escapement::signs {

Cases sampled() {
  // A constant 3 and −2, sampled at t = 0, 0.1 s …; looked at after 0.25 s.
  const auto of = [](const std::string& block) {
    return At(0.25,
              "u: {type: control.constant, value: [3, -2]}\ny: {type: sampled." + block + ", period: 0.1 s}");
  };
  return {
      {"sampled.hold",
       [=] {
         const At at = of("hold, input: u");
         CHECK(at["y.output.1"] == 3);
         CHECK(at["y.output.2"] == -2);
       }},
      {"sampled.delay",
       [=] {
         const At at = of("delay, samples: 3, initial: {output: 1}, input: u");
         CHECK(at["y.output.2"] == 1);
         CHECK(of("delay, input: u")["y.output.2"] == -2);
       }},
      {"sampled.state_space",
       [=] {
         CHECK(of("state_space, A: [[1]], B: [[1, 1]], C: [[2]], D: [[1, 0]], input: u")["y.output"] == 7);
       }},
      {"sampled.transfer_function",
       [=] {
         const At at = of("transfer_function, numerator: [1], denominator: [1, -1], input: u");
         CHECK(at["y.output.1"] == 6);
         CHECK(at["y.output.2"] == -4);
       }},
      {"sampled.quantiser", [=] { CHECK(of("quantiser, interval: 1.5, input: u")["y.output.2"] == -1.5); }},
      {"sampled.rate_limiter",
       [=] {
         const At at = of("rate_limiter, rising: 2 1/s, falling: 1 1/s, input: u");
         CHECK(at["y.output.1"] == doctest::Approx(0.6));
         CHECK(at["y.output.2"] == doctest::Approx(-0.3));
       }},
      {"sampled.moving_filter",
       [=] { CHECK(of("moving_filter, samples: 4, kind: minimum, input: u")["y.output.2"] == -2); }},
      {"sampled.pid",
       [] {
         const At at(0.25, R"yaml(
r: {type: control.constant, value: 3}
x: {type: control.constant, value: 1}
y: {type: sampled.pid, period: 0.1 s, kp: 2, ki: 10 1/s, setpoint: r, measurement: x}
)yaml");
         CHECK(at["y.output"] == doctest::Approx(2 * 2 + 3 * 2));
       }},
      {"sampled.state_machine",
       [] {
         const At at(0.25, R"yaml(
x: {type: control.ramp, slope: 10}
y: {type: sampled.state_machine, period: 0.1 s, inputs: {x: x}, states: {off: -1, on: 4}, transitions: {off to on: x > 1.5}}
)yaml");
         CHECK(at["y.output.1"] == 4);
         CHECK(at["y.output.2"] == 1);
       }},
      {"sampled.c_function",
       [] {  // the example: the mean of all samples so far
         const At at(0.12, registry().find("sampled.c_function")->example);
         const double pi = std::acos(-1.0);
         CHECK(at["mean.output"] == doctest::Approx((2 * std::sin(0.1 * pi) + 2 * std::sin(0.2 * pi)) / 3));
       }},
  };
}

}  // namespace escapement::signs
