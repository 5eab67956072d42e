// Branches: whole turns of angles at any speed and step, and joints that are assembled, checked and kept on the one branch
// that they are meant for (T-turn, T-joint-4, T-joint-5).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <random>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "math/rotation.hpp"
#include "run_text.hpp"

using namespace escapement;
using validation::TextRun;

namespace {

constexpr double pi = std::numbers::pi;

bool warned(const TextRun& run, const std::string& text) {
  for (const auto& w : run.statistics.warnings)
    if (w.message.find(text) != std::string::npos) return true;
  return false;
}

/// A rotor that turns freely about an axis of its own; `more`: what hangs on its bearing.
std::string rotor(const std::string& joint, const std::string& more = "") {
  return "  b: {type: body.rigid, mass: 1, principal_inertia: [0.1, 0.1, 0.2]}\n  j: {" + joint + "}\n" +
         more;
}
const std::string head = "units: SI\ngravity: none";
std::string hinge(double speed) {
  return fmt::format("type: joint.revolute, between: [ground, b], initial: {{velocity: {}}}", speed);
}

}  // namespace

TEST_CASE("turns: any number of them in a step, under every scheme, as a channel and as a shaft") {
  for (const char* scheme :
       {"generalized-alpha", "generalized-alpha, constraints: index-2", "variational", "spook"})
    for (const double speed : {-1000.0, -63.7, 5.0, 310.0, 317.0, 400.0, 941.3, 1000.0, 6283.0})
      for (const char* shaft : {"", "  s: {type: rotational.damper, damping: 0, between: [ground, j]}"}) {
        CAPTURE(scheme);
        CAPTURE(speed);
        CAPTURE(shaft);
        const TextRun run(rotor(hinge(speed), shaft), fmt::format("until: 1, step: 0.01, scheme: {}", scheme),
                          {"j.angle"}, head);
        for (std::size_t i = 0; i < run.t.size(); ++i)
          REQUIRE(std::abs(run.rows[i][0] - speed * run.t[i]) < 1e-9 * std::abs(speed));
        CHECK_FALSE(warned(run, "guess"));
      }
}

TEST_CASE("turns: a thousand of them") {
  for (const double speed : {6283.185307179586, 628.3, 3000.0})
    for (const double per_step : {0.1, 3.0, 3.3, 9.9, 50.0}) {
      const double until = 2000 * pi / speed;
      const TextRun run(rotor(hinge(speed)), fmt::format("until: {}, step: {}", until, per_step / speed),
                        {"j.angle"}, head);
      CHECK(run.last[0] == doctest::Approx(2000 * pi).epsilon(1e-9));
    }
}

TEST_CASE("turns: exactly one, two, three whole ones in a step, or nearly") {
  for (const double turns : {1.0, 2.0, 3.0, -1.0, 1 + 1e-9, 2 - 1e-7, 1 + 3e-5, 2.0002})
    for (const char* scheme :
         {"generalized-alpha", "generalized-alpha, constraints: index-2", "variational"}) {
      CAPTURE(turns);
      CAPTURE(scheme);
      const double speed = 20 * pi * turns;
      const TextRun run(rotor(hinge(speed)), fmt::format("until: 1, step: 0.1, scheme: {}", scheme),
                        {"j.angle", "j.velocity"}, head);
      CHECK(std::abs(run.last[0] - speed) < 1e-9 * std::abs(speed));
      CHECK(std::abs(run.last[1] - speed) < 1e-9 * std::abs(speed));
    }
}

TEST_CASE("turns: under adaptive steps, and at times within them") {
  for (const double speed : {5.0, 31.4, 100.0, -777.0})
    for (const char* more : {"", "  s: {type: rotational.damper, damping: 0, between: [ground, j]}"}) {
      CAPTURE(speed);
      CAPTURE(more);
      const TextRun run(rotor(hinge(speed), more),
                        "until: 10, adaptive: true, tolerance: 1e-6, output_every: 0.0371 s", {"j.angle"},
                        head);
      for (std::size_t i = 0; i < run.t.size(); ++i)
        REQUIRE(std::abs(run.rows[i][0] - speed * run.t[i]) < 1e-5 * std::abs(speed));
      const TextRun plain(rotor(hinge(speed), more), "until: 10, adaptive: true, tolerance: 1e-6",
                          {"j.angle"}, head);
      CHECK(plain.last[0] == doctest::Approx(10 * speed).epsilon(1e-6));
    }
}

