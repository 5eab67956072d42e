#include "components/control/expression_build.hpp"
#include "components/control/switching.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_crossing(Build& b) {
  const control::NamedInputs inputs = control::named_inputs(b);
  const Node& text = *b.node("expression");
  if (text.is_sequence()) b.refuse_at(text, "E-TYPE", "expression", "an event watches one expression");
  const auto value = b.system.signal<1>(b.name("value"), {.equation = "the watched expression"});
  Expression watched = b.compile(text, "expression", inputs.names);
  if (watched.is_condition())
    b.refuse_at(text, "E-VALUE", "expression",
                "`" + text.text + "` is true or false; an event is where a quantity passes zero",
                "write the difference of both sides, as in `a - 1 rev`");
  control::add_expressions(b, inputs.signals, {value}, {std::move(watched)});
  b.channel("value", value);

  const std::string direction = b.text("direction");
  const ElementId id = b.add(control::Trigger{value, direction != "falling", direction != "rising"});
  std::vector<ActionRequest> actions;
  for (const Node::Entry& e : b.entries("set"))
    actions.push_back({e.key, &e.value,
                       std::make_shared<const Expression>(b.compile(e.value, "set." + e.key, inputs.names))});
  b.trigger(id, inputs.signals, std::move(actions), b.flag("stop"));
}

}  // namespace

ComponentType event_crossing() {
  ComponentType type("event.crossing", "Something happens where an expression passes zero.");
  type.description =
      "The inputs get names, the expression uses them, time `t` (s) and the parameters of the model. Where "
      "it "
      "passes zero a step ends (simulate.event_tolerance says how exactly), and the values under `set` are "
      "given, all computed from what holds just before:\n\n"
      "- a `control.variable`: a mode, a counter, a setpoint;\n"
      "- the output of a `control.integrator` or `control.first_order` (`tooth: 0`), a state of another "
      "block "
      "(`filter.state`), a position;\n"
      "- a velocity (`ball.velocity`): by an impulse there, which acts on all that moves with it through the "
      "constraints, so that they hold before and after;\n"
      "- a number of a component (`spring.stiffness`).\n\n"
      "Then accelerations, reactions and signals are computed anew and the run goes on, or ends with `stop: "
      "true`. Events at the same instant act together; where two of them give the same thing different "
      "values, one "
      "after the other in the order of the model, each with the values that the one before has left. "
      "Zero counts as positive: a quantity that starts there, or jumps there, or comes to rest there from "
      "below.";
  type.connects(signal_port("inputs", "any", "the signals it uses, by name").any_width().named());
  type.takes(equations("expression", false, "whose zeros are the events: an expression of t and the inputs"));
  type.takes(choice("direction", {"rising", "falling", "both"}, "from below zero, from above, or both")
                 .otherwise("both"));
  type.takes(equations("set", true, "what gets which value, by expressions of t and the inputs")
                 .of_other_parts()
                 .optional());
  type.takes(boolean("stop", "the run ends here").otherwise("false"));
  type.gives({"value", "1", "the watched expression, in SI", "", false, false});
  type.signs = "Rising is from negative to positive.";
  type.shape = {"block"};
  type.example = R"yaml(
ball: {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
weight: {type: control.constant, value: -9.81 N, unit: N}
pull: {type: translational.force, at: ball, input: weight}
bounce: {type: event.crossing, inputs: {h: ball.position, v: ball.velocity}, expression: h, direction: falling, set: {ball.velocity: -0.8*v}}
)yaml";
  type.build = build_crossing;
  return type;
}

}  // namespace escapement
