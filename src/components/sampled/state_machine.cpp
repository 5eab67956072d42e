#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "components/control/expression_build.hpp"
#include "components/sampled/build.hpp"

namespace escapement {
namespace {

struct Transition {
  int from, to;  // from −1: any
  Expression when;
};

void build_state_machine(Build& b) {
  control::NamedInputs inputs = control::named_inputs(b);
  inputs.names.push_back({"elapsed", "s"});  // in the present state
  std::vector<std::string> names;
  std::vector<double> values;
  for (const Node::Entry& e : b.entries("states")) {
    const Expression value = b.compile(e.value, "states." + e.key, {});
    names.push_back(e.key);
    values.push_back(value.constant());
  }
  if (names.size() < 2)
    b.refuse("E-MISSING", "states", "a machine has two states or more", "states: {off: 0, on: 1}");
  const auto state_named = [&](const Node& at, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      b.refuse_at(at, "E-REFERENCE", "transitions", fmt::format("there is no state `{}`", name),
                  did_you_mean(name, names, fmt::format("one of {}", fmt::join(names, ", "))));
    return static_cast<int>(found - names.begin());
  };
  std::vector<Transition> transitions;
  for (const Node::Entry& e : b.entries("transitions")) {
    const std::size_t to = e.key.find(" to ");
    if (to == std::string::npos)
      b.refuse_at(e.value, "E-KEY", "transitions",
                  fmt::format("`{}` does not say from where to where", e.key),
                  "transitions: {off to on: x > 1}; `any to off` from every state");
    const std::string from = e.key.substr(0, to);
    transitions.push_back({from == "any" ? -1 : state_named(e.value, from),
                           state_named(e.value, e.key.substr(to + 4)),
                           b.compile(e.value, "transitions." + e.key, inputs.names)});
  }
  const int first = b.has("first") ? state_named(*b.node("first"), b.text("first")) : 0;
  // Memory: the state, and since when.
  sampled::add_program(b, inputs.signals, {static_cast<double>(first), b.number("offset")},
                       [=](double t, std::span<const double> u, std::span<double> y, std::span<double> m) {
                         thread_local std::vector<double> in;
                         in.assign(1, t);
                         in.insert(in.end(), u.begin(), u.end());
                         in.push_back(t - m[1]);
                         for (const Transition& transition : transitions) {
                           const int now = static_cast<int>(m[0]);
                           if ((transition.from >= 0 && transition.from != now) || transition.to == now)
                             continue;
                           if (!(transition.when.evaluate<double>(in) > 0)) continue;
                           m[0] = transition.to;
                           m[1] = t;
                           break;
                         }
                         y[0] = values[static_cast<std::size_t>(m[0])];
                         y[1] = m[0];
                       },
                       {values[static_cast<std::size_t>(first)], static_cast<double>(first)});
}

}  // namespace

ComponentType sampled_state_machine() {
  ComponentType type("sampled.state_machine",
                     "A machine of named states, with transitions looked at in every sample.");
  type.description =
      "`states` are names with an output each, `transitions` conditions: `off to on: x > 1`. At each sample "
      "the "
      "first condition, in the order of the list, that leaves the present state and holds (is true, or a "
      "number "
      "above zero) is taken; at most one in a sample. `any to off` leaves every other state. Conditions use "
      "the inputs by name, the time t (s), `elapsed` (s), which is the time in the present state, and the "
      "parameters of the model. The output has two parts: the value of the state, and its number (from 0).";
  sampled::is_sampled(type, "the value of the present state, and its number");
  type.connects(signal_port("inputs", "any", "the signals that conditions use, by name").any_width().named());
  type.takes(equations("states", true, "the states and the output in each"));
  type.takes(equations("transitions", true, "`FROM to TO`: condition; the first that holds is taken"));
  type.takes(text("first", "the state at the start; the first of `states` unless given").optional());
  type.signs = "The output is the value of the present state.";
  type.width = [](const Build&, std::string_view) { return 2; };
  type.example = R"yaml(
level: {type: control.sine, amplitude: 2, frequency: 1 Hz}
pump:
  type: sampled.state_machine
  period: 10 ms
  inputs: {x: level}
  states: {off: 0, running: 5, resting: 1}
  transitions: {off to running: x > 1, running to resting: elapsed > 0.1 s, resting to off: x < 0}
)yaml";
  type.build = build_state_machine;
  return type;
}

}  // namespace escapement
