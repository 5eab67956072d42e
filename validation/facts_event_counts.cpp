// Counts of events against closed forms: sines, sawteeth, pulses and constant speeds over five decades of frequency times length of
// the run, with every scheme; and that no event depends on how long the run is.
#include "crossings.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi;

}  // namespace

TEST_CASE(
    "sines with constant steps: every event of every kind over five decades of frequency times length") {
  // A wave passes a level twice per period: 1 … 1e5 events. No number of steps fits a whole number of periods.
  struct Length {
    double periods;
    std::vector<double> steps_per_period;
    std::vector<int> kinds;
  };
  const std::vector<Length> lengths = {{0.53, {4.3, 13.7, 60.1}, {0, 1, 2, 3, 4}},
                                       {5.3, {4.3, 5.77, 13.7, 60.1}, {0, 1, 2, 3, 4}},
                                       {53.3, {4.3, 7.13, 21.7}, {0, 1, 2, 3, 4}},
                                       {533.3, {4.3, 13.7}, {0, 1, 2, 3, 4}},
                                       {5333.3, {4.7}, {3}},
                                       {50000.3, {4.3}, {0}}};
  const std::vector<double> frequencies = {0.013, 1, 50, 1e3, 2.3e4};
  std::size_t next = 0;
  for (const Length& l : lengths)
    for (const double steps : l.steps_per_period)
      for (const int kind : l.kinds) {
        const double frequency = frequencies[next++ % frequencies.size()];
        const Switches s = typical(frequency, l.periods);
        INFO(Switches::name(kind), ", ", frequency, " Hz, ", l.periods, " periods of ", steps, " steps");
        REQUIRE(!s.ill_conditioned(kind));
        CHECK(s.wrong(kind, fixed(1 / (frequency * steps))) == "");
      }
}

TEST_CASE("long runs with constant steps: every crossing once, no false chatter") {
  // 50 Hz for 100 s in steps of 3.4 ms: 10,000 events; other frequencies, steps and levels.
  check_relay({50, 1, 0.1}, 0, 100, fixed(3.4e-3));
  check_relay({60, 1, 0.1}, 0.31, 100, fixed(2.9e-3));
  check_relay({400, 2, -1}, -1.1, 20, fixed(0.37e-3));
  check_relay({0.02, 10, 2.2}, 3, 1e5, fixed(9.7));
  check_relay({1e6, 1, 0.5}, 0.7, 2e-3, fixed(0.19e-6));
  // 1 kHz for 10 s ends on a zero, which may be within the run or not: 19,999 or 20,000.
  const TextRun whole =
      run_for(10, Wave{1000}.text("wave") + counter("wave", "x", "both"), fixed(0.2e-3), {"n"});
  CHECK(whole.failure == "");
  CHECK(std::abs(whole.last[0] - 19999.5) < 1);
  CHECK(static_cast<double>(whole.statistics.event_count) == whole.last[0]);
  // What starts at zero counts as positive: no event there.
  CHECK(Switches{{1000}, 9.9998, 0, 1}.wrong(3, fixed(0.2e-3)) == "");
  for (const auto& [wave, level, until, step] : {std::tuple{Wave{1000, 1, 0.2}, 0.0, 4.9998, 0.23e-3},
                                                 {Wave{317, 5, 1}, 4.4, 9.01, 0.71e-3},
                                                 {Wave{2e4, 0.1, 0, 3}, 3.05, 0.15001, 7.7e-6}}) {
    const Switches s{wave, until, level, 1};
    for (const int kind : {1, 3}) {
      INFO(Switches::name(kind), ", ", wave.frequency, " Hz, until ", until, ", step ", step);
      REQUIRE(!s.ill_conditioned(kind));
      CHECK(s.wrong(kind, fixed(step)) == "");
    }
  }
}

TEST_CASE("crossings right behind the ends of steps of half a period: each once (T-event-7)") {
  for (const auto& [frequency, periods] :
       {std::pair{50.0, 30.025}, {60.0, 600.3}, {3.0, 41.2}, {1e3, 200.7}, {7e4, 33.1}})
    for (const double phase : {-1e-7, -1e-9, -1e-10, -1e-11, -1e-12, 0.0, 1e-13, 1e-11, 1e-9})
      for (const char* scheme : {"generalized-alpha", "variational"}) {
        if (periods > 100 && scheme[0] == 'v') continue;
        INFO(frequency, " Hz, phase ", phase, ", ", scheme);
        const Wave wave{frequency, 1, phase};
        const double until = periods / frequency;
        const std::string how = fmt::format("step: {:.17g}, scheme: {}", 0.5 / frequency, scheme);
        const auto exact = in_direction(wave.crossings(0, 0, until), "rising");
        const TextRun count = run_for(until, wave.text("wave") + counter("wave", "x", "rising"), how, {"n"});
        CHECK(count.failure == "");
        CHECK(count.last[0] == static_cast<double>(exact.size()));
        if (phase != 0 && phase != 1e-13)  // there the relay rises as the run starts
          CHECK(Switches{wave, until, 0, 1}.wrong(0, how) == "");
      }
}

