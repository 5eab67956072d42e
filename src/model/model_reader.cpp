// From the tree of a model file to a flat model: parameters, subsystems, repetition, settings of the command line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/nearest_name.hpp"
#include "model/model.hpp"
#include "model/simulate_keys.hpp"
#include "model/text_file.hpp"

namespace escapement {
namespace {

constexpr int deepest_use = 20;
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

const Node* section(const Node& root, std::string_view key, Node::Kind kind, const char* wanted) {
  const Node* n = root.find(key);
  if (!n || n->kind == Node::Kind::null) return nullptr;
  if (n->kind != kind)
    throw fault("E-TYPE", n->mark, std::string(key),
                fmt::format("expected {}, found {}", wanted, n->described()));
  return n;
}

std::string scalar(const Node& n, const std::string& where) {
  if (!n.is_scalar()) throw fault("E-TYPE", n.mark, where, "expected text, found " + n.described());
  return n.text;
}

}  // namespace

class ModelReader {
 public:
  ModelReader(Model& model, const Registry& registry, const ReadOptions& options)
      : model_(model), registry_(registry), options_(options), unused_(options.set) {}

  /// The file that is being read, for cycles of files.
  void begin_at(const std::filesystem::path& file) {
    std::error_code ignored;
    chain_.push_back(std::filesystem::weakly_canonical(file, ignored));
  }

  void run(const Node& root, const std::filesystem::path& folder) {
    Namespace& space = model_.spaces_->emplace_back();
    space.folder = space.root = folder;
    root_ = &root;
    check_keys(root, {"escapement", "title", "description", "units", "parameters", "nodes", "components",
                      "simulate", "start", "gravity", "nominal", "record", "plots", "flattened"});
    const Node* flat = root.find("flattened");
    if (flat && !(flat->is_scalar() && (flat->text == "true" || flat->text == "false")))
      throw fault("E-TYPE", flat->mark, "flattened", "expected true or false, found " + flat->described());
    dotted_names_ = flat && flat->text == "true";
    read_units(root, space);
    diagnostics_.collect([&] { read_parameters(root, space, {}); });
    read_parts(root, space);
    diagnostics_.collect([&] { read_run_settings(root, space); });
    apply_settings();
    diagnostics_.stop();
    if (model_.components.empty())
      throw fault("E-MISSING", root.mark, "components", "the model has no components",
                  "start from a commented example: escapement new DIR");
  }

 private:
  // ---- the head of a file

  void check_version(const Node& root) {
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
          fmt::format(
              "the file is written in version {} of the language; this program reads up to version {}",
              number, language_version),
          "get a newer Escapement");
  }

