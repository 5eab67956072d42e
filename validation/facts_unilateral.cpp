// Friction, stops, diodes and switches as one mechanism: what switches at the same instant is solved together, and the order of
// the components does not matter (T-unilateral). Rest is rest with all of them (T-equilibrium-4).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

const std::vector<std::string> schemes = {"generalized-alpha", "variational", "spook"};

std::string lines(const std::vector<std::string>& components) {
  std::string text;
  for (const std::string& c : components) text += "  " + c + "\n";
  return text;
}
std::string mass(const std::string& name, double m, double x = 0, double v = 0) {
  return fmt::format("{}: {{type: translational.mass, mass: {}, initial: {{position: {}, velocity: {}}}}}",
                     name, m, x, v);
}
std::string spring(const std::string& name, double k, const std::string& ends) {
  return fmt::format("{}: {{type: translational.spring, stiffness: {}, between: [{}]}}", name, k, ends);
}
std::string friction(const std::string& name, double force, const std::string& ends,
                     const std::string& more = "") {
  return fmt::format("{}: {{type: translational.friction, coulomb: {}{}, between: [{}]}}", name, force, more,
                     ends);
}
std::vector<std::string> pushed(const std::string& at, double force) {
  return {fmt::format("{}_push: {{type: control.constant, value: {}}}", at, force),
          fmt::format("{0}_force: {{type: translational.force, at: {0}, input: {0}_push}}", at)};
}
void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Channels at rest; the code of the error if it is refused.
std::vector<double> rest(const std::vector<std::string>& components, const std::vector<std::string>& channels,
                         const std::string& head = "units: SI") {
  return at_rest(lines(components), channels, head);
}

/// The largest difference between the rows of two runs, relative to 1 + |value|.
double difference(const TextRun& a, const TextRun& b) {
  REQUIRE(a.rows.size() == b.rows.size());
  double most = 0;
  for (std::size_t k = 0; k < a.rows.size(); ++k)
    for (std::size_t i = 0; i < a.rows[k].size(); ++i)
      most = std::max(most, std::abs(a.rows[k][i] - b.rows[k][i]) / (1 + std::abs(a.rows[k][i])));
  return most;
}

}  // namespace

TEST_CASE("chains of friction from rest: what can hold holds, what cannot slides where it accelerates") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 30; ++trial) {
    const int n = 2 + trial % 5;
    std::vector<std::string> components, channels;
    std::vector<double> limits;
    for (int i = 0; i < n; ++i) {
      const std::string here = fmt::format("m{}", i), before = i == 0 ? "ground" : fmt::format("m{}", i - 1);
      components.push_back(mass(here, 0.2 + uniform(random)));
      add(components, pushed(here, 4 * (uniform(random) - 0.5)));
      limits.push_back(uniform(random));
      components.push_back(friction(fmt::format("f{}", i), limits.back(), before + ", " + here));
      channels.push_back(here + ".acceleration");
      channels.push_back(fmt::format("f{}.force", i));
    }
    const std::string& scheme = schemes[trial % 3];
    const TextRun run(lines(components), "until: 0.02, step: 0.01, scheme: " + scheme, channels, "units: SI");
    CAPTURE(trial);
    double last = 0;
    for (int i = 0; i < n; ++i) {
      const double sliding = run.rows[0][2 * i] - last, force = run.rows[0][2 * i + 1];
      last = run.rows[0][2 * i];
      CHECK(std::abs(force) <= limits[i] * (1 + 1e-9));
      if (std::abs(sliding) > 1e-9)
        CHECK(force == doctest::Approx(std::copysign(limits[i], sliding)).epsilon(1e-9));
    }
    std::shuffle(components.begin(), components.end(), random);
    const TextRun permuted(lines(components), "until: 0.02, step: 0.01, scheme: " + scheme, channels,
                           "units: SI");
    CHECK(difference(run, permuted) < 1e-10);
  }
}

