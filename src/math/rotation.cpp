#include "math/rotation.hpp"

namespace escapement {
namespace {

// Trigonometric coefficients with their series near zero (|w| < 0.1: the next term is below 1e-17).
struct Coefficients {
  double sinc_half;  // sin(t/2)/t
  double b;          // (1 - cos t)/t²
  double c;          // (t - sin t)/t³
  double f;          // (1 - t²/2 - cos t)/t⁴
  double g;          // (t - sin t - t³/6)/t⁵
};

Coefficients coefficients(double t) {
  const double s = t * t;
  if (t < 0.1) {
    return {0.5 - s / 48 + s * s / 3840 - s * s * s / 645120,
            0.5 - s / 24 + s * s / 720 - s * s * s / 40320 + s * s * s * s / 3628800,
            1.0 / 6 - s / 120 + s * s / 5040 - s * s * s / 362880 + s * s * s * s / 39916800,
            -1.0 / 24 + s / 720 - s * s / 40320 + s * s * s / 3628800,
            -1.0 / 120 + s / 5040 - s * s / 362880 + s * s * s / 39916800};
  }
  const double sine = std::sin(t), half = std::sin(0.5 * t);
  const double one_minus_cos = 2 * half * half;
  return {half / t, one_minus_cos / s, (t - sine) / (s * t), (one_minus_cos - 0.5 * s) / (s * s),
          (t - sine - s * t / 6) / (s * s * t)};
}

}  // namespace

Rotation<double> exp_so3(const Vector3& w) {
  const double t = norm(w);
  return {std::cos(0.5 * t), coefficients(t).sinc_half * w};
}

Matrix3 tangent_so3(const Vector3& w) {
  const auto k = coefficients(norm(w));
  const Matrix3 W = hat(w);
  return Matrix3::identity() + (-k.b) * W + k.c * (W * W);
}

Matrix3 tangent_se3_coupling(const Vector3& v, const Vector3& w) {
  // Closed form of the left operator's coupling block, evaluated at (-v, -w).
  const auto k = coefficients(norm(w));
  const Matrix3 P = hat(-v), W = hat(-w), W2 = W * W;
  const Matrix3 WPW = W * P * W;
  return 0.5 * P + k.c * (W * P + P * W + WPW) + (-k.f) * (W2 * P + P * W2 + (-3.0) * WPW) +
         (-0.5 * (k.f - 3 * k.g)) * (WPW * W + W * WPW);
}

Rotation<double> normalised(const Rotation<double>& r) {
  const double s = 1.0 / std::sqrt(r.w * r.w + dot(r.u, r.u));
  return {s * r.w, s * r.u};
}

Matrix3 matrix(const Rotation<double>& R) {
  const double w = R.w, x = R.u[0], y = R.u[1], z = R.u[2];
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

Rotation<double> from_axes(const Vector3& x, const Vector3& y, const Vector3& z) {
  // Of the four ways to divide, the one by the largest component.
  const double trace = x[0] + y[1] + z[2];
  const double squares[4] = {1 + trace, 1 + x[0] - y[1] - z[2], 1 - x[0] + y[1] - z[2],
                             1 - x[0] - y[1] + z[2]};  // 4 w², 4 x², 4 y², 4 z²
  int largest = 0;
  for (int i = 1; i < 4; ++i)
    if (squares[i] > squares[largest]) largest = i;
  const double s = std::sqrt(squares[largest]), half = 0.5 / s;
  const double xy = x[1] + y[0], xz = x[2] + z[0], yz = y[2] + z[1];
  const double wx = y[2] - z[1], wy = z[0] - x[2], wz = x[1] - y[0];
  switch (largest) {
    case 0:
      return normalised({0.5 * s, {{wx * half, wy * half, wz * half}}});
    case 1:
      return normalised({wx * half, {{0.5 * s, xy * half, xz * half}}});
    case 2:
      return normalised({wy * half, {{xy * half, 0.5 * s, yz * half}}});
    default:
      return normalised({wz * half, {{xz * half, yz * half, 0.5 * s}}});
  }
}

}  // namespace escapement
