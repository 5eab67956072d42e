// What sections give, against published tables and closed forms. Torsion of rectangles: the table of Timoshenko & Goodier,
// Theory of Elasticity. Shear factors: what Cowper, J. Appl. Mech. 33 (1966), gives for the round, the square and the thin.
#include "components/beam/section.hpp"

#include <numbers>

#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi;

/// Half a unit of the last of so many decimals.
bool agrees(double value, double published, int decimals) {
  return std::abs(value - published) <= 0.5001 * std::pow(10.0, -decimals);
}

/// Areas and moments of a shape by the midpoint rule.
struct Moments {
  double area = 0, y = 0, z = 0;  // ∫dA, ∫z² dA, ∫y² dA
  template <class F>
  Moments(double width, double height, const F& inside) {
    const int n = 2000;
    const double dy = width / n, dz = height / n, d = dy * dz;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const double at_y = (i + 0.5) * dy - width / 2, at_z = (j + 0.5) * dz - height / 2;
        if (!inside(at_y, at_z)) continue;
        area += d;
        y += at_z * at_z * d;
        z += at_y * at_y * d;
      }
  }
};

}  // namespace

TEST_CASE("torsion of rectangles") {
  // J = β a b³, a the longer side: a/b, β, digits.
  const struct {
    double ratio, beta;
    int decimals;
  } table[] = {{1, 0.1406, 4}, {1.2, 0.166, 3}, {1.5, 0.196, 3}, {2, 0.229, 3},
               {2, 0.2287, 4}, {2.5, 0.249, 3}, {3, 0.263, 3},   {4, 0.281, 3},
               {5, 0.291, 3},  {10, 0.312, 3},  {10, 0.3123, 4}, {1e4, 0.333, 3}};
  for (const auto& row : table) {
    const beam::Section flat = beam::rectangle(row.ratio, 1, 0.3),
                        upright = beam::rectangle(1, row.ratio, 0.3);
    fmt::print("rectangle {:>5}: β = {:.6f}, published {}\n", row.ratio, flat.torsion / row.ratio, row.beta);
    CHECK(agrees(flat.torsion / row.ratio, row.beta, row.decimals));
    CHECK(flat.torsion == doctest::Approx(upright.torsion).epsilon(1e-14));
  }
  // Of a square to ten digits, 0.1405770150 (the series summed), and that of the Princeton beam.
  CHECK(close(beam::rectangle(1, 1, 0.3).torsion, 0.14057701495515551, 1e-9));
  CHECK(close(beam::rectangle(12.3777e-3, 3.2024e-3, 0.31).torsion, 1.1340719248e-10, 1e-9));
}

TEST_CASE("torsion of round and of hollow sections") {
  CHECK(close(beam::tube(0.3, 0, 0.3).torsion, pi / 2 * std::pow(0.3, 4), 1e-14));
  CHECK(close(beam::tube(0.3, 0.2, 0.3).torsion, pi / 2 * (std::pow(0.3, 4) - std::pow(0.2, 4)), 1e-14));
  CHECK(close(beam::ellipse(0.3, 0.3, 0.3).torsion, pi / 2 * std::pow(0.3, 4), 1e-14));
  CHECK(close(beam::ellipse(0.4, 0.2, 0.3).torsion, pi * std::pow(0.4, 3) * std::pow(0.2, 3) / (0.16 + 0.04),
              1e-14));
  // Thin: a box is 4 A²/∮ds/t, its walls' middle lines 0.98 × 0.48 around.
  CHECK(close(beam::box(1, 0.5, 0.02, 0.3).torsion, 4 * std::pow(0.98 * 0.48, 2) * 0.02 / (2 * (0.98 + 0.48)),
              1e-14));
  // Open: a third of the sum of length times thickness cubed.
  CHECK(close(beam::i_beam(0.2, 0.3, 0.01, 0.006, 0.3).torsion,
              (2 * 0.2 * std::pow(0.01, 3) + 0.29 * std::pow(0.006, 3)) / 3, 1e-14));
}

