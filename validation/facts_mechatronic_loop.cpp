// A mechatronic loop around a constrained body: heavy top on a ball joint, spun by a DC motor that hangs on an RLC
// supply, whose voltage a controller sets from an accelerometer. One system, second order in every domain.
#include "components/body/rigid.hpp"
#include "components/joint/joint.hpp"
#include "components/math/equations.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double mass = 15, gravity = 9.81, k_motor = 0.8, R_motor = 2.0, L_motor = 0.05, C_supply = 0.02,
                 L_supply = 0.1, R_supply = 0.5, sigma = 5.0, gain = 2.0, bias = 20.0;
const Matrix3 J = diagonal(0.234375, 0.46875, 0.234375);

struct ServoLoop {
  Pose at;
  Multiplier<3> force;
  Signal<3> acceleration;
  Signal<1> voltage;
  StateVariable<1> current, supply_current, supply_voltage, filter;
  System system;
  ServoLoop() : system(build()) {}

  System build() {
    SystemBuilder b;
    at = b.pose("top");
    force = b.multiplier<3>("pivot.force", {.unit = "N", .nominal = 100});
    acceleration = b.signal<3>("top.acceleration", {.unit = "m/s^2"});
    voltage = b.signal<1>("controller.voltage", {.unit = "V"});
    current = b.state<1>("motor.current", {.unit = "A", .equation = "flux balance"});
    supply_current = b.state<1>("supply.current", {.unit = "A", .equation = "flux balance"});
    supply_voltage = b.state<1>("supply.voltage", {.unit = "V", .equation = "charge balance"});
    filter = b.state<1>("controller.filter");
    b.add(body::Rigid{at, mass, J, {{0, 0, -gravity}}});
    b.add(joint::spherical({}, at, force, {}, {{0, -1, 0}}));
    b.add(body::FrameAcceleration{at, acceleration, {}});  // an accelerometer in world axes
    // Motor about the top's own axis: torque k i, back-EMF k ω.
    b.add(math::equations(
        std::tuple(at, current, supply_voltage),
        [](const auto& h, const auto& z, auto& row) {
          const auto& [at, i, u] = h;
          row(at)[4] -= k_motor * z(i);
          row(i) += R_motor * z(i) + k_motor * z.rate(at)[4] - z(u);
          row(u) += z(i);
        },
        [](const auto& h, const auto& z, auto& row) { row(std::get<1>(h)) += L_motor * z(std::get<1>(h)); }));
    // Supply: controlled source, R, L in series, C across the motor.
    b.add(math::equations(
        std::tuple(supply_current, supply_voltage, voltage),
        [](const auto& h, const auto& z, auto& row) {
          const auto& [i, u, source] = h;
          row(i) += R_supply * z(i) + z(u) - z(source);
          row(u) -= z(i);
        },
        [](const auto& h, const auto& z, auto& row) {
          row(std::get<0>(h)) += L_supply * z(std::get<0>(h));
          row(std::get<1>(h)) += C_supply * z(std::get<1>(h));
        }));
    // Controller: filtered vertical acceleration, saturated.
    b.add(math::equations(
        std::tuple(acceleration, filter, voltage),
        [](const auto& h, const auto& z, auto& row) {
          const auto& [a, c, v] = h;
          row(c) += sigma * z(c) - z(a)[2];
          row(v) += z(v) - bias - 10.0 * tanh(gain * z(c) / 10.0);
        },
        [](const auto& h, const auto& z, auto& row) { row(std::get<1>(h)) += z(std::get<1>(h)); }));
    return b.finish();
  }
  State initial() const {
    State s = system.state();
    system.value(s, at)[5] = 1.0;
    system.rate(s, at)[4] = 20.0;
    system.rate(s, at)[5] = -4.61538;
    system.rate(s, at)[0] = 4.61538;  // Ω × (0, 1, 0)
    return s;
  }
};

/// The same loop as an ordinary differential equation about the pivot, in long double.
class Reference {
 public:
  using Real = long double;
  struct Z {
    Real q[4] = {1, 0, 0, 0}, w[3] = {0, 20.0L, static_cast<Real>(-4.61538)}, i = 0, il = 0, u = 0, c = 0;
  };
  struct Full {
    Real x[3], v[3], a[3], lambda[3], wdot[3], voltage;
  };
  Z z;

