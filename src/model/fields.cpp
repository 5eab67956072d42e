#include "model/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/file.hpp"
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

std::vector<double> csv_numbers(const std::string& line, const std::filesystem::path& file, int number,
                                const Mark& mark, const std::string& where) {
  std::vector<double> values;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    if (at < end && *at == '+') ++at;
    double v = 0;
    const auto [next, wrong] = std::from_chars(at, end, v);
    at = next;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
    if (wrong != std::errc() || (at < end && *at != ',' && *at != ';') || !std::isfinite(v))
      throw fault("E-TABLE", mark, where,
                  fmt::format("{}:{}: not a row of numbers: `{}`", file.filename().string(), number,
                              line.substr(0, 40)),
                  "columns are separated by commas; a first line that is no numbers is taken as a heading");
    values.push_back(v);
    if (at >= end) return values;
    ++at;
  }
}

}  // namespace

// ------------------------------------------------------------------ Namespace and FieldValues

const ParameterValue* Namespace::parameter(std::string_view name) const {
  const auto at = parameters.find(std::string(name));
  if (at == parameters.end()) return nullptr;
  used_.emplace(name);
  return &at->second;
}

std::vector<std::string> Namespace::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters)
    if (!used_.contains(name)) names.push_back(prefix + name);
  return names;
}

void Namespace::index() {
  scope.names.clear();
  scope.unknown_hint = "values see the parameters only";
  for (const auto& [name, value] : parameters) {
    if (!value.vector) {
      scope.names.push_back(name);
      continue;
    }
    for (std::size_t i = 0; i < value.values.size(); ++i)
      scope.names.push_back(name + "." + (i < 3 ? std::string(1, "xyz"[i]) : std::to_string(i + 1)));
  }
  scope.find = [this](std::string_view name) -> std::optional<Name> {
    const std::size_t dot = name.find('.');
    const ParameterValue* const found = parameter(name.substr(0, dot));
    if (!found || found->values.empty()) return std::nullopt;
    const ParameterValue& p = *found;
    if (dot == std::string_view::npos)
      return p.vector ? std::nullopt : std::optional<Name>({p.dimension, -1, p.values[0], p.bare});
    if (!p.vector) return std::nullopt;
    const std::string_view part = name.substr(dot + 1);
    std::size_t i = part.size() == 1 ? std::string_view("xyz").find(part[0]) : std::string_view::npos;
    if (i == std::string_view::npos) {
      const auto [end, wrong] = std::from_chars(part.data(), part.data() + part.size(), i);
      if (wrong != std::errc() || end != part.data() + part.size() || i < 1) return std::nullopt;
      --i;
    }
    if (i >= p.values.size()) return std::nullopt;
    return Name{p.dimension, -1, p.values[i], p.bare};
  };
}

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

std::vector<double> FieldReader::vector(const Parameter& p, const Node& value,
                                        const std::string& where) const {
  std::vector<double> r;
  if (is_csv(value))
    for (const auto& row : csv_rows(value, where)) r.insert(r.end(), row.begin(), row.end());
  for (double v : r) check_range(p, v, value, p.unit, false, where);
  const ParameterValue* const named = value.is_scalar() ? space_.parameter(value.text) : nullptr;
  if (!r.empty()) {  // from a file
  } else if (named && named->vector) {
    const auto zero = [](double v) { return v == 0; };
    const bool zeros = std::all_of(named->values.begin(), named->values.end(), zero);
    if (p.unit != "any" && !(named->bare && (space_.bare_numbers_are_si || p.bare_allowed || zeros)) &&
        !compatible(named->dimension, parse_unit(p.unit).dimension))
      throw fault("E-UNITS", value.mark, where,
                  fmt::format("`{}` is in {}, needs {}", value.text, named->dimension.text(), p.unit));
    r = named->values;
    for (double v : r) check_range(p, v, value, p.unit, false, where);
  } else if (value.is_sequence()) {
    for (const Node& item : value.items) r.push_back(number(p, item, p.unit, where));
  } else if (p.size == 0 && value.is_scalar()) {  // a vector of one
    r.push_back(number(p, value, p.unit, where));
  } else {
    throw fault("E-TYPE", value.mark, where, "expected a list [ … ], found " + value.described());
  }
  if (p.size > 0 && static_cast<int>(r.size()) != p.size)
    throw fault("E-TYPE", value.mark, where, fmt::format("expected {} numbers, found {}", p.size, r.size()));
  if (r.empty()) throw fault("E-TYPE", value.mark, where, "the list is empty");
  return r;
}

