// What benchmark programs share: a stopwatch that takes the best of several runs, and one JSON line per result.
#pragma once
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>

namespace escapement::benchmarks {

/// Time that this process computed: what else runs on the machine does not count. Reading it takes a third of a microsecond.
struct ProcessorClock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<ProcessorClock, duration>;
  static time_point now() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return time_point(std::chrono::seconds(t.tv_sec) + duration(t.tv_nsec));
  }
};

/// Seconds per call: the best of `rounds`, each long enough to measure.
template <class Clock = std::chrono::steady_clock, class F>
double seconds(F f, int rounds = 5, double at_least = 0.02) {
  double best = 1e300;
  for (int r = 0; r < rounds; ++r) {
    int calls = 0;
    const auto start = Clock::now();
    double elapsed = 0;
    do {
      f();
      ++calls;
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < at_least);
    best = std::min(best, elapsed / calls);
  }
  return best;
}

/// {"bench": …, "case": …, "ratio": …, "against": …, "value": …, "unit": …}
inline void report(const std::string& bench, const std::string& name, double ratio,
                   const std::string& against, double value, const std::string& unit) {
  fmt::print(
      "{{\"bench\": \"{}\", \"case\": \"{}\", \"ratio\": {:.4g}, \"against\": \"{}\", \"value\": {:.6g}, "
      "\"unit\": \"{}\"}}\n",
      bench, name, ratio, against, value, unit);
  std::fflush(stdout);
}

inline double peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024.0;
}

}  // namespace escapement::benchmarks
