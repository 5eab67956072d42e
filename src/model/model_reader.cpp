#include "model/model_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/nearest_name.hpp"
#include "model/run_settings.hpp"

namespace escapement {
namespace {

constexpr std::size_t most_components = 1'000'000;

bool is_identifier(std::string_view name, bool dotted) {
  if (name.empty()) return false;
  bool first = true;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (dotted && c == '.' && !first) {
      first = false;
      continue;
    }
    if (!letter && !(digit && (!first || dotted))) return false;
    first = false;
  }
  return name.back() != '.';
}

}  // namespace

void ModelReader::run(const Node& root, const std::filesystem::path& folder) {
  Namespace& space = model_.texts_->spaces.emplace_back();
  space.folder = space.root = folder;
  check_keys(root, {"escapement", "title", "description", "units", "parameters", "nodes", "components",
                    "simulate", "start", "gravity", "nominal", "record", "plots", "flattened"});
  const Node* flat = root.find("flattened");
  if (flat && !(flat->is_scalar() && (flat->text == "true" || flat->text == "false")))
    throw fault("E-TYPE", flat->mark, "flattened", "expected true or false, found " + flat->described());
  dotted_names_ = flat && flat->text == "true";
  read_units(root, space);
  diagnostics_.collect([&] {
    read_parameters(root, space, {.setting = [&](const std::string& name) { return command_.find(name); }});
  });
  read_parts(root, space);
  diagnostics_.collect([&] { RunSettings(model_, space, command_, diagnostics_).read(root); });
  command_.apply_to_components(model_, diagnostics_);
  diagnostics_.stop();
  if (model_.components.empty())
    throw fault("E-MISSING", root.mark, "components", "the model has no components",
                "start from a commented example: escapement new DIR");
}

// ------------------------------------------------------------------ the head of a file

void ModelReader::check_version(const Node& root) {
  if (!root.is_mapping())
    throw fault("E-TYPE", root.mark, "", "a model is a mapping `key: value`, found " + root.described(),
                "start from a commented example: escapement new DIR");
  const Node* version = root.find("escapement");
  if (!version)
    throw fault("E-VERSION", root.mark, "", "the file does not begin with `escapement: 1`",
                "add the line `escapement: 1`: the version of the model language");
  int number = 0;
  const std::string text = version->is_scalar() ? version->text : "";
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size() || number < 1)
    throw fault("E-VERSION", version->mark, "escapement",
                "expected the number 1, found " + version->described());
  if (number > language_version)
    throw fault(
        "E-VERSION", version->mark, "escapement",
        fmt::format("the file is written in version {} of the language; this program reads up to version {}",
                    number, language_version),
        "get a newer Escapement");
}

void ModelReader::check_keys(const Node& root, const std::vector<std::string>& keys) {
  check_version(root);
  for (const Node::Entry& e : root.entries)
    if (std::find(keys.begin(), keys.end(), e.key) == keys.end())
      diagnostics_.collect([&] {
        std::string hint = did_you_mean(e.key, keys);
        if (hint.empty() && e.value.is_mapping() && e.value.find("type"))
          hint = "components stand under `components:`";
        if (e.key == "ports")
          hint = "with ports it is a subsystem: a model uses it with use: FILE, connect: {port: name}";
        throw fault("E-KEY", e.mark, e.key, "there is no such key at the top level of a model",
                    hint.empty() ? fmt::format("one of {}", fmt::join(keys, ", ")) : hint);
      });
}

void ModelReader::read_units(const Node& root, Namespace& space) {
  const Node* units = root.find("units");
  if (!units) return;
  if (!units->is_scalar() || units->text != "SI")
    diagnostics_.collect([&] {
      throw fault("E-VALUE", units->mark, "units", "expected SI, found " + units->described(),
                  "`units: SI` lets bare numbers stand for SI; without it every quantity has its unit");
    });
  space.bare_numbers_are_si = true;
}

void ModelReader::check_name(const std::string& name, const Mark& mark, const Namespace& space) {
  if (!is_identifier(name, dotted_spaces_.contains(&space) || (dotted_names_ && space.prefix.empty())))
    throw fault("E-NAME", mark, name,
                "a name is made of the letters a–z and A–Z, digits and _, and begins with a letter",
                name.find('-') != std::string::npos ? "use _ instead of -" : "");
  if (name == "ground" || name == "t" || name == "pi")
    throw fault("E-NAME", mark, name, fmt::format("`{}` is reserved", name));
}

void ModelReader::read_parameters(const Node& root, Namespace& space, ParameterReader::Given given) {
  const Node* section = find_section(root, "parameters", Node::Kind::mapping, "a mapping name: value");
  space.index();
  if (!section) return;
  ParameterReader(space, *section, std::move(given), options_.allow_outside, [&](const Node::Entry& e) {
    check_name(e.key, e.mark, space);
  }).read(diagnostics_);
}

