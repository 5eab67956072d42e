#include "model/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/nearest_name.hpp"
#include "model/component_values.hpp"
#include "model/draft.hpp"
#include "model/draw_scene.hpp"
#include "model/event_targets.hpp"
#include "model/initial_state.hpp"
#include "model/model_checks.hpp"

namespace escapement {

namespace {

/// What subsystems are connected to exists, also where nothing inside uses it.
void check_connected_ports(Draft& draft) {
  static const Namespace top;
  for (const ConnectedPort& p : draft.model.connected_ports)
    draft.diagnostics.collect([&] {
      if (p.domain) draft.nodes.named(p.target, p.target, *p.domain, p.mark, p.where, top);
      else draft.references.reference(p.target, p.mark, p.where, top);
    });
  draft.diagnostics.stop();
}

void refuse_equal_ends(Draft& draft, int component) {
  const FlatComponent& c = draft.model.components[component];
  for (const Port& p : c.type->ports)
    if (p.domain && p.count == 2 && c.fields->find(p.key)) {
      const Handle a = draft.nodes.at(component, p, 0), b = draft.nodes.at(component, p, 1);
      if (a.variable == b.variable)
        throw fault("E-TOPOLOGY", c.fields->find(p.key)->mark, c.path + "." + p.key,
                    a.is_ground() ? "both ends are ground" : "both ends are the same",
                    "connect it to two different parts");
    }
}

void build_components(Draft& draft) {
  for (int i = 0; i < std::ssize(draft.model.components); ++i) {
    const FlatComponent& c = draft.model.components[i];
    draft.diagnostics.collect([&] {
      try {
        refuse_equal_ends(draft, i);
        Build b(draft, i);
        c.type->build(b);
      } catch (const ModelError& e) {
        if (e.place.file.empty() && c.mark.file)
          throw ModelError(e.code, e.where, e.cause, e.hint, c.mark.place());
        throw;
      }
    });
  }
  draft.diagnostics.stop();
}

/// Magnitudes that the model states (T-error-1): by names of unknowns, as `show` lists them. They see no parameters, so that
/// they stand the same in a flattened model.
void take_nominals(Draft& draft) {
  if (draft.model.nominals.empty()) return;
  Namespace plain;
  plain.bare_numbers_are_si = draft.model.root_space().bare_numbers_are_si;
  plain.index();
  const auto& variables = draft.builder.variables();
  std::vector<std::string> names;
  for (const Variable& v : variables) names.push_back(v.name);
  for (const NominalText& n : draft.model.nominals)
    draft.diagnostics.collect([&] {
      const auto at = std::find(names.begin(), names.end(), n.unknown);
      if (at == names.end())
        throw fault("E-REFERENCE", n.mark, "nominal",
                    fmt::format("there is no unknown called `{}`", n.unknown),
                    did_you_mean(n.unknown, names, "`escapement show` lists the unknowns"));
      const int variable = static_cast<int>(at - names.begin());
      const std::string& unit = variables[variable].unit;
      const Parameter magnitude = number("nominal", unit.empty() ? "1" : unit, "").positive();
      draft.builder.state_nominal(variable, std::get<double>(FieldReader(plain, {}).read(
                                                magnitude, n.value, "nominal." + n.unknown)));
    });
  draft.diagnostics.stop();
}

System finish_system(Draft& draft) {
  try {
    return draft.builder.finish();
  } catch (const ModelError& e) {  // an unknown nobody acts on: tell where it was declared
    for (const DeclaredNode& d : draft.model.nodes)
      if (e.where.starts_with(d.path + ".")) throw fault(e.code.c_str(), d.mark, e.where, e.cause, e.hint);
    throw;
  }
}

void add_channels(const Outputs& outputs, Owner owner, Assembly& a) {
  for (int o = 0; o < std::ssize(outputs.of(owner)); ++o) {
    const OutputType& type = outputs.of(owner)[o];
    const int first = outputs.index(owner, o);
    const std::string unit = outputs.unit(owner, o);
    for (int k = 0; k < outputs.width(owner, o); ++k) {
      const std::string name = outputs.channel_name(owner, o, k);
      if (outputs[first + k].source == BoundOutput::Source::unbound)
        throw std::logic_error(name + " was not bound by its component");
      if (type.preload) a.preloads.push_back(static_cast<int>(a.channels.size()));
      a.channels.push_back(
          {name, unit.empty() ? "1" : unit, type.summary, type.by_default, outputs[first + k]});
    }
  }
}

void add_triggers(Draft& draft, Assembly& a) {
  for (const TriggerRequest& t : draft.made.triggers)
    draft.diagnostics.collect([&] { a.triggers.push_back(event_of(draft, t, a.system)); });
  draft.diagnostics.stop();
}

}  // namespace

Assembly assemble(const Model& model, const std::vector<Override>& overrides, double loads) {
  Draft draft(model, loads);
  read_values(draft, overrides, loads);
  draft.nodes.make();
  draft.nodes.find_frames();
  draft.outputs.list();
  check_connected_ports(draft);
  draft.outputs.make();
  build_components(draft);
  draw_scene(
      draft);  // marks of joint coordinates never make these unknowns: all that is connected is so by now
  draft.signals.make_taps();
  draft.nodes.tie_offered();
  take_nominals(draft);

  Assembly a;
  a.system = finish_system(draft);
  set_initial_state(draft, a);
  add_nodes_of_beams(draft.made.scene, a.system);
  for (Owner owner = 0; owner < draft.outputs.count(); ++owner) add_channels(draft.outputs, owner, a);
  add_triggers(draft, a);
  a.scene = std::move(draft.made.scene);
  a.events = std::move(draft.made.events);
  a.switching = std::move(draft.made.switching);
  a.samplers = std::move(draft.made.samplers);
  refuse_what_cannot_move(draft, a);
  note_what_does_nothing(draft, a);
  return a;
}

}  // namespace escapement
