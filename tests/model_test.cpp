// Models from text and from C++ are the same model: the same bits. Reuse, repetition, settings, flattening, recording and
// jumps of sources.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "core/structural_rank.hpp"
#include "problems/heavy_top.hpp"
#include "problems/pendulum.hpp"
#include "problems/spring_mass.hpp"
#include "support.hpp"

using namespace escapement;

namespace {

const Registry& registry() {
  static const Registry r = standard_registry();
  return r;
}

/// Every channel at every recorded time.
struct Trajectory final : RunObserver {
  const Assembly* assembly = nullptr;
  std::vector<std::vector<double>> rows;
  void row(const State& s) override {
    rows.push_back({s.t});
    for (const Channel& c : assembly->channels) rows.back().push_back(assembly->read(c, s));
  }
  bool step(const StepDone&) override { return true; }
};

struct Outcome {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  RunStatistics statistics;
  double at(std::size_t row, const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return rows[row][i + 1];
    FAIL("no channel " << name);
    return NAN;
  }
  double last(const std::string& name) const { return at(rows.size() - 1, name); }
};

Outcome run(const Model& model) {
  const Assembly assembly = assemble(model);
  Trajectory t;
  t.assembly = &assembly;
  RunResult result = simulate(assembly, simulate_options(model), t);
  if (result.failure) FAIL(result.failure->cause);
  Outcome o{{}, std::move(t.rows), std::move(result.statistics)};
  for (const Channel& c : assembly.channels) o.names.push_back(c.name);
  return o;
}

Model read(const std::string& text, const ReadOptions& options = {}) {
  try {
    return Model::read_text(text, "model.yaml", registry(), options);
  } catch (const ModelErrors& e) {
    FAIL(e.what());
    throw;
  }
}

const std::string spring_mass = R"yaml(
escapement: 1
parameters: {m: 1 kg, k: 1 N/m, sigma: 0.1 1/s, b: 1.4 N*s/m, g_max: 1 N}
components:
  mass:     {type: translational.mass, mass: m, initial: {position: 5 m}}
  spring:   {type: translational.spring, stiffness: k, between: [ground, mass]}
  filter:   {type: control.state_space, A: [[-sigma]], B: [[-b]], C: [[1]], D: [[0]], input: mass.acceleration}
  limiter:  {type: control.tanh_saturation, limit: g_max, input: filter}
  actuator: {type: translational.force, at: mass, input: limiter}
simulate: {until: 20 s, step: 0.1 s, scheme: generalized-alpha, rho: 0.8}
)yaml";

ModelText spring_mass_in_cpp() {
  ModelText text;
  text.parameter("m", "1 kg").parameter("k", "1 N/m").parameter("sigma", "0.1 1/s");
  text.parameter("b", "1.4 N*s/m").parameter("g_max", "1 N");
  text.add("mass", "translational.mass", {{"mass", "m"}, {"initial", Fields{{"position", "5 m"}}}});
  text.add("spring", "translational.spring", {{"stiffness", "k"}, {"between", List{"ground", "mass"}}});
  text.add("filter", "control.state_space",
           {{"A", List{List{"-sigma"}}},
            {"B", List{List{"-b"}}},
            {"C", List{List{1}}},
            {"D", List{List{0}}},
            {"input", "mass.acceleration"}});
  text.add("limiter", "control.tanh_saturation", {{"limit", "g_max"}, {"input", "filter"}});
  text.add("actuator", "translational.force", {{"at", "mass"}, {"input", "limiter"}});
  text.simulate("until", "20 s")
      .simulate("step", "0.1 s")
      .simulate("scheme", "generalized-alpha")
      .simulate("rho", 0.8);
  return text;
}

}  // namespace

TEST_CASE("spring-mass: text and C++ give the same bits, and the figures of Brüls & Arnold's scheme") {
  const Outcome text = run(read(spring_mass)), cpp = run(spring_mass_in_cpp().model(registry()));
  CHECK(text.names == cpp.names);
  CHECK(text.rows == cpp.rows);
  REQUIRE(text.rows.size() == 201);
  // FACTS: the scheme's own values at h = 0.1, rho = 0.8.
  CHECK(text.at(50, "mass.position") == doctest::Approx(-0.569897683827).epsilon(2e-12));
  CHECK(text.at(50, "filter.state") == doctest::Approx(-3.348650952505).epsilon(2e-12));
  CHECK(text.last("mass.position") == doctest::Approx(-0.108927987694).epsilon(1e-11));
  CHECK(text.last("filter.state") == doctest::Approx(-0.110579446471).epsilon(1e-11));
}

