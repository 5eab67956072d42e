// Calls code that nobody here wrote, and comes back: crashes, exits, hangs and exceptions become values.
//
// The call runs in this process and thread. Signal handlers are installed by arm_guard(); outside of a guarded call they
// hand over to whatever was there before, so faults of the program itself stay visible. A watchdog thread ends calls that take too
// long. What a crash may have done to the memory of the process cannot be undone: after a fault the results are to be
// saved and the code not to be called again.
#pragma once
#include <string>

namespace escapement::external {

enum class Fault { none, signal, stack_overflow, timeout, exit, exception };

struct Outcome {
  Fault fault = Fault::none;
  int number = 0;       // the signal
  char text[120] = {};  // what an exception says
  /// "crashed with SIGSEGV (it used memory that is not its own)".
  std::string told(double time_limit) const;
};

/// Installs the handlers, again if somebody else has replaced them: before the calls of a function begin.
void arm_guard();

/// What ended the last guarded call of this thread that failed.
const Outcome& last_outcome();

/// run(data), for at most `time_limit` seconds. Its frames are left by a jump when it fails: they must hold nothing that
/// needs a destructor. False: it failed, last_outcome() says how.
bool guarded(void (*run)(void*), void* data, double time_limit);

/// The same for anything that can be called. Costs a saved context and two stores.
template <class F>
bool guarded(F& call, double time_limit) {
  return guarded([](void* f) { (*static_cast<F*>(f))(); }, &call, time_limit);
}

/// For programs: when a fault has left this process unable to go on (a lock that is never released), it ends with this
/// status after so many seconds. Off unless called.
void exit_when_stuck(int status, unsigned seconds);

}  // namespace escapement::external
