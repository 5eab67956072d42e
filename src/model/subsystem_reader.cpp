// Subsystems: `name: {use: FILE, with: {…}, connect: {…}}`, in YAML or in a file of another format.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "model/model_reader.hpp"
#include "model/text_file.hpp"

namespace escapement {
namespace {

constexpr int deepest_use = 20;

}  // namespace

void ModelReader::read_subsystem(const Node::Entry& e, const Node& use, const std::string& path,
                                 Namespace& outer, const Loop& loop) {
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
      root = &model_.texts_->documents.emplace_back(
          read_yaml_file(file, shown(file, outer), model_.texts_->sources, options_.limits));
    } catch (const ModelError& unread) {
      if (unread.code != "E-FILE") throw;
      throw fault("E-FILE", use.mark, path + ".use", unread.cause, unread.hint);
    }
    files_[file.string()] = root;
    check_keys(*root,
               {"escapement", "title", "description", "units", "parameters", "ports", "nodes", "components"});
  }

  Namespace& inner = model_.texts_->spaces.emplace_back();
  inner.prefix = path + ".";
  inner.folder = file.parent_path();
  inner.root = outer.root;
  read_units(*root, inner);
  read_parameters(*root, inner, {given_parameters(e, *root, path, reader), &e});
  connect_ports(e, *root, path, outer, inner, reader);
  chain_.push_back(file);
  read_parts(*root, inner);
  chain_.pop_back();
}

void ModelReader::refuse_format(const Node& use, const std::string& file, const std::string& path) const {
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
void ModelReader::read_formatted(const SubsystemFormat& format, const Node::Entry& e, const Node& use,
                                 const std::filesystem::path& file, const std::string& path, Namespace& outer,
                                 const FieldReader& reader) {
  const SubsystemFile& subsystem = formatted_file(format, use, file, path, outer);
  const Node* connect = find_section(e.value, "connect", Node::Kind::mapping, "a mapping node: name");
  SubsystemTree tree = subsystem.tree(use_of(format, subsystem, e, connect, path, reader));
  if (connect) check_connectable(format, tree.connectable, *connect, path);
  const Node& root = model_.texts_->documents.emplace_back(std::move(tree.root));
  Namespace& inner = model_.texts_->spaces.emplace_back();
  inner.prefix = path + ".";
  inner.folder = file.parent_path();
  inner.root = outer.root;
  dotted_spaces_.insert(&inner);
  inner.of_other_format = true;
  connect_ports(e, root, path, outer, inner, reader, &tree.connections);
  read_parts(root, inner);
}

/// Each file is read once.
const SubsystemFile& ModelReader::formatted_file(const SubsystemFormat& format, const Node& use,
                                                 const std::filesystem::path& file, const std::string& path,
                                                 const Namespace& outer) {
  if (const auto cached = formatted_.find(file.string()); cached != formatted_.end()) return *cached->second;
  const auto read = [&](const std::filesystem::path& from, const Mark& mark, const std::string& where) {
    const std::string name = shown(from, outer);
    try {
      return SubsystemText{read_regular_file(from, name, options_.limits.bytes),
                           model_.texts_->sources.add(name), from.string()};
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

SubsystemUse ModelReader::use_of(const SubsystemFormat& format, const SubsystemFile& subsystem,
                                 const Node::Entry& e, const Node* connect, const std::string& path,
                                 const FieldReader& reader) {
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

void ModelReader::check_connectable(const SubsystemFormat& format,
                                    const std::vector<std::string>& connectable, const Node& connect,
                                    const std::string& path) {
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
std::string ModelReader::shown(const std::filesystem::path& file, const Namespace& space) const {
  std::error_code ignored;
  const auto relative = file.lexically_relative(std::filesystem::weakly_canonical(space.root, ignored));
  if (relative.empty() || *relative.begin() == "..") return file.string();
  return (std::filesystem::path(model_.file).parent_path() / relative).lexically_normal().string();
}

std::map<std::string, ParameterValue> ModelReader::given_parameters(const Node::Entry& e, const Node& root,
                                                                    const std::string& path,
                                                                    const FieldReader& reader) {
  std::map<std::string, ParameterValue> given;
  const Node* with = find_section(e.value, "with", Node::Kind::mapping, "a mapping parameter: value");
  const Node* declared = root.find("parameters");
  std::vector<std::string> names;
  if (declared)
    for (const auto& p : declared->entries) names.push_back(p.key);
  for (const std::string& name : names)  // --set front.damping=… : a parameter of this subsystem
    if (const std::string key = path + "." + name; const Node* text = command_.find(key))
      given[name] = FieldReader(model_.texts_->spaces.front(), {}).parameter(*text, key);
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
void ModelReader::connect_ports(const Node::Entry& e, const Node& root, const std::string& path,
                                const Namespace& outer, Namespace& inner, const FieldReader& reader,
                                const std::map<std::string, std::string>* called) {
  const Node* ports = find_section(root, "ports", Node::Kind::mapping, "a mapping port: domain");
  const Node* connect = find_section(e.value, "connect", Node::Kind::mapping, "a mapping port: name");
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

}  // namespace escapement