TEST_CASE("spring-mass: the same as hand-written elements") {
  const Outcome text = run(read(spring_mass));
  const problems::SpringMass problem;
  GeneralizedAlphaOptions options;
  options.newton.tolerance = 1e-12;
  std::size_t row = 0;
  double worst = 0;
  validation::run(problem.system, problem.initial(), options, std::vector<double>(200, 0.1),
                  [&](const State& s) {
                    const auto exact = problem.quantities(s);
                    worst = std::max(worst, std::abs(text.at(row, "mass.position") - exact[0]) / 5);
                    worst = std::max(worst, std::abs(text.at(row, "mass.velocity") - exact[1]) / 5);
                    worst = std::max(worst, std::abs(text.at(row, "mass.acceleration") - exact[2]) / 5);
                    worst = std::max(worst, std::abs(text.at(row, "filter.state") - exact[3]) / 5);
                    worst = std::max(worst, std::abs(text.at(row, "limiter.output") - exact[5]));
                    ++row;
                  });
  CHECK(row == 201);
  CHECK(worst < 1e-12);
}

TEST_CASE("pendulum: text, C++ and hand-written elements") {
  const double theta = 1.0, omega = 0.5;
  const std::string text = fmt::format(R"yaml(
escapement: 1
parameters: {{theta: {} rad, omega: {} rad/s, length: 1 m}}
components:
  bob:
    type: planar.mass
    mass: 1 kg
    gravity: [0, -9.81 m/s^2]
    initial:
      position: [length*sin(theta), -length*cos(theta)]
      velocity: [length*omega*cos(theta), length*omega*sin(theta)]
  rod: {{type: planar.distance, length: length, between: [ground, bob]}}
simulate: {{until: 2 s, step: 0.01 s}}
)yaml",
                                       theta, omega);
  ModelText cpp;
  cpp.parameter("theta", "1 rad").parameter("omega", "0.5 rad/s").parameter("length", "1 m");
  cpp.add("bob", "planar.mass",
          {{"mass", "1 kg"},
           {"gravity", List{"0", "-9.81 m/s^2"}},
           {"initial", Fields{{"position", List{"length*sin(theta)", "-length*cos(theta)"}},
                              {"velocity", List{"length*omega*cos(theta)", "length*omega*sin(theta)"}}}}});
  cpp.add("rod", "planar.distance", {{"length", "length"}, {"between", List{"ground", "bob"}}});
  cpp.simulate("until", "2 s").simulate("step", "0.01 s");
  const Outcome a = run(read(text)), b = run(cpp.model(registry()));
  CHECK(a.rows == b.rows);
  CHECK(a.statistics.largest_violation < 1e-12);

  const problems::Pendulum problem;
  GeneralizedAlphaOptions options;
  options.newton.tolerance = 1e-12;
  std::size_t row = 0;
  double worst = 0;
  validation::run(
      problem.system, problem.initial(theta, omega), options, std::vector<double>(200, 0.01),
      [&](const State& s) {
        const auto q = problem.system.value(s, problem.q), v = problem.system.rate(s, problem.q);
        worst = std::max(worst, std::abs(a.at(row, "bob.position.x") - q[0]));
        worst = std::max(worst, std::abs(a.at(row, "bob.position.y") - q[1]));
        worst = std::max(worst, std::abs(a.at(row, "bob.velocity.x") - v[0]) / 5);
        worst = std::max(
            worst, std::abs(a.at(row, "rod.tension") - problem.system.value(s, problem.tension)[0]) / 20);
        ++row;
      });
  CHECK(row == a.rows.size());
  // Positions repeat to rounding; the tension carries the rounding of positions divided by beta h^2 (T-constraint).
  CHECK(worst < 1e-12 / (0.01 * 0.01) * 0.1);
}

