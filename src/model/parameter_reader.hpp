// `parameters:` of a model or subsystem, evaluated in the order in which they need each other.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/diagnostics.hpp"
#include "model/fields.hpp"

namespace escapement {

class ParameterReader {
 public:
  /// Where values come from that go before those in the text: of a subsystem, whose entry `user` gives them; of the model itself
  /// from --set, by `setting` (null: not set).
  struct Given {
    std::map<std::string, ParameterValue> values = {};
    const Node::Entry* user = nullptr;
    std::function<const Node*(const std::string&)> setting = {};
  };
  /// `check_name` refuses names that cannot be.
  ParameterReader(Namespace& space, const Node& section, Given given, bool allow_outside,
                  std::function<void(const Node::Entry&)> check_name)
      : space_(space),
        section_(section),
        given_(std::move(given)),
        allow_outside_(allow_outside),
        check_name_(std::move(check_name)) {}

  /// Fills the parameters of the namespace; faults are collected.
  void read(Diagnostics& diagnostics);

 private:
  void evaluate(const std::string& name);
  ParameterValue value_of(const Node::Entry& entry);
  void check_given(const Node::Entry& entry, const ParameterValue& given) const;
  const Node::Entry* entry(std::string_view name) const;
  ParameterValue parsed(const Node& text, const std::string& name) const {
    return FieldReader(space_, {}, allow_outside_).parameter(text, "parameters." + name);
  }

  Namespace& space_;
  const Node& section_;
  Given given_;
  bool allow_outside_;
  std::function<void(const Node::Entry&)> check_name_;
  std::set<std::string> done_, in_progress_;
  std::vector<std::string> chain_;  // of parameters that need each other
};

}  // namespace escapement
