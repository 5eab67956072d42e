// A thousand sines of random frequency, amplitude, offset, phase, step and length, each through a relay, a comparison, a
// quantiser, a counter and an ideal diode: every event is there, once, at its time, and nothing chatters.
#include <array>
#include <random>

#include "crossings.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// Numbers that are the same on every machine.
struct Draw {
  std::mt19937 generator;

  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(generator()) + 0.5) / 4294967296.0;
  }
  double over_decades(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
  template <std::size_t n>
  std::string one_of(const std::array<const char*, n>& list) {
    return list[generator() % n];
  }
};

struct Case {
  Switches switches;
  std::string fixed, adaptive;
};

/// Frequencies over seven decades, amplitudes over five, up to 30 periods with 4.3 … 60 steps each. A level may lie beyond
/// the peaks: then nothing may happen.
Case draw(Draw& d) {
  const double frequency = d.over_decades(0.01, 1e5), amplitude = d.over_decades(0.01, 1e3);
  const Wave wave{frequency, amplitude, d.between(-4, 4), amplitude * d.between(-1, 1)};
  const double until = d.over_decades(0.6, 30) / frequency;
  const double level = wave.offset + amplitude * d.between(-1.2, 1.2);
  const double interval = amplitude * d.over_decades(0.25, 1.5);
  const std::string relation = d.one_of<4>({">", ">=", "<", "<="}),
                    direction = d.one_of<3>({"rising", "falling", "both"});
  const double step = 1 / (frequency * d.over_decades(4.3, 60)), tolerance = d.over_decades(1e-6, 1e-3);
  return {{wave, until, level, interval, relation, direction},
          fmt::format("step: {:.17g}", step),
          fmt::format("adaptive: true, tolerance: {:.17g}", tolerance)};
}

/// Runs what is drawn; counts what is wrong, and shows the first of it.
struct Tally {
  int runs = 0, skipped = 0, wrong = 0;
  std::string shown;

  void look(int kind, Switches s, const std::string& settings) {
    if (kind == 4) s.level = std::abs(s.level);  // the knee of a diode is not negative
    if (s.ill_conditioned(kind)) {
      ++skipped;
      return;
    }
    ++runs;
    const std::string what = s.wrong(kind, settings);
    if (what.empty()) return;
    if (++wrong > 8) return;
    const Wave& w = s.wave;
    shown += fmt::format(
        "  {:.6g} + {:.6g} sin(2π {:.6g} t + {:.6g}), level {:.6g}, interval {:.6g}, until {:.6g}, {}: {}\n",
        w.offset, w.amplitude, w.frequency, w.phase, s.level, s.interval, s.until, settings, what);
  }
  void report(const std::string& title) const {
    fmt::print("{}: {} runs, {} left out, {} wrong\n{}", title, runs, skipped, wrong, shown);
    INFO(title);
    CHECK(wrong == 0);
    CHECK(skipped <= 0.02 * (runs + skipped));
  }
};

}  // namespace

TEST_CASE("800 random sines with constant steps") {
  for (int kind = 0; kind < Switches::kinds; ++kind) {
    Draw d{std::mt19937(2021)};
    Tally tally;
    for (int k = 0; k < 800; ++k) {
      const Case c = draw(d);
      tally.look(kind, c.switches, c.fixed);
    }
    tally.report(fmt::format("{}, constant steps", Switches::name(kind)));
  }
}

TEST_CASE("200 random sines with adaptive steps") {
  for (int kind = 0; kind < Switches::kinds; ++kind) {
    Draw d{std::mt19937(77)};
    Tally tally;
    for (int k = 0; k < 200; ++k) {
      const Case c = draw(d);
      tally.look(kind, c.switches, c.adaptive);
    }
    tally.report(fmt::format("{}, adaptive steps", Switches::name(kind)));
  }
}
