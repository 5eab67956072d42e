// Expressions that jump and bend (T-kink): second order through comparisons, sign, abs, min, max and the corners of tables, in
// every component that takes expressions, under every scheme, with fixed and adaptive steps.
#include <fmt/format.h>

#include <array>
#include <numbers>
#include <random>

#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr std::array schemes{"generalized-alpha", "variational", "spook"};

double last(const std::string& components, const std::string& settings, const std::string& channel,
            const std::string& head = "") {
  return TextRun(components, settings, {channel}, head).last[0];
}

/// Errors at 1 s, with steps that have nothing to do with where it switches.
std::vector<double> errors(const std::string& components, const std::string& channel, double exact,
                           const char* scheme, const std::string& head = "") {
  std::vector<double> list;
  for (const double h : {0.04, 0.02, 0.01, 0.005})
    list.push_back(std::abs(
        last(components, fmt::format("until: 1 s, step: {} s, scheme: {}", h, scheme), channel, head) -
        exact));
  return list;
}

/// Second order: what the errors are over h² does not grow. A first-order part would double it with every half of the step.
void check_second_order(const std::string& components, const std::string& channel, double exact,
                        const std::string& head = "") {
  for (const char* scheme : schemes) {
    const auto e = errors(components, channel, exact, scheme, head);
    INFO(components, scheme, fmt::format(" {:.2e} {:.2e} {:.2e} {:.2e}", e[0], e[1], e[2], e[3]));
    const double constant = std::max(e[0], 4 * e[1]);
    CHECK(e[0] < 0.05 * (std::abs(exact) + 1));
    CHECK(16 * e[2] < 1.5 * constant);
    CHECK(64 * e[3] < 1.5 * constant);
  }
}
/// Where all pieces are solved exactly only the location of the switch is left: 1e-12 of the run, times slopes of order one.
void check_exact(const std::string& components, const std::string& channel, double exact,
                 const std::string& head = "") {
  for (const char* scheme : schemes)
    for (const double e : errors(components, channel, exact, scheme, head)) {
      INFO(components, scheme);
      CHECK(e < 1e-11);
    }
}

}  // namespace

TEST_CASE("a comparison with time: the integral is exact (the first-order defect)") {
  for (const double at : {1 / std::numbers::pi, 0.7390851332, 0.0123456789})
    for (const char* form : {"t > {} s ? 1 : 0", "1 - (t < {} s)", "(t >= {} s)*1", "t <= {} s ? 0 : 1",
                             "0.5 + 0.5*sign(t - {} s)"})
      check_exact(fmt::format(R"y(
  e: {{type: control.expression, expression: "{}"}}
  i: {{type: control.integrator, input: e}})y",
                              fmt::format(fmt::runtime(form), at)),
                  "i", 1 - at);
}

TEST_CASE("sign of a sine: as a relay") {
  for (const auto& [f, phase] : {std::pair(1.3, 0.4), std::pair(0.6, 0.05), std::pair(2.2, 0.21)}) {
    // ∫ sign(sin(ωt + φ)): up to each zero t_k = (kπ − φ)/ω, and on to the end.
    const double omega = 2 * std::numbers::pi * f;
    double exact = 0, from = 0, side = 1;
    for (int k = 1;; ++k) {
      const double zero = (k * std::numbers::pi - phase) / omega;
      exact += side * (std::min(zero, 1.0) - from);
      if (zero >= 1) break;
      from = zero;
      side = -side;
    }
    check_exact(fmt::format(R"y(
  s: {{type: control.sine, amplitude: 2, frequency: {} Hz, phase: {} rad}}
  e: {{type: control.expression, inputs: {{u: s}}, expression: "sign(u)"}}
  i: {{type: control.integrator, input: e}})y",
                            f, phase),
                "i", exact);
  }
}

TEST_CASE("a state that switches its own rate: math.equations") {
  for (const auto& [level, rate, decay] :
       {std::tuple(0.7, 2.0, 3.0), std::tuple(0.31, 1.1, 5.0), std::tuple(1.3, 3.7, 1.5)}) {
    // ẋ = rate up to the level, then ẋ = decay (2 level − x)
    const double at = level / rate;
    const double exact = 2 * level - level * std::exp(-decay * (1 - at));
    const auto model = [](const std::string& law) {
      return "\n  m: {type: math.equations, unknowns: {x: {kind: state}}, equations: {x: \"der(x) = " + law +
             "\"}}";
    };
    check_second_order(model(fmt::format("(x < {0} ? {1} : {2}*(2*{0} - x))", level, rate, decay)), "m.x",
                       exact);
    check_second_order(model(fmt::format("(x < {0})*{1} + (x >= {0})*{2}*(2*{0} - x)", level, rate, decay)),
                       "m.x", exact);
  }
}