TEST_CASE("heavy top: text, C++ and hand-written elements") {
  const std::string text = R"yaml(
escapement: 1
gravity: [0, 0, -9.81 m/s^2]
components:
  top:
    type: body.rigid
    mass: 15 kg
    principal_inertia: [0.234375 kg*m^2, 0.46875 kg*m^2, 0.234375 kg*m^2]
    initial:
      position: [0, 1 m, 0]
      velocity: [4.61538 m/s, 0, 0]
      angular_velocity: [0, 150 rad/s, -4.61538 rad/s]
  joint: {type: joint.spherical, between: [ground, top], at: [0, 0, 0]}
simulate: {until: 0.2 s, step: 1 ms}
)yaml";
  ModelText cpp;
  cpp.set("gravity", List{"0", "0", "-9.81 m/s^2"});
  cpp.add("top", "body.rigid",
          {{"mass", "15 kg"},
           {"principal_inertia", List{"0.234375 kg*m^2", "0.46875 kg*m^2", "0.234375 kg*m^2"}},
           {"initial", Fields{{"position", List{"0", "1 m", "0"}},
                              {"velocity", List{"4.61538 m/s", "0", "0"}},
                              {"angular_velocity", List{"0", "150 rad/s", "-4.61538 rad/s"}}}}});
  cpp.add("joint", "joint.spherical", {{"between", List{"ground", "top"}}, {"at", List{"0", "0", "0"}}});
  cpp.simulate("until", "0.2 s").simulate("step", "1 ms");
  const Outcome a = run(read(text)), b = run(cpp.model(registry()));
  CHECK(a.rows == b.rows);
  CHECK(a.statistics.largest_violation < 1e-13);

  // By hand: the same body and a joint to a fixed point.
  SystemBuilder builder;
  const Pose pose = builder.pose("top");
  const auto force = builder.multiplier<3>("joint");
  Matrix3 inertia{};
  inertia.m[0][0] = inertia.m[2][2] = 0.234375;
  inertia.m[1][1] = 0.46875;
  builder.add(body::Rigid{pose, 15.0, inertia, {{0, 0, -9.81}}});
  builder.add(joint::spherical({}, pose, force, {}, {{0, -1, 0}}));
  const System system = builder.finish();
  State state = system.state();
  system.value(state, pose)[5] = 1;
  const double v[6] = {4.61538, 0, 0, 0, 150, -4.61538};
  std::copy(v, v + 6, system.rate(state, pose).begin());
  GeneralizedAlphaOptions options;
  options.newton.tolerance = 1e-12;
  std::size_t row = 0;
  double worst = 0, worst_force = 0;
  validation::run(system, state, options, std::vector<double>(200, 1e-3), [&](const State& s) {
    const auto q = system.value(s, pose), w = system.rate(s, pose), lambda = system.value(s, force);
    const char* const axes[] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
      worst = std::max(worst, std::abs(a.at(row, fmt::format("top.position.{}", axes[i])) - q[4 + i]));
      worst = std::max(worst,
                       std::abs(a.at(row, fmt::format("top.angular_velocity.{}", axes[i])) - w[3 + i]) / 150);
      // The load of ground on the top is what the multiplier takes away from it.
      worst_force = std::max(worst_force,
                             std::abs(a.at(row, fmt::format("joint.force.{}", axes[i])) + lambda[i]) / 500);
    }
    ++row;
  });
  CHECK(row == a.rows.size());
  CHECK(worst < 1e-12);
  CHECK(worst_force < 1e-12 * 15 / (0.25 * 1e-6) / 500);  // rounding of positions through m / (beta h^2)
}

TEST_CASE("flattened: the model of the run folder gives the same bits") {
  const Model model = read(spring_mass);
  const Model again = read(write_yaml(model.flattened()));
  CHECK(run(model).rows == run(again).rows);
  CHECK(write_yaml(again.flattened()) == write_yaml(model.flattened()));
}

