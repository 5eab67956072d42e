#include "report/reference.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "model/model.hpp"

namespace escapement {
namespace {

using Type = Parameter::Type;

std::string unit_text(const std::string& unit) {
  if (unit == "1") return "pure number";
  if (unit == "any") return "any unit";
  return unit;
}

std::string kind_of(const Parameter& p) {
  switch (p.type) {
    case Type::number:
      return unit_text(p.unit);
    case Type::integer:
      return "whole number";
    case Type::boolean:
      return "true or false";
    case Type::text:
      return "text";
    case Type::file:
      return "a file beside the model";
    case Type::choice:
      return fmt::format("one of {}", fmt::join(p.choices, ", "));
    case Type::choices:
      return fmt::format("a list of some of {}", fmt::join(p.choices, ", "));
    case Type::vector:
      return p.size > 0 ? fmt::format("{} numbers, {}", p.size, unit_text(p.unit))
             : p.named  ? fmt::format("a list, or a mapping of names, {}", unit_text(p.unit))
                        : fmt::format("a number or a list, {}", unit_text(p.unit));
    case Type::matrix:
      return fmt::format("matrix, {}", unit_text(p.unit));
    case Type::table:
      return fmt::format("points [{}, {}] or a CSV file", p.unit, p.second_unit);
    case Type::expression: {
      std::vector<std::string> of;
      for (const auto& [name, unit] : p.variables) of.push_back(fmt::format("{} ({})", name, unit));
      return fmt::format("{}, an expression of {}", p.unit, fmt::join(of, ", "));
    }
    case Type::equations:
      return p.by_name ? "equations by name" : "expression or list of them";
    default:
      return "mapping";
  }
}

std::string need_of(const Parameter& p) {
  if (p.fallback) return "default " + *p.fallback;
  if (!p.alternative_of.empty()) return "one of: " + p.alternative_of;
  return p.required ? "required" : "optional";
}

struct Line {
  std::string key, kind, need, range, summary;
};

void collect(const std::vector<Parameter>& parameters, const std::string& prefix, std::vector<Line>& lines) {
  for (const Parameter& p : parameters) {
    if (p.type == Type::group) {
      collect(p.group, prefix + p.key + ".", lines);
    } else if (p.type == Type::records) {
      lines.push_back({prefix + p.key, "mapping name: {…}", need_of(p), "", p.summary});
      collect(p.group, prefix + p.key + ".NAME.", lines);
    } else {
      lines.push_back({prefix + p.key, kind_of(p), need_of(p), p.range(), p.summary});
    }
  }
}

std::string port_kind(const Port& p) {
  if (p.by_name) return fmt::format("{{name: {}, …}}", p.domain ? info(*p.domain).node : "a signal");
  if (p.domain) return p.count == 2 ? fmt::format("[A, B], {}", info(*p.domain).name) : info(*p.domain).name;
  std::string kind = p.list ? "signals" : "signal";
  if (p.unit != "any") kind += fmt::format(" in {}", p.unit);
  if (p.width == 0 && !p.list) kind += ", any width";
  return kind;
}

std::string port_need(const Port& p) {
  return !p.alternative_of.empty() ? "one of: " + p.alternative_of : p.required ? "required" : "optional";
}

std::string output_name(const OutputType& o) {
  std::string name = o.name;
  if (!o.parts.empty()) {
    name += " (";
    for (const char c : o.parts) name += fmt::format(".{} ", c);
    name.back() = ')';
  } else if (o.wide) {
    name += " (.1 .2 …)";
  }
  return name;
}

std::string trimmed_example(const ComponentType& type) {
  std::string s = type.example;
  while (!s.empty() && s.front() == '\n') s.erase(0, 1);
  while (!s.empty() && s.back() == '\n') s.pop_back();
  return s;
}

/// With the nodes it needs, as a user would write it.
std::string shown_example(const ComponentType& type) {
  if (type.nodes.empty()) return trimmed_example(type);
  std::string out = fmt::format("nodes: {{{}}}\ncomponents:\n", type.nodes);
  std::istringstream lines(trimmed_example(type));
  for (std::string line; std::getline(lines, line);) out += "  " + line + "\n";
  out.pop_back();
  return out;
}

std::string cell(std::string s) {  // a bar would end a cell of a Markdown table
  for (std::size_t i = 0; (i = s.find('|', i)) != std::string::npos; i += 2) s.insert(i, "\\");
  return s;
}

}  // namespace

std::string component_list(const Registry& registry) {
  std::string out, folder;
  for (const ComponentType& t : registry.types()) {
    const std::string domain = t.name.substr(0, t.name.find('.'));
    if (domain != folder) out += (folder.empty() ? "" : "\n") + domain + "\n";
    folder = domain;
    out += fmt::format("  {:<28} {}\n", t.name, t.summary);
  }
  return out;
}

std::string component_page(const ComponentType& t) {
  std::string out = fmt::format("{}: {}\n", t.name, t.summary);
  if (!t.description.empty()) out += "\n" + t.description + "\n";
  std::vector<Line> lines;
  collect(t.parameters, "", lines);
  std::size_t width = 0;  // of the column of names
  for (const Port& p : t.ports) width = std::max(width, p.key.size());
  for (const Line& l : lines) width = std::max(width, l.key.size());
  for (const OutputType& o : t.outputs) width = std::max(width, output_name(o).size());
  if (!t.ports.empty()) {
    out += "\nConnections\n";
    for (const Port& p : t.ports)
      out += fmt::format("  {:<{}} {} ({}). {}\n", p.key, width, port_kind(p), port_need(p), p.summary);
  }
  if (!lines.empty()) {
    out += "\nValues\n";
    for (const Line& l : lines)
      out += fmt::format("  {:<{}} {} ({}){}. {}\n", l.key, width, l.kind, l.need,
                         l.range.empty() ? "" : ", " + l.range, l.summary);
  }
  if (!t.outputs.empty()) {
    out += "\nChannels\n";
    for (const OutputType& o : t.outputs)
      out += fmt::format("  {:<{}} {}. {}{}\n", output_name(o), width,
                         o.unit.empty() ? "unit as tagged" : o.unit, o.summary,
                         o.by_default ? "" : " (recorded on request)");
  }
  out += fmt::format("\nSigns\n  {}\n\nExample\n", t.signs);
  std::istringstream example(shown_example(t));
  for (std::string line; std::getline(example, line);) out += "  " + line + "\n";
  return out;
}

std::string simulate_page() {
  std::vector<Line> lines;
  collect(simulate_schema(), "", lines);
  std::string out = "simulate: how a model is simulated.\n\nValues\n";
  for (const Line& l : lines)
    out += fmt::format("  {:<18} {} ({}){}. {}\n", l.key, l.kind, l.need,
                       l.range.empty() ? "" : ", " + l.range, l.summary);
  return out;
}

std::string component_markdown(const ComponentType& t) {
  std::string out = fmt::format("## {}\n\n{}\n", t.name, t.summary);
  if (!t.description.empty()) out += "\n" + t.description + "\n";
  std::vector<Line> lines;
  collect(t.parameters, "", lines);
  if (!t.ports.empty()) {
    out += "\n| connection | to | | |\n|---|---|---|---|\n";
    for (const Port& p : t.ports)
      out += fmt::format("| `{}` | {} | {} | {} |\n", p.key, cell(port_kind(p)), cell(port_need(p)),
                         cell(p.summary));
  }
  if (!lines.empty()) {
    out += "\n| key | unit or type | | range | meaning |\n|---|---|---|---|---|\n";
    for (const Line& l : lines)
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", l.key, cell(l.kind), cell(l.need), cell(l.range),
                         cell(l.summary));
  }
  if (!t.outputs.empty()) {
    out += "\n| channel | unit | meaning |\n|---|---|---|\n";
    for (const OutputType& o : t.outputs)
      out += fmt::format("| `{}` | {} | {}{} |\n", output_name(o),
                         o.unit.empty() ? "as tagged by `unit`" : o.unit, cell(o.summary),
                         o.by_default ? "" : " (recorded on request)");
  }
  out += fmt::format("\n**Signs.** {}\n\n```yaml\n{}\n```\n", t.signs, shown_example(t));
  return out;
}

