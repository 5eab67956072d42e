#include "model/signal_widths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/draft.hpp"

namespace escapement {

SignalWidths::SignalWidths(Draft& draft) : draft_(draft), widths_(draft.model.components.size(), unknown) {}

int SignalWidths::of(int owner, int output) {
  const OutputType& o = draft_.outputs.of(owner)[output];
  if (!o.parts.empty()) return static_cast<int>(o.parts.size());
  if (!o.wide) return 1;
  if (output == 0) return of_block(owner);
  const ComponentType& type = *draft_.model.components[owner].type;
  if (!type.width) return of(owner, 0);
  const auto [asked, first] = asked_.emplace(owner, output);
  if (!first) {  // asked for again on the way, as in of_block()
    of_itself_ = true;
    return 0;
  }
  const int width = type.width(Build(draft_, owner), o.name);
  asked_.erase(asked);
  return width;
}

int SignalWidths::of_block(int component) {
  int& width = widths_[component];
  if (width != unknown) return width;
  width = 0;  // asked for again on the way: a loop of signals, the others decide
  const ComponentType& type = *draft_.model.components[component].type;
  int known = type.width ? type.width(Build(draft_, component), draft_.outputs.of(component)[0].name) : 0;
  if (known < 1) known = of_input(component);
  if (known >= 1) return width = known;
  width = unknown;
  return 0;
}

/// Blocks are as wide as their `input`, unless they say otherwise; in a loop of signals a list under `initial` may
/// decide.
int SignalWidths::of_input(int component) {
  const Port* const input = draft_.model.components[component].type->port("input");
  int width = input ? at_port(component, *input) : 1;
  if (width > 0) return width;
  for (const FieldValues::Entry& e : draft_.values[component].entries())
    if (const auto* list = std::get_if<std::vector<double>>(&e.value); list && e.key.starts_with("initial."))
      width = std::max(width, static_cast<int>(list->size()));
  return width;
}

int SignalWidths::at_port(int component, const Port& port) {
  int width = 0;
  for (const auto& group : draft_.references.at(component, port)) {
    int sum = 0;
    bool known = true;
    for (const SignalReference& r : group) {
      const int w = r.part > 0 ? 1 : of(r.owner, r.output);
      known = known && w > 0;
      sum += w;
    }
    if (known) width = std::max(width, sum);
  }
  return width;
}

int SignalWidths::decided(int component, int output) {
  of_itself_ = false;
  int width = of(component, output);
  if (width < 1 && output == 0) width = widths_[component] = 1;
  if (width < 1 && of_itself_) refuse_width_of_itself(component, output);
  return width;
}

/// How many numbers this output has depends on the input, which is fed by it.
void SignalWidths::refuse_width_of_itself(int component, int output) const {
  const FlatComponent& c = draft_.model.components[component];
  const std::string name = c.path + "." + draft_.outputs.of(component)[output].name;
  const Node* const input = c.fields->find("input");
  throw fault("E-WIDTH", input ? input->mark : c.mark, c.path + (input ? ".input" : ""),
              fmt::format("how many parts `{}` has depends on itself, through a loop of signals", name),
              fmt::format("choose one part of it: {}.1", name));
}

}  // namespace escapement
