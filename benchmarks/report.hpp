// What benchmark programs share: a stopwatch that takes the best of several runs, and one JSON line per result.
#pragma once
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace escapement::benchmarks {

/// Seconds per call: the best of `rounds`, each long enough to measure.
template <class F>
double seconds(F f, int rounds = 5, double at_least = 0.02) {
  using Clock = std::chrono::steady_clock;
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
