// What adaptive steps must look at besides positions and states: signals that feed events, delays, sampled blocks and rows. Counts
// of events and values of signals against closed forms, and a rectifier against constant steps.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "crossings.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi;

/// The largest error of a channel over all rows, in units of 1 + |exact|.
double largest_error(const TextRun& run, std::size_t channel, const std::function<double(double)>& exact) {
  double worst = 0;
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    const double is = exact(run.t[k]);
    worst = std::max(worst, std::abs(run.rows[k][channel] - is) / (1 + std::abs(is)));
  }
  return worst;
}

}  // namespace

TEST_CASE("sines with adaptive steps: every event of every kind over four decades") {
  const std::vector<double> tolerances = {1e-3, 1e-4, 1e-6}, frequencies = {0.013, 10, 2.3e4};
  std::size_t next = 0;
  for (const double periods : {0.53, 5.3, 53.3, 533.3, 5333.3})
    for (int kind = 0; kind < (periods > 1000 ? 1 : Switches::kinds); ++kind)
      for (const double frequency : frequencies) {
        const double tolerance = periods > 100 ? 1e-3 : tolerances[next++ % tolerances.size()];
        if (periods > 1000 && frequency != 10) continue;
        const Switches s = typical(frequency, periods);
        INFO(Switches::name(kind), ", ", frequency, " Hz, ", periods, " periods, tolerance ", tolerance);
        REQUIRE(!s.ill_conditioned(kind));
        CHECK(s.wrong(kind, adaptive(tolerance)) == "");
      }
}

TEST_CASE("a relay on a sine, adaptive: all events, none twice") {
  // High for a third of the time; none of these was seen, or the run ended as if it chattered.
  for (const double tolerance : {1e-3, 1e-6}) {
    check_relay({10}, 0.5, 5.01, adaptive(tolerance));
    check_relay({1}, 0.5, 5.01, adaptive(tolerance));
    check_relay({7.3}, -0.2, 4.9, adaptive(tolerance));
    check_relay({123, 3, 1}, 2.9, 1.03, adaptive(tolerance));
    check_relay({0.61, 0.5, 2, 4}, 4.1, 40.3, adaptive(tolerance));
    check_relay({2, 1, -0.3}, 0, 3.33, adaptive(tolerance));
    check_relay({1e4, 20}, 15, 2.003e-3, adaptive(tolerance));
  }
  // A run that ends on the last of them, as the sine does with whole periods.
  for (const double frequency : {1.0, 10.0}) {
    const TextRun run =
        run_for(5,
                Wave{frequency}.text("wave") +
                    "  r: {type: control.relay, input: wave, threshold: 0.5, low: 0, high: 1}\n"
                    "  i: {type: control.integrator, input: r}\n",
                adaptive(1e-6), {"i"});
    CHECK(run.failure == "");
    CHECK(run.statistics.event_count == std::lround(10 * frequency));
    CHECK(std::abs(run.last[0] - 5.0 / 3) < 1e-9);
  }
}

TEST_CASE("a shaft at a constant speed: turns and lines, adaptive") {
  // Positions along a straight line have no error: nothing but the counters asks for steps.
  for (const double tolerance : {1e-3, 1e-6})
    for (const double speed : {5.0, 10.0, 20.0, 31.4, 40.0, 60.0, 62.8, 80.0, 100.0, 150.0}) {
      const Shaft shaft{speed, 0.1};
      INFO(speed, " rad/s, tolerance ", tolerance);
      CHECK(shaft.wrong_turns(10, adaptive(tolerance)) == "");
      CHECK(shaft.wrong_saw(10, adaptive(tolerance)) == "");
      CHECK(shaft.wrong_lines(10, 0.7, adaptive(tolerance)) == "");
    }
  for (const auto& [speed, turns] :
       {std::pair{0.05, 1.3}, {6000.0, 10.3}, {2.0, 100.3}, {1e5, 1000.3}, {300.0, 3000.3}}) {
    const Shaft shaft{speed, -2};
    INFO(speed, " rad/s, ", turns, " turns");
    CHECK(shaft.wrong_turns(turns * 2 * pi / speed, adaptive(1e-4)) == "");
  }
}

