#include <algorithm>
#include <cmath>

#include "components/control/time_source.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

/// When the ramp ends; infinity if it goes on.
double end(const Build& b) {
  const double start = b.number("start"), offset = b.number("offset"), slope = b.number("slope");
  if (b.has("end") && b.has("limit"))
    b.refuse("E-CHOICE", "limit", "end and limit are both given", "give one of end, limit");
  if (b.has("end") && !(b.number("end") > start)) b.refuse("E-RANGE", "end", "is not after `start`");
  if (b.has("end")) return b.number("end");
  if (!b.has("limit")) return INFINITY;
  const double duration = (b.number("limit") - offset) / slope;
  if (!(duration > 0) || !std::isfinite(duration))
    b.refuse("E-RANGE", "limit", "is not reached from `offset` with this slope",
             "a limit in the direction of the slope");
  return start + duration;
}

}  // namespace

ComponentType control_ramp() {
  ComponentType type("control.ramp", "A signal that is constant first and then changes at a constant rate.");
  type.description =
      "output = offset + slope · (t − start) from `start` on, `offset` before. It stops changing at the time "
      "`end`, or where it reaches `limit`, if one of them is given.";
  type.is_block("the signal");
  type.takes(number("slope", "any", "change per second"));
  type.takes(number("start", "s", "when it begins to change").otherwise("0 s"));
  type.takes(number("offset", "any", "value before").of_output().otherwise("0"));
  type.takes(number("end", "s", "when it stops changing; never if absent").optional());
  type.takes(number("limit", "any", "instead of end: the value at which it stops").of_output().optional());
  type.signs = "With a positive slope the output grows; the slope takes any unit and counts in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
speed: {type: control.ramp, slope: 0.5 m/s^2, start: 0.1 s, limit: 0.2 m/s, unit: m/s}
load: {type: control.ramp, slope: -2 N/s, offset: 3 N, end: 0.4 s, unit: N}
mass: {type: translational.mass, mass: 1 kg}
push: {type: translational.force, at: mass, input: load}
)yaml";
  type.build = [](Build& b) {
    const double start = b.number("start"), stop = end(b), offset = b.number("offset"),
                 slope = b.number("slope");
    b.add(control::TimeSource{
        b.output(), [=](double t, double) { return offset + slope * (std::clamp(t, start, stop) - start); }});
  };
  return type;
}

}  // namespace escapement