TEST_CASE("a velocity that brakes itself: a kink, by max, min, abs and a condition") {
  for (const auto& [a, limit, c] :
       {std::tuple(2.0, 0.5, 8.0), std::tuple(5.0, 1.7, 3.0), std::tuple(1.1, 0.3, 12.0)}) {
    // v̇ = a, beyond the limit v̇ = a − c (v − limit)
    const double at = limit / a, rest = 1 - at, fall = a / c;
    const double exact = 0.5 * a * at * at + (limit + fall) * rest - fall / c * (1 - std::exp(-c * rest));
    for (const char* excess :
         {"max(der(x) - {0}, 0)", "-min({0} - der(x), 0)", "0.5*(der(x) - {0} + abs(der(x) - {0}))",
          "(der(x) > {0} ? der(x) - {0} : 0)"}) {
      const std::string model = fmt::format(
          "\n  m: {{type: math.equations, unknowns: {{x: {{kind: position}}}}, equations: {{x: \"der2(x) = "
          "{} "
          "- {}*{}\"}}}}",
          a, c, fmt::format(fmt::runtime(excess), limit));
      for (const char* scheme : schemes) {
        const auto e = errors(model, "m.x", exact, scheme);
        INFO(model, scheme, fmt::format(" {:.2e} {:.2e} {:.2e} {:.2e}", e[0], e[1], e[2], e[3]));
        // The trapezoidal rule's error of the decay, h²/12 ∫|v⃛| = h²/12 · a c, and three times that for ρ∞ = 0.8.
        for (int k = 0; k < 4; ++k) CHECK(e[k] < 4 * a * c / 12 * std::pow(0.04 / (1 << k), 2));
      }
      for (const double tolerance : {1e-4, 1e-6}) {
        const TextRun run(model, fmt::format("until: 1 s, adaptive: true, tolerance: {}", tolerance),
                          {"m.x"});
        INFO(model);
        CHECK(std::abs(run.last[0] - exact) < tolerance * (1 + exact));
        CHECK(run.statistics.event_count == 1);
        CHECK(run.statistics.warnings.empty());
      }
    }
  }
}

TEST_CASE("springs and dampers by a law, and by a table") {
  for (const auto& [x0, k] : {std::pair(0.3, 40.0), std::pair(0.05, 11.0), std::pair(1.2, 90.0)}) {
    // x0 cos ωt until the spring lets go, then straight on
    const double omega = std::sqrt(k), free = 1 - 0.5 * std::numbers::pi / omega;
    const auto mass = [x0 = x0](const std::string& spring) {
      return fmt::format(R"y(
  m: {{type: translational.mass, mass: 1 kg, initial: {{position: {} m}}}}
  s: {{type: translational.spring, {}, between: [ground, m]}})y",
                         x0, spring);
    };
    for (const std::string& spring : {fmt::format("law: \"elongation > 0 ? ({} N/m)*elongation : 0\"", k),
                                      fmt::format("law: \"({} N/m)*max(elongation, 0)\"", k),
                                      fmt::format("table: [[-1 m, 0], [0, 0], [1 m, {} N]]", k)})
      check_second_order(mass(spring), "m.position", -x0 * omega * free);
    // a force that only changes its sign: parabolas, which every scheme follows exactly
    const double at = std::sqrt(2 * x0 / k), rest = 1 - at;
    if (rest < 0 || rest > 2 * at) continue;
    check_exact(mass(fmt::format("law: \"({} N)*sign(elongation)\"", k)), "m.position",
                -k * at * rest + 0.5 * k * rest * rest);
  }
  for (const double F : {2.0, 3.5, 7.0})  // a damper that pushes only one way: from v = −1 with a = F
    check_exact(fmt::format(R"y(
  m: {{type: translational.mass, mass: 1 kg, initial: {{velocity: -1 m/s}}}}
  f: {{type: control.constant, value: {0} N, unit: N}}
  p: {{type: translational.force, at: m, input: f}}
  d: {{type: translational.damper, law: "velocity > 0 ? (0.5*{0} N) : 0", between: [ground, m]}})y",
                            F),
                "m.velocity", 0.5 * F * (1 - 1 / F));
}

TEST_CASE("loads on a body: jumps with position, velocity and time, in any order of the components") {
  for (const auto& [x0, F, at] :
       {std::tuple(0.3, 2.0, 0.31), std::tuple(0.7, 4.0, 0.123), std::tuple(0.1, 0.5, 0.87)}) {
    const double turn = std::sqrt(2 * x0 / F), rest = 1 - turn;
    const std::string body = fmt::format(
        "\n  b: {{type: body.sphere, radius: 0.1 m, mass: 1 kg, initial: {{position: [{} m, 0, 0], "
        "velocity: "
        "[0, -1 m/s, 0]}}}}",
        x0);
    const std::string load = fmt::format(
        "\n  f: {{type: force.expression, at: b, force: [\"-({0} N)*sign(x)\", \"vy < 0 ? (4 N) : (3 N)\", "
        "\"t > {1} s ? (3 N) : 0\"]}}",
        F, at);
    for (const std::string& model : {body + load, load + body}) {
      check_exact(model, "b.position.x", -F * turn * rest + 0.5 * F * rest * rest, "gravity: none");
      check_exact(model, "b.position.y", -0.125 + 1.5 * 0.75 * 0.75, "gravity: none");
      check_exact(model, "b.position.z", 1.5 * (1 - at) * (1 - at), "gravity: none");
    }
  }
}

TEST_CASE("sources of circuits") {
  for (const auto& [at, tau] : {std::pair(0.3183, 0.5), std::pair(0.71, 0.2), std::pair(0.0417, 1.7)})
    for (const char* source : {"type: electric.behavioural_source, voltage: \"t > {} s ? 1 V : 0\"",
                               "type: electric.voltage_source, expression: \"t > {} s ? 1 V : 0\""})
      check_second_order(fmt::format(R"y(
  v: {{{}, between: [a, ground]}}
  r: {{type: electric.resistor, resistance: 1 kohm, between: [a, b]}}
  c: {{type: electric.capacitor, capacitance: {} mF, between: [b, ground]}})y",
                                     fmt::format(fmt::runtime(source), at), tau),
                         "b.voltage", 1 - std::exp(-(1 - at) / tau), "nodes: {electrical: [a, b]}");
}

