#include "components/body/rigid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/component.hpp"

template class escapement::Group<escapement::body::Rigid>;
template class escapement::Group<escapement::body::RigidPose>;
template class escapement::Group<escapement::OutputTap<escapement::body::RigidPose>>;

namespace escapement {
namespace {

/// Eigenvalues of a symmetric matrix, ascending (the trigonometric solution of its characteristic cubic).
std::array<double, 3> principal_values(const Matrix3& J) {
  const double mean = (J.m[0][0] + J.m[1][1] + J.m[2][2]) / 3;
  double square_sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) square_sum += square(J.m[i][j] - (i == j ? mean : 0.0));
  const double p = std::sqrt(square_sum / 6);
  if (p == 0) return {mean, mean, mean};
  double B[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) B[i][j] = (J.m[i][j] - (i == j ? mean : 0.0)) / p;
  const double determinant = B[0][0] * (B[1][1] * B[2][2] - B[1][2] * B[2][1]) -
                             B[0][1] * (B[1][0] * B[2][2] - B[1][2] * B[2][0]) +
                             B[0][2] * (B[1][0] * B[2][1] - B[1][1] * B[2][0]);
  const double angle = std::acos(std::clamp(determinant / 2, -1.0, 1.0)) / 3;
  const double largest = mean + 2 * p * std::cos(angle);
  const double smallest = mean + 2 * p * std::cos(angle + 2 * std::numbers::pi / 3);
  return {smallest, 3 * mean - largest - smallest, largest};
}

/// The inertia, if a distribution of mass could have it.
Matrix3 inertia(const Build& b) {
  const char* key = b.has("inertia") ? "inertia" : "principal_inertia";
  Matrix3 J{};
  if (b.has("inertia")) {
    const MatrixValue& given = b.matrix("inertia");
    if (given.rows != 3 || given.columns != 3)
      b.refuse("E-WIDTH", key, fmt::format("is {}×{}, needs 3×3", given.rows, given.columns),
               "[[Jxx, Jxy, Jxz], [Jxy, Jyy, Jyz], [Jxz, Jyz, Jzz]], or principal_inertia: [Jxx, Jyy, Jzz]");
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) J.m[i][j] = given(i, j);
    double size = 0;
    for (const double entry : given.entries) size = std::max(size, std::abs(entry));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) {
        if (std::abs(J.m[i][j] - J.m[j][i]) > 1e-9 * size)
          b.refuse("E-RANGE", key, fmt::format("is not symmetric: {:g} and {:g}", J.m[i][j], J.m[j][i]));
        J.m[i][j] = J.m[j][i] = (J.m[i][j] + J.m[j][i]) / 2;
      }
  } else {
    const std::vector<double>& given = b.vector("principal_inertia");
    J = diagonal(given[0], given[1], given[2]);
  }
  const auto [small, middle, large] = principal_values(J);
  const std::string values = fmt::format("{:g}, {:g}, {:g} kg*m^2", small, middle, large);
  if (!(small > 0))
    b.refuse("E-RANGE", key, "is not positive definite: its principal values are " + values,
             "products of inertia are entries of the tensor, with its signs");
  if (large > (small + middle) * (1 + 1e-6))
    b.refuse(
        "E-RANGE", key,
        fmt::format("no body has it: of its principal values {} the largest exceeds the sum of the others",
                    values),
        "take it about the centre of mass; products of inertia carry the sign of the tensor");
  return J;
}

Rotation<double> orientation(const Build& b) {
  const bool axis = b.has("initial.axis"), angle = b.has("initial.angle");
  if (b.has("initial.quaternion")) {
    if (axis || angle)
      b.refuse("E-CHOICE", "initial.quaternion", "the orientation is given twice",
               "a quaternion, or axis and angle");
    const std::vector<double>& q = b.vector("initial.quaternion");
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::abs(size - 1) <= 1e-6))
      b.refuse("E-RANGE", "initial.quaternion", fmt::format("has length {:g}, needs 1", size),
               "[w, x, y, z], [1, 0, 0, 0] for no rotation");
    return {q[0] / size, {{q[1] / size, q[2] / size, q[3] / size}}};
  }
  if (axis != angle)
    b.refuse("E-MISSING", "initial", fmt::format("`{}` is missing", axis ? "angle" : "axis"),
             "axis: [0, 0, 1], angle: 30 deg");
  if (!axis) return {};
  const std::vector<double>& n = b.vector("initial.axis");
  const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(size > 0)) b.refuse("E-RANGE", "initial.axis", "has length 0");
  const double s = std::sin(b.number("initial.angle") / 2) / size;
  return {std::cos(b.number("initial.angle") / 2), {{s * n[0], s * n[1], s * n[2]}}};
}

