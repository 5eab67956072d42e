#include "components/control/switching.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_variable() {
  ComponentType type("control.variable", "A value that stays until an event sets it.");
  type.description =
      "The output is `value` until an `event.crossing` sets it (`set: {name: …}`): a mode, a counter, a "
      "setpoint that something else decides.";
  type.is_block("the value", true);
  type.takes(vector("value", "any", 0, "at the start: a number, or a list for a wide signal").of_output());
  type.signs = "The output equals the value, in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
count: {type: control.variable, value: 0}
passed: {type: event.crossing, inputs: {u: wave, n: count}, expression: u - 2, direction: rising, set: {count: n + 1}}
)yaml";
  type.width = [](const Build& b, std::string_view) { return static_cast<int>(b.vector("value").size()); };
  type.build = [](Build& b) {
    const auto outputs = b.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const ElementId id = b.add(control::Held{outputs[i]});
      b.start_memory(id, 0, b.vector("value")[i]);
      b.settable(id, 0, static_cast<int>(i));
    }
  };
  return type;
}

}  // namespace escapement
