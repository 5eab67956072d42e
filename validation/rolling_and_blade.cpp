// A disk that rolls on a plane (joint.rolling_wheel) and a skate on an inclined plane (joint.knife_edge), as bodies in space:
// order 2 from t = 0 in positions, velocities, accelerations and reactions, with constant and changing steps, against the
// equations of the disk in its five coordinates and against the closed form of the skate.
#include <Eigen/Dense>

#include "mechanism.hpp"
#include "reference_ode.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

std::string name_of(ConstraintForm form) {
  return form == ConstraintForm::index3 ? "index 3 with offset" : "stabilised index 2";
}

/// y = (contact x, y, lean, heading, roll), z = y'. T = ½ m |centre'|² + ½ I1 (lean'² + (cos lean · heading')²) + ½ I2 w²,
/// w = roll' + sign · sin lean · heading'. The centre is to the left of the heading for a positive lean, and so w has
/// sign −1. (Jay's 7.2 is written with +1.)
class Disk {
 public:
  static constexpr Real m = 2, r = 1, I1 = 2, I2 = 2, g = 10;
  using Values = std::array<Real, 10>;
  using Solution = Eigen::Matrix<Real, 7, 1>;  // y'', forces ψ of −ψ on the contact

  Disk(int sign, Real lean_rate, Real turn, Real roll)
      : sign_(sign),
        ode_([this](Real, const Values& y) { return derivative(y); },
             {0.1L, 0, 0.3L, 0, 1, r * roll, 0, lean_rate, turn, roll}, 0.01L) {}
  Disk(const Disk&) = delete;
  const Values& at(Real t) { return ode_.at(t); }

  Solution solve(const Values& v) const {
    const Real* z = &v[5];
    const Real c3 = std::cos(v[2]), s3 = std::sin(v[2]), c4 = std::cos(v[3]), s4 = std::sin(v[3]), e = sign_;
    Eigen::Matrix<Real, 7, 7> A = Eigen::Matrix<Real, 7, 7>::Zero();
    const auto set = [&](int i, int j, Real x) { A(i, j) = A(j, i) = x; };
    A(0, 0) = A(1, 1) = m;
    set(0, 2, -m * r * c3 * s4);
    set(0, 3, -m * r * s3 * c4);
    set(1, 2, m * r * c3 * c4);
    set(1, 3, -m * r * s3 * s4);
    A(2, 2) = m * r * r + I1;
    A(3, 3) = m * r * r * s3 * s3 + I1 * c3 * c3 + I2 * s3 * s3;
    set(3, 4, e * I2 * s3);
    A(4, 4) = I2;
    set(0, 5, 1);
    set(1, 6, 1);
    set(4, 5, -r * c4);
    set(4, 6, -r * s4);
    Solution f;
    f << m * r * (2 * z[2] * z[3] * c3 * c4 - (z[2] * z[2] + z[3] * z[3]) * s3 * s4),
        m * r * (2 * z[2] * z[3] * c3 * s4 + (z[2] * z[2] + z[3] * z[3]) * s3 * c4),
        (m * r * r - I1 + I2) * z[3] * z[3] * s3 * c3 + e * I2 * z[4] * z[3] * c3 + m * r * g * s3,
        (2 * (I1 - I2 - m * r * r) * z[3] * s3 - e * I2 * z[4]) * c3 * z[2], -e * I2 * z[3] * c3 * z[2],
        -r * s4 * z[3] * z[4], r * c4 * z[3] * z[4];
    return A.partialPivLu().solve(f);
  }

 private:
  Values derivative(const Values& y) const {
    const Solution a = solve(y);
    Values d;
    for (int i = 0; i < 5; ++i) d[i] = y[5 + i], d[5 + i] = a[i];
    return d;
  }
  int sign_;
  ReferenceOde<10> ode_;
};

struct Start {
  const char* name;
  double lean, turn, roll, until;
};

