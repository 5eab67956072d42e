#include "model/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace escapement {

using Type = Parameter::Type;

Parameter::Parameter() = default;
Parameter::Parameter(const Parameter&) = default;
Parameter::Parameter(Parameter&&) noexcept = default;
Parameter& Parameter::operator=(const Parameter&) = default;
Parameter& Parameter::operator=(Parameter&&) noexcept = default;
Parameter::~Parameter() = default;
Port::Port() = default;
Port::Port(const Port&) = default;
Port::Port(Port&&) noexcept = default;
Port& Port::operator=(const Port&) = default;
Port& Port::operator=(Port&&) noexcept = default;
Port::~Port() = default;
ComponentType::ComponentType(const ComponentType&) = default;
ComponentType::ComponentType(ComponentType&&) noexcept = default;
ComponentType& ComponentType::operator=(ComponentType&&) noexcept = default;
ComponentType::~ComponentType() = default;

Parameter& Parameter::otherwise(std::string text) {
  fallback = std::move(text);
  required = false;
  return *this;
}
Parameter& Parameter::one_of(std::string set) {
  alternative_of = std::move(set);
  required = false;
  return *this;
}
Port& Port::one_of(std::string set) {
  alternative_of = std::move(set);
  required = false;
  return *this;
}

std::string Parameter::range() const {
  const bool low = minimum > -std::numeric_limits<double>::infinity();
  const bool high = maximum < std::numeric_limits<double>::infinity();
  if (low && high)
    return above_minimum ? fmt::format("> {:g} and ≤ {:g}", minimum, maximum)
                         : fmt::format("{:g} … {:g}", minimum, maximum);
  if (low) return fmt::format("{} {:g}", above_minimum ? ">" : "≥", minimum);
  if (high) return fmt::format("≤ {:g}", maximum);
  return "";
}

namespace {
Parameter make(std::string key, Type type, std::string unit, std::string summary) {
  Parameter p;
  p.key = std::move(key);
  p.type = type;
  p.unit = std::move(unit);
  p.summary = std::move(summary);
  return p;
}
}  // namespace

Parameter number(std::string key, std::string unit, std::string summary) {
  return make(std::move(key), Type::number, std::move(unit), std::move(summary));
}
Parameter integer(std::string key, std::string summary) {
  return make(std::move(key), Type::integer, "1", std::move(summary));
}
Parameter boolean(std::string key, std::string summary) {
  return make(std::move(key), Type::boolean, "1", std::move(summary));
}
Parameter text(std::string key, std::string summary) {
  return make(std::move(key), Type::text, "1", std::move(summary));
}
Parameter file(std::string key, std::string summary) {
  return make(std::move(key), Type::file, "1", std::move(summary));
}
Parameter choice(std::string key, std::vector<std::string> choices, std::string summary) {
  Parameter p = make(std::move(key), Type::choice, "1", std::move(summary));
  p.choices = std::move(choices);
  return p;
}
Parameter choices(std::string key, std::vector<std::string> choices, std::string summary) {
  Parameter p = choice(std::move(key), std::move(choices), std::move(summary));
  p.type = Type::choices;
  return p;
}
Parameter fixed(std::vector<std::string> keys) {
  return choices("fixed", std::move(keys),
                 "what of it stays as given while `start: assembled` or `equilibrium` moves the rest")
      .optional();
}
Parameter vector(std::string key, std::string unit, int size, std::string summary) {
  Parameter p = make(std::move(key), Type::vector, std::move(unit), std::move(summary));
  p.size = size;
  return p;
}
Parameter matrix(std::string key, std::string unit, std::string summary) {
  return make(std::move(key), Type::matrix, std::move(unit), std::move(summary));
}
Parameter table(std::string key, std::string unit_x, std::string unit_y, std::string summary) {
  Parameter p = make(std::move(key), Type::table, std::move(unit_x), std::move(summary));
  p.second_unit = std::move(unit_y);
  return p;
}
Parameter expression(std::string key, std::string unit,
                     std::vector<std::pair<std::string, std::string>> variables, std::string summary) {
  Parameter p = make(std::move(key), Type::expression, std::move(unit), std::move(summary));
  p.variables = std::move(variables);
  return p;
}
Parameter equations(std::string key, bool by_name, std::string summary) {
  Parameter p = make(std::move(key), Type::equations, "any", std::move(summary));
  p.by_name = by_name;
  return p;
}
Parameter records(std::string key, std::vector<Parameter> parameters, std::string summary) {
  Parameter p = make(std::move(key), Type::records, "1", std::move(summary));
  p.group = std::move(parameters);
  return p;
}
Parameter group(std::string key, std::vector<Parameter> parameters, std::string summary) {
  Parameter p = make(std::move(key), Type::group, "1", std::move(summary));
  p.group = std::move(parameters);
  p.required = false;
  return p;
}

Port node_port(std::string key, Domain domain, std::string summary) {
  Port p;
  p.key = std::move(key);
  p.domain = domain;
  p.summary = std::move(summary);
  return p;
}
Port between(Domain domain) {
  Port p = node_port("between", domain, fmt::format("the two ends A and B, each {}", info(domain).node));
  p.count = 2;
  return p;
}
Port at(Domain domain) { return node_port("at", domain, fmt::format("{} it acts on", info(domain).node)); }
Port signal_port(std::string key, std::string unit, std::string summary) {
  Port p;
  p.key = std::move(key);
  p.summary = std::move(summary);
  p.unit = std::move(unit);
  return p;
}
Port input(std::string unit, std::string summary) {
  return signal_port("input", std::move(unit), std::move(summary));
}

