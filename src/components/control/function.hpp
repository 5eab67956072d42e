// A function of several signals, y = f(u₁, u₂, …), with its gradient.
#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/dynamic.hpp"

namespace escapement {
class Build;
}

namespace escapement::control {

class Function final : public SignalFunction {
 public:
  /// The value; the gradient comes filled with zeros.
  using Rule = std::function<double(std::span<const double> u, std::span<double> gradient)>;
  Function(const std::vector<Signal<1>>& inputs, const Signal<1>& output, Rule rule)
      : SignalFunction(inputs, {output}), rule_(std::move(rule)) {}
  void function(double t, std::span<const double> u, const double* sides, std::span<double> y,
                std::span<double> jacobian) const override;

 private:
  Rule rule_;
};

void add_function(Build& b, const std::vector<Signal<1>>& inputs, const Signal<1>& output,
                  Function::Rule rule);

/// For every part of the output: what makes it of the parts of `inputs` that belong to it; single ones serve every part.
using AddPart = std::function<void(const std::vector<Signal<1>>& inputs, const Signal<1>& output)>;
void part_by_part(Build& b, const std::vector<std::vector<Signal<1>>>& inputs, const AddPart& add);

/// The block output = rule(first, second, … of `inputs`), part by part; single inputs serve every part.
void build_part_by_part(Build& b, const Function::Rule& rule);
/// … of these signals instead, as wide as `inputs`.
void build_part_by_part(Build& b, const std::vector<std::vector<Signal<1>>>& inputs,
                        const Function::Rule& rule);

}  // namespace escapement::control
