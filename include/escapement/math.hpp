// What elements compute with: numbers that carry derivatives, small vectors and matrices, rotations and frames.
//
//   Dual<n>                     a value and n derivatives; sin, exp, sqrt, square … as for double
//   Vec<n, S>, Vec3<S>, Mat3<S> of any scalar S;  Vector3, Matrix3: of double
//   Rotation<S>, Frame<S>       an element of SO(3) as a unit quaternion; rotation and origin: R, x
//   exp_so3, log_so3, hat, dot, cross …
//
// Write kernels with `auto`, and they are differentiated exactly:
//
//   const auto d = z(b) - z(a);
//   return 0.5 * stiffness * square(sqrt(dot(d, d)) - length);
#pragma once
#include "math/dual.hpp"
#include "math/rotation.hpp"
#include "math/vector.hpp"
