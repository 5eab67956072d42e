// Sign conventions of blocks with states.
#include <cmath>
#include <numbers>

#include "signs.hpp"

namespace escapement::signs {
namespace {

const std::string level = "u: {type: control.constant, value: 3}\n";

doctest::Approx roughly(double value) { return doctest::Approx(value).epsilon(1e-4); }

}  // namespace

Cases dynamics() {
  return {
      {"control.delay",
       [] {
         const At at(0.5, R"yaml(
u: {type: control.step, time: 0.2 s, before: 1, after: -2}
early: {type: control.delay, input: u, delay: 0.25 s}
late: {type: control.delay, input: u, delay: 0.3001 s}
before: {type: control.delay, input: u, delay: 0.6 s, initial: {input: 7}}
)yaml");
         CHECK(at["early.output"] == about(-2));
         CHECK(at["late.output"] == about(1));
         CHECK(at["before.output"] == about(7));
       }},
      {"control.first_order",
       [] {
         const std::string lag =
             level +
             "y: {type: control.first_order, gain: 2, time_constant: 0.1 s, input: u, initial: {output: 1}}";
         CHECK(At(0, lag)["y.output"] == about(1));
         CHECK(At(0.1, lag)["y.output"] == roughly(6 - 5 * std::exp(-1.0)));
       }},
      {"control.second_order",
       [] {
         const std::string lag =
             level +
             "y: {type: control.second_order, gain: 2, frequency: 1 Hz, damping_ratio: 1, "
             "input: u, initial: {output: 1, rate: -2}}";
         CHECK(At(0, lag)["y.output"] == about(1));
         CHECK(At(0, lag)["y.rate"] == about(-2));
         CHECK(At(3, lag)["y.output"] == roughly(6));
       }},
      {"control.derivative",
       [] {
         const std::string slope =
             level +
             "x: {type: control.integrator, gain: 2, input: u, initial: {output: 7}}\n"
             "y: {type: control.derivative, gain: 0.5, filter: 20 ms, input: x, initial: {output: -1}}";
         CHECK(At(0, slope)["y.output"] == about(-1));
         CHECK(At(0.3, slope)["y.output"] == roughly(3));
         // A jump of the input by 2 at 0.1 s jumps the output by gain / filter times as much.
         const At jump(0.1,
                       "x: {type: control.step, time: 0.1 s, before: 1, after: 3}\n"
                       "y: {type: control.derivative, filter: 20 ms, input: x}");
         CHECK(jump["y.output"] == about(100));
       }},
      {"control.lead_lag",
       [] {
         const std::string lead =
             "u: {type: control.step, time: 0.1 s, before: 1, after: 2}\n"
             "y: {type: control.lead_lag, gain: 3, numerator_time: 0.2 s, denominator_time: 50 ms, input: "
             "u, initial: {input: 1}}";
         CHECK(At(0.05, lead)["y.output"] == about(3));
         CHECK(At(0.1, lead)["y.output"] == about(3 + 3 * 4));  // the jump passes with gain · lead / lag
         CHECK(At(0.8, lead)["y.output"] == roughly(6));
       }},
      {"control.transfer_function",
       [] {
         const std::string plant =
             level +
             "y: {type: control.transfer_function, numerator: [-2, 8], denominator: [1, 3, 4], input: u, "
             "initial: {input: 2}}";
         CHECK(At(0, plant)["y.output"] == about(4));
         CHECK(At(0.01, plant)["y.output"] < 4);  // the other way at first: a zero on the right
         CHECK(At(8, plant)["y.output"] == roughly(6));
       }},
      {"control.zero_pole_gain",
       [] {
         const std::string plant =
             level +
             "y: {type: control.zero_pole_gain, zeros: [-2 rad/s], poles: [-4 rad/s], "
             "pole_pairs: [[-3 rad/s, 4 rad/s]], gain: 50, input: u, initial: {input: 2}}";
         CHECK(At(0, plant)["y.output"] == about(50 * 2 * 2 / (4.0 * 25)));
         CHECK(At(4, plant)["y.output"] == roughly(3));
       }},
      {"control.notch",
       [] {
         const auto amplitude = [](const char* depth) {
           return At(4.25,
                     std::string("u: {type: control.sine, frequency: 1 Hz}\n"
                                 "y: {type: control.notch, frequency: 1 Hz, width: 1 Hz, input: u, depth: ") +
                         depth + "}")["y.output"];
         };
         CHECK(std::abs(amplitude("1")) < 1e-3);
         CHECK(amplitude("0.6") == doctest::Approx(0.4).epsilon(1e-3));
       }},
      {"control.filter",
       [] {
         const auto at = [](const std::string& keys) {
           return At(5, level + "y: {type: control.filter, input: u, initial: {input: 3}, " + keys +
                            "}")["y.output"];
         };
         CHECK(at("order: 3, cutoff: 1 Hz") == about(3));
         CHECK(at("kind: bessel, order: 4, cutoff: 1 Hz") == about(3));
         CHECK(std::abs(at("pass: high, order: 3, cutoff: 1 Hz")) < 1e-9);
         CHECK(std::abs(at("pass: band, order: 2, cutoff: [1 Hz, 2 Hz]")) < 1e-9);
         CHECK(at("pass: stop, order: 2, cutoff: [1 Hz, 2 Hz]") == about(3));
       }},
      {"control.pade_delay",
       [] {
         const At at(2,
                     "u: {type: control.sine, frequency: 1 Hz, offset: 2}\n"
                     "y: {type: control.pade_delay, delay: 0.25 s, order: 4, input: u}");
         CHECK(at["y.output"] == doctest::Approx(2 + std::sin(2 * std::numbers::pi * 1.75)).epsilon(1e-3));
       }},
      {"control.observer",
       [] {
         const std::string observer = R"yaml(
u: {type: control.constant, value: 2}
plant: {type: control.state_space, A: [[0, 1], [-4, -2]], B: [[0], [1]], C: [[1, 0]], input: u, initial: {state: [1, 3]}}
estimate: {type: control.observer, A: [[0, 1], [-4, -2]], B: [[0], [1]], C: [[1, 0]], L: [[10], [30]], input: u, measurement: plant, initial: {state: [0, 5]}}
)yaml";
         CHECK(At(0, observer)["estimate.output.2"] == about(5));
         const At later(4, observer);
         CHECK(later["estimate.output.1"] == roughly(later["plant.state.1"]));
         CHECK(std::abs(later["estimate.output.2"] - later["plant.state.2"]) < 1e-5);
       }},
      {"control.state_feedback",
       [] {
         const At at(0, R"yaml(
x: {type: control.constant, value: [3, 4]}
r: {type: control.constant, value: 10}
plain: {type: control.state_feedback, K: [[2, -1], [0, 1]], state: x}
following: {type: control.state_feedback, K: [[2, -1]], state: x, reference: r}
scaled: {type: control.state_feedback, K: [[2, -1]], N: [[5]], state: x, reference: r}
)yaml");
         CHECK(at["plain.output.1"] == about(-2));
         CHECK(at["plain.output.2"] == about(-4));
         CHECK(at["following.output"] == about(8));
         CHECK(at["scaled.output"] == about(48));
       }},
  };
}

}  // namespace escapement::signs
