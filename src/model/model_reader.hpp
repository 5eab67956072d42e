// From the tree of a model file to a flat model: parameters, subsystems, repetition, settings of the command line.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/command_settings.hpp"
#include "model/model.hpp"
#include "model/parameter_reader.hpp"

namespace escapement {

class ModelReader {
 public:
  ModelReader(Model& model, const Registry& registry, const ReadOptions& options)
      : model_(model), registry_(registry), options_(options), command_(options, *model.texts_) {}

  /// The file that is being read, for cycles of files.
  void begin_at(const std::filesystem::path& file) {
    std::error_code ignored;
    chain_.push_back(std::filesystem::weakly_canonical(file, ignored));
  }
  void run(const Node& root, const std::filesystem::path& folder);

 private:
  // ---- the head of a file
  void check_version(const Node& root);
  void check_keys(const Node& root, const std::vector<std::string>& keys);
  void read_units(const Node& root, Namespace& space);
  void check_name(const std::string& name, const Mark& mark, const Namespace& space);
  void read_parameters(const Node& root, Namespace& space, ParameterReader::Given given);

  // ---- nodes and components
  void read_parts(const Node& root, Namespace& space);
  void claim(const std::string& name, const Mark& mark, const Namespace& space, const char* what);
  void read_nodes(const Node& root, Namespace& space);
  static Domain domain_named(const std::string& name, const Mark& mark, const std::string& where);
  void read_entry(const Node::Entry& e, Namespace& space);
  void unfold(const Node::Entry& e, const Node& repetition, std::size_t level, const std::string& name,
              Namespace& space, Loop& loop, double repetitions);
  void read_one(const Node::Entry& e, const std::string& name, Namespace& space, const Loop& loop);
  std::string type_meant(const std::string& type_name) const;

  // ---- subsystem_reader.cpp
  void read_subsystem(const Node::Entry& e, const Node& use, const std::string& path, Namespace& outer,
                      const Loop& loop);
  [[noreturn]] void refuse_format(const Node& use, const std::string& file, const std::string& path) const;
  void read_formatted(const SubsystemFormat& format, const Node::Entry& e, const Node& use,
                      const std::filesystem::path& file, const std::string& path, Namespace& outer,
                      const FieldReader& reader);
  const SubsystemFile& formatted_file(const SubsystemFormat& format, const Node& use,
                                      const std::filesystem::path& file, const std::string& path,
                                      const Namespace& outer);
  SubsystemUse use_of(const SubsystemFormat& format, const SubsystemFile& subsystem, const Node::Entry& e,
                      const Node* connect, const std::string& path, const FieldReader& reader);
  static void check_connectable(const SubsystemFormat& format, const std::vector<std::string>& connectable,
                                const Node& connect, const std::string& path);
  std::string shown(const std::filesystem::path& file, const Namespace& space) const;
  std::map<std::string, ParameterValue> given_parameters(const Node::Entry& e, const Node& root,
                                                         const std::string& path, const FieldReader& reader);
  void connect_ports(const Node::Entry& e, const Node& root, const std::string& path, const Namespace& outer,
                     Namespace& inner, const FieldReader& reader,
                     const std::map<std::string, std::string>* called = nullptr);

  Model& model_;
  const Registry& registry_;
  const ReadOptions& options_;
  CommandSettings command_;
  Diagnostics diagnostics_;
  std::vector<std::filesystem::path> chain_;  // of files being read
  std::map<std::string, const Node*> files_;
  std::map<std::string, std::shared_ptr<const SubsystemFile>> formatted_;  // not YAML
  bool dotted_names_ = false;
  std::set<const Namespace*> dotted_spaces_;  // of files that are not YAML: `x1.r1`
};

}  // namespace escapement
