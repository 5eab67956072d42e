#include "components/control/realization.hpp"

namespace escapement {

ComponentType control_lead_lag() {
  ComponentType type = control::linear_type(
      "control.lead_lag", "A lead or lag: gain (numerator_time s + 1) / (denominator_time s + 1).",
      [](const Build& b) {
        const double gain = b.number("gain");
        return control::companion(std::vector{gain * b.number("numerator_time"), gain},
                                  std::vector{b.number("denominator_time"), 1.0});
      });
  type.takes(number("gain", "any", "output per input at rest").otherwise("1"));
  type.takes(number("numerator_time", "s", "lead: time constant of the numerator").at_least(0));
  type.takes(number("denominator_time", "s", "lag: time constant of the denominator").positive());
  type.example = R"yaml(
step: {type: control.step, time: 0.1 s, before: 1, after: 2}
lead: {type: control.lead_lag, numerator_time: 0.2 s, denominator_time: 20 ms, input: step, initial: {input: 1}}
)yaml";
  return type;
}

}  // namespace escapement
