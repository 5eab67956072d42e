#include "analyses/event_numbers.hpp"

namespace escapement {

void EventNumbers::begin(State& state) {
  given_ = state.numbers = system_.numbers_for_another_run(state.numbers);
}

const Assembly& EventNumbers::set(State& state, const std::vector<Override>& numbers) {
  for (const Override& n : numbers) {
    std::erase_if(overrides_,
                  [&](const Override& o) { return o.component == n.component && o.key == n.key; });
    overrides_.push_back(n);
  }
  return use(state);
}

const Assembly& EventNumbers::use(State& state) {
  changed_ = std::make_shared<Assembly>(options_.retune(overrides_));
  state.numbers = system_.numbers_of(changed_->system);
  if (!state.numbers)
    throw ModelError("E-EVENT", overrides_.back().component + "." + overrides_.back().key,
                     "with this value the model has other equations: an event cannot set it",
                     "leave the number of parts and unknowns as it is");
  for (TimeEvent& e : changed_->events)  // they belong to the elements of the system that runs
    e.element.group = system_.groups()[e.element.group->index].get();
  observer_.changed(changed_);
  return *changed_;
}

void EventNumbers::forget(State& state) {
  overrides_.clear();
  state.numbers = given_;
  observer_.changed(nullptr);
}

}  // namespace escapement