  void to(double t) {
    const int n = std::max(1, static_cast<int>(std::ceil((t - t_) / 5e-5L)));
    const Real h = (t - t_) / n;
    for (int k = 0; k < n && h > 0; ++k) step(h);
    t_ = t;
  }
  static Full full(const Z& s) {
    Full f;
    const Real I[3] = {J.m[0][0] + mass, J.m[1][1], J.m[2][2] + mass};
    Real m[3][3];
    rotation(s.q, m);
    // Weight about the pivot: r × Rᵀ m g with r = (0, 1, 0).
    const Real down[3] = {-mass * gravity * m[2][0], -mass * gravity * m[2][1], -mass * gravity * m[2][2]};
    const Real torque[3] = {down[2], k_motor * s.i, -down[0]};
    f.wdot[0] = (torque[0] - (I[2] - I[1]) * s.w[1] * s.w[2]) / I[0];
    f.wdot[1] = (torque[1] - (I[0] - I[2]) * s.w[2] * s.w[0]) / I[1];
    f.wdot[2] = (torque[2] - (I[1] - I[0]) * s.w[0] * s.w[1]) / I[2];
    // Body axes: ω × r, ω̇ × r + ω × (ω × r).
    const Real vb[3] = {-s.w[2], 0, s.w[0]};
    const Real ab[3] = {-f.wdot[2] + s.w[1] * vb[2], s.w[2] * vb[0] - s.w[0] * vb[2],
                        f.wdot[0] - s.w[1] * vb[0]};
    for (int r = 0; r < 3; ++r) {
      f.x[r] = m[r][1];
      f.v[r] = m[r][0] * vb[0] + m[r][1] * vb[1] + m[r][2] * vb[2];
      f.a[r] = m[r][0] * ab[0] + m[r][1] * ab[1] + m[r][2] * ab[2];
      f.lambda[r] = -mass * (f.a[r] + (r == 2 ? gravity : 0));  // m a = m g − λ
    }
    f.voltage = bias + 10 * std::tanh(gain * s.c / 10);
    return f;
  }

 private:
  static void rotation(const Real* q, Real m[3][3]) {
    const Real w = q[0], x = q[1], y = q[2], z = q[3];
    const Real r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m[i][j] = r[i][j];
  }
  static Z derivative(const Z& s) {
    const Full f = full(s);
    Z d;
    d.q[0] = -0.5L * (s.q[1] * s.w[0] + s.q[2] * s.w[1] + s.q[3] * s.w[2]);
    d.q[1] = 0.5L * (s.q[0] * s.w[0] + s.q[2] * s.w[2] - s.q[3] * s.w[1]);
    d.q[2] = 0.5L * (s.q[0] * s.w[1] + s.q[3] * s.w[0] - s.q[1] * s.w[2]);
    d.q[3] = 0.5L * (s.q[0] * s.w[2] + s.q[1] * s.w[1] - s.q[2] * s.w[0]);
    for (int k = 0; k < 3; ++k) d.w[k] = f.wdot[k];
    d.i = (s.u - R_motor * s.i - k_motor * s.w[1]) / L_motor;
    d.il = (f.voltage - R_supply * s.il - s.u) / L_supply;
    d.u = (s.il - s.i) / C_supply;
    d.c = -sigma * s.c + f.a[2];
    return d;
  }
  static Z plus(const Z& a, Real h, const Z& d) {
    Z r = a;
    for (int k = 0; k < 4; ++k) r.q[k] += h * d.q[k];
    for (int k = 0; k < 3; ++k) r.w[k] += h * d.w[k];
    r.i += h * d.i, r.il += h * d.il, r.u += h * d.u, r.c += h * d.c;
    return r;
  }
  void step(Real h) {
    const Z a = derivative(z), b = derivative(plus(z, h / 2, a)), c = derivative(plus(z, h / 2, b)),
            d = derivative(plus(z, h, c));
    z = plus(plus(plus(plus(z, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
  }
  double t_ = 0;
};

}  // namespace

TEST_CASE("order 2 in mechanics, reaction, circuit, sensor and controller, from t = 0") {
  const ServoLoop p;
  const std::vector<std::string> names = {"x",        "omega",    "a",      "lambda", "motor i",
                                          "supply i", "supply u", "filter", "sensor", "voltage"};
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    for (bool alternating : {false, true}) {
      Ladder ladder(names);
      for (int n : {200, 400, 800, 1600}) {
        GeneralizedAlphaOptions o;
        o.constraints = form;
        o.newton.tolerance = 1e-12;
        Reference exact;
        std::vector<double> e(names.size(), 0.0);
        const auto steps = alternating ? pattern_steps(0.4, n, {0.6, 1.4}) : constant_steps(0.4, n);
        run(p.system, p.initial(), o, steps, [&](const State& s) {
          exact.to(s.t);
          const auto f = Reference::full(exact.z);
          const auto worst = [&](int k, double got, Reference::Real want) {
            e[k] = std::max(e[k], std::abs(got - static_cast<double>(want)));
          };
          for (int k = 0; k < 3; ++k) {
            worst(0, p.system.value(s, p.at)[4 + k], f.x[k]);
            worst(1, p.system.rate(s, p.at)[3 + k], exact.z.w[k]);
            worst(2, p.system.acceleration(s, p.at)[k], f.a[k]);
            worst(3, p.system.value(s, p.force)[k], f.lambda[k]);
            worst(8, p.system.value(s, p.acceleration)[k], f.a[k]);
          }
          worst(4, p.system.value(s, p.current)[0], exact.z.i);
          worst(5, p.system.value(s, p.supply_current)[0], exact.z.il);
          worst(6, p.system.value(s, p.supply_voltage)[0], exact.z.u);
          worst(7, p.system.value(s, p.filter)[0], exact.z.c);
          worst(9, p.system.value(s, p.voltage)[0], f.voltage);
        });
        ladder.add(0.4 / n, e);
      }
      ladder.print(
          fmt::format("heavy top + motor + RLC + accelerometer feedback, {}, {} steps, largest errors",
                      form == ConstraintForm::index3 ? "index 3" : "index 2",
                      alternating ? "alternating 0.6/1.4" : "constant"));
      ladder.check_second_order(0.12);
    }
  }
}
