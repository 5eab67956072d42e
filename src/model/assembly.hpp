// Assembly: from a model to a system, its initial state and its channels.
#pragma once
#include <string>
#include <vector>

#include "core/start.hpp"
#include "core/warning.hpp"
#include "model/build.hpp"
#include "model/model.hpp"

namespace escapement {

struct Channel {
  std::string name, unit, summary;
  bool by_default;
  BoundOutput from;
};

struct Assembly {
  System system;
  State initial;
  std::vector<Channel> channels;
  std::vector<TimeEvent> events;  // by time
  std::vector<EventType> triggers;
  std::vector<Sampler> samplers;
  std::vector<std::pair<ElementId, std::string>>
      switching;  // elements with modes or corners, and whose they are
  std::vector<Warning> warnings;
  std::vector<std::string> notes, notes_on_settings;  // the latter are of interest where it is simulated
  std::vector<int> preloads;  // channels: force and elongation of a spring, of the next …
  FixedUnknowns fixed;        // `initial: {fixed: […]}`
  Scene scene;

  double read(const Channel& channel, const State& state) const;
  /// Channels that one of the patterns matches (`*` any text, `?` any character), in the order of `channels`. A pattern
  /// without a match is E-CHANNEL.
  std::vector<const Channel*> select(const std::vector<ChannelPattern>& patterns) const;
  std::vector<const Channel*> defaults() const;
  /// What a run of this model records: what it asks for or the defaults, and what its plots need.
  std::vector<const Channel*> recorded(const Model& model) const;
};

/// A number that counts instead of the model's own.
struct Override {
  std::string component, key;
  double value;
  void archive(Archive& a) { a(component, key, value); }
};

/// `loads`: factor of gravity and of all that is marked as a load in the schemas. Throws ModelErrors with everything that is
/// wrong.
Assembly assemble(const Model& model, const std::vector<Override>& overrides = {}, double loads = 1);

bool matches(std::string_view pattern, std::string_view name);
/// Which of these channels a pattern means: `*` and `?`; a block's name stands for its output, another component's for
/// all its channels.
std::vector<int> matching(std::string_view pattern, const std::vector<std::string>& names);

}  // namespace escapement
