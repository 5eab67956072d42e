#include "components/control/linear.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_multiplexer() {
  ComponentType type("control.multiplexer", "Joins signals into one wide signal.");
  type.description =
      "The parts of the output are the parts of all inputs, in their order. Where the wide signal is used "
      "only "
      "once no block is needed: every wide input takes a list, `input: [a, b]`.";
  type.is_block("all parts", true);
  type.connects(input("any", "the signals [a, b, …] to join, of any width").any_width());
  type.signs = "The output equals the inputs.";
  type.shape = {"block"};
  type.example = R"yaml(
pair: {type: control.constant, value: [1, 2]}
wave: {type: control.sine, frequency: 1 Hz}
bus: {type: control.multiplexer, input: [pair, wave]}
)yaml";
  type.build = [](Build& b) {
    const auto u = b.wide_signal("input"), y = b.outputs();
    for (std::size_t i = 0; i < y.size(); ++i) {
      b.add(control::Defined{y[i]});
      b.add(control::SignalFromSignal{y[i], u[i], 1.0});
    }
  };
  return type;
}

}  // namespace escapement