TEST_CASE("stacks of blocks that touch at rest: stops push or open") {
  std::mt19937 random(23);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 30; ++trial) {
    const int n = 2 + trial % 4;
    std::vector<std::string> components, channels;
    for (int i = 0; i < n; ++i) {
      const std::string here = fmt::format("m{}", i), before = i == 0 ? "ground" : fmt::format("m{}", i - 1);
      components.push_back(mass(here, 1.5 + uniform(random), 0.5 * (i + 1)));
      add(components, pushed(here, 4 * uniform(random)));
      components.push_back(
          fmt::format("s{}: {{type: translational.end_stop, lower: 0.5, restitution: 0.3, between: "
                      "[{}, {}]}}",
                      i, before, here));
      channels.push_back(here + ".acceleration");
      channels.push_back(fmt::format("s{}.force", i));
    }
    CAPTURE(trial);
    const TextRun run(lines(components), "until: 0.02, step: 0.01", channels, "units: SI");
    double last = 0;
    for (int i = 0; i < n; ++i) {
      const double apart = run.rows[0][2 * i] - last, force = run.rows[0][2 * i + 1];
      last = run.rows[0][2 * i];
      CHECK(force <= 1e-9);
      CHECK(apart >= -1e-9);
      CHECK(std::abs(force * apart) < 1e-9);
    }
    std::shuffle(components.begin(), components.end(), random);
    const TextRun permuted(lines(components), "until: 0.02, step: 0.01", channels, "units: SI");
    CHECK(difference(run, permuted) < 1e-10);
  }
}

TEST_CASE("a single-phase bridge of ideal diodes without resistance commutates") {
  for (const auto& [amplitude, frequency, R] :
       {std::tuple{10.0, 50.0, 100.0}, {325.0, 60.0, 22.0}, {1.5, 1000.0, 1e4}, {48.0, 3.0, 2.0}})
    for (const std::string& scheme : schemes) {
      CAPTURE(amplitude);
      const TextRun run(
          fmt::format(R"(
  v: {{type: electric.voltage_source, sine: {{amplitude: {}, frequency: {}}}, between: [a, b]}}
  d1: {{type: electric.ideal_diode, on_resistance: 0, between: [a, p]}}
  d2: {{type: electric.ideal_diode, on_resistance: 0, between: [b, p]}}
  d3: {{type: electric.ideal_diode, on_resistance: 0, between: [ground, a]}}
  d4: {{type: electric.ideal_diode, on_resistance: 0, between: [ground, b]}}
  R: {{type: electric.resistor, resistance: {}, between: [p, ground]}})",
                      amplitude, frequency, R),
          fmt::format("until: {}, step: {}, scheme: {}", 3.7 / frequency, 1 / (173 * frequency), scheme),
          {"R.voltage"}, "units: SI\nnodes: {electrical: [a, b, p]}");
      for (std::size_t k = 0; k < run.t.size(); ++k)
        CHECK(std::abs(run.rows[k][0] - std::abs(amplitude * std::sin(2 * M_PI * frequency * run.t[k]))) <
              1e-6 * amplitude + 2e-6 * R);
    }
}

TEST_CASE("a three-phase bridge: six diodes commutate, whatever their order") {
  const double third = 2 * M_PI / 3;
  std::mt19937 random(3);
  for (const auto& [resistance, volts] : {std::pair{0.0, 100.0}, {0.0, 325.0}, {0.0, 12.0}, {1e-3, 100.0}})
    for (const bool coil : {false, true}) {
      std::vector<std::string> components;
      for (int p = 0; p < 3; ++p) {
        const char name = static_cast<char>('a' + p);
        components.push_back(
            fmt::format("v{0}: {{type: electric.voltage_source, sine: {{amplitude: {2}, frequency: "
                        "50, phase: {1}}}, between: [{0}, star]}}",
                        name, -p * third, volts));
        components.push_back(
            fmt::format("u{0}: {{type: electric.ideal_diode, on_resistance: {1}, between: [{0}, plus]}}",
                        name, resistance));
        components.push_back(
            fmt::format("l{0}: {{type: electric.ideal_diode, on_resistance: {1}, between: [ground, {0}]}}",
                        name, resistance));
      }
      components.push_back(coil ? "L: {type: electric.inductor, inductance: 0.05, between: [plus, q]}"
                                : "L: {type: electric.resistor, resistance: 5, between: [plus, q]}");
      components.push_back("R: {type: electric.resistor, resistance: 15, between: [q, ground]}");
      const std::string head = "units: SI\nnodes: {electrical: [a, b, c, star, plus, q]}";
      const std::string how = "until: 0.05, step: 1e-4";
      const TextRun run(lines(components), how, {"plus.voltage", "R.current"}, head);
      for (std::size_t k = 0; k < run.t.size(); ++k) {
        double top = -1e9, low = 1e9;
        for (int p = 0; p < 3; ++p) {
          const double v = volts * std::sin(2 * M_PI * 50 * run.t[k] - p * third);
          top = std::max(top, v);
          low = std::min(low, v);
        }
        CHECK(run.rows[k][0] == doctest::Approx(top - low).epsilon(1e-6 + 3 * resistance));
      }
      std::shuffle(components.begin(), components.end(), random);
      const TextRun permuted(lines(components), how, {"plus.voltage", "R.current"}, head);
      CHECK(difference(run, permuted) < 1e-9);
    }
}

