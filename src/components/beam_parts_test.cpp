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
    b.add(OutputTap<body::FrameReading>{body::FrameReading{first}, factor, 0});
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

TEST_CASE("what is read off beams and cables") {
  // EndTension, BarTension, PointReading, Reading and ElementReading write no rows: validation.beam_forms reads them.
  CHECK(Offers<beam::Reading>::outputs);
  CHECK(Offers<beam::ElementReading<2>>::outputs);
  CHECK(Offers<beam::EndTension<beam::Bar<beam::BodyPoint, beam::FreePoint>>>::outputs);
  CHECK(Offers<beam::BarTension<beam::Bar<beam::FreePoint, beam::FreePoint>>>::outputs);
  CHECK(Offers<beam::PointReading>::outputs);
}

TEST_CASE("rules: points, weights and masses of elements") {
  const auto sums = []<int order>(const beam::Rule<order>& rule) {
    double weights = 0, even = 0, mass = 0;
    for (const double w : rule.weight) weights += w;
    for (int i = 0; i <= order; ++i) {
      even += rule.even[i];
      for (int j = 0; j <= order; ++j) mass += rule.mass[i][j];
    }
    CHECK(weights == doctest::Approx(2).epsilon(1e-14));
    CHECK(even == doctest::Approx(1).epsilon(1e-14));
    CHECK(mass == doctest::Approx(1).epsilon(1e-14));
  };
  sums(beam::rule<1>());
  sums(beam::rule<2>());
  sums(beam::rule<3>());
  CHECK(beam::rule<1>().mass[0][0] == doctest::Approx(1.0 / 3).epsilon(1e-14));
  CHECK(beam::rule<2>().even[1] == doctest::Approx(4.0 / 6).epsilon(1e-14));
  CHECK(beam::rule<3>().even[1] == doctest::Approx(3.0 / 8).epsilon(1e-14));
  CHECK(beam::rule<2>().place[1] == doctest::Approx(1 / std::sqrt(3.0)).epsilon(1e-14));
}
