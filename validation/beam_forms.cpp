// Beams that are curved, twisted, tapered, beside their frames, under loads along them: small displacements against the work of
// the tip's own force (Castigliano), ∫ (f·C f) ds along the line; and what stations read.
#include "run_text.hpp"
#include "support.hpp"

#include <fmt/format.h>

#include <numbers>

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double E = 29e6, nu = 0.22, G = E / (2 * (1 + nu)), shear_factor = 10 * (1 + nu) / (12 + 11 * nu);
const std::string material = "youngs_modulus: 29e6 Pa, poisson_ratio: 0.22, density: 1 kg/m^3";

/// A clamped line: its tip, and at every s the section's axes and the flexibilities (axial, shear ×2, torsion, bending ×2).
struct Reference {
  double length;
  std::function<Vector3(double)> point;
  std::function<std::array<Vector3, 3>(double)> axes;
  std::function<std::array<double, 6>(double)> flexibility;

  /// Displacement of the tip along a force, per force.
  double compliance(const Vector3& force) const {
    const Vector3 tip = point(length);
    constexpr int n = 20000;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const double s = length * (i + 0.5) / n;
      const Vector3 moment = cross(tip - point(s), force);
      const auto a = axes(s);
      const auto c = flexibility(s);
      for (int k = 0; k < 3; ++k)
        sum +=
            length / n * (c[k] * std::pow(dot(a[k], force), 2) + c[3 + k] * std::pow(dot(a[k], moment), 2));
    }
    return sum / dot(force, force);
  }
};

double torsion_of_rectangle(double a, double b) {
  if (a < b) std::swap(a, b);
  double sum = 0;
  for (int n = 1; n < 60; n += 2) sum += std::tanh(n * pi * a / (2 * b)) / std::pow(n, 5);
  return a * b * b * b / 3 * (1 - 192 * b / (std::pow(pi, 5) * a) * sum);
}
std::array<double, 6> rectangle(double width, double height) {
  const double area = width * height, shear = 1 / (shear_factor * G * area);
  return {1 / (E * area),
          shear,
          shear,
          1 / (G * torsion_of_rectangle(width, height)),
          12 / (E * width * std::pow(height, 3)),
          12 / (E * height * std::pow(width, 3))};
}

/// Displacement of the tip along a small force, per force: the beam's keys but the type, elements and order.
double measured(const std::string& keys, const Vector3& start, const Vector3& force, int elements,
                int order) {
  const auto run = [&](double size) {
    const TextRun run(
        fmt::format("  line: {{type: beam.line, {}, {}, elements: {}, order: {}}}\n"
                    "  root: {{type: joint.fixed, between: [ground, line.start], at: [{}, {}, {}]}}\n"
                    "  push: {{type: force.point, at: line.end, force: [{} N, {} N, {} N]}}\n",
                    keys, material, elements, order, start[0], start[1], start[2], size * force[0],
                    size * force[1], size * force[2]),
        "until: 1 us, step: 1 us", {"line.end.position.x", "line.end.position.y", "line.end.position.z"},
        "gravity: [0, 0, 0]\nstart: equilibrium\nunits: SI");
    return Vector3{{run.rows[0][0], run.rows[0][1], run.rows[0][2]}};
  };
  // Both signs: what is of second order in the force cancels.
  return dot(run(1) - run(-1), force) / (2 * dot(force, force));
}

}  // namespace

TEST_CASE("twisted by a quarter turn: both directions of the tip's force") {
  const Reference line{12,
                       [](double s) {
                         return Vector3{{s, 0, 0}};
                       },
                       [](double s) {
                         const double a = pi / 2 * s / 12;
                         return std::array<Vector3, 3>{Vector3{{1, 0, 0}},
                                                       Vector3{{0, std::cos(a), std::sin(a)}},
                                                       Vector3{{0, -std::sin(a), std::cos(a)}}};
                       },
                       [](double) { return rectangle(1.1, 0.32); }};
  const std::string keys =
      "from: [0, 0, 0], to: [12, 0, 0], twist: 90 deg, rectangle: {width: 1.1, height: 0.32}";
  for (const Vector3& force : {Vector3{{0, 0.01, 0}}, Vector3{{0, 0, 0.01}}}) {
    const double exact = line.compliance(force);
    // MacNeal & Harder 1985 give 0.005424 and 0.001754, without shear.
    CHECK(exact == doctest::Approx(force[1] > 0 ? 0.001754 : 0.005424).epsilon(2e-3));
    double before = 0;
    for (const int n : {12, 24, 48}) {
      const double error = measured(keys, {}, force, n, 1) / exact - 1;
      CAPTURE(n);
      CAPTURE(error);
      if (before != 0) CHECK(before / error == doctest::Approx(4).epsilon(0.1));
      before = error;
    }
    CHECK(std::abs(before) < 3e-4);
    CHECK(measured(keys, {}, force, 4, 2) == doctest::Approx(exact).epsilon(5e-4));
    CHECK(measured(keys, {}, force, 4, 3) == doctest::Approx(exact).epsilon(1e-5));
  }
}

