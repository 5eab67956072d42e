// Mechanisms as wholes: assembling, what is fixed, equilibrium, redundant and contradictory constraints, singular
// positions, frames as signals.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "analyses/equilibrium.hpp"
#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "core/redundancy.hpp"
#include "sparse/rank.hpp"

using namespace escapement;

namespace {

constexpr double pi = 3.14159265358979323846;

Model model_of(const std::string& components, const std::string& rest) {
  static const Registry registry = standard_registry();
  return Model::read_text("escapement: 1\ngravity: [0, 0, -9.81 m/s^2]\ncomponents:\n" + components + rest,
                          "mechanism", registry);
}

/// Runs a model; channels over time.
struct Run final : RunObserver {
  Assembly assembly;
  std::vector<State> states;
  RunResult result;

  explicit Run(const Model& model) : assembly(assemble(model)) {
    result = simulate(assembly, simulate_options(model), *this);
  }
  void row(const State& s) override { states.push_back(s); }
  bool step(const StepDone&) override { return true; }
  double at(std::size_t row, const std::string& name) const {
    for (const Channel& c : assembly.channels)
      if (c.name == name) return assembly.read(c, states[row]);
    FAIL("no channel " << name);
    return NAN;
  }
  double last(const std::string& name) const { return at(states.size() - 1, name); }
  bool warned(const std::string& text) const {
    const auto has = [&](const std::string& told) { return told.find(text) != std::string::npos; };
    return std::ranges::any_of(result.statistics.warnings, has, &Warning::message) ||
           std::ranges::any_of(result.statistics.warnings, has, &Warning::hint) ||
           std::ranges::any_of(result.statistics.notes, has);
  }
};

/// A parallelogram of bars, 1 m each; `closing` is the joint of the last bar and ground.
std::string four_bar(const std::string& closing) {
  return R"yaml(
  a: {type: body.box, size: [0.1 m, 0.1 m, 1 m], density: 700 kg/m^3, initial: {position: [0, 0, 0.5 m]}}
  c: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 700 kg/m^3, initial: {position: [0.5 m, 0, 1 m]}}
  d: {type: body.box, size: [0.1 m, 0.1 m, 1 m], density: 700 kg/m^3, initial: {position: [1 m, 0, 0.5 m]}}
  j1: {type: joint.revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 1 rad/s, fixed: [velocity]}}
  j2: {type: joint.revolute, between: [a, c], at: [0, 0, 1 m], axis: [0, 1, 0]}
  j3: {type: joint.revolute, between: [c, d], at: [1 m, 0, 1 m], axis: [0, 1, 0]}
  j4: {type: )yaml" +
         closing + ", between: [ground, d], at: [1 m, 0, 0], axis: [0, 1, 0]}\n";
}
const std::string short_run = "start: assembled\nsimulate: {until: 1 s, step: 5 ms}\n";

std::string code_of(const Model& model) {
  try {
    Run run(model);
    return run.result.failure ? run.result.failure->code : "";
  } catch (const ModelError& e) {
    return e.code;
  }
}

}  // namespace

TEST_CASE("rank of rows: the dependent sets") {
  // Rows 0 and 2 are parallel, row 3 is the sum of 1 and 4, row 5 stands alone.
  const std::vector<RowEntry> entries = {{0, 0, 1}, {0, 1, 2}, {2, 0, -3}, {2, 1, -6}, {1, 2, 1},
                                         {4, 3, 5}, {3, 2, 1}, {3, 3, 5},  {5, 4, 1}};
  const RowRank r = row_rank(6, 5, entries, 1e-10, 10);
  CHECK(r.rank == 4);
  REQUIRE(r.dependencies.size() == 2);
  for (const Dependency& d : r.dependencies) {
    std::vector<double> sum(5, 0.0);
    for (const auto& part : d.parts)
      for (const RowEntry& e : entries)
        if (e.row == part.row) sum[e.column] += part.weight * e.value / r.size[part.row];
    for (double s : sum) CHECK(std::abs(s) < 1e-14);
    CHECK((d.parts.size() == 2 || d.parts.size() == 3));
  }
  CHECK(row_rank(2, 2, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1e-4}}, 1e-11, 1).rank == 2);
}