TEST_CASE("corners of tables: fixed steps and adaptive ones") {
  for (const auto& [a, b] : {std::pair(0.31, 0.77), std::pair(0.123, 0.456), std::pair(0.5001, 0.9)}) {
    const double slope = -3 / (b - a), rest = 1 - b;
    const double held = 0.5 * a - 0.5 * (b - a) - 2 * rest, on = held + 0.5 * slope * rest * rest;
    const std::string points = fmt::format("[[0, 0], [{}, 1], [{}, -2]]", a, b);
    const std::string timed = fmt::format("[[0, 0], [{} s, 1], [{} s, -2]]", a, b);
    const auto block = [](const std::string& e) {
      return "\n  u: {type: control.ramp, slope: 1}\n  e: {" + e +
             "}\n  i: {type: control.integrator, input: e}";
    };
    for (const auto& [model, exact] :
         {std::pair(block("type: control.table, input: u, table: " + points), on),
          std::pair(block("type: control.table, input: u, beyond: hold, table: " + points), held),
          std::pair(block("type: control.time_table, table: " + timed), held),
          std::pair(block("type: control.time_table, beyond: continue, table: " + timed), on)}) {
      INFO(model);
      for (const char* scheme : {"variational", "spook"})  // of straight pieces the trapezoidal rule is exact
        for (const double e : errors(model, "i", exact, scheme)) CHECK(e < 1e-11);
      const auto e = errors(model, "i", exact, "generalized-alpha");
      for (int k = 0; k < 4; ++k) CHECK(e[k] < 0.1 * std::pow(0.04 / (1 << k), 2));
      const TextRun run(model, "until: 1 s, adaptive: true, tolerance: 1e-6", {"i"});
      CHECK(std::abs(run.last[0] - exact) < 1e-6);
      CHECK(run.statistics.steps < 60);  // straight pieces: steps grow from one corner to the next
    }
  }
}

TEST_CASE("a table of ten thousand points is no ten thousand events, but its one corner is") {
  std::string points;
  for (int i = 0; i <= 10000; ++i) {
    const double x = 1e-3 * i - 5;
    points += fmt::format("{}[{:.4f}, {:.12f}]", i ? ", " : "", x, std::sin(x) + std::max(x - 1, 0.0));
  }
  for (const double amplitude : {4.0, 2.5, 0.9}) {
    const TextRun run(fmt::format(R"y(
  u: {{type: control.sine, amplitude: {}, frequency: 1 Hz}}
  e: {{type: control.table, input: u, table: [{}]}})y",
                                  amplitude, points),
                      "until: 1 s, step: 1 ms", {"e"});
    CHECK(run.statistics.event_count == (amplitude > 1 ? 2 : 0));
    CHECK(run.statistics.steps <= 1002);
  }
}

TEST_CASE("v|v| bends without a jump of its slope: it costs nothing") {
  for (const double c : {0.4, 3.0, 0.02}) {
    const TextRun run(fmt::format(R"y(
  m: {{type: translational.mass, mass: 1 kg, initial: {{velocity: 1 m/s}}}}
  k: {{type: translational.spring, stiffness: 40 N/m, between: [ground, m]}}
  d: {{type: translational.damper, law: "({} N*s^2/m^2)*velocity*abs(velocity)", between: [ground, m]}})y",
                                  c),
                      "until: 10 s, step: 10 ms", {"m.position"});
    CHECK(run.statistics.event_count == 0);
    CHECK(run.statistics.steps == 1000);
  }
}

TEST_CASE("a hard one-sided spring at steps that do not resolve it: it lets go where it lets go") {
  // Contact of 0.44 ms at 2 m/s: with any step the force must not act beyond the release.
  for (const double k : {1e4, 1e5, 1e6})
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      const TextRun run(fmt::format(R"y(
  m: {{type: translational.mass, mass: 20 g, initial: {{velocity: 2 m/s}}}}
  b: {{type: translational.spring, law: "({} N/m)*max(elongation - 5 cm, 0)", between: [ground, m]}})y",
                                    k),
                        fmt::format("until: 0.1 s, step: {} s", h), {"m.velocity"});
      INFO("k ", k, ", h ", h);
      CHECK(run.statistics.event_count == 2);  // it touches, and lets go
      if (h * std::sqrt(k / 0.02) < 0.1) CHECK(run.last[0] == doctest::Approx(-2).epsilon(1e-3));
    }
}

TEST_CASE("nested conditions: only branches that are taken switch") {
  for (const char* settings : {"step: 0.01 s", "step: 0.037 s", "adaptive: true, tolerance: 1e-6"}) {
    const TextRun run(R"y(
  e: {type: control.expression, expression: "t < 0.211 s ? 1 : t < 0.533 s ? (t < 0.4 s ? 2 : 5) : t < 0.777 s ? 3 : 4"}
  never: {type: control.expression, inputs: {e: e}, expression: "t < 2 s ? e : (t > 0.5 s ? sign(t - 0.6 s) : abs(t - 0.1 s)*1e6/(1 s))"}
  i: {type: control.integrator, input: never})y",
                      std::string("until: 1 s, ") + settings, {"i"});
    CHECK(run.last[0] ==
          doctest::Approx(0.211 + 2 * 0.189 + 5 * 0.133 + 3 * 0.244 + 4 * 0.223).epsilon(1e-11));
    CHECK(run.statistics.event_count == 4);
  }
}

