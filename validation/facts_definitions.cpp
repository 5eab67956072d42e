// math.equations: expressions by name (`let`), signals in constraints, and units with fractional exponents are what they stand
// for: the same models written out.
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// The largest difference between channels of two models, over their rows, relative to the largest value.
double difference(const std::string& a, const std::string& b, const std::string& settings,
                  const std::vector<std::string>& channels) {
  const TextRun first(a, settings, channels), second(b, settings, channels);
  REQUIRE(first.rows.size() == second.rows.size());
  double off = 0, size = 0;
  for (std::size_t r = 0; r < first.rows.size(); ++r)
    for (std::size_t c = 0; c < channels.size(); ++c) {
      off = std::max(off, std::abs(first.rows[r][c] - second.rows[r][c]));
      size = std::max(size, std::abs(first.rows[r][c]));
    }
  REQUIRE(size > 0);
  return off / size;
}

}  // namespace

TEST_CASE("a contact law by named parts, with corners: the same rebounds as written out") {
  struct Set {
    double mass, stiffness, loss, height;
  };
  for (const Set& s : {Set{1, 1e4, 0.2, 0.5}, Set{0.3, 2e3, 0.6, 0.2}, Set{20, 5e6, 0.05, 1}}) {
    const auto ball = [&](const std::string& let, const std::string& force) {
      return fmt::format(
          "  ball:\n    type: math.equations\n    let: {{{}}}\n"
          "    unknowns: {{x: {{kind: position, unit: m, initial: {} m}}}}\n"
          "    equations: {{x: \"({} kg)*der2(x) = {} - ({} kg)*(9.81 m/s^2)\"}}\n",
          let, s.height, s.mass, force, s.mass);
    };
    const std::string depth = "max(-x, 0)", spring = fmt::format("({} N/m)*{}", s.stiffness, depth);
    const std::string named = ball(
        fmt::format("depth: \"{}\", spring: ({} N/m)*depth, contact: \"max(spring*(1 - ({} s/m)*der(x)), "
                    "0 N)\"",
                    depth, s.stiffness, s.loss),
        "contact");
    const std::string written =
        ball("unused: 1", fmt::format("max({}*(1 - ({} s/m)*der(x)), 0 N)", spring, s.loss));
    // Which corners end a step is judged by what they belong to (T-kink-3): both are of second order, (hω)² apart at most.
    const double omega = std::sqrt(s.stiffness / s.mass);
    for (const char* scheme : {"generalized-alpha", "variational"})
      for (const double h : {2e-4, 5e-5})
        CHECK(difference(named, written,
                         fmt::format("until: 1.5 s, step: {} s, output_every: 10 ms, scheme: {}", h, scheme),
                         {"ball.x"}) < std::pow(h * omega, 2));
  }
}

TEST_CASE(
    "constraints on named expressions and on signals of positions and time: the same motion and reactions") {
  struct Set {
    double length, swing, frequency;
  };
  for (const Set& s : {Set{1, 0.1, 3}, Set{0.4, 0.05, 7}, Set{3, -0.6, 1}}) {
    const auto pendulum = [&](const std::string& let, const std::string& unknown, const std::string& equation,
                              const std::string& square, const std::string& length) {
      return fmt::format(
          "  p:\n    type: math.equations\n    let: {{g: 9.81 m/s^2{}}}\n    unknowns:\n"
          "      x: {{kind: position, unit: m, initial: {} m}}\n      y: {{kind: position, unit: m}}\n"
          "      c: {{kind: multiplier, unit: N/m}}\n{}"
          "    equations:\n      x: (2 kg)*der2(x) = 0\n      y: (2 kg)*der2(y) = -(2 kg)*g\n{}"
          "      c: ({} - ({})^2)/2 = 0\n",
          let, s.length, unknown, equation, square, length);
    };
    const std::string law =
        fmt::format("{} m + ({} m)*(1 - cos({}*t/(1 s)))", s.length, s.swing, s.frequency);
    const std::string written = pendulum("", "", "", "x^2 + y^2", law);
    const std::string named = pendulum(", square: x^2 + y^2, rope: " + law, "", "", "square", "rope");
    const std::string signal =
        pendulum("", "      rope: {kind: signal, unit: m}\n      r2: {kind: signal}\n",
                 "      rope: rope = " + law + "\n      r2: x^2 + y*y = r2\n", "r2", "rope");
    for (const char* form : {"index-3", "index-2"}) {
      const std::string settings =
          fmt::format("until: 2 s, step: 2 ms, output_every: 10, constraints: {}", form);
      const std::vector<std::string> channels = {"p.x", "p.y_rate", "p.x_acceleration", "p.c"};
      CHECK(difference(named, written, settings, channels) < 1e-8);
      CHECK(difference(signal, written, settings, channels) < 1e-8);
    }
  }
}

TEST_CASE("definitions in what states store, and of each other") {
  for (const double k : {0.3, 1.0, 4.0}) {
    const auto tank = [&](const std::string& let, const std::string& stored, const std::string& flow) {
      return fmt::format(
          "  e: {{type: math.equations, let: {{{}}}, unknowns: {{h: {{kind: state, initial: 1}}}}, "
          "equations: {{h: \"der({}) = {}\"}}}}\n",
          let, stored, flow);
    };
    CHECK(difference(tank(fmt::format("volume: h + {}*h^3, outflow: 2*h*volume", k), "volume", "-outflow"),
                     tank("unused: 1", fmt::format("h + {}*h^3", k), fmt::format("-2*h*(h + {}*h^3)", k)),
                     "until: 2 s, step: 10 ms", {"e.h"}) < 1e-11);
  }
}

TEST_CASE("twenty definitions of each other, written out a million times as long: x' = −x") {
  std::string let = "a0: x";
  for (int k = 1; k <= 20; ++k) let += fmt::format(", a{0}: (a{1} + a{1})/2", k, k - 1);
  for (const double start : {1.0, -3.0, 0.02}) {
    const TextRun run(
        fmt::format(
            "  e: {{type: math.equations, let: {{{}}}, unknowns: {{x: {{kind: state, initial: {}}}}}, "
            "equations: {{x: der(x) = -a20}}}}\n",
            let, start),
        "until: 1 s, step: 1 ms", {"e.x"});
    CHECK(std::abs(run.last[0] / start - std::exp(-1)) < 1e-6);  // h²/12 t and the scheme's α
  }
}

TEST_CASE("roots of units on the way: sqrt(2/rho)*sqrt(p)") {
  for (const double rho : {1000.0, 850.0, 1.2}) {
    const auto tank = [&](const std::string& head, const std::string& flow) {
      return fmt::format(
          "  e:\n    type: math.equations\n    let: {{{}}}\n"
          "    unknowns: {{p: {{kind: state, unit: Pa, initial: 2 bar}}}}\n"
          "    equations: {{p: der(p) = -(1e4 Pa/m^3)*(1e-2 m^2)*{}}}\n",
          head, flow);
    };
    CHECK(difference(tank(fmt::format("c: sqrt(2/({} kg/m^3))", rho), "c*sqrt(p)"),
                     tank("unused: 1", fmt::format("sqrt(2*p/({} kg/m^3))", rho)), "until: 1 s, step: 10 ms",
                     {"e.p"}) < 1e-12);
  }
}
