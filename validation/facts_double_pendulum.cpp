// Double pendulum in Cartesian coordinates (index 3): m = (1, 3), l = (1, 0.7), θ = (0.6, 0.3), ω = (0.5, 0.3), g = 9.81:
// order 2 in q, v, v̇ and both tensions from t = 0, constant and alternating steps; the tabulated errors.
#include "components/planar/distance.hpp"
#include "components/planar/mass.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double m1 = 1, m2 = 3, l1 = 1, l2 = 0.7, g = 9.81;
constexpr double theta0[2] = {0.6, 0.3}, omega0[2] = {0.5, 0.3};

using Vec4 = std::array<double, 4>;  // x1, y1, x2, y2

struct Quantities {
  Vec4 q, v, a;
  double tension[2];
};

/// Exact motion: the angle form by classical Runge–Kutta in extended precision, error below 1e-13.
class Motion {
 public:
  /// Times must not decrease.
  Quantities at(double t) {
    const int n = std::max(1, static_cast<int>(std::ceil((t - t_) / 1e-4L)));
    const long double h = (static_cast<long double>(t) - t_) / n;
    for (int i = 0; i < n && h > 0; ++i) step(h);
    t_ = t;
    const Values d = derivative(y_);
    Quantities r{};
    // d1 = l1 (sin θ1, −cos θ1), q2 = q1 + l2 (sin θ2, −cos θ2), and their derivatives.
    for (int k = 0; k < 2; ++k) {
      const long double l = k == 0 ? l1 : l2, s = std::sin(y_[k]), c = std::cos(y_[k]), w = y_[2 + k],
                        e = d[2 + k];
      for (int body = k; body < 2; ++body) {
        r.q[2 * body] += static_cast<double>(l * s);
        r.q[2 * body + 1] -= static_cast<double>(l * c);
        r.v[2 * body] += static_cast<double>(l * c * w);
        r.v[2 * body + 1] += static_cast<double>(l * s * w);
        r.a[2 * body] += static_cast<double>(l * (c * e - s * w * w));
        r.a[2 * body + 1] += static_cast<double>(l * (s * e + c * w * w));
      }
    }
    // The tension of the lower rod carries the lower mass, that of the upper rod both: along the rods.
    const double n1[2] = {r.q[0] / l1, r.q[1] / l1};
    const double n2[2] = {(r.q[2] - r.q[0]) / l2, (r.q[3] - r.q[1]) / l2};
    const double f2[2] = {-m2 * r.a[2], -m2 * (r.a[3] + g)};
    r.tension[1] = f2[0] * n2[0] + f2[1] * n2[1];
    r.tension[0] = (f2[0] - m1 * r.a[0]) * n1[0] + (f2[1] - m1 * (r.a[1] + g)) * n1[1];
    return r;
  }

