// What events set: names of parameters, positions, velocities, states and memory, understood once everything is built.
#pragma once
#include "core/system.hpp"
#include "model/events.hpp"

namespace escapement {

struct Draft;

/// The event that a component asked for. Throws E-EVENT, E-REFERENCE or E-UNITS if something cannot be set.
EventType event_of(const Draft& draft, const TriggerRequest& request, const System& system);

}  // namespace escapement