TEST_CASE("a plane loop of revolute joints: told by name, the motion as without the redundancy") {
  const Run redundant(model_of(four_bar("joint.revolute"), short_run));
  const Run free(model_of(four_bar("joint.point_on_line"), short_run));
  CHECK(redundant.warned("3 of 21 constraint equations depend on the others"));
  CHECK(redundant.warned("`j4.reaction.2` (points together along y)"));
  CHECK(redundant.warned("reactions of these joints are not unique"));
  CHECK_FALSE(free.warned("depend on the others"));
  CHECK(redundant.last("j1.angle") == doctest::Approx(free.last("j1.angle")).epsilon(1e-10));
  // In the plane the reactions are determined all the same (z of the joint is the axis, x and y lie in the plane).
  CHECK(redundant.last("j3.force.x") == doctest::Approx(free.last("j3.force.x")).epsilon(1e-8));
  CHECK(redundant.last("j3.force.y") == doctest::Approx(free.last("j3.force.y")).epsilon(1e-8));
  CHECK(std::abs(redundant.last("j3.force.z")) < 1e-9);  // nothing pushes out of the plane: the least is none
  CHECK(redundant.result.statistics.largest_violation < 1e-11);

  CHECK(code_of(model_of(four_bar("joint.revolute"),
                         "start: assembled\nsimulate: {until: 1 s, step: 5 ms, redundant: false}\n")) ==
        "E-REDUNDANT");
  const Run allowed(model_of(four_bar("joint.revolute"),
                             "start: assembled\nsimulate: {until: 1 s, step: 5 ms, redundant: true}\n"));
  CHECK_FALSE(allowed.warned("depend on the others"));
}

TEST_CASE("of reactions that are not unique those of least size are computed") {
  // A beam welded to ground at both ends: by symmetry each weld carries half of the weight.
  const std::string beam = R"yaml(
  b: {type: body.box, size: [2 m, 0.1 m, 0.1 m], density: 500 kg/m^3}
  left: {type: joint.fixed, between: [ground, b], at: [-1 m, 0, 0]}
  right: {type: joint.fixed, between: [ground, b], at: [1 m, 0, 0]}
)yaml";
  const Run run(model_of(beam, "simulate: {until: 1 s, step: 0.01 s}\n"));
  CHECK(run.warned("6 of 12 constraint equations depend"));
  for (const char* weld : {"left.force.z", "right.force.z"}) {
    CHECK(run.at(0, weld) == doctest::Approx(5 * 9.81).epsilon(1e-6));
    CHECK(run.last(weld) == doctest::Approx(5 * 9.81).epsilon(1e-6));
  }
}

TEST_CASE("constraints that contradict each other") {
  const std::string arm = R"yaml(
  b: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 500 kg/m^3}
  j: {type: joint.revolute, between: [ground, b]}
)yaml";
  const auto motors = [&](const std::string& one, const std::string& other) {
    return arm + "  m: {type: rotational.motion, at: j, angle: " + one +
           "}\n  n: {type: rotational.motion, at: j, angle: " + other + "}\n";
  };
  const std::string rest = "simulate: {until: 1 s, step: 0.01 s}\n";
  CHECK(code_of(model_of(motors("(1 rad/s^2)*t^2", "(1 rad/s^2)*t^2"), rest)) == "");
  CHECK(code_of(model_of(motors("(1 rad/s^2)*t^2", "(2 rad/s^2)*t^2"), rest)) == "E-REDUNDANT");
  CHECK(code_of(model_of(motors("(1 rad/s)*t", "(2 rad/s)*t"), rest)) == "E-START");
  CHECK(code_of(model_of(motors("0.1 rad", "0.2 rad"), "start: assembled\n" + rest)) == "E-START");
  CHECK(code_of(model_of(motors("(1 rad/s^4)*t^4", "(2 rad/s^4)*t^4"), rest)) ==
        "E-NEWTON");  // met on the way
}

