#include <fmt/format.h>

#include "components/control/linear.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build(Build& b) {
  const auto u = b.wide_signal("input"), y = b.outputs();
  std::vector<double> start(y.size(), 0.0);
  if (b.has("initial.output")) {
    const std::vector<double>& given = b.vector("initial.output");
    if (given.size() != 1 && given.size() != y.size())
      b.refuse("E-WIDTH", "initial.output",
               fmt::format("has {} numbers, the input has {} parts", given.size(), y.size()));
    for (std::size_t i = 0; i < y.size(); ++i) start[i] = given.size() == 1 ? given[0] : given[i];
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto x =
        b.system.state<1>(y.size() == 1 ? b.name("state") : fmt::format("{}.{}", b.name("state"), i + 1));
    b.start(x, {start[i]});
    b.add(control::Integrated{x});
    b.add(control::StateFromSignal{x, u[i], b.number("gain")});
    b.add(control::Defined{y[i]});
    b.add(control::SignalFromState{y[i], x, 1.0});
  }
}

}  // namespace

ComponentType control_integrator() {
  ComponentType type("control.integrator", "Integrates a signal: d/dt output = gain · input.");
  type.is_block("the integral", true);
  type.connects(input("any", "the signal to integrate").any_width());
  type.takes(number("gain", "any", "gain").otherwise("1"));
  type.takes(
      group("initial",
            {vector("output", "any", 0, "output at the start, one number or one per part; zero if absent")
                 .optional()},
            "values at the start"));
  type.signs = "With a positive gain the output grows while the input is positive.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
level: {type: control.constant, value: 2}
area: {type: control.integrator, gain: 0.5, input: [wave, level], initial: {output: [1, 0]}}
)yaml";
  type.width = [](const Build& b, std::string_view) {
    const int width = b.signal_width("input");
    if (width > 0 || !b.has("initial.output")) return width;
    return static_cast<int>(b.vector("initial.output").size());  // in a loop of signals the start may decide
  };
  type.build = build;
  return type;
}

}  // namespace escapement