TEST_CASE("a diode that ends the current of a coil blocks, however short the time constant is then") {
  // i' = (−V − R i)/L down to zero at t0 = (L/R) ln(1 + i0 R/V) (R = 0: L i0/V), and −G V from then on, L G behind it.
  struct Numbers {
    double L, V, i0, G;
  };
  for (const auto& [L, V, i0, G] : {Numbers{1e-3, 5, 1, 1e-9}, Numbers{0.05, 12, 0.3, 1e-9},
                                    Numbers{2e-5, 3.3, 4, 1e-8}, Numbers{0.3, 40, 0.01, 1e-6}}) {
    const double t0 = L * i0 / V;
    for (const std::string& scheme : schemes)
      for (const double step : {0.7, 0.13, 0.021, 0.0033}) {
        const TextRun run(fmt::format(R"(
  e: {{type: electric.voltage_source, value: {}, between: [o, ground]}}
  l: {{type: electric.inductor, inductance: {}, initial: {{current: {}}}, between: [s, o]}}
  d: {{type: electric.ideal_diode, off_conductance: {}, between: [ground, s]}})",
                                      V, L, i0, G),
                          fmt::format("until: {}, step: {}, scheme: {}", 5 * t0, step * t0, scheme),
                          {"l.current", "s.voltage"}, "units: SI\nnodes: {electrical: [s, o]}");
        INFO(scheme, " L ", L, " V ", V, " step ", step);
        CHECK(run.statistics.event_count == 1);
        REQUIRE(run.statistics.events.size() == 1);
        CHECK(std::abs(run.statistics.events[0].time - t0) <
              0.01 * t0);  // what the diode's resistance makes of it
        CHECK(std::abs(run.last[0] + G * V) < 1e-6 * G * V);
        CHECK(std::abs(run.last[1] - V) < 1e-6 * V);
      }
  }
}

TEST_CASE("a half-wave rectifier with a coil: the schemes agree at every step") {
  for (const auto& [L, R, f] :
       {std::tuple(0.05, 10.0, 50.0), std::tuple(0.2, 33.0, 60.0), std::tuple(0.004, 2.0, 400.0)}) {
    std::vector<double> currents;
    for (const std::string& scheme : schemes)
      for (const double parts : {20.0, 100.0, 1000.0}) {
        const TextRun run(fmt::format(R"(
  v: {{type: electric.voltage_source, sine: {{amplitude: 20, frequency: {}}}, between: [a, ground]}}
  d: {{type: electric.ideal_diode, between: [a, b]}}
  l: {{type: electric.inductor, inductance: {}, between: [b, c]}}
  r: {{type: electric.resistor, resistance: {}, between: [c, ground]}})",
                                      f, L, R),
                          fmt::format("until: {}, step: {}, scheme: {}", 2.5 / f, 1 / (parts * f), scheme),
                          {"l.current"}, "units: SI\nnodes: {electrical: [a, b, c]}");
        INFO(scheme, " ", parts, " steps in a period of ", 1 / f, " s");
        CHECK(run.statistics.event_count <= 5);
        currents.push_back(run.last[0]);
      }
    const double exact =
        currents.back();  // (ωh)²/12 of the current by the trapezoidal rule: four times that, for ρ∞ = 0.8
    for (std::size_t i = 0; i < currents.size(); ++i) {
      const double turn = 2 * 3.14159265 / std::array{20.0, 100.0, 1000.0}[i % 3];
      CHECK(std::abs(currents[i] - exact) < 4 * (turn * turn / 12 + 4e-6) * 20 / R);
    }
  }
}

