// Dual numbers against closed derivatives; exponential maps and tangent operators against their definitions.
#include <doctest/doctest.h>

#include "math/rotation.hpp"

using namespace escapement;

namespace {

template <class S>
S mixture(const S& x, const S& y) {
  return sin(x) * exp(y / x) + sqrt(x * x + 2.0) - tanh(y) / (1.0 + square(x)) + log(x + 3.0) * pow(y, 2.5) -
         atan2(y, x) + cosh(x) * sinh(y) - abs(-y) * atan(x) + tan(0.3 * x);
}

double difference(const Matrix3& a, const Matrix3& b) {
  double d = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) d = std::max(d, std::abs(a.m[i][j] - b.m[i][j]));
  return d;
}

/// Matrix exponential by its series, in long double.
Matrix3 series_exp(const Vector3& w) {
  long double A[3][3], term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                       sum[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Matrix3 W = hat(w);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[i][j] = W.m[i][j];
  for (int k = 1; k < 60; ++k) {
    long double next[3][3] = {};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) next[i][j] += term[i][l] * A[l][j] / k;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum[i][j] += term[i][j] = next[i][j];
  }
  Matrix3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r.m[i][j] = static_cast<double>(sum[i][j]);
  return r;
}

}  // namespace

TEST_CASE("dual numbers: gradient against central differences") {
  const double x = 0.7, y = 1.3, e = 1e-6;
  Dual<2> X = x, Y = y;
  X.d[0] = 1;
  Y.d[1] = 1;
  const auto f = mixture(X, Y);
  CHECK(f.v == doctest::Approx(mixture(x, y)).epsilon(1e-15));
  CHECK(f.d[0] == doctest::Approx((mixture(x + e, y) - mixture(x - e, y)) / (2 * e)).epsilon(1e-9));
  CHECK(f.d[1] == doctest::Approx((mixture(x, y + e) - mixture(x, y - e)) / (2 * e)).epsilon(1e-9));
}

TEST_CASE("hyper-dual numbers: second derivatives, symmetric and exact") {
  using H = Dual<2, Dual<2>>;
  const auto at = [](double x, double y) {
    H X = x, Y = y;
    X.d[0] = 1.0;
    Y.d[1] = 1.0;
    X.v.d[0] = 1;
    Y.v.d[1] = 1;
    return mixture(X, Y);
  };
  const auto f = at(0.7, 1.3);
  CHECK(f.d[0].d[1] == doctest::Approx(f.d[1].d[0]).epsilon(1e-14));
  const double e = 1e-6;
  CHECK(f.d[0].d[0] ==
        doctest::Approx((at(0.7 + e, 1.3).d[0].v - at(0.7 - e, 1.3).d[0].v) / (2 * e)).epsilon(1e-8));
  CHECK(f.d[1].d[1] ==
        doctest::Approx((at(0.7, 1.3 + e).d[1].v - at(0.7, 1.3 - e).d[1].v) / (2 * e)).epsilon(1e-8));
  // d²/dx² of x³ y at (2, 5) is 6 x y = 60, d²/dxdy = 3 x² = 12.
  H X = 2.0, Y = 5.0;
  X.d[0] = 1.0, Y.d[1] = 1.0, X.v.d[0] = 1, Y.v.d[1] = 1;
  const auto g = X * X * X * Y;
  CHECK(g.d[0].d[0] == 60);
  CHECK(g.d[0].d[1] == 12);
}

TEST_CASE("exponential map on SO(3), large and small angles") {
  for (double size : {1e-9, 1e-4, 0.09, 0.11, 1.0, 3.0, 6.0}) {
    const Vector3 w = size * Vector3{{0.48, -0.6, 0.64}};
    CHECK(difference(matrix(exp_so3(w)), series_exp(w)) < 2e-15);
  }
}

TEST_CASE("tangent operators: d exp(w) = exp(w) (T dw)^ on SO(3) and on SE(3)") {
  for (double size : {1e-5, 0.09, 0.11, 0.8, 2.5}) {
    const Vector3 w = size * Vector3{{0.48, -0.6, 0.64}}, v = Vector3{{0.3, 0.9, -0.4}};
    const Matrix3 T = tangent_so3(w), Q = tangent_se3_coupling(v, w);
    const double e = 1e-5;
    for (int j = 0; j < 3; ++j) {
      Vector3 d;
      d[j] = e;
      // exp(w)⁻¹ exp(w ± d) ≈ exp(± T d): its rotation vector by the small quaternion.
      const Rotation<double> R = exp_so3(w);
      const Vector3 plus = (R.inverse() * exp_so3(w + d)).u, minus = (R.inverse() * exp_so3(w - d)).u;
      const Vector3 column = (1 / e) * (plus - minus);
      for (int i = 0; i < 3; ++i) CHECK(std::abs(column[i] - T.m[i][j]) < 1e-9);
      // Translation of exp(v, w)⁻¹ exp(v, w ± d): Rᵀ (V(w ± d) v − V(w) v) ≈ ± Q d  (rotation part is T d).
      const Vector3 x0 = left_tangent_so3(w) * v;
      const Vector3 xp = R.inverse() * (left_tangent_so3(w + d) * v - x0);
      const Vector3 xm = R.inverse() * (left_tangent_so3(w - d) * v - x0);
      const Vector3 q = (0.5 / e) * (xp - xm);
      for (int i = 0; i < 3; ++i) CHECK(std::abs(q[i] - Q.m[i][j]) < 1e-9);
    }
    // The translation column of v itself: Rᵀ V(w) = T(w).
    for (int j = 0; j < 3; ++j) {
      Vector3 unit;
      unit[j] = 1;
      const Vector3 c = exp_so3(w).inverse() * (left_tangent_so3(w) * unit);
      for (int i = 0; i < 3; ++i) CHECK(std::abs(c[i] - T.m[i][j]) < 1e-14);
    }
  }
}