TEST_CASE("an arc of a circle: in its plane and out of it") {
  constexpr double R = 3;
  const Reference line{
      R * pi / 2,
      [](double s) {
        return Vector3{{R * std::sin(s / R), R * (1 - std::cos(s / R)), 0}};
      },
      [](double s) {
        const double c = std::cos(s / R), d = std::sin(s / R);
        return std::array<Vector3, 3>{Vector3{{c, d, 0}}, Vector3{{-d, c, 0}}, Vector3{{0, 0, 1}}};
      },
      [](double) { return rectangle(0.2, 0.3); }};
  const double h = R * std::sin(pi / 4);
  const std::string keys = fmt::format(
      "from: [0, 0, 0], through: [{:.17g}, {:.17g}, 0], to: [{:.17g}, {:.17g}, 0], "
      "rectangle: {{width: 0.2, height: 0.3}}",
      h, R - h, R, R);
  for (const Vector3& force : {Vector3{{1, 0, 0}}, Vector3{{0, 1, 0}}, Vector3{{0, 0, 1}}}) {
    const double exact = line.compliance(force);
    const double coarse = measured(keys, {}, force, 8, 1) / exact - 1,
                 fine = measured(keys, {}, force, 16, 1) / exact - 1;
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(std::abs(fine) < 1e-3);
    CHECK(std::abs(fine) < 0.3 * std::abs(coarse));
    CHECK(measured(keys, {}, force, 4, 2) == doctest::Approx(exact).epsilon(1e-4));
    CHECK(measured(keys, {}, force, 4, 3) == doctest::Approx(exact).epsilon(1e-6));
  }
}

TEST_CASE("a coil spring through points") {
  constexpr double R = 1, pitch = 0.5;
  constexpr int turns = 3, per_turn = 16;
  const double length = turns * std::hypot(2 * pi * R, pitch);
  const auto point = [&](double u) {  // turns
    return Vector3{{R * std::cos(2 * pi * u), R * std::sin(2 * pi * u), pitch * u}};
  };
  const Reference line{
      length, [&](double s) { return point(s / length * turns); },
      [&](double s) {  // round: the axes across do not matter
        const double u = s / length * turns, c = 2 * pi * R * turns / length, d = pitch * turns / length;
        const Vector3 t{{-c * std::sin(2 * pi * u), c * std::cos(2 * pi * u), d}},
            n{{std::cos(2 * pi * u), std::sin(2 * pi * u), 0}};
        return std::array<Vector3, 3>{t, n, cross(t, n)};
      },
      [](double) {
        constexpr double r = 0.05, area = pi * r * r, second = pi / 4 * r * r * r * r;
        const double shear = (7 + 6 * nu) / (6 * (1 + nu)) / (G * area);
        return std::array<double, 6>{1 / (E * area),   shear,           shear, 1 / (2 * G * second),
                                     1 / (E * second), 1 / (E * second)};
      }};
  std::string points;
  for (int i = 1; i < turns * per_turn; ++i) {
    const Vector3 p = point(static_cast<double>(i) / per_turn);
    points += fmt::format("{}[{:.15g}, {:.15g}, {:.15g}]", i > 1 ? ", " : "", p[0], p[1], p[2]);
  }
  const std::string keys = fmt::format(
      "from: [1, 0, 0], points: [{}], to: [1, 0, {}], tube: {{outer_radius: 0.05}}", points, turns * pitch);
  const Vector3 force{{0, 0, 0.1}};
  CHECK(measured(keys, point(0), force, 96, 1) == doctest::Approx(line.compliance(force)).epsilon(3e-3));
  CHECK(measured(keys, point(0), force, 32, 3) == doctest::Approx(line.compliance(force)).epsilon(1e-3));
}

