// What a component says of itself: the one place from which reader, messages, reference page, JSON Schema and tests
// are derived.
#pragma once
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/domain.hpp"
#include "model/subsystem_format.hpp"
#include "model/units.hpp"

namespace escapement {

class Build;
struct BodyFrames;

// What is copied and destroyed here is defined in schema.cpp, not inline: every component uses it, and all of them would
// compile it again.

/// One key of a component (or of `simulate:`): type, unit, default, range.
struct Parameter {
  enum class Type {
    number,
    integer,
    boolean,
    text,
    file,
    choice,
    choices,  // several of them, as a list
    vector,
    matrix,
    table,
    expression,
    equations,  // expressions of names that the component declares itself: one, a list, or by name
    group,
    records  // groups by names of the user's choice
  };

  std::string key;
  Type type = Type::number;
  std::string unit;  // "1" pure number, "any" whatever the user likes
  std::string summary;
  std::optional<std::string> fallback = {};  // the default, written as in a model file
  bool required = true;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool like_output = false;               // of the kind of the block's output: agrees with its `unit:`
  bool bare_allowed = false;              // a bare number counts as SI
  bool verbatim = false;                  // of a text: parentheses are part of it
  bool code = false;                      // a text or file that is run: needs the user's trust
  bool named = false;                     // of a vector: a mapping of names to numbers will do as well
  bool above_minimum = false;             // the minimum itself is excluded
  bool load = false;                      // of a number or vector: grows with the factor of the loads
  std::string alternative_of = {};        // exactly one key of this set is given
  std::vector<std::string> choices = {};  // of a choice, or of choices
  int size = 0;                           // of a vector; 0: any
  std::string second_unit = {};           // of a table: of its values
  std::vector<std::pair<std::string, std::string>> variables = {};  // of an expression: name, unit
  std::vector<Parameter> group = {};                                // of a group, or of each record
  bool by_name = false;                                             // of equations: name: text
  bool refers = false;  // … and these names are of other parts of the model

  Parameter();
  Parameter(const Parameter&);
  Parameter(Parameter&&) noexcept;
  Parameter& operator=(const Parameter&);
  Parameter& operator=(Parameter&&) noexcept;
  ~Parameter();

  Parameter& otherwise(std::string text);
  Parameter& optional() { return required = false, *this; }
  Parameter& of_other_parts() { return refers = true, *this; }
  Parameter& as_load() { return load = true, *this; }
  Parameter& of_output() { return like_output = true, *this; }
  Parameter& positive() { return minimum = 0, above_minimum = true, *this; }
  Parameter& at_least(double value) { return minimum = value, *this; }
  Parameter& at_most(double value) { return maximum = value, *this; }
  Parameter& one_of(std::string set);
  /// "> 0", "0 … 1", "".
  std::string range() const;
};

Parameter number(std::string key, std::string unit, std::string summary);
Parameter integer(std::string key, std::string summary);
Parameter boolean(std::string key, std::string summary);
Parameter text(std::string key, std::string summary);
/// A file beside the model; its value is the full path.
Parameter file(std::string key, std::string summary);
Parameter choice(std::string key, std::vector<std::string> choices, std::string summary);
/// Several of these, as a list.
Parameter choices(std::string key, std::vector<std::string> choices, std::string summary);
/// `initial.fixed`: which of these initial values stay, whatever the start has to move.
Parameter fixed(std::vector<std::string> keys);
/// `size` 0: any length.
Parameter vector(std::string key, std::string unit, int size, std::string summary);
Parameter matrix(std::string key, std::string unit, std::string summary);
/// Pairs [[x, y], …], two-column rows of a CSV file.
Parameter table(std::string key, std::string unit_x, std::string unit_y, std::string summary);
/// An expression of these variables (name, unit) and of the parameters.
Parameter expression(std::string key, std::string unit,
                     std::vector<std::pair<std::string, std::string>> variables, std::string summary);
/// Expressions that the component compiles itself: one or a list, or (by_name) a mapping.
Parameter equations(std::string key, bool by_name, std::string summary);
Parameter group(std::string key, std::vector<Parameter> parameters, std::string summary);
/// A mapping from names to groups.
Parameter records(std::string key, std::vector<Parameter> parameters, std::string summary);

/// A key that names nodes of a domain, or signals.
struct Port {
  std::string key;
  std::optional<Domain> domain;  // none: a signal
  std::string summary;
  int count = 1;  // 2 for `between`
  bool required = true;
  std::string unit = "any";  // of a signal: its tag must agree
  int width = 1;             // of a signal; 0: any
  bool list = false;         // several signals, kept apart ([a, b] instead of one)
  bool by_name = false;      // several, by names of the user's choice ({x: a, y: b})
  std::string alternative_of = {};

