// Signals that end a run after its step (SIGINT, SIGTERM); a second one ends the program, wherever it is.
#pragma once
#include <csignal>

namespace escapement::app {

extern volatile std::sig_atomic_t interrupted;

/// From now on; before, a signal ends the program at once.
void end_runs_on_signals();

}  // namespace escapement::app