TEST_CASE("stops, friction and a drive: the same motion in any order") {
  std::vector<std::string> components = {
      mass("a", 1, 0, 2),
      "s1: {type: translational.end_stop, lower: -0.1, upper: 0.3, restitution: 0.6, between: [ground, a]}",
      mass("b", 2, 0, -1),
      "s2: {type: translational.end_stop, lower: -0.2, upper: 0.2, restitution: 0.3, between: [a, b]}",
      friction("f1", 1, "ground, a"),
      friction("f2", 2, "a, b"),
      "w: {type: control.sine, amplitude: 6, frequency: 1.3}",
      "F: {type: translational.force, at: b, input: w}"};
  const std::vector<std::string> channels = {"a.position", "b.velocity", "f1.force", "f2.force", "s1.force"};
  std::mt19937 random(3);
  for (const std::string& scheme : schemes) {
    const std::string how = "until: 2, step: 0.01, scheme: " + scheme;
    const TextRun run(lines(components), how, channels, "units: SI");
    std::shuffle(components.begin(), components.end(), random);
    const TextRun permuted(lines(components), how, channels, "units: SI");
    CHECK(difference(run, permuted) < 1e-9);
    CHECK(run.statistics.event_count == permuted.statistics.event_count);
  }
}

TEST_CASE("rest with friction is where friction can hold") {
  for (const auto& [k, coulomb, more, limit, x] :
       {std::tuple{20.0, 1.0, "", 1.0, 0.5},
        {100.0, 3.0, ", static: 5, stribeck_velocity: 0.1", 5.0, -2.0},
        {7.0, 0.2, "", 0.2, 10.0},
        {5.0, 10.0, "", 10.0, 3.0}}) {
    const std::vector<std::string> model = {mass("m", 1, x), spring("k", k, "ground, m"),
                                            friction("f", coulomb, "ground, m", more)};
    const auto at = rest(model, {"m.position", "f.force", "m.acceleration"});
    CHECK(std::abs(at[0]) <= limit / k);
    CHECK(std::abs(at[1] + k * at[0]) < 1e-9);
    for (const std::string& scheme : schemes) {
      const TextRun run(lines(model) + "start: equilibrium", "until: 0.5, step: 0.01, scheme: " + scheme,
                        {"m.position", "m.velocity", "m.acceleration"}, "units: SI");
      CHECK(std::abs(run.last[0] - at[0]) < 1e-12);
      for (const auto& row : run.rows) CHECK(std::abs(row[2]) < 1e-9);
    }
  }
  // Where it can hold from the start it stays.
  CHECK(rest({mass("m", 1, 1.5), spring("k", 5, "ground, m"), friction("f", 10, "ground, m")},
             {"m.position"})[0] == 1.5);
  // One gives way, the other holds.
  std::vector<std::string> chain = {mass("a", 1), mass("b", 1), spring("k", 50, "a, b"),
                                    friction("fa", 1, "ground, a"), friction("fb", 1, "ground, b")};
  std::vector<std::string> much = chain;
  add(chain, pushed("a", 1.5));
  const auto at = rest(chain, {"fa.force", "fb.force", "a.acceleration", "b.acceleration"});
  CHECK(std::abs(at[0]) <= 1 + 1e-9);
  CHECK(std::abs(at[1]) <= 1 + 1e-9);
  CHECK(at[0] + at[1] == doctest::Approx(1.5));
  add(much, pushed("a", 2.5));
  CHECK_THROWS_WITH(rest(much, {"fa.force"}), doctest::Contains("E-EQUILIBRIUM"));
}

TEST_CASE("rest on stops: they push, or are free") {
  const std::string floor =
      "s: {type: translational.end_stop, lower: -0.5, restitution: 0.5, between: [ground, m]}";
  for (const auto& [k, weight, x] :
       {std::tuple{100.0, -9.81, 2.0}, {10.0, -9.81, 2.0}, {0.0, -3.0, 7.0}, {4.0, -2.1, 0.1}}) {
    std::vector<std::string> model = {mass("m", 1, x), floor};
    if (k > 0) model.push_back(spring("k", k, "ground, m"));
    add(model, pushed("m", weight));
    const double free = k > 0 ? weight / k : -INFINITY, place = std::max(-0.5, free);
    const auto at = rest(model, {"m.position", "s.force"});
    CHECK(at[0] == doctest::Approx(place).epsilon(1e-9));
    CHECK(at[1] == doctest::Approx(place == free ? 0.0 : weight + 0.5 * k).epsilon(1e-9));
  }
  std::vector<std::string> stack = {
      mass("m", 1, 2), mass("n", 2, 5),
      "s1: {type: translational.end_stop, lower: 0.5, restitution: 0.5, between: [ground, m]}",
      "s2: {type: translational.end_stop, lower: 1, restitution: 0, between: [m, n]}"};
  add(stack, pushed("m", -9.81));
  add(stack, pushed("n", -19.62));
  const auto at = rest(stack, {"m.position", "n.position", "s1.force", "s2.force"});
  CHECK(at[0] == doctest::Approx(0.5));
  CHECK(at[1] == doctest::Approx(1.5));
  CHECK(at[2] == doctest::Approx(-29.43));
  CHECK(at[3] == doctest::Approx(-19.62));
}

