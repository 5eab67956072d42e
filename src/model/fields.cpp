#include "model/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "base/utf8.hpp"

namespace escapement {
namespace {

using Type = Parameter::Type;

/// The place of a character of a scalar (its quote included in the mark).
Mark moved(const Node& node, std::size_t position) {
  Mark m = node.mark;
  int characters = 0;
  for (std::size_t i = 0; i < position && i < node.text.size(); ++i) {
    if (node.text[i] == '\n') return node.mark;
    characters += !continues_character(node.text[i]);
  }
  m.column += characters + (node.quoted ? 1 : 0);
  return m;
}

/// Texts that other readers of YAML take for booleans, and numbers some read as octal.
void refuse_pitfalls(const Node& value, const std::string& where) {
  static const char* const booleans[] = {"on",   "off",   "yes",  "no",    "On",   "Off",
                                         "Yes",  "No",    "ON",   "OFF",   "YES",  "NO",
                                         "true", "false", "True", "False", "TRUE", "FALSE"};
  for (const char* word : booleans)
    if (value.text == word)
      throw fault("E-TYPE", value.mark, where,
                  fmt::format("`{}` is no number (YAML may take it for a boolean)", word),
                  "write true or false for a boolean, a quantity such as 5 m for a number");
  const std::string& s = value.text;
  const std::size_t k = !s.empty() && (s[0] == '-' || s[0] == '+') ? 1 : 0;
  if (s.size() > k + 1 && s[k] == '0' && s[k + 1] >= '0' && s[k + 1] <= '9')
    throw fault("E-TYPE", value.mark, where,
                fmt::format("`{}` begins with a zero: some read that as octal", s),
                "write the number without leading zeros");
}

}  // namespace

// ------------------------------------------------------------------ FieldValues

const FieldValue* FieldValues::find(std::string_view key) const {
  for (const Entry& e : entries_)
    if (e.key == key) return &e.value;
  return nullptr;
}
bool FieldValues::given(std::string_view key) const {
  for (const Entry& e : entries_)
    if (e.key == key) return e.given;
  return false;
}
void FieldValues::set(std::string key, FieldValue value, bool given) {
  for (Entry& e : entries_)
    if (e.key == key) {
      e = {std::move(key), std::move(value), given};
      return;
    }
  entries_.push_back({std::move(key), std::move(value), given});
}

// ------------------------------------------------------------------ FieldReader

FieldValues FieldReader::read(const Node& fields, const std::vector<Parameter>& parameters,
                              const std::vector<std::string>& also, const std::string& where,
                              Diagnostics& diagnostics) const {
  FieldValues values;
  const auto child = [&](const std::string& key) { return where.empty() ? key : where + "." + key; };
  for (const Node::Entry& e : fields.entries) {
    const auto known = [&](const Parameter& p) { return p.key == e.key; };
    if (std::any_of(parameters.begin(), parameters.end(), known) ||
        std::find(also.begin(), also.end(), e.key) != also.end())
      continue;
    diagnostics.collect([&] {
      std::vector<std::string> names;  // its own keys first: of two that are equally near the first is meant
      for (const Parameter& p : parameters) names.push_back(p.key);
      std::sort(names.begin(), names.end());
      names.insert(names.end(), also.begin(), also.end());
      std::vector<std::string> sorted = names;
      std::sort(sorted.begin(), sorted.end());
      throw fault("E-KEY", e.mark, child(e.key), "there is no such key here",
                  did_you_mean(e.key, names, fmt::format("one of {}", fmt::join(sorted, ", "))));
    });
  }
  for (const Parameter& p : parameters) {
    diagnostics.collect([&] {
      const Node* value = fields.find(p.key);
      const std::string place = child(p.key);
      if (p.type == Type::group) {
        if (!value && !p.alternative_of.empty()) return;
        static const Node nothing = Node::mapping({});
        if (value && value->kind != Node::Kind::null && !value->is_mapping())
          throw fault("E-TYPE", value->mark, place, "expected a mapping { … }, found " + value->described());
        const FieldValues inner =
            read(value && value->is_mapping() ? *value : nothing, p.group, {}, place, diagnostics);
        for (const FieldValues::Entry& e : inner.entries()) values.set(p.key + "." + e.key, e.value, e.given);
        return;
      }
      if (p.type == Type::records && value) {
        if (!value->is_mapping())
          throw fault("E-TYPE", value->mark, place,
                      "expected a mapping name: { … }, found " + value->described());
        for (const Node::Entry& record : value->entries) {
          if (!p.verbatim) check_name(record, place);
          if (!record.value.is_mapping())
            throw fault("E-TYPE", record.value.mark, place + "." + record.key,
                        "expected a mapping { … }, found " + record.value.described());
          const FieldValues inner = read(record.value, p.group, {}, place + "." + record.key, diagnostics);
          for (const FieldValues::Entry& e : inner.entries())
            values.set(p.key + "." + record.key + "." + e.key, e.value, e.given);
        }
        return;
      }
      if (value && p.named && value->is_mapping()) {
        for (const Node::Entry& e : value->entries) {
          const std::string inner = place + "." + e.key;
          if (!e.value.is_scalar())
            throw fault("E-TYPE", e.value.mark, inner, "expected a number, found " + e.value.described());
          values.set(p.key + "." + e.key, number(p, e.value, p.unit, inner), true);
        }
      } else if (value) {
        values.set(p.key, read(p, *value, place), true);
      } else if (p.fallback) {
        // A default is written as in a model file; it never uses parameters, and bare numbers count as SI.
        static const Namespace none = [] {
          Namespace n;
          n.bare_numbers_are_si = true;
          return n;
        }();
        values.set(
            p.key,
            FieldReader(none, {}).read(
                p, p.fallback->starts_with('[') ? read_yaml(*p.fallback, nullptr) : Node(*p.fallback), place),
            false);
      } else if (p.required) {
        throw fault("E-MISSING", fields.mark, where, fmt::format("`{}` is missing ({})", p.key, p.summary),
                    p.unit == "1" || p.unit == "any" ? "" : fmt::format("{}: … {}", p.key, p.unit));
      }
    });
  }
  return values;
}

void FieldReader::check_name(const Node::Entry& entry, const std::string& where) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (!std::all_of(entry.key.begin(), entry.key.end(), fits) || entry.key.empty() ||
      std::isdigit(static_cast<unsigned char>(entry.key[0])))
    throw fault("E-NAME", entry.mark, where, fmt::format("`{}` is not a name", entry.key),
                "letters, digits and _, a letter first");
  for (const char* word : {"t", "pi", "der", "der2", "ground"})
    if (entry.key == word)
      throw fault("E-NAME", entry.mark, where, fmt::format("`{}` is reserved", entry.key));
}

