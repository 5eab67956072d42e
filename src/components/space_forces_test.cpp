// Elements of loads, sensors and rolling in space: rows, tangents and power on ℝ³×SO(3) and on SE(3).
#include <doctest/doctest.h>

#include "components/body/rigid.hpp"
#include "components/by_hand_check.hpp"
#include "components/force/bushing.hpp"
#include "components/force/by_expression.hpp"
#include "components/force/point.hpp"
#include "components/force/spring.hpp"
#include "components/force/torsion.hpp"
#include "components/joint/by_expression.hpp"
#include "components/joint/rolling.hpp"
#include "components/sensor/inertial.hpp"
#include "core/element_check.hpp"

using namespace escapement;

namespace {

const Matrix3 J{{{2.0, 0.1, -0.2}, {0.1, 3.0, 0.3}, {-0.2, 0.3, 2.5}}};
const Frame<double> on_a{normalised({0.3, {{0.5, -0.7, 0.2}}}), {{0.3, -0.4, 0.2}}};
const Frame<double> on_b{normalised({0.9, {{0.1, 0.3, -0.6}}}), {{-0.1, 0.5, 0.25}}};

/// Two bodies on each manifold, and what the caller adds to them.
template <class Add>
void check(const Add& add, double tolerance = 2e-6) {
  for (const Manifold manifold : {Manifold::r3so3, Manifold::se3}) {
    SystemBuilder b;
    b.frames_move_on(manifold);
    const auto first = b.pose("first"), second = b.pose("second");
    b.add(body::Rigid{first, 1.7, J, {{0.0, 0.2, -9.81}}});
    b.add(body::Rigid{second, 0.6, J});
    add(b, first, second);
    const System system = b.finish();
    for (const auto& fault : check_elements(system, {.tolerance = tolerance})) FAIL_CHECK(fault);
  }
}
/// An expression whose names are these inputs, in any unit.
std::shared_ptr<const Expression> law(const char* text, const std::vector<std::string>& names) {
  Scope scope;
  scope.find = [&](std::string_view name) -> std::optional<Name> {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return Name{.dimension = {}, .input = static_cast<int>(i)};
    return {};
  };
  return std::make_shared<Expression>(Expression::compile(text, scope));
}

}  // namespace

TEST_CASE("forces and torques at a frame, by signals, in world axes and in the frame's") {
  for (const bool world : {true, false})
    for (const bool torque : {true, false})
      check([&](SystemBuilder& b, Pose first, Pose) {
        const auto x = b.signal<1>("x");
        b.add(force::PointLoad{first, x, {}, {}, on_a, {{0.3, -2, 0.7}}, world, torque});
        b.tap_output(b.add(body::FrameReading{first, on_b}), 1, x);
      });
}

TEST_CASE("springs between points, torsion springs, bushings") {
  check(
      [](SystemBuilder& b, Pose first, Pose second) {
        const force::SpringDamper spring{first, second, on_a.x, on_b.x, 40, 3, 0.3};
        b.add(spring);
        b.add(force::SpringDamper{{}, first, {{-3, 2, 1}}, on_b.x, 40, 3, 0.3});
        tap_outputs(b, spring, "y");
      },
      1e-5);
  check([](SystemBuilder& b, Pose first, Pose second) {
    const joint::Measure turning{
        joint::Measure::Kind::rotation, false, {{0, 1, 0}}, {{0, 0, 1}}, {{0, 0.8, 0.6}}};
    const force::Torsion spring{first, second, turning, 7, 0.4, 0.2};
    b.add(spring);
    tap_outputs(b, spring, "y");
  });
  check(
      [](SystemBuilder& b, Pose first, Pose second) {
        force::Bushing bushing{first, second, on_a, on_b, {}, {}};
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j) {
            bushing.stiffness[i][j] = (i == j ? 20.0 + i : 0.5 / (1 + i + j));
            bushing.damping[i][j] = (i == j ? 2.0 : 0.1 / (1 + i + j));
          }
        b.add(bushing);
        tap_outputs(b, bushing, "y");
      },
      1e-5);
  // Near no rotation the series takes over from the arctangent.
  const auto R = exp_so3(Vector3{{3e-4, -2e-4, 1e-4}});
  const Vector3 r = force::rotation_vector(R);
  CHECK(r[0] == doctest::Approx(3e-4).epsilon(1e-14));
  CHECK(r[1] == doctest::Approx(-2e-4).epsilon(1e-14));
  const Vector3 large{{1.2, -2, 0.9}};
  for (int i = 0; i < 3; ++i)
    CHECK(force::rotation_vector(exp_so3(large))[i] == doctest::Approx(large[i]).epsilon(1e-13));
}