 private:
  using Values = std::array<long double, 4>;  // θ1, θ2, ω1, ω2
  static Values derivative(const Values& y) {
    const long double D = y[0] - y[1], c = std::cos(D), s = std::sin(D);
    const long double a = (m1 + m2) * static_cast<long double>(l1), b = m2 * static_cast<long double>(l2) * c;
    const long double e = l1 * c, f = l2;
    const long double r =
        -m2 * static_cast<long double>(l2) * s * y[3] * y[3] - (m1 + m2) * g * std::sin(y[0]);
    const long double p = l1 * s * y[2] * y[2] - static_cast<long double>(g) * std::sin(y[1]);
    const long double det = a * f - b * e;
    return {y[2], y[3], (r * f - b * p) / det, (a * p - e * r) / det};
  }
  void step(long double h) {
    const auto along = [&](const Values& d, long double s) {
      Values r = y_;
      for (int i = 0; i < 4; ++i) r[i] += s * d[i];
      return r;
    };
    const Values k1 = derivative(y_), k2 = derivative(along(k1, h / 2)), k3 = derivative(along(k2, h / 2)),
                 k4 = derivative(along(k3, h));
    for (int i = 0; i < 4; ++i) y_[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  Values y_{theta0[0], theta0[1], omega0[0], omega0[1]};
  long double t_ = 0;
};

struct DoublePendulum {
  Position<2> q1, q2;
  Multiplier<1> tension1, tension2;
  System system = [this] {
    SystemBuilder builder;
    q1 = builder.position<2>("upper.position");
    q2 = builder.position<2>("lower.position");
    tension1 = builder.multiplier<1>("upper.tension");
    tension2 = builder.multiplier<1>("lower.tension");
    builder.add(planar::Mass{q1, m1, {{0.0, -g}}});
    builder.add(planar::Mass{q2, m2, {{0.0, -g}}});
    builder.add(planar::Distance{{}, q1, tension1, l1});
    builder.add(planar::Distance{q1, q2, tension2, l2});
    return builder.finish();
  }();

  State initial() const {
    const Quantities start = Motion().at(0.0);
    State s = system.state();
    for (int i = 0; i < 2; ++i) {
      system.value(s, q1)[i] = start.q[i], system.value(s, q2)[i] = start.q[2 + i];
      system.rate(s, q1)[i] = start.v[i], system.rate(s, q2)[i] = start.v[2 + i];
    }
    return s;
  }
  Quantities quantities(const State& s) const {
    const auto both = [](std::span<const double> a, std::span<const double> b) {
      return Vec4{a[0], a[1], b[0], b[1]};
    };
    return {both(system.value(s, q1), system.value(s, q2)),
            both(system.rate(s, q1), system.rate(s, q2)),
            both(system.acceleration(s, q1), system.acceleration(s, q2)),
            {system.value(s, tension1)[0], system.value(s, tension2)[0]}};
  }
};

double distance(const Vec4& a, const Vec4& b) {
  return std::hypot(std::hypot(a[0] - b[0], a[1] - b[1]), std::hypot(a[2] - b[2], a[3] - b[3]));
}

GeneralizedAlphaOptions scheme(double rho, ConstraintForm form) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.constraints = form;
  o.newton.tolerance = 1e-12;
  return o;
}

const std::vector<std::string> names = {"q", "v", "vdot", "lambda"};

/// Largest errors over [0, 1], from t = 0. λ = tension / length: the multipliers of Φ = (d·d − l²)/2, as tabulated.
std::vector<double> largest_errors(const DoublePendulum& p, const GeneralizedAlphaOptions& o,
                                   const std::vector<double>& steps) {
  Motion exact;
  std::vector<double> e(4, 0.0);
  run(p.system, p.initial(), o, steps, [&](const State& s) {
    const Quantities m = exact.at(s.t), q = p.quantities(s);
    e[0] = std::max(e[0], distance(q.q, m.q));
    e[1] = std::max(e[1], distance(q.v, m.v));
    e[2] = std::max(e[2], distance(q.a, m.a));
    e[3] = std::max(e[3], std::hypot((q.tension[0] - m.tension[0]) / l1, (q.tension[1] - m.tension[1]) / l2));
  });
  return e;
}

}  // namespace

TEST_CASE("the exact motion agrees with the reference at t = 1") {
  // reference/tables.md, holo (8 decimals): DOP853 at 1e-13; λ per length.
  Motion exact;
  const Quantities m = exact.at(1.0);
  CHECK(distance(m.q, {-0.354366, -0.93510681, -0.4224042, -1.63179239}) < 2e-8);
  CHECK(distance(m.v, {-1.64474567, 0.62328917, -1.60713957, 0.61961656}) < 2e-8);
  CHECK(std::abs(m.tension[0] / l1 - 40.70471507) < 2e-8);
  CHECK(std::abs(m.tension[1] / l2 - 42.09330224) < 2e-8);
}

