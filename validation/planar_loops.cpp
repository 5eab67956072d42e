// Slider-crank and four-bar mechanism as bodies in space: order 2 from t = 0 in positions, velocities, accelerations and
// all reactions, with constant and changing steps, against the exact motion of one degree of freedom; nothing leaves the
// plane; the exact values by extrapolation.
#include "mechanism.hpp"
#include "problems/planar_mechanism.hpp"

using namespace escapement;
using namespace escapement::validation;
using problems::PlanarMechanism;

namespace {

struct Case {
  std::string model;
  std::vector<std::string> bodies;
  std::unique_ptr<PlanarMechanism> exact;
  /// In the order of the exact reactions, x and y of each in the world.
  std::function<std::vector<double>(const Mechanism&, const State&)> reactions;
};

PlanarMechanism::Point along(Real length, Real angle) {
  return {length * std::cos(angle), length * std::sin(angle)};
}
/// Centre of mass of a body whose reference point and angle are given.
void place(PlanarMechanism::Vector& q, int body, PlanarMechanism::Point at, Real angle,
           PlanarMechanism::Point com) {
  q[3 * body] = at.x + std::cos(angle) * com.x - std::sin(angle) * com.y;
  q[3 * body + 1] = at.y + std::sin(angle) * com.x + std::cos(angle) * com.y;
  q[3 * body + 2] = angle;
}

Case slider_crank() {
  Case c{"slider_crank", {"crank", "rod", "slider"}, std::make_unique<PlanarMechanism>(), {}};
  PlanarMechanism& p = *c.exact;
  const Real r = 0.2L, l = 0.5L;
  p.bodies = {{1.5L, 0.009L}, {0.8L, 0.0155L}, {2, 0.005L}};
  p.pin(0, {-0.07L, -0.01L}, -1, {});
  p.pin(1, {-0.22L, 0.015L}, 0, {r - 0.07L, -0.01L});
  p.pin(1, {l - 0.22L, 0.015L}, 2, {-0.03L, -0.02L});
  p.slide_along_x(2);
  p.placed = [=](Real theta) {
    PlanarMechanism::Vector q(9);
    const Real psi = std::asin(-r * std::sin(theta) / l);
    place(q, 0, {}, theta, {0.07L, 0.01L});
    place(q, 1, along(r, theta), psi, {0.22L, -0.015L});
    place(q, 2, {r * std::cos(theta) + l * std::cos(psi), 0}, 0, {0.03L, 0.02L});
    return q;
  };
  p.start(0.5L, 8);
  c.reactions = [](const Mechanism& m, const State& s) {
    const Vector3 bearing = m.vector(s, "bearing.force");
    const Vector3 crank_pin = m.rotation(s, "crank") * m.vector(s, "crank_pin.force");
    const Vector3 slider_pin = m.rotation(s, "slider") * m.vector(s, "slider_pin.force");
    // The guide's axes are y, z, x of the world; its torque is about the pin, the exact one about the centre of mass.
    const Vector3 guide = m.vector(s, "guide.force"), torque = m.vector(s, "guide.torque");
    return std::vector<double>{bearing[0],    bearing[1],    crank_pin[0], crank_pin[1],
                               slider_pin[0], slider_pin[1], guide[0],     torque[1] - 0.03 * guide[0]};
  };
  return c;
}

Case four_bar() {
  Case c{"four_bar", {"crank", "coupler", "rocker"}, std::make_unique<PlanarMechanism>(), {}};
  PlanarMechanism& p = *c.exact;
  const Real a = 0.2L, b = 0.6L, r = 0.5L, f = 0.7L;
  p.bodies = {{1.5L, 0.009L}, {0.9L, 0.026L}, {1.2L, 0.024L}};
  p.pin(0, {-0.07L, -0.01L}, -1, {});
  p.pin(1, {-0.28L, -0.04L}, 0, {a - 0.07L, -0.01L});
  p.pin(2, {-0.2L, 0.02L}, -1, {f, 0});
  p.pin(1, {b - 0.28L, -0.04L}, 2, {r - 0.2L, 0.02L});
  p.placed = [=](Real theta) {
    PlanarMechanism::Vector q(9);
    const PlanarMechanism::Point A = along(a, theta);
    const Real dx = f - A.x, dy = -A.y, d = std::hypot(dx, dy);
    const Real psi = std::atan2(dy, dx) + std::acos((b * b + d * d - r * r) / (2 * b * d));
    const PlanarMechanism::Point B = along(b, psi);
    place(q, 0, {}, theta, {0.07L, 0.01L});
    place(q, 1, A, psi, {0.28L, 0.04L});
    place(q, 2, {f, 0}, std::atan2(A.y + B.y, A.x + B.x - f), {0.2L, -0.02L});
    return q;
  };
  p.start(0.5L, 8);
  c.reactions = [](const Mechanism& m, const State& s) {
    const Vector3 bearing = m.vector(s, "bearing.force"), rocker = m.vector(s, "rocker_bearing.force");
    const Vector3 crank_pin = m.rotation(s, "crank") * m.vector(s, "crank_pin.force");
    const Vector3 coupler_pin = m.rotation(s, "rocker") * m.vector(s, "coupler_pin.force");
    return std::vector<double>{bearing[0], bearing[1], crank_pin[0],   crank_pin[1],
                               rocker[0],  rocker[1],  coupler_pin[0], coupler_pin[1]};
  };
  return c;
}

const std::vector<std::string> names = {"position", "angle", "velocity", "acceleration", "reaction"};

/// Errors in the plane, and what leaves it.
std::vector<double> errors(const Case& c, const Mechanism& m, const State& s, double& out_of_plane) {
  const PlanarMechanism::Motion exact = c.exact->at(s.t);
  std::vector<double> e(5, 0.0);
  const auto add = [&](int k, double x) { e[k] = std::hypot(e[k], x); };
  for (std::size_t i = 0; i < c.bodies.size(); ++i) {
    const Vector3 x = m.centre(s, c.bodies[i]), v = m.velocity(s, c.bodies[i]),
                  w = m.angular_velocity(s, c.bodies[i]), a = m.acceleration(s, c.bodies[i]),
                  b = m.angular_acceleration(s, c.bodies[i]);
    const long k = static_cast<long>(3 * i);
    const auto is = [&](const PlanarMechanism::Vector& of, long part) {
      return static_cast<double>(of[k + part]);
    };
    for (int part = 0; part < 2; ++part) {
      add(0, x[part] - is(exact.q, part));
      add(2, v[part] - is(exact.v, part));
      add(3, a[part] - is(exact.a, part));
    }
    const Rotation<double> R = m.rotation(s, c.bodies[i]);
    add(1, std::remainder(2 * std::atan2(R.u[2], R.w) - is(exact.q, 2), 2 * std::acos(-1.0)));
    add(2, w[2] - is(exact.v, 2));
    add(3, b[2] - is(exact.a, 2));
    for (double off : {x[2], v[2], w[0], w[1], R.u[0], R.u[1]})
      out_of_plane = std::max(out_of_plane, std::abs(off));
  }
  const std::vector<double> reactions = c.reactions(m, s);
  for (std::size_t i = 0; i < reactions.size(); ++i)
    add(4, reactions[i] - static_cast<double>(exact.reaction[static_cast<long>(i)]));
  return e;
}

std::string name_of(ConstraintForm form) {
  return form == ConstraintForm::index3 ? "index 3 with offset" : "stabilised index 2";
}

}  // namespace

