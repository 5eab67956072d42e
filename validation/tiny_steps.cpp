// Steps of any size: accelerations and reactions are what the equations say, from a nanosecond to a tenth of a second, and
// where an event that has nothing to do with them cuts a step next to its end (T-constraint-9, T-constraint-10).
#include <fmt/format.h>

#include <random>

#include "core/start.hpp"
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

struct Mechanism {
  const char* name;
  double step;  // that resolves it
  const char* head;
  std::string components;
};

const std::vector<Mechanism> mechanisms = {{"pendulum", 0.01, "units: SI", R"yaml(
  bob: {type: planar.mass, mass: 1, gravity: [0, -9.81], initial: {position: [0.9320390859672263, -0.3623577544766736], velocity: [0.1811788772383368, 0.46601954298361314]}}
  rod: {type: planar.distance, length: 1, between: [ground, bob]}
)yaml"},
                                           {"four-bar", 1e-3, "units: SI\ngravity: [0, 0, -9.81]", R"yaml(
  crank:   {type: body.box, size: [0.1, 0.01, 0.02], density: 2700, initial: {position: [-0.05, 0, 0]}}
  coupler: {type: body.box, size: [0.5, 0.01, 0.02], density: 2700, initial: {position: [0.05, 0, 0.2], x_axis: [0.6, 0, 0.8], y_axis: [0, 1, 0]}}
  rocker:  {type: body.box, size: [0.25, 0.01, 0.02], density: 2700, initial: {position: [0.125, 0, 0.1], x_axis: [-0.6, 0, 0.8], y_axis: [0, 1, 0]}}
  O: {type: joint.revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, -1, 0], initial: {velocity: 6}}
  A: {type: joint.revolute, between: [crank, coupler], at: [-0.1, 0, 0], axis: [0, -1, 0], initial: {velocity: -4}}
  R: {type: joint.revolute, between: [ground, rocker], at: [0.2, 0, 0], axis: [0, -1, 0], initial: {velocity: 2}}
  B: {type: joint.point_on_line, between: [rocker, coupler], at: [0.05, 0, 0.2], axis: [0, -1, 0]}
)yaml"},
                                           {"chain", 2e-3, "units: SI\ngravity: [0, 0, -9.81]", R"yaml(
  a: {type: body.box, size: [0.5, 0.1, 0.1], mass: 2, initial: {position: [0.25, 0, 0]}}
  b: {type: body.box, size: [0.4, 0.1, 0.05], mass: 1.5, initial: {position: [0.5, 0.2, 0], x_axis: [0, 1, 0], y_axis: [-1, 0, 0]}}
  c: {type: body.cylinder, radius: 0.05, length: 0.6, mass: 1, initial: {position: [0.5, 0.4, 0.3]}}
  d: {type: body.sphere, radius: 0.1, mass: 1, initial: {position: [0.7, 0.4, 0.6]}}
  j1: {type: joint.spherical, between: [ground, a], at: [0, 0, 0]}
  j2: {type: joint.revolute, between: [a, b], at: [0.5, 0, 0], axis: [0, 1, 2], initial: {velocity: 2}}
  j3: {type: joint.universal, between: [b, c], at: [0.5, 0.4, 0], axis: [1, 1, 0], initial: {velocity_a: -1.5, velocity_b: 1}}
  j4: {type: joint.spherical, between: [c, d], at: [0.5, 0.4, 0.6]}
)yaml"},
                                           {"robot", 1e-3, "units: SI\ngravity: [0, 0, -9.81]", R"yaml(
  l1: {type: body.cylinder, radius: 0.1, length: 0.4, mass: 12, initial: {position: [0, 0, 0.2]}}
  l2: {type: body.box, size: [0.12, 0.1, 0.5], mass: 8, initial: {position: [0, 0, 0.65]}}
  l3: {type: body.box, size: [0.4, 0.08, 0.08], mass: 5, initial: {position: [0.2, 0, 0.9]}}
  l4: {type: body.box, size: [0.2, 0.06, 0.06], mass: 2, initial: {position: [0.5, 0, 0.9]}}
  l5: {type: body.box, size: [0.1, 0.05, 0.05], mass: 1, initial: {position: [0.65, 0, 0.9]}}
  l6: {type: body.cylinder, radius: 0.04, length: 0.06, mass: 0.5, initial: {position: [0.73, 0, 0.9]}}
  j1: {type: joint.revolute, between: [ground, l1], at: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1.2}}
  j2: {type: joint.revolute, between: [l1, l2], at: [0, 0, 0.4], axis: [0, 1, 0], initial: {velocity: 0.8}}
  j3: {type: joint.revolute, between: [l2, l3], at: [0, 0, 0.9], axis: [0, 1, 0], initial: {velocity: -1.5}}
  j4: {type: joint.revolute, between: [l3, l4], at: [0.4, 0, 0.9], axis: [1, 0, 0], initial: {velocity: 3}}
  j5: {type: joint.revolute, between: [l4, l5], at: [0.6, 0, 0.9], axis: [0, 1, 0], initial: {velocity: -2}}
  j6: {type: joint.revolute, between: [l5, l6], at: [0.7, 0, 0.9], axis: [1, 0, 0], initial: {velocity: 5}}
  d1: {type: rotational.damper, damping: 20, between: [ground, j1]}
  d2: {type: rotational.damper, damping: 20, between: [ground, j2]}
  d3: {type: rotational.damper, damping: 8, between: [ground, j3]}
  d4: {type: rotational.damper, damping: 1, between: [ground, j4]}
  d5: {type: rotational.damper, damping: 0.5, between: [ground, j5]}
  d6: {type: rotational.damper, damping: 0.01, between: [ground, j6]}
)yaml"},
                                           {"rolling", 0.01, "units: SI\ngravity: [0, 0, -10]", R"yaml(
  disk: {type: body.rigid, mass: 2, principal_inertia: [2, 2, 2], initial: {position: [0.1, 0, 1], velocity: [1.5, -0.2, 0], angular_velocity: [0.2, 1.5, 0.3]}}
  floor: {type: joint.rolling_wheel, at: disk, radius: 1}
)yaml"},
                                           {"reaction feedback", 0.01, "units: SI", R"yaml(
  bob: {type: planar.mass, mass: 2, gravity: [0, -9.81], initial: {position: [0.6, -0.8]}}
  rod: {type: planar.distance, length: 1, between: [ground, bob]}
  lag: {type: control.first_order, time_constant: 0.1, input: rod.tension}
  command: {type: control.sum, inputs: [rod.tension, lag], weights: [-0.4, -0.5], unit: N}
  push: {type: math.equations, points: {p: bob}, inputs: {F: command}, forces: {p.x: F}}
)yaml"}};

