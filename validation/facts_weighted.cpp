// Generalized-α by weighted means, the classical form, beside the exact one (T-weighted): the same positions and velocities where
// nothing reads accelerations, accelerations of first order; with an accelerometer in the loop everything is.
#include <numbers>

#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// A driven oscillator m q̈ + d q̇ + k q = F sin(w t), from rest at q0; exact by superposition.
struct Oscillator {
  double m, d, k, F, w, q0;

  std::string text() const {
    return fmt::format(
        "  mass: {{type: translational.mass, mass: {} kg, initial: {{position: {} m}}}}\n"
        "  spring: {{type: translational.spring, stiffness: {} N/m, between: [ground, mass]}}\n"
        "  damper: {{type: translational.damper, damping: {} N*s/m, between: [ground, mass]}}\n"
        "  push: {{type: control.sine, amplitude: {}, frequency: {:.17g} Hz, unit: N}}\n"
        "  actuator: {{type: translational.force, at: mass, input: push}}\n",
        m, q0, k, d, F, w / (2 * std::numbers::pi));
  }
  /// q, q̇, q̈ at t.
  std::array<double, 3> at(double t) const {
    const double z = d / (2 * m), r = std::sqrt(k / m - z * z);
    const double a = k - m * w * w, b = d * w, s = F * a / (a * a + b * b), c = -F * b / (a * a + b * b);
    const double A = q0 - c, B = (z * A - s * w) / r, e = std::exp(-z * t), C = std::cos(r * t),
                 S = std::sin(r * t);
    const double free = e * (A * C + B * S), rate = e * ((r * B - z * A) * C - (r * A + z * B) * S);
    const double q = free + s * std::sin(w * t) + c * std::cos(w * t),
                 v = rate + w * (s * std::cos(w * t) - c * std::sin(w * t));
    return {q, v, (F * std::sin(w * t) - d * v - k * q) / m};
  }
};

Ladder orders(const Oscillator& o, double rho, const char* form) {
  Ladder ladder({"q", "v", "a"});
  for (const int n : {100, 200, 400, 800}) {
    std::vector<double> worst(3, 0.0);
    const TextRun run(o.text(),
                      fmt::format("until: 4 s, step: {:.17g} s, rho: {}, form: {}", 4.0 / n, rho, form),
                      {"mass.position", "mass.velocity", "mass.acceleration"});
    for (std::size_t r = 1; r < run.rows.size(); ++r)
      for (int i = 0; i < 3; ++i) worst[i] = std::max(worst[i], std::abs(run.rows[r][i] - o.at(run.t[r])[i]));
    ladder.add(4.0 / n, worst);
  }
  ladder.print(fmt::format("driven oscillator, rho = {}, form: {}", rho, form));
  return ladder;
}

}  // namespace

TEST_CASE(
    "positions and velocities of second order, accelerations of first; all of second in the exact form") {
  struct Case {
    Oscillator o;
    double rho;
  };
  for (const Case& c : {Case{{1, 0.2, 4, 1, 3, 0.5}, 0.8}, Case{{0.3, 0.4, 6, -2, 1.5, -1}, 0.2},
                        Case{{5, 1, 8, 10, 2, 0}, 0.5}}) {
    const Ladder weighted = orders(c.o, c.rho, "weighted"), exact = orders(c.o, c.rho, "exact");
    exact.check_second_order(0.05);
    for (int i = 0; i < 2; ++i) {
      CHECK(std::abs(weighted.order(3, i) - 2) < 0.05);
      CHECK(close(weighted.errors[3][i], exact.errors[3][i], 1e-6));  // the same numbers
    }
    CHECK(std::abs(weighted.order(3, 2) - 1) < 0.05);
  }
}

TEST_CASE(
    "an accelerometer in the loop (Brüls & Arnold): first order in everything, second in the exact form") {
  constexpr double exact[] = {-0.56605302318534703096,
                              -3.3403246703146352474};  // q, x at 5 s: validation.facts_spring_mass
  for (const double rho : {0.8, 0.5, 0.2}) {
    Ladder ladders[2] = {Ladder({"q", "x"}), Ladder({"q", "x"})};
    for (const int n : {400, 800, 1600})
      for (int k = 0; k < 2; ++k) {
        const TextRun run(
            "  mass: {type: translational.mass, mass: 1 kg, initial: {position: 5 m}}\n"
            "  spring: {type: translational.spring, stiffness: 1 N/m, between: [ground, mass]}\n"
            "  filter: {type: control.state_space, A: [[-0.1 1/s]], B: [[-1.4 N*s/m]], C: [[1]], D: [[0]], "
            "input: mass.acceleration}\n"
            "  limiter: {type: control.tanh_saturation, limit: 1 N, input: filter}\n"
            "  actuator: {type: translational.force, at: mass, input: limiter}\n",
            fmt::format("until: 5 s, step: {:.17g} s, rho: {}, form: {}", 5.0 / n, rho,
                        k == 0 ? "weighted" : "exact"),
            {"mass.position", "filter"});
        ladders[k].add(5.0 / n, {run.last[0] - exact[0], run.last[1] - exact[1]});
      }
    ladders[0].print(fmt::format("controlled spring-mass, rho = {}, form: weighted", rho));
    ladders[1].check_second_order(0.05);
    for (int i = 0; i < 2; ++i) CHECK(std::abs(ladders[0].order(2, i) - 1) < 0.1);
  }
}

TEST_CASE("what weighted means cannot honour is refused by name") {
  static const Registry registry = standard_registry();
  const auto refusal = [&](const std::string& components, const std::string& settings) {
    const Model model =
        Model::read_text("escapement: 1\ngravity: [0, 0, -9.81 m/s^2]\ncomponents:\n" + components +
                             "simulate: {until: 1 s, form: weighted, " + settings + "}\n",
                         "text", registry);
    try {
      check_scheme(model, assemble(model), simulate_options(model));
    } catch (const ModelError& e) {
      return e.code + " " + e.where + ": " + e.cause;
    }
    return std::string();
  };
  const std::string mass = "  m: {type: translational.mass, mass: 1 kg}\n";
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(refusal(mass, "step: 0.1 s") == "");
  CHECK(has(refusal(mass, "steps: [0.1 s, 0.2 s]"), "E-SCHEME simulate.steps"));
  CHECK(has(refusal(mass, "adaptive: true, tolerance: 1e-3"), "E-SCHEME simulate.adaptive"));
  CHECK(has(refusal("  b: {type: body.box, size: [1 m, 1 m, 2 m], mass: 1 kg}\n", "step: 0.1 s"),
            "what turns in space"));
  CHECK(has(
      refusal(
          mass + "  s: {type: translational.end_stop, between: [ground, m], lower: -1 m, restitution: 0.5}\n",
          "step: 0.1 s"),
      "at no instant"));
  CHECK(has(refusal(mass + "  k: {type: control.step, time: 0.5 s, before: 0, after: 1}\n", "step: 0.1 s"),
            "cannot follow jumps"));
  CHECK(has(refusal("  e: {type: math.equations, unknowns: {x: {kind: position, initial: 1}}, equations: {x: "
                    "2*der2(x) = -x}}\n",
                    "step: 0.1 s"),
            "equations of the user"));
}
