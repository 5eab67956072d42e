#include "components/control/function.hpp"

#include <fmt/format.h>

#include "model/component.hpp"

namespace escapement::control {

void Function::function(double, std::span<const double> u, const double*, std::span<double> y,
                        std::span<double> jacobian) const {
  thread_local std::vector<double> unwanted;
  if (!jacobian.empty()) {
    y[0] = rule_(u, jacobian);
    return;
  }
  unwanted.assign(u.size(), 0.0);
  y[0] = rule_(u, unwanted);
}

void add_function(Build& b, const std::vector<Signal<1>>& inputs, const Signal<1>& output,
                  Function::Rule rule) {
  b.system.add_dynamic(std::make_unique<Function>(inputs, output, std::move(rule)));
}

void build_part_by_part(Build& b, const Function::Rule& rule) {
  build_part_by_part(b, b.signals("inputs"), rule);
}

void build_part_by_part(Build& b, const std::vector<std::vector<Signal<1>>>& inputs,
                        const Function::Rule& rule) {
  part_by_part(b, inputs,
               [&](const std::vector<Signal<1>>& u, const Signal<1>& y) { add_function(b, u, y, rule); });
}

void part_by_part(Build& b, const std::vector<std::vector<Signal<1>>>& inputs, const AddPart& add) {
  const auto output = b.outputs();
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (inputs[k].size() != 1 && inputs[k].size() != output.size())
      b.refuse(
          "E-WIDTH", "inputs",
          fmt::format("input {} has {} parts, the widest has {}", k + 1, inputs[k].size(), output.size()),
          "all inputs are equally wide, or single");
  for (std::size_t i = 0; i < output.size(); ++i) {
    std::vector<Signal<1>> u;
    for (const auto& input : inputs) u.push_back(input.size() == 1 ? input[0] : input[i]);
    add(u, output[i]);
  }
}

}  // namespace escapement::control