/// Accelerations of positions and multipliers in every row of a run; on request how far they are off what the equations say
/// at the positions and velocities of the row.
struct Motion {
  std::vector<double> t;
  std::vector<std::vector<double>> values;
  std::vector<double> size, off;  // largest, by unknown: of a body or joint its largest part counts
  std::string failure;

  Motion(const Mechanism& m, const std::string& settings, const std::string& more = "",
         bool compare = false) {
    const TextRun run(m.components + more, settings, {}, m.head, true,
                      [&](const Assembly& a, const State& s) {
                        const std::vector<double>& row = values.emplace_back(read(a.system, s));
                        t.push_back(s.t);
                        size.resize(row.size(), 0.0);
                        off.resize(row.size(), 0.0);
                        for (const auto& [begin, end] : parts(a.system)) {
                          double largest = 0;
                          for (int i = begin; i < end; ++i) largest = std::max(largest, std::abs(row[i]));
                          for (int i = begin; i < end; ++i) size[i] = std::max(size[i], largest);
                        }
                        if (!compare) return;
                        State exact = s;
                        make_consistent(a.system, exact, {.check = false});
                        const std::vector<double> should = read(a.system, exact);
                        for (std::size_t i = 0; i < row.size(); ++i)
                          off[i] = std::max(off[i], std::abs(row[i] - should[i]));
                      });
    failure = run.failure;
  }
  /// Relative to the largest of the run.
  double worst() const {
    double w = 0;
    for (std::size_t i = 0; i < off.size(); ++i) w = std::max(w, off[i] / size[i]);
    return w;
  }
  /// The largest difference to another run, relative to these.
  double farthest(const Motion& other, const std::vector<double>& scale) const {
    double w = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      for (std::size_t i = 0; i < scale.size(); ++i)
        w = std::max(w, std::abs(values[k][i] - other.values[k][i]) / scale[i]);
    return w;
  }
  /// What the scheme owes: errors by unknown, from a run of half the step.
  std::vector<double> owed(const Motion& half) const {
    std::vector<double> e;
    for (std::size_t i = 0; i < size.size(); ++i) {
      e.push_back(1e-6 * size[i]);
      for (std::size_t k = 0; k < values.size(); ++k)
        e[i] = std::max(e[i], 4.0 / 3 * std::abs(values[k][i] - half.values[k][i]));
    }
    return e;
  }

