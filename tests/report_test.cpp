// What a run keeps for pictures and pages: scenes, the balance of energy, buckets of steps, differences, pages.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "core/adaptor.hpp"
#include "record/motion.hpp"
#include "record/step_history.hpp"
#include "report/page.hpp"
#include "report/scene_json.hpp"
#include "support.hpp"

using namespace escapement;

namespace {

Model model_of(const std::string& text) {
  static const Registry registry = standard_registry();
  return Model::read_text(text, "model", registry);
}

struct Nothing final : RunObserver {
  void row(const State&) override {}
  bool step(const StepDone&) override { return true; }
};

EnergyBalance energy(const std::string& text) {
  const Model model = model_of(text);
  const Assembly assembly = assemble(model);
  Nothing observer;
  const RunResult result = simulate(assembly, simulate_options(model), observer);
  REQUIRE_FALSE(result.failure.has_value());
  REQUIRE(result.statistics.energy.has_value());
  return *result.statistics.energy;
}

const char* const crank = R"yaml(escapement: 1
gravity: [0, 0, -9.81 m/s^2]
components:
  arm: {type: body.box, size: [1 m, 0.1 m, 0.05 m], density: 700 kg/m^3, initial: {position: [0.5 m, 0, 0]}}
  rod: {type: body.rigid, mass: 2 kg, principal_inertia: [0.01 kg*m^2, 0.2 kg*m^2, 0.2 kg*m^2], initial: {position: [1.5 m, 0, 0]}}
  hinge: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
  elbow: {type: joint.revolute, between: [arm, rod], at: [1 m, 0, 0], axis: [0, 1, 0]}
  grease: {type: rotational.damper, damping: 0.5 N*m*s/rad, between: [ground, elbow]}
  push: {type: force.point, at: rod, force: [0, 0, 15 N]}
)yaml";

}  // namespace

TEST_CASE("energy: what is stored is what was supplied less what was lost, to second order") {
  double last = 0;
  for (const int n : {200, 400, 800}) {
    const EnergyBalance b = energy(crank + fmt::format("simulate: {{until: 1 s, step: {} s}}\n", 1.0 / n));
    CHECK(b.dissipated > 0.1);
    CHECK(std::abs(b.supplied) > 1);
    if (last != 0) CHECK(last / b.error() == doctest::Approx(4).epsilon(0.1));
    last = b.error();
  }
}

TEST_CASE("energy: rows may be sparse, sources may jump") {
  const std::string text = R"yaml(escapement: 1
components:
  mass: {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
  spring: {type: translational.spring, stiffness: 40 N/m, between: [ground, mass]}
  damper: {type: translational.damper, damping: 0.6 N*s/m, between: [ground, mass]}
  push: {type: control.step, time: 1 s, after: 20 N, unit: N}
  force: {type: translational.force, at: mass, input: push}
simulate: {until: 3 s, step: 1 ms, output_every: 500)yaml";
  const EnergyBalance sparse = energy(text + "}\n");
  CHECK(sparse.dissipated > 5);
  CHECK(std::abs(sparse.error()) < 1e-4 * sparse.largest);
}

TEST_CASE("energy: a prescribed motion does work") {
  const std::string text = R"yaml(escapement: 1
components:
  mass: {type: translational.mass, mass: 2 kg}
  spring: {type: translational.spring, stiffness: 50 N/m, between: [hand, mass]}
  damper: {type: translational.damper, damping: 3 N*s/m, between: [ground, mass]}
  hand: {type: translational.mass, mass: 0.1 kg}
  motion: {type: translational.motion, at: hand, position: "(0.1 m)*(1 - cos((3 rad/s)*t))"}
simulate: {until: 2 s, step: 1 ms}
)yaml";
  const EnergyBalance b = energy(text);
  CHECK(b.supplied > 0.05);
  CHECK(std::abs(b.error()) < 1e-5 * b.largest);
}

