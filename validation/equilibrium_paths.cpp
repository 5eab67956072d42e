// Paths of equilibria with their limit points and bifurcations, against closed solutions: the truss of von Mises, steep and
// shallow, turned and rescaled; a spring whose stiffness changes; an arch of beams.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "analyses/buckling.hpp"
#include "analyses/equilibrium_path.hpp"
#include "analyses/prepare.hpp"
#include "components/registry.hpp"

using namespace escapement;

namespace {

Model read(const std::string& text) {
  static const Registry all = standard_registry();
  return Model::read_text("escapement: 1\n" + text, "model", all);
}

/// Two springs from feet a away on both sides to an apex of height h, which a load P presses down. With L(z) = √(a² + z²):
/// F(z) = 2k (L(h)/L − 1) z, largest where L³ = L(h) a².
struct Truss {
  double a, h, k, P, turn = 0;  // m, m, N/m, N; rad about the feet's line through y
  double length(double z) const { return std::hypot(a, z); }
  double factor(double z) const { return 2 * k * (length(h) / length(z) - 1) * z / P; }
  double limit() const { return factor(std::sqrt(std::pow(length(h) * a * a, 2.0 / 3) - a * a)); }
  /// Sideways the springs hold with 2k (1 − L(h) z²/L³): it buckles where L³ − L(h) L² + L(h) a² = 0, if a/L(h) < √(4/27).
  std::optional<double> bifurcation() const {
    const double l = length(h);
    if (a * a / (l * l) >= 4.0 / 27) return {};
    double low = 2 * l / 3, high = l;  // L there
    for (int n = 0; n < 200; ++n) {
      const double L = 0.5 * (low + high);
      (L * L * L - l * L * L + l * a * a > 0 ? high : low) = L;
    }
    return factor(std::sqrt(low * low - a * a));
  }
  std::string text(bool sideways) const {
    const double c = std::cos(turn), s = std::sin(turn);  // x to (c, s), z to itself
    const std::string apex = fmt::format(
        "{{type: body.sphere, radius: {0} m, mass: 1 kg, initial: {{position: [0, 0, {1} m]}}}}", 0.1 * a, h);
    const std::string carriage =
        sideways
            ? fmt::format(
                  "  carriage: {}\n  aside: {{type: joint.prismatic, between: [ground, carriage], at: [0, 0, "
                  "{} m], axis: [{}, {}, 0]}}\n",
                  apex, h, c, s)
            : "";
    return fmt::format(
        "gravity: none\ncomponents:\n  feet: {{type: body.anchor, frames: {{a: {{position: [{0} m, {1} m, "
        "0]}}, b: "
        "{{position: [{2} m, {3} m, 0]}}}}}}\n  apex: {4}\n{5}  rail: {{type: joint.prismatic, between: "
        "[{6}, apex], at: "
        "[0, 0, {7} m], axis: [0, 0, 1]}}\n  left: {{type: force.spring, between: [feet.a, apex], stiffness: "
        "{8} N/m}}\n"
        "  right: {{type: force.spring, between: [feet.b, apex], stiffness: {8} N/m}}\n  load: {{type: "
        "force.point, at: "
        "apex, force: [0, 0, {9} N]}}\n",
        -a * c, -a * s, a * c, a * s, apex, carriage, sideways ? "carriage" : "ground", h, k, -P);
  }
};

const Truss trusses[] = {
    {1, 0.3, 1000, 5}, {1, 0.05, 1000, 5, 0.4}, {3, 2, 2e4, 300, 1.3}, {0.02, 0.01, 50, 1e-3}};

BucklingResult buckling_of(const Model& model, int count) {
  const WithLoads with_loads = [&](double f) { return assemble(model, {}, f); };
  return find_buckling(assemble(model).initial, {.count = count}, with_loads);
}

double height(const Assembly& a, const State& s) {
  return a.read(*a.select({{"apex.position.z", {}, {}}}).at(0), s);
}

EquilibriumPath path_of(const Model& model, double range) {
  const Assembly assembly = assemble(model, {}, 0);
  return EquilibriumPath([&model](double f) { return assemble(model, {}, f); }, assembly.initial, 0, range,
                         {});
}

}  // namespace

TEST_CASE("the truss of von Mises snaps through at its limit point") {
  for (const Truss& t : trusses) {
    CAPTURE(t.h);
    const Model model = read(t.text(false));
    const BucklingResult found = buckling_of(model, 3);
    REQUIRE(found.modes.size() == 1);
    fmt::print("truss a {} h {}: factor {:.12g}, off by {:.1e}\n", t.a, t.h, found.modes[0].factor,
               found.modes[0].factor / t.limit() - 1);
    CHECK(found.modes[0].kind == Instability::limit_point);
    CHECK(found.modes[0].factor == doctest::Approx(t.limit()).epsilon(1e-9));
    CHECK(found.warnings.empty());
  }
}

