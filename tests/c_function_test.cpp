// Functions written in C in running models: feedback of accelerations, order of accuracy, flattening, failures on the way.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"

using namespace escapement;

namespace {

const std::string arguments = "(double t, const double *x, const double *u, const double *p, double *r)";

/// A component with its source inline, and `more` lines of it.
std::string block(const std::string& name, const std::string& code, const std::string& more) {
  std::string text = "  " + name + ":\n    type: control.c_function\n" + more + "    code: |\n";
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) text += "      " + line + "\n";
  return text;
}

Model model_of(const std::string& components, const std::string& rest = "") {
  static const Registry registry = standard_registry();
  ReadOptions options;
  options.trust = true;
  return Model::read_text("escapement: 1\ncomponents:\n" + components + rest, "function.yaml", registry,
                          options);
}

struct Silent final : RunObserver {
  void row(const State&) override {}
  bool step(const StepDone&) override { return true; }
};

double final_value(const Model& model, const std::string& channel) {
  const Assembly assembly = assemble(model);
  Silent silent;
  const RunResult result = simulate(assembly, simulate_options(model), silent);
  if (result.failure) FAIL(result.failure->cause);
  return assembly.read(*assembly.select({{channel, {}, {}}}).at(0), result.state);
}

// ẋ = cos t − x.
const std::string lag =
    "#include <escapement/function.h>\n#include <math.h>\nstatic int f" + arguments +
    " {\n  r[0] = cos(t) - x[0];\n  return 0;\n}\nstatic int h" + arguments +
    " {\n  r[0] = x[0];\n  return 0;\n}\n"
    "const escapement_function function = {.version = 1, .states = 1, .outputs = 1, .f = f, .h = h};\n";

}  // namespace

TEST_CASE("a function may use an acceleration that it causes") {
  // 2 v̇ = F, F = 1 − v̇ / 2: v̇ = 0.4. The loop through the mechanics is algebraic.
  const std::string push =
      "#include <escapement/function.h>\nstatic int h" + arguments +
      " {\n  r[0] = 1 - 0.5 * u[0];\n  return 0;\n}\n"
      "const escapement_function function = {.version = 1, .inputs = 1, .outputs = 1, .h = h};\n";
  const Model model = model_of("  mass: {type: translational.mass, mass: 2 kg}\n" +
                                   block("push", push, "    input: mass.acceleration\n    unit: N\n") +
                                   "  force: {type: translational.force, at: mass, input: push}\n",
                               "simulate: {until: 1 s, step: 0.1 s}\n");
  CHECK(std::abs(final_value(model, "mass.acceleration") - 0.4) < 1e-12);
  CHECK(std::abs(final_value(model, "mass.velocity") - 0.4) < 1e-12);
}

TEST_CASE("second order against the closed form") {
  // ẋ = cos t − x, x(0) = 1: x = (sin t + cos t)/2 + e^(−t)/2.
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    std::vector<double> errors;
    for (const double step : {0.02, 0.01, 0.005}) {
      const Model model =
          model_of(block("lag", lag, "    initial: {state: [1]}\n"),
                   fmt::format("simulate: {{until: 2 s, step: {} s, rho_states: {}}}\n", step, rho));
      errors.push_back(
          std::abs(final_value(model, "lag") - 0.5 * (std::sin(2) + std::cos(2) + std::exp(-2))));
    }
    CAPTURE(rho);
    for (const int i : {0, 1}) CHECK(std::abs(std::log2(errors[i] / errors[i + 1]) - 2.0) < 0.1);
  }
}

TEST_CASE("the model as flattened is the same model") {
  const Model model =
      model_of(block("lag", lag, "    initial: {state: [1]}\n"), "simulate: {until: 1 s, step: 0.01 s}\n");
  static const Registry registry = standard_registry();
  ReadOptions options;
  options.trust = true;
  const Model again = Model::read_text(write_yaml(model.flattened()), "flat.yaml", registry, options);
  CHECK(final_value(model, "lag.state") == final_value(again, "lag.state"));
}

TEST_CASE("a value that is missing at a point tried on the way is no failure") {
  // The loop 10 √(y + 3) = 7: from y = 0 the first increment leads left of −3, where the root has no value.
  const std::string root =
      "#include <escapement/function.h>\n#include <math.h>\nstatic int h" + arguments +
      " {\n  r[0] = u[0] + 3 - 10 * sqrt(u[0] + 3) + 4;\n  return 0;\n}\n"
      "const escapement_function function = {.version = 1, .inputs = 1, .outputs = 1, .h = h};\n";
  const Model model =
      model_of(block("root", root, "    input: root\n"), "simulate: {until: 1 s, step: 0.1 s}\n");
  CHECK(std::abs(final_value(model, "root") - (0.49 - 3)) < 1e-9);
}
