// What hand-written equations between two bodies share: derivatives by blocks, about world axes, and their way to body axes.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::joint {

/// a bᵀ.
inline Matrix3 outer(const Vector3& a, const Vector3& b) {
  Matrix3 m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.m[i][j] = a[i] * b[j];
  return m;
}

/// Along x_A, φ_A, x_B, φ_B.
enum Part { xa, pa, xb, pb };

/// Two bodies: their axes, and where their rows stand.
struct Ends {
  Matrix3 R[2], back[2];
  int row[4];
  Ends(const Frame<double>& A, const Frame<double>& B, int row_a, int row_b)
      : R{matrix(A.R), matrix(B.R)},
        back{transposed(R[0]), transposed(R[1])},
        row{row_a, row_a + 3, row_b, row_b + 3} {}
  /// A part's own axes: the world's for x, the body's for φ.
  Vector3 own(int part, const Vector3& v) const { return part % 2 ? back[part / 2] * v : v; }
};

/// 3×3 blocks of a second derivative, rotations about world axes.
struct Blocks {
  Matrix3 m[4][4];
  bool used[4][4]{};

  void add(int row, int column, double scale, const Matrix3& A) {
    Matrix3& to = m[row][column];
    if (!used[row][column]) to = {};
    used[row][column] = true;
    to = to + scale * A;
  }
  /// Into the tangent: columns δφ = R δθ, rows Rᵀτ, which turn with the body; `load`: what the rows hold, in own axes.
  template <class Tangent>
  void put(const Ends& ends, const Vector3 load[4], Tangent& t) const {
    for (int p = 0; p < 4; ++p)
      for (int q = 0; q < 4; ++q) {
        if (!used[p][q]) continue;
        Matrix3 block = m[p][q];
        if (q % 2) block = block * ends.R[q / 2];
        if (p % 2) block = ends.back[p / 2] * block;
        if (p % 2 && p == q) block = block + hat(load[p]);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) t.stiffness(ends.row[p] + i, ends.row[q] + j) = block.m[i][j];
      }
  }
};

/// λ times the second derivative of α·(p_B − p_A): α turns with A, r_b with B, s reaches from A's node to p_B.
inline void add_along(Blocks& D, double lam, const Vector3& alpha, const Vector3& r_b, const Vector3& s) {
  const Matrix3 H = hat(alpha), P = hat(r_b);
  D.add(xb, pa, -lam, H);
  D.add(xa, pa, lam, H);
  D.add(pa, xb, lam, H);
  D.add(pa, xa, -lam, H);
  D.add(pb, pb, lam, turned_lever(r_b, alpha));
  D.add(pb, pa, -lam, P * H);
  D.add(pa, pa, lam, turned_lever(alpha, s));
  D.add(pa, pb, -lam, H * P);
}
/// λ times the second derivative of α·β, α of A and β of B.
inline void add_perpendicular(Blocks& D, double lam, const Vector3& alpha, const Vector3& beta) {
  D.add(pa, pa, lam, turned_lever(alpha, beta));
  D.add(pb, pb, lam, turned_lever(beta, alpha));
  D.add(pa, pb, -lam, turned_lever(beta, alpha));
  D.add(pb, pa, -lam, turned_lever(alpha, beta));
}

/// λ times the second derivative of |p_B − p_A|, from this length and its direction.
inline void add_distance(Blocks& D, double lam, double length, const Vector3& direction, const Vector3& r_a,
                         const Vector3& r_b) {
  Matrix3 P;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      P.m[i][j] = lam / length * ((i == j ? 1.0 : 0.0) - direction[i] * direction[j]);
  const Matrix3 Ra = hat(r_a), Rb = hat(r_b);
  const Matrix3 along[4] = {-1.0 * P, P * Ra, P, -1.0 * (P * Rb)};
  for (int c = 0; c < 4; ++c) {
    D.add(xb, c, 1, along[c]);
    D.add(xa, c, -1, along[c]);
    D.add(pb, c, 1, Rb * along[c]);
    D.add(pa, c, -1, Ra * along[c]);
  }
  D.add(pb, pb, lam, turned_lever(r_b, direction));
  D.add(pa, pa, -lam, turned_lever(r_a, direction));
}

}  // namespace escapement::joint
