#include <cmath>

#include "components/control/map.hpp"
#include "components/control/table_map.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_saturation(Build& b) {
  if (!b.has("minimum") && !b.has("maximum"))
    b.refuse("E-MISSING", "", "neither `minimum` nor `maximum` is given", "minimum: …, maximum: …, or both");
  const double low = b.has("minimum") ? b.number("minimum") : -INFINITY;
  const double high = b.has("maximum") ? b.number("maximum") : INFINITY;
  const double width = b.number("smooth");
  if (!(low < high)) b.refuse("E-RANGE", "minimum", "is not below `maximum`");
  if (width > high - low)
    b.refuse("E-RANGE", "smooth", "the rounded corners overlap", "at most maximum − minimum");
  if (width == 0) return control::build_table_map(b, control::saturation(low, high));
  control::build_map(b, [=](const Dual<1>& u) {
    Dual<1> y = u;
    if (std::isfinite(low)) y = low + control::positive_part(u - low, width);
    if (std::isfinite(high)) y -= control::positive_part(u - high, width);
    return y;
  });
}

}  // namespace

ComponentType control_saturation() {
  ComponentType type("control.saturation", "Limits a signal from below, from above, or both.");
  type.description =
      "output = input within [minimum, maximum], the nearer limit outside. Steps of the integrator end at "
      "its sharp corners. With `smooth: w` a parabola rounds each corner within ± w / 2 of the "
      "limit, "
      "so that the slope is continuous, too; `control.tanh_saturation` is smooth everywhere.";
  type.is_block("the limited signal", true);
  type.connects(input("any", "the signal to limit").any_width());
  type.takes(number("minimum", "any", "lower limit; none if absent").of_output().optional());
  type.takes(number("maximum", "any", "upper limit; none if absent").of_output().optional());
  type.takes(number("smooth", "any", "width of the rounded corners; 0: sharp")
                 .of_output()
                 .at_least(0)
                 .otherwise("0"));
  type.signs = "Between the limits the output equals the input.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
sharp: {type: control.saturation, minimum: -0.5, maximum: 0.8, input: wave}
rounded: {type: control.saturation, maximum: 1.5, smooth: 0.5, input: wave}
)yaml";
  type.build = build_saturation;
  return type;
}

}  // namespace escapement
