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