  void check_keys(const Node& root, const std::vector<std::string>& keys) {
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

  void read_units(const Node& root, Namespace& space) {
    const Node* units = root.find("units");
    if (!units) return;
    if (!units->is_scalar() || units->text != "SI")
      diagnostics_.collect([&] {
        throw fault("E-VALUE", units->mark, "units", "expected SI, found " + units->described(),
                    "`units: SI` lets bare numbers stand for SI; without it every quantity has its unit");
      });
    space.bare_numbers_are_si = true;
  }

  void check_name(const std::string& name, const Mark& mark, const Namespace& space) {
    if (!is_identifier(name, dotted_spaces_.contains(&space) || (dotted_names_ && space.prefix.empty())))
      throw fault("E-NAME", mark, name,
                  "a name is made of the letters a–z and A–Z, digits and _, and begins with a letter",
                  name.find('-') != std::string::npos ? "use _ instead of -" : "");
    if (name == "ground" || name == "t" || name == "pi")
      throw fault("E-NAME", mark, name, fmt::format("`{}` is reserved", name));
  }

  // ---- parameters

  /// Evaluates `parameters:`; `given` replace the defaults of a subsystem.
  void read_parameters(const Node& root, Namespace& space, const std::map<std::string, ParameterValue>& given,
                       const Node::Entry* user = nullptr) {
    const Node* section =
        escapement::section(root, "parameters", Node::Kind::mapping, "a mapping name: value");
    space.index();
    if (!section) return;
    std::set<std::string> done, in_progress;
    std::vector<std::string> chain;
    std::function<void(const std::string&)> evaluate;
    const auto find_entry = [&](std::string_view name) {
      return std::find_if(section->entries.begin(), section->entries.end(),
                          [&](const Node::Entry& e) { return e.key == name; });
    };
    space.index();
    const auto lookup = space.scope.find;
    space.scope.find = [&](std::string_view name) {  // parameters may be used before the line they stand on
      const std::string first(name.substr(0, name.find('.')));
      if (find_entry(first) != section->entries.end()) evaluate(first);
      return lookup(name);
    };
    evaluate = [&](const std::string& name) {
      if (done.contains(name) && !in_progress.contains(name)) return;
      const auto entry = find_entry(name);
      if (std::find(chain.begin(), chain.end(), name) != chain.end()) {
        chain.push_back(name);
        throw fault("E-CYCLE", entry->mark, "parameters." + name,
                    fmt::format("parameters refer to each other in a circle: {}", fmt::join(chain, " → ")));
      }
      chain.push_back(name);
      done.insert(name);  // whatever comes of it, it is not tried twice
      in_progress.insert(name);
      check_name(name, entry->mark, space);
      if (const auto value = given.find(name); value != given.end()) {
        if (entry->value.kind != Node::Kind::null) {  // of the same kind as the default
          const ParameterValue usual =
              FieldReader(space, {}, options_.allow_outside).parameter(entry->value, "parameters." + name);
          const ParameterValue& now = value->second;
          const Node* with = user ? user->value.find("with") : nullptr;
          const Node* text = with ? with->find(name) : nullptr;
          const Mark mark = text ? text->mark : entry->mark;
          if (usual.values.empty() != now.values.empty() || usual.vector != now.vector)
            throw fault("E-TYPE", mark, space.prefix + "with." + name,
                        "the default is of another type than this value");
          if (!usual.bare && !now.bare && !compatible(now.dimension, usual.dimension))
            throw fault("E-UNITS", mark, space.prefix + "with." + name,
                        fmt::format("got {}, needs {}", now.dimension.text(), usual.dimension.text()));
        }
        space.parameters[name] = value->second;
      } else {
        const Node& text = setting(space, name) ? *setting(space, name) : entry->value;
        if (text.is_scalar() && !text.quoted && find_entry(text.text) != section->entries.end())
          evaluate(text.text);
        if (text.kind == Node::Kind::null) {
          if (user)  // of a subsystem
            throw fault("E-MISSING", user->value.mark, space.prefix + "with",
                        fmt::format("the parameter `{}` is not given and has no default", name),
                        fmt::format("with: {{{}: …}}", name));
          throw fault("E-MISSING", entry->mark, "parameters." + name, "this parameter has no value");
        }
        space.parameters[name] =
            FieldReader(space, {}, options_.allow_outside).parameter(text, "parameters." + name);
      }
      in_progress.erase(name);
      chain.pop_back();
    };
    for (const Node::Entry& e : section->entries) {
      chain.clear();
      in_progress.clear();
      diagnostics_.collect([&] { evaluate(e.key); });
    }
    space.index();
  }

  /// The value of --set for a parameter of the model itself.
  const Node* setting(const Namespace& space, const std::string& key) {
    if (!space.prefix.empty()) return nullptr;
    const Node* found = nullptr;
    for (const auto& [name, value] : options_.set)
      if (name == key) {
        std::erase_if(unused_, [&, &name = name](const auto& s) { return s.first == name; });
        found = &parsed_setting(name, value);  // the last one counts
      }
    return found;
  }
  const Node& parsed_setting(const std::string& key, const std::string& value) {
    if (value.find_first_not_of(" \t") == std::string::npos)
      throw ModelError("E-USAGE", "--set " + key, "the value is empty", "--set KEY=VALUE");
    return model_.documents_->emplace_back(
        read_yaml(value, model_.sources_->add("--set " + key), options_.limits));
  }

  // ---- nodes, components, subsystems

  void read_parts(const Node& root, Namespace& space) {
    diagnostics_.collect([&] { read_nodes(root, space); });
    diagnostics_.collect([&] {
      const Node* parts = section(root, "components", Node::Kind::mapping, "a mapping name: {type: …}");
      if (!parts) return;
      for (const Node::Entry& e : parts->entries) diagnostics_.collect([&] { read_entry(e, space); });
    });
  }

  void claim(const std::string& name, const Mark& mark, const Namespace& space, const char* what) {
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

  void read_nodes(const Node& root, Namespace& space) {
    const Node* section =
        escapement::section(root, "nodes", Node::Kind::mapping, "a mapping domain: [names]");
    if (!section) return;
    for (const Node::Entry& e : section->entries) {
      const Domain domain = domain_named(e.key, e.mark, "nodes");
      if (domain == Domain::frame)
        throw fault("E-VALUE", e.mark, "nodes.frame", "frames belong to bodies and are not declared here");
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

  static Domain domain_named(const std::string& name, const Mark& mark, const std::string& where) {
    std::vector<std::string> names;
    for (int i = 0; i < domain_count; ++i) {
      if (info(static_cast<Domain>(i)).name == name) return static_cast<Domain>(i);
      names.push_back(info(static_cast<Domain>(i)).name);
    }
    throw fault("E-VALUE", mark, where, fmt::format("there is no domain `{}`", name),
                did_you_mean(name, names, fmt::format("one of {}", fmt::join(names, ", "))));
  }

  void read_entry(const Node::Entry& e, Namespace& space) {
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

  void unfold(const Node::Entry& e, const Node& repetition, std::size_t level, const std::string& name,
              Namespace& space, Loop& loop, double repetitions) {
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
      throw fault("E-TYPE", variable.value.mark, where,
                  fmt::format("expected first..last, found `{}`", range), "1..5");
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

  void read_one(const Node::Entry& e, const std::string& name, Namespace& space, const Loop& loop) {
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
    if (!found) {
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
          if (word.size() > 3 && t.name.starts_with(domain) &&
              (" " + t.summary).find(word) != std::string::npos)
            ending.push_back(t.name);
        if (!ending.empty() && ending.size() < 6) near = fmt::format("one of {}", fmt::join(ending, ", "));
        if (ending.size() == 1) near = "did you mean " + ending[0] + "?";
      }
      throw fault("E-COMPONENT", type->mark, path, fmt::format("there is no component type `{}`", type_name),
                  near.empty() ? "escapement components lists all types" : near);
    }
    if (model_.components.size() >= most_components)
      throw fault("E-LIMIT", e.mark, path,
                  fmt::format("the model has more than {} components", most_components));
    if (!model_.component_index_.emplace(path, static_cast<int>(model_.components.size())).second)
      throw fault("E-NAME", e.mark, path, "this name is used already");
    model_.components.push_back({path, found, &e.value, e.mark, &space, loop});
  }

  void read_subsystem(const Node::Entry& e, const Node& use, const std::string& path, Namespace& outer,
                      const Loop& loop) {
    for (const Node::Entry& key : e.value.entries)
      if (key.key != "use" && key.key != "with" && key.key != "connect" && key.key != "for")
        throw fault("E-KEY", key.mark, path + "." + key.key, "a subsystem has no such key",
                    "use, with, connect, for");
    if (!use.is_scalar())
      throw fault("E-TYPE", use.mark, path + ".use", "expected the name of a file, found " + use.described());
    const FieldReader reader(outer, loop, options_.allow_outside);
    Node name = use;
    name.text = reader.substituted(use, path + ".use");
    const auto file = contained_path(outer, name, options_.allow_outside, path + ".use");
    if (const SubsystemFormat* format = registry_.format_of(file)) {
      read_formatted(*format, e, use, file, path, outer, reader);
      return;
    }
    if (file.extension() != ".yaml" && file.extension() != ".yml") refuse_format(use, name.text, path);
    const auto circle = std::find(chain_.begin(), chain_.end(), file);
    if (circle != chain_.end()) {
      std::vector<std::string> names;
      for (auto at = circle; at != chain_.end(); ++at) names.push_back(at->filename().string());
      names.push_back(file.filename().string());
      throw fault("E-CYCLE", use.mark, path + ".use",
                  fmt::format("files use each other in a circle: {}", fmt::join(names, " → ")));
    }
    if (static_cast<int>(chain_.size()) >= deepest_use)
      throw fault("E-LIMIT", use.mark, path + ".use", "subsystems are nested too deeply");

    const Node* root = nullptr;
    if (const auto cached = files_.find(file.string()); cached != files_.end()) {
      root = cached->second;
    } else {
      try {
        root = &model_.documents_->emplace_back(
            read_yaml_file(file, shown(file, outer), *model_.sources_, options_.limits));
      } catch (const ModelError& unread) {
        if (unread.code != "E-FILE") throw;
        throw fault("E-FILE", use.mark, path + ".use", unread.cause, unread.hint);
      }
      files_[file.string()] = root;
      check_keys(*root, {"escapement", "title", "description", "units", "parameters", "ports", "nodes",
                         "components"});
    }

    Namespace& inner = model_.spaces_->emplace_back();
    inner.prefix = path + ".";
    inner.folder = file.parent_path();
    inner.root = outer.root;
    read_units(*root, inner);
    read_parameters(*root, inner, given_parameters(e, *root, path, reader), &e);
    connect_ports(e, *root, path, outer, inner, reader);
    chain_.push_back(file);
    read_parts(*root, inner);
    chain_.pop_back();
  }

  [[noreturn]] void refuse_format(const Node& use, const std::string& file, const std::string& path) const {
    std::string all, endings;
    for (const SubsystemFormat& f : registry_.formats()) {
      all += " or a " + f.name;
      const auto& e = f.extensions;
      endings += fmt::format("{}{}s end in {} or {}", endings.empty() ? "" : "; ", f.name,
                             fmt::join(e.begin(), e.end() - 1, ", "), e.back());
    }
    throw fault("E-UNSUPPORTED", use.mark, path + ".use",
                fmt::format("a subsystem is a .yaml file{}; `{}` is neither", all, file), endings);
  }

  /// A file of another format as a subsystem: what it connects and which numbers it is given decide its tree.
  void read_formatted(const SubsystemFormat& format, const Node::Entry& e, const Node& use,
                      const std::filesystem::path& file, const std::string& path, Namespace& outer,
                      const FieldReader& reader) {
    const SubsystemFile& subsystem = formatted_file(format, use, file, path, outer);
    const Node* connect = section(e.value, "connect", Node::Kind::mapping, "a mapping node: name");
    SubsystemTree tree = subsystem.tree(use_of(format, subsystem, e, connect, path, reader));
    if (connect) check_connectable(format, tree.connectable, *connect, path);
    const Node& root = model_.documents_->emplace_back(std::move(tree.root));
    Namespace& inner = model_.spaces_->emplace_back();
    inner.prefix = path + ".";
    inner.folder = file.parent_path();
    inner.root = outer.root;
    dotted_spaces_.insert(&inner);
    inner.of_other_format = true;
    connect_ports(e, root, path, outer, inner, reader, &tree.connections);
    read_parts(root, inner);
  }

  /// Each file is read once.
  const SubsystemFile& formatted_file(const SubsystemFormat& format, const Node& use,
                                      const std::filesystem::path& file, const std::string& path,
                                      const Namespace& outer) {
    if (const auto cached = formatted_.find(file.string()); cached != formatted_.end())
      return *cached->second;
    const auto read = [&](const std::filesystem::path& from, const Mark& mark, const std::string& where) {
      const std::string name = shown(from, outer);
      try {
        return SubsystemText{read_regular_file(from, name, options_.limits.bytes), model_.sources_->add(name),
                             from.string()};
      } catch (const ModelError& unread) {  // a file missing: who asked for it
        if (unread.code != "E-FILE") throw;
        throw fault("E-FILE", mark, where, unread.cause, unread.hint);
      }
    };
    SubsystemOptions options{{}, options_.limits, path};
    options.include = [&](const Node& name, const std::string& from) {
      Namespace beside;
      beside.folder = std::filesystem::path(from).parent_path();
      beside.root = outer.root;
      return read(contained_path(beside, name, options_.allow_outside, path), name.mark, path);
    };
    return *formatted_.emplace(file.string(), format.read(read(file, use.mark, path + ".use"), options))
                .first->second;
  }

  SubsystemUse use_of(const SubsystemFormat& format, const SubsystemFile& subsystem, const Node::Entry& e,
                      const Node* connect, const std::string& path, const FieldReader& reader) {
    SubsystemUse used{path, {}, {}};
    const Node declared = Node::mapping({{"parameters", {}, subsystem.parameters()}});
    for (const auto& [name, value] : given_parameters(e, declared, path, reader)) {
      if (value.vector || value.values.size() != 1) {
        const Node* with = e.value.find("with");
        const Node* text = with ? with->find(name) : nullptr;
        throw fault("E-TYPE", text ? text->mark : e.mark, path + ".with." + name,
                    fmt::format("a parameter of a {} is a number", format.name));
      }
      used.parameters[name] = value.values[0];  // numbers of such files have no units
    }
    if (connect)
      for (const Node::Entry& c : connect->entries)
        used.connect[c.key] =
            c.value.is_scalar() ? reader.substituted(c.value, path + ".connect." + c.key) : "";
    return used;
  }

  static void check_connectable(const SubsystemFormat& format, const std::vector<std::string>& connectable,
                                const Node& connect, const std::string& path) {
    const auto few = connectable.begin() + std::min<std::ptrdiff_t>(20, std::ssize(connectable));
    for (const Node::Entry& c : connect.entries)
      if (std::find(connectable.begin(), connectable.end(), c.key) == connectable.end())
        throw fault("E-KEY", c.mark, path + ".connect." + c.key,
                    fmt::format("the {} has no such {}", format.name, format.connectable),
                    did_you_mean(c.key, connectable,
                                 fmt::format("one of {}{}", fmt::join(connectable.begin(), few, ", "),
                                             few != connectable.end() ? " …" : "")));
  }

  /// The file as messages call it: beside the model, as the model was named.
  std::string shown(const std::filesystem::path& file, const Namespace& space) const {
    std::error_code ignored;
    const auto relative = file.lexically_relative(std::filesystem::weakly_canonical(space.root, ignored));
    if (relative.empty() || *relative.begin() == "..") return file.string();
    return (std::filesystem::path(model_.file).parent_path() / relative).lexically_normal().string();
  }

  std::map<std::string, ParameterValue> given_parameters(const Node::Entry& e, const Node& root,
                                                         const std::string& path, const FieldReader& reader) {
    std::map<std::string, ParameterValue> given;
    const Node* with = section(e.value, "with", Node::Kind::mapping, "a mapping parameter: value");
    const Node* declared = root.find("parameters");
    std::vector<std::string> names;
    if (declared)
      for (const auto& p : declared->entries) names.push_back(p.key);
    const std::string prefix = path + ".";
    for (const auto& [key, text] : options_.set)  // --set front.damping=… : a parameter of this subsystem
      if (key.starts_with(prefix) &&
          std::find(names.begin(), names.end(), key.substr(prefix.size())) != names.end()) {
        const std::string name = key.substr(prefix.size());
        given[name] = FieldReader((*model_.spaces_)[0], {}).parameter(parsed_setting(key, text), key);
        unused_.erase(std::remove_if(unused_.begin(), unused_.end(),
                                     [&name = key](const auto& s) { return s.first == name; }),
                      unused_.end());
      }
    if (!with) return given;
    for (const Node::Entry& p : with->entries) {
      if (std::find(names.begin(), names.end(), p.key) == names.end())
        throw fault("E-KEY", p.mark, path + ".with." + p.key, "the subsystem has no such parameter",
                    did_you_mean(p.key, names));
      if (!given.contains(p.key)) given[p.key] = reader.parameter(p.value, path + ".with." + p.key);
    }
    return given;
  }

  /// `called`: what `connect:` calls the ports, if not by their names; it may then leave some out.
  void connect_ports(const Node::Entry& e, const Node& root, const std::string& path, const Namespace& outer,
                     Namespace& inner, const FieldReader& reader,
                     const std::map<std::string, std::string>* called = nullptr) {
    const Node* ports = section(root, "ports", Node::Kind::mapping, "a mapping port: domain");
    const Node* connect = section(e.value, "connect", Node::Kind::mapping, "a mapping port: name");
    std::vector<std::string> names;
    if (ports)
      for (const Node::Entry& p : ports->entries) names.push_back(p.key);
    if (connect && !called)
      for (const Node::Entry& c : connect->entries)
        if (std::find(names.begin(), names.end(), c.key) == names.end())
          throw fault("E-KEY", c.mark, path + ".connect." + c.key, "the subsystem has no such port",
                      did_you_mean(c.key, names, fmt::format("its ports are {}", fmt::join(names, ", "))));
    if (ports)
      for (const Node::Entry& p : ports->entries) {
        check_name(p.key, p.mark, inner);
        if (inner.parameters.contains(p.key))
          throw fault("E-NAME", p.mark, "ports." + p.key, "the name of this port is a parameter already");
        const std::string domain = scalar(p.value, "ports." + p.key);
        const std::string& key = called ? called->at(p.key) : p.key;
        const Node* to = connect ? connect->find(key) : nullptr;
        if (!to)
          throw fault("E-MISSING", connect ? connect->mark : e.value.mark, path + ".connect",
                      fmt::format("the port `{}` is not connected", p.key),
                      p.key + (domain == "signal" ? ": the name of a signal" : ": ground, or a name"));
        Node target = *to;
        if (!target.is_scalar())
          throw fault("E-TYPE", to->mark, path + ".connect." + key,
                      "expected a name, found " + to->described());
        const std::string absolute =
            Model::absolute(outer, reader.substituted(target, path + ".connect." + key));
        inner.ports[p.key] = absolute;
        model_.connected_ports.push_back(
            {absolute, path + ".connect." + key,
             domain == "signal" ? std::nullopt
                                : std::optional(domain_named(domain, p.value.mark, "ports." + p.key)),
             to->mark});
      }
  }

  // ---- what to do with the model

  void read_run_settings(const Node& root, const Namespace& space) {
    if (const Node* title = root.find("title")) model_.title = scalar(*title, "title");
    if (const Node* text = root.find("description")) scalar(*text, "description");

    const Node* simulate = section(root, "simulate", Node::Kind::mapping, "a mapping {until: …, step: …}");
    Node settings = simulate ? *simulate : Node::mapping({});
    model_.notes = give_way(settings, set_of_simulate());
    for (const auto& [key, value] : options_.set)
      if (key.starts_with("simulate.")) replace(settings, key.substr(9), key, value);
    if (!simulate) settings.mark = root.mark;
    model_.simulate_text_ = &model_.documents_->emplace_back(std::move(settings));
    if (!model_.simulate_text_->entries.empty()) {
      model_.simulate = FieldReader(space, {}).read(*model_.simulate_text_, simulate_schema(), {}, "simulate",
                                                    diagnostics_);
      check_alternatives(*model_.simulate_text_, simulate_schema(), {}, "simulate");
      if (const Node* every = model_.simulate_text_->find("output_every")) {
        const Dimension given = FieldReader(space, {}).compile(*every, "simulate.output_every").dimension();
        model_.output_every_is_time = given == parse_unit("s").dimension;
        if (!model_.output_every_is_time && !given.dimensionless())
          throw fault("E-UNITS", every->mark, "simulate.output_every",
                      fmt::format("got {}, needs a time or a whole number of steps", every->text));
      }
    }

    if (const Node* start = top(root, "start")) {
      model_.start = read_start(*start, space);
      const std::vector<std::string> choices = {"given", "assembled", "equilibrium"};
      if (model_.start == "steady")
        throw fault("E-UNSUPPORTED", start->mark, "start",
                    fmt::format("`start: {}` is not there yet", model_.start), "start: equilibrium");
      if (std::find(choices.begin(), choices.end(), model_.start) == choices.end())
        throw fault("E-VALUE", start->mark, "start",
                    fmt::format("`{}` is not one of {}", model_.start, fmt::join(choices, ", ")),
                    did_you_mean(model_.start, choices));
    }
    if (const Node* gravity = top(root, "gravity")) {
      if (gravity->is_scalar() && gravity->text == "none") {
        model_.gravity = {0, 0, 0};
      } else if (gravity->is_sequence() && gravity->items.size() == 2) {
        throw fault("E-TYPE", gravity->mark, "gravity", "expected 3 numbers, found 2",
                    "it serves bodies in space, z up; planar.mass has a `gravity` of its own");
      } else {
        model_.gravity = std::get<std::vector<double>>(
            FieldReader(space, {}).read(vector("gravity", "m/s^2", 3, ""), *gravity, "gravity"));
      }
    }
    if (const Node* nominal = section(root, "nominal", Node::Kind::mapping, "a mapping unknown: magnitude"))
      for (const Node::Entry& e : nominal->entries) model_.nominals.push_back({e.key, e.value, e.mark});
    if (const Node* record = top(root, "record")) {
      if (record->is_scalar() && record->text == "all") {
        model_.record_all = true;
      } else if (record->is_sequence()) {
        if (record->items.empty())
          throw fault("E-TYPE", record->mark, "record", "the list is empty",
                      "remove it to record the default channels");
        for (const Node& n : record->items) model_.record.push_back({scalar(n, "record"), n.mark, "record"});
      } else {
        model_.record.push_back({scalar(*record, "record"), record->mark, "record"});
      }
    }
    if (const Node* plots = section(root, "plots", Node::Kind::sequence, "a list of plots"))
      for (const Node& p : plots->items) read_plot(p);
  }

  /// What --set says of `simulate`, by its keys; the last one counts.
  std::map<std::string, std::string> set_of_simulate() const {
    std::map<std::string, std::string> set;
    for (const auto& [key, value] : options_.set)
      if (key.starts_with("simulate.")) set[key.substr(9, key.find('.', 9) - 9)] = value;
    return set;
  }

  /// `start: equilibrium`, or `start: {mode: equilibrium, load_steps: 10}`.
  std::string read_start(const Node& start, const Namespace& space) {
    if (!start.is_mapping()) return scalar(start, "start");
    const FieldValues given = FieldReader(space, {}).read(
        start,
        {text("mode", "given, assembled or equilibrium"),
         integer("load_steps", "loads grow in so many steps").at_least(1).at_most(100000).otherwise("1")},
        {}, "start", diagnostics_);
    diagnostics_.stop();
    const std::string mode = std::get<std::string>(*given.find("mode"));
    model_.load_steps = static_cast<int>(std::get<double>(*given.find("load_steps")));
    if (given.given("load_steps") && mode != "equilibrium")
      throw fault("E-KEY", start.find("load_steps")->mark, "start.load_steps",
                  fmt::format("`mode: {}` has no load steps", mode), "mode: equilibrium");
    return mode;
  }

  /// A key of the top level, or what --set says of it.
  const Node* top(const Node& root, const std::string& key) {
    const Node* value = setting((*model_.spaces_)[0], key);
    return value ? value : root.find(key);
  }

  void read_plot(const Node& p) {
    if (!p.is_mapping())
      throw fault("E-TYPE", p.mark, "plots", "expected {title: …, y: …}, found " + p.described());
    PlotRequestText plot;
    for (const Node::Entry& e : p.entries) {
      if (e.key == "title") {
        plot.title = scalar(e.value, "plots.title");
      } else if (e.key == "x") {
        plot.x = {scalar(e.value, "plots.x"), e.value.mark, "plots.x"};
      } else if (e.key == "y") {
        if (e.value.is_sequence())
          for (const Node& n : e.value.items) plot.y.push_back({scalar(n, "plots.y"), n.mark, "plots.y"});
        else plot.y.push_back({scalar(e.value, "plots.y"), e.value.mark, "plots.y"});
      } else {
        throw fault("E-KEY", e.mark, "plots." + e.key, "a plot has no such key",
                    did_you_mean(e.key, std::vector<std::string>{"title", "x", "y"}));
      }
    }
    if (plot.y.empty()) throw fault("E-MISSING", p.mark, "plots", "`y` is missing (the channels to plot)");
    model_.plots.push_back(std::move(plot));
  }

  // ---- --set

  /// `mass.initial.position` of a component: a changed copy of its fields.
  void apply_settings() {
    const auto pending = unused_;
    for (const auto& [key, value] : pending)
      if (!key.starts_with("simulate."))
        diagnostics_.collect([&, &key = key, &value = value] { apply(key, value); });
  }

  void apply(const std::string& key, const std::string& value) {
    for (std::size_t dot = key.rfind('.'); dot != std::string::npos && dot > 0;
         dot = key.rfind('.', dot - 1)) {
      const int i = model_.find_component(key.substr(0, dot));
      if (i < 0) continue;
      FlatComponent& c = model_.components[i];
      const std::string field = key.substr(dot + 1);
      if (field == "type" || field == "for" || field == "use")
        throw ModelError("E-USAGE", "--set " + key,
                         fmt::format("`{}` cannot be changed from the command line", field),
                         "change the model");
      Node& fields = model_.documents_->emplace_back(*c.fields);
      replace(fields, key.substr(dot + 1), key, value);
      c.fields = &fields;
      return;
    }
    std::vector<std::string> names;
    for (const Namespace& inner : *model_.spaces_)
      for (const auto& [name, parameter] : inner.parameters) names.push_back(inner.prefix + name);
    for (const Parameter& p : simulate_schema())
      if (p.key == key)
        throw ModelError("E-USAGE", "--set " + key, "there is no such parameter or component",
                         "did you mean simulate." + key + "?");
    for (const FlatComponent& c : model_.components) {
      if (names.size() > 2000) break;
      for (const Parameter& p : c.type->parameters) {
        if (p.type != Parameter::Type::group) names.push_back(c.path + "." + p.key);
        for (const Parameter& inner : p.group) names.push_back(c.path + "." + p.key + "." + inner.key);
      }
    }
    for (const Parameter& p : simulate_schema()) names.push_back("simulate." + p.key);
    throw ModelError("E-USAGE", "--set " + key, "there is no such parameter, component or setting",
                     did_you_mean(key, names));
  }

  /// Sets a dotted key inside a mapping.
  void replace(Node& fields, const std::string& key, const std::string& full_key, const std::string& value) {
    Node* at = &fields;
    std::size_t begin = 0;
    const Mark mark{model_.sources_->add("--set " + full_key), 1, 1};
    while (true) {
      const std::size_t dot = key.find('.', begin);
      const std::string part = key.substr(begin, dot == std::string::npos ? dot : dot - begin);
      if (part.empty() || (!at->is_mapping() && at->kind != Node::Kind::null))
        throw ModelError("E-USAGE", "--set " + full_key, "there is no such key", "");
      at->kind = Node::Kind::mapping;
      if (!at->find(part)) at->entries.push_back({part, mark, Node()});
      at = at->find(part);
      if (dot == std::string::npos) break;
      begin = dot + 1;
    }
    *at = parsed_setting(full_key, value);
  }

 private:
  Model& model_;
  const Registry& registry_;
  const ReadOptions& options_;
  const Node* root_ = nullptr;
  Diagnostics diagnostics_;
  std::vector<std::pair<std::string, std::string>> unused_;
  std::vector<std::filesystem::path> chain_;  // of files being read
  std::map<std::string, const Node*> files_;
  std::map<std::string, std::shared_ptr<const SubsystemFile>> formatted_;  // not YAML
  bool dotted_names_ = false;
  std::set<const Namespace*> dotted_spaces_;  // of files that are not YAML: `x1.r1`
};

Model Model::read_file(const std::filesystem::path& path, const Registry& registry,
                       const ReadOptions& options) {
  Model m;
  m.file = path.string();
  m.allow_outside = options.allow_outside;
  m.trust = options.trust;
  const Node& root = m.documents_->emplace_back(read_yaml_file(path, m.file, *m.sources_, options.limits));
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
  const Node& root = m.documents_->emplace_back(read_yaml(text, m.sources_->add(name), options.limits));
  ModelReader(m, registry, options).run(root, ".");
  return m;
}

Model Model::from_tree(Node tree, const Registry& registry, const ReadOptions& options) {
  Model m;
  m.allow_outside = options.allow_outside;
  m.trust = options.trust;
  const Node& root = m.documents_->emplace_back(std::move(tree));
  ModelReader(m, registry, options).run(root, ".");
  return m;
}

}  // namespace escapement