void FieldReader::check_equations(const Parameter& p, const Node& value, const std::string& where) {
  const auto text = [](const Node& n, const std::string& at) {
    if (!n.is_scalar()) throw fault("E-TYPE", n.mark, at, "expected an expression, found " + n.described());
  };
  if (p.by_name && !value.is_mapping())
    throw fault("E-TYPE", value.mark, where, "expected a mapping name: equation, found " + value.described());
  if (p.by_name || !value.is_sequence()) {
    if (!p.by_name) text(value, where);
    for (const Node::Entry& e : value.entries) text(e.value, where + "." + e.key);
    return;
  }
  if (value.items.empty()) throw fault("E-TYPE", value.mark, where, "the list is empty");
  for (const Node& n : value.items) text(n, where);
}

FieldValue FieldReader::read(const Parameter& p, const Node& value, const std::string& where) const {
  const auto scalar = [&]() -> const Node& {
    if (value.is_scalar()) return value;
    throw fault("E-TYPE", value.mark, where, "expected a single value, found " + value.described(),
                value.kind == Node::Kind::null ? "give it a value or remove the key"
                : p.key == "signs" ? "one sign per input in one text: \"+-\" (of a product: \"*/\")"
                                   : "");
  };
  switch (p.type) {
    case Type::number:
      return number(p, scalar(), p.unit, where);
    case Type::integer: {
      const double v = number(p, scalar(), "1", where);
      if (v != std::floor(v) || std::abs(v) > 1e9)
        throw fault("E-TYPE", value.mark, where, fmt::format("expected a whole number, got {:g}", v));
      return v;
    }
    case Type::boolean:
      if (scalar().text == "true" && !value.quoted) return 1.0;
      if (value.text == "false" && !value.quoted) return 0.0;
      throw fault("E-TYPE", value.mark, where, "expected true or false, found " + value.described(),
                  "write true or false in small letters");
    case Type::text:
      return p.verbatim ? scalar().text : substituted(scalar(), where);
    case Type::file: {
      Node name = scalar();
      name.text = substituted(value, where);
      return contained_path(space_, name, allow_outside_, where).string();
    }
    case Type::choice: {
      const std::string word = substituted(scalar(), where);
      if (std::find(p.choices.begin(), p.choices.end(), word) != p.choices.end()) return word;
      throw fault("E-VALUE", value.mark, where,
                  fmt::format("`{}` is not one of {}", word, fmt::join(p.choices, ", ")),
                  did_you_mean(word, p.choices));
    }
    case Type::choices: {
      if (!value.is_sequence())
        throw fault("E-TYPE", value.mark, where, "expected a list, found " + value.described(),
                    fmt::format("[{}]", fmt::join(p.choices, ", ")));
      Parameter one = p;
      one.type = Type::choice;
      std::vector<std::string> words;
      for (const Node& item : value.items) words.push_back(std::get<std::string>(read(one, item, where)));
      return words;
    }
    case Type::vector:
      return vector(p, value, where);
    case Type::matrix:
      return matrix(p, value, where);
    case Type::table:
      return table(p, value, where);
    case Type::expression: {
      Expression e = compile(scalar(), where, p.variables);
      check_unit(e, value, p.unit, where);
      return std::make_shared<const Expression>(std::move(e));
    }
    case Type::equations:
      check_equations(p, value, where);
      return std::string();
    default:
      throw std::logic_error("a group is not a single value");
  }
}

