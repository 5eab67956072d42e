// Outputs: what components and declared nodes give out, part by part, and where each number comes from.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/build.hpp"
#include "model/schema.hpp"

namespace escapement {

/// Who has outputs, by one number: the components of the model, then its declared nodes.
using Owner = int;

class Outputs {
 public:
  explicit Outputs(Draft& draft) : draft_(draft) {}

  /// 1. Which outputs there are, also those that follow from a component's own fields.
  void list();
  /// 2. Their widths; the signals of blocks; the outputs of nodes.
  void make();

  Owner count() const;
  Owner owner_of_node(int declared) const;
  bool is_component(Owner owner) const;
  const std::string& path(Owner owner) const;
  const std::vector<OutputType>& of(Owner owner) const;
  /// The unit of an output: of its schema, or as the block's `unit:` says; empty: not known.
  std::string unit(Owner owner, int output) const;
  /// How many parts an output has; < 1: not known yet.
  int width(Owner owner, int output) const;
  std::string channel_name(Owner owner, int output, int part) const;

  /// Is this the output that the block's own name stands for?
  bool is_signal(Owner owner, int output) const;
  /// The signals of a block's own output.
  const std::vector<Signal<1>>& signals(int component) const { return signals_[component]; }

  /// The number of an output's first part among all parts of all outputs.
  int index(Owner owner, int output) const;
  const BoundOutput& operator[](int index) const { return bound_[index]; }
  /// Part `part` of an output by its name, for the component to say what it is.
  BoundOutput& bind(int component, std::string_view output, int part);
  /// Whose a part is, by its number.
  Owner owner_of(int index) const;

 private:
  void make_signals(int component, int width);
  void bind_node(const Handle& node, Domain domain, int first);

  Draft& draft_;
  std::vector<std::vector<OutputType>> own_;  // of components that have some of their own
  std::vector<std::vector<Signal<1>>> signals_;
  std::vector<int> first_;  // by owner: the number of its first part
  std::vector<BoundOutput> bound_;
};

}  // namespace escapement
