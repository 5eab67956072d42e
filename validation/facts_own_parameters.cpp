// Parameters that stand for themselves in model files (T-alpha-10), steps with and without the update of γ and θ (Brüls & Arnold,
// figure 6), Newmark's β and γ against their closed recursion, and settings of the command line before those of the file.
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

const char* const spring_mass =
    "  mass: {type: translational.mass, mass: 1 kg, initial: {position: 5 m}}\n"
    "  spring: {type: translational.spring, stiffness: 1 N/m, between: [ground, mass]}\n"
    "  filter: {type: control.state_space, A: [[-0.1 1/s]], B: [[-1.4 N*s/m]], C: [[1]], D: [[0]], input: "
    "mass.acceleration}\n"
    "  limiter: {type: control.tanh_saturation, limit: 1 N, input: filter}\n"
    "  actuator: {type: translational.force, at: mass, input: limiter}\n";

/// Chung and Hulbert's, and Jansen, Whiting and Hulbert's, written out.
std::string written_out(double rho) {
  const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), dm = 0.5 * (3 * rho - 1) / (rho + 1);
  const double g = 0.5 + af - am;
  return fmt::format(
      "alpha_m: {:.17g}, alpha_f: {:.17g}, beta: {:.17g}, gamma: {:.17g}, delta_m: {:.17g}, delta_f: "
      "{:.17g}, "
      "theta: {:.17g}",
      am, af, 0.25 * (g + 0.5) * (g + 0.5), g, dm, af, 0.5 + af - dm);
}

}  // namespace

TEST_CASE("figure 6: steps 0.3 H and 0.7 H, with and without the update") {
  constexpr double q5 =
      -0.56605302318534703096;  // 34-digit extrapolation, as in validation.facts_spring_mass
  struct Row {
    double rho, fixed[3], updated[3];  // |e_q(5 s)| at H = 0.1, 0.05, 0.025 s
  };
  for (const Row& row :
       {Row{0.8, {2.471801e-3, 9.147578e-4, 3.759809e-4}, {1.395010e-3, 3.557942e-4, 8.969340e-5}},
        Row{0.2, {1.172361e-2, 4.684926e-3, 2.052452e-3}, {4.993503e-3, 1.226415e-3, 3.040385e-4}},
        Row{0.5, {5.554996e-3, 2.271768e-3, 1.009198e-3}, {2.244114e-3, 5.613415e-4, 1.401527e-4}}})
    for (int k = 0; k < 3; ++k) {
      const double H = 0.1 / (1 << k);
      const std::string steps = fmt::format("until: 5 s, steps: [{:.17g} s, {:.17g} s], {}, ", 0.3 * H,
                                            0.7 * H, written_out(row.rho));
      const auto error = [&](const char* update) {
        return std::abs(TextRun(spring_mass, steps + update, {"mass.position"}).last[0] - q5);
      };
      const double fixed = error("update: false"), updated = error("update_beta: false");
      INFO("rho = ", row.rho, " H = ", H, " fixed ", fixed, " updated ", updated);
      CHECK(close(fixed, row.fixed[k], 1e-4));
      CHECK(close(updated, row.updated[k], 1e-4));
    }
}

TEST_CASE("parameters written out are those of rho") {
  for (const double rho : {0.0, 0.3, 0.8}) {
    const std::string head = "until: 2 s, steps: [50 ms, 20 ms], ";
    const TextRun own(spring_mass, head + written_out(rho), {"mass.position", "filter"});
    const TextRun named(spring_mass, head + fmt::format("rho: {}", rho), {"mass.position", "filter"});
    for (int i = 0; i < 2; ++i) CHECK(std::abs(own.last[i] - named.last[i]) < 1e-12);
    CHECK(own.statistics.warnings.empty());
  }
}