TEST_CASE("singular positions are told where they are, with and without redundancy") {
  for (const char* closing : {"joint.point_on_line", "joint.revolute"}) {
    CAPTURE(closing);
    const Run run(model_of(four_bar(closing), "start: assembled\nsimulate: {until: 4 s, step: 2 ms}\n"));
    std::vector<double> flat;  // when the bars lie in one line
    for (std::size_t i = 1; i < run.states.size(); ++i) {
      const double now = std::cos(run.at(i, "j1.angle")), before = std::cos(run.at(i - 1, "j1.angle"));
      if (now * before < 0) flat.push_back(run.states[i].t - 0.002 * now / (now - before));
    }
    std::vector<double> told;
    for (const auto& e : run.result.statistics.events)
      if (e.what == "singular position") told.push_back(e.time);
    REQUIRE(told.size() == flat.size());
    REQUIRE(flat.size() >= 2);
    for (std::size_t i = 0; i < told.size(); ++i) CHECK(std::abs(told[i] - flat[i]) < 0.01);
    CHECK(run.warned("points together along x"));
    CHECK(run.warned("c turning about its y"));
  }
}

TEST_CASE("a loop is closed near the given position; what is fixed stays; what moved is told") {
  const auto crank = [](const std::string& fixed) {
    return R"yaml(
  crank: {type: body.box, size: [0.2 m, 0.05 m, 0.05 m], density: 7800 kg/m^3, frames: {a: {position: [-0.1 m, 0, 0]}, b: {position: [0.1 m, 0, 0]}}, initial: {position: [0.1 m, 0, 0]}}
  rod: {type: body.box, size: [0.5 m, 0.05 m, 0.05 m], density: 7800 kg/m^3, frames: {a: {position: [-0.25 m, 0, 0]}, b: {position: [0.25 m, 0, 0]}}, initial: {position: [0.45 m, 0, 0]}}
  piston: {type: body.box, size: [0.1 m, 0.1 m, 0.1 m], density: 7800 kg/m^3, initial: {position: [0.7 m, 0, 0]}}
  main: {type: joint.revolute, between: [ground, crank.a], axis: [0, 1, 0], initial: {angle: -40 deg, velocity: 5 rad/s)yaml" +
           fixed + R"yaml(}}
  pin: {type: joint.revolute, between: [crank.b, rod.a], axis: [0, 1, 0]}
  wrist: {type: joint.spherical, between: [rod.b, piston]}
  guide: {type: joint.prismatic, between: [ground, piston], axis: [1, 0, 0]}
)yaml";
  };
  const std::string rest = "start: assembled\nsimulate: {until: 0.1 s, step: 1 ms}\n";
  const Run loose(model_of(crank(""), rest));
  const Run kept(model_of(crank(", fixed: [angle, velocity]"), rest));
  CHECK(kept.at(0, "main.angle") == doctest::Approx(-40 * pi / 180).epsilon(1e-13));
  CHECK(kept.at(0, "main.velocity") == doctest::Approx(5).epsilon(1e-12));
  // Crank up by 40° (the axis is y, so up is negative): x = r cos φ + √(l² − r² sin² φ).
  const double s = 0.2 * std::sin(40 * pi / 180);
  CHECK(kept.at(0, "piston.position.x") ==
        doctest::Approx(0.2 * std::cos(40 * pi / 180) + std::sqrt(0.25 - s * s)).epsilon(1e-12));
  CHECK(std::abs(loose.at(0, "main.angle") + 40 * pi / 180) > 1e-3);
  CHECK(kept.warned("the start was assembled"));
  CHECK(kept.warned("piston by 0."));
  CHECK(kept.result.statistics.largest_violation < 1e-10);
}