TEST_CASE("a steep truss that may go sideways does so first, a shallow one snaps through") {
  for (const Truss& t : {Truss{1, 4, 1000, 100}, Truss{0.5, 1.5, 20, 3, 0.7}, Truss{2, 12, 1e5, 1e4, 1.1}}) {
    CAPTURE(t.h);
    const BucklingResult found = buckling_of(read(t.text(true)), 3);
    REQUIRE(t.bifurcation());
    REQUIRE(found.modes.size() >= 2);
    CHECK(found.modes[0].kind == Instability::bifurcation);
    CHECK(found.modes[0].factor == doctest::Approx(*t.bifurcation()).epsilon(1e-5));
    CHECK(found.modes.back().kind == Instability::limit_point);
    CHECK(found.modes.back().factor == doctest::Approx(t.limit()).epsilon(1e-9));
  }
  for (const Truss& t : trusses) {
    CAPTURE(t.h);
    const BucklingResult found = buckling_of(read(t.text(true)), 3);
    CHECK(!t.bifurcation());
    REQUIRE(found.modes.size() == 1);
    CHECK(found.modes[0].kind == Instability::limit_point);
  }
}

TEST_CASE("what hardens neither buckles nor snaps") {
  for (Truss t : trusses) {
    t.P = -t.P;
    const BucklingResult found = buckling_of(read(t.text(false)), 3);
    CHECK(found.modes.empty());
    CHECK(found.searched > 0);
  }
}

TEST_CASE("the path of the truss through both limit points, with the load as its parameter") {
  for (const Truss& t : trusses) {
    CAPTURE(t.h);
    const Model model = read(t.text(false));
    const double to = 1.5 * t.limit();
    EquilibriumPath path = path_of(model, to);
    std::vector<double> turns;
    double worst = 0;
    int steps = 0;
    for (; steps < 300; ++steps) {
      REQUIRE(path.advance());
      if (path.turned()) {
        path.stop_at_turn();
        turns.push_back(path.point().parameter);
      }
      const bool arrived = path.passed(to);
      if (arrived) REQUIRE(path.stop_at(to));
      const PathPoint& p = path.point();
      worst = std::max(worst, std::abs(p.parameter - t.factor(height(assemble(model), p.state))));
      if (arrived) break;
    }
    fmt::print("truss a {} h {}: {} steps, off by {:.1e} of the limit load\n", t.a, t.h, steps,
               worst / t.limit());
    CHECK(worst < 1e-9 * t.limit());
    REQUIRE(turns.size() == 2);
    CHECK(turns[0] == doctest::Approx(t.limit()).epsilon(1e-10));
    CHECK(turns[1] == doctest::Approx(-t.limit()).epsilon(1e-10));
    CHECK(path.point().parameter == to);
    CHECK(height(assemble(model), path.point().state) < -t.h);
  }
}

TEST_CASE("the path of the truss with its height given") {
  for (const Truss& t : {trusses[0], trusses[2], trusses[3]}) {
    CAPTURE(t.h);
    const Model model = read(t.text(false));
    EquilibriumPath path = path_of(model, 1);
    for (int k = 1; k <= 6; ++k) {
      const double z = t.h * (1 - 0.4 * k);
      REQUIRE(path.reach(height, z));
      CHECK(height(assemble(model), path.point().state) == doctest::Approx(z).scale(t.h).epsilon(1e-10));
      CHECK(path.point().parameter == doctest::Approx(t.factor(z)).scale(t.limit()).epsilon(1e-8));
    }
  }
}

TEST_CASE("the path with a parameter of the model: springs that soften under their load") {
  // The same curve, read the other way: a load P stands at the height z with the stiffness k F(z)/P.
  for (const Truss& t : trusses) {
    CAPTURE(t.h);
    const auto with = [&](double part) {
      Truss other = t;
      other.k *= part;
      other.P = 0.5 * t.limit() * t.P;
      return assemble(read(other.text(false)));
    };
    State start = with(1).initial;
    EquilibriumPath path(with, start, 1, -0.7, {});
    bool turned = false;
    while (!turned && path.advance()) turned = path.turned();
    REQUIRE(turned);
    CHECK(path.turning_point().parameter ==
          doctest::Approx(0.5).epsilon(1e-8));  // where its limit load is this one
  }
}

TEST_CASE("steps of load and a search tell that it has snapped") {
  for (const Truss& t : trusses) {
    CAPTURE(t.h);
    for (const char* start : {"start: equilibrium\n", "start: {mode: equilibrium, load_steps: 7}\n"})
      for (const double part : {0.5, 0.99, 1.01, 1.5}) {
        CAPTURE(part);
        Truss loaded = t;
        loaded.P *= part * t.limit();
        const Model model = read(loaded.text(false) + start);
        const Assembly assembly = assemble(model);
        const Prepared prepared = prepare(assembly, prepare_options(model));
        const bool told = !prepared.warnings.empty();
        CHECK(told == (part > 1));
        CHECK((height(assembly, prepared.state) < 0) == (part > 1));
      }
  }
}

