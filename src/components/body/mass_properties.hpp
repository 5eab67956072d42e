// Mass, centre of mass and inertia: of simple solids, moved about, and put together.
#pragma once
#include "math/rotation.hpp"

namespace escapement::body {

struct MassProperties {
  double mass = 0;    // kg
  Vector3 com{};      // m, in the reference axes
  Matrix3 inertia{};  // kg m², about the centre of mass, reference axes
};

/// Solids of density 1 in their own axes; z is the axis of round ones. The origin is the centre, of a cone that of its
/// base.
MassProperties box(const Vector3& size);
MassProperties cylinder(double radius, double length);
MassProperties tube(double inner_radius, double outer_radius, double length);
MassProperties sphere(double radius);
/// `length` between the centres of the half spheres.
MassProperties capsule(double radius, double length);
MassProperties cone(double radius, double height);

MassProperties scaled(MassProperties p, double factor);
/// In other axes: what stood at the origin stands at `frame`.
MassProperties placed(const MassProperties& p, const Frame<double>& frame);
MassProperties together(const MassProperties& a, const MassProperties& b);

/// Eigenvalues of a symmetric matrix, ascending.
std::array<double, 3> principal_values(const Matrix3& J);

}  // namespace escapement::body
