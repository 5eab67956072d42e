#include "components/control/nonlinear_lag.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_rate_limiter() {
  ComponentType type("control.rate_limiter", "Follows a signal, but no faster than a given rate.");
  type.description =
      "d/dt output = (input − output) / time, limited to [−falling, rising]. Far from the input the output "
      "moves at the limiting rate; near it, it follows with the time constant `time`, which should be short "
      "against the changes of the input. Steps of the integrator end where a limit is reached or left.";
  type.is_block("the limited signal", true);
  type.connects(input("any", "the signal to follow").any_width());
  type.takes(number("rising", "any", "largest rate upwards, per second").positive());
  type.takes(number("falling", "any", "largest rate downwards, per second; as rising if absent")
                 .positive()
                 .optional());
  type.takes(number("time", "s", "time constant near the input").positive());
  type.takes(control::initial_output());
  type.signs = "The output moves towards the input; rates take any unit and count in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
jump: {type: control.step, time: 0.1 s, before: 1, after: 3}
gentle: {type: control.rate_limiter, rising: 10, falling: 4, time: 5 ms, input: jump, initial: {output: 1}}
)yaml";
  type.build = [](Build& b) {
    const double up = b.number("rising"), down = b.has("falling") ? b.number("falling") : up,
                 rate = 1 / b.number("time");
    control::build_nonlinear_lag(b, {rate, -rate, control::saturation(-down, up), 1.0, 0.0}, 0.0);
  };
  return type;
}

}  // namespace escapement