TEST_CASE("equilibrium: hanging, balanced, sprung, unstable, none") {
  const auto found = [](const std::string& components) {
    const Model model = model_of(components, "start: equilibrium\nsimulate: {until: 1 s, step: 0.01 s}\n");
    return Run(model);
  };
  // A double pendulum from wherever it is: both arms hang, and it stays there.
  const std::string pendulum = R"yaml(
  a: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 500 kg/m^3, frames: {tip: {position: [0.5 m, 0, 0]}}, initial: {position: [0.5 m, 0, 0]}}
  b: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 500 kg/m^3, initial: {position: [1.5 m, 0, 0]}}
  one: {type: joint.revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], initial: {angle: -70 deg}}
  two: {type: joint.revolute, between: [a, b], at: [1 m, 0, 0], axis: [0, 1, 0], initial: {angle: 20 deg}}
)yaml";
  const Run hanging = found(pendulum);
  CHECK(hanging.at(0, "one.angle") == doctest::Approx(pi / 2).epsilon(1e-9));
  CHECK(std::abs(hanging.at(0, "two.angle")) < 1e-9);
  CHECK(hanging.last("one.angle") == doctest::Approx(pi / 2).epsilon(1e-9));
  CHECK(hanging.warned("the search for an equilibrium moved"));
  CHECK_FALSE(hanging.warned("not stable"));
  // A spring carries a weight: closed form; the damper has no say.
  const Run sprung = found(R"yaml(
  b: {type: body.sphere, radius: 0.1 m, mass: 2 kg, initial: {position: [0.3 m, 0, -1 m]}}
  s: {type: force.spring, between: [ground, b], stiffness: 200 N/m, damping: 3 N*s/m, rest_length: 0.5 m}
)yaml");
  CHECK(sprung.at(0, "b.position.z") == doctest::Approx(-0.5 - 2 * 9.81 / 200).epsilon(1e-9));
  CHECK(std::abs(sprung.at(0, "b.position.x")) < 1e-9);
  // Upright from the start: an equilibrium, but not a stable one.
  const Run upright = found(R"yaml(
  a: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 500 kg/m^3, initial: {position: [0.5 m, 0, 0]}}
  one: {type: joint.revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], initial: {angle: -90 deg}}
)yaml");
  CHECK(upright.warned("not stable"));
  // What is fixed stays, and the rest balances about it.
  std::string held = pendulum;
  held.replace(held.find("angle: -70 deg"), 14, "angle: -70 deg, fixed: [angle]");
  const Model model = model_of(held, "start: equilibrium\nsimulate: {until: 1 s, step: 0.01 s}\n");
  const Assembly assembly = assemble(model);
  const Prepared p = prepare(assembly, prepare_options(model));
  const auto read = [&](const std::string& name) -> double {
    for (const Channel& c : assembly.channels)
      if (c.name == name) return assembly.read(c, p.state);
    return NAN;
  };
  CHECK(read("one.angle") == doctest::Approx(-70 * pi / 180).epsilon(1e-12));
  CHECK(read("two.angle") == doctest::Approx(160 * pi / 180).epsilon(1e-9));
  // Nothing holds it.
  CHECK(code_of(model_of("  b: {type: body.sphere, radius: 0.1 m, mass: 2 kg}\n",
                         "start: equilibrium\nsimulate: {until: 1 s, step: 0.01 s}\n")) == "E-EQUILIBRIUM");
  // A controller with an integrator takes its steady value.
  const Run controlled = found(R"yaml(
  a: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 500 kg/m^3, initial: {position: [0.5 m, 0, 0]}}
  one: {type: joint.revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], initial: {angle: 60 deg}}
  aim: {type: control.constant, value: 0.3 rad, unit: rad}
  error: {type: control.sum, inputs: [aim, one.angle], signs: "+-"}
  law: {type: control.pid, kp: 200, ki: 100, kd: 20, derivative_filter: 0.01 s, input: error, unit: N*m}
  motor: {type: rotational.torque, at: one, input: law}
)yaml");
  CHECK(controlled.at(0, "one.angle") == doctest::Approx(0.3).epsilon(1e-8));
  CHECK(controlled.last("one.angle") == doctest::Approx(0.3).epsilon(1e-8));
}

