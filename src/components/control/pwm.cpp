#include "components/control/pwm.hpp"

#include "model/component.hpp"

namespace escapement {

ComponentType control_pwm() {
  ComponentType type("control.pwm",
                     "Pulse-width modulation: an input between two levels becomes pulses between them.");
  type.description =
      "Every period begins high and ends low; it is high for the share (input − low) / (high − low) of it, "
      "where the input "
      "is compared with a rising sawtooth (natural sampling). Steps of the integrator end exactly at both "
      "edges.";
  type.is_block("the pulses");
  type.connects(input("any", "the mean that is wanted"));
  type.takes(number("frequency", "Hz", "pulses per time").positive());
  type.takes(number("low", "any", "lower level").of_output().otherwise("0"));
  type.takes(number("high", "any", "upper level").of_output().otherwise("1"));
  type.signs = "The longer the output is high, the larger the input.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 0.4, offset: 0.5, frequency: 1 Hz}
pulses: {type: control.pwm, frequency: 20 Hz, low: -1, high: 1, input: wave}
)yaml";
  type.build = [](Build& b) {
    const double low = b.number("low"), high = b.number("high"), period = 1 / b.number("frequency");
    if (!(low < high)) b.refuse("E-RANGE", "low", "is not below `high`");
    const ElementId id = b.add(control::PulseWidth{b.signal("input"), b.output(), period, low, high});
    b.at_times({0.0, id, 0, 1.0, period, INFINITY, 1.0});
  };
  return type;
}

}  // namespace escapement
