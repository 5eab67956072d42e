// Fields as they stand in a flattened model: every name of a parameter replaced by its value, tables inlined.
#include <fmt/format.h>

#include "model/fields.hpp"

namespace escapement {

using Type = Parameter::Type;

namespace {

std::vector<Node*> equation_texts(Node& value) {
  std::vector<Node*> list;
  if (value.is_scalar()) list.push_back(&value);
  for (Node& n : value.items) list.push_back(&n);
  for (Node::Entry& e : value.entries) list.push_back(&e.value);
  return list;
}

}  // namespace

std::string FieldReader::with_numbers(const std::string& text) const {
  // Names that are no parameters are the component's own: inputs of any unit.
  Scope scope;
  scope.find = [&](std::string_view name) -> std::optional<Name> {
    for (const auto& [variable, number] : loop_)
      if (variable == name) return Name{{}, -1, static_cast<double>(number), true};
    const auto known = space_.scope.find ? space_.scope.find(name) : std::nullopt;
    return known ? known : Name{{}, 0, 0, false, true};
  };
  const auto side = [&](const std::string& part) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    if (first == std::string::npos) return part;
    std::string inside = part.substr(first, last - first + 1);
    // der(what is stored): a name of its own only if it is of a name.
    const bool store = inside.starts_with("der(") && inside.ends_with(")");
    if (store) inside = inside.substr(4, inside.size() - 5);
    std::string r;
    try {
      r = Expression::compile(inside, scope).self_contained();
    } catch (const ExpressionError&) {
      if (!store) return part;
      return Expression::compile(part, scope).self_contained();  // der(x)*cos(y)
    }
    return part.substr(0, first) + (store ? "der(" + r + ")" : r) + part.substr(last + 1);
  };
  std::size_t equals = std::string::npos;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '=' && (i == 0 || (text[i - 1] != '<' && text[i - 1] != '>'))) equals = i;
  if (equals == std::string::npos) return side(text);
  return side(text.substr(0, equals)) + "=" + side(text.substr(equals + 1));
}

/// A number as it stands, with values for names.
Node FieldReader::flat_number(const Parameter& p, const Node& value) const {
  Node r = value;
  if (!value.is_scalar()) return r;
  const Expression e = compile(value, p.key, p.variables);
  r.text = e.self_contained();
  if (space_.bare_numbers_are_si && p.unit != "any" && p.unit != "1" && e.is_bare_number())
    r.text = "(" + r.text + ")*(1 " + p.unit + ")";
  return r;
}

/// A vector or matrix: numbers by name, in a file, of a parameter, or as a list.
Node FieldReader::flat_numbers(const Parameter& p, const Node& value) const {
  Node r = value;
  if (value.is_mapping()) {
    for (Node::Entry& e : r.entries) e.value = flat_number(p, e.value);
    return r;
  }
  if (is_csv(value)) {
    std::vector<Node> rows;
    const std::string unit = p.unit == "any" || p.unit == "1" ? "" : " " + p.unit;
    for (const auto& row : csv_rows(value, p.key)) {
      std::vector<Node> items;
      for (double v : row) items.push_back(Node(fmt::format("{}{}", v, unit)));
      if (p.type == Type::matrix) rows.push_back(Node::sequence(std::move(items)));
      else rows.insert(rows.end(), items.begin(), items.end());
    }
    return Node::sequence(std::move(rows));
  }
  const ParameterValue* const named = value.is_scalar() ? space_.parameter(value.text) : nullptr;
  if (named && named->vector) {
    std::vector<Node> items;
    std::string unit = named->dimension.text();
    if (named->bare) unit = p.unit == "any" ? "1" : p.unit;  // zeros, or SI
    for (double v : named->values)
      items.push_back(Node(fmt::format("{}{}", v, unit == "1" ? "" : " " + unit)));
    return Node::sequence(std::move(items));
  }
  if (!value.is_sequence()) return flat_number(p, value);
  for (Node& item : r.items) {
    if (!item.is_sequence()) item = flat_number(p, item);
    for (Node& inner : item.items) inner = flat_number(p, inner);
  }
  return r;
}

Node FieldReader::flat_points(const Parameter& p, const Node& value) const {
  const auto quantity = [](double x, const std::string& unit) {
    return Node(fmt::format("{:.17g}{}", x, unit == "any" || unit == "1" ? "" : " " + unit));
  };
  std::vector<Node> rows;
  for (const auto& [x, y] : points(p, value, p.key))
    rows.push_back(Node::sequence({quantity(x, p.unit), quantity(y, p.second_unit)}));
  return Node::sequence(std::move(rows));
}

Node FieldReader::flattened(const Parameter& p, const Node& value) const {
  Node r = value;
  switch (p.type) {
    case Type::number:
    case Type::integer:
    case Type::expression:
      return flat_number(p, value);
    case Type::vector:
    case Type::matrix:
      return flat_numbers(p, value);
    case Type::table:
      return flat_points(p, value);
    case Type::equations:  // its own names stay, those of parameters become numbers
      for (Node* n : equation_texts(r)) n->text = with_numbers(n->text);
      return r;
    case Type::records:
      for (Node::Entry& e : r.entries) e.value = self_contained(e.value, p.group);
      return r;
    case Type::file:
      r.text = substituted(value, p.key);
      return Node(flat_name(contained_path(space_, r, allow_outside_, p.key), space_));
    case Type::text:
    case Type::choice:
      if (!p.verbatim) r.text = substituted(value, p.key);
      return r;
    case Type::choices:
      for (Node& item : r.items) item.text = substituted(item, p.key);
      return r;
    default:
      return r;
  }
}

Node FieldReader::self_contained(const Node& fields, const std::vector<Parameter>& parameters) const {
  Node r = fields;
  for (Node::Entry& e : r.entries)
    for (const Parameter& p : parameters) {
      if (p.key != e.key) continue;
      e.value = p.type == Type::group ? self_contained(e.value, p.group) : flattened(p, e.value);
    }
  return r;
}

}  // namespace escapement