TEST_CASE("frames of bodies are signals") {
  const Run run(model_of(R"yaml(
  arm: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 500 kg/m^3, frames: {tip: {position: [0.5 m, 0, 0]}}, initial: {position: [0.5 m, 0, 0]}}
  j: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
  twice: {type: control.gain, gain: 2, input: arm.tip.position.z}
)yaml",
                         "simulate: {until: 0.3 s, step: 0.01 s}\nrecord: [arm.tip.position, twice]\n"));
  CHECK(run.last("twice.output") == doctest::Approx(2 * run.last("arm.tip.position.z")).epsilon(1e-12));
  CHECK(run.last("arm.tip.position.z") == doctest::Approx(-std::sin(run.last("j.angle"))).epsilon(1e-12));
}

TEST_CASE("a joint follows a signal through the reference filter; a body that nothing holds is told") {
  const Run run(model_of(R"yaml(
  arm: {type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 500 kg/m^3, initial: {position: [0.5 m, 0, 0]}}
  stone: {type: body.sphere, radius: 0.1 m, mass: 1 kg, initial: {position: [3 m, 0, 0]}}
  j: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
  aim: {type: control.step, time: 0.1 s, before: 0, after: 0.5 rad, unit: rad}
  drive: {type: rotational.motion, at: j, input: aim, bandwidth: 5 Hz}
)yaml",
                         "simulate: {until: 2 s, step: 2 ms}\n"));
  CHECK(run.last("j.angle") == doctest::Approx(0.5).epsilon(1e-6));
  // At rest the drive holds the weight: m g L/2 cos φ.
  CHECK(std::abs(run.last("drive.torque")) == doctest::Approx(5 * 9.81 * 0.5 * std::cos(0.5)).epsilon(1e-4));
  bool told = false;
  for (const auto& w : run.assembly.warnings)
    told = told || w.message.find("stone: nothing is attached") == 0;
  CHECK(told);
  CHECK(run.assembly.warnings.size() == 1);
}

TEST_CASE("where a mechanism stands does not matter") {
  const auto pendulum = [](const std::string& x, const std::string& steps) {
    const std::string at = x + " m";
    return Run(model_of(
        "  arm: {type: body.box, size: [1 m, 0.1 m, 0.05 m], density: 700 kg/m^3, initial: {position: [" +
            at + " + (0.5 m), 0, 0]}}\n  hinge: {type: joint.revolute, between: [ground, arm], at: [" + at +
            ", 0, 0], axis: [0, 1, 0]}\n  arm2: {type: body.box, size: [1 m, 0.1 m, 0.05 m], density: "
            "700 kg/m^3, initial: {position: [" +
            at + " + (1.5 m), 0, 0]}}\n  hinge2: {type: joint.revolute, between: [arm, arm2], at: [" + at +
            " + (1 m), 0, 0], axis: [0, 1, 0]}\n",
        "simulate: {until: 1 s, " + steps + "}\n"));
  };
  const std::string form = "step: 1 ms, constraints: index-2";
  const Run here = pendulum("0", form), there = pendulum("200", form), far = pendulum("1e5", form);
  REQUIRE_FALSE(there.result.failure.has_value());
  REQUIRE_FALSE(far.result.failure.has_value());
  CHECK(there.last("hinge2.angle") == doctest::Approx(here.last("hinge2.angle")).epsilon(1e-9));
  CHECK(far.last("hinge2.angle") == doctest::Approx(here.last("hinge2.angle")).epsilon(1e-6));

  // By default steps far from the origin hold their constraints in another form (T-constraint-10): within what both owe.
  const Run usual = pendulum("0", "step: 1 ms"), finer = pendulum("0", "step: 0.5 ms");
  const double owed = 4.0 / 3 * std::abs(usual.last("hinge2.angle") - finer.last("hinge2.angle"));
  for (const char* x : {"200", "1e5"}) {
    const Run away = pendulum(x, "step: 1 ms");
    REQUIRE_FALSE(away.result.failure.has_value());
    CHECK(away.result.statistics.substeps == 0);
    CHECK(std::abs(away.last("hinge2.angle") - usual.last("hinge2.angle")) < owed);
  }
}