std::string reference_markdown(const Registry& registry) {
  std::string out =
      "# Component reference\n\nWritten by `escapement components --markdown` from the registry.\n\n";
  for (const ComponentType& t : registry.types()) {
    std::string anchor = t.name;
    std::erase(anchor, '.');
    out += fmt::format("- [{}](#{}): {}\n", t.name, anchor, t.summary);
  }
  for (const ComponentType& t : registry.types()) out += "\n" + component_markdown(t);
  std::vector<Line> lines;
  collect(simulate_schema(), "", lines);
  out +=
      "\n## simulate\n\nThe section `simulate:` of a model.\n\n| key | unit or type | | range | meaning |\n"
      "|---|---|---|---|---|\n";
  for (const Line& l : lines)
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", l.key, cell(l.kind), cell(l.need), cell(l.range),
                       cell(l.summary));
  return out;
}

std::string example_model(const ComponentType& type) {
  std::string out = fmt::format("escapement: 1\ntitle: {} example\n", type.name);
  for (const char* bodies : {"type: body.", "type: beam."})
    if (type.example.find(bodies) != std::string::npos) {
      out += "gravity: [0, 0, -9.81 m/s^2]\n";
      break;
    }
  if (!type.nodes.empty()) out += fmt::format("nodes: {{{}}}\n", type.nodes);
  out += "components:\n";
  std::istringstream example(trimmed_example(type));
  for (std::string line; std::getline(example, line);) out += "  " + line + "\n";
  return out + "simulate: {until: 1 s, step: 0.01 s}\n";
}