TEST_CASE("rows between adaptive steps: sources and expressions are what they are at that time") {
  // The mass moves along a straight line, which allows any step. A relay, whose events cut some of them, hides nothing.
  struct Numbers {
    double speed, frequency, wave_number, until, tolerance;
  };
  const double level = 0.413;
  for (const Numbers& n :
       {Numbers{1, 10, 20, 5, 1e-6}, {0.3, 3.7, 55, 7, 1e-3}, {25, 141, 1.9, 3, 1e-4}, {2, 0.9, 3, 60, 1e-5}})
    for (const bool switches : {false, true}) {
      INFO(n.frequency, " Hz, until ", n.until, ", tolerance ", n.tolerance, ", relay ", switches);
      const Wave wave{n.frequency, 1, 0.3};
      const TextRun run = run_for(
          n.until,
          wave.text("wave") +
              fmt::format(R"yaml(
  mass:  {{type: translational.mass, mass: 1, initial: {{velocity: {0}}}}}
  along: {{type: control.expression, inputs: {{x: mass.position}}, expression: "sin(({1} 1/m)*x)"}}
  both:  {{type: control.product, inputs: [wave, along]}}
  twice: {{type: control.gain, gain: 2, input: wave}}
  s:     {{type: {2}}}
)yaml",
                          n.speed, n.wave_number,
                          switches ? fmt::format("control.relay, input: wave, threshold: {}, low: 0", level)
                                   : "control.constant, value: 0"),
          adaptive(n.tolerance) + ", output_every: 10 ms",
          {"wave", "along", "both", "twice", "mass.position", "s"});
      CHECK(run.failure == "");
      CHECK(run.t.size() >= static_cast<std::size_t>(n.until / 0.01));
      // Ten times the tolerance is what errors of a run may add up to; none of these adds up.
      const auto along = [&](double t) { return std::sin(n.wave_number * n.speed * t); };
      CHECK(largest_error(run, 0, wave) <= 10 * n.tolerance);
      CHECK(largest_error(run, 1, along) <= 10 * n.tolerance);
      CHECK(largest_error(run, 2, [&](double t) { return wave(t) * along(t); }) <= 10 * n.tolerance);
      CHECK(largest_error(run, 3, [&](double t) { return 2 * wave(t); }) <= 10 * n.tolerance);
      CHECK(largest_error(run, 4, [&](double t) { return n.speed * t; }) <= 1e-9);
      int wrong = 0;  // levels of the relay, in rows that are not at an event
      for (std::size_t k = 0; k < run.t.size(); ++k) {
        const double above = wave(run.t[k]) - level;
        wrong += std::abs(above) > 1e-6 && run.rows[k][5] != (switches && above > 0 ? 1 : 0);
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("rows between adaptive steps: a function of what moves fits the motion in the same row") {
  for (const auto& [stiffness, k, tolerance] :
       {std::tuple{4.0, 20.0, 1e-4}, {90.0, 7.0, 1e-3}, {1.0, 60.0, 1e-5}}) {
    INFO(stiffness, " N/m, ", k, " rad/m, tolerance ", tolerance);
    const TextRun run = run_for(10,
                                fmt::format(R"yaml(
  mass:   {{type: translational.mass, mass: 1, initial: {{position: 1}}}}
  spring: {{type: translational.spring, stiffness: {}, between: [ground, mass]}}
  along:  {{type: control.expression, inputs: {{x: mass.position}}, expression: "sin(({} 1/m)*x)"}}
)yaml",
                                            stiffness, k),
                                adaptive(tolerance) + ", output_every: 10 ms", {"mass.position", "along"});
    CHECK(run.failure == "");
    const double w = std::sqrt(stiffness);
    CHECK(largest_error(run, 0, [&](double t) { return std::cos(w * t); }) <= 10 * tolerance);
    double worst = 0;
    for (const auto& row : run.rows) worst = std::max(worst, std::abs(row[1] - std::sin(k * row[0])));
    CHECK(worst <= 10 * tolerance);
  }
}

TEST_CASE("delays under adaptive steps: the input repeated within ten times the tolerance") {
  struct Numbers {
    Wave wave;
    double delay, until;
  };
  for (const Numbers& n :
       {Numbers{{1.3}, 2, 10}, {{0.31, 2, 1}, 0.47, 9}, {{6.1, 1, -0.5}, 3.3, 5}, {{23, 3}, 0.9, 2}})
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
      if (tolerance < 1e-5 && n.wave.frequency > 10) continue;  // many steps, and nothing new
      INFO(n.wave.frequency, " Hz, delay ", n.delay, " s, tolerance ", tolerance);
      const double w = 2 * pi * n.wave.frequency;
      const auto late = [&](double t) { return n.wave(std::max(0.0, t - n.delay)); };
      const auto area = [&](double t) {  // of the constant before, then of the wave
        const double since = std::max(0.0, t - n.delay);
        return n.wave(0) * (t - since) +
               n.wave.amplitude / w * (std::cos(n.wave.phase) - std::cos(w * since + n.wave.phase));
      };
      const TextRun run = run_for(
          n.until,
          n.wave.text("wave") + fmt::format("  late: {{type: control.delay, delay: {}, input: wave}}\n"
                                            "  area: {{type: control.integrator, input: late}}\n",
                                            n.delay),
          adaptive(tolerance) + ", output_every: 7 ms", {"late", "area"});
      CHECK(run.failure == "");
      CHECK(largest_error(run, 0, late) <= 10 * tolerance);
      CHECK(largest_error(run, 1, area) <= 10 * tolerance);
    }
}