// ------------------------------------------------------------------ nodes and components

void ModelReader::read_parts(const Node& root, Namespace& space) {
  diagnostics_.collect([&] { read_nodes(root, space); });
  diagnostics_.collect([&] {
    const Node* parts = find_section(root, "components", Node::Kind::mapping, "a mapping name: {type: …}");
    if (!parts) return;
    for (const Node::Entry& e : parts->entries) diagnostics_.collect([&] { read_entry(e, space); });
  });
}

void ModelReader::claim(const std::string& name, const Mark& mark, const Namespace& space, const char* what) {
  check_name(name, mark, space);
  if (space.parameters.contains(name))
    throw fault("E-NAME", mark, space.prefix + name,
                fmt::format("the name of this {} is a parameter already", what),
                "names live in one namespace per file");
  if (space.ports.contains(name))
    throw fault("E-NAME", mark, space.prefix + name,
                fmt::format("the name of this {} is a port already", what));
  if (model_.find_node(space.prefix + name) >= 0 || model_.find_component(space.prefix + name) >= 0)
    throw fault("E-NAME", mark, space.prefix + name,
                fmt::format("the name of this {} is used already", what));
}

void ModelReader::read_nodes(const Node& root, Namespace& space) {
  const Node* section = find_section(root, "nodes", Node::Kind::mapping, "a mapping domain: [names]");
  if (!section) return;
  for (const Node::Entry& e : section->entries) {
    const Domain domain = domain_named(e.key, e.mark, "nodes");
    if (!info(domain).declared)
      throw fault("E-VALUE", e.mark, "nodes." + e.key, "frames belong to bodies and are not declared here");
    if (!e.value.is_sequence())
      throw fault("E-TYPE", e.value.mark, "nodes." + e.key,
                  "expected a list of names, found " + e.value.described());
    for (const Node& item : e.value.items) {
      const std::string name = scalar(item, "nodes." + e.key);
      claim(name, item.mark, space, "node");
      model_.node_index_[space.prefix + name] = static_cast<int>(model_.nodes.size());
      model_.nodes.push_back({space.prefix + name, domain, item.mark});
    }
  }
}

Domain ModelReader::domain_named(const std::string& name, const Mark& mark, const std::string& where) {
  std::vector<std::string> names;
  for (const Domain domain : all_domains) {
    if (info(domain).name == name) return domain;
    names.push_back(info(domain).name);
  }
  throw fault("E-VALUE", mark, where, fmt::format("there is no domain `{}`", name),
              did_you_mean(name, names, fmt::format("one of {}", fmt::join(names, ", "))));
}

void ModelReader::read_entry(const Node::Entry& e, Namespace& space) {
  claim(e.key, e.mark, space, "component");
  if (!e.value.is_mapping())
    throw fault("E-TYPE", e.value.mark, space.prefix + e.key,
                "expected {type: …} or {use: …}, found " + e.value.described());
  const Node* repetition = e.value.find("for");
  if (!repetition) {
    read_one(e, e.key, space, {});
    return;
  }
  if (!repetition->is_mapping() || repetition->entries.empty())
    throw fault("E-TYPE", repetition->mark, space.prefix + e.key + ".for",
                "expected {i: 1..5}, found " + repetition->described());
  Loop loop;
  unfold(e, *repetition, 0, e.key, space, loop, 1.0);
}

void ModelReader::unfold(const Node::Entry& e, const Node& repetition, std::size_t level,
                         const std::string& name, Namespace& space, Loop& loop, double repetitions) {
  if (level == repetition.entries.size()) {
    read_one(e, name, space, loop);
    return;
  }
  const Node::Entry& variable = repetition.entries[level];
  const std::string where = space.prefix + e.key + ".for." + variable.key;
  check_name(variable.key, variable.mark, Namespace{});
  if (space.parameters.contains(variable.key))
    throw fault("E-NAME", variable.mark, where, fmt::format("`{}` is a parameter already", variable.key),
                "another letter for the loop");
  const std::string range = scalar(variable.value, where);
  const std::size_t dots = range.find("..");
  if (dots == std::string::npos)
    throw fault("E-TYPE", variable.value.mark, where, fmt::format("expected first..last, found `{}`", range),
                "1..5");
  const auto end = [&](const std::string& text) {
    Node n(text);
    n.mark = variable.value.mark;
    const Expression expression = FieldReader(space, loop).compile(n, where);
    const double v = expression.constant();
    if (v != std::floor(v) || std::abs(v) > 1e8 || !expression.dimension().dimensionless())
      throw fault("E-TYPE", n.mark, where, fmt::format("`{}` is not a whole number", text));
    return static_cast<int>(v);
  };
  const int first = end(range.substr(0, dots)), last = end(range.substr(dots + 2));
  const double count = static_cast<double>(last) - first + 1;
  if (count < 0)
    throw fault("E-RANGE", variable.value.mark, where,
                fmt::format("the range {}..{} runs backwards", first, last));
  if (repetitions * count > static_cast<double>(most_components))
    throw fault("E-LIMIT", variable.value.mark, where,
                fmt::format("{:g} repetitions; a model has at most {} components", repetitions * count,
                            most_components));
  for (int i = first; i <= last; ++i) {
    loop.emplace_back(variable.key, i);
    unfold(e, repetition, level + 1, fmt::format("{}.{}", name, i), space, loop, repetitions * count);
    loop.pop_back();
  }
}