// ------------------------------------------------------------------ JSON

namespace {

Json type_of(const Parameter& p) {
  // Quantities are text with a unit or bare numbers; both are checked in full by the program.
  const auto scalar = [] {
    Json types = Json::array();
    types.add("number").add("string");
    return types;
  };
  Json s = Json::object();
  std::string what = p.summary;
  if (p.type != Type::group)
    what += fmt::format(" [{}; {}{}]", kind_of(p), need_of(p), p.range().empty() ? "" : "; " + p.range());
  s.set("description", what);
  switch (p.type) {
    case Type::boolean:
      s.set("type", "boolean");
      break;
    case Type::text:
    case Type::file:
      s.set("type", "string");
      break;
    case Type::choice: {
      Json list = Json::array();
      for (const auto& c : p.choices) list.add(c);
      s.set("enum", list);
      break;
    }
    case Type::choices: {
      Json list = Json::array();
      for (const auto& c : p.choices) list.add(c);
      s.set("type", "array").set("items", Json::object().set("enum", list));
      break;
    }
    case Type::vector:
    case Type::matrix:
    case Type::table: {
      Json types = scalar();
      types.add("array");
      if (p.named) types.add("object");
      s.set("type", types);
      break;
    }
    case Type::equations:
      s.set("type", p.by_name ? Json("object") : scalar().add("array"));
      break;
    case Type::records: {
      Json properties = Json::object(), record = Json::object();
      for (const Parameter& inner : p.group) properties.set(inner.key, type_of(inner));
      record.set("type", "object").set("properties", properties).set("additionalProperties", false);
      s.set("type", "object").set("additionalProperties", record);
      break;
    }
    case Type::group: {
      s.set("type", "object");
      Json properties = Json::object();
      for (const Parameter& inner : p.group) properties.set(inner.key, type_of(inner));
      s.set("properties", properties).set("additionalProperties", false);
      break;
    }
    default:
      s.set("type", scalar());
  }
  if (p.fallback && p.type == Type::choice) s.set("default", *p.fallback);
  return s;
}

Json port_schema(const Port& p) {
  Json s = Json::object();
  s.set("description", fmt::format("{} [{}; {}]", p.summary, port_kind(p), port_need(p)));
  if (p.by_name) {
    s.set("type", "object");
  } else if (p.count == 2) {
    Json item = Json::object();
    item.set("type", "string");
    s.set("type", "array").set("items", item).set("minItems", 2).set("maxItems", 2);
  } else if (p.domain) {
    s.set("type", "string");
  } else {
    Json types = Json::array();
    types.add("string").add("array");
    s.set("type", types);
  }
  return s;
}

void add_alternatives(Json& s, const std::map<std::string, std::vector<std::string>>& sets) {
  if (sets.empty()) return;
  Json all = Json::array();
  for (const auto& [set, keys] : sets) {
    Json one = Json::array();
    for (const std::string& key : keys) {
      Json required = Json::object();
      required.set("required", Json::array().add(key));
      one.add(required);
    }
    all.add(Json::object().set("oneOf", one));
  }
  s.set("allOf", all);
}

Json object_schema(const std::vector<Parameter>& parameters, const std::vector<Port>& ports) {
  Json s = Json::object(), properties = Json::object(), required = Json::array();
  std::map<std::string, std::vector<std::string>> sets;
  bool any = false;
  for (const Port& p : ports) {
    properties.set(p.key, port_schema(p));
    if (p.required) required.add(p.key), any = true;
    if (!p.alternative_of.empty()) sets[p.alternative_of].push_back(p.key);
  }
  for (const Parameter& p : parameters) {
    properties.set(p.key, type_of(p));
    if (p.required) required.add(p.key), any = true;
    if (!p.alternative_of.empty()) sets[p.alternative_of].push_back(p.key);
  }
  s.set("type", "object").set("properties", properties);
  if (any) s.set("required", required);
  add_alternatives(s, sets);
  return s;
}

}  // namespace