MatrixValue FieldReader::matrix(const Parameter& p, const Node& value, const std::string& where) const {
  MatrixValue m;
  if (is_csv(value)) {
    const auto rows = csv_rows(value, where);
    m.rows = static_cast<int>(rows.size());
    m.columns = static_cast<int>(rows[0].size());
    for (const auto& row : rows) m.entries.insert(m.entries.end(), row.begin(), row.end());
    return m;
  }
  if (value.is_scalar()) {  // a 1×1 matrix
    m.rows = m.columns = 1;
    m.entries = {number(p, value, p.unit, where)};
    return m;
  }
  if (!value.is_sequence())
    throw fault("E-TYPE", value.mark, where, "expected rows [[…], […]], found " + value.described());
  for (const Node& row : value.items) {
    if (!row.is_sequence())
      throw fault("E-TYPE", row.mark, where, "expected a row [ … ], found " + row.described(),
                  "a matrix is a list of rows: [[1, 0], [0, 1]]");
    if (m.rows > 0 && static_cast<int>(row.items.size()) != m.columns)
      throw fault("E-TYPE", row.mark, where,
                  fmt::format("rows of different length: {} and {}", m.columns, row.items.size()));
    m.columns = static_cast<int>(row.items.size());
    ++m.rows;
    for (const Node& item : row.items) m.entries.push_back(number(p, item, p.unit, where));
  }
  if (m.entries.empty()) throw fault("E-TYPE", value.mark, where, "the matrix is empty");
  return m;
}

std::filesystem::path contained_path(const Namespace& space, const Node& name, bool allow_outside,
                                     const std::string& where) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path home = fs::weakly_canonical(space.root.empty() ? fs::path(".") : space.root, ignored);
  const fs::path full =
      fs::weakly_canonical((space.folder.empty() ? home : fs::absolute(space.folder)) / name.text, ignored);
  const fs::path relative = full.lexically_relative(home);
  if (!allow_outside && (relative.empty() || *relative.begin() == ".."))
    throw fault("E-OUTSIDE", name.mark, where, fmt::format("`{}` is outside the model's folder", name.text),
                "move the file there, or run with --allow-outside");
  return full;
}

std::string flat_name(const std::filesystem::path& file, const Namespace& space) {
  std::error_code ignored;
  const auto home = std::filesystem::weakly_canonical(
      space.root.empty() ? std::filesystem::path(".") : space.root, ignored);
  std::string name;
  for (const auto& part : file.lexically_relative(home))
    if (part != "..") name += (name.empty() ? "" : "_") + part.string();
  return name;
}

std::vector<std::vector<double>> FieldReader::csv_rows(const Node& value, const std::string& where) const {
  Node name = value;
  name.text = substituted(value, where);
  const auto path = contained_path(space_, name, allow_outside_, where);
  std::string bytes;
  const std::error_code unreadable = read_file(path, bytes, YamlLimits{}.bytes);
  if (unreadable == std::errc::file_too_large)
    throw fault("E-LIMIT", value.mark, where,
                fmt::format("`{}` has {} bytes", name.text, std::filesystem::file_size(path)));
  if (unreadable)
    throw fault("E-FILE", value.mark, where,
                fmt::format("cannot read `{}`: {}", name.text,
                            unreadable == not_a_regular_file ? "not a regular file" : unreadable.message()),
                "numbers in [ … ], or a CSV file beside the model");
  std::istringstream file(bytes);
  std::string line;
  std::vector<std::vector<double>> rows;
  for (int number = 1; std::getline(file, line); ++number) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    if (rows.empty() && std::string("0123456789+-.").find(line[first]) == std::string::npos)
      continue;  // a heading
    rows.push_back(csv_numbers(line, path, number, value.mark, where));
    if (rows.back().size() != rows.front().size())
      throw fault("E-TABLE", value.mark, where,
                  fmt::format("{}:{}: {} columns instead of {}", path.filename().string(), number,
                              rows.back().size(), rows.front().size()));
  }
  if (rows.empty())
    throw fault("E-TABLE", value.mark, where, fmt::format("`{}` holds no numbers", name.text));
  return rows;
}

bool FieldReader::is_csv(const Node& value) const {
  if (!value.is_scalar()) return false;
  if (value.text.ends_with(".csv")) return true;
  if (value.text.size() < 3 || value.text.front() != '(' || value.text.back() != ')') return false;
  const ParameterValue* const named = space_.parameter(value.text.substr(1, value.text.size() - 2));
  return named && named->text.ends_with(".csv");
}

