#include "analyses/event_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyses/impacts.hpp"

namespace escapement {

/// The actions of one event, or the event itself to those left for later.
void EventActions::gather(const State& state, const EventType& event) {
  const std::size_t before = actions_.size();
  bool twice = false;
  inputs_.assign(1, state.t);
  for (const int v : event.inputs) inputs_.push_back(state.value[system_.variables()[v].value]);
  for (const EventAction& a : event.actions) {
    const double value = a.value ? a.value->evaluate<double>(inputs_) : 0.0;
    if (!std::isfinite(value))
      throw ModelError("E-NAN", event.name + ".set." + a.target,
                       fmt::format("at t = {:g} s its value is {}", state.t, value),
                       "look for a division by zero or a root of a negative number");
    const auto differs = [&](const Action& other) {
      return other.first->target == a.target && other.first->key == a.key && other.second != value;
    };
    const auto end = actions_.begin() + static_cast<std::ptrdiff_t>(before);
    for (auto other = actions_.begin(); other != end; ++other)
      if (differs(*other)) {
        twice = true;
        overruled_.push_back({&a, value});
      }
    actions_.emplace_back(&a, value);
  }
  if (!twice) return;
  actions_.resize(before);
  later_.push_back(&event);
}

void EventActions::gather(const State& state, const std::vector<const EventType*>& events) {
  actions_.clear();
  later_.clear();
  for (const EventType* e : events) gather(state, *e);
  warn_of_overruling(state.t);
  if (later_.empty()) overruled_.clear();
}

/// Two events set something at one instant, and the second takes no notice of the first.
void EventActions::warn_of_overruling(double t) {
  if (overruling_told_) return;
  const auto overruled = [&](const Action& a) {
    return std::find(overruled_.begin(), overruled_.end(), a) != overruled_.end();
  };
  const auto at = std::find_if(actions_.begin(), actions_.end(), overruled);
  if (at == actions_.end()) return;
  overruling_told_ = true;
  const EventAction& a = *at->first;
  log_.warn({"W-EVENTS",
             fmt::format("at t = {:.6g} s several events set {} to different values: the last of them in the "
                         "model counts",
                         t, a.key.empty() ? a.target : a.target + "." + a.key),
             "one event for both, or values that are computed from the one before", "", t});
}

EventActions::Effect EventActions::act(State& state, const std::vector<const EventType*>& events,
                                       const StartOptions& options, double slack) {
  gather(state, events);
  numbers_set_.clear();
  rows_.clear();
  rates_.clear();
  Effect effect;
  for (const auto& [a, value] : actions_) {
    const Variable* v = a->variable >= 0 ? &system_.variables()[a->variable] : nullptr;
    switch (a->kind) {
      case EventAction::Kind::stop:
        log_.statistics().ended_by = a->target;
        break;
      case EventAction::Kind::memory:
        state.memory[a->element.group->memory_of(a->element.index) + a->slot] = value;
        effect.how = std::max(effect.how, Continuation::jump);
        break;
      case EventAction::Kind::parameter:
        numbers_set_.push_back({a->target, a->key, value});
        break;
      case EventAction::Kind::velocity:
        rows_.push_back(v->row + a->part);
        rates_.push_back(value);
        break;
      case EventAction::Kind::position:
      case EventAction::Kind::state:
        state.value[v->value + a->part] = value;
        effect = {Continuation::restart, true};
    }
  }
  if (!numbers_set_.empty()) schedule_.take(numbers_.set(state, numbers_set_), state, state.t + slack);
  if (!rows_.empty()) set_velocities(system_, state, rows_, rates_, options);
  if (!numbers_set_.empty() || !rows_.empty()) effect = {Continuation::restart, true};
  return effect;
}

}  // namespace escapement