/// Errors of centre, orientation, velocity, acceleration, forces of the floor.
std::vector<double> disk_errors(const Mechanism& m, const State& s, Disk& exact) {
  const Disk::Values y = exact.at(s.t);
  const Disk::Solution a = exact.solve(y);
  const auto d = [](Real x) { return static_cast<double>(x); };
  const double c3 = d(std::cos(y[2])), s3 = d(std::sin(y[2])), c4 = d(std::cos(y[3])), s4 = d(std::sin(y[3]));
  const double l = d(y[7]), h = d(y[8]), la = d(a[2]), ha = d(a[3]);
  const Vector3 centre{{d(y[0]) - s3 * s4, d(y[1]) + s3 * c4, c3}};
  const Vector3 velocity{{d(y[5]) - c3 * s4 * l - s3 * c4 * h, d(y[6]) + c3 * c4 * l - s3 * s4 * h, -s3 * l}};
  const Vector3 acceleration{
      {d(a[0]) - c3 * s4 * la - s3 * c4 * ha + s3 * s4 * (l * l + h * h) - 2 * c3 * c4 * l * h,
       d(a[1]) + c3 * c4 * la - s3 * s4 * ha - s3 * c4 * (l * l + h * h) - 2 * c3 * s4 * l * h,
       -s3 * la - c3 * l * l}};
  const auto about = [](int axis, double angle) {
    Vector3 u;
    u[axis] = std::sin(angle / 2);
    return Rotation<double>{std::cos(angle / 2), u};
  };
  const Rotation<double> R = about(2, d(y[3])) * about(0, -d(y[2])) * about(1, d(y[4]));
  const Rotation<double> off = R.inverse() * m.rotation(s, "disk");
  const Vector3 force{{m(s, "floor.grip_force.x"), m(s, "floor.grip_force.y"), m(s, "floor.normal_force")}};
  const Vector3 exact_force{{d(-a[5]), d(-a[6]), 2 * (10 + acceleration[2])}};
  return {norm(m.centre(s, "disk") - centre), 2 * norm(off.u), norm(m.velocity(s, "disk") - velocity),
          norm(m.acceleration(s, "disk") - acceleration), norm(force - exact_force)};
}

Mechanism disk_model(const Start& start) {
  return Mechanism("rolling_disk", {{"lean", fmt::format("{} rad/s", start.lean)},
                                    {"turn", fmt::format("{} rad/s", start.turn)},
                                    {"roll", fmt::format("{} rad/s", start.roll)}});
}

}  // namespace

TEST_CASE("rolling disk: order 2 from t = 0") {
  // As Jay starts it, until shortly before it lies flat (where a lowest point no longer exists), and rolling fast.
  for (const Start& start : {Start{"Jay's start", 0.02, -0.02, 0.1, 1.0}, Start{"fast", 0.5, 0.4, 6.0, 2.0}})
    for (auto form : {ConstraintForm::index3, ConstraintForm::index2})
      for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.6, 1.4, 1.0}}) {
        Mechanism m = disk_model(start);
        m.options.constraints = form;
        Ladder ladder({"position", "orientation", "velocity", "acceleration", "force"});
        for (int n : {150, 300, 600, 1200}) {
          Disk exact(-1, start.lean, start.turn, start.roll);
          std::vector<double> largest(5, 0.0);
          int step = 0;
          m.run(pattern_steps(start.until, n, pattern), [&](const State& s) {
            if (step < 10 || step % (n / 30) < 3) {
              const auto e = disk_errors(m, s, exact);
              for (std::size_t i = 0; i < e.size(); ++i) largest[i] = std::max(largest[i], e[i]);
            }
            ++step;
          });
          ladder.add(start.until / n, largest);
        }
        ladder.print(fmt::format("rolling disk, {}, largest errors over [0, {}], {}, {} steps", start.name,
                                 start.until, name_of(form), pattern.size() == 1 ? "constant" : "0.6/1.4/1"));
        ladder.check_second_order(0.1);
      }
}

