#include "analyses/relaxation_options.hpp"

#include <fmt/format.h>

#include <map>

#include "analyses/simulate_section.hpp"
#include "base/nearest_name.hpp"
#include "model/row_owner.hpp"

namespace escapement {

using simulate_section::error;
using simulate_section::number;

void RelaxationFields::take(const Model& model, const std::string& prefix, const std::string& key) {
  const FieldValues& v = model.simulate;
  const auto given = [&](const char* field) { return v.given(prefix + field); };
  if (given(".damping") && given(".damping_time"))
    throw error("E-CHOICE", model, key, "damping is given twice: in steps and as a time", "one of them");
  for (Relaxation* r : {&length, &angle}) {
    if (given(".damping")) r->damping = number(v, prefix + ".damping"), r->in_seconds = false;
    if (given(".damping_time")) r->damping = number(v, prefix + ".damping_time"), r->in_seconds = true;
  }
  if (given(".compliance")) length.compliance = number(v, prefix + ".compliance");
  if (given(".angular_compliance")) angle.compliance = number(v, prefix + ".angular_compliance");
}

const Relaxation& RelaxationFields::of(const Model& model, const System& system, int row) const {
  const std::string& unit = system.row_unit(row);
  if (unit == "m") return length;
  if (unit == "rad") return angle;
  if (length.compliance > 0 || angle.compliance > 0)
    throw error(
        "E-UNITS", model, "relaxation",
        fmt::format("a compliance in m/N or rad/N/m does not fit {}, which is neither a length nor an angle",
                    system.row_name(row)),
        "`relaxations` by component, and none for this one");
  return length;
}

std::vector<Relaxation> relaxations(const Model& model, const Assembly& assembly) {
  const System& system = assembly.system;
  RelaxationFields all;
  all.take(model, "relaxation", "relaxation");
  std::map<std::string, RelaxationFields> named;  // by pattern
  for (const auto& entry : model.simulate.entries()) {
    if (!entry.given || !entry.key.starts_with("relaxations.")) continue;
    const std::string prefix = entry.key.substr(0, entry.key.rfind('.'));
    const auto [at, fresh] = named.emplace(prefix.substr(12), all);
    if (fresh) at->second.take(model, prefix, "relaxations");
  }
  std::vector<Relaxation> rows;
  std::map<std::string, int> used;
  std::vector<std::string> owners;
  for (int row = system.rows(Kind::holonomic).begin; row < system.size(); ++row) {
    const std::string owner = owner_of_unknown(system.unknown_name(row));
    if (owners.empty() || owners.back() != owner) owners.push_back(owner);
    const RelaxationFields* fields = &all;
    for (const auto& [pattern, its] : named)
      for (std::string name = owner;; name.resize(name.rfind('.'))) {
        if (matches(pattern, name)) fields = &its, ++used[pattern];
        if (name.find('.') == std::string::npos) break;
      }
    rows.push_back(system.rows(Kind::holonomic).end > row ? fields->of(model, system, row) : Relaxation{});
    if (system.row_name(row).ends_with("(coordinate)"))
      rows.back().compliance = 0;  // what defines one does not give way
  }
  for (const auto& [pattern, its] : named)
    if (!used.contains(pattern))
      throw error("E-NAME", model, "relaxations",
                  fmt::format("`{}` is no component with constraints", pattern),
                  owners.empty() ? "the model has no constraints" : did_you_mean(pattern, owners));
  return rows;
}

}  // namespace escapement