TEST_CASE("rows between the ends of steps that end exactly where a trial step had its middle") {
  // A triangle through a relay: rows are finite, on the triangle, whatever the step.
  for (const auto& [period, step] :
       {std::pair{0.0148, 0.1}, {0.0148, 0.05}, {0.37, 0.4}, {2e-4, 1e-3}, {0.0371, 0.01}})
    for (const double corner : {0.25, 0.3, 0.41}) {
      INFO(period, " s, step ", step, ", corner at ", corner);
      const TextRun run(
          fmt::format("  s: {{type: control.time_table, beyond: repeat, table: [[0, 0], [{:.17g}, 1], "
                      "[{:.17g}, -1], [{:.17g}, 0]]}}\n  d: {{type: control.relay, input: s}}\n",
                      corner * period, (1 - corner) * period, period),
          fmt::format("until: {:.17g} s, step: {:.17g} s, output_every: {:.17g} s", 300 * step, step,
                      0.1 * step),
          {"s.output"}, "units: SI", true);
      CHECK(run.failure == "");
      REQUIRE(run.rows.size() == 3001);
      double off = 0;
      for (std::size_t k = 0; k < run.rows.size(); ++k) {
        const double u = run.t[k] / period - std::floor(run.t[k] / period);
        const double y = u < corner       ? u / corner
                         : u < 1 - corner ? 1 - 2 * (u - corner) / (1 - 2 * corner)
                                          : (u - 1) / corner;
        off = std::max(off, std::abs(run.rows[k][0] - y));
      }
      CHECK(off < 1e-8);
    }
}

TEST_CASE("coarsely located events: each crossing once, as near as was asked for (T-event-7)") {
  // Crossings are also placed within the tolerance before and after ends of steps.
  for (const double wanted : {1e-3, 1e-5, 1e-8})  // of a period
    for (const double offset : {-0.9, -0.01, 0.003, 0.4, 1.7})
      for (const auto& [frequency, steps] : {std::pair{0.7, 11.0}, {130.0, 8.0}, {2.3e4, 30.0}}) {
        const double tolerance = wanted / frequency, until = 23.31 / frequency;
        const double first = 3 / (frequency * steps) + offset * tolerance;  // a rising crossing of zero
        const Wave wave{frequency, 2, -2 * pi * frequency * first};
        for (const std::string& how : {fixed(1 / (frequency * steps)), adaptive(1e-4)}) {
          INFO(frequency, " Hz, tolerance ", tolerance, " s, offset ", offset, ", ", how);
          const std::string settings = fmt::format("{}, event_tolerance: {:.17g}", how, tolerance);
          const auto near = [&](const Crossing&) { return 1.01 * tolerance; };
          const Switched exact = above(wave, 0, until);
          const TextRun relay =
              run_for(until, wave.text("wave") + "  s: {type: control.relay, input: wave, low: 0, high: 1}\n",
                      settings, {"s"});
          CHECK(wrong_events(relay, "s", exact.jumps, until, near) == "");
          const TextRun count =
              run_for(until, wave.text("wave") + counter("wave", "x", "both"), settings, {"n"});
          CHECK(count.failure == "");
          CHECK(count.last[0] == static_cast<double>(exact.jumps.size()));
        }
      }
}

TEST_CASE("sawteeth and triangles: every edge and every passage") {
  const double level = 0.3137;
  for (const bool triangle : {false, true})
    for (const auto& [period, periods] :
         {std::pair{77.0, 0.9}, {0.1, 5.9}, {1e-3, 47.9}, {3.3, 499.9}, {2e-5, 1999.9}}) {
      const Saw saw{period, triangle};
      const double until = periods * period;
      const Switched exact = saw.above(level, until);
      std::vector<std::string> settings = {fixed(period / 4.3), fixed(period / 23.7)};
      if (periods < 2000) settings.push_back(adaptive(1e-3));
      if (periods < 100) settings.push_back(adaptive(1e-6));
      for (const std::string& how : settings) {
        INFO((triangle ? "triangle" : "sawtooth"), " of ", period, " s, ", periods, " periods, ", how);
        const std::string number = fmt::format("{:.17g}", level);
        CHECK(wrong_mean(run_for(until,
                                 saw.text() +
                                     "  s: {type: control.relay, input: wave, low: 0, high: 1, threshold: " +
                                     number + "}\n" + mean_of("s", exact),
                                 how, {"mean"}),
                         "s", exact) == "");
        CHECK(wrong_count(run_for(until, saw.text() + counter("wave", "x - " + number, "rising"), how, {"n"}),
                          in_direction(exact.jumps, "rising"), until) == "");
      }
    }
}

