// What else beams and cables are made of: rows, tangents and power on ℝ³×SO(3) and on SE(3).
#include <doctest/doctest.h>

#include "components/beam/cable.hpp"
#include "components/beam/curve.hpp"
#include "components/beam/pair.hpp"
#include "components/beam/parts.hpp"
#include "components/beam/rule.hpp"
#include "components/body/lumped.hpp"
#include "core/element_check.hpp"

using namespace escapement;

namespace {

const Matrix3 J{{{2.0, 0.1, -0.2}, {0.1, 3.0, 0.3}, {-0.2, 0.3, 2.5}}};

void check(SystemBuilder& builder) {
  const System system = builder.finish();
  for (const auto& fault : check_elements(system, {})) FAIL_CHECK(fault);
}

constexpr Manifold manifolds[] = {Manifold::r3so3, Manifold::se3};

}  // namespace

TEST_CASE("mass beside a node, damping in proportion to mass, loads along a beam") {
  for (const Manifold manifold : manifolds) {
    SystemBuilder b;
    b.frames_move_on(manifold);
    const auto first = b.pose("first"), second = b.pose("second");
    const body::Rigid a{first, 1.7, J, {{0.0, 0.2, -9.81}}}, c{second, 0.6, J};
    b.add(a);
    b.add(c);
    const body::Eccentric beside{first, 0.4, {{0.1, -0.3, 0.2}}, {{0.0, 0.2, -9.81}}};
    b.add(beside);
    const beam::Inertia line{first, second, 0.8, {{0.1, 0.0, -9.81}}};
    b.add(line);
    b.add(beam::MassDamping<body::Rigid>{a, 0.3});
    b.add(beam::MassDamping<body::Eccentric>{beside, 0.3});
    b.add(beam::MassDamping<beam::Inertia>{line, 0.3});
    const auto factor = b.signal<1>("factor");
    b.tap_output(b.add(body::FrameReading{first}), 0, factor);
    b.add(beam::Load{
        second, factor, 0.5, {{1, 2, 3}}, {{}, {{0, 0.1, -0.2}}}, {{0.3, -0.1, 0.5}}, {{0.2, 0.7, -0.4}}});
    check(b);
  }
}

TEST_CASE("cables: bars between bodies and free points, taut and slack, and their mass") {
  using beam::Bar, beam::BarInertia, beam::BodyPoint, beam::FreePoint;
  for (const Manifold manifold : manifolds)
    for (const bool tension_only : {false, true}) {
      SystemBuilder b;
      b.frames_move_on(manifold);
      const auto first = b.pose("first"), second = b.pose("second");
      b.add(body::Rigid{first, 1.7, J, {{0.0, 0.2, -9.81}}});
      b.add(body::Rigid{second, 0.6, J});
      const BodyPoint p{first, {{0.1, 0.2, -0.3}}}, q{second, {{-0.2, 0.1, 0.4}}};
      const FreePoint x{b.position<3>("x")}, y{b.position<3>("y")};
      const Vector3 gravity{{0.1, 0.2, -9.81}};
      b.add(Bar<BodyPoint, BodyPoint>{p, q, 0.9, 30, 0.1, tension_only});
      b.add(Bar<BodyPoint, FreePoint>{p, x, 0.8, 30, 0.1, tension_only});
      b.add(Bar<FreePoint, FreePoint>{x, y, 5.0, 30, 0.1, tension_only});  // slack
      b.add(BarInertia<BodyPoint, BodyPoint>{p, q, 0.3, gravity});
      b.add(BarInertia<BodyPoint, FreePoint>{q, x, 0.3, gravity});
      b.add(BarInertia<FreePoint, FreePoint>{x, y, 0.3, gravity});
      check(b);
    }
  // Rounded within a millionth: the energy's slope is the tension.
  for (const double e : {-1e-2, -1e-6, 0.0, 1e-6, 1e-2}) {
    Dual<1> d(e);
    d.d[0] = 1;
    CHECK(beam::taut_energy(d).d[0] == doctest::Approx(beam::taut(e)).epsilon(1e-12));
    CHECK(std::abs(beam::taut(e) - std::max(e, 0.0)) <= 0.5e-6);
  }
}

