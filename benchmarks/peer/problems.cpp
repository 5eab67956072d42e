#include "problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace escapement::benchmarks {

// ------------------------------------------------------------------ helpers

Places full_places(const std::vector<std::pair<int, int>>& entries, int size) {
  Places p;
  for (const auto& [row, column] : entries) p.place.push_back(column * size + row);
  p.nonzeros = size * size;
  return p;
}

Places compressed_places(const std::vector<std::pair<int, int>>& entries, int size) {
  std::vector<std::pair<int, int>> sorted;  // by column
  for (const auto& [row, column] : entries) sorted.emplace_back(column, row);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  Places p;
  p.nonzeros = static_cast<int>(sorted.size());
  p.column_begin.assign(size + 1, 0);
  for (const auto& [column, row] : sorted) {
    ++p.column_begin[column + 1];
    p.row.push_back(row);
  }
  for (int i = 0; i < size; ++i) p.column_begin[i + 1] += p.column_begin[i];
  for (const auto& [row, column] : entries)
    p.place.push_back(static_cast<int>(
        std::lower_bound(sorted.begin(), sorted.end(), std::pair{column, row}) - sorted.begin()));
  return p;
}

int ImplicitProblem::unknown(double value, double size, bool has_rate) {
  y.push_back(value);
  rate.push_back(0);
  magnitude.push_back(size);
  differential.push_back(has_rate);
  return static_cast<int>(y.size()) - 1;
}