Expression FieldReader::compile(const Node& value, const std::string& where,
                                const std::vector<std::pair<std::string, std::string>>& variables) const {
  refuse_pitfalls(value, where);
  try {
    if (loop_.empty() && variables.empty()) return Expression::compile(value.text, space_.scope);
    Scope scope;
    std::vector<std::string> seen;
    for (const auto& [name, unit] : variables)
      if (!name.empty() && name.find('(') == std::string::npos) seen.push_back(name);
    scope.no_rate_hint = seen.size() < variables.size()
                             ? "positions have der and der2; give the rate of a state a signal of its own"
                             : "rates are known in math.equations only";
    scope.unknown_hint = seen.empty() ? space_.scope.unknown_hint
                                      : fmt::format("it sees {} and the parameters", fmt::join(seen, ", "));
    scope.names = space_.scope.names;
    for (const auto& [name, unit] : variables)
      if (!name.empty()) scope.names.push_back(name);
    for (const auto& [name, number] : loop_) scope.names.push_back(name);
    scope.find = [&](std::string_view name) -> std::optional<Name> {
      for (std::size_t i = 0; i < variables.size(); ++i)
        if (variables[i].first == name) {
          if (space_.parameters.contains(variables[i].first))
            throw fault(
                "E-NAME", value.mark, where,
                fmt::format("`{}` is a parameter and also what this expression is a function of", name),
                "rename the parameter");
          const bool any = variables[i].second == "any";
          return Name{any ? Dimension{} : parse_unit(variables[i].second).dimension, static_cast<int>(i), 0,
                      false, any};
        }
      for (const auto& [variable, number] : loop_)
        if (variable == name) return Name{{}, -1, static_cast<double>(number), true};
      return space_.scope.find ? space_.scope.find(name) : std::nullopt;
    };
    return Expression::compile(value.text, scope);
  } catch (const ExpressionError& e) {
    using Kind = ExpressionError::Kind;
    const std::string what = e.what();
    const char* const code = e.kind == Kind::unit    ? "E-UNITS"
                             : e.kind == Kind::name  ? "E-REFERENCE"
                             : e.kind == Kind::range ? "E-RANGE"
                                                     : "E-EXPRESSION";
    if (e.kind == Kind::name) {
      refuse_other_parameter(value, e, where);
      for (const auto& [name, unit] : variables)
        if (name.ends_with(".1") && what == "unknown name `" + name.substr(0, name.size() - 2) + "`")
          throw fault(code, moved(value, e.position), where,
                      fmt::format("`{}` is a wide signal", name.substr(0, name.size() - 2)),
                      fmt::format("one of its parts: {}", name));
    }
    std::string hint = e.hint;
    if (e.kind == Kind::name && !variables.empty() && variables[0].first == "t" &&
        (where.ends_with(".expression") || where.find(".set.") != std::string::npos))
      hint += "; or add it to `inputs`";
    if (e.kind == Kind::name && where.find(".let.") != std::string::npos)
      hint += "; names of `let` see those above them only";
    throw fault(code, moved(value, e.position), where, fmt::format("{} in {}", what, value.described()),
                hint);
  }
}

