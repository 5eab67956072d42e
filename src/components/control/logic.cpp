#include <fmt/format.h>

#include "components/control/function.hpp"
#include "components/control/switching.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_logic(Build& b) {
  const std::string operation = b.text("operation");
  const std::size_t inputs = b.signals("inputs").size();
  if (operation == "not" && inputs != 1)
    b.refuse("E-WIDTH", "inputs", fmt::format("not takes one input, there are {}", inputs), "inputs: [a]");
  if (operation != "not" && inputs < 2)
    b.refuse("E-WIDTH", "inputs", fmt::format("{} takes several inputs, there is one", operation),
             "inputs: [a, b]");
  const bool negated = operation[0] == 'n';
  const std::string positive = operation == "not" ? "or" : negated ? operation.substr(1) : operation;
  // Which inputs are true is memory, and changes at events.
  std::vector<std::vector<Signal<1>>> truths;
  for (const auto& input : b.signals("inputs")) {
    auto& parts = truths.emplace_back();
    for (std::size_t i = 0; i < input.size(); ++i) {
      parts.push_back(b.system.signal<1>(b.name(fmt::format("true.{}.{}", truths.size(), i + 1).c_str()),
                                         {.equation = "is the input true"}));
      b.add(control::TwoPoint{input[i], {}, parts.back(), 0.5, 0.5, 0.0, 1.0, 0});
    }
  }
  control::build_part_by_part(b, truths, [=](std::span<const double> u, std::span<double>) {
    std::size_t count = 0;
    for (const double x : u) count += x > 0.5 ? 1 : 0;
    const bool result = positive == "and" ? count == u.size() : positive == "or" ? count > 0 : count % 2 == 1;
    return result != negated ? 1.0 : 0.0;
  });
}

}  // namespace

ComponentType control_logic() {
  ComponentType type("control.logic", "Combines truth values: and, or, xor, not, nand, nor.");
  type.description =
      "An input is true if it is above 0.5; the output is 1 (true) or 0 (false), part by part. `xor` is true "
      "for an odd number of true inputs. Where an input passes 0.5 the output may jump: an event, at which a "
      "step ends.";
  type.is_block("1 or 0", true);
  type.connects(signal_port("inputs", "any", "the signals [a, b, …], equally wide or single").several());
  type.takes(choice("operation", {"and", "or", "xor", "not", "nand", "nor"}, "what is computed"));
  type.signs = "True is 1, false is 0.";
  type.shape = {"block"};
  type.example = R"yaml(
slow: {type: control.pulse, period: 0.4 s}
fast: {type: control.pulse, period: 0.2 s}
both: {type: control.logic, operation: and, inputs: [slow, fast]}
neither: {type: control.logic, operation: nor, inputs: [slow, fast]}
)yaml";
  type.width = [](const Build& b, std::string_view) { return b.signal_width("inputs"); };
  type.build = build_logic;
  return type;
}

}  // namespace escapement
