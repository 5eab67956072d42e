#include "analyses/event_numbers.hpp"

namespace escapement {

const Assembly& EventNumbers::set(const std::vector<Override>& numbers) {
  for (const Override& n : numbers) {
    std::erase_if(overrides_,
                  [&](const Override& o) { return o.component == n.component && o.key == n.key; });
    overrides_.push_back(n);
  }
  restore();
  return use();
}

const Assembly& EventNumbers::use() {
  auto changed = std::make_unique<Assembly>(options_.retune(overrides_));
  if (!system_.take_numbers(changed->system))
    throw ModelError("E-EVENT", overrides_.back().component + "." + overrides_.back().key,
                     "with this value the model has other equations: an event cannot set it",
                     "leave the number of parts and unknowns as it is");
  changed_ = std::move(changed);
  for (TimeEvent& e : changed_->events)  // they belong to the elements of the system that runs
    for (std::size_t g = 0; g < system_.groups().size(); ++g)
      if (e.element.group == changed_->system.groups()[g].get()) e.element.group = system_.groups()[g].get();
  return *changed_;
}

void EventNumbers::restore() {
  if (!changed_) return;
  system_.take_numbers(changed_->system);
  changed_.reset();
}

}  // namespace escapement