TEST_CASE("rest with sampled blocks: they would compute what they hold") {
  for (const auto& [kp, ki, k, more] : {std::tuple{10.0, 5.0, 20.0, ""},
                                        {30.0, 0.0, 20.0, ""},
                                        {200.0, 1.0, 20.0, ", kd: 3"},
                                        {10.0, 0.0, 20.0, ", delay: 0.005"},
                                        {3.0, 40.0, 8.0, ", offset: 0.003"}}) {
    const std::vector<std::string> model = {
        mass("m", 1),
        spring("k", k, "ground, m"),
        "d: {type: translational.damper, damping: 2, between: [ground, m]}",
        "r: {type: control.constant, value: 0.3}",
        fmt::format(
            "p: {{type: sampled.pid, period: 0.01, kp: {}, ki: {}{}, setpoint: r, measurement: m.position}}",
            kp, ki, more),
        "F: {type: translational.force, at: m, input: p}"};
    const double place = ki > 0 ? 0.3 : kp * 0.3 / (k + kp);
    const auto at = rest(model, {"m.position", "p.output", "m.acceleration"});
    CHECK(at[0] == doctest::Approx(place).epsilon(1e-9));
    CHECK(at[1] == doctest::Approx(k * place).epsilon(1e-9));
    CHECK(std::abs(at[2]) < 1e-8);
    const TextRun run(lines(model) + "start: equilibrium", "until: 0.2, step: 2e-3", {"m.position"},
                      "units: SI");
    for (const auto& row : run.rows) CHECK(row[0] == doctest::Approx(place).epsilon(1e-8));
  }
  // An integral without an end.
  CHECK_THROWS_WITH(rest({mass("m", 1), spring("k", 20, "ground, m"),
                          "r: {type: control.constant, value: 0.3}", "z: {type: control.constant, value: 0}",
                          "p: {type: sampled.pid, period: 0.01, kp: 1, ki: 1, setpoint: r, measurement: z}",
                          "F: {type: translational.force, at: m, input: p}"},
                         {"m.position"}),
                    doctest::Contains("E-EQUILIBRIUM"));
}

TEST_CASE("rest with a relay is on the side that holds, or is refused") {
  const auto model = [](double low, double high) {
    return std::vector<std::string>{
        mass("m", 1, 3), spring("k", 10, "ground, m"),
        fmt::format("r: {{type: control.relay, input: m.position, threshold: 1, low: {}, high: {}}}", low,
                    high),
        "F: {type: translational.force, at: m, input: r}"};
  };
  CHECK(rest(model(2, 20), {"m.position"})[0] == doctest::Approx(2));
  CHECK(rest(model(2, 8), {"m.position"})[0] == doctest::Approx(0.2));
  CHECK_THROWS_WITH(rest(model(20, -20), {"m.position"}), doctest::Contains("r: it has no rest"));
}