TEST_CASE("pulses: both edges are counted, with any steps") {
  for (const auto& [period, duty, until] :
       {std::tuple{0.1, 0.25, 5.03}, {7e-4, 0.9, 0.1003}, {13.0, 0.013, 1003.7}}) {
    Switched exact{until, 1, 1, {}};
    for (double k = 0; k * period < until; ++k)
      for (const auto& [part, sign] : {std::pair{0.0, 1}, std::pair{duty, -1}})
        if ((k + part) > 0 && (k + part) * period < until) exact.jumps.push_back({(k + part) * period, sign});
    const std::string edges = counter("wave", "x - 0.5", "both") + mean_of("wave", exact);
    for (const std::string& how : {fixed(period / 4.7), fixed(3.3 * period), adaptive(1e-4)})
      for (const std::string& source :
           {fmt::format("  wave: {{type: control.pulse, period: {:.17g}, duty: {:.17g}}}\n", period, duty),
            fmt::format("  part: {{type: control.constant, value: {:.17g}}}\n"
                        "  wave: {{type: control.pwm, frequency: {:.17g}, input: part}}\n",
                        duty, 1 / period)}) {
        INFO(source, how);
        const TextRun run = run_for(until, source + edges, how, {"n", "mean"});
        CHECK(wrong_count(run, exact.jumps, until) == "");
        CHECK(std::abs(run.last[1] - exact.mean()) < 1e-9);
      }
  }
}

TEST_CASE("a shaft at a constant speed: turns and lines over five decades, constant steps") {
  for (const auto& [speed, turns, steps] : {std::tuple{0.05, 1.3, 4.3},
                                            {40.0, 10.3, 13.7},
                                            {157.0, 100.3, 60.1},
                                            {6000.0, 1000.3, 5.77},
                                            {3.0, 1e4 + 0.3, 4.3}}) {
    const Shaft shaft{speed, 0.1};
    const double turn = 2 * pi / speed, until = turns * turn;
    INFO(speed, " rad/s, ", turns, " turns of ", steps, " steps");
    CHECK(shaft.wrong_turns(until, fixed(turn / steps)) == "");
    if (turns < 5000) CHECK(shaft.wrong_saw(until, fixed(turn / steps)) == "");
    CHECK(shaft.wrong_lines(until, 0.7, fixed(turn / steps)) == "");
  }
}

TEST_CASE("all schemes: the same events") {
  for (const std::string scheme : {"generalized-alpha", "variational", "spook"})
    for (const double periods : {7.3, 500.3}) {
      const std::string more = fmt::format(", scheme: {}", scheme);
      INFO(scheme, ", ", periods, " periods");
      const Switches s = typical(50, periods);
      for (int kind = 0; kind < Switches::kinds; ++kind) {
        INFO(Switches::name(kind));
        CHECK(s.wrong(kind, fixed(0.02 / 5.77) + more) == "");
      }
      const Shaft shaft{157, 0.1};
      CHECK(shaft.wrong_turns(periods * 0.04, fixed(0.04 / 4.7) + more) == "");
      CHECK(shaft.wrong_lines(periods * 0.04, 0.7, fixed(0.04 / 4.7) + more) == "");
    }
}

TEST_CASE("events do not depend on how long the run is") {
  // An event of a run to T is there at the same time in one to 10 T: to 1e-9 of T, for both are located to 1e-12 of their runs.
  struct Model {
    std::string text;
    double until;
    std::vector<std::string> settings;
  };
  const Wave wave{50, 1, 0.1};
  const std::string relay = "  s: {type: control.relay, input: wave, threshold: 0.37}\n", mass = R"yaml(
  mass:   {type: translational.mass, mass: 1, initial: {position: 1}}
  spring: {type: translational.spring, stiffness: 400, between: [ground, mass]}
)yaml";
  const std::vector<Model> models = {
      {wave.text("wave") + relay, 10.003, {fixed(3.4e-3), adaptive(1e-4)}},
      {wave.text("wave") + counter("wave", "x + 0.2", "both"), 7.003, {fixed(1.3e-3), adaptive(1e-6)}},
      {wave.text("wave") + "  s: {type: control.quantiser, input: wave, interval: 0.3}\n",
       1.003,
       {fixed(4.3e-3), adaptive(1e-3)}},
      {wave.text("wave") + "  s: {type: control.comparison, input: wave, constant: 0.99}\n",
       3.003,
       {fixed(4.3e-3), adaptive(1e-5)}},
      {Saw{0.01, true}.text() + relay, 1.003, {fixed(2.3e-3), adaptive(1e-4)}},
      {Shaft{62.8, 0.1}.text() + counter("shaft.angle", "sin(x)", "rising"),
       20.03,
       {fixed(13e-3), adaptive(1e-6)}},
      {mass + counter("mass.position", "x - (0.2 m)", "both"), 4.003, {fixed(17e-3)}},
      {mass + "  s: {type: control.quantiser, input: mass.velocity, interval: 3}\n", 4.003, {fixed(17e-3)}}};
  for (const Model& m : models)
    for (const std::string& how : m.settings) {
      INFO(m.text, how);
      const TextRun shorter = run_for(m.until, m.text, how, {}),
                    longer = run_for(10 * m.until, m.text, how, {});
      CHECK(shorter.failure == "");
      CHECK(longer.failure == "");
      const auto a = event_times(shorter, "s");
      auto b = event_times(longer, "s");
      std::erase_if(b, [&](double t) { return t > m.until; });
      CHECK(a.size() > 20);
      CHECK(a.size() == b.size());
      double worst = 0;
      for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
        worst = std::max(worst, std::abs(a[k] - b[k]));
      CHECK(worst <= 1e-9 * m.until);
    }
}

