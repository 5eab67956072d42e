// Play in a coupling: a spring and damper that act only outside the gap. The element is the Gap of the end stops.
#pragma once
#include "components/translational/end_stop.hpp"

namespace escapement::translational {

/// `force`, `elongation` and `rest` are what the domain calls them.
void build_backlash(Build& b, const char* force, const char* elongation, const char* rest);

}  // namespace escapement::translational
