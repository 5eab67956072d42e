// A clamped beam of 10 … 100,000 elements (argument: the largest number), waving in its plane: one Newton iteration over the bare
// linear solve, elements per second, growth, memory; and elements of higher order.
#include <cstdlib>

#include "analyses/prepare.hpp"
#include "components/registry.hpp"
#include "iteration.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

namespace {

/// Each element is 5 cm long, whatever their number: the matrix grows, the element does not change.
std::string text(int elements, int order, const char* damping) {
  return fmt::format(
      "escapement: 1\ngravity: [0, 0, -9.81 m/s^2]\ncomponents:\n"
      "  beam: {{type: beam.line, from: [0, 0, 0], to: [{} m, 0, 0], elements: {}, order: {}, rectangle: "
      "{{width: 2 cm, height: "
      "2 cm}}, material: steel, damping: {{stiffness: {}}}}}\n"
      "  root: {{type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}}\n"
      "simulate: {{until: 1 s, step: 1 ms}}\n",
      0.05 * elements, elements, order, damping);
}

double reference = 0;  // seconds per step and element at 1000 elements

bool one(const Registry& registry, int elements, int order, const char* damping, const std::string& name) {
  const double memory_before = peak_memory_bytes();
  const auto start = ProcessorClock::now();
  const Model model = Model::read_text(text(elements, order, damping), "beam", registry);
  const Assembly assembly = assemble(model);
  State s = assembly.initial;
  const System& system = assembly.system;
  GeneralizedAlpha stepper(system, {});
  stepper.start(s);
  const double setup = std::chrono::duration<double>(ProcessorClock::now() - start).count();
  const double h = 1e-4;
  long iterations = 0, factorizations = 0, steps = 0;
  bool ok = true;
  const auto step = [&] {
    const auto report = stepper.advance(s, h);
    ok = ok && report.ok();
    iterations += report.newton.iterations;
    factorizations += report.newton.factorizations;
    ++steps;
  };
  for (int k = 0; k < 5; ++k) step();
  iterations = factorizations = steps = 0;
  const double per_step =
      seconds<ProcessorClock>(step, elements > 10000 ? 1 : 3, elements > 10000 ? 2.0 : 0.2);
  if (!ok) {
    fmt::print(stderr, "{}: a step failed at t = {} s\n", name, s.t);
    return false;
  }
  if (elements == 1000 && order == 1 && reference == 0) reference = per_step / elements;
  const std::string bench = "beams";
  report(bench, name + ", step", reference > 0 ? per_step / elements / reference : 0,
         "per element, 1000 elements", per_step * 1e6, "us per step");
  report(bench, name + ", Newton iterations per step", static_cast<double>(factorizations) / steps,
         "factorisations per step", static_cast<double>(iterations) / steps, "iterations");
  iteration_cost(bench, fmt::format("{} ({} unknowns)", name, system.size()), stepper, system, s);
  // Element by element: the group with one per element that costs most.
  Shift c{.position = stepper.coefficients().c0, .velocity = stepper.coefficients().c1, .acceleration = 1};
  std::vector<double> r(system.size()), values(system.pattern().nonzeros());
  double rows = 0, tangent = 0;
  for (const auto& group : system.groups()) {
    if (group->size() < elements) continue;
    const double of_rows = seconds<ProcessorClock>([&] { group->residual(s, c, r); }, 3, 0.02),
                 of_tangent = seconds<ProcessorClock>([&] { group->tangent(s, c, {}, r, values); }, 3, 0.02);
    rows += of_rows;
    tangent += of_tangent;
    const Group& g = *group;
    if (elements == 1000)
      report(bench, name + ", " + readable_name(typeid(g).name()), of_tangent / of_rows, "rows alone",
             of_tangent / group->size() * 1e9, "ns");
  }
  report(bench, name + ", elements with their tangent", tangent / rows, "rows alone", elements / tangent,
         "elements per second");
  if (elements >= 10000) {
    Workers& workers = Workers::shared();
    const int before = workers.count();
    double took[2] = {1e300, 1e300};
    for (int turn = 0; turn < 5; ++turn)
      for (const int threads : {1, 2}) {
        workers.use(threads);
        took[threads - 1] =
            std::min(took[threads - 1], seconds([&] { system.tangent(s, c, {}, r, values); }, 1, 0.05));
      }
    workers.use(before);
    report(bench, name + ", assembly with two threads", took[1] / took[0], "one thread, by the clock",
           took[1] * 1e6, "us");
  }
  if (elements >= 1000)
    report(bench, name + ", memory", 0, "none", (peak_memory_bytes() - memory_before) / elements,
           "bytes per element");
  report(bench, name + ", set-up", setup / per_step, "one step", setup * 1e3, "ms");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 100000;
  const Registry registry = standard_registry();
  bool ok = true;
  for (const int n : {10, 100, 1000, 10000, 100000})
    if (n <= largest) ok = one(registry, n, 1, "0", fmt::format("{} elements", n)) && ok;
  ok = one(registry, 1000, 1, "1 us", "1000 damped elements") && ok;
  ok = one(registry, 1000, 2, "0", "1000 elements of order 2") && ok;
  ok = one(registry, 1000, 3, "0", "1000 elements of order 3") && ok;
  return ok ? 0 : 1;
}
