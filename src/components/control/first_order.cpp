#include "components/control/realization.hpp"

namespace escapement {

ComponentType control_first_order() {
  ComponentType type("control.first_order",
                     "A first-order lag: time_constant · d/dt output + output = gain · input.");
  type.is_block("the lagging signal", true);
  type.connects(input("any", "the signal to follow").any_width());
  type.takes(number("gain", "any", "output per input at rest").otherwise("1"));
  type.takes(number("time_constant", "s", "after this time 63 % of a step is there").positive());
  type.takes(control::initial_output());
  type.signs = "With a positive gain the output follows the input.";
  type.shape = {"block"};
  type.example = R"yaml(
step: {type: control.step, time: 0.1 s}
lag: {type: control.first_order, gain: 2, time_constant: 50 ms, input: step, initial: {output: 0.5}}
)yaml";
  type.build = [](Build& b) {
    const double T = b.number("time_constant");
    const control::Realization r{{1, 1, {-1 / T}}, {1, 1, {b.number("gain") / T}}, {1, 1, {1}}, {1, 1, {0}}};
    const auto u = b.wide_signal("input"), y = b.outputs();
    const auto start = control::per_part(b, "initial.output", u.size());
    std::vector<StateVariable<1>> x;
    for (std::size_t i = 0; i < u.size(); ++i) {
      control::add_linear(b, r, {&u[i], 1}, {&y[i], 1}, {&start[i], 1}, x, u.size());
      b.settable(x.back(), static_cast<int>(i));
    }
  };
  return type;
}

}  // namespace escapement
