#include "analyses/schedule.hpp"

#include <algorithm>

namespace escapement {

void apply_jumps_at_start(const Assembly& assembly, State& state, double slack) {
  Jumps(assembly.events).apply(state, state.t + slack);
}

void Schedule::begin(const State& state, double slack) {
  State first = state;
  jumps_.apply(first, state.t + slack);
  sampling_.begin(state.t + slack);
}

double Schedule::next(const State& state) const {
  return std::min({jumps_.next(), system_.next_break(state), sampling_.next()});
}

bool Schedule::apply(State& state, double now, const Sampling::Modes& follow) {
  static const std::string source = "source jumps";
  const bool delayed = system_.next_break(state) <= now;
  const int sources = jumps_.apply(state, now);
  for (int i = 0; i < sources; ++i) log_.event(state.t, source);
  const bool sampled = sampling_.next() <= now && sampling_.apply(state, now, follow);
  return sources > 0 || delayed || sampled;  // samples may change nothing
}

void Schedule::take(const Assembly& changed, State& state, double now) {
  sampling_.take(changed.samplers);
  jumps_ = Jumps(changed.events);
  State past = state;
  jumps_.apply(past, now);
  state.memory = past.memory;
}

void Schedule::take(const Assembly& changed) {
  sampling_.take(changed.samplers);
  jumps_.take(changed.events);
}

void Schedule::take_back(const Assembly& original) {
  sampling_.take(original.samplers);
  jumps_ = Jumps(original.events);
}

}  // namespace escapement