TEST_CASE("several at once, and through each other") {
  const auto model = [](bool other_order) {
    const std::string e =
        "\n  e: {type: control.expression, inputs: {u: s}, expression: \"(u > 0)*2 + (u < 0)*3 + "
        "sign(u)\"}";
    const std::string f =
        "\n  f: {type: control.expression, inputs: {u: s, e: e}, expression: \"u > 0 ? e : -e\"}";
    return "\n  s: {type: control.sine, amplitude: 1, frequency: 1 Hz, phase: 0.3 rad}" +
           (other_order ? f + e : e + f) + "\n  i: {type: control.integrator, input: f}";
  };
  // e = 3 and f = 3 above, e = 2 and f = −2 below
  const double zero = 0.5 - 0.15 / std::numbers::pi;
  for (const bool other : {false, true})
    check_exact(model(other), "i", 3 * (zero + 0.0477464829275686) - 2 * 0.5);
}

TEST_CASE("a jump that others pass on or hold back: its part may not show with most inputs") {
  struct Numbers {
    double y0, rate, level, at;
  };
  using Law = double (*)(double y, double j);
  const std::pair<const char*, Law> laws[] = {
      {"abs(min(y, J))", [](double y, double j) { return std::abs(std::min(y, j)); }},
      {"abs(max(y, J))", [](double y, double j) { return std::abs(std::max(y, j)); }},
      {"max(min(y, J), 0)", [](double y, double j) { return std::max(std::min(y, j), 0.0); }},
      {"abs(min(y, min(0.9, J)))",
       [](double y, double j) {
         return std::abs(std::min({y, 0.9, j}));
       }},
      {"min(abs(y), max(J, -y))", [](double y, double j) { return std::min(std::abs(y), std::max(j, -y)); }},
      {"max(y - 0.9, 0)*J + abs(J)*y",
       [](double y, double j) { return std::max(y - 0.9, 0.0) * j + std::abs(j) * y; }},
      {"y > 0 ? max(y, J) : -y", [](double y, double j) { return y > 0 ? std::max(y, j) : -y; }}};
  for (const auto& [y0, rate, level, at] :
       {Numbers{-0.2, 0.7, 0.5, 0.617}, Numbers{0.31, -0.9, 0.23, 0.4142}, Numbers{-0.8, 2.3, 0.37, 0.7071},
        Numbers{1.4, -1.1, 0.61, 0.2345}})
    for (const auto& [text, law] : laws) {
      // All pieces are linear, and end where y passes one of these, or at the jump: their midpoints give the integral.
      std::vector<double> ends{0, at, 1};
      for (const double value : {0.0, level, -level, 0.9})
        ends.push_back(std::clamp((value - y0) / rate, 0.0, 1.0));
      std::sort(ends.begin(), ends.end());
      double exact = 0;
      for (std::size_t i = 1; i < ends.size(); ++i) {
        const double middle = (ends[i - 1] + ends[i]) / 2;
        exact += (ends[i] - ends[i - 1]) * law(y0 + rate * middle, middle < at ? -level : level);
      }
      for (const char* jump : {"{}*sign(c - {})", "(c > {1} ? {0} : -{0})"}) {
        std::string with(text);
        const std::string its = "(" + fmt::format(fmt::runtime(jump), level, at) + ")";
        for (std::size_t k = 0; (k = with.find('J', k)) != std::string::npos; k += its.size())
          with.replace(k, 1, its);
        const std::string model = fmt::format(R"y(
  y: {{type: control.ramp, offset: {}, slope: {}}}
  c: {{type: control.ramp, slope: 1}}
  e: {{type: control.expression, inputs: {{y: y, c: c}}, expression: "{}"}}
  i: {{type: control.integrator, input: e}})y",
                                              y0, rate, with);
        // Corners that are not located cost the change of slope times h²/8 each, and four of them at most 2 |rate| each.
        for (const char* scheme : schemes) {
          const auto e = errors(model, "i", exact, scheme);
          INFO(model, scheme, fmt::format(" {:.2e} {:.2e} {:.2e} {:.2e}", e[0], e[1], e[2], e[3]));
          for (int k = 0; k < 4; ++k) CHECK(e[k] < std::abs(rate) * std::pow(0.04 / (1 << k), 2) + 1e-11);
        }
      }
    }
}

