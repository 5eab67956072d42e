#include "model/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/draft.hpp"

namespace escapement {

void Outputs::list() {
  own_.resize(draft_.model.components.size());
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const ComponentType& type = *draft_.model.components[i].type;
    if (!type.own_outputs) continue;
    draft_.diagnostics.collect([&] {
      const Build b(draft_, static_cast<int>(i));
      own_[i] = type.outputs;
      for (OutputType& o : type.own_outputs(b)) own_[i].push_back(std::move(o));
    });
  }
  draft_.diagnostics.stop();
}

int Outputs::width(Owner owner, int output) const { return draft_.widths.of(owner, output); }

Owner Outputs::count() const {
  return static_cast<Owner>(draft_.model.components.size() + draft_.model.nodes.size());
}
Owner Outputs::owner_of_node(int declared) const {
  return static_cast<Owner>(draft_.model.components.size()) + declared;
}
bool Outputs::is_component(Owner owner) const { return owner < owner_of_node(0); }

const std::string& Outputs::path(Owner owner) const {
  return is_component(owner) ? draft_.model.components[owner].path
                             : draft_.model.nodes[owner - owner_of_node(0)].path;
}

const std::vector<OutputType>& Outputs::of(Owner owner) const {
  if (!is_component(owner)) return node_outputs(draft_.model.nodes[owner - owner_of_node(0)].domain);
  return own_[owner].empty() ? draft_.model.components[owner].type->outputs : own_[owner];
}

std::string Outputs::unit(Owner owner, int output) const {
  if (!is_signal(owner, output) || !draft_.values[owner].given("unit")) return of(owner)[output].unit;
  const FlatComponent& c = draft_.model.components[owner];
  const std::string& unit = std::get<std::string>(*draft_.values[owner].find("unit"));
  const auto refuse = [&](const std::string& cause, const std::string& hint) {
    throw fault("E-UNITS", c.fields->find("unit")->mark, c.path + ".unit", cause, hint);
  };
  try {
    const Unit parsed = parse_unit(unit);
    if (parsed.factor != 1 || parsed.offset != 0)
      refuse(fmt::format("signals are SI numbers, `{}` is not an SI unit", unit),
             parsed.dimension.dimensionless() ? "" : "unit: " + parsed.dimension.text());
  } catch (const UnitError& e) {
    refuse(e.what(), e.nearest.empty() ? "" : "did you mean " + e.nearest + "?");
  }
  return unit;
}

std::string Outputs::channel_name(Owner owner, int output, int part) const {
  const OutputType& o = of(owner)[output];
  if (!o.parts.empty()) return path(owner) + "." + o.name + "." + o.parts[part];
  return width(owner, output) == 1 ? path(owner) + "." + o.name
                                   : fmt::format("{}.{}.{}", path(owner), o.name, part + 1);
}

bool Outputs::is_signal(Owner owner, int output) const {
  return is_component(owner) && draft_.model.components[owner].type->block && output == 0;
}

// ------------------------------------------------------------------ where they come from

void Outputs::make() {
  const int components = owner_of_node(0);
  signals_.resize(components);
  int parts = 0;
  for (Owner owner = 0; owner < count(); ++owner) {
    first_.push_back(parts);
    draft_.diagnostics.collect([&] {
      for (int o = 0; o < static_cast<int>(of(owner).size()); ++o) {
        const int wide = is_component(owner) ? draft_.widths.decided(owner, o) : width(owner, o);
        if (is_signal(owner, o)) make_signals(owner, wide);
        parts += wide;
      }
    });
  }
  draft_.diagnostics.stop();
  bound_.resize(parts);
  for (int i = 0; i < components; ++i) {
    for (std::size_t k = 0; k < signals_[i].size(); ++k) {
      BoundOutput& b = bound_[first_[i] + k];
      b.source = BoundOutput::Source::value;
      b.variable = signals_[i][k].variable;
    }
    const auto& domain = draft_.model.components[i].type->provides;
    if (domain) bind_node(draft_.nodes.own(i), *domain, first_[i]);
  }
  for (std::size_t d = 0; d < draft_.model.nodes.size(); ++d)
    bind_node(draft_.nodes.declared(static_cast<int>(d)), draft_.model.nodes[d].domain,
              first_[components + d]);
}

void Outputs::make_signals(int component, int width) {
  const std::string& path = draft_.model.components[component].path;
  const std::string tag = unit(component, 0);
  for (int k = 0; k < width; ++k)
    signals_[component].push_back(
        draft_.builder.signal<1>(width == 1 ? path + ".output" : fmt::format("{}.output.{}", path, k + 1),
                                 {.unit = tag.empty() ? "1" : tag}));
}

/// The first outputs of who owns a node are those of its domain.
void Outputs::bind_node(const Handle& node, Domain domain, int first) {
  using Source = BoundOutput::Source;
  for (const NodeOutput& o : info(domain).outputs)
    for (int part = 0; part < o.width(); ++part) {
      BoundOutput& b = bound_[first++];
      b.source = o.rate == 0 ? Source::value : o.rate == 1 ? Source::rate : Source::acceleration;
      b.variable = node.variable;
      b.part = part;
    }
}

int Outputs::index(Owner owner, int output) const {
  int at = first_[owner];
  for (int o = 0; o < output; ++o) at += width(owner, o);
  return at;
}

BoundOutput& Outputs::bind(int component, std::string_view output, int part) {
  const std::string& type = draft_.model.components[component].type->name;
  int at = first_[component];
  for (int o = 0; o < static_cast<int>(of(component).size()); ++o) {
    const int parts = width(component, o);
    if (of(component)[o].name == output) {
      if (part >= parts)
        throw std::logic_error(fmt::format("{}: output {} has no part {}", type, output, part));
      return bound_[at + part];
    }
    at += parts;
  }
  throw std::logic_error(fmt::format("{}: no output `{}` in its schema", type, output));
}

Owner Outputs::owner_of(int index) const {
  return static_cast<Owner>(std::upper_bound(first_.begin(), first_.end(), index) - first_.begin()) - 1;
}

}  // namespace escapement