  Port();
  Port(const Port&);
  Port(Port&&) noexcept;
  Port& operator=(const Port&);
  Port& operator=(Port&&) noexcept;
  ~Port();

  Port& optional() { return required = false, *this; }
  Port& one_of(std::string set);
  Port& any_width() { return width = 0, *this; }
  Port& several() { return list = true, width = 0, *this; }
  Port& named() { return by_name = true, required = false, *this; }
};
/// `between: [A, B]`: two like ends.
Port between(Domain domain);
Port at(Domain domain);
Port node_port(std::string key, Domain domain, std::string summary);
Port input(std::string unit, std::string summary);
Port signal_port(std::string key, std::string unit, std::string summary);

/// A channel of a component.
struct OutputType {
  std::string name, unit, summary;
  std::string parts = {};  // "xyz": a vector with these parts
  bool wide = false;       // as wide as ComponentType::width says
  bool by_default = true;  // recorded unless the model chooses otherwise
  bool preload =
      false;  // force and elongation of a spring: a note tells where a run starts with enormous ones

  OutputType as_preload() const {
    OutputType o = *this;
    o.preload = true;
    return o;
  }
};

/// The channels of a node, as those of a component.
const std::vector<OutputType>& node_outputs(Domain domain);

/// A one-dimensional node that a component can show of itself: a joint coordinate. It becomes an unknown only if somebody
/// connects to it.
struct OfferedNode {
  std::string name;  // `joint.name`; the first one is meant by the component's own name, too
  Domain domain;
  std::string summary;
};

/// How pictures show it: a primitive and the keys that size it (Scene::Part); no keys: a mark.
struct Shape {
  std::string primitive = "none";
  std::vector<std::string> keys = {};
};

struct ComponentType {
  ComponentType(std::string name, std::string summary);
  ComponentType(const ComponentType&);
  ComponentType(ComponentType&&) noexcept;
  ComponentType& operator=(ComponentType&&) noexcept;
  ~ComponentType();

  std::string name;         // "translational.spring"
  std::string summary;      // one sentence
  std::string description;  // Markdown, may be empty: the equations
  std::string signs;        // what is positive
  std::string example;      // lines of a `components:` mapping that make a complete model …
  std::string nodes;        // … with these declared: "electrical: [a, b]"; may be empty
  Shape shape;
  std::vector<Parameter> parameters;
  std::vector<Port> ports;
  std::vector<OutputType> outputs;
  std::optional<Domain> provides;  // it owns a node of this domain: its name stands for the node
  std::vector<OfferedNode> offers;
  bool block = false;  // a block: its name stands for its first output; `unit:` may tag it
  /// How wide a wide output is ("output", or another by name); < 1: not known yet. Without it: as wide as `input`.
  std::function<int(const Build&, std::string_view output)> width;
  /// Further outputs that depend on the component's own fields (never blocks).
  std::function<std::vector<OutputType>(const Build&)> own_outputs;
  /// Of a body: its frames and where it starts.
  std::function<BodyFrames(const Build&)> frames;
  std::function<void(Build&)> build;

  ComponentType& takes(Parameter p);
  ComponentType& connects(Port p);
  ComponentType& gives(OutputType o);
  /// It owns a node: its channels and the group `initial`.
  ComponentType& owns(Domain domain);
  /// It is a block with the output `output`.
  ComponentType& is_block(std::string output_summary, bool wide = false);
  const Parameter* parameter(std::string_view key) const;
  const Port* port(std::string_view key) const;
  const OutputType* output(std::string_view name) const;
};

/// All component types by name, and the formats of subsystem files beside YAML; never changes after it was made.
class Registry {
 public:
  /// Throws std::logic_error if two have one name or a schema contradicts itself.
  explicit Registry(std::vector<ComponentType> types, std::vector<SubsystemFormat> formats = {});
  const ComponentType* find(std::string_view name) const;
  const std::vector<ComponentType>& types() const { return types_; }
  std::vector<std::string> names() const;
  const std::vector<SubsystemFormat>& formats() const { return formats_; }
  /// By the ending of its name; none: null.
  const SubsystemFormat* format_of(const std::filesystem::path& file) const;

 private:
  std::vector<ComponentType> types_;
  std::vector<SubsystemFormat> formats_;
  std::map<std::string, int, std::less<>> index_;
};

}  // namespace escapement
