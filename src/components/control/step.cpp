#include "components/control/step.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::control::Step>;

namespace escapement {

ComponentType control_step() {
  ComponentType type("control.step", "A signal that jumps from `before` to `after` at a given time.");
  type.description =
      "Steps of the integrator end exactly at the jump, so second order is kept; from t = time on the output "
      "is `after`.";
  type.is_block("the signal");
  type.takes(number("time", "s", "when it jumps").otherwise("0 s"));
  type.takes(number("before", "any", "value until then").of_output().otherwise("0"));
  type.takes(number("after", "any", "value from then on").of_output().otherwise("1"));
  type.signs = "As in the words.";
  type.shape = {"block"};
  type.example = R"yaml(
jump: {type: control.step, time: 0.25 s, before: 1 N, after: -2 N, unit: N}
mass: {type: translational.mass, mass: 1 kg}
push: {type: translational.force, at: mass, input: jump}
)yaml";
  type.build = [](Build& b) {
    const ElementId id = b.add(control::Step{b.output(), b.number("before"), b.number("after")});
    b.at_time(b.number("time"), id, 0, 1.0);
  };
  return type;
}

}  // namespace escapement
