// Elements of bodies and joints in space: rows, tangents and power on ℝ³×SO(3) and on SE(3), and the hand-written forms
// against the differentiated ones.
#include <doctest/doctest.h>

#include "components/body/mass_properties.hpp"
#include "components/body/rigid.hpp"
#include "components/by_hand_check.hpp"
#include "components/joint/coordinate.hpp"
#include "components/joint/joint.hpp"
#include "core/element_check.hpp"

using namespace escapement;
using joint::Equation;
using enum joint::Equation::Kind;

namespace {

const Matrix3 J{{{2.0, 0.1, -0.2}, {0.1, 3.0, 0.3}, {-0.2, 0.3, 2.5}}};
const Frame<double> on_a{normalised({0.3, {{0.5, -0.7, 0.2}}}), {{0.3, -0.4, 0.2}}};
const Frame<double> on_b{normalised({0.9, {{0.1, 0.3, -0.6}}}), {{-0.1, 0.5, 0.25}}};

void check(SystemBuilder& builder, ElementCheckOptions options = {}) {
  const System system = builder.finish();
  for (const auto& fault : check_elements(system, options)) FAIL_CHECK(fault);
}

constexpr Manifold manifolds[] = {Manifold::r3so3, Manifold::se3};

template <int n>
void check_joint(const std::array<Equation, n>& equations) {
  for (const Manifold manifold : manifolds) {
    SystemBuilder b;
    b.frames_move_on(manifold);
    const auto first = b.pose("first"), second = b.pose("second");
    b.add(body::Rigid{first, 1.7, J, {{0.0, 0.2, -9.81}}});
    b.add(body::Rigid{second, 0.6, J});
    b.add(joint::Joint<n>{first, second, b.multiplier<n>("l"), on_a, on_b, equations});
    b.add(joint::Joint<n>{{}, first, b.multiplier<n>("m"), on_a, on_b, equations});
    b.add(joint::Joint<n>{second, {}, b.multiplier<n>("k"), on_a, on_b, equations});
    check(b);
  }
}

}  // namespace

TEST_CASE("joints: every sort of equation, alone and together, two bodies or one and ground") {
  check_joint<3>({{{coincide, 0}, {coincide, 1}, {coincide, 2}}});
  check_joint<2>({{{along, 0}, {along, 2}}});
  check_joint<2>({{{perpendicular, 0, 1}, {perpendicular, 2, 2}}});
  check_joint<1>({{{distance, 0, 0, 0.8}}});
  check_joint<4>({{{along, 1}, {coincide, 2}, {perpendicular, 1, 0}, {distance, 0, 0, 0.3}}});
  check_joint<5>({{{coincide, 0}, {coincide, 1}, {coincide, 2}, {parallel, 0}, {parallel, 1}}});
  check_joint<1>({{{parallel, 1}}});
  check_joint<2>({{{aligned, 2}, {aligned, 0}}});
  check_joint<6>({{{along, 0}, {along, 1}, {along, 2}, {aligned, 0}, {aligned, 1}, {aligned, 2}}});
}

TEST_CASE("by hand equals differentiated") {
  for (const Manifold manifold : manifolds) {
    CHECK(oracle_difference(body::Rigid{{}, 1.7, J, {{0.3, 0.2, -9.81}}}, manifold) < 1e-13);
    const joint::Joint<4> mixed{
        {}, {}, {}, on_a, on_b, {{{along, 1}, {coincide, 2}, {perpendicular, 1, 0}, {distance, 0, 0, 0.3}}}};
    CHECK(oracle_difference(mixed, manifold) < 1e-12);
    CHECK(oracle_difference(joint::revolute({}, {}, {}, on_a, on_b), manifold) < 1e-12);
    const joint::Joint<3> fixed{{}, {}, {}, on_a, on_b, {{{aligned, 0}, {aligned, 1}, {aligned, 2}}}};
    CHECK(oracle_difference(fixed, manifold) < 1e-12);
    joint::Measure turning{joint::Measure::Kind::rotation, false, {{0, 1, 0}}, {{0, 0, 1}}, {{0, 0.8, 0.6}}};
    CHECK(oracle_difference(joint::Coordinate{{}, {}, {}, {}, turning}, manifold) < 1e-12);
    turning.of_b = true;
    CHECK(oracle_difference(joint::Coordinate{{}, {}, {}, {}, turning}, manifold) < 1e-12);
    const joint::Measure sliding{
        joint::Measure::Kind::translation, false, {{0.6, 0.8, 0}}, {}, {}, on_a.x, on_b.x};
    CHECK(oracle_difference(joint::Coordinate{{}, {}, {}, {}, sliding}, manifold) < 1e-12);
  }
}

