#include "components/control/expression_build.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/dynamic.hpp"
#include "model/component.hpp"
#include "model/gradient.hpp"

namespace escapement {
namespace {

class Expressions final : public SignalFunction {
 public:
  Expressions(const std::vector<Signal<1>>& inputs, const std::vector<Signal<1>>& outputs,
              std::vector<Expression> expressions)
      : SignalFunction(inputs, outputs), expressions_(std::move(expressions)) {
    for (Expression& e : expressions_) sides_ = e.place_sides(sides_);
  }

  void phases(const Point& p, std::vector<double>& angles) const override {
    const auto in = time_and(p.t, p.value.first(inputs_));
    for (const Expression& e : expressions_) e.phases(in, p.sides, angles);
  }
  int sides() const override { return sides_; }
  void crossings(const Point& p, std::span<double> functions) const override {
    const auto in = time_and(p.t, p.value.first(inputs_));
    for (const Expression& e : expressions_) e.crossings(in, p.sides, functions);
  }
  bool ends_at_zero(const Point& p, int i) const override {
    return owner(i).ends_at_zero(time_and(p.t, p.value.first(inputs_)), p.sides, i);
  }
  void land(const Point& p, int i, double* sides) const override {
    owner(i).land(time_and(p.t, p.value.first(inputs_)), sides, i);
  }
  void cross(const Point& p, int i, double* sides) const override {
    owner(i).cross(time_and(p.t, p.value.first(inputs_)), sides, i);
  }
  Bend bend(const Point& p, int i) const override {
    return owner(i).bend(time_and(p.t, p.value.first(inputs_)), p.sides, i);
  }
  std::string switch_text(int i) const override { return owner(i).switch_text(i); }

  void function(double t, std::span<const double> u, const double* sides, std::span<double> y,
                std::span<double> jacobian) const override {
    thread_local std::vector<double> slope, work;
    const auto in = time_and(t, u);
    for (std::size_t i = 0; i < expressions_.size(); ++i) {
      if (jacobian.empty()) {
        y[i] = expressions_[i].evaluate<double>(in, sides);
        continue;
      }
      slope.assign(in.size(), 0.0);
      y[i] = expressions_[i].gradient<double>(in, slope, work, sides);
      std::copy(slope.begin() + 1, slope.end(), jacobian.begin() + i * u.size());
    }
  }

 private:
  static std::span<const double> time_and(double t, std::span<const double> u) {
    thread_local std::vector<double> in;
    in.assign(1, t);
    in.insert(in.end(), u.begin(), u.end());
    return in;
  }
  const Expression& owner(int side) const {
    return *std::find_if(expressions_.begin(), expressions_.end(),
                         [&](const Expression& e) { return e.has_side(side); });
  }
  std::vector<Expression> expressions_;
  int sides_ = 0;
};

std::vector<const Node*> texts(const Build& b) {
  const Node& value = *b.node("expression");
  if (!value.is_sequence()) return {&value};
  std::vector<const Node*> list;
  for (const Node& n : value.items) list.push_back(&n);
  return list;
}

void build_expression(Build& b) {
  const control::NamedInputs inputs = control::named_inputs(b);
  std::vector<Expression> expressions;
  for (const Node* text : texts(b)) {
    Expression e = b.compile(*text, "expression", inputs.names);
    const std::string unit = b.given("unit") ? b.text("unit") : "";
    if (!unit.empty() && !e.is_any() && !e.is_zero() && !e.is_bare_number() &&
        !compatible(e.dimension(), parse_unit(unit).dimension))
      b.refuse_at(
          *text, "E-UNITS", "expression",
          fmt::format("`{}` is in {}, the output is tagged {}", text->text, e.dimension().text(), unit));
    expressions.push_back(std::move(e));
  }
  control::add_expressions(b, inputs.signals, b.outputs(), std::move(expressions));
}

}  // namespace

control::NamedInputs control::named_inputs(const Build& b) {
  NamedInputs inputs;
  const auto signals = b.signals("inputs");
  const auto units = b.units("inputs");
  for (std::size_t k = 0; k < signals.size(); ++k)
    for (std::size_t part = 0; part < signals[k].size(); ++part) {
      const std::string& name = b.entries("inputs")[k].key;
      inputs.names.push_back({signals[k].size() == 1 ? name : fmt::format("{}.{}", name, part + 1),
                              units[k].empty() ? "any" : units[k]});
      inputs.signals.push_back(signals[k][part]);
    }
  return inputs;
}

void control::add_expressions(Build& b, const std::vector<Signal<1>>& inputs,
                              const std::vector<Signal<1>>& outputs, std::vector<Expression> expressions) {
  b.add_dynamic(std::make_unique<Expressions>(inputs, outputs, std::move(expressions)));
}

ComponentType control_expression() {
  ComponentType type("control.expression", "A signal as an expression of other signals and of time.");
  type.description =
      "The inputs get names, the expression uses them, time `t` (s) and the parameters of the model; a list "
      "of expressions makes a wide output. A wide input x has the parts x.1, x.2 …. Derivatives are exact. "
      "Where a comparison or sign jumps, a step ends; where min, max or abs bend the output, too, if the "
      "step "
      "would notice. smooth_sign, smooth_abs, smooth_min and smooth_max need no such step.";
  type.is_block("the value of the expression", true);
  type.connects(signal_port("inputs", "any", "the signals it uses, by name").any_width().named());
  type.takes(equations("expression", false, "an expression of t and the inputs, or a list of them"));
  type.signs = "As in the expression.";
  type.shape = {"block"};
  type.example = R"yaml(
cart: {type: translational.mass, mass: 2 kg, initial: {position: 1 m}}
law: {type: control.expression, inputs: {x: cart.position, v: cart.velocity}, expression: "-(30 N/m)*x - (4 N*s/m)*v + (2 N)*sin(3*t/(1 s))", unit: N}
actuator: {type: translational.force, at: cart, input: law}
polar: {type: control.expression, inputs: {p: [cart.position, law]}, expression: [p.1^2, "p.1 > 0 m ? p.2 : 0"]}
)yaml";
  type.width = [](const Build& b, std::string_view) { return static_cast<int>(texts(b).size()); };
  type.build = build_expression;
  return type;
}

}  // namespace escapement
