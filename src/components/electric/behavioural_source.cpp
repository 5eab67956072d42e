#include "components/control/expression_build.hpp"
#include "components/electric/build.hpp"
#include "components/electric/sources.hpp"

namespace escapement {
namespace {

void build_behavioural_source(Build& b) {
  const auto [a, c] = electric::ends(b);
  const bool voltage = b.node("voltage") != nullptr;
  const char* const key = voltage ? "voltage" : "current";
  const char* const unit = voltage ? "V" : "A";
  const control::NamedInputs inputs = control::named_inputs(b);
  const auto given = b.system.signal<1>(b.name("given"), {.unit = unit});
  const Node& text = *b.node(key);
  if (!text.is_scalar())
    b.refuse_at(text, "E-TYPE", key, "expected one expression, found " + text.described());
  std::vector<Expression> expressions;
  expressions.push_back(b.compile(text, key, inputs.names, unit));
  control::add_expressions(b, inputs.signals, {given}, std::move(expressions));
  if (voltage) {
    b.add(electric::VoltageSource{a, c, electric::source_current(b, {a, c}, "given voltage"), given});
  } else {
    b.channel("current", b.add(electric::CurrentSource{a, c, given}), 0);
    b.branch(Branch::Kind::current, a, c);
  }
}

}  // namespace

ComponentType electric_behavioural_source() {
  ComponentType type("electric.behavioural_source",
                     "A voltage or current as an expression of time and of any signals of the model.");
  type.description =
      "v_A − v_B, or the current from A through the source to B, is the value of the expression. The inputs "
      "get names: voltages of nodes (`out.voltage`), currents, positions, any signal. Derivatives are exact.";
  electric::two_terminals(type);
  type.connects(signal_port("inputs", "any", "the signals it uses, by name").any_width().named());
  type.takes(
      equations("voltage", false, "the voltage, an expression of t and the inputs").one_of("the expression"));
  type.takes(
      equations("current", false, "the current, an expression of t and the inputs").one_of("the expression"));
  type.signs = "A is the positive pole of a voltage; a current leaves the circuit at A.";
  type.nodes = "electrical: [in, out]";
  type.example = R"yaml(
feed: {type: electric.voltage_source, sine: {amplitude: 1 V, frequency: 50 Hz}, between: [in, ground]}
square: {type: electric.behavioural_source, inputs: {u: in.voltage}, voltage: "u*u/(1 V)", between: [out, ground]}
load: {type: electric.behavioural_source, inputs: {u: out.voltage}, current: "(1 mS)*u + (0.1 A/V^3)*u^3", between: [out, ground]}
)yaml";
  type.build = build_behavioural_source;
  return type;
}

}  // namespace escapement
