#include "components/control/pid.hpp"
#include "components/control/realization.hpp"

namespace escapement {

ComponentType control_derivative() {
  ComponentType type("control.derivative", "The derivative of a signal, filtered.");
  type.description =
      "    filter · d/dt output + output = gain · d/dt input\n\n"
      "that is gain s / (filter s + 1). What is kept over a jump of the input is filter · output − gain · "
      "input, so the output jumps by gain / filter times as much. At the start the output is what "
      "`initial` says, whatever the input is.";
  type.is_block("the derivative, per second", true);
  type.connects(input("any", "the signal to differentiate").any_width());
  type.takes(number("gain", "any", "gain").otherwise("1"));
  type.takes(number("filter", "s", "time constant of the filter").positive());
  type.takes(control::initial_output());
  type.signs = "With a positive gain the output is positive while the input rises.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
slope: {type: control.derivative, filter: 10 ms, input: wave, initial: {output: 18}}
)yaml";
  type.build = [](Build& b) {
    const auto u = b.wide_signal("input"), y = b.outputs();
    const auto start = control::per_part(b, "initial.output", u.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
      control::Pid d{};  // of a PID controller only the derivative part
      d.setpoint = u[i], d.command = y[i];
      d.derivative = b.system.state<1>(control::part_name(b, "state", i, u.size()));
      d.kd = b.number("gain"), d.derivative_filter = b.number("filter"), d.derivative_setpoint_weight = 1;
      b.start(d.derivative, {start[i]});
      b.add(d);
    }
  };
  return type;
}

}  // namespace escapement