TEST_CASE("tapered: width and height change along the line") {
  const Reference line{
      5,
      [](double s) {
        return Vector3{{s, 0, 0}};
      },
      [](double) {
        return std::array<Vector3, 3>{Vector3{{1, 0, 0}}, Vector3{{0, 1, 0}}, Vector3{{0, 0, 1}}};
      },
      [](double s) { return rectangle(0.4 - 0.04 * s, 0.3 - 0.04 * s); }};
  const std::string keys =
      "from: [0, 0, 0], to: [5, 0, 0], rectangle: {width: 0.4, height: 0.3}, taper: {width: 0.2, height: "
      "0.1}";
  for (const Vector3& force : {Vector3{{1, 0, 0}}, Vector3{{0, 1, 0}}, Vector3{{0, 0, 1}}}) {
    const double exact = line.compliance(force);
    const double coarse = measured(keys, {}, force, 16, 1) / exact - 1,
                 fine = measured(keys, {}, force, 32, 1) / exact - 1;
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(coarse / fine == doctest::Approx(4).epsilon(0.1));
    CHECK(std::abs(fine) < 2e-3);
    CHECK(measured(keys, {}, force, 8, 3) == doctest::Approx(exact).epsilon(1e-5));
  }
}

TEST_CASE("loads along the beam, and what stations read of them") {
  // q over 4 m, clamped: shear q (L − s), moment q (L − s)²/2 at every station, deflection q L⁴/8EI + q L²/2GA.
  constexpr double q = 0.5, L = 4;
  const auto c = rectangle(0.2, 0.3);
  for (const int order : {1, 2, 3}) {
    const TextRun run(
        fmt::format("  line: {{type: beam.line, from: [0, 0, 0], to: [4, 0, 0], rectangle: {{width: 0.2, "
                    "height: 0.3}}, {}, elements: 16, order: {}, load: {{force: [0, 0, -0.5]}}, "
                    "stations: {{gauge: 0.9, mid: 2}}}}\n"
                    "  root: {{type: joint.fixed, between: [ground, line.start], at: [0, 0, 0]}}\n",
                    material, order),
        "until: 1 us, step: 1 us",
        {"line.end.position.z", "line.start.force.z", "line.start.moment.y", "line.gauge.moment.y",
         "line.gauge.force.z", "line.gauge.curvature.y", "line.mid.moment.y", "root.force.z",
         "root.torque.y"},
        "gravity: [0, 0, 0]\nstart: equilibrium\nunits: SI");
    const auto& r = run.rows[0];
    const auto moment = [&](double s) { return q * (L - s) * (L - s) / 2; };
    // Lumped at the nodes, linear between stations: errors of h²/L² = 1/256 at most.
    CHECK(r[0] == doctest::Approx(-q * (std::pow(L, 4) / 8 * c[4] + L * L / 2 * c[2]))
                      .epsilon(order == 1 ? 4e-3 : 1e-4));
    CHECK(r[1] == doctest::Approx(-q * L).epsilon(4e-3));
    CHECK(r[2] == doctest::Approx(moment(0)).epsilon(4e-3));
    CHECK(r[3] == doctest::Approx(moment(0.9)).epsilon(8e-3));
    CHECK(r[4] == doctest::Approx(-q * (L - 0.9)).epsilon(1e-2));
    CHECK(r[5] == doctest::Approx(moment(0.9) * c[4]).epsilon(8e-3));
    CHECK(r[6] == doctest::Approx(moment(2)).epsilon(8e-3));
    CHECK(r[7] == doctest::Approx(q * L).epsilon(1e-9));  // what the joint gives is exact
    CHECK(r[8] == doctest::Approx(-moment(0)).epsilon(1e-6));
  }
}

TEST_CASE("a line beside its frames: tension bends, weight twists") {
  const TextRun pulled(
      fmt::format("  line: {{type: beam.line, from: [0, 0, 0], to: [4, 0, 0], rectangle: {{width: 0.2, "
                  "height: 0.3}}, {}, elements: 8, offset: [0, 0.1], stations: {{mid: 2}}}}\n"
                  "  root: {{type: joint.fixed, between: [ground, line.start], at: [0, 0, 0]}}\n"
                  "  push: {{type: force.point, at: line.end, force: [0.01, 0, 0]}}\n",
                  material),
      "until: 1 us, step: 1 us", {"line.mid.moment.y", "line.mid.force.x", "line.end.position.z"},
      "gravity: [0, 0, 0]\nstart: equilibrium\nunits: SI");
  // The force is 0.1 m below the line: a moment about y of z × F = … of the part beyond on the part before, −0.1 × 0.01.
  CHECK(pulled.rows[0][0] == doctest::Approx(-0.001).epsilon(1e-6));
  CHECK(pulled.rows[0][1] == doctest::Approx(0.01).epsilon(1e-6));
  CHECK(pulled.rows[0][2] == doctest::Approx(-(-0.001 * 16 / 2 * rectangle(0.2, 0.3)[4])).epsilon(1e-4));

  const TextRun heavy(
      fmt::format("  line: {{type: beam.line, from: [0, 0, 0], to: [4, 0, 0], rectangle: {{width: 0.2, "
                  "height: 0.3}}, {}, elements: 8, offset: [0.1, 0]}}\n"
                  "  root: {{type: joint.fixed, between: [ground, line.start], at: [0, 0, 0]}}\n",
                  material),
      "until: 1 us, step: 1 us", {"root.torque.x", "root.force.z"},
      "gravity: [0, 0, -10]\nstart: equilibrium\nunits: SI");
  CHECK(heavy.rows[0][1] == doctest::Approx(0.2 * 0.3 * 4 * 10).epsilon(1e-9));
  CHECK(heavy.rows[0][0] == doctest::Approx(0.2 * 0.3 * 4 * 10 * 0.1).epsilon(1e-5));
}

