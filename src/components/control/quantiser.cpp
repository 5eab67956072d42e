#include <cmath>

#include "components/control/map.hpp"
#include "components/control/switching.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_quantiser(Build& b) {
  const double interval = b.number("interval");
  if (!b.has("smooth")) {
    const auto u = b.wide_signal("input"), y = b.outputs();
    for (std::size_t i = 0; i < y.size(); ++i) b.add(control::Stairs{u[i], y[i], interval});
    return;
  }
  const double width = b.number("smooth");
  if (width > interval) b.refuse("E-RANGE", "smooth", "the transitions overlap", "at most the interval");
  control::build_map(b, [=](const Dual<1>& u) {
    const double below = std::floor(u.v / interval);  // the riser at (below + ½) · interval
    return interval * (below + control::smooth_step(u - (below + 0.5) * interval, width));
  });
}

}  // namespace

ComponentType control_quantiser() {
  ComponentType type("control.quantiser", "A staircase: a signal rounded to multiples of an interval.");
  type.description =
      "output = the multiple of `interval` nearest to the input. It jumps half-way between two multiples; "
      "each "
      "jump is an event, at which a step ends. With `smooth` each jump is a cubic of that width instead, so "
      "that the slope is continuous; steps should resolve it.";
  type.is_block("the rounded signal", true);
  type.connects(input("any", "the signal to round").any_width());
  type.takes(number("interval", "any", "height of a stair").of_output().positive());
  type.takes(number("smooth", "any",
                    "width of a smooth transition between stairs, at most the interval; a jump unless given")
                 .of_output()
                 .positive()
                 .optional());
  type.signs = "The output has the sign of the input, or is zero.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 0.5 Hz}
stairs: {type: control.quantiser, interval: 0.5, input: wave}
soft: {type: control.quantiser, interval: 0.5, smooth: 0.1, input: wave}
)yaml";
  type.build = build_quantiser;
  return type;
}

}  // namespace escapement