TEST_CASE("turns: of all joints with angles, and of torsion springs") {
  struct Case {
    std::string joint, more, channel;
    double speed;
  };
  const std::string wire = "  w: {type: force.torsion, between: [ground, b], stiffness: 1e-12}\n";
  const Case cases[] = {
      {"type: joint.cylindrical, between: [ground, b], initial: {angular_velocity: 700, velocity: 1}", "",
       "j.angle", 700},
      {"type: joint.planar, between: [ground, b], initial: {angular_velocity: -450, x_velocity: 1}", "",
       "j.angle", -450},
      {"type: joint.universal, between: [ground, b], initial: {velocity_a: 900}", "", "j.angle_a", 900},
      {"type: joint.universal, between: [ground, b], initial: {velocity_b: -500}", "", "j.angle_b", -500},
      {"type: joint.revolute, between: [ground, b], axis: [1, 2, 3], initial: {velocity: 400}", "", "j.angle",
       400},
      {"type: joint.revolute, between: [ground, b], initial: {velocity: 500}", wire, "w.angle", 500},
      {"type: joint.revolute, between: [ground, b], initial: {velocity: -1000}", wire, "w.angle", -1000}};
  for (const Case& c : cases)
    for (const char* scheme : {"generalized-alpha", "variational", "spook"}) {
      CAPTURE(c.joint);
      CAPTURE(scheme);
      const TextRun run(rotor(c.joint, c.more), fmt::format("until: 1, step: 0.01, scheme: {}", scheme),
                        {c.channel}, head);
      CHECK(run.last[0] ==
            doctest::Approx(c.speed).epsilon(scheme[0] == 's' ? 1e-6 : 1e-8));  // spook solves once
    }
}

TEST_CASE("turns: start angles of many turns, speeding up, turning back, jumps of torque") {
  // θ = θ0 + ω0 t + α t²/2: the rate changes by up to 2.5 rad per step
  for (const double h : {0.01, 0.0125, 0.005}) {
    const std::string model = rotor(
        "type: joint.revolute, between: [ground, b], initial: {angle: 100, velocity: -9000}",
        "  m: {type: rotational.torque, at: j, value: 4000}\n");  // α = 20,000 rad/s²; turns back at 0.45 s
    for (const char* scheme : {"generalized-alpha", "variational", "spook"}) {
      CAPTURE(h);
      CAPTURE(scheme);
      const TextRun run(model, fmt::format("until: 1, step: {}, scheme: {}", h, scheme),
                        {"j.angle", "j.velocity"}, head);
      CHECK(run.last[0] == doctest::Approx(100 - 9000 + 10000).epsilon(1e-6));
      CHECK(run.last[1] == doctest::Approx(11000).epsilon(1e-6));
      CHECK_FALSE(warned(run, "guess"));
    }
  }
  // A torque that jumps while it turns fast: the integral of the rate is the angle.
  const std::string model = rotor(hinge(640), R"(
  pulses: {type: control.pulse, amplitude: 60, offset: -30, period: 0.31, width: 0.12}
  m: {type: rotational.torque, at: j, input: pulses}
  way: {type: control.integrator, input: j.velocity}
)");
  for (const char* settings : {"until: 3, step: 0.01", "until: 3, step: 0.01, scheme: variational",
                               "until: 3, adaptive: true, tolerance: 1e-6"}) {
    CAPTURE(settings);
    const TextRun run(model, settings, {"j.angle", "way.output"}, head);
    CHECK(std::abs(run.last[0] - run.last[1]) < 0.5);
  }
}

TEST_CASE("turns: where they are a guess, that is told") {
  const std::string model =
      rotor(hinge(0), "  m: {type: rotational.torque, at: j, value: 10000}\n");  // 50,000 rad/s²
  const TextRun run(model, "until: 0.5, step: 0.01", {"j.angle"}, head);
  CHECK(warned(run, "at t = 0 s b turns 500 rad/s faster or slower after a step of 0.01 s"));
  CHECK(std::count_if(run.statistics.warnings.begin(), run.statistics.warnings.end(),
                      [](const auto& w) { return w.message.find("guess") != std::string::npos; }) == 1);
  const TextRun fine(model, "until: 0.5, step: 0.005", {"j.angle"}, head);
  CHECK_FALSE(warned(fine, "guess"));
  CHECK(fine.last[0] == doctest::Approx(6250).epsilon(1e-6));
}