TEST_CASE("an arch, clamped and pinned, to its limit load (DaDeppo & Schmidt 1975: 8.97 EI/R²)") {
  // 215° of a circle, so slender that it does not shorten; out of its plane it is stiff.
  const double R = 100, half = 107.5 * std::numbers::pi / 180, EI = 1e6;
  const std::string text = fmt::format(
      "gravity: none\ncomponents:\n"
      "  left: {{type: beam.line, from: [{0:.12g} m, 0, {1:.12g} m], through: [{2:.12g} m, 0, {3:.12g} m], "
      "to: [0, 0, {4} m], "
      "up: [0, 1, 0], elements: 12, properties: {{axial: 1e8 N, shear: [1e8 N, 1e8 N], torsion: 1e9 N*m^2, "
      "bending: "
      "[1e9 N*m^2, 1e6 N*m^2], mass: 1 kg/m, inertia: [1 kg*m, 1 kg*m, 1 kg*m]}}}}\n"
      "  right: {{type: beam.line, from: [0, 0, {4} m], through: [{5:.12g} m, 0, {3:.12g} m], to: [{6:.12g} "
      "m, 0, {1:.12g} m], "
      "up: [0, 1, 0], elements: 12, properties: {{axial: 1e8 N, shear: [1e8 N, 1e8 N], torsion: 1e9 N*m^2, "
      "bending: "
      "[1e9 N*m^2, 1e6 N*m^2], mass: 1 kg/m, inertia: [1 kg*m, 1 kg*m, 1 kg*m]}}}}\n"
      "  pin: {{type: joint.revolute, between: [ground, left.start], at: [{0:.12g} m, 0, {1:.12g} m], axis: "
      "[0, 1, 0]}}\n"
      "  crown: {{type: joint.fixed, between: [left.end, right.start], at: [0, 0, {4} m]}}\n"
      "  clamp: {{type: joint.fixed, between: [ground, right.end], at: [{6:.12g} m, 0, {1:.12g} m]}}\n"
      "  load: {{type: force.point, at: left.end, force: [0, 0, {7} N]}}\n",
      -R * std::sin(half), R * std::cos(half), -R * std::sin(half / 2), R * std::cos(half / 2), R,
      R * std::sin(half / 2), R * std::sin(half), -EI / (R * R));
  const BucklingResult found = buckling_of(read(text), 1);
  REQUIRE(found.modes.size() == 1);
  fmt::print("arch: {:.5f} EI/R²\n", found.modes[0].factor);
  CHECK(found.modes[0].kind == Instability::limit_point);
  CHECK(std::abs(found.modes[0].factor - 8.97) < 0.005);  // as published
}

TEST_CASE("frames that nearly snap start from every equilibrium on their path, at any load") {
  // Two clamped beams that form a shallow roof; the start after the equilibrium may not stop at rounding.
  struct {
    double rise, width, height, most;  // m, m, m, N
  } const frames[] = {
      {0.03, 0.02, 0.01, 360}, {0.02, 0.02, 0.01, 150}, {0.05, 0.03, 0.012, 1500}, {0.03, 0.005, 0.02, 700}};
  for (const auto& f : frames) {
    double before = 1;
    for (int k = 1; k <= 12; ++k) {
      const double load = f.most * k / 12;
      CAPTURE(f.rise);
      CAPTURE(load);
      const std::string beam = fmt::format(
          "elements: 10, rectangle: {{width: {} m, height: {} m}}, material: steel}}\n", f.width, f.height);
      const Model model = read(
          fmt::format("gravity: none\nstart: {{mode: equilibrium, load_steps: 40}}\ncomponents:\n"
                      "  left: {{type: beam.line, from: [-1 m, 0, 0], to: [0, 0, {0} m], {1}"
                      "  right: {{type: beam.line, from: [0, 0, {0} m], to: [1 m, 0, 0], {1}"
                      "  a: {{type: joint.fixed, between: [ground, left.start], at: [-1 m, 0, 0]}}\n"
                      "  b: {{type: joint.fixed, between: [ground, right.end], at: [1 m, 0, 0]}}\n"
                      "  weld: {{type: joint.fixed, between: [left.end, right.start], at: [0, 0, {0} m]}}\n"
                      "  load: {{type: force.point, at: left.end, force: [0, 0, {2} N]}}\n",
                      f.rise, beam, -load));
      const Assembly assembly = assemble(model);
      const Prepared prepared = prepare(assembly, prepare_options(model));
      const auto crown = assembly.select({{"left.end.position.z", {}, {}}}).at(0);
      const double now = assembly.read(*crown, prepared.state);
      CHECK(now < before);  // ever lower
      before = now;
    }
  }
}
