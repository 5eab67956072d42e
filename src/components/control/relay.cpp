#include "components/control/map.hpp"
#include "components/control/switching.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_relay() {
  ComponentType type("control.relay", "A two-point switch: one output below a threshold, another above.");
  type.description =
      "output = `high` where the input is above the threshold, `low` elsewhere. The switch is an "
      "event: "
      "steps end exactly there, so second order is kept. In a loop that drives the input back at once it "
      "would switch without end, which is reported; `control.hysteresis` has two thresholds. With `width` "
      "the "
      "switch is smooth instead: output = low + (high − low) · (1 + tanh((input − threshold) / width)) / 2, "
      "and steps should resolve it.";
  type.is_block("the switched signal", true);
  type.connects(input("any", "the signal that switches").any_width());
  type.takes(number("width", "any", "of a smooth transition, in units of the input; a jump unless given")
                 .positive()
                 .optional());
  type.takes(number("threshold", "any", "input at which it switches").otherwise("0"));
  type.takes(number("low", "any", "output up to the threshold").of_output().otherwise("-1"));
  type.takes(number("high", "any", "output above the threshold").of_output().otherwise("1"));
  type.signs = "The output is `high` where the input is above the threshold.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
valve: {type: control.relay, threshold: 1, low: 0, high: 5 N, unit: N, input: wave}
mass: {type: translational.mass, mass: 1 kg}
push: {type: translational.force, at: mass, input: valve}
soft: {type: control.relay, threshold: 1, width: 0.1, input: wave}
)yaml";
  type.build = [](Build& b) {
    const double threshold = b.number("threshold");
    if (!b.has("width")) {
      const auto u = b.wide_signal("input"), y = b.outputs();
      for (std::size_t i = 0; i < y.size(); ++i)
        b.add(control::TwoPoint{u[i], {}, y[i], threshold, threshold, b.number("low"), b.number("high"), 0});
      return;
    }
    const double width = b.number("width");
    const double middle = 0.5 * (b.number("low") + b.number("high")),
                 half = 0.5 * (b.number("high") - b.number("low"));
    control::build_map(b, [=](const Dual<1>& u) { return middle + half * tanh((u - threshold) / width); });
  };
  return type;
}

}  // namespace escapement