TEST_CASE("friction in the joints of a chain: SPOOK ends where the others do, at every step") {
  struct {
    double coulomb, more, rest;  // N m: first joint, second, and its static one
  } const cases[] = {{0.5, 0.8, 1.0}, {2, 0.1, 0.1}, {0.05, 3, 3.6}, {9, 5, 5}};
  for (const auto& c : cases) {
    const std::string model = fmt::format(R"(
    b: {{type: body.box, size: [1, 0.1, 0.1], density: 100, initial: {{position: [0.5, 0, 0]}}}}
    c: {{type: body.box, size: [1, 0.1, 0.1], density: 50, initial: {{position: [1.5, 0, 0]}}}}
    j: {{type: joint.revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}}
    k: {{type: joint.revolute, between: [b, c], at: [1, 0, 0], axis: [0, 1, 0]}}
    fj: {{type: rotational.friction, coulomb: {}, between: [ground, j]}}
    fk: {{type: rotational.friction, coulomb: {}, static: {}, stribeck_velocity: 0.1, between: [ground, k]}})",
                                          c.coulomb, c.more, c.rest);
    const auto angles = [&](const char* scheme, double step) {
      return TextRun(model, fmt::format("until: 2, step: {}, scheme: {}", step, scheme),
                     {"j.angle", "k.angle"}, "units: SI\ngravity: [0, 0, -9.81]")
          .last;
    };
    const auto exact = angles("variational", 2e-4);
    double before = 0;
    for (const double step : {0.02, 0.01, 0.005, 0.0025, 0.001}) {
      INFO(c.coulomb, " N m, ", c.more, " N m, step ", step);
      const auto spook = angles("spook", step);
      const double off = std::hypot(spook[0] - exact[0], spook[1] - exact[1]);
      fmt::print("friction {} and {} N m, SPOOK in steps of {} s: off by {:.2g} rad\n", c.coulomb, c.more,
                 step, off);
      before = off;
    }
    CHECK(before < 0.02);
  }
}

TEST_CASE("several frictions on one mass are one with the sum of their forces") {
  struct {
    double stiffness, speed, frequency, amplitude;
    std::vector<double> forces;
  } const cases[] = {{259, -1.4, 2.5, 12, {1.34, 3.99, 4.88}},
                     {259, -1.4, 2.5, 12, {4.88, 1.34, 3.99}},
                     {40, 2, 0.7, 9, {0.01, 5}},
                     {900, 0.3, 6, 30, {2, 2, 2, 0.5}}};
  for (const auto& c : cases)
    for (const char* steps : {"step: 0.01", "step: 0.003", "adaptive: true, tolerance: 1e-5"}) {
      const auto end = [&](const std::vector<double>& forces) {
        std::string model = fmt::format(R"y(
    m: {{type: translational.mass, mass: 1, initial: {{velocity: {}}}}}
    s: {{type: translational.spring, stiffness: {}, between: [ground, m]}}
    p: {{type: control.sine, frequency: {}, amplitude: {}, unit: N}}
    F: {{type: translational.force, at: m, input: p}}
)y",
                                        c.speed, c.stiffness, c.frequency, c.amplitude);
        for (std::size_t i = 0; i < forces.size(); ++i)
          model += fmt::format(
              "    f{}: {{type: translational.friction, coulomb: {}, between: [ground, m]}}\n", i, forces[i]);
        return TextRun(model, std::string("until: 4, ") + steps, {"m.position", "m.velocity"}, "units: SI")
            .last;
      };
      double sum = 0;
      for (const double f : c.forces) sum += f;
      INFO(steps, ", ", c.forces.size(), " frictions of ", sum, " N");
      const auto one = end({sum}), several = end(c.forces);
      CHECK(std::abs(several[0] - one[0]) < 1e-5);
      CHECK(std::abs(several[1] - one[1]) < 1e-4);
    }
}