TEST_CASE("rolling disk by extrapolation, and Jay's figures at t = 1") {
  const Start start{"", 0.02, -0.02, 0.1, 1.0};
  Mechanism m = disk_model(start);
  m.options.constraints = ConstraintForm::index2;  // rounding takes ε/h of the forces, not ε/h²
  m.options.newton.keep_matrix = false;
  Extrapolation e;
  for (int n : {500, 1000, 2000, 4000}) {
    const State s = m.run(constant_steps(1, n));
    const Vector3 x = m.centre(s, "disk");
    e.add(1.0 / n, {m(s, "floor.contact.x"), m(s, "floor.contact.y"), x[2], m(s, "floor.normal_force")});
  }
  Disk exact(-1, start.lean, start.turn, start.roll), jay(1, start.lean, start.turn, start.roll);
  const Disk::Values y = exact.at(1), z = jay.at(1);
  const Disk::Solution a = exact.solve(y);
  const Real c = std::cos(y[2]), s = std::sin(y[2]);
  fmt::print("\nrolling disk at t = 1\n");
  check_limit(e, 0, "contact x", static_cast<double>(y[0]), 1e-10);
  check_limit(e, 1, "contact y", static_cast<double>(y[1]), 1e-10);
  check_limit(e, 2, "height of the centre", static_cast<double>(c), 1e-10);
  check_limit(e, 3, "normal force", static_cast<double>(2 * (10 - s * a[2] - c * y[7] * y[7])), 1e-8);
  // The same equations with the sign of Jay's 7.2 give the reference figures at t = 1 (facts_rolling_disk).
  CHECK(std::abs(z[2] - 1.3875120550743913L) < 1e-14L);
  CHECK(std::abs(z[0] - 0.1958063222128091L) < 1e-14L);
  fmt::print("lean {:.12f}; with the sign of the spin as Jay prints it {:.12f}\n", static_cast<double>(y[2]),
             static_cast<double>(z[2]));
}

TEST_CASE("skate on an inclined plane: closed form") {
  const double slope = 0.4, w = 1.5, pull = 9.81 * std::sin(slope), mass = 2;
  const Vector3 downhill{{std::cos(slope), 0, -std::sin(slope)}}, across{{0, 1, 0}};
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2})
    for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.6, 1.4, 1.0}}) {
      Mechanism m("knife_edge");
      m.options.constraints = form;
      Ladder ladder({"position", "velocity", "acceleration", "force"});
      double off_plane = 0, angle = 0;
      for (int n : {60, 120, 240, 480}) {
        std::vector<double> largest(4, 0.0);
        m.run(pattern_steps(2, n, pattern), [&](const State& s) {
          const double p = w * s.t, speed = pull / w * std::sin(p);
          const Vector3 heading = std::cos(p) * downhill + std::sin(p) * across;
          const Vector3 left = -std::sin(p) * downhill + std::cos(p) * across;
          const Vector3 x = pull / (2 * w * w) *
                            (std::sin(p) * std::sin(p) * downhill + (p - 0.5 * std::sin(2 * p)) * across);
          const Vector3 a = pull * std::cos(p) * heading + speed * w * left;
          const double e[4] = {norm(m.vector(s, "skate.position") - x),
                               norm(m.velocity(s, "skate") - speed * heading),
                               norm(m.acceleration(s, "skate") - a),
                               std::abs(m(s, "blade.force") - 2 * mass * pull * std::sin(p))};
          for (int i = 0; i < 4; ++i) largest[i] = std::max(largest[i], e[i]);
          off_plane =
              std::max(off_plane, std::abs(dot(m.vector(s, "skate.position"), cross(downhill, across))));
          angle = std::max(angle, std::abs(m(s, "plane.angle") - p));
        });
        ladder.add(2.0 / n, largest);
      }
      ladder.print(fmt::format(
          "skate, largest errors over [0, 2], {}, {} steps; angle off by {:.1e}, off the plane by {:.1e}",
          name_of(form), pattern.size() == 1 ? "constant" : "0.6/1.4/1", angle, off_plane));
      for (std::size_t i = 0; i < 4; ++i) {
        const double order = ladder.order(3, i);  // constant steps: accelerations and force have order 3 here
        CHECK(order > 1.9);
        if (i < 2 || pattern.size() > 1) CHECK(order < 2.1);
      }
      CHECK(off_plane < 1e-13);
      CHECK(angle < 1e-12);  // it turns at a constant rate: exact on the group
    }
}