TEST_CASE("order 2 in q, v, accelerations and tensions from t = 0; errors as tabulated") {
  const DoublePendulum p;
  // reference/tables.md, holo, N = 100 … 1600; 0: not comparable. The table projects before every step, we where the
  // offset changes: the same for alternating steps ("offset"); for constant steps λ is then that of "plain index3" but
  // for the start transient, which dominates the plain rows at ρ = 0.8 and at N = 1600.
  struct Row {
    double rho;
    std::vector<double> pattern;
    double q[5], v[5], lambda[5];
  };
  const Row table[] = {{0.8,
                        {1.0},
                        {1.339e-03, 3.356e-04, 8.392e-05, 2.098e-05, 5.246e-06},
                        {1.040e-02, 2.609e-03, 6.529e-04, 1.633e-04, 4.083e-05},
                        {}},
                       {0.8,
                        {0.3, 0.7},
                        {1.783e-03, 4.551e-04, 1.148e-04, 2.879e-05, 7.206e-06},
                        {1.316e-02, 3.414e-03, 8.881e-04, 2.263e-04, 5.709e-05},
                        {1.657e+00, 4.873e-01, 1.308e-01, 3.345e-02, 8.353e-03}},
                       {0.2,
                        {1.0},
                        {3.619e-03, 9.332e-04, 2.363e-04, 5.941e-05, 1.489e-05},
                        {2.499e-02, 6.860e-03, 1.785e-03, 4.547e-04, 1.147e-04},
                        {1.362e+00, 3.507e-01, 8.884e-02, 2.235e-02}},
                       {0.2,
                        {0.3, 0.7},
                        {4.264e-03, 1.101e-03, 2.786e-04, 7.005e-05, 1.756e-05},
                        {2.926e-02, 8.041e-03, 2.104e-03, 5.402e-04, 1.368e-04},
                        {1.729e+00, 4.385e-01, 1.101e-01, 2.748e-02, 6.868e-03}}};
  for (const Row& row : table) {
    for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
      Ladder ladder(names);
      for (int k = 0; k < 5; ++k) {
        const int n = 100 << k;
        ladder.add(1.0 / n, largest_errors(p, scheme(row.rho, form), pattern_steps(1.0, n, row.pattern)));
        if (form == ConstraintForm::index2) continue;
        INFO("rho = ", row.rho, " n = ", n, " q ", ladder.error(k, 0), " v ", ladder.error(k, 1), " lambda ",
             ladder.error(k, 3));
        // We project along the columns of the iteration matrix, the table along M⁻¹Φ_qᵀ: a difference of third order,
        // so of O(h) relative to the errors. The table has four digits.
        const double tolerance = 5e-4 + 0.3 / n;
        CHECK(close(ladder.error(k, 0), row.q[k], tolerance));
        CHECK(close(ladder.error(k, 1), row.v[k], tolerance));
        if (row.lambda[k] > 0) CHECK(close(ladder.error(k, 3), row.lambda[k], tolerance));
      }
      ladder.print(fmt::format(
          "double pendulum, {} steps, rho = {}, {}", row.pattern.size() == 1 ? "constant" : "0.3/0.7",
          row.rho, form == ConstraintForm::index3 ? "index 3 with offset" : "stabilised index 2"));
      ladder.check_second_order(0.05);
    }
  }
}

TEST_CASE("without the offset the tensions are first order") {
  const DoublePendulum p;
  GeneralizedAlphaOptions o = scheme(0.8, ConstraintForm::index3);
  o.offset_projection = false;
  const double table[2] = {3.759e-02, 9.608e+00};  // max |e_λ| at N = 1600, "plain index3": const, alt37
  for (int alternate = 0; alternate < 2; ++alternate) {
    const std::vector<double> pattern = alternate ? std::vector<double>{0.3, 0.7} : std::vector<double>{1.0};
    Ladder ladder(names);
    for (int n : {400, 800, 1600}) ladder.add(1.0 / n, largest_errors(p, o, pattern_steps(1.0, n, pattern)));
    ladder.print(
        fmt::format("double pendulum, {} steps, rho = 0.8, no offset", alternate ? "0.3/0.7" : "constant"));
    CHECK(ladder.order(2, 3) < 1.1);
    CHECK(close(ladder.error(2, 3), table[alternate], 1e-3));
  }
}

TEST_CASE("values at t = 1 by Richardson extrapolation") {
  const DoublePendulum p;
  const Quantities m = Motion().at(1.0);
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    Quantities r[3];
    for (int k = 0; k < 3; ++k)
      r[k] = p.quantities(run(p.system, p.initial(), scheme(0.8, form), constant_steps(1.0, 1000 << k)));
    for (int i = 0; i < 4; ++i) {
      CHECK(std::abs(richardson(r[0].q[i], r[1].q[i], r[2].q[i]) - m.q[i]) < 1e-9);
      CHECK(std::abs(richardson(r[0].v[i], r[1].v[i], r[2].v[i]) - m.v[i]) < 1e-8);
    }
    for (int i = 0; i < 2; ++i)
      CHECK(close(richardson(r[0].tension[i], r[1].tension[i], r[2].tension[i]), m.tension[i], 1e-7));
  }
}
