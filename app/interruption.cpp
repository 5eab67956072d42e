#include "interruption.hpp"

namespace escapement::app {

volatile std::sig_atomic_t interrupted = 0;

static void on_signal(int number) {
  interrupted = 1;
  std::signal(number, SIG_DFL);
}

void end_runs_on_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

}  // namespace escapement::app