TEST_CASE("a stop makes no position singular") {
  const Run door(model_of(R"yaml(
  door: {type: body.box, size: [0.9 m, 4 cm, 2 m], mass: 30 kg, initial: {position: [0.45 m, 0, 1 m]}}
  hinge: {type: joint.revolute, between: [ground, door], at: [0, 0, 0], axis: [0, 0, 1], initial: {angle: 80 deg}}
  spring: {type: rotational.spring, stiffness: 10 N*m/rad, rest_angle: -10 deg, between: [ground, hinge]}
  stop: {type: rotational.end_stop, lower: 0, stiffness: 5000 N*m/rad, damping: 100 N*m*s/rad, between: [ground, hinge]}
)yaml",
                          "simulate: {until: 5 s, step: 5 ms}\n"));
  REQUIRE_FALSE(door.result.failure.has_value());
  CHECK(door.result.statistics.warnings.empty());
}

TEST_CASE("parallelograms in a row, all joints revolute: redundant, and through singular positions") {
  for (const char* step : {"8 ms", "4 ms", "2 ms", "1 ms"}) {
    CAPTURE(step);
    const Run run(model_of(R"yaml(
  up: {for: {i: 0..2}, type: body.box, size: [0.1 m, 0.1 m, 1 m], density: 100 kg/m^3, initial: {position: [i*(1 m), 0, 0.5 m]}}
  bar: {for: {i: 1..2}, type: body.box, size: [1 m, 0.1 m, 0.1 m], density: 100 kg/m^3, initial: {position: [i*(1 m) - (0.5 m), 0, 1 m]}}
  foot: {for: {i: 0..2}, type: joint.revolute, between: [ground, up.(i)], at: [i*(1 m), 0, 0], axis: [0, 1, 0], initial: {velocity: 1 rad/s}}
  left: {for: {i: 1..2}, type: joint.revolute, between: [up.(i-1), bar.(i)], at: [(i-1)*(1 m), 0, 1 m], axis: [0, 1, 0], initial: {velocity: -1 rad/s}}
  right: {for: {i: 1..2}, type: joint.revolute, between: [bar.(i), up.(i)], at: [i*(1 m), 0, 1 m], axis: [0, 1, 0]}
)yaml",
                           std::string("simulate: {until: 3 s, step: ") + step + "}\n"));
    REQUIRE_FALSE(run.result.failure.has_value());
    CHECK(run.warned("6 of 35 constraint equations depend"));
    for (std::size_t i = 0; i < run.states.size(); i += 50)  // it stays a parallelogram
      CHECK(std::abs(run.at(i, "bar.2.quaternion.y")) < 1e-6);
  }
}

