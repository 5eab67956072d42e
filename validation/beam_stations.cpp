// What a station of a beam tells of its section: strain is K⁻¹ times the load, whatever the order and the number of elements.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "run_text.hpp"

using namespace escapement;

namespace {

/// Channels at the rest of a model.
std::vector<double> at_rest(const std::string& text, const std::vector<std::string>& names) {
  static const Registry registry = standard_registry();
  const Model model = Model::read_text("escapement: 1\nunits: SI\ngravity: none\n" + text, "model", registry);
  const Assembly assembly = assemble(model);
  const Prepared prepared = prepare_consistent(assembly, prepare_options(model));
  std::vector<double> values;
  for (const std::string& name : names)
    values.push_back(assembly.read(*assembly.select({{name, {}, {}}}).at(0), prepared.state));
  return values;
}

}  // namespace

TEST_CASE("the shear strain of a cantilever is Q/GA at every station") {
  struct Case {
    double EI, GA, length, force;
    int elements;
  };
  for (const auto& [EI, GA, L, Q, n] : {Case{2, 1e6, 1, 0.01, 10}, Case{2, 1e6, 1, 0.01, 4},
                                        Case{300, 4e4, 3, -0.2, 7}, Case{0.05, 10, 0.2, 1e-4, 40}})
    for (const int order : {1, 2, 3})
      for (const char plane : {'y', 'z'}) {
        CAPTURE(GA);
        CAPTURE(order);
        CAPTURE(plane);
        const auto of = [&](const char* what) { return fmt::format("b.{}.{}", what, plane); };
        const auto found =
            at_rest(fmt::format(R"(
start: equilibrium
components:
  b: {{type: beam.line, from: [0, 0, 0], to: [{0}, 0, 0], order: {1}, elements: {2}, properties: {{axial: 1e6, shear: [{3}, {3}], torsion: 1.5, bending: [{4}, {4}], mass: 0.5, inertia: [2e-6, 1e-6, 1e-6]}}, stations: {{g: {5}}}}}
  r: {{type: joint.fixed, between: [ground, b.start], at: [0, 0, 0]}}
  P: {{type: force.point, at: b.end, force: [0, {6}, {7}]}}
)",
                                L, order, n, GA, EI, 0.3 * L, plane == 'y' ? Q : 0, plane == 'z' ? Q : 0),
                    {of("start.strain"), of("g.strain"), of("start.force"), of("g.force")});
        // The section turns by up to α = QL²/2EI: its share of the load is Q (1 − α²/2).
        const double tilt = 0.5 * std::abs(Q) * L * L / EI, little = 2e-8 + 0.5 * tilt * tilt;
        for (int i = 0; i < 2; ++i) {
          CHECK(std::abs(found[i] - Q / GA) < little * std::abs(Q) / GA);
          CHECK(std::abs(found[2 + i] - Q) < little * std::abs(Q));
        }
      }
}

TEST_CASE("a prestress of shear is there from the start, as it is given") {
  for (const auto& [force, n] : {std::pair{3.0, 2}, {-0.4, 5}, {20.0, 9}})
    for (const int order : {1, 2, 3}) {
      CAPTURE(order);
      const auto load = at_rest(fmt::format(R"(
components:
  b: {{type: beam.line, from: [0, 0, 0], to: [1, 0, 0], order: {}, elements: {}, properties: {{axial: 1e6, shear: [5e3, 4e3], torsion: 1.5, bending: [2, 3], mass: 0.5, inertia: [2e-6, 1e-6, 1e-6]}}, prestress: {{force: [0, 0, {}], moment: [0, 0, 0]}}}}
  r: {{type: joint.fixed, between: [ground, b.start], at: [0, 0, 0]}}
  e: {{type: joint.fixed, between: [ground, b.end], at: [1, 0, 0]}})",
                                            order, n, force),
                                {"b.start.force.z"});
      CHECK(load[0] == doctest::Approx(force).epsilon(1e-9));
    }
}
