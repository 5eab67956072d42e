#include "model/component_values.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/draft.hpp"

namespace escapement {
namespace {

void override_number(const ComponentType& type, const Override& o, FieldValues& values) {
  const Parameter* p = type.parameter(o.key);
  if (!p) return;
  if (!std::isfinite(o.value) || o.value < p->minimum || o.value > p->maximum ||
      (p->above_minimum && o.value == p->minimum))
    throw ModelError("E-RANGE", o.component + "." + o.key,
                     fmt::format("an event sets it to {:g}{}", o.value, p->unit == "1" ? "" : " " + p->unit),
                     "allowed: " + p->range());
  values.set(p->key, o.value, true);
}

void scale_loads(const std::vector<Parameter>& parameters, double factor, const std::string& prefix,
                 FieldValues& values) {
  for (const Parameter& p : parameters) {
    const std::string key = prefix + p.key;
    if (p.type == Parameter::Type::group) scale_loads(p.group, factor, key + ".", values);
    const FieldValue* given = p.load ? values.find(key) : nullptr;
    if (!given) continue;
    FieldValue scaled = *given;
    if (auto* number = std::get_if<double>(&scaled)) *number *= factor;
    if (auto* vector = std::get_if<std::vector<double>>(&scaled))
      for (double& x : *vector) x *= factor;
    values.set(key, std::move(scaled), values.given(key));
  }
}

/// Values of the kind of a block's output agree with its `unit:`.
void check_output_unit(const Draft& draft, int component) {
  const FlatComponent& c = draft.model.components[component];
  if (!c.type->block || !draft.values[component].given("unit")) return;
  const std::string unit = draft.outputs.unit(component, 0);
  const FieldReader reader = draft.reader(component);
  for (const Parameter& p : c.type->parameters) {
    const Node* value = p.like_output ? c.fields->find(p.key) : nullptr;
    if (!value) continue;
    Parameter same = p;
    (p.type == Parameter::Type::table ? same.second_unit : same.unit) = unit;
    same.bare_allowed = true;
    reader.read(same, *value, c.path + "." + p.key);
  }
}

void check_ports(const FlatComponent& c, Diagnostics& diagnostics) {
  for (const Port& p : c.type->ports)
    if (p.required && !c.fields->find(p.key))
      diagnostics.collect([&] {
        throw fault("E-MISSING", c.fields->mark, c.path,
                    fmt::format("`{}` is missing ({})", p.key, p.summary),
                    p.count == 2 ? "between: [A, B]" : "");
      });
}

}  // namespace

void read_values(Draft& draft, const std::vector<Override>& overrides, double loads) {
  Diagnostics& diagnostics = draft.diagnostics;
  for (int i = 0; i < std::ssize(draft.model.components); ++i) {
    const FlatComponent& c = draft.model.components[i];
    std::vector<std::string> also;  // ports first: of two that are equally near the first is meant
    for (const Port& p : c.type->ports) also.push_back(p.key);
    also.insert(also.end(), {"type", "for"});
    const std::size_t before = diagnostics.size();
    draft.values[i] = draft.reader(i).read(*c.fields, c.type->parameters, also, c.path, diagnostics);
    for (const Override& o : overrides)
      if (o.component == c.path) override_number(*c.type, o, draft.values[i]);
    if (loads != 1) scale_loads(c.type->parameters, loads, "", draft.values[i]);
    // A misspelt key is one slip: that the right one is missing goes without saying.
    if (diagnostics.size() > before) continue;
    diagnostics.collect([&] { check_alternatives(*c.fields, c.type->parameters, c.type->ports, c.path); });
    diagnostics.collect([&] { check_output_unit(draft, i); });
    check_ports(c, diagnostics);
  }
  diagnostics.stop();
}

}  // namespace escapement
