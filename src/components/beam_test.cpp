// The beam segment: tangents by hand, rigid motions, exact curves.
#include <doctest/doctest.h>

#include <numbers>

#include "components/beam/element.hpp"
#include "components/beam/inertia.hpp"
#include "components/beam/section.hpp"
#include "components/beam/segment.hpp"
#include "components/by_hand_check.hpp"

using namespace escapement;
using beam::Segment;

namespace {

/// Full and symmetric, positive definite.
beam::Stiffness full_stiffness() {
  beam::Stiffness k{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      k[i][j] = i == j ? 3.0 + i : 0.3 / (1 + std::abs(i - j)) * ((i + j) % 2 ? -1 : 1);
  return k;
}

const Frame<double> offset_a{normalised({0.9, {{0.1, -0.2, 0.3}}}), {{0.1, -0.2, 0.15}}};
const Frame<double> offset_b{normalised({0.8, {{-0.3, 0.1, 0.2}}}), {{-0.05, 0.1, 0.2}}};

/// A screw motion: the frame after `turn` and the translation V(turn) along.
Frame<double> screw(const Vector3& along, const Vector3& turn) {
  return {exp_so3(turn), left_tangent_so3(turn) * along};
}

}  // namespace

TEST_CASE("logarithm: the inverse of the exponential, near zero and far from it") {
  for (const double size : {1e-9, 1e-4, 0.02, 0.1, 0.4, 0.6, 1.5, 3.0}) {
    const Vector3 w = size / norm(Vector3{{1.0, -2.0, 0.7}}) * Vector3{{1.0, -2.0, 0.7}};
    const Vector3 back = log_so3(exp_so3(w));
    CHECK(norm(back - w) < 1e-14 * (1 + size));
    const Vector3 a{{0.3, 0.8, -0.4}};
    const InverseTangent<double> k(size * size);
    CHECK(norm(untangled(w, tangent_so3(w) * a, k.e, false) - a) < 1e-14);
    CHECK(norm(untangled(w, left_tangent_so3(w) * a, k.e, true) - a) < 1e-14);
    const double s = size * size, d = 1e-4 * s;
    const double slope = (InverseTangent<double>(s + d).e - InverseTangent<double>(s - d).e) / (2 * d);
    if (s > 1e-4) CHECK(k.slope == doctest::Approx(slope).epsilon(1e-5));
    const auto exact = InverseTangent<Dual<1>>([&] {
      Dual<1> x(s);
      x.d[0] = 1;
      return x;
    }());
    CHECK(k.slope == doctest::Approx(exact.e.d[0]).epsilon(1e-9));
    CHECK(beam::Pair::curvature(s, k.slope) == doctest::Approx(exact.slope.d[0]).epsilon(1e-8));
  }
}

TEST_CASE("segment: rows and tangent by hand, with offsets, natural curvature and a full stiffness") {
  for (const Manifold manifold : {Manifold::r3so3, Manifold::se3}) {
    CHECK(oracle_difference(Segment{{}, {}, {}, {}, 0.7, full_stiffness()}, manifold) < 2e-11);
    CHECK(
        oracle_difference(
            Segment{{}, {}, offset_a, offset_b, 0.7, full_stiffness(), {{0.98, 0.02, 0.01, 0.1, -0.2, 0.3}}},
            manifold) < 2e-11);
  }
}

TEST_CASE("damped segment: rows and tangent by hand") {
  for (const Manifold manifold : {Manifold::r3so3, Manifold::se3}) {
    beam::DampedSegment damped{
        {{}, {}, offset_a, offset_b, 0.7, full_stiffness(), {{0.98, 0.02, 0.01, 0.1, -0.2, 0.3}}}, 0.4};
    CHECK(oracle_difference(damped, manifold) < 5e-11);
  }
}

TEST_CASE("elements of higher order: rows and tangent by hand") {
  const auto check = [&]<int order>() {
    for (const Manifold manifold : {Manifold::r3so3, Manifold::se3})
      for (const double viscosity : {0.0, 0.3}) {
        beam::Element<order> e;
        e.on = offset_a;
        e.length = 0.7;
        e.viscosity = viscosity;
        for (auto& k : e.stiffness) k = full_stiffness();
        for (auto& n : e.natural) n = {{0.98, 0.02, 0.01, 0.1, -0.2, 0.3}};
        CHECK(oracle_difference(e, manifold) < 1e-8);  // of entries up to 1e4
        CHECK(oracle_difference(beam::ElementInertia<order>{{}, 0.8, {{0.2, -0.5, -9.81}}}, manifold) <
              1e-12);
      }
  };
  check.operator()<2>();
  check.operator()<3>();
}

TEST_CASE("inertia: rows and tangent by hand") {
  for (const Manifold manifold : {Manifold::r3so3, Manifold::se3})
    CHECK(oracle_difference(beam::Inertia{{}, 0.8, {{0.2, -0.5, -9.81}}}, manifold) < 1e-12);
}

TEST_CASE("segment: rigid motions leave no strain, whatever it is like unloaded") {
  const Vec<6, double> natural{{1.0, 0.01, -0.02, 0.4, -0.7, 1.1}};
  const double length = 0.8;
  const Segment s{{}, {}, {}, {}, length, full_stiffness(), natural};
  const Frame<double> unloaded = screw(length * Vector3{{natural[0], natural[1], natural[2]}},
                                       length * Vector3{{natural[3], natural[4], natural[5]}});
  for (const Vector3& turn :
       {Vector3{{0.3, 0.2, -0.5}}, Vector3{{2.0, -1.5, 1.0}}, Vector3{{0.0, 3.1, 0.0}}}) {
    const Frame<double> a = screw({{10.0, -200.0, 3.0}}, turn), b = a * unloaded;
    const Vec<6, double> strain = s.strain(a.inverse() * b);
    for (int i = 0; i < 6; ++i) CHECK(std::abs(strain[i]) < 1e-12);
  }
}

TEST_CASE("segment: a cantilever rolled up by a moment is a circle, with any number of segments") {
  constexpr double pi = std::numbers::pi, EI = 2.5, length = 3.0;
  beam::Stiffness k{};
  for (int i = 0; i < 6; ++i) k[i][i] = i == 5 ? EI : 100.0;
  for (const int turns : {1, 2})
    for (const int n : {5, 8, 20}) {
      const double l = length / n, curvature = 2 * pi * turns / length;
      const Segment s{{}, {}, {}, {}, l, k};
      const Frame<double> step = screw({{l, 0, 0}}, {{0, 0, curvature * l}});
      const auto ends = s.ends(step);
      // Neighbours balance: B of one segment and A of the next; the moment is EI times the curvature, no force.
      for (int i = 0; i < 3; ++i) {
        CHECK(std::abs(ends.force[0][i]) < 1e-12);
        CHECK(std::abs(ends.force[1][i]) < 1e-12);
        CHECK(std::abs(ends.moment[0][i] + ends.moment[1][i]) < 1e-12);
      }
      CHECK(ends.moment[1][2] == doctest::Approx(EI * curvature).epsilon(1e-13));
      Frame<double> tip{};
      for (int i = 0; i < n; ++i) tip = tip * step;
      CHECK(norm(tip.x) < 1e-13 * length * n);
    }
}

TEST_CASE("segment: what its length adds to the flexibility") {
  // A cantilever of one segment under a force at its tip, linear theory: F L³/3EI + F L/GA; the middle alone says F L³/4EI.
  constexpr double EI = 2, GA = 50, length = 1.5;
  beam::Stiffness k{};
  for (int i = 0; i < 6; ++i) k[i][i] = i < 3 ? GA : EI;
  const beam::Stiffness of = beam::of_segment(k, length);
  for (int i = 1; i < 3; ++i)
    CHECK(length * length * length / (4 * EI) + length / of[i][i] ==
          doctest::Approx(length * length * length / (3 * EI) + length / GA).epsilon(1e-13));
  const beam::Stiffness full = beam::of_segment(full_stiffness(), 0.3);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) CHECK(full[i][j] == doctest::Approx(full[j][i]).epsilon(1e-12));
}