TEST_CASE("repetition") {
  const Outcome loop = run(read(R"yaml(
escapement: 1
parameters: {n: 3, k: 10 N/m}
components:
  mass: {for: {i: 0..n}, type: translational.mass, mass: (i+1)*(1 kg), initial: {position: i*(0.1 m)}}
  spring: {for: {i: 1..n}, type: translational.spring, stiffness: k*i, between: [mass.(i-1), mass.(i)]}
  wall: {type: translational.spring, stiffness: k, between: [ground, mass.0]}
simulate: {until: 1 s, step: 0.01 s}
)yaml"));
  const Outcome plain = run(read(R"yaml(
escapement: 1
components:
  a: {type: translational.mass, mass: 1 kg}
  b: {type: translational.mass, mass: 2 kg, initial: {position: 0.1 m}}
  c: {type: translational.mass, mass: 3 kg, initial: {position: 0.2 m}}
  d: {type: translational.mass, mass: 4 kg, initial: {position: 3*(0.1 m)}}
  s1: {type: translational.spring, stiffness: 10 N/m, between: [a, b]}
  s2: {type: translational.spring, stiffness: 20 N/m, between: [b, c]}
  s3: {type: translational.spring, stiffness: 30 N/m, between: [c, d]}
  wall: {type: translational.spring, stiffness: 10 N/m, between: [ground, a]}
simulate: {until: 1 s, step: 0.01 s}
)yaml"));
  CHECK(loop.rows == plain.rows);
  CHECK(loop.last("mass.3.position") == plain.last("d.position"));
}

TEST_CASE("subsystems, settings, tables from files") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("escapement-test-{}", getpid());
  fs::create_directories(folder / "parts");
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("parts/corner.yaml", R"yaml(
escapement: 1
parameters: {k: 10 N/m, m: 1 kg, curve: "force.csv"}
ports: {body: translational, command: signal}
components:
  wheel: {type: translational.mass, mass: m}
  spring: {type: translational.spring, stiffness: k, between: [wheel, body]}
  tyre: {type: translational.spring, table: (curve), between: [ground, wheel]}
  push: {type: translational.force, at: wheel, input: command}
)yaml");
  write("parts/force.csv", "elongation, force\n-1, -20\n0, 0\n1, 20\n");
  write("model.yaml", R"yaml(
escapement: 1
parameters: {load: 2 kg, stiff: 25 N/m}
components:
  chassis: {type: translational.mass, mass: load, initial: {position: 0.1 m}}
  wave: {type: control.sine, amplitude: 1 N, frequency: 1 Hz, unit: N}
  front: {use: parts/corner.yaml, with: {k: stiff}, connect: {body: chassis, command: wave}}
  rear: {use: parts/corner.yaml, connect: {body: chassis, command: wave}}
simulate: {until: 1 s, step: 0.01 s}
)yaml");
  const std::string plain = R"yaml(
escapement: 1
components:
  chassis: {{type: translational.mass, mass: 2 kg, initial: {{position: 0.1 m}}}}
  wave: {{type: control.sine, amplitude: 1 N, frequency: 1 Hz, unit: N}}
  wf: {{type: translational.mass, mass: {0}}}
  sf: {{type: translational.spring, stiffness: 25 N/m, between: [wf, chassis]}}
  tf: {{type: translational.spring, table: [[-1 m, -20 N], [0, 0], [1 m, 20 N]], between: [ground, wf]}}
  pf: {{type: translational.force, at: wf, input: wave}}
  wr: {{type: translational.mass, mass: 1 kg}}
  sr: {{type: translational.spring, stiffness: 10 N/m, between: [wr, chassis]}}
  tr: {{type: translational.spring, table: [[-1 m, -20 N], [0, 0], [1 m, 20 N]], between: [ground, wr]}}
  pr: {{type: translational.force, at: wr, input: wave}}
simulate: {{until: 1 s, step: 0.01 s}}
)yaml";
  const Model model = Model::read_file(folder / "model.yaml", registry());
  const Outcome used = run(model);
  CHECK(used.rows == run(read(fmt::format(fmt::runtime(plain), "1 kg"))).rows);
  CHECK(used.last("front.wheel.position") != used.last("rear.wheel.position"));
  CHECK(run(read(write_yaml(model.flattened()))).rows == used.rows);

  // Settings reach parameters, parameters of subsystems, values of components and of the simulation.
  ReadOptions options;
  options.set = {{"front.m", "3 kg"}};
  CHECK(run(Model::read_file(folder / "model.yaml", registry(), options)).rows ==
        run(read(fmt::format(fmt::runtime(plain), "3 kg"))).rows);
  options.set = {{"stiff", "10 N/m"}};
  const Outcome equal = run(Model::read_file(folder / "model.yaml", registry(), options));
  CHECK(equal.last("front.wheel.position") == equal.last("rear.wheel.position"));
  options.set = {
      {"chassis.initial.position", "0.3 m"}, {"simulate.step", "0.05 s"}, {"rear.spring.stiffness", "4 N/m"}};
  const Outcome changed = run(Model::read_file(folder / "model.yaml", registry(), options));
  CHECK(changed.at(0, "chassis.position") == 0.3);
  CHECK(changed.rows.size() == 21);
  CHECK(changed.at(0, "rear.spring.force") == doctest::Approx(1.2));

  write("A.csv", "# two states\n0, 1\n-4, -0.4\n");
  write("b.csv", "0\n4\n");
  const std::string filter = R"yaml(
escapement: 1
components:
  jump: {{type: control.step}}
  filter: {{type: control.state_space, A: {}, B: {}, C: [[1, 0]], initial: {{state: {}}}, input: jump}}
simulate: {{until: 1 s, step: 0.01 s}}
)yaml";
  write("filter.yaml", fmt::format(fmt::runtime(filter), "A.csv", "b.csv", "b.csv"));
  const Model from_files = Model::read_file(folder / "filter.yaml", registry());
  const Outcome inlined =
      run(read(fmt::format(fmt::runtime(filter), "[[0, 1], [-4, -0.4]]", "[[0], [4]]", "[0, 4]")));
  CHECK(run(from_files).rows == inlined.rows);
  CHECK(run(read(write_yaml(from_files.flattened()))).rows == inlined.rows);
  fs::remove_all(folder);
}