TEST_CASE("a peak next to the end of a step, on either side of it") {
  // Above cos(w) of a wave for 2 w of its angle, the middle of which lies a little before or after t = 0.3.
  for (const double offset : {-2e-3, -3e-4, -1e-5, 1e-5, 4e-4, 2e-3})
    for (const double w : {0.005, 0.017, 0.05})
      for (const auto& [frequency, step] : {std::pair{1.5, 0.1}, {1.59, 0.05}, {9.7, 0.1}}) {
        const double turn = 2 * pi * frequency;
        const TextRun run = run_for(
            0.3 + 0.4 / frequency,
            fmt::format("  s: {{type: control.sine, frequency: {:.17g} Hz, phase: {:.17g} rad}}\n"
                        "  r: {{type: control.relay, threshold: {:.17g}, low: 0, high: 1, input: s}}\n",
                        frequency, pi / 2 - turn * (0.3 + offset), std::cos(w)),
            fixed(step), {"r"});
        INFO("offset ", offset, ", w ", w, ", frequency ", frequency);
        std::size_t count = 0;
        for (double middle = 0.3 + offset; middle > -w / turn; middle -= 1 / frequency)
          count += 2 - (middle - w / turn <= 0);
        CHECK(static_cast<std::size_t>(run.statistics.event_count) == count);
      }
}

TEST_CASE("a shaft that turns back within a step") {
  // angle = a + v t - ½ k t²: passages of sin(3.5 angle) through a level, from its extremes one by one.
  for (const auto& [v, level] : {std::pair{36.3, 0.999}, {21.7, 0.99}, {50.1, 0.9997}}) {
    const double a = 1.74, k = 20, until = 3.7;
    const auto g = [&](double t) { return std::sin(3.5 * (a + v * t - 0.5 * k * t * t)) - level; };
    int count = 0;
    const int points = 2000000;
    for (int i = 0; i < points; ++i)
      count += (g(until * i / points) < 0) != (g(until * (i + 1) / points) < 0);
    const std::string text = fmt::format(
        "  j: {{type: rotational.inertia, inertia: 0.1 kg*m^2, initial: {{velocity: {} rad/s, angle: {} "
        "rad}}}}\n"
        "  q: {{type: rotational.torque, at: j, value: -2 N*m}}\n"
        "  s: {{type: control.expression, inputs: {{p: j.angle}}, expression: sin(3.5*p)}}\n"
        "  r: {{type: control.relay, threshold: {}, low: 0, high: 1, input: s}}\n",
        v, a, level);
    for (const std::string& how : {fixed(0.5), fixed(0.1), fixed(0.013), adaptive(1e-4)}) {
      INFO("v ", v, ", level ", level, ", ", how);
      CHECK(run_for(until, text, how, {"r"}).statistics.event_count == count);
    }
  }
}

TEST_CASE("functions of a wave: three times its angle") {
  for (const double level : {0.5, 0.95, 0.99})
    for (const std::string& how : {adaptive(1e-3), adaptive(1e-5), fixed(0.1), fixed(0.01)}) {
      const TextRun run =
          run_for(10,
                  fmt::format("  a: {{type: control.sine, frequency: 7.3 Hz}}\n"
                              "  s: {{type: control.expression, inputs: {{w: a}}, expression: 3*w - 4*w^3}}\n"
                              "  r: {{type: control.relay, threshold: {}, low: 0, high: 1, input: s}}\n",
                              level),
                  how, {"r"});
      INFO("level ", level, ", ", how);
      CHECK(run.statistics.event_count == 438);  // 219 periods
    }
}
