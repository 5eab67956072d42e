#include "components/body/mass_properties.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace escapement::body {
namespace {

/// m (|r|² I − r rᵀ): the inertia of a point mass.
Matrix3 of_point(double mass, const Vector3& r) {
  Matrix3 J;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) J.m[i][j] = mass * ((i == j ? dot(r, r) : 0.0) - r[i] * r[j]);
  return J;
}

}  // namespace

MassProperties box(const Vector3& s) {
  const double m = s[0] * s[1] * s[2];
  return {m,
          {},
          diagonal(m / 12 * (s[1] * s[1] + s[2] * s[2]), m / 12 * (s[0] * s[0] + s[2] * s[2]),
                   m / 12 * (s[0] * s[0] + s[1] * s[1]))};
}

MassProperties cylinder(double r, double l) { return tube(0, r, l); }

MassProperties tube(double inner, double outer, double l) {
  const double squares = outer * outer + inner * inner;
  const double m = std::numbers::pi * (outer * outer - inner * inner) * l;
  const double across = m / 12 * (3 * squares + l * l);
  return {m, {}, diagonal(across, across, 0.5 * m * squares)};
}

MassProperties sphere(double r) {
  const double m = 4.0 / 3 * std::numbers::pi * r * r * r, J = 0.4 * m * r * r;
  return {m, {}, diagonal(J, J, J)};
}

MassProperties capsule(double r, double l) {
  const MassProperties c = cylinder(r, l), s = sphere(r);
  // Each half sphere has its centre of mass 3/8 r beyond its flat side, and 83/320 of (2 m_half) r² across it.
  const double across = c.inertia.m[0][0] + s.mass * (83.0 / 320 * r * r + std::pow(0.5 * l + 0.375 * r, 2));
  return {c.mass + s.mass, {}, diagonal(across, across, c.inertia.m[2][2] + s.inertia.m[2][2])};
}

MassProperties cone(double r, double h) {
  const double m = std::numbers::pi / 3 * r * r * h;
  const double across = m * (3.0 / 20 * r * r + 3.0 / 80 * h * h);
  return {m, {{0, 0, 0.25 * h}}, diagonal(across, across, 0.3 * m * r * r)};
}

MassProperties scaled(MassProperties p, double factor) {
  p.mass *= factor;
  p.inertia = factor * p.inertia;
  return p;
}

MassProperties placed(const MassProperties& p, const Frame<double>& frame) {
  const Matrix3 R = matrix(frame.R);
  return {p.mass, frame * p.com, R * p.inertia * transposed(R)};
}

MassProperties together(const MassProperties& a, const MassProperties& b) {
  const double m = a.mass + b.mass;
  const Vector3 com = (1 / m) * (a.mass * a.com + b.mass * b.com);
  return {m, com, a.inertia + b.inertia + of_point(a.mass, a.com - com) + of_point(b.mass, b.com - com)};
}

/// The trigonometric solution of the characteristic cubic.
std::array<double, 3> principal_values(const Matrix3& J) {
  const double mean = (J.m[0][0] + J.m[1][1] + J.m[2][2]) / 3;
  double square_sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) square_sum += std::pow(J.m[i][j] - (i == j ? mean : 0.0), 2);
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

}  // namespace escapement::body