TEST_CASE("a source that jumps between steps keeps second order: exact for a parabola") {
  // In a step, at its end, close to its ends, at the start, at the end of the run, and after it.
  for (const char* time : {"0.25 s", "0.2 s", "0.3137 s", "0 s", "1e-13 s", "0.3000000000001 s",
                           "0.2999999999 s", "0.300001 s", "1 s", "0.9999999999999 s", "2 s"}) {
    const Outcome o = run(read(fmt::format(R"yaml(
escapement: 1
components:
  mass: {{type: translational.mass, mass: 2 kg, initial: {{velocity: 1 m/s}}}}
  jump: {{type: control.step, time: {}, before: 1 N, after: -3 N, unit: N}}
  push: {{type: translational.force, at: mass, input: jump}}
simulate: {{until: 1 s, step: 0.1 s}}
)yaml",
                                           time)));
    const double T = std::stod(time), beside = std::abs(T - std::round(10 * T) / 10);
    const double tolerance =
        beside > 0 && beside <= 1e-10 ? 1e-9 : 1e-12;  // so close counts as the same time
    REQUIRE(o.rows.size() == 11);                      // rows stand at the regular times only
    for (std::size_t i = 0; i < o.rows.size(); ++i) {
      const double t = 0.1 * static_cast<double>(i), after = std::max(0.0, t - T);
      CHECK(o.rows[i][0] == doctest::Approx(t).epsilon(1e-15));
      const double v = 1 + 0.5 * (t - after) - 1.5 * after;
      const double vT = 1 + 0.5 * std::min(t, T),
                   sT = std::min(t, T) + 0.25 * std::min(t, T) * std::min(t, T);
      CHECK(o.at(i, "mass.velocity") == doctest::Approx(v).epsilon(tolerance));
      CHECK(o.at(i, "mass.position") ==
            doctest::Approx(sT + vT * after - 0.75 * after * after).epsilon(tolerance));
    }
    CHECK(o.last("mass.acceleration") == doctest::Approx(T > 1 ? 0.5 : -1.5).epsilon(1e-10));
  }
}

TEST_CASE("recording: patterns, decimation, prescribed steps") {
  const std::string model = R"yaml(
escapement: 1
components:
  mass: {{type: translational.mass, mass: 1 kg, initial: {{position: 1 m}}}}
  spring: {{type: translational.spring, stiffness: 4 N/m, between: [ground, mass]}}
simulate: {{until: 1 s, {}}}
)yaml";
  const auto with = [&](const char* steps) { return read(fmt::format(fmt::runtime(model), steps)); };
  CHECK(run(with("step: 0.01 s, output_every: 10")).rows.size() == 11);
  CHECK(run(with("step: 0.01 s, output_every: 0.2 s")).rows.size() == 6);
  CHECK(run(with("step: 0.03 s, output_every: 10")).rows.size() == 5);  // the end is always recorded
  const Outcome every = run(with("step: 0.01 s")), tenth = run(with("step: 0.01 s, output_every: 10"));
  CHECK(every.rows[10] == tenth.rows[1]);
  const Outcome steps = run(with("steps: [0.03 s, 0.07 s]"));
  CHECK(steps.rows.size() == 21);
  CHECK(steps.rows[3][0] == doctest::Approx(0.13));
  CHECK(run(with("step: 0.3 s")).rows.back()[0] == 1.0);  // a shorter last step

  const Assembly a = assemble(with("step: 0.01 s"));
  CHECK(a.select({{"mass.*", {}, {}}}).size() == 3);
  CHECK(a.select({{"*.force", {}, {}}, {"mass", {}, {}}}).size() == 4);
  CHECK_THROWS_WITH_AS(a.select({{"mas.position", {}, {}}}), doctest::Contains("did you mean mass.position?"),
                       ModelError);
  CHECK(matches("*", "a.b"));
  CHECK(matches("a?c*", "abcd"));
  CHECK_FALSE(matches("a?c", "ac"));
}

