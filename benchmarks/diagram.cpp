// A block diagram of 10,000 blocks (1250 cells of eight, coupled along a line and fed back): one Newton iteration over the
// bare KLU refactorisation and solve of the same matrix, reading and assembling the model, time per step.
#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "iteration.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

int main() {
  std::string text =
      "escapement: 1\nsimulate: {until: 1 s, step: 1 ms}\ncomponents:\n"
      "  output_0: {type: control.sine, amplitude: 1, frequency: 0.5 Hz}\n";
  for (int i = 1; i <= 1250; ++i)
    text += fmt::format(R"yaml(
  error_{0}:   {{type: control.sum, inputs: [output_{1}, output_{0}], signs: "+-"}}
  gain_{0}:    {{type: control.gain, gain: 5, input: error_{0}}}
  lag_{0}:     {{type: control.first_order, time_constant: 20 ms, input: gain_{0}}}
  limit_{0}:   {{type: control.tanh_saturation, limit: 3, input: lag_{0}}}
  weight_{0}:  {{type: control.expression, inputs: {{e: error_{0}}}, expression: 1 + 0.5*e^2/(1 + e^2)}}
  product_{0}: {{type: control.product, inputs: [limit_{0}, weight_{0}]}}
  clip_{0}:    {{type: control.saturation, minimum: -2, maximum: 2, input: product_{0}}}
  output_{0}:  {{type: control.integrator, input: clip_{0}}}
)yaml",
                        i, i - 1);
  using Clock = std::chrono::steady_clock;
  const Registry registry = standard_registry();
  const auto start = Clock::now();
  const Model model = Model::read_text(text, "diagram", registry);
  const Assembly assembly = assemble(model);
  const double setup = std::chrono::duration<double>(Clock::now() - start).count();
  GeneralizedAlpha stepper(assembly.system, simulate_options(model).stepper);
  State s = assembly.initial;
  stepper.start(s);
  long iterations = 0, steps = 0;
  const double per_step = seconds(
      [&] {
        const StepReport report = stepper.advance(s, 1e-3);
        if (!report.ok()) std::exit(1);
        iterations += report.newton.iterations;
        ++steps;
      },
      3, 0.3);
  const std::string name =
      fmt::format("{} blocks, {} unknowns", model.components.size(), assembly.system.size());
  iteration_cost("diagram", name, stepper, assembly.system, s);
  report("diagram", name + ", read and assembled", setup / per_step, "one step", setup, "s");
  report("diagram", name + ", step", static_cast<double>(iterations) / static_cast<double>(steps),
         "Newton iterations per step", per_step * 1e3, "ms");
}