TEST_CASE("a scene holds every part, where it sits, and what it hangs on") {
  const Model model = model_of(std::string(crank) + "simulate: {until: 1 s, step: 1 ms}\n");
  const Assembly assembly = assemble(model);
  const Scene& scene = assembly.scene;
  REQUIRE(scene.components.size() == 6);
  const Scene::Component &arm = scene.components[0], &rod = scene.components[1], &elbow = scene.components[3];
  REQUIRE(arm.parts.size() == 1);
  CHECK(arm.parts[0].primitive == "box");
  CHECK(arm.parts[0].size == std::vector<double>{1, 0.1, 0.05});
  REQUIRE(rod.parts.size() == 1);  // a box of the same inertia
  CHECK(rod.parts[0].size[0] == doctest::Approx(std::sqrt(6 * 0.39 / 2)));
  REQUIRE(elbow.parts.size() == 1);
  REQUIRE(elbow.parts[0].ends.size() == 2);
  CHECK(elbow.parts[0].ends[0].on_node.x[0] == doctest::Approx(0.5));
  CHECK(elbow.parts[0].ends[1].on_node.x[0] == doctest::Approx(-0.5));
  CHECK(elbow.arrows.size() == 2);
  REQUIRE(elbow.connections.size() == 2);
  CHECK(elbow.connections[0].to == "arm");
  CHECK(scene.components[4].connections[1].to == "elbow");
  // Two bodies and the coordinate that the damper acts on.
  REQUIRE(scene.nodes.size() == 3);
  CHECK(motion_columns(assembly) == 15);
  std::vector<double> values;
  read_motion(assembly, assembly.initial, values);
  CHECK(values.size() == 15);
  CHECK(values[4] == doctest::Approx(0.5));
  const std::string text = scene_json(model, assembly).text();
  CHECK(text.find("\"first\": 8") != std::string::npos);
}

TEST_CASE("beams: alike pieces are told once, with their outline; what each bears is recorded") {
  const Model model = model_of(R"yaml(escapement: 1
gravity: none
components:
  blade: {type: beam.line, from: [0, 0, 0], to: [0.7 m, 0, 0], elements: 7, rectangle: {width: 3 cm, height: 2 cm}, material: steel}
  shaft: {type: beam.line, from: [0, 1 m, 0], to: [1 m, 1 m, 0], elements: 4, properties: {axial: 100 N, shear: [30 N, 30 N], torsion: 2 N*m^2, bending: [1 N*m^2, 4 N*m^2], mass: 1 kg/m, inertia: [2e-3 kg*m, 1e-3 kg*m, 1e-3 kg*m]}}
simulate: {until: 1 s, step: 1 ms}
)yaml");
  const Assembly assembly = assemble(model);
  const Scene& scene = assembly.scene;
  REQUIRE(scene.components[0].parts.size() == 7);
  CHECK(scene.components[0].parts[6].primitive == "beam");
  CHECK(scene.components[0].parts[6].beam == 0);
  REQUIRE(scene.beams.size() == 2);
  CHECK(scene.beams[0].outline.shape == "rectangle");
  CHECK(scene.beams[0].outline.size == std::vector<double>{0.03, 0.02});
  CHECK(scene.beams[0].youngs_modulus > 1.9e11);
  CHECK_FALSE(scene.beams[0].cable);
  // Stiffness alone: the ellipse that bends alike, nothing known of stresses.
  CHECK(scene.beams[1].outline.shape == "ellipse");
  CHECK(scene.beams[1].outline.size == std::vector<double>{0.4, 0.2});
  CHECK(scene.beams[1].youngs_modulus == 0);
  REQUIRE(scene.nodes.size() == 8 + 5);
  CHECK(motion_columns(assembly) == 7 * 13 + 12 * 11);
  // The blade stretched by a thousandth of its length, and bent to a circle of radius 10 m about z.
  State bent = assembly.initial;
  for (int k = 0; k < 8; ++k) {
    const Scene::Part& piece = scene.components[0].parts[std::min(k, 6)];
    double* x = &bent.value[assembly.system.variables()[piece.ends[k < 7 ? 0 : 1].variable].value];
    const double angle = 0.01 * k, chord = 10 * 1.001;
    x[0] = std::cos(angle / 2), x[3] = std::sin(angle / 2);
    x[4] = chord * std::sin(angle), x[5] = chord * (1 - std::cos(angle));
  }
  std::vector<double> values;
  read_motion(assembly, bent, values);
  REQUIRE(values.size() == 7 * 13 + 12 * 11);
  const double* piece = &values[7 * 13 + 12 * 3];
  const double E = scene.beams[0].youngs_modulus, area = 6e-4, about_z = 0.02 * 0.03 * 0.03 * 0.03 / 12;
  CHECK(piece[0] == doctest::Approx(1e-3));
  CHECK(piece[5] == doctest::Approx(0.1));
  CHECK(piece[6] == doctest::Approx(E * area * 1e-3));
  CHECK(piece[11] == doctest::Approx(E * about_z * 0.1));
  const double* straight = &values[7 * 13 + 12 * 7];
  for (int i = 0; i < 12; ++i) CHECK(std::abs(straight[i]) < 1e-9);
  const std::string text = scene_json(model, assembly).text();
  CHECK(text.find("\"bears\": 92") != std::string::npos);
}

