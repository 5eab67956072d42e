#include "components/control/sine.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::control::Sine>;

namespace escapement {

ComponentType control_sine() {
  ComponentType type("control.sine",
                     "A sine wave: output = offset + amplitude · sin(2π · frequency · t + phase).");
  type.is_block("the wave");
  type.takes(number("amplitude", "any", "amplitude").of_output().otherwise("1"));
  type.takes(number("frequency", "Hz", "cycles per second").at_least(0));
  type.takes(number("phase", "rad", "phase at t = 0").otherwise("0"));
  type.takes(number("offset", "any", "mean value").of_output().otherwise("0"));
  type.signs = "As in the equation.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 2, frequency: 1.5 Hz, phase: 30 deg, offset: 1}
)yaml";
  type.build = [](Build& b) {
    b.add(control::Sine{b.output(), b.number("amplitude"), b.number("frequency"), b.number("phase"),
                        b.number("offset")});
  };
  return type;
}

}  // namespace escapement