TEST_CASE("what is read off cables: tension at an end from two bars, where a point is") {
  using beam::Bar, beam::BodyPoint, beam::FreePoint;
  SystemBuilder b;
  const FreePoint x{b.position<3>("x")}, y{b.position<3>("y")}, z{b.position<3>("z")};
  const Bar<FreePoint, FreePoint> one{x, y, 1.0, 10, 0, false}, two{y, z, 1.0, 10, 0, false};
  b.add(one);
  b.add(two);
  for (const FreePoint& p : {x, y, z})
    b.add(beam::BarInertia<FreePoint, FreePoint>{p, p.node.variable == y.node.variable ? x : y, 1.0});
  const ElementId end = b.add(beam::EndTension<Bar<FreePoint, FreePoint>>{one, two}),
                  bar = b.add(beam::BarTension<Bar<FreePoint, FreePoint>>{two}),
                  point = b.add(beam::PointReading{z.node});
  const System system = b.finish();
  State s = system.state();
  system.value(s, y.node)[0] = 1.2;  // strains 0.2 and 0.4
  system.value(s, z.node)[0] = 2.6;
  system.rate(s, z.node)[1] = 3;
  CHECK(end.group->output(s, end.index, 0) == doctest::Approx(1.5 * 2 - 0.5 * 4).epsilon(1e-14));
  CHECK(bar.group->output(s, bar.index, 0) == doctest::Approx(4).epsilon(1e-14));
  CHECK(point.group->output(s, point.index, 0) == 2.6);
  CHECK(point.group->output(s, point.index, 4) == 3);
}

TEST_CASE(
    "what is read off beams: segments on both sides, or an element that ends there, agree on a circle") {
  // On a circle of constant curvature all readings are the same, whatever their weights.
  constexpr double curvature = 0.8, l = 0.5, EI = 3;
  beam::Stiffness k{};
  for (int i = 0; i < 6; ++i) k[i][i] = i < 3 ? 100 : EI;
  SystemBuilder b;
  std::vector<Pose> nodes;
  for (int i = 0; i < 3; ++i) {
    nodes.push_back(b.pose("n" + std::to_string(i)));
    b.add(body::Rigid{nodes.back(), 1, J});
  }
  const auto segment = [&](int i) {
    return beam::DampedSegment{{nodes[i], nodes[i + 1], {}, {}, l, k, {{1}}}, 0.1};
  };
  const ElementId both =
      b.add(beam::Reading{nodes[0], segment(0), segment(1), 1.5, {beam::inverse(k), beam::inverse(k)}});
  beam::Element<2> e;
  e.at = {nodes[0], nodes[1], nodes[2]};
  e.length = 2 * l;
  e.stiffness = {k, k};
  for (auto& natural : e.natural) natural = {{1}};
  const ElementId one = b.add(beam::ElementReading<2>{e, 0});
  const System system = b.finish();
  State s = system.state();
  for (int i = 0; i < 3; ++i) {
    const double angle = curvature * l * i;
    const auto q = system.value(s, nodes[i]);
    q[0] = std::cos(angle / 2);
    q[3] = std::sin(angle / 2);
    q[4] = std::sin(angle) / curvature;
    q[5] = (1 - std::cos(angle)) / curvature;
  }
  for (const ElementId& id : {both, one})
    for (int i = 0; i < 12; ++i) {
      const double expected = i == 5 ? curvature : i == 11 ? EI * curvature : 0;
      CHECK(std::abs(id.group->output(s, id.index, i) - expected) < 1e-12);
    }
}

TEST_CASE("rules: points, weights and masses of elements") {
  const auto sums = []<int order>(const beam::Rule<order>& rule) {
    double weights = 0, shares = 0, mass = 0;
    for (const double w : rule.weight) weights += w;
    for (int i = 0; i <= order; ++i) {
      shares += rule.share[i];
      for (int j = 0; j <= order; ++j) mass += rule.mass[i][j];
    }
    CHECK(weights == doctest::Approx(2).epsilon(1e-14));
    CHECK(shares == doctest::Approx(1).epsilon(1e-14));
    CHECK(mass == doctest::Approx(1).epsilon(1e-14));
  };
  sums(beam::rule<1>());
  sums(beam::rule<2>());
  sums(beam::rule<3>());
  CHECK(beam::rule<1>().mass[0][0] == doctest::Approx(1.0 / 3).epsilon(1e-14));
  CHECK(beam::rule<2>().share[1] == doctest::Approx(4.0 / 6).epsilon(1e-14));   // Simpson's rule
  CHECK(beam::rule<3>().share[1] == doctest::Approx(5.0 / 12).epsilon(1e-14));  // Lobatto's
  CHECK(beam::rule<3>().node[2] == doctest::Approx(1 / std::sqrt(5.0)).epsilon(1e-14));
  CHECK(beam::rule<2>().place[1] == doctest::Approx(1 / std::sqrt(3.0)).epsilon(1e-14));
}