TEST_CASE("blocks with sharp corners: saturation, dead zone, absolute value, largest and smallest") {
  struct Ramps {
    double u0, u1, v0, v1;  // u = u0 + u1 t, v = v0 + v1 t
  };
  const double low = -0.7, high = 0.9;
  using Law = double (*)(double u, double v, double low, double high);
  const std::pair<const char*, Law> blocks[] = {
      {"control.saturation, minimum: {0}, maximum: {1}, input: u",
       [](double u, double, double l, double h) { return std::clamp(u, l, h); }},
      {"control.saturation, maximum: {1}, input: u",
       [](double u, double, double, double h) { return std::min(u, h); }},
      {"control.dead_zone, lower: {0}, upper: {1}, input: u",
       [](double u, double, double l, double h) { return u - std::clamp(u, l, h); }},
      {"control.absolute, input: u", [](double u, double, double, double) { return std::abs(u); }},
      {"control.maximum, inputs: [u, v]", [](double u, double v, double, double) { return std::max(u, v); }},
      {"control.minimum, inputs: [u, v]", [](double u, double v, double, double) { return std::min(u, v); }}};
  for (const auto& [u0, u1, v0, v1] : {Ramps{-1.2, 2.9, 0.8, -1.1}, Ramps{1.7, -3.1, 0.3, 0.4},
                                       Ramps{-0.9, 1.9, -2.2, 4.3}, Ramps{0.2, 1.3, 0.6, 0.11}})
    for (const auto& [text, law] : blocks) {
      std::vector<double> ends{0, 1};
      for (const double at : {(low - u0) / u1, (high - u0) / u1, -u0 / u1, (v0 - u0) / (u1 - v1)})
        ends.push_back(std::clamp(at, 0.0, 1.0));
      std::sort(ends.begin(), ends.end());
      double exact = 0;
      for (std::size_t i = 1; i < ends.size(); ++i) {
        const double middle = (ends[i - 1] + ends[i]) / 2;
        exact += (ends[i] - ends[i - 1]) * law(u0 + u1 * middle, v0 + v1 * middle, low, high);
      }
      const std::string model = fmt::format(R"y(
  u: {{type: control.ramp, offset: {}, slope: {}}}
  v: {{type: control.ramp, offset: {}, slope: {}}}
  e: {{type: {}}}
  i: {{type: control.integrator, input: e}})y",
                                            u0, u1, v0, v1, fmt::format(fmt::runtime(text), low, high));
      // A corner within a step is off by its change of slope times h²/8 at most, one that ends a step by less; there are up to two.
      const double bend = std::max(std::abs(u1 - v1), 2 * std::abs(u1));
      for (const char* scheme : schemes) {
        const auto e = errors(model, "i", exact, scheme);
        INFO(model, scheme, fmt::format(" {:.2e} {:.2e} {:.2e} {:.2e}", e[0], e[1], e[2], e[3]));
        for (int k = 0; k < 4; ++k) CHECK(e[k] < 0.25 * bend * std::pow(0.04 / (1 << k), 2) + 1e-11);
      }
      for (const double tolerance : {1e-4, 1e-7}) {
        const TextRun run(model, fmt::format("until: 1 s, adaptive: true, tolerance: {}", tolerance), {"i"});
        INFO(model, tolerance);
        CHECK(std::abs(run.last[0] - exact) < 2 * tolerance);
        CHECK(run.statistics.warnings.empty());
        CHECK(run.statistics.steps < 400);
      }
    }
}

TEST_CASE("a rate limiter and a play that begin to drag") {
  // Input r t from output 0. The limiter follows with the lag τ up to the rate `rising`, from t = −τ ln(1 − rising/r) at it; the play
  // begins to move at half its gap: y' = (u − g/2 − y)/τ.
  for (const auto& [r, tau, limit] :
       {std::tuple(2.0, 0.2, 1.3), std::tuple(5.0, 0.35, 4.4), std::tuple(1.1, 0.3, 0.6)}) {
    const double at = -tau * std::log(1 - limit / r), lag = limit * tau;
    REQUIRE(at < 1);
    check_second_order(fmt::format(R"y(
  u: {{type: control.ramp, slope: {}}}
  y: {{type: control.rate_limiter, rising: {}, time: {} s, input: u}})y",
                                   r, limit, tau),
                       "y", r * at - lag + limit * (1 - at));
    const double gap = limit, begin = gap / 2 / r, on = 1 - begin;
    check_second_order(fmt::format(R"y(
  u: {{type: control.ramp, slope: {}}}
  y: {{type: control.backlash, gap: {}, time: {} s, input: u}})y",
                                   r, gap, tau),
                       "y", r * (on - tau * (1 - std::exp(-on / tau))));
  }
}

TEST_CASE("events of expressions that bend and jump") {
  for (const char* expression : {"abs(u) - 0.5", "sign(abs(u) - 0.5)", "(abs(u) > 0.5 ? 1 : -1)"}) {
    const TextRun run(fmt::format(R"y(
  s: {{type: control.sine, amplitude: 1, frequency: 1 Hz}}
  n: {{type: control.variable, value: 0}}
  x: {{type: event.crossing, inputs: {{u: s, n: n}}, expression: "{}", direction: rising, set: {{n: n + 1}}}})y",
                                  expression),
                      "until: 2.02 s, step: 0.017 s", {"n", "x.value"});
    CHECK(run.last[0] == 4);
  }
}

TEST_CASE("a servo behind a ramp that stops: adaptive steps go through the corner") {
  for (const auto& [speed, stop] : {std::pair(400.0, 1.0), std::pair(35.0, 0.4321), std::pair(900.0, 1.7)}) {
    const TextRun run(fmt::format(R"y(
  target: {{type: control.expression, unit: rad, expression: "t < {1} s ? ({0} rad/s)*t : {2} rad"}}
  law: {{type: control.expression, inputs: {{r: target, q: rotor.angle, w: rotor.velocity}}, unit: N*m, expression: "(1000 N*m/rad)*(r - q) - (2 N*m*s/rad)*w"}}
  motor: {{type: rotational.torque, at: rotor, input: law}}
  rotor: {{type: rotational.inertia, inertia: 1e-3 kg*m^2}})y",
                                  speed, stop, speed * stop),
                      "until: 2 s, adaptive: true, tolerance: 1e-5", {"rotor.angle"});
    CHECK(run.last[0] == doctest::Approx(speed * stop).epsilon(1e-5));
    CHECK(run.statistics.warnings.empty());
    CHECK(run.statistics.event_count == 1);
  }
}