TEST_CASE("prestress: a bow that is straight only because it is held") {
  // Prestressed by the moment EI κ it is unloaded on a circle of curvature −κ: let go, it rolls up.
  constexpr double EI = 100, L = 10;
  const double moment = EI * pi / L;
  const TextRun run(
      fmt::format(
          "  line: {{type: beam.line, from: [0, 0, 0], to: [10, 0, 0], elements: 8, properties: "
          "{{axial: 1e4, shear: [5e3, 5e3], torsion: 100, bending: [100, 100], mass: 1, inertia: [1, 1, "
          "1]}}, prestress: {{moment: [0, 0, {:.17g}]}}}}\n"
          "  root: {{type: joint.fixed, between: [ground, line.start], at: [0, 0, 0]}}\n",
          moment),
      "until: 1 us, step: 1 us", {"line.end.position.x", "line.end.position.y", "line.start.moment.z"},
      "gravity: [0, 0, 0]\nstart: equilibrium\nunits: SI");
  CHECK(std::abs(run.rows[0][0]) < 1e-9);
  CHECK(run.rows[0][1] == doctest::Approx(-2 * L / pi).epsilon(1e-9));
  CHECK(std::abs(run.rows[0][2]) < 1e-6);
}

TEST_CASE("the acceleration of a station is that of its frame") {
  // A rod of free fall, turning: its end's acceleration is g − ω² r, steady while the beam is stiff.
  const TextRun run(
      "  line: {type: beam.line, from: [0, 0, 0], to: [1, 0, 0], elements: 4, rectangle: {width: 0.1, "
      "height: "
      "0.1}, youngs_modulus: 29e6 Pa, poisson_ratio: 0.22, density: 1 kg/m^3, stations: {tip: 1}, initial: "
      "{velocity: [0, -0.5, 0], angular_velocity: [0, 0, 1]}}\n",
      "until: 1, step: 1 ms",
      {"line.tip.acceleration.x", "line.tip.acceleration.y", "line.tip.acceleration.z", "line.tip.position.x",
       "line.tip.position.y"},
      "gravity: [0, 0, -9.81]\nunits: SI");
  const auto& r = run.rows.back();
  CHECK(r[2] == doctest::Approx(-9.81).epsilon(1e-6));  // Newton's tolerance, times stiffness over mass
  CHECK(std::hypot(r[0], r[1]) == doctest::Approx(0.5).epsilon(1e-2));
  CHECK(r[3] == doctest::Approx(0.5 + 0.5 * std::cos(1.0)).epsilon(1e-4));
}

TEST_CASE("bent and twisted far: elements of order p converge with the power 2p of their length") {
  const auto tip = [](int order, int n) {
    const TextRun run(
        fmt::format(
            "  line: {{type: beam.line, from: [0, 0, 0], to: [1, 0, 0], elements: {}, order: {}, properties: "
            "{{axial: 1e5, shear: [4e4, 4e4], torsion: 2, bending: [1, 3], mass: 1, inertia: [1, 1, 1]}}}}\n"
            "  root: {{type: joint.fixed, between: [ground, line.start], at: [0, 0, 0]}}\n"
            "  push: {{type: force.point, at: line.end, force: [0, 2, -4]}}\n",
            n, order),
        "until: 1 us, step: 1 us", {"line.end.position.x", "line.end.position.y", "line.end.position.z"},
        "gravity: [0, 0, 0]\nstart: equilibrium\nunits: SI");
    return Vector3{{run.rows[0][0], run.rows[0][1], run.rows[0][2]}};
  };
  const Vector3 reference = tip(3, 48);
  for (const int order : {1, 2, 3}) {
    const double coarse = norm(tip(order, 4) - reference), middle = norm(tip(order, 8) - reference),
                 fine = norm(tip(order, 16) - reference);
    fmt::print("order {}: off by {:.1e}, {:.1e}, {:.1e} with 4, 8 and 16 elements\n", order, coarse, middle,
               fine);
    CHECK(std::log2(middle / fine) == doctest::Approx(2 * order).epsilon(0.05));
  }
}
