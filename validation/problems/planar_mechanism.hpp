// Plane mechanisms of one degree of freedom, exactly: positions in closed form from the crank angle, velocities,
// accelerations and reactions from the equations of motion in 3 coordinates per body, and the crank angle's own
// differential equation in extended precision.
#pragma once
#include <Eigen/Dense>
#include <functional>
#include <vector>

#include "reference_ode.hpp"

namespace escapement::validation::problems {

class PlanarMechanism {
 public:
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  struct Point {
    Real x = 0, y = 0;
  };
  struct Body {
    Real mass, inertia;  // kg, kg m² about the centre of mass
  };
  struct Motion {
    Vector q, v, a;   // x, y of the centre of mass and angle, body by body
    Vector reaction;  // in the order of the constraints: force on the first body, torque on it
  };

  std::vector<Body> bodies;
  Real gravity = 9.81L;  // m/s², along −y
  /// Coordinates of all bodies from the crank angle, which is q[2].
  std::function<Vector(Real angle)> placed;

  /// Point p of body i stays at point s of body j (coordinates from the centre of mass), −1: of the ground. Two rows.
  void pin(int i, Point p, int j, Point s) { constraints_.push_back({i, j, p, s, true}); }
  /// Body i does not move along y, and does not turn. Two rows.
  void slide_along_x(int i) { constraints_.push_back({i, -1, {}, {}, false}); }

  void start(Real angle, Real rate) {
    ode_.emplace_back(
        [this](Real, const std::array<Real, 2>& y) -> std::array<Real, 2> {
          return {y[1], solve(y[0], y[1]).a[2]};
        },
        std::array<Real, 2>{angle, rate}, step);
  }
  Real step = 0.01L;  // s, of the reference

  /// Times must not decrease.
  Motion at(double t) {
    const auto y = ode_.back().at(t);
    return solve(y[0], y[1]);
  }

 private:
  struct Constraint {
    int i, j;
    Point p, s;
    bool pin;
  };
  int rows() const { return 2 * static_cast<int>(constraints_.size()); }
  int size() const { return 3 * static_cast<int>(bodies.size()); }

  Motion solve(Real angle, Real rate) const {
    const int n = size(), m = rows();
    Motion r;
    r.q = placed(angle);
    Matrix G = Matrix::Zero(m, n);
    const auto turned = [&](int i, Point p) {
      const Real c = std::cos(r.q[3 * i + 2]), s = std::sin(r.q[3 * i + 2]);
      return Point{c * p.x - s * p.y, s * p.x + c * p.y};
    };
    for (int k = 0; k < m / 2; ++k) {
      const Constraint& c = constraints_[k];
      const auto add = [&](int i, Point p, Real sign) {
        if (i < 0) return;
        const Point arm = turned(i, p);
        G(2 * k, 3 * i) += sign;
        G(2 * k + 1, 3 * i + 1) += sign;
        G(2 * k, 3 * i + 2) -= sign * arm.y;
        G(2 * k + 1, 3 * i + 2) += sign * arm.x;
      };
      if (c.pin) {
        add(c.i, c.p, 1);
        add(c.j, c.s, -1);
      } else {
        G(2 * k, 3 * c.i + 1) = 1;
        G(2 * k + 1, 3 * c.i + 2) = 1;
      }
    }
    // Velocities: G v = 0 and the rate of the crank.
    Matrix A = Matrix::Zero(n, n);
    A.topRows(m) = G;
    A(n - 1, 2) = 1;
    Vector b = Vector::Zero(n);
    b[n - 1] = rate;
    r.v = A.partialPivLu().solve(b);
    // Accelerations and reactions: M a − Gᵀ λ = f, G a = ω² of the arms.
    Matrix S = Matrix::Zero(n + m, n + m);
    Vector f = Vector::Zero(n + m);
    for (int i = 0; i < n / 3; ++i) {
      S(3 * i, 3 * i) = S(3 * i + 1, 3 * i + 1) = bodies[i].mass;
      S(3 * i + 2, 3 * i + 2) = bodies[i].inertia;
      f[3 * i + 1] = -bodies[i].mass * gravity;
    }
    S.block(0, n, n, m) = -G.transpose();
    S.block(n, 0, m, n) = G;
    for (int k = 0; k < m / 2; ++k) {
      const Constraint& c = constraints_[k];
      const auto add = [&](int i, Point p, Real sign) {
        if (i < 0) return;
        const Point arm = turned(i, p);
        const Real w = r.v[3 * i + 2];
        f[n + 2 * k] += sign * w * w * arm.x;
        f[n + 2 * k + 1] += sign * w * w * arm.y;
      };
      if (!c.pin) continue;
      add(c.i, c.p, 1);
      add(c.j, c.s, -1);
    }
    const Vector z = S.partialPivLu().solve(f);
    r.a = z.head(n);
    r.reaction = z.tail(m);
    return r;
  }

  std::vector<Constraint> constraints_;
  std::vector<ReferenceOde<2>> ode_;
};

}  // namespace escapement::validation::problems