TEST_CASE("delays under adaptive steps: of what moves, and with a relay behind") {
  for (const auto& [speed, delay, level, tolerance] :
       {std::tuple{1.0, 1.7, 0.3, 1e-4}, {0.21, 4.0, -0.8, 1e-5}, {3.7, 0.33, 0.0, 1e-3}}) {
    INFO(speed, " m/s, delay ", delay, " s, tolerance ", tolerance);
    const Wave wave{20 * speed / (2 * pi), 1, 0.2};  // of the position, 20 rad/m
    const double until = 10;
    const TextRun run = run_for(until,
                                fmt::format(R"yaml(
  mass:  {{type: translational.mass, mass: 1, initial: {{velocity: {}, position: 0.01}}}}
  along: {{type: control.expression, inputs: {{x: mass.position}}, expression: "sin((20 1/m)*x)"}}
  late:  {{type: control.delay, delay: {}, input: along}}
  s:     {{type: control.relay, input: late, threshold: {}}}
)yaml",
                                            speed, delay, level),
                                adaptive(tolerance) + ", output_every: 10 ms", {"late"});
    auto exact = wave.crossings(level, 0, until - delay);
    for (Crossing& c : exact) c.time += delay;
    // The delayed signal may be off by its tolerance, and passes the level with this speed.
    const double rate = 20 * speed * std::sqrt(1 - level * level);
    CHECK(wrong_events(run, "s", exact, until, [&](const Crossing&) { return 20 * tolerance / rate; }) == "");
    CHECK(largest_error(run, 0, [&](double t) { return wave(std::max(0.0, t - delay)); }) <= 10 * tolerance);
  }
}

TEST_CASE("sampled blocks under adaptive steps read their input at the time of the sample") {
  for (const auto& [frequency, period, until, tolerance] :
       {std::tuple{10.0, 0.13, 5.2, 1e-6}, {0.7, 0.5, 20.0, 1e-3}, {377.0, 0.011, 1.1, 1e-4}}) {
    INFO(frequency, " Hz, sampled every ", period, " s, tolerance ", tolerance);
    const Wave wave{frequency, 1, 0.3};
    const TextRun run = run_for(until,
                                wave.text("wave") + fmt::format(R"yaml(
  shaft: {{type: rotational.inertia, inertia: 1, initial: {{velocity: {0:.17g}, angle: 0.3}}}}
  seen:  {{type: control.expression, inputs: {{x: shaft.angle}}, expression: sin(x)}}
  held:  {{type: sampled.hold, period: {1}, input: wave}}
  moved: {{type: sampled.hold, period: {1}, input: seen}}
  area:  {{type: control.integrator, input: held}}
  area2: {{type: control.integrator, input: moved}}
)yaml",
                                                                2 * pi * frequency, period),
                                adaptive(tolerance), {"area", "area2"});
    CHECK(run.failure == "");
    double exact = 0;
    for (double k = 0; k * period < until - 1e-9; ++k)
      exact += wave(k * period) * std::min(period, until - k * period);
    CHECK(std::abs(run.last[0] - exact) < 1e-9);  // pieces of a constant between known times
    CHECK(std::abs(run.last[1] - exact) < 1e-9);
  }
}

