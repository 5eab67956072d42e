// `escapement modes --sweep`: modes over the values of a parameter, each followed by its shape (Campbell diagram).
#pragma once
#include "command_line.hpp"

namespace escapement::app {

/// Returns the exit status.
int sweep_modes(const Command& command);

}  // namespace escapement::app