TEST_CASE("Newmark's beta and gamma: the recursion of an oscillator in closed form") {
  // q_{n+1} = 2 A q_n − B q_{n−1}, with D = 1 + βΩ², A = 1 − Ω²(γ + ½)/(2D), B = 1 − Ω²(γ − ½)/D; q_1 = (1 − Ω²(½ − β))/D.
  struct Set {
    double beta, gamma, omega_h;
    bool warns;
  };
  for (const Set& s : {Set{1.0 / 6, 0.5, 0.3, true}, Set{1.0 / 12, 0.5, 0.7, true},
                       Set{0.3025, 0.6, 0.5, true}, Set{0.25, 0.5, 0.4, false}}) {
    const double W = s.omega_h * s.omega_h, D = 1 + s.beta * W, A = 1 - W * (s.gamma + 0.5) / (2 * D),
                 B = 1 - W * (s.gamma - 0.5) / D;
    double before = 1, now = (1 - W * (0.5 - s.beta)) / D;
    for (int n = 1; n < 40; ++n) std::swap(before, now), now = 2 * A * before - B * now;
    const TextRun run(
        fmt::format(
            "  mass: {{type: translational.mass, mass: 1 kg, initial: {{position: 1 m}}}}\n"
            "  spring: {{type: translational.spring, stiffness: {:.17g} N/m, between: [ground, mass]}}\n",
            W),
        fmt::format("until: 40 s, step: 1 s, scheme: newmark, beta: {:.17g}, gamma: {:.17g}", s.beta,
                    s.gamma),
        {"mass.position"});
    INFO("beta = ", s.beta, " gamma = ", s.gamma);
    CHECK(std::abs(run.last[0] - now) < 1e-11);
    CHECK(run.statistics.warnings.empty() == !s.warns);
  }
}

TEST_CASE("conditions that are violated are told by name") {
  const auto warned = [](const std::string& parameters) {
    std::string all;
    for (const Warning& w :
         TextRun(spring_mass, "until: 0.2 s, step: 0.1 s, " + parameters, {"mass.position"})
             .statistics.warnings)
      all += w.message + " " + w.hint + "\n";
    return all;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(warned("alpha_m: 0.3, alpha_f: 0.4, beta: 0.31, gamma: 0.7"), "second order needs"));
  CHECK(has(warned("alpha_m: 0.3, alpha_f: 0.4, beta: 0.31, gamma: 0.5"), "grows, however small the step"));
  CHECK(has(warned("alpha_m: 0.4, alpha_f: 0.3, beta: 0.31, gamma: 0.4"),
            "alpha_m <= alpha_f <= 1/2 is violated"));
  CHECK(has(warned("alpha_m: 0.3, alpha_f: 0.4, beta: 0.28, gamma: 0.6"), "beta = 0.28 is below gamma/2"));
  CHECK(has(warned("delta_m: 0, delta_f: 0, theta: 1"), "theta = 1, but second order needs"));
  CHECK(has(warned("delta_m: 0.2, delta_f: 0, theta: 0.3"), "theta = 0.3 is below 1/2"));
}

namespace {

/// A model whose file says this under `simulate`, read with settings of the command line.
Model read_with(const std::string& settings, std::vector<std::pair<std::string, std::string>> set) {
  static const Registry registry = standard_registry();
  ReadOptions options;
  options.set = std::move(set);
  return Model::read_text("escapement: 1\ncomponents:\n" + std::string(spring_mass) +
                              "simulate: {until: 1 s, " + settings + "}\n",
                          "text", registry, options);
}
std::string code_of(const Model& model) {
  try {
    simulate_options(model);
  } catch (const ModelError& e) {
    return e.code;
  }
  return "";
}

}  // namespace

