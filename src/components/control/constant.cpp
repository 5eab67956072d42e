#include "components/control/constant.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::control::Constant>;

namespace escapement {

ComponentType control_constant() {
  ComponentType type("control.constant", "A signal with a constant value.");
  type.is_block("the value", true);
  type.takes(vector("value", "any", 0, "a number, or a list for a wide signal").of_output());
  type.signs = "The output equals the value, in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
level: {type: control.constant, value: 3 N, unit: N}
mass: {type: translational.mass, mass: 2 kg}
push: {type: translational.force, at: mass, input: level}
)yaml";
  type.width = [](const Build& b, std::string_view) { return static_cast<int>(b.vector("value").size()); };
  type.build = [](Build& b) {
    const auto outputs = b.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i)
      b.add(control::Constant{outputs[i], b.vector("value")[i]});
  };
  return type;
}

}  // namespace escapement
