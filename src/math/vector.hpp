// Small vectors and 3x3 matrices of any scalar: what element kernels are written with.
#pragma once
#include <array>
#include <type_traits>

#include "math/dual.hpp"

namespace escapement {

template <int n, class S>
struct Vec {
  S e[n]{};

  S& operator[](int i) { return e[i]; }
  const S& operator[](int i) const { return e[i]; }
  Vec& operator+=(const Vec& o) {
    for (int i = 0; i < n; ++i) e[i] += o.e[i];
    return *this;
  }
  Vec& operator-=(const Vec& o) {
    for (int i = 0; i < n; ++i) e[i] -= o.e[i];
    return *this;
  }
  friend Vec operator+(Vec a, const Vec& b) { return a += b; }
  friend Vec operator-(Vec a, const Vec& b) { return a -= b; }
  friend Vec operator-(Vec a) {
    for (int i = 0; i < n; ++i) a.e[i] = -a.e[i];
    return a;
  }
  /// Scaling by a plain number or by the vector's own scalar.
  template <class C, class = std::enable_if_t<std::is_arithmetic_v<C> || std::is_same_v<C, S>>>
  friend Vec operator*(const C& s, Vec a) {
    for (int i = 0; i < n; ++i) a.e[i] = s * a.e[i];
    return a;
  }
};

template <class S>
using Vec3 = Vec<3, S>;
using Vector3 = Vec3<double>;

/// Constants (plain doubles) become vectors of the kernel's scalar.
template <class S, int n>
Vec<n, S> as(const Vec<n, double>& a) {
  Vec<n, S> r;
  for (int i = 0; i < n; ++i) r[i] = S(a[i]);
  return r;
}

template <int n, class S>
S dot(const Vec<n, S>& a, const Vec<n, S>& b) {
  S r = a[0] * b[0];
  for (int i = 1; i < n; ++i) r += a[i] * b[i];
  return r;
}
template <int n, class S>
S norm(const Vec<n, S>& a) {
  return sqrt(dot(a, a));
}
template <class S>
Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

/// Row-major 3x3.
template <class S>
struct Mat3 {
  S m[3][3]{};

  static Mat3 identity() {
    Mat3 r;
    for (int i = 0; i < 3; ++i) r.m[i][i] = S(1.0);
    return r;
  }
  friend Mat3 operator+(Mat3 a, const Mat3& b) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) a.m[i][j] += b.m[i][j];
    return a;
  }
  friend Mat3 operator*(double s, Mat3 a) {
    for (auto& row : a.m)
      for (auto& x : row) x *= s;
    return a;
  }
  friend Mat3 operator*(const Mat3& a, const Mat3& b) {
    Mat3 r;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return r;
  }
  friend Vec3<S> operator*(const Mat3& a, const Vec3<S>& x) {
    Vec3<S> r;
    for (int i = 0; i < 3; ++i) r[i] = a.m[i][0] * x[0] + a.m[i][1] * x[1] + a.m[i][2] * x[2];
    return r;
  }
};
using Matrix3 = Mat3<double>;

inline Matrix3 hat(const Vector3& w) { return {{{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}}}; }
inline Matrix3 transposed(const Matrix3& a) {
  Matrix3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r.m[i][j] = a.m[j][i];
  return r;
}
inline Vector3 column(const Matrix3& a, int j) { return {{a.m[0][j], a.m[1][j], a.m[2][j]}}; }
/// Of (δφ × r) × f along δφ: r fᵀ − (r·f) I, which is also f̂ r̂.
inline Matrix3 turned_lever(const Vector3& r, const Vector3& f) {
  const double rf = dot(r, f);
  Matrix3 m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.m[i][j] = r[i] * f[j] - (i == j ? rf : 0.0);
  return m;
}
inline Matrix3 diagonal(double a, double b, double c) { return {{{a, 0, 0}, {0, b, 0}, {0, 0, c}}}; }

/// A constant matrix times a vector of the kernel's scalar.
template <class S, class = std::enable_if_t<!std::is_same_v<S, double>>>
Vec3<S> operator*(const Matrix3& a, const Vec3<S>& x) {
  Vec3<S> r;
  for (int i = 0; i < 3; ++i) r[i] = a.m[i][0] * x[0] + a.m[i][1] * x[1] + a.m[i][2] * x[2];
  return r;
}

}  // namespace escapement