TEST_CASE("loads by expressions, drag") {
  const std::vector<std::string> names{"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "t"};
  for (const bool world : {true, false})
    check([&](SystemBuilder& b, Pose first, Pose) {
      force::ByExpression load{first, on_a, {}, world};
      load.load[0] = law("x*vy - 2*wz", names);
      load.load[4] = law("sin(t)*z", names);
      b.add(load);
      tap_outputs(b, load, "y");
    });
  check(
      [](SystemBuilder& b, Pose first, Pose) {
        const force::Drag drag{first, {}, {}, {}, on_a.x, 0.7, 0.3};
        b.add(drag);
        tap_outputs(b, drag, "y");
      },
      1e-5);
}

TEST_CASE("accelerometer and gyro") {
  check([](SystemBuilder& b, Pose first, Pose second) {
    const auto a = b.signal<3>("a");
    b.add(body::FrameAcceleration{second, a, on_b.x});
    b.add(sensor::SpecificForce{
        second, a, b.signal<1>("x"), b.signal<1>("y"), b.signal<1>("z"), on_b.R, {{0, 0, -9.81}}});
    b.add(sensor::Turning{first, b.signal<1>("p"), b.signal<1>("q"), b.signal<1>("r"), on_a.R});
  });
}

TEST_CASE("rolling without slipping, blades") {
  const joint::Plane plane{{{0.1, 0.2, 0.3}}, {{0, 0.6, 0.8}}, {{1, 0, 0}}, {{0, 0.8, -0.6}}};
  for (const double radius : {0.0, 0.4})
    check(
        [&](SystemBuilder& b, Pose first, Pose) {
          const joint::Rolling<2> wheel{
              first, b.multiplier<1>("n"), b.slip_multiplier<2>("g"), on_a.x, {{0, 1, 0}}, radius, 0.05,
              plane};
          b.add(wheel);
          tap_outputs(b, wheel, "y");
        },
        1e-5);
  check(
      [&](SystemBuilder& b, Pose first, Pose) {
        const joint::Rolling<1> wheel{
            first, b.multiplier<1>("n"), b.slip_multiplier<1>("g"), on_a.x, {{0, 1, 0}}, 0.4, 0.05, plane};
        b.add(wheel);
        tap_outputs(b, wheel, "y");
      },
      1e-5);
  check([](SystemBuilder& b, Pose first, Pose) {
    const joint::Blade blade{first, b.slip_multiplier<1>("s"), on_a.x, {{0, 0.6, 0.8}}};
    b.add(blade);
    tap_outputs(b, blade, "y");
  });
}

TEST_CASE("constraints by expressions") {
  std::vector<std::string> at{"t"}, moving{"t"};
  for (const std::string end : {"a", "b"}) {
    for (const char* n : {"x", "y", "z", "q0", "q1", "q2", "q3"}) at.push_back(n + end);
    for (const char* n : {"x", "y", "z", "q0", "q1", "q2", "q3", "vx", "vy", "vz", "wx", "wy", "wz"})
      moving.push_back(n + end);
  }
  check([&](SystemBuilder& b, Pose first, Pose second) {
    b.add(joint::ConstraintByExpression{first, second, b.multiplier<1>("l"), on_a, on_b,
                                        law("xa*yb - q1a*zb", at)});
    b.add(joint::SlipByExpression{first, second, b.slip_multiplier<1>("s"), on_a, on_b,
                                  law("vxa*q2b - wyb + 0.3*za*vzb", moving)});
  });
}