TEST_CASE("readings and coordinates") {
  for (const Manifold manifold : manifolds) {
    SystemBuilder b;
    b.frames_move_on(manifold);
    const auto first = b.pose("first"), second = b.pose("second");
    const body::Rigid one{first, 1.7, J, {{0.0, 0.2, -9.81}}};
    const joint::Joint<3> ball = joint::spherical(first, second, b.multiplier<3>("l"), on_a.x, on_b.x);
    b.add(body::Rigid{second, 0.6, J});
    tap_outputs(b, one, "energy");
    tap_outputs(b, body::FrameReading{first, on_a}, "frame");
    tap_outputs(b, ball, "load");
    tap_outputs(b, joint::RelativeRotation{first, second, on_a.R, on_b.R}, "turned");
    b.add(body::FrameAcceleration{second, b.signal<3>("a"), on_b.x});
    check(b, {.tolerance = 1e-5});

    const joint::Measure turning{
        joint::Measure::Kind::rotation, false, {{0, 1, 0}}, {{0, 0, 1}}, {{0, 0.8, 0.6}}};
    joint::Measure reversed = turning;
    reversed.of_b = true;
    const joint::Measure sliding{
        joint::Measure::Kind::translation, false, {{0.6, 0.8, 0}}, {}, {}, on_a.x, on_b.x};
    SystemBuilder c;
    c.frames_move_on(manifold);
    const auto p = c.pose("first"), q = c.pose("second");
    c.add(body::Rigid{p, 1.7, J});
    c.add(body::Rigid{q, 1.7, J});
    int number = 0;
    for (const joint::Measure& m : {turning, reversed, sliding}) {
      const std::string name = std::to_string(number++);
      c.add(joint::Coordinate{p, q, c.position<1>("c" + name), c.multiplier<1>("l" + name), m});
      c.add(joint::CoordinateReading{p, q, m});
    }
    // Massless coordinates have no power of their own to check.
    check(c);
  }
}

TEST_CASE("a measured rate is the rate of the measure; angles unwind") {
  SystemBuilder b;
  const auto p = b.pose("first"), q = b.pose("second");
  b.add(body::Rigid{p, 1.7, J});
  b.add(body::Rigid{q, 1.7, J});
  const joint::Measure sliding{
      joint::Measure::Kind::translation, false, {{0.6, 0.8, 0}}, {}, {}, on_a.x, on_b.x};
  joint::Measure turning{joint::Measure::Kind::rotation, false, {{0, 1, 0}}, {{0, 0, 1}}, {{0, 0.8, 0.6}}};
  for (const bool of_b : {false, true}) {
    turning.of_b = of_b;
    for (const joint::Measure& m : {turning, sliding}) {
      const auto elements = std::make_shared<ElementsOf<joint::CoordinateReading>>();
      elements->add({p, q, m});
      ElementGroup(Adaptor<joint::CoordinateReading>::type, elements).number_handles(0);
      const auto& e = elements->list()[0];
      using L = Layout<joint::CoordinateReading>;
      Point<double, L> point{};
      const double memory[joint::Turns::memory] = {};
      point.z.memory = memory;
      const Rotation<double> A = normalised({0.9, {{0.2, -0.1, 0.3}}}),
                             B = normalised({0.5, {{0.4, 0.6, -0.2}}});
      const double values[] = {A.w, A.u[0], A.u[1], A.u[2], 0.1, 0.2, 0.3,
                               B.w, B.u[0], B.u[1], B.u[2], 0.5, 0.6, -1};
      for (int i = 0; i < 14; ++i) point.z.q[i] = values[i];
      for (int i = 0; i < 12; ++i) point.z.v[i] = 0.3 - 0.11 * i;
      const auto moving = one_time_derivative(point);
      CHECK(e.output(moving.z, 0).d[0] == doctest::Approx(e.output(point.z, 1)).epsilon(1e-12));
    }
  }
  CHECK(joint::unwound(0.1, 20.0) == doctest::Approx(0.1 + 6 * 3.14159265358979323846));
  CHECK(joint::unwound(-3.0, 3.1) == doctest::Approx(2 * 3.14159265358979323846 - 3.0));
}