TEST_CASE("two wheels on one axle: straight ahead and round a curve") {
  // Wheels of 1 kg, radius 0.1 m, 0.4 m apart; an axle of 2 kg; a tail that slides keeps it from turning over.
  const auto drive = [](const std::string& left, const std::string& right) {
    return Run(model_of(
        R"yaml(
  axle: {type: body.rigid, mass: 2 kg, principal_inertia: [0.03 kg*m^2, 0.01 kg*m^2, 0.03 kg*m^2], initial: {position: [0, 0, 0.1 m]},
         frames: {tail: {position: [-0.3 m, 0, 0]}}}
  left: {type: body.rigid, mass: 1 kg, principal_inertia: [0.003 kg*m^2, 0.005 kg*m^2, 0.003 kg*m^2], initial: {position: [0, 0.2 m, 0.1 m]}}
  right: {type: body.rigid, mass: 1 kg, principal_inertia: [0.003 kg*m^2, 0.005 kg*m^2, 0.003 kg*m^2], initial: {position: [0, -0.2 m, 0.1 m]}}
  hub_left: {type: joint.revolute, between: [axle, left], at: [0, 0.2 m, 0.1 m], axis: [0, 1, 0]}
  hub_right: {type: joint.revolute, between: [axle, right], at: [0, -0.2 m, 0.1 m], axis: [0, 1, 0]}
  tail: {type: joint.point_on_plane, between: [ground, axle.tail], at: [-0.3 m, 0, 0.1 m], axis: [0, 0, 1]}
  tyre_left: {type: joint.rolling_wheel, at: left, radius: 0.1 m}
  tyre_right: {type: joint.rolling_wheel, at: right, radius: 0.1 m, sideways: free}
  motor_left: {type: rotational.torque, at: hub_left, value: )yaml" +
            left + "}\n  motor_right: {type: rotational.torque, at: hub_right, value: " + right + "}\n",
        "simulate: {until: 1 s, step: 1 ms}\n"));
  };
  const Run straight = drive("0.1 N*m", "0.1 N*m");
  REQUIRE_FALSE(straight.result.failure.has_value());
  CHECK(straight.result.statistics.warnings.empty());
  const double a = 0.2 / 0.1 / (4 + 2 * 0.005 / 0.01);  // two torques over the radius, on all masses
  CHECK(straight.last("axle.position.x") == doctest::Approx(0.5 * a).epsilon(1e-6));
  CHECK(std::abs(straight.last("axle.position.y")) < 1e-9);
  const Run curve = drive("-0.02 N*m", "0.02 N*m");
  REQUIRE_FALSE(curve.result.failure.has_value());
  // About the vertical: axle, wheels at 0.2 m, and what turns them as they roll.
  const double inertia = 0.03 + 2 * (0.003 + 0.04) + 2 * 0.005 * 4;
  const double yaw = 0.5 * (2 * 0.02 / 0.1 * 0.2) / inertia;
  const double turned = 2 * std::atan2(curve.last("axle.quaternion.z"), curve.last("axle.quaternion.w"));
  CHECK(turned == doctest::Approx(yaw).epsilon(1e-6));
  CHECK(std::abs(curve.last("axle.position.x")) < 1e-9);
  CHECK(curve.last("tyre_left.normal_force") + curve.last("tyre_right.normal_force") ==
        doctest::Approx(4 * 9.81).epsilon(1e-6));
}

TEST_CASE("reactions that grow between a fast rotor and a slow body are told, and what helps") {
  const std::string rotor = R"yaml(
  inner: {type: body.box, size: [0.1 m, 0.1 m, 0.1 m], mass: 1 kg}
  rotor: {type: body.cylinder, radius: 50 mm, length: 20 mm, mass: 1 kg}
  spin: {type: joint.revolute, between: [inner, rotor], at: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 200 rad/s}}
  kick: {type: force.torque, at: inner, torque: [0, 0.1 N*m, 0]}
)yaml";
  const Run unstable(model_of(rotor, "simulate: {until: 1 s, step: 1 ms, rho: 0.95}\n"));
  CHECK(unstable.warned("the reactions alternate from step to step and grow"));
  CHECK(unstable.warned("rotor turns by 0.2 rad in a step"));
  const Run stable(model_of(rotor, "simulate: {until: 1 s, step: 1 ms, rho: 0.95, constraints: index-2}\n"));
  CHECK_FALSE(stable.result.failure.has_value());
  CHECK(stable.result.statistics.warnings.empty());
}

TEST_CASE("a joint counts a hundred turns") {
  const Run run(model_of(R"yaml(
  rotor: {type: body.cylinder, radius: 0.1 m, length: 0.1 m, density: 7800 kg/m^3}
  j: {type: joint.revolute, between: [ground, rotor], initial: {velocity: 62.83185307179586 rad/s}}
)yaml",
                         "simulate: {until: 10 s, step: 0.01 s}\n"));
  CHECK(run.last("j.angle") == doctest::Approx(200 * pi).epsilon(1e-12));
}

