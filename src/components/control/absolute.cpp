#include "components/control/map.hpp"
#include "components/control/table_map.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_absolute() {
  ComponentType type("control.absolute", "The absolute value of a signal, with a rounded corner on request.");
  type.description =
      "output = |input|, part by part; steps of the integrator end where it is zero. With `smooth: w` it is "
      "input² / w + w / 4 for |input| < w / 2 and "
      "exact "
      "outside: the slope is continuous, the value at zero is w / 4.";
  type.is_block("the absolute value", true);
  type.connects(input("any", "the signal").any_width());
  type.takes(number("smooth", "any", "width of the rounded corner; 0: sharp")
                 .of_output()
                 .at_least(0)
                 .otherwise("0"));
  type.signs = "The output is never negative.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
size: {type: control.absolute, smooth: 0.2, input: wave}
)yaml";
  type.build = [](Build& b) {
    const double w = b.number("smooth");
    if (w == 0) return control::build_table_map(b, control::absolute());
    control::build_map(
        b, [w](const Dual<1>& u) { return control::positive_part(u, w) + control::positive_part(-u, w); });
  };
  return type;
}

}  // namespace escapement