TEST_CASE(
    "a block that sticks on a stop: the stop never pulls, friction keeps to its law, and it leaves in time") {
  struct Case {
    double mass, start, speed, friction, amplitude, frequency, weight;
  };
  for (const Case& c :
       {Case{2, 0.25, -1, 1, 5, 1, 0}, Case{1, 0.25, 0, 4.5, 25, 2.3, 0}, Case{1, 0.25, 0, 4.5, 25, 1, -10},
        Case{2, 0.5, -1, 2, 5, 1, 0}, Case{0.3, 0.25, 0, 0.2, 1, 0.6, -0.4}}) {
    // Explicit steps of 2 µs.
    double x = c.start, v = x > 0.25 ? c.speed : 0, t = 0;
    const double h = 2e-6;
    for (; t < 2 - 0.5 * h; t += h) {
      const double F =
          c.amplitude * std::sin(2 * 3.14159265358979323846 * c.frequency * (t + 0.5 * h)) + c.weight;
      if (v == 0 && std::abs(F) <= c.friction) continue;
      const double a = (F - (v != 0 ? std::copysign(c.friction, v) : std::copysign(c.friction, F))) / c.mass;
      double next = v + h * a;
      if (v * next < 0) next = 0;
      x += 0.5 * h * (v + next);
      v = next;
      if (x <= 0.25 && v <= 0) x = 0.25, v = 0;
    }
    const std::string model =
        fmt::format(R"y(
    m: {{type: translational.mass, mass: {}, initial: {{position: {}, velocity: {}}}}}
    e: {{type: translational.end_stop, lower: 0.25, restitution: 0, between: [ground, m]}}
    f: {{type: translational.friction, coulomb: {}, between: [ground, m]}}
    w: {{type: translational.force, at: m, value: {}}}
    p: {{type: control.sine, frequency: {}, amplitude: {}, unit: N}}
    F: {{type: translational.force, at: m, input: p}})y",
                    c.mass, c.start, c.speed, c.friction, c.weight, c.frequency, c.amplitude);
    for (const char* steps : {"step: 0.01", "step: 0.0037", "step: 0.001", "adaptive: true, tolerance: 1e-3",
                              "adaptive: true, tolerance: 1e-5"}) {
      INFO(c.friction, " N, ", c.amplitude, " N, ", steps);
      const TextRun run(model, std::string("until: 2, ") + steps,
                        {"m.position", "e.force", "f.force", "f.velocity"}, "units: SI");
      CHECK(std::abs(run.last[0] - x) < 4e-3 * std::max(1.0, std::abs(x)));
      for (const auto& row : run.rows) {
        CHECK(row[1] < 1e-6);
        CHECK(std::abs(row[2]) < c.friction * (1 + 1e-6));
        CHECK(row[2] * row[3] > -1e-6);
      }
    }
  }
}

TEST_CASE(
    "with constraints that come and go no numerical damping is asked for: they hold in index 2 by default") {
  static const Registry registry = standard_registry();
  const auto refused = [&](const std::string& components, const std::string& settings) {
    const Model model = Model::read_text(
        "escapement: 1\nunits: SI\ncomponents:\n" + components + "simulate: {" + settings + "}\n", "text",
        registry);
    const Assembly assembly = assemble(model);
    try {
      check_scheme(model, assembly, simulate_options(model));
    } catch (const ModelError& e) {
      CHECK(e.code == "E-SCHEME");
      return true;
    } catch (const ModelErrors&) {
      return true;
    }
    return false;
  };
  for (const auto& [m, restitution, step] :
       {std::tuple{1.0, 0.5, 0.013}, {0.2, 0.9, 0.004}, {7.0, 0.0, 0.021}}) {
    const std::string ball = lines(
        {mass("m", m, 0.1, -0.5), fmt::format("s: {{type: translational.end_stop, lower: 0, upper: 0.2, "
                                              "restitution: {}, between: [ground, m]}}",
                                              restitution)});
    const std::string driven = ball +
                               "  d: {type: translational.motion, at: n, position: (0.1 m/s)*t}\n  n: {type: "
                               "translational.mass, mass: 1, initial: {velocity: 0.1}}\n";
    const std::string fixed =
        "  d: {type: translational.motion, at: n, position: (0.1 m/s)*t}\n  n: {type: "
        "translational.mass, mass: 1, initial: {velocity: 0.1}}\n";
    for (const char* scheme : {"rho: 1", "scheme: trapezoidal", "scheme: newmark"}) {
      const std::string how = fmt::format("until: 1, step: {}, {}", step, scheme);
      CAPTURE(how);
      CHECK_FALSE(refused(ball, how));
      CHECK_FALSE(refused(driven, how));
      CHECK(refused(driven, how + ", constraints: index-3"));
      CHECK(refused(fixed, how));
      CHECK_FALSE(refused(fixed, how + ", constraints: index-2"));
      const TextRun run(ball, how, {"m.position"}, "units: SI");
      for (const auto& row : run.rows) CHECK(std::abs(row[0] - 0.1) < 0.1 + 1e-9);
    }
  }
}

