#include "model/signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/draft.hpp"

namespace escapement {

std::vector<std::vector<Signal<1>>> Signals::at(int component, const Port& port) {
  const FlatComponent& c = draft_.model.components[component];
  const std::string where = c.path + "." + port.key;
  std::vector<std::vector<Signal<1>>> result;
  for (const auto& group : draft_.references.at(component, port)) {
    std::vector<Signal<1>> parts;
    for (const SignalReference& r : group) {
      const std::vector<Signal<1>> s = signals_of(r);
      parts.insert(parts.end(), s.begin(), s.end());
      check_unit(r, port, where);
    }
    if (port.width > 0 && static_cast<int>(parts.size()) != port.width)
      throw fault("E-WIDTH", group.front().mark, where,
                  fmt::format("`{}` has {} parts, needs {}", group.front().text, parts.size(), port.width),
                  fmt::format("choose one: {}.1", group.front().text));
    result.push_back(std::move(parts));
  }
  return result;
}

std::vector<std::string> Signals::units(int component, const Port& port) const {
  std::vector<std::string> list;
  for (const auto& group : draft_.references.at(component, port)) {
    std::string unit = draft_.outputs.unit(group.front().owner, group.front().output);
    for (const SignalReference& r : group)
      if (draft_.outputs.unit(r.owner, r.output) != unit) unit.clear();
    list.push_back(std::move(unit));
  }
  return list;
}

void Signals::check_unit(const SignalReference& r, const Port& port, const std::string& where) const {
  if (port.unit == "any") return;
  const std::string unit = draft_.outputs.unit(r.owner, r.output);
  if (unit.empty()) return;
  if (!compatible(parse_unit(unit).dimension, parse_unit(port.unit).dimension))
    throw fault("E-UNITS", r.mark, where, fmt::format("`{}` is in {}, needs {}", r.text, unit, port.unit));
}

/// Outputs that are no signals yet get one (and, later, the row that defines it).
std::vector<Signal<1>> Signals::signals_of(const SignalReference& r) {
  const Outputs& outputs = draft_.outputs;
  const int width = draft_.widths.of(r.owner, r.output);
  std::vector<Signal<1>> result;
  for (int k = r.part > 0 ? r.part - 1 : 0; k < (r.part > 0 ? r.part : width); ++k) {
    if (outputs.is_signal(r.owner, r.output)) {
      result.push_back(outputs.signals(r.owner).at(k));
      continue;
    }
    auto [at, fresh] = tapped_.try_emplace(outputs.index(r.owner, r.output) + k);
    if (fresh) {
      const std::string unit = outputs.unit(r.owner, r.output);
      at->second = draft_.builder.signal<1>(outputs.channel_name(r.owner, r.output, k) + " (as a signal)",
                                            {.unit = unit.empty() ? "1" : unit});
    }
    result.push_back(at->second);
  }
  return result;
}

namespace {

/// Of what is an unknown or its rate.
Tap tap_of(const BoundOutput& b, const SystemBuilder& builder) {
  using Source = BoundOutput::Source;
  return {.source = b.source == Source::value  ? Tap::Source::value
                    : b.source == Source::rate ? Tap::Source::rate
                                               : Tap::Source::acceleration,
          .variable = b.variable,
          .position = b.variable >= 0 && builder.variables()[b.variable].kind == Kind::position,
          .part = b.part,
          .factor = b.factor};
}

}  // namespace

void Signals::make_taps() {
  SystemBuilder& builder = draft_.builder;
  for (const auto& [index, signal] : tapped_) {
    const BoundOutput& b = draft_.outputs[index];
    const Owner owner = draft_.outputs.owner_of(index);
    if (b.source == BoundOutput::Source::unbound)
      throw std::logic_error("an output was not bound by its component: number " + std::to_string(index));
    if (b.offered >= 0) {
      const Handle node = draft_.nodes.offered(owner, b.offered);
      if (b.index == 0) builder.tap_value(Build::typed<Position<1>>(node), signal);
      else builder.tap_rate(node, signal);
    } else if (b.source == BoundOutput::Source::element) {
      builder.tap_output(b.element, b.index, signal);
    } else {
      builder.tap(tap_of(b, builder), signal);
    }
  }
}

bool Signals::reads(int variable) const {
  return std::any_of(tapped_.begin(), tapped_.end(),
                     [&](const auto& t) { return draft_.outputs[t.first].variable == variable; });
}

}  // namespace escapement
