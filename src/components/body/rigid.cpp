#include "components/body/rigid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "components/body/build.hpp"

template struct escapement::Adaptor<escapement::body::Rigid>;
template struct escapement::Adaptor<escapement::body::FrameReading>;
template struct escapement::Adaptor<escapement::body::FrameAcceleration>;

namespace escapement {
namespace {

Matrix3 inertia(const Build& b) {
  if (b.has("principal_inertia")) {
    const std::vector<double>& J = b.vector("principal_inertia");
    return diagonal(J[0], J[1], J[2]);
  }
  const MatrixValue& given = b.matrix("inertia");
  if (given.rows != 3 || given.columns != 3)
    b.refuse("E-WIDTH", "inertia", fmt::format("is {}×{}, needs 3×3", given.rows, given.columns),
             "[[Jxx, Jxy, Jxz], [Jxy, Jyy, Jyz], [Jxz, Jyz, Jzz]], or principal_inertia: [Jxx, Jyy, Jzz]");
  double size = 0;
  for (const double entry : given.entries) size = std::max(size, std::abs(entry));
  Matrix3 J{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      if (std::abs(given(i, j) - given(j, i)) > 1e-9 * size)
        b.refuse("E-RANGE", "inertia",
                 fmt::format("is not symmetric: {:g} and {:g}", given(std::max(i, j), std::min(i, j)),
                             given(std::min(i, j), std::max(i, j))));
      J.m[i][j] = (given(i, j) + given(j, i)) / 2;
    }
  return J;
}

body::MassProperties rigid_properties(const Build& b) {
  const std::vector<double>& com = b.vector("com");
  return {b.number("mass"), {{com[0], com[1], com[2]}}, inertia(b)};
}

/// The edges of a homogeneous box with this mass and these moments of inertia.
std::vector<double> box_alike(const body::MassProperties& p) {
  std::vector<double> size;
  for (int i = 0; i < 3; ++i) {
    const double J[3] = {p.inertia.m[i][i], p.inertia.m[(i + 1) % 3][(i + 1) % 3],
                         p.inertia.m[(i + 2) % 3][(i + 2) % 3]};
    size.push_back(std::sqrt(std::max(0.0, 6 * (J[1] + J[2] - J[0]) / p.mass)));
  }
  const double least = 0.05 * *std::max_element(size.begin(), size.end());
  for (double& edge : size) edge = std::max(edge, least);
  return size;
}

}  // namespace

ComponentType body_rigid() {
  ComponentType type("body.rigid", "A rigid body in space, with its weight.");
  type.description =
      "Newton's and Euler's equations about the centre of mass:\n\n"
      "    mass · d/dt velocity = mass · gravity + forces\n"
      "    J · d/dt ω + ω × J ω = torques (body axes)\n\n"
      "The model must state `gravity:`. The body's name is its reference frame; `com` says where the centre "
      "of "
      "mass is in it, and `body.com` is the frame there. The inertia is about the centre of mass, in body "
      "axes, as the tensor: the products of inertia carry its signs.";
  type.takes(number("mass", "kg", "mass").positive());
  type.takes(vector("com", "m", 3, "centre of mass, in the reference frame").otherwise("[0, 0, 0]"));
  type.takes(matrix("inertia", "kg*m^2", "3×3 inertia tensor about the centre of mass, in body axes")
                 .one_of("the inertia"));
  type.takes(vector("principal_inertia", "kg*m^2", 3, "its diagonal, when the body's axes are principal axes")
                 .one_of("the inertia"));
  body::make_body(type, rigid_properties);
  type.shape = {"box"};
  type.build = [build = type.build](Build& b) {
    build(b);
    b.draw("box", box_alike(rigid_properties(b)), {{b.own_node<Pose>().variable, {}}});
  };
  type.example = R"yaml(
top: {type: body.rigid, mass: 15 kg, principal_inertia: [0.234375 kg*m^2, 0.46875 kg*m^2, 0.234375 kg*m^2], com: [0, 1 m, 0], frames: {rim: {position: [0.2 m, 1 m, 0]}}, initial: {angular_velocity: [0, 15 rad/s, -0.5 rad/s]}}
tip: {type: joint.spherical, between: [ground, top]}
)yaml";
  return type;
}

}  // namespace escapement
