#include "model/event_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/nearest_name.hpp"
#include "model/draft.hpp"

namespace escapement {
namespace {

/// One part of an output of a component.
struct Part {
  int component, output, part;
};

/// The channel of this name; a block's name stands for its output.
std::optional<Part> channel_named(const Draft& draft, const std::string& absolute) {
  const Outputs& outputs = draft.outputs;
  for (int c = 0; c < std::ssize(draft.model.components); ++c) {
    if (!absolute.starts_with(outputs.path(c))) continue;
    for (int o = 0; o < std::ssize(outputs.of(c)); ++o)
      for (int k = 0; k < outputs.width(c, o); ++k) {
        const std::string name = outputs.channel_name(c, o, k);
        if (name == absolute || (outputs.is_signal(c, o) && name == absolute + ".output"))
          return Part{c, o, k};
      }
  }
  return std::nullopt;
}

/// What of the system a channel stands for; none: it follows from other values.
std::optional<EventAction> settable(const Draft& draft, const Part& at, const ActionRequest& r,
                                    const System& system) {
  using Kind = EventAction::Kind;
  using Source = BoundOutput::Source;
  const std::pair<int, int> key{at.component, at.part};
  EventAction act{Kind::memory, r.target, "", -1, 0, {}, 0, r.value};
  if (at.output == 0) {
    if (const auto m = draft.made.settable_memory.find(key); m != draft.made.settable_memory.end()) {
      act.element = m->second.element;
      act.slot = m->second.slot;
    }
    if (const auto s = draft.made.settable_states.find(key); s != draft.made.settable_states.end())
      act.variable = s->second;
    if (act.element.group) return act;
    if (act.variable >= 0) {
      act.kind = Kind::state;
      return act;
    }
  }
  const BoundOutput& out = draft.outputs[draft.outputs.index(at.component, at.output) + at.part];
  const Variable& v = system.variables()[std::max(0, out.variable)];
  act.variable = out.variable;
  act.part = out.part;
  if (out.source == Source::rate) act.kind = Kind::velocity;
  else if (out.source == Source::value && v.kind == escapement::Kind::position &&
           v.manifold == Manifold::vector)
    act.kind = Kind::position;
  else if (out.source == Source::value && v.kind == escapement::Kind::state) act.kind = Kind::state;
  else return std::nullopt;
  return act;
}

/// A parameter of a component, by `component.key`.
std::optional<EventAction> parameter_of_component(const Draft& draft, int component,
                                                  const std::string& absolute, const ActionRequest& r,
                                                  const std::string& where) {
  const std::size_t dot = absolute.rfind('.');
  const int c = dot == std::string::npos ? -1 : draft.model.find_component(absolute.substr(0, dot));
  const Parameter* p = c < 0 ? nullptr : draft.model.components[c].type->parameter(absolute.substr(dot + 1));
  if (!p) return std::nullopt;
  if (p->type != Parameter::Type::number)
    throw fault("E-EVENT", r.text->mark, where, "events set single numbers only");
  draft.reader(component).check_unit(*r.value, *r.text, p->unit, where);
  return EventAction{EventAction::Kind::parameter, absolute.substr(0, dot), p->key, -1, 0, {}, 0, r.value};
}

/// A parameter of a component, or something that is remembered or integrated.
EventAction action_of(const Draft& draft, int component, const ActionRequest& r, const System& system) {
  const FlatComponent& owner = draft.model.components[component];
  const std::string where = owner.path + ".set." + r.target;
  const std::string absolute = Model::absolute(*owner.space, r.target);
  if (const auto channel = channel_named(draft, absolute)) {
    const std::string unit = draft.outputs.unit(channel->component, channel->output);
    const auto act = settable(draft, *channel, r, system);
    if (!act)
      throw fault(
          "E-EVENT", r.text->mark, where,
          fmt::format("`{}` follows from other values: it cannot be set", r.target),
          "what can be set: positions and velocities of masses, inertias and points, states of blocks, "
          "control.variable, parameters");
    draft.reader(component).check_unit(*r.value, *r.text, unit.empty() ? "any" : unit, where);
    return *act;
  }
  if (owner.space->parameters.contains(r.target))
    throw fault("E-EVENT", r.text->mark, where,
                fmt::format("`{}` is a parameter of the model, used while it is read", r.target),
                "set what it is used for: COMPONENT.KEY, as in spring.stiffness; or use a control.variable");
  if (const auto act = parameter_of_component(draft, component, absolute, r, where)) return *act;
  std::vector<std::string> names;
  for (const auto& [name, value] : owner.space->parameters) names.push_back(name);
  for (const FlatComponent& c : draft.model.components) names.push_back(c.path);
  throw fault("E-REFERENCE", r.text->mark, where,
              fmt::format("there is nothing called `{}` to set", r.target),
              did_you_mean(r.target, names, "a parameter, a state, a velocity or a control.variable"));
}

}  // namespace

EventType event_of(const Draft& draft, const TriggerRequest& t, const System& system) {
  EventType e{t.element, draft.model.components[t.component].path, {}, {}};
  for (const Signal<1>& s : t.inputs) e.inputs.push_back(s.variable);
  for (const ActionRequest& r : t.actions) e.actions.push_back(action_of(draft, t.component, r, system));
  if (t.stop) e.actions.push_back({EventAction::Kind::stop, e.name, "", -1, 0, {}, 0, nullptr});
  return e;
}

}  // namespace escapement