TEST_CASE("order 2 from t = 0 in every quantity, constant and changing steps") {
  for (Case (*make)() : {slider_crank, four_bar}) {
    for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
      for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.6, 1.4, 1.0}}) {
        Ladder ladder(names);
        std::string title;
        for (int n : {600, 1200, 2400, 4800}) {
          const Case c = make();
          Mechanism m(c.model);
          m.options.constraints = form;
          std::vector<double> largest(names.size(), 0.0);
          double out_of_plane = 0;
          int step = 0;
          m.run(pattern_steps(1.0, n, pattern), [&](const State& s) {
            if (step < 10 || step % (n / 30) < 3) {
              const std::vector<double> e = errors(c, m, s, out_of_plane);
              for (std::size_t i = 0; i < e.size(); ++i) largest[i] = std::max(largest[i], e[i]);
            }
            ++step;
          });
          CHECK(out_of_plane < 1e-11);
          ladder.add(1.0 / n, largest);
          title = c.model;
        }
        ladder.print(fmt::format("{}, largest errors over [0, 1], {}, {} steps", title, name_of(form),
                                 pattern.size() == 1 ? "constant" : "0.6/1.4/1"));
        ladder.check_second_order(0.1);
      }
    }
  }
}

TEST_CASE("the exact motion by extrapolation") {
  for (Case (*make)() : {slider_crank, four_bar}) {
    const Case c = make();
    Mechanism m(c.model);
    m.options.constraints = ConstraintForm::index2;
    m.options.newton.keep_matrix = false;
    const auto values = [&](const State& s) {
      std::vector<double> v;
      const std::string last = c.bodies.back();
      for (const Vector3& x : {m.centre(s, last), m.velocity(s, last), m.acceleration(s, last)})
        v.insert(v.end(), {x[0], x[1]});
      for (double x : c.reactions(m, s)) v.push_back(x);
      return v;
    };
    Extrapolation e;
    for (int n : {1000, 2000, 4000, 8000}) e.add(1.0 / n, values(m.run(constant_steps(1.0, n))));
    const PlanarMechanism::Motion exact = c.exact->at(1.0);
    fmt::print("\n{} at t = 1, h = 1 … 0.125 ms\n", c.model);
    const char* const labels[] = {"x", "y", "vx", "vy", "ax", "ay"};
    for (std::size_t i = 0; i < 6; ++i) {
      const auto& of = i < 2 ? exact.q : i < 4 ? exact.v : exact.a;
      check_limit(e, i, c.bodies.back() + " " + labels[i],
                  static_cast<double>(of[6 + static_cast<long>(i) % 2]), 1e-10);
    }
    for (std::size_t i = 0; i < 8; ++i)
      check_limit(e, 6 + i, fmt::format("reaction {}", i + 1),
                  static_cast<double>(exact.reaction[static_cast<long>(i)]), 1e-9);
  }
}
