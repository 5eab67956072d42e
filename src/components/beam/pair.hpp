// Two sections, one as seen from the other: the logarithm λ of the relative frame H, its derivative along the relative motion η, and
// what a load on λ does to the nodes, with exact tangents (T-beam-2).
#pragma once
#include <array>

#include "math/dual.hpp"
#include "math/rotation.hpp"

namespace escapement::beam {

using Six = std::array<double, 6>;
using Matrix6 = std::array<Six, 6>;

inline void put(Matrix6& to, int row, int column, const Matrix3& m) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) to[row + i][column + j] = m.m[i][j];
}
inline Matrix6 operator*(const Matrix6& a, const Matrix6& b) {
  Matrix6 c{};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}
inline Matrix6 transposed(const Matrix6& a) {
  Matrix6 t;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) t[i][j] = a[j][i];
  return t;
}
inline Six operator*(const Matrix6& a, const Six& x) {
  Six y{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) y[i] += a[i][j] * x[j];
  return y;
}

class Pair {
 public:
  Pair(const Frame<double>& node_a, const Frame<double>& node_b, const Frame<double>& on_a,
       const Frame<double>& on_b)
      : on_a_(on_a), on_b_(on_b), node_a_(matrix(node_a.R)), node_b_(matrix(node_b.R)) {
    H = (node_a * on_a).inverse() * (node_b * on_b);
    R_ = matrix(H.R);
    w_ = log_so3(H.R);
    const double s = dot(w_, w_);
    const InverseTangent<double> k(s);
    e_ = k.e;
    slope_ = k.slope;
    curve_ = curvature(s, k.slope);
    const Vector3 x = untangled(w_, H.x, e_, true);
    for (int i = 0; i < 3; ++i) {
      lambda[i] = x[i];
      lambda[3 + i] = w_[i];
    }
    const Matrix3 W = hat(w_);
    A_ = diagonal(1, 1, 1) + 0.5 * W + e_ * (W * W);
    B_ = turned_by(H.x, -0.5);
    D = {};
    put(D, 0, 0, A_);
    put(D, 3, 3, A_);
    put(D, 0, 3, B_ * A_);
  }

  Frame<double> H;
  Six lambda;
  Matrix6 D;  // ∂λ/∂η = [[T⁻¹, B T⁻¹], [0, T⁻¹]], B = ∂(V⁻¹(w) x)/∂w

  /// f = Dᵀ σ: what the load σ on λ does to B, in its own axes.
  Six pulled(const Six& load) const { return transposed(D) * load; }

  /// ∂(Dᵀ σ)/∂η while σ stays.
  Matrix6 geometric(const Six& load) const {
    const Vector3 n{{load[0], load[1], load[2]}}, m{{load[3], load[4], load[5]}}, &x = H.x;
    // ψ = n·V⁻¹(w) x = n·x − ½ w·(x × n) + e q, q = n·(w × (w × x)): its derivatives by w and x.
    const double wx = dot(w_, x), nw = dot(n, w_), nx = dot(n, x), q = nw * wx - dot(w_, w_) * nx;
    const Vector3 dq = wx * n + nw * x - (2 * nx) * w_;
    const Vector3 turning = m - 0.5 * cross(x, n) + (2 * slope_ * q) * w_ + e_ * dq;
    Matrix3 second;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        second.m[i][j] = e_ * (n[i] * x[j] + x[i] * n[j]) + 2 * slope_ * (w_[i] * dq[j] + dq[i] * w_[j]) +
                         4 * curve_ * q * w_[i] * w_[j] + (i == j ? 2 * slope_ * q - 2 * e_ * nx : 0);
    const Matrix3 At = escapement::transposed(A_), mixed = escapement::transposed(turned_by(n, 0.5));
    Matrix6 G{};
    put(G, 0, 3, turned_by(n, -0.5) * A_);
    put(G, 3, 0, At * (mixed * R_));
    put(G, 3, 3, (At * second + turned_by(turning, -0.5)) * A_);
    return G;
  }

