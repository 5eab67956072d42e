#include "components/control/map.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_relay() {
  ComponentType type("control.relay", "A smooth two-point switch without memory.");
  type.description =
      "output = low + (high − low) · (1 + tanh((input − threshold) / width)) / 2. The switch is smooth: it "
      "takes place within a few `width` of the threshold, and steps should resolve it where the input "
      "crosses. `control.hysteresis` has two thresholds. There is no sharp variant: its jumps would cost the "
      "order of the integrator.";
  type.is_block("the switched signal", true);
  type.connects(input("any", "the signal that switches").any_width());
  type.takes(number("width", "any", "of the transition, in units of the input").positive());
  type.takes(number("threshold", "any", "input in the middle of the transition").otherwise("0"));
  type.takes(number("low", "any", "output far below the threshold").of_output().otherwise("-1"));
  type.takes(number("high", "any", "output far above the threshold").of_output().otherwise("1"));
  type.signs = "The output is `high` where the input is above the threshold.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
valve: {type: control.relay, threshold: 1, width: 0.1, low: 0, high: 5 N, unit: N, input: wave}
mass: {type: translational.mass, mass: 1 kg}
push: {type: translational.force, at: mass, input: valve}
)yaml";
  type.build = [](Build& b) {
    const double threshold = b.number("threshold"), width = b.number("width");
    const double middle = 0.5 * (b.number("low") + b.number("high")),
                 half = 0.5 * (b.number("high") - b.number("low"));
    control::build_map(b, [=](const Dual<1>& u) { return middle + half * tanh((u - threshold) / width); });
  };
  return type;
}

}  // namespace escapement
