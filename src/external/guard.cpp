#include "external/guard.hpp"

#include <fmt/format.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace escapement::external {
namespace {

constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int alarm_bell = SIGVTALRM;  // from the watchdog to the thread whose call takes too long
constexpr auto watch_interval = std::chrono::milliseconds(20);

constexpr int most_patience = 100;  // rings

/// One thread that makes guarded calls. Never destroyed: handlers and the watchdog may look at it at any time.
struct Caller {
  std::atomic<std::uint64_t> calls = 0;  // odd: inside a call
  std::atomic<double> limit = 0;         // s
  std::atomic<std::uint64_t> overdue = 0;
  sigjmp_buf back;
  Outcome outcome;
  pthread_t thread = pthread_self();
  char* stack_end = nullptr;  // the lowest address of its stack
  std::uint64_t next_exit_registration = 1;
  int patience = most_patience;  // how often the bell may still be ignored

  bool inside() const { return calls.load(std::memory_order_relaxed) & 1; }
  void leave() { calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  [[noreturn]] void jump_back(Fault fault, int number) {
    outcome.fault = fault;
    outcome.number = number;
    patience = most_patience;
    leave();
    siglongjmp(back, 1);
  }
};

thread_local Caller* caller = nullptr;
struct sigaction previous[65];
std::atomic<int> stuck_status = -1;
std::atomic<unsigned> stuck_seconds = 0;

void on_fault(int number, siginfo_t* info, void*) {
  if (caller != nullptr && caller->inside()) {
    const char* at = static_cast<char*>(info->si_addr);
    const bool overflow = number == SIGSEGV && caller->stack_end != nullptr &&
                          at > caller->stack_end - (1 << 20) && at < caller->stack_end + (1 << 16);
    caller->jump_back(overflow ? Fault::stack_overflow : Fault::signal, number);
  }
  // Not ours: as if this handler had never been there.
  sigaction(number, &previous[number], nullptr);
  if (info->si_code <= 0) raise(number);  // sent, not caused: it would not come again
}

/// The code of the C library. Whoever is interrupted there may hold a lock, of malloc for instance.
struct Text {
  std::uintptr_t begin = 0, end = 0;
} c_library;

void find_c_library() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        const auto place = reinterpret_cast<std::uintptr_t>(&std::qsort);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || place < begin || place >= begin + segment.p_memsz) continue;
          c_library = {begin, begin + segment.p_memsz};
          return 1;
        }
        return 0;
      },
      nullptr);
}

/// Where the thread was when the signal came; 0 where that is not known.
std::uintptr_t interrupted_at(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  return (void)context, 0;
#endif
}

void on_alarm(int, siginfo_t*, void* context) {
  if (caller == nullptr || !caller->inside() || caller->overdue.load() != caller->calls.load()) return;
  const std::uintptr_t at = interrupted_at(context);
  if (at >= c_library.begin && at < c_library.end && caller->patience-- > 0) return;  // it rings again
  caller->jump_back(Fault::timeout, 0);
}

/// exit() in a guarded call. Handlers of exit run in reverse order, so this one comes before all registered earlier.
void on_exit() {
  if (caller != nullptr && caller->inside()) caller->jump_back(Fault::exit, 0);
}

void on_stuck(int) {
  static constexpr char text[] =
      "E-FUNCTION  a failed function has left the program unable to go on; it ends here\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(70);
  _exit(stuck_status);
}

