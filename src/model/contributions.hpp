// What components leave behind beside their elements and channels, in the order in which they were built: plain lists, from which
// the assembly is finished.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/body_start.hpp"
#include "model/circuit_topology.hpp"
#include "model/events.hpp"
#include "model/sampler.hpp"
#include "model/scene.hpp"

namespace escapement {

/// Values, or their rates, that an unknown starts with.
struct StartValues {
  Handle handle;
  std::vector<double> values;
  bool rate;
};

/// Parts of a position, or of its rate, that stay as given when the start moves the others.
struct FixedParts {
  Handle handle;
  int first, count;
  bool rate;
};

/// A number that an element remembers.
struct MemorySlot {
  ElementId element;
  int slot = 0;
  double value = 0;  // at the start
};

/// How an offered node comes to be if somebody connects to it, and the element whose outputs 0 and 1 are its value and rate.
struct NodeOffer {
  ElementId reading;
  std::function<void(SystemBuilder&, const Handle&)> make;
};

struct Contributions {
  std::vector<StartValues> starts;
  std::vector<FixedParts> fixed;
  std::vector<MemorySlot> memories;
  std::vector<JointStart> joints;
  std::map<std::pair<int, int>, NodeOffer> offers;  // by component and number

  std::vector<TimeEvent> events;
  std::vector<Sampler> samplers;
  std::vector<TriggerRequest> triggers;
  std::vector<std::pair<ElementId, std::string>>
      switching;  // elements with modes or corners, and whose they are
  std::map<std::pair<int, int>, MemorySlot>
      settable_memory;  // that events may set: by component, part of its output …
  std::map<std::pair<int, int>, int> settable_states;  // … and the variables of states, likewise

  std::vector<Branch> branches;  // of circuits
  Scene scene;
  std::map<Scene::Beam, int> beams;  // of the scene, by what they are
  bool uses_gravity = false;
};

}  // namespace escapement
