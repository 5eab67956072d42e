// The x axis of joint markers: as near to the world's x as a right angle to the joint's axis allows.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "run_text.hpp"

using namespace escapement;
using validation::TextRun;

namespace {

/// x − (x·z) z, of length 1; the world's y where z is x.
Vector3 nearest_to_x(const Vector3& z) {
  const Vector3 side = Vector3{{1, 0, 0}} - z[0] * z;
  return norm(side) > 1e-10 ? (1 / norm(side)) * side : Vector3{{0, 1, 0}};
}

const Vector3 axes[] = {{{0.95, 0, 0.3122498999}},
                        {{1, 0, 0}},
                        {{-1, 0, 0}},
                        {{1, 1e-3, -2e-3}},
                        {{0, 0, 1}},
                        {{0, 1, 0}},
                        {{1, 2, 3}},
                        {{0.899, 0.4, 0}},
                        {{0.901, -0.4, 0.1}},
                        {{-3, 1e-6, 0}}};

}  // namespace

TEST_CASE("a puck starts along x of its plane, which is as near to the world's x as the plane allows") {
  for (const Vector3& axis : axes) {
    const Vector3 z = (1 / norm(axis)) * axis, x = nearest_to_x(z), y = cross(z, x);
    for (const auto& [a, b] : {std::pair{1.0, 0.0}, {0.3, -2.0}, {-0.7, 0.1}}) {
      CAPTURE(axis[0]);
      CAPTURE(axis[1]);
      const TextRun run(fmt::format(R"(
  puck: {{type: body.sphere, radius: 0.1, mass: 1}}
  table: {{type: joint.planar, between: [ground, puck], at: [0, 0, 0], axis: [{}, {}, {}], initial: {{x: {}, y: {}}}}})",
                                    axis[0], axis[1], axis[2], a, b),
                        "until: 0.01, step: 0.01", {"puck.position.x", "puck.position.y", "puck.position.z"},
                        "units: SI\ngravity: none");
      const Vector3 expected = a * x + b * y;
      for (int i = 0; i < 3; ++i) CHECK(std::abs(run.rows[0][i] - expected[i]) < 1e-9);
    }
  }
}

TEST_CASE("the first pin of a universal joint is as near to the world's x as its axis allows") {
  for (const Vector3& axis : axes)
    for (const double speed : {1.0, -0.2, 7.0}) {
      CAPTURE(axis[0]);
      CAPTURE(axis[1]);
      const Vector3 z = (1 / norm(axis)) * axis, x = nearest_to_x(z);
      const TextRun run(fmt::format(R"(
  ball: {{type: body.sphere, radius: 0.1, mass: 1}}
  cross: {{type: joint.universal, between: [ground, ball], at: [0, 0, 0], axis: [{}, {}, {}], initial: {{velocity_a: {}}}}})",
                                    axis[0], axis[1], axis[2], speed),
                        "until: 0.001, step: 0.001",
                        {"ball.angular_velocity.x", "ball.angular_velocity.y", "ball.angular_velocity.z"},
                        "units: SI\ngravity: none");
      for (int i = 0; i < 3; ++i) CHECK(std::abs(run.rows[0][i] - speed * x[i]) < 1e-9 * std::abs(speed));
    }
}