TEST_CASE("mass properties: solids, and solids put together from parts") {
  const auto close = [](const body::MassProperties& a, const body::MassProperties& b) {
    CHECK(a.mass == doctest::Approx(b.mass).epsilon(1e-13));
    for (int i = 0; i < 3; ++i) {
      CHECK(std::abs(a.com[i] - b.com[i]) < 1e-14);
      for (int j = 0; j < 3; ++j) CHECK(std::abs(a.inertia.m[i][j] - b.inertia.m[i][j]) < 1e-14);
    }
  };
  using namespace body;
  close(together(placed(box({{1, 0.4, 0.2}}), {{}, {{-0.5, 0, 0}}}),
                 placed(box({{1, 0.4, 0.2}}), {{}, {{0.5, 0, 0}}})),
        box({{2, 0.4, 0.2}}));
  // A tube is a cylinder less its bore.
  close(together(cylinder(0.3, 0.5), scaled(cylinder(0.2, 0.5), -1)), tube(0.2, 0.3, 0.5));
  // A box turned by a quarter about z.
  const Rotation<double> quarter = normalised({1, {{0, 0, 1}}});
  close(placed(box({{1, 0.4, 0.2}}), {quarter, {}}), box({{0.4, 1, 0.2}}));
  // A truncated cone, halves of a double cone: the cone's formulas by slices.
  MassProperties slices;
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double z = 0.6 * (i + 0.5) / n, r = 0.3 * (1 - z / 0.6);
    const MassProperties slice = placed(cylinder(r, 0.6 / n), {{}, {{0, 0, z}}});
    slices = i ? together(slices, slice) : slice;
  }
  CHECK(slices.mass == doctest::Approx(cone(0.3, 0.6).mass).epsilon(1e-6));
  CHECK(slices.com[2] == doctest::Approx(0.15).epsilon(1e-6));
  CHECK(slices.inertia.m[0][0] == doctest::Approx(cone(0.3, 0.6).inertia.m[0][0]).epsilon(1e-5));
  CHECK(slices.inertia.m[2][2] == doctest::Approx(cone(0.3, 0.6).inertia.m[2][2]).epsilon(1e-5));
  // A capsule without length is a sphere; a long one by slices.
  CHECK(capsule(0.2, 1e-12).inertia.m[0][0] == doctest::Approx(sphere(0.2).inertia.m[0][0]).epsilon(1e-10));
  MassProperties sliced;
  for (int i = 0; i < n; ++i) {
    const double z = -0.7 + 1.4 * (i + 0.5) / n, beyond = std::max(0.0, std::abs(z) - 0.5);
    const MassProperties slice =
        placed(cylinder(std::sqrt(0.04 - beyond * beyond), 1.4 / n), {{}, {{0, 0, z}}});
    sliced = i ? together(sliced, slice) : slice;
  }
  CHECK(sliced.inertia.m[0][0] == doctest::Approx(capsule(0.2, 1.0).inertia.m[0][0]).epsilon(1e-4));
  CHECK(sliced.inertia.m[2][2] == doctest::Approx(capsule(0.2, 1.0).inertia.m[2][2]).epsilon(1e-4));
  const auto [small, middle, large] = principal_values(J);
  CHECK(small + middle + large == doctest::Approx(7.5));
}

TEST_CASE("half angles: the factor between sin θ and 2 sin(θ/2), and its derivatives along cos θ") {
  using joint::HalfAngle;
  constexpr double small = 1e-5;
  for (const double angle : {0.0, 0.3, 1.2, 2.0, 2.9, -1.7}) {
    const double c = std::cos(angle);
    const HalfAngle<double> at(c);
    CHECK(at.factor * std::sin(angle) == doctest::Approx(2 * std::sin(angle / 2)));
    const HalfAngle<double> less(c - small), more(c + small);
    CHECK(at.slope == doctest::Approx((more.factor - less.factor) / (2 * small)).epsilon(1e-5));
    CHECK(at.curve == doctest::Approx((more.slope - less.slope) / (2 * small)).epsilon(1e-5));
  }
  CHECK(HalfAngle<double>(-1.0).added(0) == doctest::Approx(std::numbers::pi));
}