TEST_CASE("a condition on an acceleration, and equations that exchange their unknown") {
  for (const auto& [k, level] : {std::pair(10.0, -5.0), std::pair(20.0, -3.0), std::pair(7.0, 2.0)}) {
    // ẍ = −k cos(√k t) passes the level
    const double omega = std::sqrt(k), at = std::acos(-level / k) / omega;
    const std::string model = fmt::format(
        "\n  m: {{type: math.equations, unknowns: {{x: {{kind: position, initial: 1}}, y: {{kind: "
        "state}}}}, "
        "equations: {{x: \"der2(x) = -{}*x\", y: \"der(y) = (der2(x) > {} ? 1 : 0)\"}}}}",
        k, level);
    for (const char* scheme : schemes) {
      const auto e = errors(model, "m.y", 1 - at, scheme);
      INFO(scheme, fmt::format(" {:.2e} {:.2e} {:.2e} {:.2e}", e[0], e[1], e[2], e[3]));
      // period error of the schemes, at most ω²h²/6 of the time, and three times that for ρ∞ = 0.8
      for (int i = 0; i < 4; ++i) CHECK(e[i] < 0.5 * k * std::pow(0.04 / (1 << i), 2));
    }
  }
  for (const auto& [at, g] : {std::pair(0.5, 10.0), std::pair(0.317, 3.0), std::pair(0.871, 25.0)})
    check_exact(fmt::format(R"y(
  on: {{type: control.step, time: {} s, before: 1, after: 0}}
  off: {{type: control.constant, value: 0}}
  toy:
    type: math.equations
    inputs: {{c: on, d: off}}
    unknowns: {{x: {{kind: position}}, n: {{kind: signal}}, m: {{kind: signal}}}}
    equations:
      x: "2*der2(x) = -2*{} + n + m"
      n: "(c > 0.5 ? der2(x) : n) = 0"
      m: "(d > 0.5 ? der2(x) : m) = 0")y",
                            at, g),
                "toy.x", -0.5 * g * (1 - at) * (1 - at));
}

TEST_CASE(
    "what jumps or comes to rest exactly on a threshold is on the side that equality belongs to (T-kink-5)") {
  struct Case {
    const char* signal;  // s
    double first, rest;  // its values before t = 1 s and after, where it stays
    double border;
  };
  const std::vector<Case> cases = {
      {"{type: control.step, time: 1 s, before: 1, after: 0}", 1, 0, 0},
      {"{type: control.step, time: 1 s, before: -1, after: 0}", -1, 0, 0},
      {"{type: control.step, time: 1 s, before: 7, after: 3}", 7, 3, 3},
      {"{type: control.step, time: 1 s, before: 0, after: 1e-6}", 0, 1e-6, 1e-6},
      {"{type: control.ramp, start: 0.5 s, end: 1 s, slope: 2}", 0.5, 1, 1},
      {"{type: control.ramp, start: 0.5 s, end: 1 s, slope: -0.2}", -0.05, -0.1, -0.1},
      {"{type: control.time_table, table: [[0, 4], [0.6 s, 4], [1 s, 2.5], [9 s, 2.5]]}", 3.5, 2.5, 2.5},
      {"{type: control.relay, input: w, low: 0, high: 1}", 0, 1, 1},
      {"{type: control.relay, input: v, low: 0, high: 0.3}", 0.3, 0, 0},
      {"{type: sampled.hold, period: 0.25 s, input: u}", 0, 2, 2},
      {"{type: control.expression, inputs: {u: u}, expression: u - 2}", -2, 0, 0}};
  const auto holds = [](const std::string& relation, double a, double b) {
    return relation == ">" ? a > b : relation == ">=" ? a >= b : relation == "<" ? a < b : a <= b;
  };
  for (const Case& c : cases)
    for (const char* relation : {">", ">=", "<", "<="})
      for (const char* how : {"step: 13 ms", "step: 0.2 s", "step: 13 ms, scheme: variational",
                              "adaptive: true, tolerance: 1e-4"}) {
        INFO(c.signal, " ", relation, " ", c.border, ", ", how);
        const TextRun run(fmt::format(R"y(
  u: {{type: control.step, time: 1 s, before: 0, after: 2}}
  w: {{type: control.ramp, slope: 1, offset: -1, unit: 1}}
  v: {{type: control.ramp, slope: -1, offset: 1}}
  s: {}
  b: {{type: control.comparison, input: s, relation: "{}", constant: {}}}
  e: {{type: control.expression, inputs: {{s: s}}, expression: "s {} {} ? 1 : 0"}}
  i: {{type: control.integrator, input: b}}
  j: {{type: control.integrator, input: e}})y",
                                      c.signal, relation, c.border, relation, c.border),
                          fmt::format("until: 3 s, {}", how), {"b", "e", "i", "j"}, "units: SI");
        const double before = holds(relation, c.first, c.border), after = holds(relation, c.rest, c.border);
        CHECK(run.last[0] == after);
        CHECK(run.last[1] == after);
        CHECK(run.last[2] == doctest::Approx(before + 2 * after).epsilon(1e-9));
        CHECK(run.last[3] == doctest::Approx(before + 2 * after).epsilon(1e-9));
      }
}