/// A name that is a parameter, but no number.
void FieldReader::refuse_other_parameter(const Node& value, const ExpressionError& e,
                                         const std::string& where) const {
  std::size_t end = e.position;
  while (end < value.text.size() &&
         (std::isalnum(static_cast<unsigned char>(value.text[end])) || value.text[end] == '_'))
    ++end;
  const std::string name = value.text.substr(e.position, end - e.position);
  const auto found = space_.parameters.find(name);
  if (found == space_.parameters.end()) return;
  const bool vector = found->second.vector;
  throw fault("E-TYPE", moved(value, e.position), where,
              fmt::format("the parameter `{}` is {}, not a number", name, vector ? "a vector" : "text"),
              vector ? fmt::format("one of its parts: {}.x", name) : "");
}

void FieldReader::check_unit(const Expression& e, const Node& value, const std::string& unit,
                             const std::string& where, bool bare_allowed) const {
  if (unit == "any" || e.is_zero() || e.is_any()) return;
  const Dimension wanted = parse_unit(unit).dimension;
  if (e.is_bare_number()) {
    if (wanted.dimensionless() || space_.bare_numbers_are_si || bare_allowed) return;
    throw fault("E-UNITS", value.mark, where, fmt::format("`{}` has no unit, needs {}", value.text, unit),
                e.is_constant() && value.text.find_first_not_of("0123456789.eE+-") == std::string::npos
                    ? fmt::format("{} {}, or `units: SI` at the top of the file", value.text,
                                  unit == "rad" ? "deg" : unit)
                    : "");
  }
  if (compatible(e.dimension(), wanted)) return;
  const std::string needs = unit == "1" ? "a pure number" : unit;
  const bool literal = value.text.find_first_of("0123456789.+-") == 0 && e.self_contained() == value.text;
  throw fault("E-UNITS", value.mark, where,
              literal ? fmt::format("got {}, needs {}", value.text, needs)
                      : fmt::format("`{}` is in {}, needs {}", value.text, e.dimension().text(), needs));
}

double FieldReader::number(const Parameter& p, const Node& value, const std::string& unit,
                           const std::string& where) const {
  if (!value.is_scalar())
    throw fault("E-TYPE", value.mark, where, "expected a number, found " + value.described());
  const Expression e = compile(value, where);
  check_unit(e, value, unit, where, p.bare_allowed);
  const double v = e.constant();
  if (!std::isfinite(v))
    throw fault("E-RANGE", value.mark, where, fmt::format("`{}` is not a finite number", value.text));
  check_range(p, v, value, unit, e.self_contained() == value.text, where);
  return v;
}

void FieldReader::check_range(const Parameter& p, double v, const Node& value, const std::string& unit,
                              bool literal, const std::string& where) {
  if (v >= p.minimum && v <= p.maximum && !(p.above_minimum && v == p.minimum)) return;
  throw fault(
      "E-RANGE", value.mark, where,
      fmt::format("got {}{}, must be {}", value.text,
                  literal ? "" : fmt::format(" = {:g}{}", v, unit == "any" || unit == "1" ? "" : " " + unit),
                  p.range()));
}