namespace {

/// Solves A x = b of size n, rows one after the other, by elimination with row exchanges; x replaces b.
void solve(std::vector<double> A, std::vector<double>& b) {
  const int n = static_cast<int>(b.size());
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
    std::swap_ranges(&A[k * n], &A[k * n] + n, &A[pivot * n]);
    std::swap(b[k], b[pivot]);
    for (int i = k + 1; i < n; ++i) {
      const double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
}

double square(double x) { return x * x; }

// ------------------------------------------------------------------ controlled spring-mass

/// y = (q, v, x): m v̇ = −k q + limit tanh(x/limit), ẋ = −σ x − b v̇.
struct ImplicitControlledMass : ImplicitProblem, ControlledMass {
  ImplicitControlledMass() {
    for (double value : {q0, 0.0, 0.0}) observed.push_back(unknown(value, q0));
    rate = {0, -k * q0 / m, b * k * q0 / m};
  }
  void residual(double, const double* y, const double* rate, double* r) const override {
    r[0] = rate[0] - y[1];
    r[1] = m * rate[1] + k * y[0] - limit * std::tanh(y[2] / limit);
    r[2] = rate[2] + sigma * y[2] + b * rate[1];
  }
  void jacobian(double, const double* y, const double*, double c, Entries& J) const override {
    J.add(0, 0, c);
    J.add(0, 1, -1);
    J.add(1, 0, k);
    J.add(1, 1, m * c);
    J.add(1, 2, square(std::tanh(y[2] / limit)) - 1);
    J.add(2, 1, b * c);
    J.add(2, 2, c + sigma);
  }
};

/// u = (q, ∫x).
struct SecondOrderControlledMass : SecondOrderProblem, ControlledMass {
  SecondOrderControlledMass() {
    u = {q0, 0};
    rate = {0, 0};
    observed = {0, 2, 3};
  }
  void residual(double, const double* u, const double* v, const double* a, double* r) const override {
    r[0] = m * a[0] + k * u[0] - limit * std::tanh(v[1] / limit);
    r[1] = a[1] + sigma * v[1] + b * a[0];
  }
  void jacobian(double, const double*, const double* v, double cv, double ca, Entries& J) const override {
    J.add(0, 0, m * ca + k);
    J.add(0, 1, cv * (square(std::tanh(v[1] / limit)) - 1));
    J.add(1, 0, b * ca);
    J.add(1, 1, ca + sigma * cv);
  }
};

// ------------------------------------------------------------------ Van der Pol

/// y = (x, v): v̇ = μ (1 − x²) v − x.
struct ImplicitVanDerPol : ImplicitProblem, VanDerPol {
  ImplicitVanDerPol() {
    observed = {unknown(x0, x0)};
    unknown(0, 1);
    rate = {0, -x0};
  }
  void residual(double, const double* y, const double* rate, double* r) const override {
    r[0] = rate[0] - y[1];
    r[1] = rate[1] - mu * (1 - y[0] * y[0]) * y[1] + y[0];
  }
  void jacobian(double, const double* y, const double*, double c, Entries& J) const override {
    J.add(0, 0, c);
    J.add(0, 1, -1);
    J.add(1, 0, 1 + 2 * mu * y[0] * y[1]);
    J.add(1, 1, c - mu * (1 - y[0] * y[0]));
  }
};

struct SecondOrderVanDerPol : SecondOrderProblem, VanDerPol {
  SecondOrderVanDerPol() {
    u = {x0};
    rate = {0};
    observed = {0};
  }
  void residual(double, const double* u, const double* v, const double* a, double* r) const override {
    r[0] = a[0] - mu * (1 - u[0] * u[0]) * v[0] + u[0];
  }
  void jacobian(double, const double* u, const double* v, double cv, double ca, Entries& J) const override {
    J.add(0, 0, ca - cv * mu * (1 - u[0] * u[0]) + 1 + 2 * mu * u[0] * v[0]);
  }
};

// ------------------------------------------------------------------ pendulum of n masses

/// Of each mass x, y, their velocities, λ and μ; d the rod from the mass before: Φ = (d² − length²)/2.
struct ImplicitPendulum : ImplicitProblem, Pendulum {
  static constexpr int each = 6;
  enum { X, Y, VX, VY, L, M };

  explicit ImplicitPendulum(const Pendulum& p) : Pendulum(p) {
    const double total = n * length, speed = std::sqrt(g * total), pull = g * mass * n / length;
    for (int i = 0; i < n; ++i) {
      unknown((i + 1) * length * std::sin(angle), total);
      unknown(-(i + 1) * length * std::cos(angle), total);
      unknown(0, speed);
      unknown(0, speed);
      unknown(0, pull, false);
      unknown(0, speed / length, false);
    }
    const int tip = each * (n - 1);
    observed = {tip, tip + 1, tip + 2, tip + 3};
    // At rest d_i·(v̇_i − v̇_{i−1}) = 0, with m v̇_i = m g − d_i λ_i + d_{i+1} λ_{i+1}.
    std::vector<double> A(n * n), b(n);
    const double along = length * length;  // d_i·d_j: the chain is straight
    for (int i = 0; i < n; ++i) {
      A[i * n + i] = (i > 0 ? 2 : 1) * along / mass;
      if (i > 0) A[i * n + i - 1] = -along / mass;
      if (i + 1 < n) A[i * n + i + 1] = -along / mass;
    }
    b[0] = g * length * std::cos(angle);
    solve(A, b);
    for (int i = 0; i < n; ++i) {
      y[each * i + L] = b[i];
      const double pulled = (b[i] - (i + 1 < n ? b[i + 1] : 0)) * length / mass;
      rate[each * i + VX] = -pulled * std::sin(angle);
      rate[each * i + VY] = -g + pulled * std::cos(angle);
    }
    sparse = n > 4;
  }

  void residual(double, const double* y, const double* rate, double* r) const override {
    static constexpr double origin[each]{};
    const double* before = origin;
    for (int i = 0; i < n; ++i, before = y, y += each, rate += each, r += each) {
      const double dx = y[X] - before[X], dy = y[Y] - before[Y];
      r[X] = rate[X] - y[VX] + dx * y[M];
      r[Y] = rate[Y] - y[VY] + dy * y[M];
      r[VX] = mass * rate[VX] + dx * y[L];
      r[VY] = mass * (rate[VY] + g) + dy * y[L];
      r[L] = 0.5 * (dx * dx + dy * dy - length * length);
      r[M] = dx * (y[VX] - before[VX]) + dy * (y[VY] - before[VY]);
      if (i == 0) continue;
      r[X - each] -= dx * y[M];
      r[Y - each] -= dy * y[M];
      r[VX - each] -= dx * y[L];
      r[VY - each] -= dy * y[L];
    }
  }
  void jacobian(double, const double* all, const double*, double c, Entries& J) const override {
    for (int i = 0; i < n; ++i) {
      const int at = each * i;
      const double* y = all + at;
      for (int k = 0; k < 2; ++k) {
        const int x = at + X + k, v = at + VX + k, l = at + L, mu = at + M;
        const double d = y[X + k] - (i > 0 ? y[X + k - each] : 0),
                     w = y[VX + k] - (i > 0 ? y[VX + k - each] : 0);
        J.add(x, x, c + y[M]);
        J.add(x, v, -1);
        J.add(x, mu, d);
        J.add(v, v, mass * c);
        J.add(v, x, y[L]);
        J.add(v, l, d);
        J.add(l, x, d);
        J.add(mu, x, w);
        J.add(mu, v, d);
        if (i == 0) continue;
        const int xb = x - each, vb = v - each;
        J.add(x, xb, -y[M]);
        J.add(v, xb, -y[L]);
        J.add(l, xb, -d);
        J.add(mu, xb, -w);
        J.add(mu, vb, -d);
        J.add(xb, x, -y[M]);
        J.add(xb, xb, y[M]);
        J.add(xb, mu, -d);
        J.add(vb, x, -y[L]);
        J.add(vb, xb, y[L]);
        J.add(vb, l, -d);
      }
    }
  }
};

// ------------------------------------------------------------------ heavy top

using V3 = std::array<double, 3>;
V3 cross(const V3& a, const V3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const V3& a, const V3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// A quaternion (s, u), of length one but for errors, and its rotation matrix (`way` = 1) or the transpose (−1) times a.
struct Quaternion {
  double s;
  V3 u;
  V3 turn(const V3& a, double way) const {
    const V3 x = cross(u, a);
    const double f = s * s - dot(u, u), g = 2 * dot(u, a);
    V3 b;
    for (int k = 0; k < 3; ++k) b[k] = f * a[k] + g * u[k] + way * 2 * s * x[k];
    return b;
  }
  /// Its derivatives by s, u1, u2, u3.
  std::array<V3, 4> derivative(const V3& a, double way) const {
    const V3 x = cross(u, a);
    const double g = 2 * dot(u, a);
    std::array<V3, 4> d;
    for (int k = 0; k < 3; ++k) d[0][k] = 2 * s * a[k] + way * 2 * x[k];
    for (int j = 0; j < 3; ++j) {
      V3 e{};
      e[j] = 1;
      const V3 z = cross(e, a);
      for (int k = 0; k < 3; ++k)
        d[1 + j][k] = -2 * u[j] * a[k] + 2 * a[j] * u[k] + (k == j ? g : 0) + way * 2 * s * z[k];
    }
    return d;
  }
};

/// y = (x, quaternion p, v, ω in body axes, λ, μ, η); X the arm, from the joint to the centre of mass, in body axes:
///   ẋ = v − μ,  ṗ = ½ p ∘ (ω + X × Rᵀμ) + η p,  m v̇ = m g − λ,  J ω̇ + ω × J ω = X × Rᵀλ,
///   x = R X,  v = R (ω × X),  p·p = 1.
struct ImplicitHeavyTop : ImplicitProblem, HeavyTop {
  enum { X = 0, P = 3, V = 7, W = 10, L = 13, M = 16, E = 19 };
  static constexpr V3 arm{0, 1, 0}, J_{J1, J2, J3};

  ImplicitHeavyTop() {
    const V3 w{0, spin, tilt}, v = cross(w, arm);
    const double fast = std::abs(tilt);
    for (int k = 0; k < 3; ++k) unknown(arm[k], 1);
    for (int k = 0; k < 4; ++k) unknown(k == 0, 1);
    for (int k = 0; k < 3; ++k) unknown(v[k], fast);
    for (int k = 0; k < 3; ++k) unknown(w[k], k == 1 ? spin : fast);
    for (int k = 0; k < 3; ++k) unknown(0, m * fast * fast, false);
    for (int k = 0; k < 3; ++k) unknown(0, fast, false);
    unknown(0, fast, false);
    // About the joint: J_O ω̇ = −ω × J ω + X × m (g − ω × (ω × X)), with R = I.
    const V3 turning = cross(w, cross(w, arm)), gyroscopic = cross(w, {J1 * w[0], J2 * w[1], J3 * w[2]}),
             weight = cross(arm, {-m * turning[0], -m * turning[1], m * (-g - turning[2])});
    const V3 dw{(weight[0] - gyroscopic[0]) / (J1 + m), (weight[1] - gyroscopic[1]) / J2,
                (weight[2] - gyroscopic[2]) / (J3 + m)};
    const V3 dv = cross(dw, arm);
    for (int k = 0; k < 3; ++k) {
      rate[X + k] = v[k];
      rate[P + 1 + k] = 0.5 * w[k];
      rate[V + k] = dv[k] + turning[k];
      rate[W + k] = dw[k];
      y[L + k] = m * ((k == 2 ? -g : 0) - rate[V + k]);
    }
    observed = {X, X + 1, X + 2, W, W + 2};
  }

  static V3 part(const double* y) { return {y[0], y[1], y[2]}; }
  void residual(double, const double* y, const double* rate, double* r) const override {
    const Quaternion p{y[P], part(y + P + 1)};
    const V3 w = part(y + W), load = cross(arm, p.turn(part(y + L), -1)),
             drift = cross(arm, p.turn(part(y + M), -1)), at = p.turn(arm, 1),
             moves = p.turn(cross(w, arm), 1), gyroscopic = cross(w, {J1 * w[0], J2 * w[1], J3 * w[2]});
    const V3 z{w[0] + drift[0], w[1] + drift[1], w[2] + drift[2]}, across = cross(p.u, z);
    r[P] = rate[P] + 0.5 * dot(p.u, z) - y[E] * p.s;
    for (int k = 0; k < 3; ++k) {
      r[X + k] = rate[X + k] - y[V + k] + y[M + k];
      r[P + 1 + k] = rate[P + 1 + k] - 0.5 * (p.s * z[k] + across[k]) - y[E] * p.u[k];
      r[V + k] = m * rate[V + k] + y[L + k] + (k == 2 ? m * g : 0);
      r[W + k] = J_[k] * rate[W + k] + gyroscopic[k] - load[k];
      r[L + k] = y[X + k] - at[k];
      r[M + k] = y[V + k] - moves[k];
    }
    r[E] = 0.5 * (p.s * p.s + dot(p.u, p.u) - 1);
  }
  /// μ and η are zero but for errors: what they multiply is left out where they are differentiated by others.
  void jacobian(double, const double* y, const double*, double c, Entries& J) const override {
    const Quaternion p{y[P], part(y + P + 1)};
    const V3 w = part(y + W), velocity = cross(w, arm);
    const auto at = p.derivative(arm, 1), moves = p.derivative(velocity, 1),
               pull = p.derivative(part(y + L), -1);
    // ½ p ∘ (0, z): column of z_j.
    const auto rolls = [&](int j) {
      V3 e{};
      e[j] = 1;
      const V3 x = cross(p.u, e);
      return std::array<double, 4>{-0.5 * p.u[j], 0.5 * (p.s * e[0] + x[0]), 0.5 * (p.s * e[1] + x[1]),
                                   0.5 * (p.s * e[2] + x[2])};
    };
    for (int k = 0; k < 3; ++k) {
      J.add(X + k, X + k, c);
      J.add(X + k, V + k, -1);
      J.add(X + k, M + k, 1);
      J.add(V + k, V + k, m * c);
      J.add(V + k, L + k, 1);
      J.add(L + k, X + k, 1);
      J.add(M + k, V + k, 1);
      J.add(W + k, W + k, J_[k] * c);
    }
    for (int j = 0; j < 4; ++j) {
      J.add(P + j, P + j, c);
      J.add(P + j, E, -y[P + j]);
      J.add(E, P + j, y[P + j]);
      const V3 load = cross(arm, pull[j]);
      for (int k = 0; k < 3; ++k) {
        J.add(L + k, P + j, -at[j][k]);
        J.add(M + k, P + j, -moves[j][k]);
        J.add(W + k, P + j, -load[k]);
      }
    }
    // ∂(p ∘ ω)/∂p, skew.
    for (int k = 0; k < 3; ++k) {
      J.add(P, P + 1 + k, 0.5 * w[k]);
      J.add(P + 1 + k, P, -0.5 * w[k]);
      V3 e{};
      e[k] = 1;
      const V3 x = cross(e, w);
      for (int i = 0; i < 3; ++i)
        if (i != k) J.add(P + 1 + i, P + 1 + k, -0.5 * x[i]);
    }
    for (int j = 0; j < 3; ++j) {
      V3 e{};
      e[j] = 1;
      const auto by_w = rolls(j);
      const V3 by_velocity = p.turn(cross(e, arm), 1), Rt = p.turn(e, -1), load = cross(arm, Rt);
      const V3 a = cross(e, {J1 * w[0], J2 * w[1], J3 * w[2]});
      V3 b = cross(w, e);
      for (double& x : b) x *= J_[j];
      for (int k = 0; k < 4; ++k) {
        J.add(P + k, W + j, -by_w[k]);
        double by_mu = 0;
        for (int i = 0; i < 3; ++i) by_mu += rolls(i)[k] * load[i];
        J.add(P + k, M + j, -by_mu);
      }
      for (int k = 0; k < 3; ++k) {
        J.add(W + k, W + j, a[k] + b[k]);
        J.add(W + k, L + j, -load[k]);
        J.add(M + k, W + j, -by_velocity[k]);
      }
    }
  }
};

// ------------------------------------------------------------------ slider-crank

/// Three bodies in the plane, x, y, θ of each; eight equations: crank on ground, rod on crank, slider on rod, and the
/// slider's y and θ zero. y = (q, v, λ, μ).
struct ImplicitSliderCrank : ImplicitProblem, SliderCrank {
  static constexpr int Q = 0, V = 9, L = 18, M = 26;
  static constexpr double a = 0.5 * crank, b = 0.5 * rod;
  static constexpr double inertia[9] = {m1, m1, J1, m2, m2, J2, m3, m3, J3};

  ImplicitSliderCrank() {
    const double turn = -crank * speed / rod;  // of the rod
    const double q[9] = {a, 0, 0, crank + b, 0, 0, crank + rod, 0, 0};
    const double v[9] = {0, a * speed, speed, 0, 0.5 * crank * speed, turn, 0, 0, 0};
    for (int i = 0; i < 9; ++i) unknown(q[i], i % 3 == 2 ? 1 : crank);
    for (int i = 0; i < 9; ++i) unknown(v[i], i % 3 == 2 ? speed : crank * speed);
    for (int i = 0; i < 8; ++i) unknown(0, m1 * crank * speed * speed, false);
    for (int i = 0; i < 8; ++i) unknown(0, crank * speed, false);
    // M v̇ + Gᵀλ = f, G v̇ = −Ġ v.
    constexpr int n = 17;
    std::vector<double> A(n * n), r(n);
    for (int i = 0; i < 9; ++i) {
      A[i * n + i] = inertia[i];
      r[i] = i % 3 == 1 ? -g * inertia[i] : 0;
    }
    each_slope(q, [&](int row, int column, double value) {
      A[(9 + row) * n + column] = A[column * n + 9 + row] = value;
    });
    each_bend(q, [&](int row, int column, double value) { r[9 + row] -= value * v[column] * v[column]; });
    solve(A, r);
    for (int i = 0; i < 9; ++i) {
      rate[Q + i] = v[i];
      rate[V + i] = r[i];
    }
    for (int i = 0; i < 8; ++i) y[L + i] = r[9 + i];
    observed = {Q + 0, Q + 1, Q + 6, V + 0, V + 1, V + 6};
    sparse = true;
  }

  /// Of G = ∂Φ/∂q: row, column, value.
  template <class F>
  static void each_slope(const double* q, F f) {
    const double c1 = std::cos(q[2]), s1 = std::sin(q[2]), c2 = std::cos(q[5]), s2 = std::sin(q[5]);
    f(0, 0, 1.0), f(0, 2, a * s1);
    f(1, 1, 1.0), f(1, 2, -a * c1);
    f(2, 0, 1.0), f(2, 2, -a * s1), f(2, 3, -1.0), f(2, 5, -b * s2);
    f(3, 1, 1.0), f(3, 2, a * c1), f(3, 4, -1.0), f(3, 5, b * c2);
    f(4, 3, 1.0), f(4, 5, -b * s2), f(4, 6, -1.0);
    f(5, 4, 1.0), f(5, 5, b * c2), f(5, 7, -1.0);
    f(6, 7, 1.0);
    f(7, 8, 1.0);
  }
  /// Of ∂²Φ/∂θ²: row, column of the angle, value.
  template <class F>
  static void each_bend(const double* q, F f) {
    const double c1 = a * std::cos(q[2]), s1 = a * std::sin(q[2]), c2 = b * std::cos(q[5]),
                 s2 = b * std::sin(q[5]);
    f(0, 2, c1), f(1, 2, s1);
    f(2, 2, -c1), f(3, 2, -s1), f(2, 5, -c2), f(3, 5, -s2);
    f(4, 5, -c2), f(5, 5, -s2);
  }
  void residual(double, const double* y, const double* rate, double* r) const override {
    const double *q = y + Q, *v = y + V;
    const double c1 = a * std::cos(q[2]), s1 = a * std::sin(q[2]), c2 = b * std::cos(q[5]),
                 s2 = b * std::sin(q[5]);
    for (int i = 0; i < 9; ++i) {
      r[Q + i] = rate[Q + i] - v[i];
      r[V + i] = inertia[i] * (rate[V + i] + (i % 3 == 1 ? g : 0));
    }
    r[L + 0] = q[0] - c1;
    r[L + 1] = q[1] - s1;
    r[L + 2] = q[0] + c1 - q[3] + c2;
    r[L + 3] = q[1] + s1 - q[4] + s2;
    r[L + 4] = q[3] + c2 - q[6];
    r[L + 5] = q[4] + s2 - q[7];
    r[L + 6] = q[7];
    r[L + 7] = q[8];
    for (int i = 0; i < 8; ++i) r[M + i] = 0;
    each_slope(q, [&](int row, int column, double value) {
      r[Q + column] += value * y[M + row];
      r[V + column] += value * y[L + row];
      r[M + row] += value * v[column];
    });
  }
  void jacobian(double, const double* y, const double*, double c, Entries& J) const override {
    for (int i = 0; i < 9; ++i) {
      J.add(Q + i, Q + i, c);
      J.add(Q + i, V + i, -1);
      J.add(V + i, V + i, inertia[i] * c);
    }
    each_slope(y + Q, [&](int row, int column, double value) {
      J.add(Q + column, M + row, value);
      J.add(V + column, L + row, value);
      J.add(L + row, Q + column, value);
      J.add(M + row, V + column, value);
    });
    each_bend(y + Q, [&](int row, int column, double value) {
      J.add(Q + column, Q + column, value * y[M + row]);
      J.add(V + column, Q + column, value * y[L + row]);
      J.add(M + row, Q + column, value * y[V + column]);
    });
  }
};

// ------------------------------------------------------------------ RC circuit and oscillator

/// y = (q, v, u): m v̇ = −k q − k3 q³ − d v + kf u, τ u̇ = −u + E sin ωt − ke v.
struct ImplicitRcOscillator : ImplicitProblem, RcOscillator {
  ImplicitRcOscillator() {
    observed = {unknown(q0, q0), unknown(0, 1), unknown(0, E)};
    rate = {0, -(k + k3 * q0 * q0) * q0 / m, 0};
  }
  void residual(double t, const double* y, const double* rate, double* r) const override {
    r[0] = rate[0] - y[1];
    r[1] = m * rate[1] + (k + k3 * y[0] * y[0]) * y[0] + d * y[1] - kf * y[2];
    r[2] = tau * rate[2] + y[2] - E * std::sin(omega * t) + ke * y[1];
  }
  void jacobian(double, const double* y, const double*, double c, Entries& J) const override {
    J.add(0, 0, c);
    J.add(0, 1, -1);
    J.add(1, 0, k + 3 * k3 * y[0] * y[0]);
    J.add(1, 1, m * c + d);
    J.add(1, 2, -kf);
    J.add(2, 1, ke);
    J.add(2, 2, tau * c + 1);
  }
};

/// u = (q, ∫u).
struct SecondOrderRcOscillator : SecondOrderProblem, RcOscillator {
  SecondOrderRcOscillator() {
    u = {q0, 0};
    rate = {0, 0};
    observed = {0, 2, 3};
  }
  void residual(double t, const double* u, const double* v, const double* a, double* r) const override {
    r[0] = m * a[0] + (k + k3 * u[0] * u[0]) * u[0] + d * v[0] - kf * v[1];
    r[1] = tau * a[1] + v[1] - E * std::sin(omega * t) + ke * v[0];
  }
  void jacobian(double, const double* u, const double*, double cv, double ca, Entries& J) const override {
    J.add(0, 0, m * ca + d * cv + k + 3 * k3 * u[0] * u[0]);
    J.add(0, 1, -kf * cv);
    J.add(1, 0, ke * cv);
    J.add(1, 1, tau * ca + cv);
  }
};

// ------------------------------------------------------------------ chain of masses and springs

double place_in_chain(int i) {
  return SpringChain::amplitude * std::sin(M_PI * (i + 1) / (SpringChain::n + 1));
}

/// Of each mass q and v; the spring before it has the elongation e and pulls with k e + k3 e³.
struct ImplicitSpringChain : ImplicitProblem, SpringChain {
  ImplicitSpringChain() {
    for (int i = 0; i < n; ++i) {
      unknown(place_in_chain(i), amplitude);
      unknown(0, amplitude * 10);
    }
    std::vector<double> r(2 * n);
    residual(0, y.data(), rate.data(), r.data());
    for (int i = 0; i < n; ++i) rate[2 * i + 1] = -r[2 * i + 1] / m;
    for (int i : {25, 50, 75}) {
      observed.push_back(2 * (i - 1));
      observed.push_back(2 * (i - 1) + 1);
    }
    sparse = true;
  }
  void residual(double, const double* y, const double* rate, double* r) const override {
    double before = 0, pull = 0;
    for (int i = 0; i <= n; ++i) {
      const double q = i < n ? y[2 * i] : 0, e = q - before, force = (k + k3 * e * e) * e;
      if (i > 0) r[2 * i - 1] = m * rate[2 * i - 1] + pull - force;
      if (i < n) r[2 * i] = rate[2 * i] - y[2 * i + 1];
      before = q;
      pull = force;
    }
  }
  void jacobian(double, const double* y, const double*, double c, Entries& J) const override {
    double before = 0;
    for (int i = 0; i <= n; ++i) {
      const double q = i < n ? y[2 * i] : 0, e = q - before, stiffness = k + 3 * k3 * e * e;
      before = q;
      if (i < n) {
        J.add(2 * i, 2 * i, c);
        J.add(2 * i, 2 * i + 1, -1);
        J.add(2 * i + 1, 2 * i + 1, m * c);
        J.add(2 * i + 1, 2 * i, stiffness);
      }
      if (i > 0) J.add(2 * i - 1, 2 * i - 2, stiffness);
      if (i == 0 || i == n) continue;
      J.add(2 * i - 1, 2 * i, -stiffness);
      J.add(2 * i + 1, 2 * i - 2, -stiffness);
    }
  }
};

struct SecondOrderSpringChain : SecondOrderProblem, SpringChain {
  SecondOrderSpringChain() {
    for (int i = 0; i < n; ++i) u.push_back(place_in_chain(i));
    rate.assign(n, 0);
    for (int i : {25, 50, 75}) {
      observed.push_back(i - 1);
      observed.push_back(n + i - 1);
    }
  }
  void residual(double, const double* u, const double*, const double* a, double* r) const override {
    double before = 0, pull = 0;
    for (int i = 0; i <= n; ++i) {
      const double q = i < n ? u[i] : 0, e = q - before, force = (k + k3 * e * e) * e;
      if (i > 0) r[i - 1] = m * a[i - 1] + pull - force;
      before = q;
      pull = force;
    }
  }
  void jacobian(double, const double* u, const double*, double, double ca, Entries& J) const override {
    double before = 0;
    for (int i = 0; i <= n; ++i) {
      const double q = i < n ? u[i] : 0, e = q - before, stiffness = k + 3 * k3 * e * e;
      before = q;
      if (i < n) J.add(i, i, m * ca + stiffness);
      if (i > 0) J.add(i - 1, i - 1, stiffness);
      if (i == 0 || i == n) continue;
      J.add(i - 1, i, -stiffness);
      J.add(i, i - 1, -stiffness);
    }
  }
};

// ------------------------------------------------------------------ check of derivatives

/// `add(entries)` against (F(+δ) − F(−δ)) / 2δ of `move(column, δ, r)`.
template <class Add, class Move>
double fault(int n, Add add, Move move) {
  std::vector<std::pair<int, int>> entries;
  Entries note(entries);
  add(note);
  const Places places = full_places(entries, n);
  std::vector<double> values(n * n), plus(n), minus(n);
  Entries J(places.place.data(), values.data());
  add(J);
  double worst = 0, largest = 0;
  for (int column = 0; column < n; ++column) {
    const double delta = 1e-6;
    move(column, delta, plus);
    move(column, -delta, minus);
    for (int row = 0; row < n; ++row) {
      const double value = values[column * n + row];
      worst = std::max(worst, std::abs(value - (plus[row] - minus[row]) / (2 * delta)));
      largest = std::max(largest, std::abs(value));
    }
  }
  return worst / largest;
}

}  // namespace

double jacobian_fault(const ImplicitProblem& problem) {
  const int n = problem.size();
  std::vector<double> y = problem.y, rate = problem.rate;
  for (int i = 0; i < n; ++i)  // somewhere else; multipliers as they are
    if (problem.differential[i]) y[i] += 0.1 * problem.magnitude[i] * std::sin(1.0 + 3 * i);
  const double c = 7, t = 0.3;
  return fault(
      n, [&](Entries& J) { problem.jacobian(t, y.data(), rate.data(), c, J); },
      [&](int column, double delta, std::vector<double>& r) {
        auto z = y, w = rate;
        z[column] += delta;
        w[column] += c * delta;
        problem.residual(t, z.data(), w.data(), r.data());
      });
}

double jacobian_fault(const SecondOrderProblem& problem) {
  const int n = problem.size();
  std::vector<double> u = problem.u, v = problem.rate, a(n);
  for (int i = 0; i < n; ++i) {
    u[i] += 0.01 * std::sin(1.0 + 3 * i);
    v[i] += 0.3 * std::sin(2.0 + 5 * i);
    a[i] += std::sin(3.0 + 7 * i);
  }
  const double cv = 7, ca = 50, t = 0.3;
  return fault(
      n, [&](Entries& J) { problem.jacobian(t, u.data(), v.data(), cv, ca, J); },
      [&](int column, double delta, std::vector<double>& r) {
        auto x = u, y = v, z = a;
        x[column] += delta;
        y[column] += cv * delta;
        z[column] += ca * delta;
        problem.residual(t, x.data(), y.data(), z.data(), r.data());
      });
}

std::unique_ptr<ImplicitProblem> implicit(const ControlledMass&) {
  return std::make_unique<ImplicitControlledMass>();
}
std::unique_ptr<ImplicitProblem> implicit(const VanDerPol&) { return std::make_unique<ImplicitVanDerPol>(); }
std::unique_ptr<ImplicitProblem> implicit(const Pendulum& p) { return std::make_unique<ImplicitPendulum>(p); }
std::unique_ptr<ImplicitProblem> implicit(const HeavyTop&) { return std::make_unique<ImplicitHeavyTop>(); }
std::unique_ptr<ImplicitProblem> implicit(const SliderCrank&) {
  return std::make_unique<ImplicitSliderCrank>();
}
std::unique_ptr<ImplicitProblem> implicit(const RcOscillator&) {
  return std::make_unique<ImplicitRcOscillator>();
}
std::unique_ptr<ImplicitProblem> implicit(const SpringChain&) {
  return std::make_unique<ImplicitSpringChain>();
}
std::unique_ptr<SecondOrderProblem> second_order(const ControlledMass&) {
  return std::make_unique<SecondOrderControlledMass>();
}
std::unique_ptr<SecondOrderProblem> second_order(const VanDerPol&) {
  return std::make_unique<SecondOrderVanDerPol>();
}
std::unique_ptr<SecondOrderProblem> second_order(const RcOscillator&) {
  return std::make_unique<SecondOrderRcOscillator>();
}
std::unique_ptr<SecondOrderProblem> second_order(const SpringChain&) {
  return std::make_unique<SecondOrderSpringChain>();
}

}  // namespace escapement::benchmarks