// A motor directly on a joint of a mechanism, and a voice coil on a slider in space, against a shaft and a sliding mass of the same
// inertia. The steps of constrained and of free motion start differently, so they agree to second order.
TEST_CASE("Machines on joints in space") {
  const std::string battery =
      "  battery: {type: electric.voltage_source, value: 12 V, between: [p, ground]}\n";
  const auto run = [&](const std::string& components, const char* step) {
    return Run(model_of(battery + components,
                        std::string("nodes: {electrical: [p]}\nsimulate: {until: 0.2 s, output_every: "
                                    "5 ms, step: ") +
                            step + "}\n"));
  };
  /// The largest difference between channels of two runs, at both steps.
  const auto agree = [&](const std::string& one, const std::string& other,
                         std::vector<std::pair<const char*, const char*>> channels) {
    const Run a(run(one, "0.5 ms")), b(run(other, "0.5 ms")), a2(run(one, "0.25 ms")),
        b2(run(other, "0.25 ms"));
    REQUIRE(a.states.size() == b2.states.size());
    for (const auto& [name, name_there] : channels) {
      double wide = 0, narrow = 0, size = 0;
      for (std::size_t i = 0; i < a.states.size(); ++i) {
        wide = std::max(wide, std::abs(a.at(i, name) - b.at(i, name_there)));
        narrow = std::max(narrow, std::abs(a2.at(i, name) - b2.at(i, name_there)));
        size = std::max(size, std::abs(b.at(i, name_there)));
      }
      INFO(name << " differs by " << wide << " and " << narrow << " of " << size);
      CHECK(size > 1e-3);
      CHECK(narrow < 1e-3 * size);
      CHECK(narrow <= 0.3 * wide);  // equal where both settle
    }
  };
  SUBCASE("on a revolute joint") {
    const std::string motor =
        "  motor: {type: electric.dc_motor, resistance: 0.3 ohm, inductance: 2 mH, torque_constant: 0.05 "
        "N*m/A, inertia: "
        "2e-4 kg*m^2, damping: 1e-4 N*m*s/rad, between: [p, ground], shaft: hinge}\n";
    // Axis parallel to gravity; 0.5 kg at 0.1 m: 5e-3 + 1e-3 kg·m².
    const std::string arm =
        "  arm: {type: body.rigid, mass: 0.5 kg, inertia: [[1e-3 kg*m^2, 0, 0], [0, 1e-3 kg*m^2, 0], [0, 0, "
        "1e-3 kg*m^2]], "
        "initial: {position: [0.1 m, 0, 0]}}\n"
        "  hinge: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n";
    agree(motor + arm, motor + "  hinge: {type: rotational.inertia, inertia: 6e-3 kg*m^2}\n",
          {{"motor.current", "motor.current"},
           {"hinge.angle", "hinge.angle"},
           {"hinge.velocity", "hinge.velocity"}});
    const Run space(run(motor + arm, "0.5 ms"));
    CHECK(space.last("motor.torque") == doctest::Approx(0.05 * space.last("motor.current")).epsilon(1e-12));
    CHECK(space.last("motor.back_emf") ==
          doctest::Approx(0.05 * space.last("hinge.velocity")).epsilon(1e-12));
  }
  SUBCASE("on a prismatic joint") {
    const std::string coil =
        "  coil: {type: electric.voice_coil, resistance: 4 ohm, inductance: 3 mH, force_constant: 8 N/A, "
        "between: [p, "
        "ground], slider: rail}\n"
        "  spring: {type: translational.spring, stiffness: 500 N/m, between: [ground, rail]}\n";
    agree(
        coil +
            "  carriage: {type: body.rigid, mass: 0.2 kg, inertia: [[1e-4 kg*m^2, 0, 0], [0, 1e-4 kg*m^2, "
            "0], [0, 0, 1e-4 "
            "kg*m^2]]}\n"
            "  rail: {type: joint.prismatic, between: [ground, carriage], at: [0, 0, 0], axis: [1, 0, 0]}\n",
        coil + "  rail: {type: translational.mass, mass: 0.2 kg}\n",
        {{"coil.current", "coil.current"}, {"rail.displacement", "rail.position"}});
  }
}
