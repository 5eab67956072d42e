#include "components/control/map.hpp"
#include "components/control/table_map.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_dead_zone(Build& b) {
  const double low = b.number("lower"), high = b.number("upper"), width = b.number("smooth");
  if (!(low <= high)) b.refuse("E-RANGE", "lower", "is above `upper`");
  if (width == 0) return control::build_table_map(b, control::dead_zone(low, high));
  control::build_map(b, [=](const Dual<1>& u) {
    return control::positive_part(u - high, width) - control::positive_part(low - u, width);
  });
}

}  // namespace

ComponentType control_dead_zone() {
  ComponentType type("control.dead_zone", "A signal that has no effect within a zone.");
  type.description =
      "output = input − upper above `upper`, input − lower below `lower`, zero between them. Steps "
      "of the integrator end at its sharp corners. With `smooth: w` a parabola rounds each corner within ± "
      "w "
      "/ 2, so that the slope is continuous, too.";
  type.is_block("what reaches beyond the zone", true);
  type.connects(input("any", "the signal").any_width());
  type.takes(number("lower", "any", "lower end of the zone").of_output());
  type.takes(number("upper", "any", "upper end of the zone").of_output());
  type.takes(number("smooth", "any", "width of the rounded corners; 0: sharp")
                 .of_output()
                 .at_least(0)
                 .otherwise("0"));
  type.signs = "Beyond the zone the output grows with the input.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
rest: {type: control.dead_zone, lower: -0.5, upper: 1, input: wave}
rounded: {type: control.dead_zone, lower: -1, upper: 1, smooth: 0.5, input: wave}
)yaml";
  type.build = build_dead_zone;
  return type;
}

}  // namespace escapement