TEST_CASE("shear factors") {
  for (const double nu : {0.0, 0.3, 0.5}) {
    const double circle = 6 * (1 + nu) / (7 + 6 * nu), rectangle = 10 * (1 + nu) / (12 + 11 * nu),
                 thin_tube = 2 * (1 + nu) / (4 + 3 * nu), thin_box = 20 * (1 + nu) / (48 + 39 * nu);
    const double thin = 1e-6;  // walls of this thickness are thin to its own order
    const struct {
      const char* name;
      beam::Section section;
      double factor, tolerance;
    } cases[] = {{"circle", beam::tube(1, 0, nu), circle, 1e-14},
                 {"circle as an ellipse", beam::ellipse(1, 1, nu), circle, 1e-14},
                 {"rectangle", beam::rectangle(2, 1, nu), rectangle, 1e-14},
                 {"thin tube", beam::tube(1, 1 - thin, nu), thin_tube, thin},
                 {"thin square box", beam::box(1, 1, thin, nu), thin_box, 4 * thin}};
    for (const auto& c : cases) {
      fmt::print("shear factor, ν = {}: {} {:.6f}\n", nu, c.name, c.section.shear_y / c.section.area);
      CHECK(close(c.section.shear_y / c.section.area, c.factor, c.tolerance));
      CHECK(close(c.section.shear_z / c.section.area, c.factor, c.tolerance));
    }
  }
  // The forms without Poisson's effect are those of old: 5/6 and 6/7.
  CHECK(close(beam::rectangle(2, 1, 0).shear_y, 2 * 5.0 / 6, 1e-14));
  CHECK(close(beam::tube(1, 0, 0).shear_y, pi * 6 / 7, 1e-14));
  // A flat ellipse's longer axis carries shear as 12 (1 + ν) 3/(40 + 37 ν) tells.
  CHECK(close(beam::ellipse(1, 1e-4, 0.3).shear_y / beam::ellipse(1, 1e-4, 0.3).area,
              36 * 1.3 / (40 + 37 * 0.3), 1e-6));
  // An I whose flanges vanish, is an upright rectangle.
  const double upright = 13 / 15.3;
  const beam::Section i = beam::i_beam(0.01, 0.2, 1e-9, 0.01, 0.3);
  CHECK(close(i.shear_z / i.area, upright, 1e-6));
}

TEST_CASE("areas and second moments, against sums over small squares") {
  const auto check = [](const char* name, const beam::Section& s, const Moments& m) {
    fmt::print("{}: area off by {:.0e}, second moments by {:.0e}, {:.0e}\n", name, s.area / m.area - 1,
               s.bending_y / m.y - 1, s.bending_z / m.z - 1);
    CHECK(close(s.area, m.area, 2e-4));
    CHECK(close(s.bending_y, m.y, 2e-4));
    CHECK(close(s.bending_z, m.z, 2e-4));
  };
  check("rectangle", beam::rectangle(0.3, 0.2, 0.3), {0.3, 0.2, [](double, double) { return true; }});
  check("ellipse", beam::ellipse(0.3, 0.2, 0.3),
        {0.6, 0.4, [](double y, double z) { return y * y / 0.09 + z * z / 0.04 < 1; }});
  check("tube", beam::tube(0.3, 0.25, 0.3), {0.6, 0.6, [](double y, double z) {
                                               const double r = std::hypot(y, z);
                                               return r < 0.3 && r > 0.25;
                                             }});
  check("hollow box", beam::box(0.4, 0.2, 0.02, 0.3),
        {0.4, 0.2, [](double y, double z) { return std::abs(y) > 0.18 || std::abs(z) > 0.08; }});
  check("I", beam::i_beam(0.2, 0.4, 0.02, 0.02, 0.3),
        {0.2, 0.4, [](double y, double z) { return std::abs(z) > 0.18 || std::abs(y) < 0.01; }});
}