 private:
  static std::vector<double> read(const System& system, const State& s) {
    std::vector<double> row(s.acceleration.begin(), s.acceleration.begin() + system.rows(Kind::position).end);
    for (int i = system.rows(Kind::holonomic).begin; i < system.size(); ++i)
      row.push_back(s.value[system.value_of_row()[i]]);
    return row;
  }
  static std::vector<std::pair<int, int>> parts(const System& system) {
    std::vector<std::pair<int, int>> list;
    const int shift = system.rows(Kind::position).end - system.rows(Kind::holonomic).begin;
    for (const Variable& v : system.variables()) {
      if (v.kind == Kind::state || v.kind == Kind::algebraic) continue;
      const int begin = v.kind == Kind::position ? v.row : v.row + shift;
      list.emplace_back(begin, begin + v.dofs);
    }
    return list;
  }
};

/// Something that switches at this time, located or known, and acts on nothing else.
std::string unrelated(double time, bool located) {
  const std::string integrator = "  i: {type: control.integrator, input: u}\n";
  if (!located) return fmt::format("  u: {{type: control.step, time: {:.17g}}}\n", time) + integrator;
  return "  clock: {type: control.ramp, slope: 1}\n" +
         fmt::format("  u: {{type: control.relay, input: clock, threshold: {:.17g}}}\n", time) + integrator;
}

}  // namespace

TEST_CASE("accelerations and reactions are what the equations say, from 1 ns on") {
  for (const auto& m : mechanisms)
    for (const char* scheme : {"constraints: index-3", "constraints: index-2", "rho: 0", "rho: 0.95",
                               "scheme: variational", "scheme: spook"}) {
      const auto off = [&](double h) {
        const Motion run(m, fmt::format("until: {}, step: {}, {}", 30 * h, h, scheme), "", true);
        CHECK(run.failure == "");
        return run.worst();
      };
      const double coarse = off(1e-3);
      for (const double h : {1e-9, 1.3e-8, 1e-7, 0.9e-6, 1e-5, 1e-4}) {
        CAPTURE(m.name);
        CAPTURE(scheme);
        CAPTURE(h);
        // What is owed of second order, from the coarse step; between them noise has no place.
        CHECK(off(h) < 5e-7 + 3 * coarse * (h / 1e-3) * (h / 1e-3));
      }
    }
}

TEST_CASE("an event next to the end of a step changes nothing that has nothing to do with it") {
  std::mt19937 random(7);
  int runs = 0, wrong = 0;
  for (const auto& m : mechanisms)
    for (const std::string scheme : {"constraints: index-3", "constraints: index-2", "scheme: variational"})
      for (const double rho : {0.0, 0.5, 0.8, 0.95}) {
        const bool alpha = scheme != "scheme: variational";
        if (!alpha && rho > 0) continue;
        const auto settings = [&](int divided) {
          return fmt::format("until: {}, step: {}, output_every: {}, {}{}", 40 * m.step, m.step / divided,
                             divided, scheme, alpha ? fmt::format(", rho: {}", rho) : "");
        };
        const Motion plain(m, settings(1)), half(m, settings(2));
        REQUIRE(plain.t.size() == half.t.size());
        const std::vector<double> owed = plain.owed(half);
        for (int trial = 0; trial < 10; ++trial, ++runs) {
          const double size = std::pow(10.0, std::uniform_real_distribution<>(-13, -3)(random)) * m.step;
          const double at = (5 + static_cast<int>(random() % 30)) * m.step + (trial % 2 ? -size : size);
          const Motion cut(m, settings(1), unrelated(at, trial % 5 < 4));
          CAPTURE(m.name);
          CAPTURE(scheme);
          CAPTURE(rho);
          CAPTURE(at);
          CHECK(cut.failure == "");
          REQUIRE(cut.t.size() == plain.t.size());
          const double far = cut.farthest(plain, owed);
          CHECK(far < 3);
          wrong += !(far < 3);
        }
      }
  CHECK(runs >= 400);
  CHECK(wrong == 0);
}