namespace {

/// A mass on a point in space.
struct Bead {
  Position<3> at;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const { out(at) += 2.0 * z.rate(at); }
  auto energy(const auto& z) const { return dot(z.rate(at), z.rate(at)); }
};

}  // namespace

TEST_CASE("cables hang on points in space, which need no axes") {
  ComponentType type("test.cable", "A bead on a cable.");
  type.shape = {"rod"};
  type.signs = "Tension is positive.";
  type.example = "cable: {type: test.cable}";
  type.build = [](Build& b) {
    const auto at = b.system.position<3>("bead.position");
    b.add(Bead{at});
    const Scene::End hook{-1, {{}, {{1, 0, 0}}}}, bead{at.variable, {}};
    b.draw_beam({{"ellipse", {0.01, 0.01}}, 0, true}, hook, bead,
                [=](const Scene::Places& at) { return Scene::Bearing{norm(at(bead).x - at(hook).x)}; });
  };
  const Registry registry({type});
  const Model model = Model::read_text(
      "escapement: 1\ncomponents: {cable: {type: test.cable}}\nsimulate: {until: 1 s, step: 0.1 s}\n",
      "model", registry);
  const Assembly assembly = assemble(model);
  REQUIRE(assembly.scene.nodes.size() == 1);
  CHECK_FALSE(assembly.scene.nodes[0].domain.has_value());
  CHECK(motion_columns(assembly) == 3 + 2);
  std::vector<double> values;
  read_motion(assembly, assembly.initial, values);
  CHECK(values[3] == doctest::Approx(1));
  const std::string text = scene_json(model, assembly).text();
  CHECK(text.find("\"domain\": \"point\"") != std::string::npos);
}

TEST_CASE("the history of steps keeps extremes in a bounded number of buckets") {
  StepHistory history;
  for (int i = 1; i <= 100'000; ++i)
    history.add(i * 1e-3, i == 77'777 ? 5e-4 : 1e-3, i == 50'000 ? 9 : 2, i % 10 == 0);
  const std::string text = history.json().text();
  CHECK(text.size() < 200'000);
  CHECK(text.find("0.0005") != std::string::npos);
  CHECK(text.find(", 9,") != std::string::npos);
}

TEST_CASE("differences of two runs, at the times of the first") {
  Results a, b;
  a.columns = b.columns = {{"time", "s"}, {"x", "m"}, {"only", "1"}};
  b.columns[2].name = "other";
  a.data.resize(3), b.data.resize(3);
  for (int i = 0; i <= 100; ++i)
    a.data[0].push_back(0.01 * i), a.data[1].push_back(0.02 * i), a.data[2].push_back(1);
  for (int i = 0; i <= 40; ++i)
    b.data[0].push_back(0.025 * i), b.data[1].push_back(0.05 * i + 1e-3), b.data[2].push_back(1);
  const auto list = differences(a, b);
  REQUIRE(list.size() == 1);
  CHECK(list[0].channel == "x");
  CHECK(list[0].largest == doctest::Approx(1e-3));
  CHECK(list[0].rms == doctest::Approx(1e-3));
  CHECK(list[0].relative == doctest::Approx(1e-3 / std::sqrt((101.0 * 101 - 1) / 12) / 0.02));
  CHECK(differences(a, a)[0].relative == 0);
}