TEST_CASE("a rectifier under adaptive steps without a first one: as with constant steps") {
  // The example, and others: mains of whole periods per tenth of the run, which is the longest step, and of odd ones.
  std::ifstream file(std::filesystem::path(ESCAPEMENT_EXAMPLES) / "rectifier" / "model.yaml");
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  const auto begin = text.find("parameters:"), middle = text.find("components:\n"),
             end = text.find("simulate:");
  REQUIRE(end < text.size());
  const auto with = [](std::string where, const std::string& old, const std::string& now) {
    REQUIRE(where.find(old) != std::string::npos);
    return where.replace(where.find(old), old.size(), now);
  };
  const std::string head = text.substr(begin, middle - begin),
                    parts = text.substr(middle + 12, end - middle - 12);
  struct Case {
    double frequency, peak, load, until, tolerance;
  };
  for (const Case& c : {Case{50, 20, 1000, 0.2, 1e-4},
                        {50, 20, 1000, 0.2, 1e-3},
                        {60, 12, 400, 0.2, 1e-4},
                        {400, 30, 2500, 0.05, 1e-4},
                        {50, 20, 100, 0.1137, 1e-5}}) {
    INFO(c.frequency, " Hz, ", c.peak, " V, ", c.load, " ohm, until ", c.until, ", tolerance ", c.tolerance);
    const std::string components = with(with(parts, "50 Hz", fmt::format("{} Hz", c.frequency)), "1 kohm",
                                        fmt::format("{} ohm", c.load));
    const auto run = [&](const std::string& how) {
      return TextRun(components, fmt::format("until: {} s, {}, output_every: 0.1 ms", c.until, how),
                     {"out.voltage"}, with(head, "20 V", fmt::format("{} V", c.peak)), true);
    };
    const TextRun chosen = run(adaptive(c.tolerance)),
                  fine = run(fmt::format("step: {:.17g} s", 1 / (1000 * c.frequency)));
    CHECK(chosen.failure == "");
    REQUIRE(fine.failure == "");
    REQUIRE(fine.last[0] > 0.5 * c.peak);
    CHECK(close(chosen.last[0], fine.last[0], 0.01));
    REQUIRE(chosen.t.size() == fine.t.size());
    double worst = 0;  // of all rows: ten times the tolerance, and what constant steps are off by
    for (std::size_t k = 0; k < fine.t.size(); ++k)
      worst = std::max(worst, std::abs(chosen.rows[k][0] - fine.rows[k][0]));
    CHECK(worst < 0.01 * c.peak + 10 * c.tolerance * c.peak);
  }
}

TEST_CASE("a wave that constant steps see less than twice is told, one that they see is not (T-phase-4)") {
  const auto codes = [](const TextRun& run) {
    std::string all;
    for (const Warning& w : run.statistics.warnings) all += w.code + " ";
    return all;
  };
  for (const double frequency : {1e3, 0.7, 44e3})
    for (const double points : {0.5, 1.0, 1.9, 2.0, 2.5, 10.0})
      for (const char* drives :
           {"i: {type: control.integrator, input: e}",
            "m: {type: translational.mass, mass: 1}\n  f: {type: translational.force, at: m, input: e}"}) {
        INFO(frequency, " Hz, ", points, " points, ", drives);
        const TextRun run(fmt::format("  s: {{type: control.sine, frequency: {}}}\n  e: {{type: "
                                      "control.expression, inputs: {{s: s}}, "
                                      "expression: s*s}}\n  {}",
                                      frequency, drives),
                          fmt::format("until: {}, step: {}", 20 / frequency, 1 / (points * frequency)), {"e"},
                          "units: SI");
        CHECK((codes(run).find("W-ALIASED") != std::string::npos) == (points < 2));
      }
}

TEST_CASE("a delayed wave where steps end because something else jumps and comes out again") {
  for (const auto& [delay, period] : {std::pair{0.028014164307485136, 0.8}, {0.05, 0.37}, {0.0313, 0.211}})
    for (const double tolerance : {1e-3, 8e-6}) {
      INFO(delay, " s, ", period, " s, tolerance ", tolerance);
      const TextRun run(fmt::format(R"y(
  w: {{type: control.sine, amplitude: 1.6, frequency: 2, phase: -2.8, offset: -0.9}}
  late: {{type: control.delay, delay: {0:.17g}, input: w}}
  saw: {{type: control.time_table, table: [[0, 0], [{1}, 1.9]], beyond: repeat}}
  edge: {{type: control.delay, delay: {0:.17g}, input: saw}}
  r: {{type: control.relay, input: edge, threshold: 0.9}})y",
                                    delay, period),
                        fmt::format("until: 2, adaptive: true, tolerance: {}, output_every: 2 ms", tolerance),
                        {"late"}, "units: SI");
      double off = 0;
      for (std::size_t k = 0; k < run.t.size(); ++k)
        if (run.t[k] > delay)
          off = std::max(off, std::abs(run.rows[k][0] + 0.9 -
                                       1.6 * std::sin(4 * std::numbers::pi * (run.t[k] - delay) - 2.8)));
      CHECK(off < 100 * tolerance);
    }
}