TEST_CASE(
    "sign of what jumps to zero is zero; an event on what reaches zero fires; a relay is low at its "
    "threshold") {
  for (const auto& [from, at] : {std::pair(2.0, 0.4), {-0.01, 0.731}, {1e3, 0.05}})
    for (const char* how :
         {"step: 20 ms", "step: 0.3 s, scheme: variational", "adaptive: true, tolerance: 1e-4"}) {
      INFO(from, " until ", at, ", ", how);
      const TextRun run(fmt::format(R"y(
  s: {{type: control.step, time: {0}, before: {1}, after: 0}}
  e: {{type: control.expression, inputs: {{s: s}}, expression: sign(s)}}
  i: {{type: control.integrator, input: e}}
  r: {{type: control.relay, input: s}}
  n: {{type: control.variable, value: 0}}
  c: {{type: event.crossing, inputs: {{x: s, n: n}}, expression: x, set: {{n: n + 1}}, direction: both}})y",
                                    at, from),
                        fmt::format("until: 1.3, {}", how), {"e", "i", "r", "n"}, "units: SI");
      CHECK(run.last[0] == 0);
      CHECK(run.last[1] == doctest::Approx((from > 0 ? 1 : -1) * at).epsilon(1e-9));
      CHECK(run.last[2] == -1);
      CHECK(run.last[3] == (from < 0 ? 1 : 0));  // zero counts as positive
    }
  // A counter reaches its number with the event that sets it, not with the next one.
  for (const int number : {1, 3, 8}) {
    const TextRun run(fmt::format(R"y(
  w: {{type: control.sine, frequency: 1, phase: -0.1}}
  n: {{type: control.variable, value: 0}}
  c: {{type: event.crossing, inputs: {{x: w, n: n}}, expression: x, direction: rising, set: {{n: n + 1}}}}
  up: {{type: control.expression, inputs: {{n: n}}, expression: "n >= {0} ? 1 : 0"}}
  down: {{type: control.expression, inputs: {{n: n}}, expression: "n < {0} ? 1 : 0"}}
  i: {{type: control.integrator, input: up}}
  j: {{type: control.integrator, input: down}})y",
                                  number),
                      "until: 10, step: 13 ms", {"i", "j"}, "units: SI");
    const double reached = number - 1 + 0.1 / (2 * std::numbers::pi);
    CHECK(run.last[0] == doctest::Approx(10 - reached).epsilon(1e-9));
    CHECK(run.last[1] == doctest::Approx(reached).epsilon(1e-9));
  }
}

TEST_CASE("sign(v) that slides along its own switch is named; at rest without a load it stays") {
  const auto model = [](double v, double load, const char* law) {
    return fmt::format(R"y(
  m: {{type: translational.mass, mass: 1 kg, initial: {{velocity: {} m/s}}}}
  f: {{type: control.constant, value: {} N, unit: N}}
  p: {{type: translational.force, at: m, input: f}}
  s: {{type: translational.damper, law: "{}", between: [ground, m]}})y",
                       v, load, law);
  };
  for (const char* scheme : schemes)
    for (const auto& [v, load] : {std::pair(1.0, 0.0), std::pair(-3.0, 0.5), std::pair(1.0, -1.5)}) {
      const TextRun run(model(v, load, "(2 N)*sign(velocity)"),
                        fmt::format("until: 3 s, step: 10 ms, scheme: {}", scheme), {"m.velocity"}, "", true);
      CHECK(run.failure == "E-CHATTER");
      CHECK(run.state.t == doctest::Approx(std::abs(v) / (2 - load * (v > 0 ? 1 : -1))).epsilon(1e-9));
    }
  for (const double load : {0.0, 3.0, -5.0}) {
    const double a = load == 0 ? 0 : load > 0 ? load - 2 : load + 2;
    CHECK(last(model(0, load, "(2 N)*sign(velocity)"), "until: 2 s, step: 10 ms", "m.velocity") ==
          doctest::Approx(2 * a).epsilon(1e-12));
  }
  for (const double load : {0.5, -1.0, 1.9})
    CHECK_THROWS_WITH_AS(
        last(model(0, load, "(2 N)*sign(velocity)"), "until: 2 s, step: 10 ms", "m.velocity"),
        doctest::Contains("sign(velocity)"), ModelError);
  // smoothed, it creeps at atanh(load/2) times the width
  for (const double load : {0.5, -1.0, 1.9})
    CHECK(last(model(0, load, "(2 N)*smooth_sign(velocity, (1 cm/s))"), "until: 2 s, step: 1 ms",
               "m.velocity") == doctest::Approx(0.01 * std::atanh(load / 2)).epsilon(1e-6));
}

TEST_CASE("what switches in a loop at one instant is named; a latch finds its state") {
  const char* loop = R"y(
  a: {type: control.expression, inputs: {b: b}, expression: "b > 0.5 ? 0 : 1"}
  b: {type: control.expression, inputs: {a: a}, expression: "a > 0.5 ? 1 : 0"})y";
  CHECK_THROWS_WITH_AS(last(loop, "until: 1 s, step: 10 ms", "a"), doctest::Contains("a (`b > 0.5`) and b"),
                       ModelError);
  const TextRun later(R"y(
  a: {type: control.expression, inputs: {b: b}, expression: "t > 0.2 s ? (b > 0.5 ? 0 : 1) : 0"}
  b: {type: control.gain, gain: 1, input: a})y",
                      "until: 1 s, step: 10 ms", {"a"}, "", true);
  CHECK(later.failure == "E-CHATTER");
  CHECK(later.state.t == doctest::Approx(0.2));
  const TextRun latch(R"y(
  a: {type: control.expression, inputs: {b: b}, expression: "b > 0.5 ? 0 : 1"}
  b: {type: control.expression, inputs: {a: a}, expression: "a > 0.5 ? 0 : 1"})y",
                      "until: 1 s, step: 10 ms", {"a", "b"});
  CHECK(latch.last[0] + latch.last[1] == 1);
}

TEST_CASE("an equilibrium beyond a kink") {
  for (const double load : {-2.0, 3.0, -7.5})
    for (const char* spring : {"law: \"elongation > 0 ? (5 N/m)*elongation : (40 N/m)*elongation\"",
                               "law: \"(5 N/m)*elongation + (35 N/m)*min(elongation, 0)\"",
                               "table: [[-1 m, -40 N], [0, 0], [1 m, 5 N]]"})
      for (const double from : {2.0, -0.1})
        CHECK(last(fmt::format(R"y(
  m: {{type: translational.mass, mass: 1 kg, initial: {{position: {} m}}}}
  f: {{type: control.constant, value: {} N, unit: N}}
  p: {{type: translational.force, at: m, input: f}}
  s: {{type: translational.spring, {}, between: [ground, m]}})y",
                               from, load, spring),
                   "until: 1 s, step: 0.1 s", "m.position",
                   "start: equilibrium") == doctest::Approx(load > 0 ? load / 5 : load / 40).epsilon(1e-9));
}