ParameterValue FieldReader::parameter(const Node& value, const std::string& where) const {
  ParameterValue r;
  if (value.is_scalar() && value.quoted) {
    try {  // an expression that had to be quoted because of a comma or a colon
      Expression::compile(value.text, space_.scope);
    } catch (const ExpressionError&) {
      r.text = value.text;
      return r;
    }
  }
  const auto add = [&](const Node& item) {
    if (!item.is_scalar())
      throw fault("E-TYPE", item.mark, where, "expected a number, found " + item.described(),
                  "a parameter is a number with its unit, a list of them, or quoted text");
    const Expression e = compile(item, where);
    const double v = e.constant();
    if (!std::isfinite(v))
      throw fault("E-RANGE", item.mark, where, fmt::format("`{}` is not a finite number", item.text));
    const bool zero = e.is_zero(), bare = zero || e.is_bare_number();
    if (r.values.empty()) {
      r.dimension = e.dimension();
      r.bare = bare;
    } else if (!zero) {
      if (r.bare && std::all_of(r.values.begin(), r.values.end(), [](double x) { return x == 0; })) {
        r.dimension = e.dimension();
        r.bare = bare;
      } else if (!compatible(e.dimension(), r.dimension)) {
        throw fault("E-UNITS", item.mark, where, "the parts have different units");
      }
    }
    r.values.push_back(v);
  };
  if (value.is_sequence()) {
    r.vector = true;
    for (const Node& item : value.items) add(item);
    if (r.values.empty()) throw fault("E-TYPE", value.mark, where, "the list is empty");
  } else {
    const ParameterValue* const other = value.is_scalar() ? space_.parameter(value.text) : nullptr;
    if (other && (other->vector || other->values.empty()))
      return *other;  // a vector or text handed on by name
    add(value);
  }
  return r;
}

std::string FieldReader::substituted(const Node& name, const std::string& where) const {
  std::string r;
  const std::string& s = name.text;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '(') {
      r += s[i];
      continue;
    }
    int level = 0;
    std::size_t end = i;
    do level += s[end] == '(' ? 1 : s[end] == ')' ? -1 : 0;
    while (level > 0 && ++end < s.size());
    if (end >= s.size())
      throw fault("E-EXPRESSION", moved(name, i), where, "a parenthesis is not closed in `" + s + "`");
    Node inner(s.substr(i + 1, end - i - 1));
    inner.mark = moved(name, i + 1);
    const ParameterValue* const text = space_.parameter(inner.text);
    if (text && text->values.empty()) {
      r += text->text;
    } else {
      const double v = compile(inner, where).constant();
      if (v != std::floor(v) || std::abs(v) > 1e9)
        throw fault("E-TYPE", inner.mark, where,
                    fmt::format("`{}` = {:g} is not a whole number", inner.text, v),
                    "in names, parentheses hold whole numbers or text parameters: link.(i-1)");
      r += fmt::format("{}", static_cast<long>(v));
    }
    i = end;
  }
  return r;
}

void check_alternatives(const Node& fields, const std::vector<Parameter>& parameters,
                        const std::vector<Port>& ports, const std::string& where) {
  std::map<std::string, std::vector<std::string>> sets;
  for (const Parameter& p : parameters)
    if (!p.alternative_of.empty()) sets[p.alternative_of].push_back(p.key);
  for (const Port& p : ports)
    if (!p.alternative_of.empty()) sets[p.alternative_of].push_back(p.key);
  for (const auto& [set, keys] : sets) {
    std::vector<std::string> given;
    for (const std::string& key : keys)
      if (fields.find(key)) given.push_back(key);
    if (given.size() == 1) continue;
    Mark mark = fields.mark;  // of the key that is too many
    for (const Node::Entry& e : fields.entries)
      if (std::find(given.begin(), given.end(), e.key) != given.end()) mark = e.mark;
    throw fault("E-CHOICE", mark, where,
                given.empty() ? fmt::format("{} is missing", set)
                              : fmt::format("{} is given twice: {}", set, fmt::join(given, " and ")),
                fmt::format("give exactly one of {}", fmt::join(keys, ", ")));
  }
}

}  // namespace escapement