class Watchdog {
 public:
  void add(Caller* c) {
    const std::lock_guard lock(mutex_);
    watched_.push_back({c, 0, {}});
    if (running_) return;
    running_ = true;
    sigset_t all, before;  // the watchdog takes no signals: they are for the threads of the program
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { watch(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Watched {
    Caller* caller;
    std::uint64_t call;
    Clock::time_point since;
  };

  void watch() {
    while (true) {
      std::this_thread::sleep_for(watch_interval);
      const auto now = Clock::now();
      const std::lock_guard lock(mutex_);
      for (Watched& w : watched_) {
        const std::uint64_t call = w.caller->calls.load(std::memory_order_acquire);
        if (call != w.call || (call & 1) == 0) {
          w.call = call;
          w.since = now;
        } else if (std::chrono::duration<double>(now - w.since).count() > w.caller->limit.load()) {
          w.caller->overdue.store(call);
          pthread_kill(w.caller->thread, alarm_bell);
        }
      }
    }
  }

  std::mutex mutex_;
  std::vector<Watched> watched_;
  bool running_ = false;
};

Watchdog& watchdog() {
  static Watchdog* const one = new Watchdog;  // outlives everything
  return *one;
}

void install(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {}, before = {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = handler;
  sigaction(number, &action, &before);
  if (before.sa_sigaction != handler) previous[number] = before;
}

/// A stack of its own for signal handlers (a stack overflow leaves no room on the other), unless there is one.
void make_signal_stack() {
  stack_t stack = {};
  if (sigaltstack(nullptr, &stack) == 0 && !(stack.ss_flags & SS_DISABLE)) return;
  thread_local void* const own = std::malloc(1 << 16);
  stack = {};
  stack.ss_size = 1 << 16;
  stack.ss_sp = own;
  if (own != nullptr) sigaltstack(&stack, nullptr);
}

Caller& enrol() {
  auto* c = new Caller;  // threads that call user code are few; it stays for the watchdog
  pthread_attr_t attributes;
  if (pthread_getattr_np(c->thread, &attributes) == 0) {
    void* low = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) c->stack_end = static_cast<char*>(low);
    pthread_attr_destroy(&attributes);
  }
  watchdog().add(c);
  caller = c;
  arm_guard();
  return *c;
}

/// After a fault: nothing it left behind may change our numbers, and a program may end itself if it gets stuck.
void clean_up() {
  std::fesetenv(FE_DFL_ENV);
  if (stuck_status < 0) return;
  ::signal(SIGALRM, on_stuck);
  alarm(stuck_seconds);
}

const char* signal_name(int number) {
  switch (number) {
    case SIGSEGV:
      return "SIGSEGV (it used memory that is not its own)";
    case SIGBUS:
      return "SIGBUS (it used memory that is not there)";
    case SIGFPE:
      return "SIGFPE (a division of integers by zero, perhaps)";
    case SIGILL:
      return "SIGILL (no instruction of this processor)";
    default:
      return "SIGABRT (it called abort, or a check of its own failed)";
  }
}

}  // namespace

void arm_guard() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (c_library.end == 0) find_c_library();
  for (const int number : faults) install(number, on_fault);
  install(alarm_bell, on_alarm);
  make_signal_stack();
}

const Outcome& last_outcome() { return (caller != nullptr ? *caller : enrol()).outcome; }

bool guarded(void (*run)(void*), void* data, double time_limit) {
  Caller& c = caller != nullptr ? *caller : enrol();
  const std::uint64_t call = c.calls.load(std::memory_order_relaxed) + 1;
  if (call >= c.next_exit_registration) {  // now and then again: to stay the first of the handlers of exit
    std::atexit(on_exit);
    c.next_exit_registration = 2 * call;
  }
  c.limit.store(time_limit, std::memory_order_relaxed);
  if (sigsetjmp(c.back, 0) == 0) {
    c.calls.store(call, std::memory_order_release);
    try {
      run(data);
      c.leave();
      if (c.overdue.load(std::memory_order_relaxed) != call) [[likely]]
        return true;
      c.outcome.fault = Fault::timeout;  // the bell woke it up
      return false;
    } catch (const std::exception& e) {
      std::strncpy(c.outcome.text, e.what(), sizeof c.outcome.text - 1);
    } catch (...) {
      std::strcpy(c.outcome.text, "not a std::exception");
    }
    c.leave();
    c.outcome.fault = Fault::exception;
    return false;
  }
  clean_up();
  return false;
}

void exit_when_stuck(int status, unsigned seconds) {
  stuck_seconds = seconds;
  stuck_status = status;
}

std::string Outcome::told(double time_limit) const {
  switch (fault) {
    case Fault::none:
      return "nothing happened";
    case Fault::signal:
      return fmt::format("crashed with {}", signal_name(number));
    case Fault::stack_overflow:
      return "crashed with SIGSEGV (its stack overflowed: a recursion without end, or large local arrays)";
    case Fault::timeout:
      return fmt::format("did not return within {:g} s", time_limit);
    case Fault::exit:
      return "called exit()";
    case Fault::exception:
      return fmt::format("threw an exception: {}", text);
  }
  return {};
}

}  // namespace escapement::external