  /// η = P (motions of the nodes): linear parts in world axes, or (`body`) in those of the nodes. A: v = −Rᵀ(v_A + w_A × x) with
  /// v_A = Sᵀ(Nᵀ dx + dw × s), w_A = Sᵀ dw; B: the same without the lever x.
  using Motion = std::array<std::array<double, 12>, 6>;
  Motion motion(bool body) const {
    Motion P{};
    const Matrix3 back = escapement::transposed(R_);
    for (int i = 0; i < 2; ++i) {
      const Frame<double>& on = i == 0 ? on_a_ : on_b_;
      const Matrix3 section = escapement::transposed(matrix(on.R));
      const Matrix3 turn = i == 0 ? (-1.0) * (back * section) : section;
      const Matrix3 move = body ? turn : turn * escapement::transposed(i == 0 ? node_a_ : node_b_);
      Matrix3 lever = (-1.0) * (turn * hat(on.x));
      if (i == 0) lever = lever + back * (hat(H.x) * section);
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) {
          P[k][6 * i + j] = move.m[k][j];
          P[k][6 * i + 3 + j] = lever.m[k][j];
          P[3 + k][6 * i + 3 + j] = turn.m[k][j];
        }
    }
    return P;
  }
  /// The rows Pᵀ f change with the nodes while f stays: added to K(row, column), rows and columns A and B.
  template <class K>
  void add_turning(const Six& f, const Motion& P, bool body, const K& add) const {
    const Vector3 F{{f[0], f[1], f[2]}}, M{{f[3], f[4], f[5]}};
    const Matrix3 S = matrix(on_a_.R), RF = R_ * hat(F);
    const Matrix3 force = S * RF;  // of A, per turn of B relative to it; and its moment per shift
    const Matrix3 moment = S * (hat(H.x) * RF + R_ * hat(M)) + hat(on_a_.x) * force;
    const Matrix3 row = body ? force : node_a_ * force;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 12; ++j) {
        double linear = 0, angular = 0;
        for (int k = 0; k < 3; ++k) {
          linear += row.m[i][k] * P[3 + k][j];
          angular += force.m[i][k] * P[k][j] + moment.m[i][k] * P[3 + k][j];
        }
        add(i, j, linear);
        add(3 + i, j, angular);
      }
    if (body) return;
    const Matrix3 at_a = node_a_ * hat(on_a_.R * (H.R * F)), at_b = (-1.0) * (node_b_ * hat(on_b_.R * F));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        add(i, 3 + j, at_a.m[i][j]);
        add(6 + i, 9 + j, at_b.m[i][j]);
      }
  }

  /// ∂(P v)/∂(motions of the nodes), v staying: A's motion as seen from B turns with H, dη = ad(δ) Ad(H⁻¹) V_A; and velocities in
  /// world axes are seen from nodes that turn.
  Motion velocity_change(const Motion& P, const double* v, bool body) const {
    Six U{};
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) U[k] -= P[k][j] * v[j];
    const Vector3 Uv{{U[0], U[1], U[2]}}, Uw{{U[3], U[4], U[5]}};
    Motion Q{};
    for (int j = 0; j < 12; ++j) {
      const Vector3 dv{{P[0][j], P[1][j], P[2][j]}}, dw{{P[3][j], P[4][j], P[5][j]}};
      const Vector3 linear = cross(dw, Uv) + cross(dv, Uw), angular = cross(dw, Uw);
      for (int k = 0; k < 3; ++k) {
        Q[k][j] = linear[k];
        Q[3 + k][j] = angular[k];
      }
    }
    if (body) return Q;
    for (int i = 0; i < 2; ++i) {
      const Matrix3& node = i == 0 ? node_a_ : node_b_;
      const Vector3 seen = escapement::transposed(node) * Vector3{{v[6 * i], v[6 * i + 1], v[6 * i + 2]}};
      Matrix3 turn = escapement::transposed(matrix((i == 0 ? on_a_ : on_b_).R)) * hat(seen);
      if (i == 0) turn = (-1.0) * (escapement::transposed(R_) * turn);
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) Q[k][6 * i + 3 + j] += turn.m[k][j];
    }
    return Q;
  }
  /// λ̇ = D η, for any scalar.
  template <class S>
  static Vec<6, S> rate(const Frame<S>& H, const Vec<6, S>& eta) {
    const Vec3<S> w = log_so3(H.R), wx = cross(w, H.x);
    const InverseTangent<S> k(dot(w, w));
    const Vec3<S> dw = untangled(w, Vec3<S>{{eta[3], eta[4], eta[5]}}, k.e, false);
    const Vec3<S> along = untangled(w, Vec3<S>{{eta[0], eta[1], eta[2]}}, k.e, false) - 0.5 * cross(dw, H.x) +
                          k.e * (cross(dw, wx) + cross(w, cross(dw, H.x))) +
                          (2.0 * k.slope * dot(w, dw)) * cross(w, wx);
    return {{along[0], along[1], along[2], dw[0], dw[1], dw[2]}};
  }
  /// ∂λ̇/∂η along the six relative motions, the relative velocity staying.
  Matrix6 rate_tangent(const Six& eta) const {
    using D = Dual<6>;
    Vec<6, D> constant;
    for (int i = 0; i < 6; ++i) constant[i] = D(eta[i]);
    const Vec<6, D> rate = Pair::rate(moved(H), constant);
    Matrix6 E;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) E[i][j] = rate[i].d[j];
    return E;
  }
  /// H along the six relative motions: x += R v, R += R ŵ.
  static Frame<Dual<6>> moved(const Frame<double>& H) {
    using D = Dual<6>;
    Frame<D> moved{as<D>(H.R), as<D>(H.x)};
    const Matrix3 R = matrix(H.R);
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) moved.x[k].d[j] = R.m[k][j];
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      moved.R.w.d[3 + j] = -0.5 * H.R.u[j];
      moved.R.u[j].d[3 + j] = 0.5 * H.R.w;
      moved.R.u[j1].d[3 + j] = 0.5 * H.R.u[j2];
      moved.R.u[j2].d[3 + j] = -0.5 * H.R.u[j1];
    }
    return moved;
  }

  /// The second derivative of InverseTangent::e.
  static double curvature(double s, double slope) {
    if (s < 0.25) {  // of the series of InverseTangent
      constexpr double c[] = {1.0 / 30240 * 2,          1.0 / 1209600 * 6,
                              1.0 / 47900160 * 12,      691.0 / 1307674368000.0 * 20,
                              1.0 / 74724249600.0 * 30, 3617.0 / 10670622842880000.0 * 42};
      double sum = c[5];
      for (int k = 4; k >= 0; --k) sum = sum * s + c[k];
      return sum;
    }
    // s e = 1 − ½t cot ½t, twice by s.
    const double t = std::sqrt(s), h = 0.5 * t, sine = std::sin(h), cotangent = std::cos(h) / sine;
    const double n = h / (sine * sine) - cotangent, dn = (1 - h * cotangent) / (sine * sine);
    const double second = (dn / (4 * t) - n / (4 * s)) / (2 * t);  // −d²(½t cot ½t)/ds²
    return (second - 2 * slope) / s;
  }

 private:
  /// ∂/∂w of a + sign w × a + e w × (w × a).
  Matrix3 turned_by(const Vector3& a, double sign) const {
    const Vector3 wa = cross(w_, a), wwa = cross(w_, wa);
    const double c = 2 * slope_;
    // −sign â − e ((w × a)^ + ŵ â) + 2e′ (w × (w × a)) wᵀ
    const double aw = dot(a, w_);
    Matrix3 m;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        m.m[i][j] = -e_ * a[i] * w_[j] + c * wwa[i] * w_[j] + (i == j ? e_ * aw : 0);
    const Vector3 skew = sign * a + e_ * wa;
    const Matrix3 h = hat(skew);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m.m[i][j] -= h.m[i][j];
    return m;
  }

  Frame<double> on_a_, on_b_;
  Matrix3 node_a_, node_b_, R_, A_, B_;
  Vector3 w_;
  double e_, slope_, curve_;
};

/// Pᵀ M Q, entry by entry: add(row, column, value).
template <class Add>
void add_product(const Pair::Motion& P, const Matrix6& M, const Pair::Motion& Q, const Add& add) {
  Pair::Motion MQ{};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 12; ++j) MQ[i][j] += M[i][k] * Q[k][j];
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) add(i, j, P[k][i] * MQ[k][j]);
}

}  // namespace escapement::beam
