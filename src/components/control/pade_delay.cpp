#include "components/control/prototypes.hpp"

namespace escapement {

ComponentType control_pade_delay() {
  ComponentType type = control::linear_type(
      "control.pade_delay", "A delay as a rational function (Padé): smooth, without a memory of the past.",
      [](const Build& b) {
        control::Roots poles = control::bessel_poles(b.integer("order"));
        for (auto& p : poles) p *= 2 / b.number("delay");
        control::Roots zeros = poles;
        for (auto& z : zeros) z = {-z.real(), z.imag()};
        return control::sections(zeros, poles, b.integer("order") % 2 == 0 ? 1.0 : -1.0);
      });
  type.description =
      "The diagonal Padé approximation of exp(−delay s): all frequencies pass with gain one, and up to about "
      "order / (2 delay) rad/s (0.16 order / delay Hz) the phase is that of the delay. After a jump of the "
      "input it first swings; at once the output jumps by (−1)^order of it.";
  type.takes(number("delay", "s", "how much later").positive());
  type.takes(integer("order", "number of states; more are right up to higher frequencies")
                 .at_least(1)
                 .at_most(10)
                 .otherwise("3"));
  type.signs = "The output is the input of some time ago, with its sign.";
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
later: {type: control.pade_delay, delay: 0.2 s, order: 4, input: wave}
)yaml";
  return type;
}

}  // namespace escapement
