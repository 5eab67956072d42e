#include "components/control/input.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::control::Input>;

namespace escapement {

ComponentType control_input() {
  ComponentType type("control.input", "A signal from outside: a program that steps the model sets it.");
  type.description =
      "The output is `value` until a program that steps the model (docs/realtime.md) sets it by the name of "
      "the block: the command of a controller under test, a measured load, a lever. In an ordinary run it "
      "keeps its value.";
  type.is_block("the value", true);
  type.takes(vector("value", "any", 0, "at the start: a number, or a list for a wide signal").of_output());
  type.signs = "The output equals the value, in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
command: {type: control.input, value: 3 N, unit: N}
mass: {type: translational.mass, mass: 2 kg}
push: {type: translational.force, at: mass, input: command}
)yaml";
  type.width = [](const Build& b, std::string_view) { return static_cast<int>(b.vector("value").size()); };
  type.build = [](Build& b) {
    const auto outputs = b.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const ElementId id = b.add(control::Input{outputs[i]});
      b.start_memory(id, 0, b.vector("value")[i]);
      b.settable(id, 0, static_cast<int>(i));
    }
  };
  return type;
}

}  // namespace escapement