Json component_json(const ComponentType& t) {
  Json j = Json::object();
  j.set("name", t.name).set("summary", t.summary).set("description", t.description).set("signs", t.signs);
  j.set("shape", t.shape.primitive).set("example", trimmed_example(t)).set("nodes", t.nodes);
  Json ports = Json::array(), values = Json::array(), outputs = Json::array();
  for (const Port& p : t.ports)
    ports.add(Json::object()
                  .set("key", p.key)
                  .set("kind", p.domain ? info(*p.domain).name : "signal")
                  .set("count", p.count)
                  .set("required", p.required)
                  .set("unit", p.unit)
                  .set("summary", p.summary));
  std::vector<Line> lines;
  collect(t.parameters, "", lines);
  for (const Line& l : lines)
    values.add(Json::object()
                   .set("key", l.key)
                   .set("kind", l.kind)
                   .set("need", l.need)
                   .set("range", l.range)
                   .set("summary", l.summary));
  for (const OutputType& o : t.outputs)
    outputs.add(Json::object()
                    .set("name", o.name)
                    .set("unit", o.unit)
                    .set("parts", o.parts)
                    .set("summary", o.summary));
  return j.set("connections", ports).set("values", values).set("channels", outputs);
}

Json model_schema(const Registry& registry) {
  Json s = Json::object();
  s.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  s.set("title", "Escapement model").set("type", "object");
  const auto described = [](const char* type, const char* text) {
    return Json::object().set("type", type).set("description", text);
  };
  Json one_type = Json::object();
  Json names = Json::array(), branches = Json::array();
  for (const ComponentType& t : registry.types()) {
    names.add(t.name);
    Json then = object_schema(t.parameters, t.ports);
    Json* properties = then.find("properties");
    properties->set("type", Json::object().set("const", t.name).set("description", t.summary));
    properties->set("for", described("object", "repetition: {i: 1..5}"));
    then.set("additionalProperties", false);
    const Json is = Json::object()
                        .set("properties", Json::object().set("type", Json::object().set("const", t.name)))
                        .set("required", Json::array().add("type"));
    branches.add(Json::object().set("if", is).set("then", then));
  }
  Json sub = Json::object();
  sub.set("use", described("string", "file of a subsystem"))
      .set("with", described("object", "its parameters"));
  sub.set("connect", described("object", "its ports"))
      .set("for", described("object", "repetition: {i: 1..5}"));
  Json part = Json::object();
  part.set("type", "object");
  part.set("properties", Json::object().set("type", Json::object().set("enum", names)));
  Json either = Json::array();
  either.add(Json::object().set("required", Json::array().add("type")));
  either.add(Json::object()
                 .set("required", Json::array().add("use"))
                 .set("properties", sub)
                 .set("additionalProperties", false));
  part.set("oneOf", either).set("allOf", branches);

  Json top = Json::object();
  top.set("escapement", Json::object().set("const", 1).set("description", "version of the language"));
  top.set("title", described("string", "title of the model"));
  top.set("description", described("string", "what it is about"));
  top.set("units", Json::object().set("const", "SI").set("description", "bare numbers are SI"));
  top.set("parameters", described("object", "name: value with its unit"));
  top.set("ports", described("object", "of a subsystem: name: domain"));
  Json domains = Json::object();
  for (const Domain domain : all_domains)
    if (info(domain).declared)
      domains.set(info(domain).name,
                  Json::object().set("type", "array").set("items", Json::object().set("type", "string")));
  top.set("nodes",
          Json::object().set("type", "object").set("properties", domains).set("additionalProperties", false));
  top.set("components", Json::object().set("type", "object").set("additionalProperties", part));
  Json simulate = object_schema(simulate_schema(), {});
  simulate.set("additionalProperties", false);
  top.set("simulate", simulate);
  const Json modes =
      Json::object().set("enum", Json::array().add("given").add("assembled").add("equilibrium"));
  const Json stepped =
      Json::object()
          .set("type", "object")
          .set("properties", Json::object()
                                 .set("mode", modes)
                                 .set("load_steps", described("integer", "loads grow in so many steps")))
          .set("required", Json::array().add("mode"))
          .set("additionalProperties", false);
  top.set("start", Json::object().set("anyOf", Json::array().add(modes).add(stepped)));
  top.set("gravity", Json::object().set("description", "[0, 0, -9.81 m/s^2] or none"));
  top.set("nominal", described("object", "usual magnitudes of unknowns, by name: {mass.position: 1 um}"));
  top.set("record", Json::object().set("description", "channels to record, with * and ?; or all"));
  top.set("plots", described("array", "list of {title, y, x}"));
  top.set("flattened", described("boolean", "names are paths (written by escapement show)"));
  return s.set("properties", top)
      .set("required", Json::array().add("escapement"))
      .set("additionalProperties", false);
}

}  // namespace escapement
