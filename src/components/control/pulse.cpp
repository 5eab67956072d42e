#include <cmath>

#include "components/control/time_source.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_pulse(Build& b) {
  const double period = b.number("period"), delay = b.number("delay");
  if (b.has("width") && b.given("duty"))
    b.refuse("E-CHOICE", "width", "width and duty are both given", "give one of width, duty");
  const double width = b.has("width") ? b.number("width") : b.number("duty") * period;
  if (!(width < period))
    b.refuse("E-RANGE", b.has("width") ? "width" : "duty", "the pulse is not shorter than its period",
             "control.step for a signal that stays high");
  const double count = b.has("count") ? b.integer("count") : INFINITY;
  const double offset = b.number("offset"), amplitude = b.number("amplitude");
  const ElementId id = b.add(control::TimeSource{
      b.output(), [=](double, double high) { return high != 0 ? offset + amplitude : offset; }});
  b.at_times({delay, id, 0, 1.0, period, count});
  b.at_times({delay + width, id, 0, 0.0, period, count});
}

}  // namespace

ComponentType control_pulse() {
  ComponentType type("control.pulse", "A rectangular wave, or a number of pulses.");
  type.description =
      "The output is offset + amplitude during [delay + k · period, delay + k · period + width) for k = 0, "
      "1, "
      "…, and `offset` otherwise. Steps of the integrator end exactly at every edge, so second order is "
      "kept; "
      "the times of the edges are computed from whole numbers of periods and do not drift.";
  type.is_block("the signal");
  type.takes(number("period", "s", "from one rising edge to the next").at_least(1e-12));
  type.takes(number("duty", "1", "share of the period that is high").positive().at_most(1).otherwise("0.5"));
  type.takes(number("width", "s", "instead of duty: how long it is high").positive().optional());
  type.takes(number("delay", "s", "time of the first rising edge").at_least(0).otherwise("0 s"));
  type.takes(number("amplitude", "any", "height of the pulses").of_output().otherwise("1"));
  type.takes(number("offset", "any", "value between the pulses").of_output().otherwise("0"));
  type.takes(integer("count", "how many pulses; without end if absent").at_least(1).optional());
  type.signs = "A positive amplitude is a pulse upwards.";
  type.shape = {"block"};
  type.example = R"yaml(
clock: {type: control.pulse, period: 0.2 s, duty: 0.25, delay: 0.05 s}
blow: {type: control.pulse, period: 0.3 s, width: 20 ms, amplitude: 5 N, offset: -1 N, count: 2, unit: N}
mass: {type: translational.mass, mass: 1 kg}
push: {type: translational.force, at: mass, input: blow}
)yaml";
  type.build = build_pulse;
  return type;
}

}  // namespace escapement
