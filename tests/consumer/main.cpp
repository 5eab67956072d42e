// A program outside the project: it plugs in its own elements and steps in its own loop.
//   cmake -S . -B build -DCMAKE_PREFIX_PATH=<where escapement is installed> && cmake --build build && build/consumer
#include <cmath>
#include <cstdio>
#include <escapement/element.hpp>
#include <escapement/element_check.hpp>
#include <escapement/elements.hpp>
#include <escapement/generalized_alpha.hpp>
#include <escapement/simulate.hpp>
#include <escapement/system.hpp>

using namespace escapement;

/// A hardening spring to ground, F = k (x + b x³): written as its energy, differentiated by the library.
struct HardeningSpring {
  Position<1> at;
  double k, b;  // N/m, 1/m²
  auto variables() const { return std::tie(at); }
  auto potential(const auto& z) const {
    const auto x = z(at);
    return 0.5 * k * x * x * (1.0 + 0.5 * b * x * x);
  }
};

/// The same with rows and slopes by hand.
struct HardeningSpringByHand : HardeningSpring {
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    const double x = z(at);
    out.row(0) += k * x * (1 + b * x * x);
    if (out.slopes()) out.stiffness(0, 0) += k * (1 + 3 * b * x * x);
  }
};

/// … with a slope that is wrong: the checker says so.
struct WrongSpring : HardeningSpring {
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    const double x = z(at);
    out.row(0) += k * x * (1 + b * x * x);
    if (out.slopes()) out.stiffness(0, 0) += k * (1 + b * x * x);
  }
};

/// Of a mass of 2 kg on this spring.
template <class Spring>
std::vector<std::string> faults_of(double k, double b) {
  SystemBuilder builder;
  const auto x = builder.position<1>("mass.position", {.unit = "m"});
  builder.add(translational::Mass{x, 2.0});
  builder.add(Spring{{x, k, b}});
  return check_elements(builder.finish());
}

int main() {
  SystemBuilder builder;
  const auto x = builder.position<1>("mass.position", {.unit = "m"});
  builder.add(translational::Mass{x, 2.0});
  builder.add(HardeningSpring{x, 50.0, 3.0});
  const System system = builder.finish();
  for (const auto& faults : {check_elements(system), faults_of<HardeningSpringByHand>(50.0, 3.0)})
    for (const auto& fault : faults) {
      std::printf("%s\n", fault.c_str());
      return 1;
    }
  if (faults_of<WrongSpring>(50.0, 3.0).empty()) {
    std::puts("the checker has not seen the wrong slope");
    return 1;
  }

  GeneralizedAlphaOptions options;
  options.mechanics = MechanicsParameters::chung_hulbert(0.9);
  GeneralizedAlpha stepper(system, options);
  State state = system.state();
  system.value(state, x)[0] = 0.5;
  stepper.start(state);
  const auto energy = [&] {
    const double q = system.value(state, x)[0], v = system.rate(state, x)[0];
    return v * v + 25.0 * q * q * (1 + 1.5 * q * q);
  };
  const double e0 = energy();
  while (state.t < 2.0) {
    const StepReport report = stepper.advance(state, 1e-3);
    if (!report.ok()) {
      std::printf("%s\n", describe(report.newton, system).c_str());
      return 1;
    }
  }
  // The same oscillator without hardening, by name through the registry.
  const Registry registry = standard_registry();
  ModelText text;
  text.add("mass", "translational.mass", {{"mass", "2 kg"}, {"initial", Fields{{"position", "0.5 m"}}}});
  text.add("spring", "translational.spring", {{"stiffness", "50 N/m"}, {"between", List{"ground", "mass"}}});
  text.simulate("until", "2 s").simulate("step", "1 ms");
  const Model model = text.model(registry);
  const Assembly assembly = assemble(model);
  struct Silent final : RunObserver {
    void row(const State&) override {}
    bool step(const StepDone&) override { return true; }
  } observer;
  const RunResult result = simulate(assembly, simulate_options(model), observer);
  const double end = assembly.read(assembly.channels.at(0), result.state), exact = 0.5 * std::cos(5.0 * 2.0);
  std::printf("%s(2 s) = %.9f m, exact %.9f m\n", assembly.channels.at(0).name.c_str(), end, exact);
  if (std::abs(end - exact) > 1e-4) return 1;

  std::printf("x(%.3f s) = %.9f m, energy drift %.2e\n", state.t, system.value(state, x)[0],
              energy() / e0 - 1);
  return std::abs(energy() / e0 - 1) < 1e-4 ? 0 : 1;
}
