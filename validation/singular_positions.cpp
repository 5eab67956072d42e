// Positions in which constraints come to depend on each other are told, each of them, whatever the scheme: a parallelogram passes
// one whenever its cranks lie along its base.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run_text.hpp"

using namespace escapement;
using validation::TextRun;

namespace {

constexpr double pi = std::numbers::pi;

/// Cranks of the length r, driven at w from upright; base and coupler of the length d.
std::string parallelogram(double r, double d, double w) {
  return fmt::format(R"(
  a: {{type: body.box, size: [0.1, 0.1, {0}], density: 500, initial: {{position: [0, 0, {2}]}}}}
  b: {{type: body.box, size: [0.1, 0.1, {0}], density: 500, initial: {{position: [{1}, 0, {2}]}}}}
  c: {{type: body.box, size: [{1}, 0.1, 0.1], density: 500, initial: {{position: [{3}, 0, {0}]}}}}
  O: {{type: joint.revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}
  A: {{type: joint.revolute, between: [a, c], at: [0, 0, {0}], axis: [0, 1, 0]}}
  B: {{type: joint.revolute, between: [c, b], at: [{1}, 0, {0}], axis: [0, 1, 0]}}
  Q: {{type: joint.point_on_line, between: [ground, b], at: [{1}, 0, 0], axis: [0, 1, 0]}}
  drive: {{type: rotational.motion, at: O, angle: "({4} rad/s)*t"}})",
                     r, d, r / 2, d / 2, w);
}

}  // namespace

TEST_CASE("a driven parallelogram tells every flattened position, whatever the scheme and the speed") {
  struct Case {
    double r, d, w, step;
  };
  for (const auto& [r, d, w, step] :
       {Case{1, 2, 3, 5e-3}, Case{0.5, 0.8, 12, 2e-3}, Case{2, 3, 1.1, 1.13e-2}})
    for (const char* scheme : {"generalized-alpha", "variational", "spook"}) {
      CAPTURE(w);
      CAPTURE(scheme);
      const double until = 4.2 * pi / w;  // flat at w t = π/2, 3π/2, 5π/2, 7π/2
      const TextRun run(parallelogram(r, d, w),
                        fmt::format("until: {}, step: {}, scheme: {}", until, step, scheme), {},
                        "units: SI\ngravity: none\nstart: assembled");
      std::vector<double> times;
      for (const auto& e : run.statistics.events)
        if (e.what == "singular position") times.push_back(e.time);
      REQUIRE(times.size() == 4);
      for (int k = 0; k < 4; ++k) CHECK(std::abs(times[k] - (k + 0.5) * pi / w) < 2 * step);
    }
}

TEST_CASE("a chain that folds and stretches has no such position, and tells none") {
  for (const char* scheme : {"generalized-alpha", "variational", "spook"}) {
    const TextRun run(R"(
  a: {type: planar.mass, mass: 1, gravity: [0, -9.81], initial: {position: [0, 0.4]}}
  b: {type: planar.mass, mass: 1, gravity: [0, -9.81], initial: {position: [1.2, 1.2]}}
  O: {type: planar.distance, length: 0.4, between: [ground, a]}
  A: {type: planar.distance, length: 1.4422205101855956, between: [a, b]})",
                      fmt::format("until: 5, step: 0.005, scheme: {}", scheme), {}, "units: SI");
    for (const auto& e : run.statistics.events) CHECK(e.what != "singular position");
  }
}

namespace {

/// A chain of spheres on revolute joints, hanging aside by the angles (rad), the first turning at `speed`.
std::string pendulums(const std::vector<double>& arms, const std::vector<double>& angles, double speed) {
  std::string text;
  double top = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    text += fmt::format(
        "  b{0}: {{type: body.sphere, radius: 0.1, mass: 15, initial: {{position: [0, 0, {1}]}}}}\n"
        "  j{0}: {{type: joint.revolute, between: [{2}, b{0}], at: [0, 0, {3}], axis: [0, 1, 0], initial: "
        "{{angle: {4}, velocity: {5}}}}}\n",
        i, top - arms[i], i == 0 ? "ground" : fmt::format("b{}", i - 1), top, angles[i],
        i == 0 ? speed : 0.0);
    top -= arms[i];
  }
  return text;
}

int told(const std::string& components, const std::string& settings) {
  const TextRun run(components, settings, {}, "units: SI\ngravity: [0, 0, -9.81]\nstart: assembled", true);
  int count = 0;
  for (const auto& e : run.statistics.events) count += e.what == "singular position";
  return count;
}

}  // namespace

TEST_CASE("pendulums have no such position, however long their arms and steps") {
  const std::vector<std::string> settings = {
      "step: 0.049, scheme: variational",
      "step: 0.01, scheme: variational",
      "step: 0.031, scheme: spook",
      "step: 0.02, scheme: generalized-alpha, constraints: index-3, rho: 0.8",
      "step: 0.035, scheme: generalized-alpha, constraints: index-2, rho: 0.99",
      "adaptive: true, tolerance: 1e-3"};
  for (const std::vector<double>& arms : std::vector<std::vector<double>>{{0.5},
                                                                          {1},
                                                                          {2.37},
                                                                          {3.588},
                                                                          {10},
                                                                          {40},
                                                                          {0.05},
                                                                          {1, 1},
                                                                          {3, 0.4},
                                                                          {0.3, 5},
                                                                          {10, 10},
                                                                          {2, 3, 1.5}}) {
    std::vector<double> angles;
    for (std::size_t i = 0; i < arms.size(); ++i) angles.push_back(i == 0 ? -1.43 : 0.9 - 0.5 * i);
    for (const double speed : {-5.0, 0.0, 1.3})
      for (const std::string& how : settings) {
        CAPTURE(arms.front());
        CAPTURE(arms.size());
        CAPTURE(speed);
        CAPTURE(how);
        CHECK(told(pendulums(arms, angles, speed), "until: 3, " + how) == 0);
      }
  }
}

TEST_CASE("a parallelogram that turns freely tells them, short or long, whatever the steps") {
  struct Case {
    double r, d, speed, step;
  };
  // Without gravity it turns on, and passes flat positions a quarter of a turn from its start and then every half turn.
  for (const auto& [r, d, speed, step] :
       {Case{1, 2, 6, 5e-3}, Case{0.2, 0.5, 9, 4e-3}, Case{5, 8, 2, 2e-2}, Case{12, 15, 1.2, 3e-2}})
    for (const char* scheme : {"generalized-alpha", "variational", "spook"}) {
      CAPTURE(r);
      CAPTURE(scheme);
      std::string model = parallelogram(r, d, speed);
      model = model.substr(0, model.find("\n  drive:"));
      model.insert(model.find("axis: [0, 1, 0]") + 15, fmt::format(", initial: {{velocity: {}}}", speed));
      const TextRun run(model, fmt::format("until: 3, step: {}, scheme: {}", step, scheme), {"O.angle"},
                        "units: SI\ngravity: none\nstart: assembled", true);
      int times = 0;
      for (const auto& e : run.statistics.events) times += e.what == "singular position";
      int flat = 0;
      for (std::size_t k = 1; k < run.rows.size(); ++k)
        flat += std::floor(run.rows[k][0] / pi + 0.5) != std::floor(run.rows[k - 1][0] / pi + 0.5);
      CHECK(flat > 0);
      CHECK(times == flat);
    }
}
