// Model: a model file read, its parameters evaluated, its subsystems and repetitions unfolded: a flat list of
// components by path, each with its fields and the names it sees. Nothing is built yet.
#pragma once
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/fields.hpp"
#include "model/yaml.hpp"

namespace escapement {

inline constexpr int language_version = 1;  // `escapement: 1`

struct ReadOptions {
  /// --set KEY=VALUE: a parameter, or a dotted path.
  std::vector<std::pair<std::string, std::string>> set = {};
  bool allow_outside = false;  // files outside the model's folder
  YamlLimits limits = {};
  bool trust = false;  // code of the model may run, whatever it is
};

struct FlatComponent {
  std::string path;
  const ComponentType* type;
  const Node* fields;
  Mark mark;  // of its name
  const Namespace* space;
  Loop loop;
};

/// A net declared under `nodes:`.
struct DeclaredNode {
  std::string path;
  Domain domain;
  Mark mark;
};

/// `ports:` of a subsystem, connected from outside.
struct ConnectedPort {
  std::string target, where;
  std::optional<Domain> domain;  // none: a signal
  Mark mark;
};

/// A name or pattern of channels, and where it stands: under `record`, `plots.x` or `plots.y`.
struct ChannelPattern {
  std::string text;
  Mark mark;
  std::string where;
};

/// `nominal:` of the model: an unknown by name, and its usual magnitude.
struct NominalText {
  std::string unknown;
  Node value;
  Mark mark;
};

struct PlotRequestText {
  std::string title;
  ChannelPattern x;  // empty: time
  std::vector<ChannelPattern> y;
};

struct UsedFile {
  std::filesystem::path path;
  std::string name;
};

struct UsedCode {
  std::string where;           // component and key
  std::filesystem::path file;  // or, if empty, the text
  std::string text;
};

/// What the pointers of a model point at.
struct ModelTexts {
  Sources sources;
  std::deque<Node> documents;
  std::deque<Namespace> spaces;  // the first is that of the model file itself
};

class Model {
 public:
  static Model read_file(const std::filesystem::path& path, const Registry& registry,
                         const ReadOptions& options = {});
  static Model read_text(std::string_view text, const std::string& name, const Registry& registry,
                         const ReadOptions& options = {});
  /// From a tree made in C++ (ModelText).
  static Model from_tree(Node root, const Registry& registry, const ReadOptions& options = {});

  std::string title;
  std::vector<FlatComponent> components;
  std::vector<DeclaredNode> nodes;
  std::vector<ConnectedPort> connected_ports;
  FieldValues simulate;               // by simulate_schema()
  bool output_every_is_time = false;  // otherwise a number of steps
  std::string start = "given";
  int load_steps = 1;                  // of `start: {mode: equilibrium, load_steps: 10}`
  std::vector<ChannelPattern> record;  // patterns; empty: the default channels
  bool record_all = false;
  std::vector<PlotRequestText> plots;
  std::vector<double> gravity;  // empty: not stated
  std::vector<NominalText> nominals;
  std::string file;  // as messages call it
  bool allow_outside = false, trust = false;
  std::vector<std::string> notes;  // what --set made of it that is worth telling

  /// Where a key of `simulate:` has its value, or the section itself.
  Mark simulate_mark(std::string_view key) const;
  /// The same fault with the place of the component that its row belongs to, if it has no place yet.
  ModelError located(const ModelError& e) const;
  /// What a name means in a namespace, by absolute path; `ground` stays `ground`.
  static std::string absolute(const Namespace& space, const std::string& name);
  /// Index of a component or declared node with exactly this path, or -1.
  int find_component(std::string_view path) const;
  int find_node(std::string_view path) const;
  /// The model as it stands, without parameters, subsystems, repetitions or other files: reads back as the same model.
  Node flattened() const;
  /// Of the model file itself.
  const Namespace& root_space() const;
  /// Parameters that nothing has asked for, once the model is assembled.
  std::vector<std::string> unused_parameters() const;
  /// Files that components use as they are, and what the flattened model calls them.
  std::vector<UsedFile> used_files() const;
  /// What this model would run: C functions in files or in the model itself.
  std::vector<UsedCode> used_code() const;

 private:
  friend class ModelReader;
  friend class RunSettings;
  struct PathHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  using Index = std::unordered_map<std::string, int, PathHash, std::equal_to<>>;
  Index component_index_, node_index_;
  std::unique_ptr<ModelTexts> texts_ = std::make_unique<ModelTexts>();
  const Node* simulate_text_ = nullptr;
};

/// The keys of `simulate:`.
const std::vector<Parameter>& simulate_schema();

/// A model written in C++, through the same registry as a file:
///   ModelText text;
///   text.parameter("m", "1 kg");
///   text.add("mass", "translational.mass", {{"mass", "m"}, {"initial", Fields{{"position", "5 m"}}}});
class ModelText {
 public:
  ModelText();
  ModelText& title(const std::string& text);
  ModelText& parameter(const std::string& name, Node value);
  ModelText& node(const std::string& domain, const std::string& name);
  ModelText& add(const std::string& name, const std::string& type, Fields fields);
  ModelText& simulate(const std::string& key, Node value);
  ModelText& set(const std::string& key, Node value);  // any key of the top level: start, record, gravity …
  Model model(const Registry& registry, const ReadOptions& options = {}) const;
  const Node& tree() const { return root_; }

 private:
  Node& section(const std::string& key);
  Node root_;
};

}  // namespace escapement
