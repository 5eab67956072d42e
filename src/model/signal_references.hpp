// What the names under signal ports mean: outputs of components and declared nodes, and parts of them.
#pragma once
#include <string>
#include <vector>

#include "model/model.hpp"

namespace escapement {

struct Draft;

/// The name of a signal, understood.
struct SignalReference {
  int owner = -1;  // a component, or a declared node (Outputs)
  int output = 0;
  int part = 0;  // from 1; 0: all parts
  Mark mark;
  std::string text;
};

class SignalReferences {
 public:
  explicit SignalReferences(Draft& draft) : draft_(draft) {}

  /// Of a port: groups of parts ([a, b] is one wide signal, or several).
  std::vector<std::vector<SignalReference>> at(int component, const Port& port) const;
  /// Of one name; E-REFERENCE, E-DOMAIN if it is no signal.
  SignalReference reference(const std::string& text, const Mark& mark, const std::string& where,
                            const Namespace& space) const;

 private:
  std::vector<SignalReference> of_name(int component, const Node& value, const std::string& where) const;
  SignalReference output_named(int component, const std::string& rest, const std::string& text,
                               const Mark& mark, const std::string& where) const;
  SignalReference node_output_named(int node, const std::string& rest, const std::string& text,
                                    const Mark& mark, const std::string& where) const;
  int part_number(const std::string& part, int owner, int output, const std::string& text, const Mark& mark,
                  const std::string& where) const;

  Draft& draft_;
};

}  // namespace escapement