/// What to try instead of a type that is not there: the nearest one, one that only lacks its domain, one whose summary has the word.
std::string ModelReader::type_meant(const std::string& type_name) const {
  const auto names = registry_.names();
  std::string near = did_you_mean(type_name, names);
  std::vector<std::string> ending;  // only the domain forgotten?
  for (const std::string& n : names)
    if (n.substr(n.find('.') + 1) == type_name) ending.push_back(n);
  if (ending.size() == 1) near = "did you mean " + ending[0] + "?";
  if (ending.size() > 1) near = fmt::format("one of {}", fmt::join(ending, ", "));
  if (near.empty()) {  // `joint.hinge`: a word of a summary
    const std::size_t dot = type_name.find('.');
    const std::string domain = dot == std::string::npos ? "" : type_name.substr(0, dot + 1);
    const std::string word = " " + type_name.substr(domain.size());
    for (const ComponentType& t : registry_.types())
      if (word.size() > 3 && t.name.starts_with(domain) && (" " + t.summary).find(word) != std::string::npos)
        ending.push_back(t.name);
    if (!ending.empty() && ending.size() < 6) near = fmt::format("one of {}", fmt::join(ending, ", "));
    if (ending.size() == 1) near = "did you mean " + ending[0] + "?";
  }
  return near.empty() ? "escapement components lists all types" : near;
}

void ModelReader::read_one(const Node::Entry& e, const std::string& name, Namespace& space,
                           const Loop& loop) {
  const std::string path = space.prefix + name;
  const Node* type = e.value.find("type");
  const Node* use = e.value.find("use");
  if (!type == !use)
    throw fault(
        "E-CHOICE", e.value.mark, path, type ? "both `type` and `use` are given" : "`type` is missing",
        type ? "a component has a type, a subsystem a file" : "escapement components lists all types");
  if (use) {
    read_subsystem(e, *use, path, space, loop);
    return;
  }
  const std::string type_name = scalar(*type, path + ".type");
  const ComponentType* found = registry_.find(type_name);
  if (!found)
    throw fault("E-COMPONENT", type->mark, path, fmt::format("there is no component type `{}`", type_name),
                type_meant(type_name));
  if (model_.components.size() >= most_components)
    throw fault("E-LIMIT", e.mark, path,
                fmt::format("the model has more than {} components", most_components));
  if (!model_.component_index_.emplace(path, static_cast<int>(model_.components.size())).second)
    throw fault("E-NAME", e.mark, path, "this name is used already");
  model_.components.push_back({path, found, &e.value, e.mark, &space, loop});
}

// ------------------------------------------------------------------ Model

Model Model::read_file(const std::filesystem::path& path, const Registry& registry,
                       const ReadOptions& options) {
  Model m;
  m.file = path.string();
  m.allow_outside = options.allow_outside;
  m.trust = options.trust;
  const Node& root =
      m.texts_->documents.emplace_back(read_yaml_file(path, m.file, m.texts_->sources, options.limits));
  ModelReader reader(m, registry, options);
  reader.begin_at(path);
  const auto folder = path.parent_path();
  reader.run(root, folder.empty() ? std::filesystem::path(".") : folder);
  return m;
}

Model Model::read_text(std::string_view text, const std::string& name, const Registry& registry,
                       const ReadOptions& options) {
  Model m;
  m.file = name;
  m.allow_outside = options.allow_outside;
  m.trust = options.trust;
  const Node& root =
      m.texts_->documents.emplace_back(read_yaml(text, m.texts_->sources.add(name), options.limits));
  ModelReader(m, registry, options).run(root, ".");
  return m;
}

Model Model::from_tree(Node tree, const Registry& registry, const ReadOptions& options) {
  Model m;
  m.allow_outside = options.allow_outside;
  m.trust = options.trust;
  const Node& root = m.texts_->documents.emplace_back(std::move(tree));
  ModelReader(m, registry, options).run(root, ".");
  return m;
}

}  // namespace escapement
