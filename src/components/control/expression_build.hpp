// Expressions of named signals: what control.expression, event.crossing and others compile and evaluate.
#pragma once
#include <string>
#include <vector>

#include "model/build.hpp"
#include "model/expression.hpp"

namespace escapement::control {

/// Time and the signals of the port `inputs` (parts of wide ones as x.1, x.2 …), with their units.
struct NamedInputs {
  std::vector<std::pair<std::string, std::string>> names = {{"t", "s"}};
  std::vector<Signal<1>> signals;  // without time
};
NamedInputs named_inputs(const Build& b);

/// outputs[i] = expressions[i](t, inputs), with exact derivatives.
void add_expressions(Build& b, const std::vector<Signal<1>>& inputs, const std::vector<Signal<1>>& outputs,
                     std::vector<Expression> expressions);

}  // namespace escapement::control