void build(Build& b) {
  const auto at = b.own_node<Pose>();
  const auto& g = b.gravity();
  const ElementId id = b.add(body::RigidPose{at, b.number("mass"), inertia(b), {{g[0], g[1], g[2]}}});
  const Rotation<double> R = orientation(b);
  const auto &x = b.vector("initial.position"), &v = b.vector("initial.velocity"),
             &w = b.vector("initial.angular_velocity");
  const Vector3 linear = R.inverse() * Vector3{{v[0], v[1], v[2]}};  // given in world axes, held in body axes
  b.start(at, {R.w, R.u[0], R.u[1], R.u[2], x[0], x[1], x[2]});
  b.start_rate(at, {linear[0], linear[1], linear[2], w[0], w[1], w[2]});
  const auto bind = [&](const char* output, int first, int parts) {
    for (int i = 0; i < parts; ++i) b.channel<body::RigidPose>(output, id, first + i, i);
  };
  bind("position", 0, 3);
  bind("quaternion", 3, 4);
  bind("velocity", 7, 3);
  bind("angular_velocity", 10, 3);
  bind("energy", 13, 1);
}

}  // namespace

ComponentType body_rigid() {
  ComponentType type("body.rigid", "A rigid body in space, with its weight.");
  type.description =
      "The body's frame is at its centre of mass. Newton's and Euler's equations on SE(3):\n\n"
      "    mass · d/dt velocity = mass · gravity + forces\n"
      "    J · d/dt ω + ω × J ω = torques (body axes)\n\n"
      "The model must state `gravity:`. The inertia is about the centre of mass, in body axes, as the "
      "tensor: the products of inertia carry its signs. The orientation at the start is a `quaternion`, or "
      "`axis` and `angle`; without either the body's axes are those of the world.";
  type.provides = Domain::frame;
  type.takes(number("mass", "kg", "mass").positive());
  type.takes(matrix("inertia", "kg*m^2", "3×3 inertia tensor about the centre of mass, in body axes")
                 .one_of("the inertia"));
  type.takes(vector("principal_inertia", "kg*m^2", 3, "its diagonal, when the body's axes are principal axes")
                 .one_of("the inertia"));
  type.takes(group(
      "initial",
      {vector("position", "m", 3, "of the centre of mass, at the start").otherwise("[0, 0, 0]"),
       vector("quaternion", "1", 4, "orientation at the start, [w, x, y, z], of length one").optional(),
       vector("axis", "1", 3, "orientation at the start: turned about this axis …").optional(),
       number("angle", "rad", "… by this angle").optional(),
       vector("velocity", "m/s", 3, "of the centre of mass at the start, world axes").otherwise("[0, 0, 0]"),
       vector("angular_velocity", "rad/s", 3, "at the start, body axes").otherwise("[0, 0, 0]")},
      "values at the start"));
  type.gives({"position", "m", "of the centre of mass, world axes", "xyz"});
  type.gives({"quaternion", "1", "orientation: body axes to world axes", "wxyz"});
  type.gives({"velocity", "m/s", "of the centre of mass, world axes", "xyz"});
  type.gives({"angular_velocity", "rad/s", "angular velocity, body axes", "xyz"});
  type.gives({"energy", "J", "kinetic energy and energy of weight (zero at the origin)", {}, false, false});
  type.signs =
      "World axes for position and velocity, z up; body axes for the angular velocity. The quaternion turns "
      "body axes into world axes. Angles count by the right-hand rule.";
  type.shape = {"box"};
  type.example = R"yaml(
top: {type: body.rigid, mass: 15 kg, principal_inertia: [0.234375 kg*m^2, 0.46875 kg*m^2, 0.234375 kg*m^2], initial: {position: [0, 1 m, 0], angular_velocity: [0, 150 rad/s, -4.61538 rad/s], velocity: [4.61538 m/s, 0, 0]}}
tip: {type: joint.spherical, between: [ground, top], on_b: [0, -1 m, 0]}
)yaml";
  type.build = build;
  return type;
}

}  // namespace escapement