namespace {

struct Random {
  std::mt19937 engine;
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine); }
  Rotation<double> rotation() {
    std::normal_distribution<double> normal;
    double q[4], size = 0;
    for (double& x : q) x = normal(engine), size += x * x;
    for (double& x : q) x /= std::sqrt(size);
    return {q[0], {{q[1], q[2], q[3]}}};
  }
};
std::string text(const Rotation<double>& R) {
  return fmt::format("quaternion: [{:.17g}, {:.17g}, {:.17g}, {:.17g}]", R.w, R.u[0], R.u[1], R.u[2]);
}
std::string place(Random& random, const Rotation<double>& R) {
  return fmt::format("position: [{:.3f}, {:.3f}, {:.3f}], {}", random.uniform(-1, 1), random.uniform(-1, 1),
                     random.uniform(-1, 1), text(R));
}
Rotation<double> read(const Assembly& a, const State& s, const std::string& channel) {
  const auto found = a.select({{channel + ".*", {}, {}}});
  REQUIRE(found.size() == 4);
  return {a.read(*found[0], s), {{a.read(*found[1], s), a.read(*found[2], s), a.read(*found[3], s)}}};
}

/// Cosine of the angle by which B's frame is off: of all axes (fixed, prismatic), of z (axis joints).
double agreement(const std::string& joint, const Rotation<double>& relative) {
  const bool all = joint == "fixed" || joint == "prismatic";
  double least = 1;
  for (int i = all ? 0 : 2; i < 3; ++i) {
    Vector3 e;
    e[i] = 1;
    least = std::min(least, dot(e, relative * e));
  }
  return least;
}

enum class Outcome { right, refused, wrong };

/// A joint between two frames of bodies that start anywhere.
Outcome assembled(const std::string& joint, bool on_ground, Random& random, const Rotation<double>& start) {
  static const Registry registry = standard_registry();
  const Rotation<double> frame = random.rotation(), first = random.rotation();
  const std::string inertia =
      fmt::format("principal_inertia: [{:.2f}, {:.2f}, {:.2f}]", random.uniform(1, 1.3),
                  random.uniform(1, 1.3), random.uniform(1, 1.3));
  std::string components =
      fmt::format("  b: {{type: body.rigid, mass: 1, {}, initial: {{{}}}, frames: {{f: {{{}}}}}}}\n", inertia,
                  place(random, start), place(random, frame));
  if (!on_ground)
    components += fmt::format("  a: {{type: body.rigid, mass: 3, {}, initial: {{{}}}}}\n", inertia,
                              place(random, first));
  components +=
      fmt::format("  j: {{type: joint.{}, between: [{}, b.f]}}\n", joint, on_ground ? "ground" : "a");
  const Model model =
      Model::read_text("escapement: 1\nunits: SI\nstart: assembled\ngravity: none\ncomponents:\n" +
                           components + "simulate: {until: 1, step: 0.01}\n",
                       "start", registry);
  const Assembly assembly = assemble(model);
  try {
    const State state = prepare(assembly, prepare_options(model)).state;
    const Rotation<double> b = read(assembly, state, "b.quaternion") * frame,
                           a = on_ground ? Rotation<double>{} : read(assembly, state, "a.quaternion");
    return agreement(joint, a.inverse() * b) > 1 - 1e-10 ? Outcome::right : Outcome::wrong;
  } catch (const ModelError& e) {
    CHECK(e.code == "E-START");
    return Outcome::refused;
  }
}

}  // namespace

