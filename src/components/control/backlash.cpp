#include "components/control/nonlinear_lag.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_backlash() {
  ComponentType type("control.backlash", "Play: the output follows the input only when the gap is used up.");
  type.description =
      "time · d/dt output = dead_zone(input − output) with a dead zone of ± gap / 2. The output rests while "
      "the input is within ± gap / 2 of it; beyond, it is dragged along with a lag of the time constant "
      "`time`, which should be short against the changes of the input: dragged at the rate r, it trails the "
      "edge of the gap by time · r. Steps of the integrator end where dragging begins and ends.";
  type.is_block("the dragged signal", true);
  type.connects(input("any", "the driving signal").any_width());
  type.takes(number("gap", "any", "width of the play, in all").of_output().at_least(0));
  type.takes(number("time", "s", "time constant with which the output is dragged").positive());
  type.takes(control::initial_output());
  type.signs = "Dragged upwards the output is the input − gap / 2, downwards the input + gap / 2.";
  type.shape = {"block"};
  type.example = R"yaml(
lever: {type: control.sine, amplitude: 3, frequency: 1 Hz}
play: {type: control.backlash, gap: 1, time: 2 ms, input: lever, initial: {output: 0.2}}
)yaml";
  type.build = [](Build& b) {
    const double half = 0.5 * b.number("gap");
    control::build_nonlinear_lag(b, {1.0, -1.0, control::dead_zone(-half, half), 1 / b.number("time"), 0.0},
                                 0.0);
  };
  return type;
}

}  // namespace escapement
