// Events of a model: memory that changes at given times, and what happens when a watched function passes zero.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "model/expression.hpp"
#include "model/node.hpp"

namespace escapement {

/// One element's memory changes at a given time, or again and again: a source that jumps. The times are time + k ·
/// period for whole k, so they never drift and are never listed; at the k-th the memory becomes value + k · increment.
struct TimeEvent {
  double time;
  ElementId element;
  int slot;
  double value;
  double period = 0;     // s
  double count = 1;      // how many times in all; may be infinite
  double increment = 0;  // of the value, from time to time
};

/// What an event of the model does when its trigger fires.
struct EventAction {
  enum class Kind { memory, position, velocity, state, parameter, stop };
  Kind kind;
  std::string target;  // as the model calls it; of a parameter its component …
  std::string key;     // … and its key there
  int variable = -1, part = 0;
  ElementId element;                        // with this memory …
  int slot = 0;                             // … at this place
  std::shared_ptr<const Expression> value;  // of time and the inputs
};

/// An element that fires, and what then happens.
struct EventType {
  ElementId trigger;
  std::string name;
  std::vector<int> inputs;  // variables of signals, in the order of the expressions' (after time)
  std::vector<EventAction> actions;
};

/// An action as a component asks for it: what the target is comes out when everything is built.
struct ActionRequest {
  std::string target;
  const Node* text;
  std::shared_ptr<const Expression> value;
};

/// An event as a component asks for it.
struct TriggerRequest {
  int component;
  ElementId element;
  std::vector<Signal<1>> inputs;
  std::vector<ActionRequest> actions;
  bool stop;
};

}  // namespace escapement