TEST_CASE("every channel may be an input, and equals what is recorded") {
  const Outcome o = run(read(R"yaml(
escapement: 1
components:
  mass: {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
  spring: {type: translational.spring, stiffness: 4 N/m, between: [ground, mass]}
  damper: {type: translational.damper, damping: 1 N*s/m, between: [ground, mass]}
  f: {type: control.gain, gain: 1, input: spring.force}
  v: {type: control.gain, gain: 1, input: mass.velocity}
  both: {type: control.gain, gain: 2, input: [damper.force, mass.acceleration]}
simulate: {until: 1 s, step: 0.01 s}
)yaml"));
  for (std::size_t i = 0; i < o.rows.size(); ++i) {
    CHECK(o.at(i, "f.output") == doctest::Approx(o.at(i, "spring.force")).epsilon(1e-13));
    CHECK(o.at(i, "v.output") == doctest::Approx(o.at(i, "mass.velocity")).epsilon(1e-13));
    CHECK(o.at(i, "both.output.1") == doctest::Approx(2 * o.at(i, "damper.force")).epsilon(1e-13));
    CHECK(o.at(i, "both.output.2") == doctest::Approx(2 * o.at(i, "mass.acceleration")).epsilon(1e-13));
  }
}

TEST_CASE("structural rank") {
  CHECK(structurally_singular_rows(assemble(read(spring_mass)).system).empty());
  const Model loop = read(R"yaml(
escapement: 1
components:
  a: {type: control.gain, gain: 1, input: b}
  b: {type: control.gain, gain: 1, input: a}
simulate: {until: 1 s, step: 0.1 s}
)yaml");
  CHECK(structurally_singular_rows(assemble(loop).system).empty());  // by its numbers, not by its structure
  const Assembly a = assemble(loop);
  Trajectory t;
  t.assembly = &a;
  CHECK_THROWS_WITH_AS(simulate(a, simulate_options(loop), t), doctest::Contains("a.output"), ModelError);
}

TEST_CASE("play, friction and a limited controller: Newton finds its way through the kinks") {
  const std::string axis = R"yaml(
escapement: 1
nodes: {rotational: [gear_out]}
components:
  motor: {type: rotational.inertia, inertia: 2e-4 kg*m^2}
  gear: {type: rotational.gear, ratio: 5, between: [motor, gear_out]}
  teeth: {type: rotational.backlash, gap: 1 mrad, stiffness: 5000 N*m/rad, damping: 5 N*m*s/rad, between: [gear_out, load]}
  load: {type: rotational.inertia, inertia: 0.02 kg*m^2}
  bearing: {type: rotational.friction, coulomb: 0.3 N*m, viscous: 0.05 N*m*s/rad, between: [ground, load]}
  target: {type: control.step, time: 0.1 s, after: 90 deg, unit: rad}
  pid:
    type: control.pid
    setpoint: target
    measurement: load.angle
    kp: 20 N*m/rad
    ki: 20 N*m/rad/s
    kd: 0.6 N*m*s/rad
    derivative_filter: 2 ms
    minimum: -2 N*m
    maximum: 2 N*m
    unit: N*m
  drive: {type: rotational.torque, at: motor, input: pid}
simulate: {until: 1 s, step: 1 ms}
)yaml";
  for (const char* step : {"0.5 ms", "1 ms", "2 ms"})
    for (const char* damping : {"0", "1 N*m*s/rad", "20 N*m*s/rad"})
      for (const char* kd : {"0.3 N*m*s/rad", "1 N*m*s/rad"}) {
        CAPTURE(std::string(step) + ", damping " + damping + ", kd " + kd);
        const Outcome o = run(
            read(axis, {{{"simulate.step", step}, {"teeth.damping", damping}, {"pid.kd", kd}}, false, {}}));
        // It gets there; without damping in the teeth it goes on hunting through the play.
        CHECK(std::abs(o.last("load.angle") - std::acos(-1.0) / 2) < 0.15);
      }
}
