// B5: the spatial slider-crank of the IFToMM library: the published initial velocities, and the motion over 5 s, for which
// no figures are published: against the exact motion of one degree of freedom, order 2 with constant and changing steps.
#include "mechanism.hpp"
#include "reference_ode.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

using Vec = std::array<Real, 3>;
Vec cross_product(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// At crank angle θ: the slider, its derivative, half the inertia of θ' and the potential energy.
struct Exact {
  Real slider, slider_rate, mass, potential;
  Vec rod_turning;  // angular velocity of the rod per θ'
  explicit Exact(Real theta) {
    const Real r = 0.08L, l = 0.3L, g = 9.81L;
    const Real y = 0.1L - r * std::sin(theta), z = 0.12L + r * std::cos(theta);  // B = (0, y, z)
    const Real dy = -r * std::cos(theta), dz = -r * std::sin(theta);
    slider = std::sqrt(l * l - y * y - z * z);
    slider_rate = -(y * dy + z * dz) / slider;
    const Vec u = {slider / l, -y / l, -z / l}, du = {slider_rate / l, -dy / l, -dz / l};
    // The cross of the Cardan joint: ω_x u_x = ω·u. With ω = u × u' + s u.
    Vec w = cross_product(u, du);
    const Real s = u[0] * w[0] / (1 - u[0] * u[0]);
    Real square = 0;
    for (int i = 0; i < 3; ++i) {
      square += w[i] * w[i];
      w[i] += s * u[i];
    }
    rod_turning = w;
    const Real vx = slider_rate / 2, vy = dy / 2, vz = dz / 2;
    mass = 1e-4L + 0.12L * r * r / 4 + 0.5L * (vx * vx + vy * vy + vz * vz) + 4e-4L * s * s + 4e-3L * square +
           2 * slider_rate * slider_rate;
    potential = g * (0.12L * (0.12L + r / 2 * std::cos(theta)) + 0.5L * z / 2);
  }
};

/// The crank never stops: θ' from the energy.
ReferenceOde<1> motion() {
  const Exact start(0);
  const Real E = start.mass * 18 + start.potential;
  return {[E](Real, const std::array<Real, 1>& y) -> std::array<Real, 1> {
            const Exact now(y[0]);
            return {std::sqrt(2 * (E - now.potential) / now.mass)};
          },
          {0},
          0.01L};
}

Real rate(Real theta) {
  const Exact start(0), now(theta);
  return std::sqrt(2 * (start.mass * 18 + start.potential - now.potential) / now.mass);
}

}  // namespace

TEST_CASE("initial values as published, and only they are consistent") {
  const Mechanism m("B5_slidercrank3d");
  const State s = m.consistent();  // refuses velocities that violate a joint by 1e-8
  // benchmarks.yaml, B5_slidercrank3d.
  CHECK(close(m(s, "slider.position.x"), 0.2, 1e-15));
  CHECK(close(m(s, "slider.velocity.x"), 0.24, 1e-15));
  const Vector3 w = m.rotation(s, "rod") * m.angular_velocity(s, "rod"), v = m.velocity(s, "rod");
  CHECK(norm(w - Vector3{{1.92, -0.96, 0.48}}) < 1e-15);
  CHECK(norm(v - Vector3{{0.12, -0.24, 0}}) < 1e-15);
  for (int i = 0; i < 3; ++i)
    CHECK(std::abs(6 * static_cast<double>(Exact(0).rod_turning[i]) - w[i]) < 1e-14);
  std::vector<double> rows(m.system().size());
  m.system().constraints(s, 1, -1, rows);
  for (double r : rows) CHECK(std::abs(r) < 1e-15);
  CHECK_THROWS(
      Mechanism("B5_slidercrank3d", {{"slider.initial.velocity", "[0.2400001 m/s, 0, 0]"}}).consistent());
}

TEST_CASE("the motion to t = 5") {
  auto exact = motion();
  const Real theta = exact.at(5)[0];
  const Exact end(theta);
  const std::vector<double> expected = {static_cast<double>(theta), static_cast<double>(rate(theta)),
                                        static_cast<double>(end.slider),
                                        static_cast<double>(end.slider_rate * rate(theta))};
  const std::vector<std::string> channels = {"A.angle", "A.velocity", "guide.displacement", "guide.velocity"};
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    const std::string name = form == ConstraintForm::index3 ? "index 3 with offset" : "stabilised index 2";
    Mechanism m("B5_slidercrank3d");
    m.options.constraints = form;
    m.options.newton.keep_matrix = form == ConstraintForm::index3;
    Extrapolation e;
    std::vector<int> ladder_of = {5000, 10000, 20000, 40000};
    if (form == ConstraintForm::index3) ladder_of.push_back(80000);
    for (int n : ladder_of) e.add(5.0 / n, m(m.run(constant_steps(5, n)), channels));
    fmt::print("\nspatial slider-crank at t = 5, {}, h = 1 … {} ms\n", name, 1e3 * e.h.back());
    for (std::size_t i = 0; i < 4; ++i)
      check_limit(e, i, channels[i], expected[i], form == ConstraintForm::index3 ? 1e-9 : 1e-8);
    for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.6, 1.4, 1.0}}) {
      Ladder ladder(channels);
      for (std::size_t r = 0; r < 3; ++r) {
        const int n = 9000 << r;
        const std::vector<double> v =
            pattern.size() == 1 ? e.values[r + 1] : m(m.run(pattern_steps(5, n, pattern)), channels);
        std::vector<double> errors;
        for (std::size_t i = 0; i < 4; ++i) errors.push_back(v[i] - expected[i]);
        ladder.add(pattern.size() == 1 ? e.h[r + 1] : 5.0 / n, errors);
      }
      ladder.print(
          fmt::format("errors at t = 5, {}, {} steps", name, pattern.size() == 1 ? "constant" : "0.6/1.4/1"));
      ladder.check_second_order(0.1);
    }
  }
}
