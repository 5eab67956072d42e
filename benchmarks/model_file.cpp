// From a model file to a system: reading and assembling a chain of 100,000 components, as text and by repetition, and
// the start of the program on a model of ten components.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "components/registry.hpp"
#include "model/assembly.hpp"
#include "report.hpp"
#include "steppers/generalized_alpha.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

namespace {

std::string chain_text(int masses) {
  std::string text = "escapement: 1\ncomponents:\n  m0: {type: translational.mass, mass: 1 kg}\n";
  for (int i = 1; i < masses; ++i)
    text += fmt::format(
        "  m{}: {{type: translational.mass, mass: 1 kg}}\n"
        "  s{}: {{type: translational.spring, stiffness: 10 N/m, between: [m{}, m{}]}}\n",
        i, i, i - 1, i);
  return text + "  s0: {type: translational.spring, stiffness: 10 N/m, between: [ground, m0]}\n";
}

std::string chain_by_repetition(int masses) {
  return fmt::format(
      "escapement: 1\nparameters: {{n: {}, k: 10 N/m}}\ncomponents:\n"
      "  mass: {{for: {{i: 0..n}}, type: translational.mass, mass: 1 kg}}\n"
      "  spring: {{for: {{i: 1..n}}, type: translational.spring, stiffness: k*i/n, between: [mass.(i-1), "
      "mass.(i)]}}\n"
      "  wall: {{type: translational.spring, stiffness: k, between: [ground, mass.0]}}\n",
      masses - 1);
}

void measure(const char* name, const std::string& text) {
  const Registry registry = standard_registry();
  std::size_t components = 0;
  double assembling = 0, reading = 0, step = 0;
  reading =
      seconds([&] { components = Model::read_text(text, "chain.yaml", registry).components.size(); }, 3, 0.1);
  const Model model = Model::read_text(text, "chain.yaml", registry);
  assembling = seconds([&] { assemble(model); }, 3, 0.1);
  const Assembly assembly = assemble(model);
  GeneralizedAlpha stepper(assembly.system, {});
  State state = assembly.initial;
  stepper.start(state);
  step = seconds([&] { stepper.advance(state, 1e-3); }, 3, 0.1);
  const std::string what = fmt::format("{}, {} components", name, components);
  report("model_file", what + ", read", reading / step, "one step", reading, "s");
  report("model_file", what + ", assembled", assembling / step, "one step", assembling, "s");
}

/// Wall seconds of a whole run of the program.
double run_program(const std::string& program, const std::string& model, const std::string& out) {
  return seconds(
      [&] {
        const pid_t child = fork();
        if (child == 0) {
          execl(program.c_str(), "escapement", "run", model.c_str(), "--out", out.c_str(), "--force",
                "--quiet", static_cast<char*>(nullptr));
          _exit(127);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) std::abort();
      },
      5, 0.2);
}

double run_nothing() {
  return seconds(
      [] {
        const pid_t child = fork();
        if (child == 0) {
          execl("/bin/true", "true", static_cast<char*>(nullptr));
          _exit(127);
        }
        int status = 0;
        waitpid(child, &status, 0);
      },
      5, 0.2);
}

}  // namespace

int main(int, char** argv) {
  namespace fs = std::filesystem;
  measure("chain as text", chain_text(50000));
  measure("chain by repetition", chain_by_repetition(50000));

  const fs::path program = fs::absolute(argv[0]).parent_path().parent_path() / "bin" / "escapement";
  if (!fs::exists(program)) return 0;
  const fs::path folder = fs::temp_directory_path() / fmt::format("escapement-bench-{}", getpid());
  fs::create_directories(folder);
  std::ofstream(folder / "model.yaml") << chain_text(5) + "simulate: {until: 0.01 s, step: 0.01 s}\n";
  const double start = run_program(program, folder / "model.yaml", folder / "out"), nothing = run_nothing();
  report("model_file", "start-up of `escapement run`, 10 components", start / nothing, "starting /bin/true",
         start, "s");
  fs::remove_all(folder);
}
