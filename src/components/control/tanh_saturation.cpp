#include "components/control/tanh_saturation.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::control::TanhSaturation>;

namespace escapement {

ComponentType control_tanh_saturation() {
  ComponentType type("control.tanh_saturation", "A smooth saturation: output = limit · tanh(input / limit).");
  type.is_block("the limited signal", true);
  type.connects(input("any", "the signal to limit").any_width());
  type.takes(number("limit", "any", "the output stays within ± limit").of_output().positive());
  type.signs = "The output has the sign of the input.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
limiter: {type: control.tanh_saturation, limit: 1, input: wave}
)yaml";
  type.build = [](Build& b) {
    const auto in = b.wide_signal("input"), out = b.outputs();
    for (std::size_t i = 0; i < out.size(); ++i)
      b.add(control::TanhSaturation{in[i], out[i], b.number("limit")});
  };
  return type;
}

}  // namespace escapement