TEST_CASE("assembled: joints from a thousand random starts are on their branch, or refused") {
  for (const std::string joint : {"fixed", "prismatic", "revolute", "cylindrical", "planar"}) {
    CAPTURE(joint);
    Random random{std::mt19937(5)};
    int count[3] = {};
    for (int k = 0; k < 1000; ++k)
      ++count[static_cast<int>(assembled(joint, k % 2 == 0, random, random.rotation()))];
    CHECK(count[static_cast<int>(Outcome::wrong)] == 0);
    CHECK(count[static_cast<int>(Outcome::refused)] <= 5);
    MESSAGE(joint << ": " << count[0] << " right, " << count[1] << " refused, " << count[2] << " wrong");
  }
}

TEST_CASE("assembled: exactly half a turn away, and at 120 degrees, where dot products vanish") {
  const std::string bodies = "  b: {type: body.rigid, mass: 1, principal_inertia: [1, 1.2, 1.4], initial: {";
  for (const std::string joint : {"fixed", "prismatic", "revolute", "cylindrical", "planar"})
    for (const char* turn :
         {"axis: [1, 0, 0], angle: 3.141592653589793", "axis: [0, 1, 0], angle: 3.141592653589793",
          "axis: [1, 1, 0], angle: 3.141592653589793", "quaternion: [0.5, 0.5, 0.5, 0.5]",
          "quaternion: [0.5, -0.5, -0.5, -0.5]", "axis: [1, 0.9, 1.1], angle: 1.19"}) {
      CAPTURE(joint);
      CAPTURE(turn);
      static const Registry registry = standard_registry();
      const auto model = [&](const char* start) {
        return Model::read_text(
            fmt::format("escapement: 1\nunits: SI\nstart: {}\ngravity: none\ncomponents:\n{}{}}}}}\n"
                        "  j: {{type: joint.{}, between: [ground, b]}}\n"
                        "simulate: {{until: 1, step: 0.01}}\n",
                        start, bodies, turn, joint),
            "start", registry);
      };
      const Model given = model("given"), moved = model("assembled");
      const Assembly assembly = assemble(given);
      CHECK_THROWS_WITH_AS(prepare(assembly, prepare_options(given)), doctest::Contains("violate"),
                           ModelError);
      const State state = prepare(assembly, prepare_options(moved)).state;
      CHECK(agreement(joint, read(assembly, state, "b.quaternion")) > 1 - 1e-10);
    }
}

TEST_CASE("assembled: loops of hinges from random starts, every hinge on its branch, or refused") {
  static const Registry registry = standard_registry();
  Random random{std::mt19937(11)};
  int right = 0, refused = 0;
  for (int k = 0; k < 100; ++k) {
    std::string components;
    const double length[] = {0.5, 1.2, 1.0};
    for (int i = 0; i < 3; ++i)
      components += fmt::format(
          "  bar{}: {{type: body.rigid, mass: 1, principal_inertia: [0.1, 0.2, 0.3], initial: {{{}}}, "
          "frames: {{l: "
          "{{position: [{}, 0, 0]}}, r: {{position: [{}, 0, 0]}}}}}}\n",
          i, place(random, random.rotation()), -0.5 * length[i], 0.5 * length[i]);
    components +=
        "  o: {type: body.anchor, frames: {l: {position: [0, 0, 0]}, r: {position: [1.1, 0, 0]}}}\n";
    components +=
        "  j0: {type: joint.revolute, between: [o.l, bar0.l]}\n  j1: {type: joint.revolute, between: "
        "[bar0.r, bar1.l]}\n"
        "  j2: {type: joint.revolute, between: [bar1.r, bar2.l]}\n  j3: {type: joint.revolute, between: "
        "[bar2.r, o.r]}\n";
    const Model model =
        Model::read_text("escapement: 1\nunits: SI\nstart: assembled\ngravity: none\ncomponents:\n" +
                             components + "simulate: {until: 1, step: 0.01}\n",
                         "loop", registry);
    const Assembly assembly = assemble(model);
    try {
      const State state = prepare(assembly, prepare_options(model)).state;
      ++right;
      for (const char* bar : {"bar0", "bar1", "bar2"})
        CHECK(agreement("revolute", read(assembly, state, std::string(bar) + ".quaternion")) > 1 - 1e-8);
    } catch (const ModelError& e) {
      CHECK(e.code == "E-START");
      ++refused;
    }
  }
  CHECK(right > 50);
  MESSAGE("loops: " << right << " right, " << refused << " refused");
}