TEST_CASE("sections: areas and moments by their parts, torsion and shear by their limits") {
  constexpr double pi = std::numbers::pi;
  using namespace beam;
  const Section square = rectangle(2, 2, 0.3), strip = rectangle(100, 1, 0.3), flat = rectangle(3, 1, 0.0);
  CHECK(square.torsion == doctest::Approx(0.1405770 * 16).epsilon(1e-6));  // Saint-Venant
  CHECK(strip.torsion == doctest::Approx(100.0 / 3 * (1 - 0.63 / 100)).epsilon(1e-4));
  CHECK(flat.shear_y == doctest::Approx(5.0 / 6 * 3).epsilon(1e-13));
  CHECK(flat.bending_y == doctest::Approx(3.0 / 12).epsilon(1e-13));
  CHECK(flat.bending_z == doctest::Approx(27.0 / 12).epsilon(1e-13));

  const Section round = tube(0.7, 0, 0.3), circle = ellipse(0.7, 0.7, 0.3), thin = tube(1, 0.9999, 0.3);
  CHECK(round.area == doctest::Approx(circle.area).epsilon(1e-13));
  CHECK(round.shear_y == doctest::Approx(circle.shear_y).epsilon(1e-13));
  CHECK(round.shear_y / round.area == doctest::Approx(6 * 1.3 / (7 + 6 * 0.3)).epsilon(1e-13));
  CHECK(round.torsion == doctest::Approx(circle.torsion).epsilon(1e-13));
  CHECK(round.bending_z == doctest::Approx(pi / 4 * std::pow(0.7, 4)).epsilon(1e-13));
  CHECK(thin.shear_z / thin.area ==
        doctest::Approx(2 * 1.3 / (4 + 3 * 0.3)).epsilon(1e-3));  // Cowper, thin wall
  const Section oval = ellipse(2, 1, 0.3);
  CHECK(oval.bending_y == doctest::Approx(pi * 2 / 4).epsilon(1e-13));
  CHECK(oval.torsion == doctest::Approx(pi * 8 / 5).epsilon(1e-13));

  const Section hollow = box(0.2, 0.3, 0.01, 0.3);
  CHECK(hollow.area == doctest::Approx(0.2 * 0.3 - 0.18 * 0.28).epsilon(1e-13));
  CHECK(hollow.bending_y ==
        doctest::Approx((0.2 * std::pow(0.3, 3) - 0.18 * std::pow(0.28, 3)) / 12).epsilon(1e-13));
  CHECK(hollow.torsion ==
        doctest::Approx(4 * std::pow(0.19 * 0.29, 2) * 0.01 / (2 * (0.19 + 0.29))).epsilon(1e-13));
  CHECK(hollow.shear_z < hollow.area);
  CHECK(hollow.shear_z > 2 * 0.3 * 0.01 * 0.8);  // nearly its webs

  const Section i = i_beam(0.1, 0.2, 0.01, 0.006, 0.3);
  const double flange = 0.1 * std::pow(0.01, 3) / 12 + 0.1 * 0.01 * std::pow(0.095, 2),
               web = 0.006 * std::pow(0.18, 3) / 12;
  CHECK(i.bending_y == doctest::Approx(2 * flange + web).epsilon(1e-12));
  CHECK(i.bending_z ==
        doctest::Approx((2 * 0.01 * std::pow(0.1, 3) + 0.18 * std::pow(0.006, 3)) / 12).epsilon(1e-13));
  CHECK(i.area == doctest::Approx(2 * 0.1 * 0.01 + 0.18 * 0.006).epsilon(1e-13));
  CHECK(i.shear_z / (0.19 * 0.006) > 0.8);
  CHECK(i.shear_z / (0.19 * 0.006) < 1.05);
  const Material steel{210e9, 0.3, 7850};
  CHECK(steel.shear_modulus() == doctest::Approx(80.77e9).epsilon(1e-4));
}
