#include <cmath>
#include <numbers>

#include "components/control/time_source.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_chirp(Build& b) {
  const double first = b.number("start_frequency"), last = b.number("end_frequency"),
               duration = b.number("duration");
  const bool logarithmic = b.text("sweep") == "logarithmic";
  if (logarithmic && (first == 0 || last == 0))
    b.refuse("E-RANGE", first == 0 ? "start_frequency" : "end_frequency",
             "a logarithmic sweep has no frequency of zero", "a positive frequency, or sweep: linear");
  const double rate = logarithmic ? std::log(last / first) / duration : 0;
  const auto cycles = [=](double t) {  // ∫ frequency
    if (logarithmic && rate != 0) return first * std::expm1(rate * t) / rate;
    return t * (first + (last - first) * t / (2 * duration));
  };
  const double amplitude = b.number("amplitude"), phase = b.number("phase"), offset = b.number("offset");
  const auto angle = [=](double t) {
    const double n = t < duration ? cycles(t) : cycles(duration) + last * (t - duration);
    return 2 * std::numbers::pi * n + phase;
  };
  b.add(control::TimeSource{b.output(),
                            [=](double t, double) { return offset + amplitude * std::sin(angle(t)); },
                            [=](double t, std::vector<double>& list) { list.push_back(angle(t)); }});
}

}  // namespace

ComponentType control_chirp() {
  ComponentType type("control.chirp", "A sine wave whose frequency sweeps from one value to another.");
  type.description =
      "output = offset + amplitude · sin(2π ∫ f dt + phase) with, for 0 ≤ t ≤ duration,\n\n"
      "    linear:       f = start_frequency + (end_frequency − start_frequency) · t / duration\n"
      "    logarithmic:  f = start_frequency · (end_frequency / start_frequency)^(t / duration)\n\n"
      "After the sweep the wave goes on with end_frequency. Phase and frequency are continuous.";
  type.is_block("the wave");
  type.takes(number("start_frequency", "Hz", "frequency at t = 0").at_least(0));
  type.takes(number("end_frequency", "Hz", "frequency at the end of the sweep").at_least(0));
  type.takes(number("duration", "s", "how long the sweep takes").positive());
  type.takes(choice("sweep", {"linear", "logarithmic"}, "equal changes, or equal ratios, in equal times")
                 .otherwise("linear"));
  type.takes(number("amplitude", "any", "amplitude").of_output().otherwise("1"));
  type.takes(number("phase", "rad", "phase at t = 0").otherwise("0"));
  type.takes(number("offset", "any", "mean value").of_output().otherwise("0"));
  type.signs = "As in the equation.";
  type.shape = {"block"};
  type.example = R"yaml(
sweep: {type: control.chirp, start_frequency: 0.5 Hz, end_frequency: 8 Hz, duration: 2 s, sweep: logarithmic, amplitude: 3 N, unit: N}
mass: {type: translational.mass, mass: 1 kg}
spring: {type: translational.spring, stiffness: 400 N/m, between: [ground, mass]}
push: {type: translational.force, at: mass, input: sweep}
)yaml";
  type.build = build_chirp;
  return type;
}

}  // namespace escapement