std::vector<std::pair<double, double>> FieldReader::points(const Parameter& p, const Node& value,
                                                           const std::string& where) const {
  std::vector<std::pair<double, double>> points;
  if (value.is_sequence()) {
    for (const Node& row : value.items) {
      if (!row.is_sequence() || row.items.size() != 2)
        throw fault("E-TABLE", row.mark, where, "expected a point [x, y], found " + row.described());
      points.emplace_back(number(p, row.items[0], p.unit, where),
                          number(p, row.items[1], p.second_unit, where));
    }
    return points;
  }
  if (!value.is_scalar())
    throw fault("E-TABLE", value.mark, where,
                "expected points [[x, y], …] or the name of a CSV file, found " + value.described());
  for (const auto& row : csv_rows(value, where)) {
    if (row.size() != 2)
      throw fault("E-TABLE", value.mark, where,
                  fmt::format("`{}`: expected two columns, found {}", value.text, row.size()));
    points.emplace_back(row[0], row[1]);
  }
  return points;
}

std::shared_ptr<const Table> FieldReader::table(const Parameter& p, const Node& value,
                                                const std::string& where) const {
  std::vector<double> x, y;
  for (const auto& [a, b] : points(p, value, where)) {
    if (!x.empty() && !(a > x.back()))
      throw fault("E-TABLE", value.is_sequence() ? value.items[x.size()].mark : value.mark, where,
                  fmt::format("the first column must increase: {:g} follows {:g}", a, x.back()));
    x.push_back(a);
    y.push_back(b);
  }
  if (x.size() < 2) throw fault("E-TABLE", value.mark, where, "a table needs at least two points");
  return std::make_shared<const Table>(std::move(x), std::move(y), Table::Interpolation::linear);
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

// ------------------------------------------------------------------ flattening

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

Node FieldReader::flattened(const Parameter& p, const Node& value) const {
  const auto scalar = [&](const Node& n) {
    Node r = n;
    if (n.is_scalar()) {
      r.text = compile(n, p.key, p.variables).self_contained();
      if (space_.bare_numbers_are_si && p.unit != "any" && p.unit != "1" &&
          compile(n, p.key, p.variables).is_bare_number())
        r.text = "(" + r.text + ")*(1 " + p.unit + ")";
    }
    return r;
  };
  const auto vector = [&](const Node& n) {
    const ParameterValue* const named = n.is_scalar() ? space_.parameter(n.text) : nullptr;
    if (!named || !named->vector) return scalar(n);
    std::vector<Node> items;
    std::string unit = named->dimension.text();
    if (named->bare) unit = p.unit == "any" ? "1" : p.unit;  // zeros, or SI
    for (double v : named->values)
      items.push_back(Node(fmt::format("{}{}", v, unit == "1" ? "" : " " + unit)));
    return Node::sequence(std::move(items));
  };
  switch (p.type) {
    case Type::number:
    case Type::integer:
    case Type::expression:
      return scalar(value);
    case Type::equations: {  // its own names stay, those of parameters become numbers
      Node r = value;
      for (Node* n : equation_texts(r)) n->text = with_numbers(n->text);
      return r;
    }
    case Type::records: {
      Node r = value;
      for (Node::Entry& e : r.entries) e.value = self_contained(e.value, p.group);
      return r;
    }
    case Type::file: {
      Node name = value;
      name.text = substituted(value, p.key);
      return Node(flat_name(contained_path(space_, name, allow_outside_, p.key), space_));
    }
    case Type::text:
    case Type::choice: {
      Node r = value;
      if (!p.verbatim) r.text = substituted(value, p.key);
      return r;
    }
    case Type::choices: {
      Node r = value;
      for (Node& item : r.items) item.text = substituted(item, p.key);
      return r;
    }
    case Type::table: {
      std::vector<Node> rows;
      for (const auto& [x, y] : points(p, value, p.key))
        rows.push_back(Node::sequence(
            {Node(fmt::format("{:.17g} {}", x, p.unit == "any" ? "" : p.unit)),
             Node(fmt::format("{:.17g} {}", y, p.second_unit == "any" ? "" : p.second_unit))}));
      for (Node& row : rows)
        for (Node& n : row.items)
          while (n.text.ends_with(" ") || n.text.ends_with(" 1"))
            n.text.resize(n.text.size() - (n.text.back() == '1' ? 2 : 1));
      return Node::sequence(std::move(rows));
    }
    case Type::vector:
    case Type::matrix: {
      if (value.is_mapping()) {  // numbers by name
        Node r = value;
        for (Node::Entry& e : r.entries) e.value = scalar(e.value);
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
      Node r = vector(value);
      for (Node& item : r.items) {
        if (value.is_sequence()) item = item.is_sequence() ? item : scalar(item);
        for (Node& inner : item.items) inner = scalar(inner);
      }
      return r;
    }
    default:
      return value;
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