TEST_CASE("motion prescribed in pieces: the acceleration jumps where the law says") {
  for (const auto& [a, at] : {std::pair(1.0, 0.31), std::pair(3.0, 0.52), std::pair(0.4, 0.777)}) {
    const double k = 40, w = std::sqrt(k), x1 = a * at * at, v1 = 2 * a * at, rest = 1 - at;
    const double n1 = x1 - 2 * a / k * (1 - std::cos(w * at)), u1 = v1 - 2 * a / w * std::sin(w * at);
    const double exact = x1 + v1 * rest + (n1 - x1) * std::cos(w * rest) + (u1 - v1) / w * std::sin(w * rest);
    const std::string model = fmt::format(R"y(
  m: {{type: translational.mass, mass: 2 kg}}
  d: {{type: translational.motion, at: m, position: "t < {0} s ? ({1} m/s^2)*t^2 : ({2:.17g} m) + ({3:.17g} m/s)*(t - {0} s)"}}
  n: {{type: translational.mass, mass: 1 kg}}
  k: {{type: translational.spring, stiffness: 40 N/m, between: [m, n]}})y",
                                          at, a, x1, v1);
    check_second_order(model, "n.position", exact);
    CHECK(std::abs(last(model, "until: 1 s, adaptive: true, tolerance: 1e-6", "n.position") - exact) < 1e-6);
  }
}

TEST_CASE("a jump out of a branch that ends at its border: second order") {
  // v(2 s) of a unit mass pushed by sqrt(t0 - t) until t0, then by c.
  for (const auto& [t0, c] : {std::pair{0.503, 2.0}, {0.711, -1.0}, {1.237, 0.5}}) {
    const double exact = 2.0 / 3 * std::pow(t0, 1.5) + c * (2 - t0);
    std::vector<double> errors;
    for (const double h : {0.04, 0.02, 0.01, 0.005}) {
      const TextRun run(fmt::format(R"y(
  a: {{type: translational.mass, mass: 1 kg}}
  u: {{type: control.expression, expression: "t < {0} s ? sqrt({0} - t/(1 s)) : {1}"}}
  q: {{type: translational.force, at: a, input: u}})y",
                                    t0, c),
                        fmt::format("until: 2 s, step: {} s", h), {"a.velocity"});
      errors.push_back(std::abs(run.last[0] - exact));
    }
    INFO("t0 ", t0, ": ", errors[0], " ", errors[1], " ", errors[2], " ", errors[3]);
    // The root itself leaves h^1.5 where it ends: what a trapezoidal sum of sqrt owes, 0.21 h^1.5, and no more.
    for (std::size_t i = 0; i < errors.size(); ++i)
      CHECK(errors[i] < 0.5 * std::pow(0.04 / std::pow(2, i), 1.5));
  }
}

TEST_CASE("springs whose stiffness changes at zero: each half of a period by itself") {
  std::mt19937 random(7);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<>(a, b)(random); };
  for (int k = 0; k < 300; ++k) {
    // The first one did not converge in the step after its second passage.
    const double mass = k ? between(0.2, 3) : 0.5, position = k ? between(-0.5, 0.5) : 0.202,
                 speed = k ? between(-3, 3) : 2;
    const double right = k ? between(2, 60) : 20, left = k ? between(2, 60) : 5;
    INFO(mass, " kg, ", position, " m, ", speed, " m/s, ", right, " and ", left, " N/m");
    const TextRun run(fmt::format(R"y(
  m: {{type: translational.mass, mass: {:.17g} kg, initial: {{position: {:.17g} m, velocity: {:.17g} m/s}}}}
  k: {{type: control.expression, inputs: {{x: m.position}}, unit: N, expression: "x > 0 ? -({:.17g} N/m)*x : -({:.17g} N/m)*x"}}
  f: {{type: translational.force, at: m, input: k}})y",
                                  mass, position, speed, right, left),
                      "until: 1.5 s, step: 0.01 s, rho: 1", {"m.position", "m.velocity"});
    double x = position, v = speed, t = 0;
    while (t < 1.5) {  // to the next passage, or to the end
      const double w = std::sqrt((x > 0 || (x == 0 && v > 0) ? right : left) / mass);
      double phase = std::atan2(w * x, v);  // x = A sin(phase)
      const double A = std::hypot(x, v / w);
      const bool above = x > 0 || (x == 0 && v > 0);
      const double pi = std::numbers::pi, to = above ? pi : (phase > 0 ? 2 * pi : 0.0);
      const double left_over = (to - phase) / w;
      if (t + left_over > 1.5) {
        phase += w * (1.5 - t);
        x = A * std::sin(phase), v = A * w * std::cos(phase), t = 1.5;
      } else {
        t += left_over, x = 0, v = A * w * std::cos(to);
      }
    }
    const double w = std::sqrt(std::max(right, left) / mass), part = std::pow(0.01 * w, 2) / 12 * 1.5 * w;
    CHECK(std::abs(run.last[0] - x) <
          2 * part * (std::abs(position) + std::abs(speed) / std::sqrt(std::min(right, left) / mass)) + 1e-9);
  }
}
