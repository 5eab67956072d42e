#include "model/model_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/start.hpp"
#include "model/circuit_topology.hpp"
#include "model/draft.hpp"
#include "model/schemes.hpp"

namespace escapement {
namespace {

/// A position without inertia has no acceleration that its equation could give; discrete Lagrangians do without.
void refuse_massless(const Model& model, const Assembly& a) {
  const auto* scheme = model.simulate.find("scheme");
  if (scheme && !scheme_named(std::get<std::string>(*scheme)).needs_mass_at_every_position) return;
  const std::vector<char> massless = massless_positions(a.system, a.initial);
  const auto row = std::find(massless.begin(), massless.end(), 1);
  if (row == massless.end()) return;
  const std::string name = a.system.unknown_name(static_cast<int>(row - massless.begin()));
  Mark mark;
  for (const DeclaredNode& d : model.nodes)
    if (name.starts_with(d.path + ".")) mark = d.mark;
  for (const FlatComponent& c : model.components)
    if (name.starts_with(c.path + ".")) mark = c.mark;
  throw fault("E-TOPOLOGY", mark, name, "nothing that moves with it has mass or inertia",
              "give it a mass (a small one will do), connect the parts directly, or choose `scheme: "
              "variational` or `spook`");
}

CircuitNames circuit_names(const Draft& draft, const System& system) {
  const Model& model = draft.model;
  CircuitNames names;
  names.node = [&](int v) {
    const std::string& name = system.variables()[v].name;
    return name.substr(0, name.rfind('.'));
  };
  names.component = [&](int c) { return model.components[c].path; };
  names.component_place = [&](int c) { return model.components[c].mark.place(); };
  names.node_place = [&](int v) {
    for (int d = 0; d < std::ssize(model.nodes); ++d)
      if (draft.nodes.declared(d).variable == v) return model.nodes[d].mark.place();
    return SourcePlace{};
  };
  names.is_read = [&](int v) { return draft.signals.reads(v); };
  return names;
}

void note_unused_parameters(const Model& model, Assembly& a) {
  constexpr std::size_t told = 5;
  const std::vector<std::string> unused = model.unused_parameters();
  if (unused.empty()) return;
  a.notes.push_back(
      fmt::format("nothing uses the parameter{} {}{}", unused.size() > 1 ? "s" : "",
                  fmt::join(unused.begin(), unused.begin() + std::min(told, unused.size()), ", "),
                  unused.size() > told ? fmt::format(" and {} more", unused.size() - told) : ""));
}

/// Settings that this model has no use for.
void note_idle_settings(const Model& model, Assembly& a) {
  const System& s = a.system;
  const bool constrained = s.rows(Kind::holonomic).size() + s.rows(Kind::nonholonomic).size() > 0;
  const auto frames = std::any_of(s.variables().begin(), s.variables().end(),
                                  [](const Variable& v) { return v.kind == Kind::position && v.dofs == 6; });
  const auto has_no_use = [&](std::initializer_list<const char*> keys, const char* why) {
    for (const char* key : keys)
      if (model.simulate.given(key))
        a.notes_on_settings.push_back(fmt::format("simulate.{} has no effect: {}", key, why));
  };
  if (!constrained)
    has_no_use({"constraints", "regularization", "penalty", "redundant", "compliance"},
               "the model has no constraints");
  if (!frames) has_no_use({"frames"}, "no body of the model turns in space");
  if (s.rows(Kind::state).size() == 0) has_no_use({"rho_states", "scheme_states"}, "the model has no states");
  if (a.switching.empty() && a.triggers.empty())
    has_no_use({"event_tolerance"}, "nothing in the model switches");
}

}  // namespace

void refuse_what_cannot_move(const Draft& draft, const Assembly& a) {
  refuse_massless(draft.model, a);
  examine_circuit(draft.made.branches, circuit_names(draft, a.system));
}

void note_what_does_nothing(const Draft& draft, Assembly& a) {
  if (!draft.model.gravity.empty() && !draft.made.uses_gravity)
    a.warnings.push_back(
        {"W-UNUSED",
         "`gravity:` is stated but no body in space uses it; planar.mass has a gravity of its own"});
  note_unused_parameters(draft.model, a);
  note_idle_settings(draft.model, a);
}

}  // namespace escapement