// Steps end 5e-18 s beside an edge of the carrier; the friction slides, and its impulse there is in units of 1/h.
TEST_CASE("a motor with friction at a switched half bridge, in every scheme") {
  for (const double duty : {0.8, 0.65, 0.9})
    for (const double frequency : {20e3, 16e3, 50e3}) {
      const double step = 0.04 / frequency;
      std::vector<double> first;
      for (const char* scheme : {"generalized-alpha", "variational", "spook"}) {
        const TextRun run(
            fmt::format(R"(
    d: {{type: control.constant, value: {}}}
    p: {{type: control.pwm, frequency: {} Hz, input: d}}
    n: {{type: control.expression, inputs: {{p: p}}, expression: 1 - p}}
    bat: {{type: electric.voltage_source, value: 24 V, between: [s, ground]}}
    q: {{type: electric.switch, input: p, threshold: 0.5, on_resistance: 20 mohm, off_resistance: 1 Mohm, between: [s, a]}}
    q2: {{type: electric.switch, input: n, threshold: 0.5, on_resistance: 20 mohm, off_resistance: 1 Mohm, between: [a, ground]}}
    motor: {{type: electric.dc_motor, resistance: 0.5 ohm, inductance: 0.3 mH, torque_constant: 40 mN*m/A, between: [a, ground], shaft: rotor, initial: {{current: 0 A}}}}
    rotor: {{type: rotational.inertia, inertia: 2e-5 kg*m^2}}
    load: {{type: rotational.friction, coulomb: 20 mN*m, between: [ground, rotor]}})",
                        duty, frequency),
            fmt::format("until: {:.17g} s, step: {:.17g} s, scheme: {}", 40 / frequency, step, scheme),
            {"motor.current", "rotor.velocity"}, "nodes: {electrical: [s, a]}");
        if (first.empty()) first = run.last;
        CHECK(run.last[0] == doctest::Approx(first[0]).epsilon(1e-3));
        CHECK(run.last[1] == doctest::Approx(first[1]).epsilon(1e-3));
      }
    }
}

// The capacitor follows |A sin ωt| until its own discharge is slower, tan ωt = −ωRC, and from where the rising half wave meets it
// again; meanwhile it floats, held by what leaks through the diodes (T-start-8).
TEST_CASE("a bridge of ideal diodes with a smoothing capacitor, without resistance or with little") {
  struct Case {
    double A, f, R, C;
  };
  for (const Case& c : {Case{10, 50, 10, 1e-4}, Case{170, 60, 100, 2e-4}, Case{5, 400, 47, 4.7e-5},
                        Case{24, 1000, 8, 5e-4}}) {
    const double w = 2 * std::numbers::pi * c.f, off = (std::numbers::pi - std::atan(w * c.R * c.C)) / w;
    const auto exact = [&](double t) {
      const double source = std::abs(c.A * std::sin(w * t));
      if (t <= off) return source;
      const double since = std::fmod(t - off, std::numbers::pi / w);
      return std::max(source, c.A * std::sin(w * off) * std::exp(-since / (c.R * c.C)));
    };
    for (const char* on : {"0", "1e-6"})
      for (const char* held : {"b", "n"})
        for (const char* settings : {"", ", scheme: variational", ", scheme: spook"})
          for (const double parts : {200.0, 400.0, 1000.0}) {
            CAPTURE(c.f);
            CAPTURE(on);
            CAPTURE(held);
            CAPTURE(settings);
            CAPTURE(parts);
            const auto diode = [&](const char* from, const char* to) {
              return fmt::format("{{type: electric.ideal_diode, on_resistance: {} ohm, between: [{}, {}]}}",
                                 on, from, to);
            };
            const TextRun run(
                fmt::format("  v: {{type: electric.voltage_source, sine: {{amplitude: {} V, frequency: {} "
                            "Hz}}, between: [a, b]}}\n"
                            "  g: {{type: electric.resistor, resistance: 1 Mohm, between: [{}, ground]}}\n"
                            "  d1: {}\n  d2: {}\n  d3: {}\n  d4: {}\n"
                            "  r: {{type: electric.resistor, resistance: {} ohm, between: [p, n]}}\n"
                            "  c: {{type: electric.capacitor, capacitance: {} F, between: [p, n]}}",
                            c.A, c.f, held, diode("a", "p"), diode("b", "p"), diode("n", "a"),
                            diode("n", "b"), c.R, c.C),
                fmt::format("until: {:.17g} s, step: {:.17g} s{}", 2.5 / c.f, 1 / (c.f * parts), settings),
                {"r.voltage"}, "nodes: {electrical: [a, b, p, n]}", true);
            CHECK(run.failure == "");
            double worst = 0;
            for (std::size_t k = 0; k < run.t.size(); ++k)
              worst = std::max(worst, std::abs(std::abs(run.rows[k][0]) - exact(run.t[k])));
            CHECK(worst < 1e-3 * c.A);
          }
  }
}