ComponentType::ComponentType(std::string name, std::string summary)
    : name(std::move(name)), summary(std::move(summary)) {}
ComponentType& ComponentType::takes(Parameter p) {
  parameters.push_back(std::move(p));
  return *this;
}
ComponentType& ComponentType::connects(Port p) {
  ports.push_back(std::move(p));
  return *this;
}
ComponentType& ComponentType::gives(OutputType o) {
  outputs.push_back(std::move(o));
  return *this;
}
const std::vector<OutputType>& node_outputs(Domain domain) {
  static const auto all = [] {
    std::map<Domain, std::vector<OutputType>> by_domain;
    for (const Domain d : all_domains)
      for (const NodeOutput& o : info(d).outputs)
        by_domain[d].push_back({o.name, o.unit, o.summary, o.parts});
    return by_domain;
  }();
  static const std::vector<OutputType> none;
  const auto at = all.find(domain);
  return at == all.end() ? none : at->second;
}

ComponentType& ComponentType::owns(Domain domain) {
  provides = domain;
  for (const OutputType& o : node_outputs(domain)) gives(o);
  std::vector<Parameter> start;
  for (const NodeOutput& o : info(domain).outputs) {
    if (o.rate == 2) continue;
    const int parts = static_cast<int>(std::string(o.parts).size());
    std::string zero = "0";
    if (parts > 0) zero = parts == 2 ? "[0, 0]" : "[0, 0, 0]";
    start.push_back((parts == 0 ? number(o.name, o.unit, std::string(o.summary) + " at the start")
                                : vector(o.name, o.unit, parts, std::string(o.summary) + " at the start"))
                        .otherwise(zero));
  }
  if (start.empty()) return *this;
  std::vector<std::string> keys;
  for (const Parameter& p : start) keys.push_back(p.key);
  start.push_back(fixed(std::move(keys)));
  return takes(group("initial", std::move(start), "values at the start"));
}

ComponentType& ComponentType::is_block(std::string output_summary, bool wide) {
  block = true;
  gives({"output", "", std::move(output_summary), {}, wide});
  Parameter tag = text("unit", "SI unit of the output, checked where it meets a physical input");
  tag.verbatim = true;
  return takes(tag.optional());
}

const Parameter* ComponentType::parameter(std::string_view key) const {
  for (const Parameter& p : parameters)
    if (p.key == key) return &p;
  return nullptr;
}
const Port* ComponentType::port(std::string_view key) const {
  for (const Port& p : ports)
    if (p.key == key) return &p;
  return nullptr;
}
const OutputType* ComponentType::output(std::string_view name) const {
  for (const OutputType& o : outputs)
    if (o.name == name) return &o;
  return nullptr;
}

namespace {

void check(const ComponentType& type) {
  const auto refuse = [&](const std::string& what) { throw std::logic_error(type.name + ": " + what); };
  if (type.summary.empty() || type.signs.empty() || type.example.empty() || !type.build)
    refuse("summary, signs, example and build must be given");
  std::set<std::string> keys = {"type", "use", "with", "connect", "for", "name"};
  const auto unique = [&](const std::string& key) {
    if (!keys.insert(key).second) refuse("the key `" + key + "` is there twice or reserved");
  };
  const std::function<void(const Parameter&)> units = [&](const Parameter& p) {
    if (p.unit != "any") parse_unit(p.unit);
    if (!p.second_unit.empty() && p.second_unit != "any") parse_unit(p.second_unit);
    for (const auto& v : p.variables) parse_unit(v.second);
    for (const Parameter& inner : p.group) units(inner);
  };
  for (const Parameter& p : type.parameters) unique(p.key), units(p);
  for (const Port& p : type.ports) unique(p.key);
  for (const OutputType& o : type.outputs)
    if (!o.unit.empty()) parse_unit(o.unit);
}

}  // namespace

Registry::Registry(std::vector<ComponentType> types, std::vector<SubsystemFormat> formats)
    : types_(std::move(types)), formats_(std::move(formats)) {
  std::sort(types_.begin(), types_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (std::size_t i = 0; i < types_.size(); ++i) {
    check(types_[i]);
    if (!index_.emplace(types_[i].name, static_cast<int>(i)).second)
      throw std::logic_error(types_[i].name + ": registered twice");
  }
}

const ComponentType* Registry::find(std::string_view name) const {
  const auto at = index_.find(name);
  return at == index_.end() ? nullptr : &types_[at->second];
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names;
  for (const ComponentType& t : types_) names.push_back(t.name);
  return names;
}

const SubsystemFormat* Registry::format_of(const std::filesystem::path& file) const {
  std::string extension = file.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  for (const SubsystemFormat& f : formats_)
    if (std::find(f.extensions.begin(), f.extensions.end(), extension) != f.extensions.end()) return &f;
  return nullptr;
}

}  // namespace escapement
