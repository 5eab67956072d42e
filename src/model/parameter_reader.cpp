#include "model/parameter_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace escapement {

void ParameterReader::read(Diagnostics& diagnostics) {
  space_.index();
  const auto lookup = space_.scope.find;
  space_.scope.find = [this,
                       &lookup](std::string_view name) {  // they may be used before the line they stand on
    const std::string first(name.substr(0, name.find('.')));
    if (entry(first)) evaluate(first);
    return lookup(name);
  };
  for (const Node::Entry& e : section_.entries) {
    chain_.clear();
    in_progress_.clear();
    diagnostics.collect([&] { evaluate(e.key); });
  }
  space_.index();
}

const Node::Entry* ParameterReader::entry(std::string_view name) const {
  for (const Node::Entry& e : section_.entries)
    if (e.key == name) return &e;
  return nullptr;
}

void ParameterReader::evaluate(const std::string& name) {
  if (done_.contains(name) && !in_progress_.contains(name)) return;
  const Node::Entry& e = *entry(name);
  if (std::find(chain_.begin(), chain_.end(), name) != chain_.end()) {
    chain_.push_back(name);
    throw fault("E-CYCLE", e.mark, "parameters." + name,
                fmt::format("parameters refer to each other in a circle: {}", fmt::join(chain_, " → ")));
  }
  chain_.push_back(name);
  done_.insert(name);  // whatever comes of it, it is not tried twice
  in_progress_.insert(name);
  check_name_(e);
  ParameterValue value = value_of(e);
  space_.parameters[name] = std::move(value);
  in_progress_.erase(name);
  chain_.pop_back();
}

ParameterValue ParameterReader::value_of(const Node::Entry& e) {
  if (const auto given = given_.values.find(e.key); given != given_.values.end()) {
    check_given(e, given->second);
    return given->second;
  }
  const Node* const set = given_.setting ? given_.setting(e.key) : nullptr;
  const Node& text = set ? *set : e.value;
  if (text.is_scalar() && !text.quoted && entry(text.text)) evaluate(text.text);
  if (text.kind != Node::Kind::null) return parsed(text, e.key);
  if (given_.user)
    throw fault("E-MISSING", given_.user->value.mark, space_.prefix + "with",
                fmt::format("the parameter `{}` is not given and has no default", e.key),
                fmt::format("with: {{{}: …}}", e.key));
  throw fault("E-MISSING", e.mark, "parameters." + e.key, "this parameter has no value");
}

/// What is given is of the same kind as the default.
void ParameterReader::check_given(const Node::Entry& e, const ParameterValue& now) const {
  if (e.value.kind == Node::Kind::null) return;
  const ParameterValue usual = parsed(e.value, e.key);
  const Node* with = given_.user ? given_.user->value.find("with") : nullptr;
  const Node* text = with ? with->find(e.key) : nullptr;
  const Mark mark = text ? text->mark : e.mark;
  if (usual.values.empty() != now.values.empty() || usual.vector != now.vector)
    throw fault("E-TYPE", mark, space_.prefix + "with." + e.key,
                "the default is of another type than this value");
  if (!usual.bare && !now.bare && !compatible(now.dimension, usual.dimension))
    throw fault("E-UNITS", mark, space_.prefix + "with." + e.key,
                fmt::format("got {}, needs {}", now.dimension.text(), usual.dimension.text()));
}

}  // namespace escapement