TEST_CASE(
    "reactions of a pendulum where unrelated relays switch right before and right behind the ends of steps") {
  // What a hinge bears follows from angle and angular velocity of the same row, whatever steps led there.
  struct Bob {
    double mass, radius, length, angle, steps;  // steps: in a second
  };
  for (const auto& [mass, radius, L, angle, steps] :
       {Bob{1.2, 0.047, 0.1525, 1.786, 3254.2}, Bob{30, 0.3, 2.2, -0.6, 211.7},
        Bob{0.01, 0.002, 0.05, 2.5, 12000.3}})
    for (const double phase : {1e-12, -1e-12, 1e-11, -1e-10, 1e-9})
      for (const char* scheme : {"generalized-alpha", "variational", "spook"}) {
        CAPTURE(mass);
        CAPTURE(phase);
        INFO(scheme);
        const TextRun run(
            fmt::format(R"y(
  b: {{type: body.sphere, radius: {0}, mass: {1}, initial: {{position: [0, 0, -{2}]}}}}
  j: {{type: joint.revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 1, 0], initial: {{angle: {3}, velocity: 0}}}}
  p: {{type: control.sine, frequency: {4}, phase: 0}}
  q: {{type: control.relay, input: p, threshold: 1e-6}}
  r: {{type: control.sine, frequency: {4}, phase: {5}}}
  s: {{type: control.relay, input: r}})y",
                        radius, mass, L, angle, 0.5 * steps, phase),
            fmt::format("until: {:.17g}, step: {:.17g}, scheme: {}", 60 / steps, 1 / steps, scheme),
            {"b.position.x", "b.position.z", "j.velocity", "j.force.x", "j.force.y", "j.force.z"},
            "units: SI\ngravity: [0, 0, -9.81]");
        double largest = 0, off = 0;
        for (const auto& row : run.rows) {
          const double x = row[0], z = row[1], w = row[2];
          const double turn =
              x * mass * 9.81 / (mass * L * L + 0.4 * mass * radius * radius);  // angular acceleration
          const double force =
              std::hypot(mass * (turn * z - w * w * x), mass * (-turn * x - w * w * z + 9.81));
          largest = std::max(largest, force);
          off = std::max(off, std::abs(std::hypot(row[3], row[4], row[5]) - force));
        }
        // Index-3 leaves velocities, SPOOK positions off by h².
        const std::string name = scheme;
        CHECK(off < (name == "spook" ? 3e-3 : name == "variational" ? 1e-9 : 1e-4) * largest);
      }
}

TEST_CASE("converged to rounding, with a stop that has closed or opened") {
  const std::string arms = R"yaml(
  b: {type: body.box, size: [1, 0.1, 0.1], density: 100, initial: {position: [0.5, 0, 0]}}
  c: {type: body.box, size: [1, 0.1, 0.1], density: 50, initial: {position: [1.5, 0, 0]}}
  j: {type: joint.revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}
  k: {type: joint.revolute, between: [b, c], at: [1, 0, 0], axis: [0, 1, 0]}
  r: {type: control.sine, amplitude: 1, frequency: 0.3}
)yaml";
  struct Case {
    double kp, restitution, step;
    bool friction;
  };
  for (const Case c : {Case{30, 0.6, 2e-3, false}, Case{30, 0.6, 5e-4, false}, Case{30, 0.6, 1e-3, true},
                       Case{45, 0.3, 2e-3, true}, Case{45, 0.3, 1e-3, true}, Case{30, 0.3, 2e-3, true},
                       Case{20, 0.6, 1e-3, true}}) {
    CAPTURE(c.kp);
    CAPTURE(c.restitution);
    CAPTURE(c.step);
    CAPTURE(c.friction);
    const TextRun run(arms +
                          fmt::format("  e: {{type: rotational.end_stop, lower: -1, upper: 1.2, restitution: "
                                      "{}, between: [ground, k]}}\n"
                                      "  p: {{type: sampled.pid, period: 0.013, delay: 0.004, kp: {}, ki: 5, "
                                      "setpoint: r, measurement: j.angle}}\n",
                                      c.restitution, c.kp) +
                          (c.friction ? "  d: {type: control.delay, delay: 0.003, input: p}\n"
                                        "  T: {type: rotational.torque, at: j, input: d}\n"
                                        "  f: {type: rotational.friction, coulomb: 0.5, static: 0.6, "
                                        "stribeck_velocity: 0.01, between: [ground, j]}\n"
                                      : "  T: {type: rotational.torque, at: j, input: p}\n"),
                      fmt::format("until: 12, step: {}, output_every: 10 ms", c.step), {"k.angle"},
                      "units: SI\ngravity: [0, 0, -9.81]", true);
    CHECK(run.failure == "");
    CHECK(run.statistics.largest_violation < 1e-13);
    for (const auto& row : run.rows) CHECK((row[0] > -1 - 1e-9 && row[0] < 1.2 + 1e-9));
  }
}
