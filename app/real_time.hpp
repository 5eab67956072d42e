// What is reported of a run in step with the wall clock.
#pragma once
#include <optional>

#include "core/warning.hpp"
#include "record/json.hpp"
#include "stepping/pace.hpp"

namespace escapement::app {

Json real_time_json(const Pace& pace, double speed);
void print_real_time(const Pace& pace);
/// Of a run that did not keep up; none: it did.
std::optional<Warning> lateness(const Pace& pace);

}  // namespace escapement::app