TEST_CASE("--set goes before the file, and what gives way is told") {
  struct Case {
    const char *file, *key, *value, *note;
  };
  for (const Case& c :
       {Case{"step: 0.1 s, rho: 0.5, constraints: index-2", "scheme", "variational",
             "`rho` and `constraints`"},
        Case{"step: 0.1 s, rho: 0.5, rho_states: 0.3, scheme_states: jwh-alpha", "scheme", "spook",
             "`rho`, `rho_states` and `scheme_states`"},
        Case{"step: 0.1 s, scheme: spook, relaxation: {damping: 3}", "scheme", "newmark", "`relaxation`"},
        Case{"step: 0.1 s, alpha_m: 0, alpha_f: 0, beta: 0.25, gamma: 0.5", "rho", "0.5",
             "`alpha_m`, `alpha_f`, `beta` and `gamma`"},
        Case{"steps: [0.1 s, 0.2 s]", "step", "10 ms", "`steps`"},
        Case{"adaptive: true, tolerance: 1e-4, h_max: 20 ms", "scheme", "variational",
             "`adaptive`, `tolerance` and `h_max`"}}) {
    const Model model = read_with(c.file, {{"simulate." + std::string(c.key), c.value}});
    CAPTURE(c.file);
    CHECK(code_of(model) == "");
    REQUIRE(!model.notes.empty());
    const bool one = std::string(c.note).find(' ') == std::string::npos;
    CHECK(model.notes[0] == fmt::format("--set simulate.{}={}: the file's {} {} ignored", c.key, c.value,
                                        c.note, one ? "is" : "are"));
  }
  const Model adapted =
      read_with("adaptive: true, tolerance: 1e-4, h_max: 20 ms", {{"simulate.scheme", "spook"}});
  CHECK(simulate_options(adapted).steps == std::vector<double>{0.02});
  CHECK(adapted.notes.size() == 2);
}

TEST_CASE("what --set itself says twice is an error") {
  const char* const file = "step: 0.1 s";
  CHECK(code_of(read_with(file, {{"simulate.scheme", "variational"}, {"simulate.rho", "0.5"}})) == "E-VALUE");
  CHECK(code_of(read_with(file, {{"simulate.scheme", "spook"},
                                 {"simulate.adaptive", "true"},
                                 {"simulate.tolerance", "1e-3"}})) == "E-SCHEME");
  CHECK(code_of(read_with(file, {{"simulate.scheme", "newmark"}, {"simulate.relaxation.damping", "1"}})) ==
        "E-VALUE");
  CHECK(code_of(read_with("step: 0.1 s, scheme: variational, rho: 0.5", {})) ==
        "E-VALUE");  // the file's own fault
  CHECK(code_of(read_with("adaptive: true, tolerance: 1e-4", {{"simulate.scheme", "variational"}})) ==
        "E-CHOICE");
}

TEST_CASE("penalties of redundant constraints: 1/regularization, and none of the motion depends on them") {
  // Two equal rods hold a bob: their forces add up to that of one, half of it each (the least size).
  const auto bob = [](int rods, const std::string& settings) {
    std::string text =
        "  bob: {type: planar.mass, mass: 2 kg, gravity: [0, -9.81 m/s^2], initial: {position: [0.6 m, -0.8 "
        "m]}}\n";
    for (int k = 0; k < rods; ++k)
      text += fmt::format("  rod{}: {{type: planar.distance, between: [ground, bob], length: 1 m}}\n", k);
    return TextRun(text, "until: 1 s, step: 2 ms, redundant: true" + settings,
                   {"bob.position.x", "bob.velocity.y", "rod0.tension"});
  };
  const TextRun one = bob(1, "");
  for (const double penalty : {1e4, 1e6, 1e9}) {
    const TextRun by_penalty = bob(2, fmt::format(", penalty: {}", penalty));
    const TextRun by_epsilon = bob(2, fmt::format(", regularization: {:.17g}", 1 / penalty));
    CAPTURE(penalty);
    for (int i = 0; i < 3; ++i) {
      CHECK(by_penalty.last[i] == by_epsilon.last[i]);
      CHECK(std::abs(by_penalty.last[i] * (i == 2 ? 2 : 1) - one.last[i]) < 1e-8 * std::abs(one.last[i]));
    }
  }
}
