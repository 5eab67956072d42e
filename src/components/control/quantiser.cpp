#include <cmath>

#include "components/control/map.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build(Build& b) {
  const double interval = b.number("interval"), width = b.number("smooth");
  if (width > interval) b.refuse("E-RANGE", "smooth", "the transitions overlap", "at most the interval");
  control::build_map(b, [=](const Dual<1>& u) {
    const double below = std::floor(u.v / interval);  // the riser at (below + ½) · interval
    return interval * (below + control::smooth_step(u - (below + 0.5) * interval, width));
  });
}

}  // namespace

ComponentType control_quantiser() {
  ComponentType type("control.quantiser",
                     "A smooth staircase: a signal rounded to multiples of an interval.");
  type.description =
      "output = the multiple of `interval` nearest to the input. Each jump, half-way between two multiples, "
      "is "
      "replaced by a cubic of the width `smooth`, so that the slope is continuous; steps should resolve it. "
      "There is no sharp variant: its jumps would cost the order of the integrator.";
  type.is_block("the rounded signal", true);
  type.connects(input("any", "the signal to round").any_width());
  type.takes(number("interval", "any", "height of a stair").of_output().positive());
  type.takes(number("smooth", "any", "width of the transition between stairs, at most the interval")
                 .of_output()
                 .positive());
  type.signs = "The output has the sign of the input, or is zero.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 0.5 Hz}
stairs: {type: control.quantiser, interval: 0.5, smooth: 0.1, input: wave}
)yaml";
  type.build = build;
  return type;
}

}  // namespace escapement
