// Modes against closed formulas and published figures: oscillators, rigid bodies, gyroscopes, beams at rest and turning,
// circuits and loops of signals; all at once and by search; buckling and load steps.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "analyses/buckling.hpp"
#include "analyses/configuration.hpp"
#include "analyses/modes.hpp"
#include "components/registry.hpp"

using namespace escapement;

namespace {

constexpr double pi = std::numbers::pi;
using Complex = std::complex<double>;

const Registry& registry() {
  static const Registry all = standard_registry();
  return all;
}

Model read(const std::string& text, std::vector<std::pair<std::string, std::string>> set = {}) {
  ReadOptions options;
  options.set = std::move(set);
  return Model::read_text("escapement: 1\n" + text, "model", registry(), options);
}

struct Found {
  std::vector<Mode> modes;
  std::vector<Warning> warnings;
  std::vector<std::string> notes;
};

Found modes_of(Model model, const ConfigurationChoice& where = {}, ModesOptions options = {}) {
  const Assembly assembly = assemble_for_linearization(model);
  const Configuration c = configure(model, assembly, where);
  options.proximal = c.proximal;
  ModesResult result = find_modes(assembly.system, c.state, options);
  Found found{std::move(result.modes), std::move(result.warnings), std::move(result.notes)};
  found.warnings.insert(found.warnings.end(), c.warnings.begin(), c.warnings.end());
  for (const Mode& m : found.modes) CHECK((m.s == 0.0 || m.residual < 1e-8));
  return found;
}

const ConfigurationChoice equilibrium{ConfigurationChoice::Kind::equilibrium},
    steady{ConfigurationChoice::Kind::steady};
const ModesOptions undamped{.undamped = true};

void check(Complex s, Complex expected, double relative = 1e-9) {
  CAPTURE(s.real());
  CAPTURE(s.imag());
  CAPTURE(expected.real());
  CAPTURE(expected.imag());
  CHECK(std::abs(s - expected) <= relative * std::abs(expected));
}

}  // namespace

TEST_CASE("a chain of masses: closed formula, all at once and by search") {
  // n masses between n springs, one end free: ω_k = 2 √(k/m) sin((2k − 1) π/(4n + 2)).
  const int n = 30;
  const std::string text = fmt::format(R"(
components:
  mass: {{type: translational.mass, for: {{i: 1..{0}}}, mass: 2 kg}}
  first: {{type: translational.spring, stiffness: 50 N/m, between: [ground, mass.1]}}
  spring: {{type: translational.spring, for: {{i: 2..{0}}}, stiffness: 50 N/m, between: [mass.(i-1), mass.(i)]}}
)",
                                       n);
  for (const bool without_damping : {false, true})
    for (const auto method : {ModesOptions::Method::all, ModesOptions::Method::some}) {
      const Found found =
          modes_of(read(text), {}, {.count = 8, .undamped = without_damping, .method = method});
      REQUIRE(found.modes.size() == 8);
      for (int k = 1; k <= 8; ++k)
        check(found.modes[k - 1].s,
              Complex(0, 2 * std::sqrt(25.0) * std::sin((2 * k - 1) * pi / (4 * n + 2))), 1e-8);
    }
  // All below a frequency, whatever the count.
  CHECK(
      modes_of(read(text), {}, {.count = 2, .below = 1.0, .method = ModesOptions::Method::some})
          .modes.size() ==
      modes_of(read(text), {}, {.count = 2, .below = 1.0, .method = ModesOptions::Method::all}).modes.size());
}

TEST_CASE("a damped oscillator, and an overdamped one") {
  const auto text = [](double damping) {
    return fmt::format(R"(
components:
  mass: {{type: translational.mass, mass: 1 kg}}
  spring: {{type: translational.spring, stiffness: 100 N/m, between: [ground, mass]}}
  damper: {{type: translational.damper, damping: {} N*s/m, between: [ground, mass]}}
)",
                       damping);
  };
  const Found light = modes_of(read(text(2)));
  REQUIRE(light.modes.size() == 1);
  check(light.modes[0].s, Complex(-1, std::sqrt(99.0)));
  CHECK(light.modes[0].damping() == doctest::Approx(0.1));
  CHECK(light.modes[0].frequency() == doctest::Approx(std::sqrt(99.0) / (2 * pi)));
  CHECK(light.modes[0].natural() == doctest::Approx(10 / (2 * pi)));
  const Found heavy = modes_of(read(text(25)));
  REQUIRE(heavy.modes.size() == 2);
  check(heavy.modes[0].s, -5);
  check(heavy.modes[1].s, -20);
  const Found critical = modes_of(read(text(20)));  // a double one
  REQUIRE(critical.modes.size() == 2);
  for (const Mode& m : critical.modes) check(m.s, -10, 1e-6);
  const Found plain = modes_of(read(text(2)), {}, undamped);
  REQUIRE(plain.modes.size() == 1);
  check(plain.modes[0].s, Complex(0, 10));
}

TEST_CASE("a free body has six modes that drift, a free beam likewise") {
  const std::string body =
      "gravity: none\ncomponents:\n  b: {type: body.box, size: [1 m, 2 m, 3 m], mass: 2 kg}\n";
  const std::string beam =
      "gravity: none\ncomponents:\n  b: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 12, "
      "rectangle: "
      "{width: 2 cm, height: 2 cm}, material: steel}\n";
  for (const bool without_damping : {false, true}) {
    const Found free = modes_of(read(body), {}, {.undamped = without_damping});
    CHECK(free.modes.size() == 6);
    for (const Mode& m : free.modes) CHECK(m.s == 0.0);
    for (const auto method : {ModesOptions::Method::all, ModesOptions::Method::some}) {
      const Found found =
          modes_of(read(beam), {}, {.count = 10, .undamped = without_damping, .method = method});
      REQUIRE(found.modes.size() == 10);
      for (int i = 0; i < 6; ++i) CHECK(found.modes[i].s == 0.0);
      // A square section: bending comes twice.
      for (int i = 6; i < 10; i += 2) check(found.modes[i].s, found.modes[i + 1].s, 1e-7);
    }
  }
}

TEST_CASE("a pendulum about its equilibrium, with multipliers") {
  // A box hung at the middle of its end: ω² = m g l/(I + m l²).
  const std::string text = R"(
gravity: [0, 0, -9.81 m/s^2]
components:
  arm: {type: body.box, size: [1 m, 0.1 m, 0.05 m], mass: 3 kg, initial: {position: [0.5 m, 0, 0]}}
  hinge: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
)";
  const double inertia = 3 * (1 + 0.05 * 0.05) / 12 + 3 * 0.25, omega = std::sqrt(3 * 9.81 * 0.5 / inertia);
  for (const auto method : {ModesOptions::Method::all, ModesOptions::Method::some})
    for (const bool without_damping : {false, true}) {
      const Found found =
          modes_of(read(text), equilibrium, {.count = 1, .undamped = without_damping, .method = method});
      REQUIRE(found.modes.size() == 1);
      check(found.modes[0].s, Complex(0, omega), 1e-8);
      CHECK(found.notes.empty());
    }
  // Upside down it falls.
  const Found above = modes_of(read(text, {{"arm.initial.position", "[0, 0, 0.5 m]"},
                                           {"arm.initial.axis", "[0, 1, 0]"},
                                           {"arm.initial.angle", "-90 deg"}}));
  REQUIRE(above.modes.size() == 2);
  for (const Mode& m : above.modes) CHECK(std::abs(std::abs(m.s.real()) - omega) < 1e-8 * omega);
  // Where it starts it is out of balance, which is told.
  CHECK(modes_of(read(text)).notes.size() == 1);
}

TEST_CASE("a sleeping top: precession and nutation") {
  // Upright, spinning at Ω about its axis: with I about the fixed point and C about the axis, lean angles obey
  // I θ̈ − i C Ω θ̇ − m g l θ = 0 for an observer who stands still: ω = (C Ω ± √(C²Ω² − 4 I m g l))/(2 I).
  const std::string text = R"(
gravity: [0, 0, -9.81 m/s^2]
parameters: {spin: 300 rad/s}
components:
  top: {type: body.rigid, mass: 0.5 kg, principal_inertia: [4e-4 kg*m^2, 4e-4 kg*m^2, 6e-4 kg*m^2], initial: {position: [0, 0, 0.05 m], angular_velocity: [0, 0, spin]}}
  tip: {type: joint.spherical, between: [ground, top], at: [0, 0, 0]}
)";
  const double I = 4e-4 + 0.5 * 0.05 * 0.05, C = 6e-4, mgl = 0.5 * 9.81 * 0.05, spin = 300;
  const double root = std::sqrt(C * C * spin * spin - 4 * I * mgl);
  for (const auto method : {ModesOptions::Method::all, ModesOptions::Method::some}) {
    const Found found = modes_of(read(text), {}, {.count = 3, .method = method});
    REQUIRE(found.modes.size() == 3);
    CHECK(found.warnings.empty());
    CHECK(found.notes.empty());
    CHECK(found.modes[0].s == 0.0);  // the angle of the spin
    check(found.modes[1].s, Complex(0, (C * spin - root) / (2 * I)), 1e-7);
    check(found.modes[2].s, Complex(0, (C * spin + root) / (2 * I)), 1e-7);
  }
  // Too slow, it falls: complex roots on both sides.
  const double slow = 30;
  const Found falling = modes_of(read(text, {{"spin", "30 rad/s"}}));
  REQUIRE(falling.modes.size() == 3);
  const double growth = std::sqrt(4 * I * mgl - C * C * slow * slow) / (2 * I);
  for (int i = 1; i < 3; ++i)
    check(Complex(std::abs(falling.modes[i].s.real()), falling.modes[i].s.imag()),
          Complex(growth, C * slow / (2 * I)), 1e-7);
}

TEST_CASE("a free body that spins about its axis: the nutation of an observer who stands still") {
  // Ω C/A in space.
  const Found found = modes_of(read(R"(
gravity: none
components:
  disk: {type: body.rigid, mass: 1 kg, principal_inertia: [0.2 kg*m^2, 0.2 kg*m^2, 0.3 kg*m^2], initial: {angular_velocity: [0, 0, 10 rad/s]}}
)"));
  REQUIRE(!found.modes.empty());
  check(found.modes.back().s, Complex(0, 10 * 0.3 / 0.2), 1e-7);
}

TEST_CASE("the Whipple bicycle: eigenvalues at 5 m/s, published to 14 digits") {
  // Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007), table 2.
  Model model = Model::read_file(std::string(ESCAPEMENT_EXAMPLES) + "/bicycle/model.yaml", registry());
  const Assembly assembly = assemble_for_linearization(model);
  const Configuration c = configure(model, assembly, {});
  const ModesResult result = find_modes(assembly.system, c.state, {});
  CHECK(result.warnings.empty());
  CHECK(result.notes.empty());
  std::vector<Complex> moving;
  for (const Mode& m : result.modes)
    if (m.s != 0.0) moving.push_back(m.s);
  REQUIRE(moving.size() == 3);
  check(moving[0], -0.32286642900409, 1e-6);
  check(moving[1], Complex(-0.77534188219585, 4.46486771378823), 1e-7);
  check(moving[2], -14.07838969279822, 1e-7);
}

TEST_CASE("a cantilever: bending frequencies converge with the square of the segments") {
  // (βL)² √(EI/ρA)/L²; shear and rotary inertia of the slender section are far below the error of the segments.
  const double roots[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
  double previous[3] = {};
  for (const int n : {10, 20, 40}) {
    const Found found = modes_of(read(R"(
gravity: none
parameters: {n: 10}
components:
  beam:
    type: beam.line
    from: [0, 0, 0]
    to: [1 m, 0, 0]
    elements: n
    properties: {axial: 1e8 N, shear: [1e8 N, 1e8 N], torsion: 1e4 N*m^2, bending: [1 N*m^2, 100 N*m^2], mass: 1 kg/m, inertia: [2e-9 kg*m, 1e-9 kg*m, 1e-9 kg*m]}
  root: {type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}
)",
                                      {{"n", std::to_string(n)}}),
                                 {}, {.count = 12});
    for (int k = 0; k < 3; ++k) {
      const double exact = roots[k] * roots[k];
      double error = INFINITY;
      for (const Mode& m : found.modes) error = std::min(error, std::abs(m.s.imag() - exact) / exact);
      CHECK(error < 0.2 * (k + 1) * (k + 1) * 10 / (n * n));
      if (n > 10) CHECK(previous[k] / error == doctest::Approx(4).epsilon(0.1));
      previous[k] = error;
    }
  }
}

TEST_CASE("elements of order 3: bending frequencies converge with the sixth power of their length") {
  // (βL)² √(EI/ρA)/L² of a cantilever; nodes at even places would give the fourth power, from below (T-beam-9).
  const double root = 7.854757438237613;
  struct {
    double L, EI, mass;
  } const cases[] = {{1, 1, 1}, {2.5, 40, 0.3}, {0.02, 3e-5, 2e-3}};
  for (const auto& c : cases) {
    const double stiff = 3e8 * c.EI / (c.L * c.L), line = 1e-9 * c.mass * c.L * c.L;
    double error[2];  // of the third mode; of slower ones rounding shows
    for (const int n : {4, 8}) {
      const Found found =
          modes_of(read(fmt::format("gravity: none\ncomponents:\n  beam: {{type: beam.line, from: [0, 0, 0], "
                                    "to: [{} m, 0, 0], elements: {}, order: "
                                    "3, properties: {{axial: {} N, shear: [{} N, {} N], torsion: {} N*m^2, "
                                    "bending: [{} N*m^2, {} N*m^2], mass: {} "
                                    "kg/m, inertia: [{} kg*m, {} kg*m, {} kg*m]}}}}\n  root: {{type: "
                                    "joint.fixed, between: [ground, beam.start], "
                                    "at: [0, 0, 0]}}\n",
                                    c.L, n, stiff, stiff, stiff, 1e4 * c.EI, 1e4 * c.EI, c.EI, c.mass,
                                    2 * line, line, line)),
                   {}, {.count = 12, .undamped = true});
      const double exact = root * root * std::sqrt(c.EI / c.mass) / (c.L * c.L);
      error[n / 8] = INFINITY;
      for (const Mode& m : found.modes)
        if (const double e = m.s.imag() / exact - 1; std::abs(e) < std::abs(error[n / 8])) error[n / 8] = e;
    }
    fmt::print("order 3: off by {:.2e}, {:.2e} with 4, 8 elements\n", error[0], error[1]);
    CHECK(error[0] > 0);
    CHECK(std::log2(error[0] / error[1]) == doctest::Approx(6).epsilon(0.05));
  }
}

TEST_CASE("a beam that turns: flapping is stiffened by the centrifugal force") {
  // Wright, Smith, Thresher and Wang, J. Appl. Mech. 49 (1982): uniform cantilever on a hub of no radius, speed and frequency
  // over √(EI/ρA)/L²: the first flapping frequency.
  for (const auto& [speed, flap] : {std::pair{0.0, 3.5160}, {3.0, 4.7973}, {12.0, 13.1702}}) {
    double value[2];
    for (const int fine : {0, 1}) {
      const Found found =
          modes_of(read(R"(
gravity: none
parameters: {n: 16, speed: 0 rad/s}
components:
  hub: {type: body.rigid, mass: 1 kg, principal_inertia: [6e5 kg*m^2, 6e5 kg*m^2, 1e6 kg*m^2], initial: {angular_velocity: [0, 0, speed]}}
  axle: {type: joint.revolute, between: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}
  beam:
    type: beam.line
    from: [0, 0, 0]
    to: [1 m, 0, 0]
    elements: n
    initial: {angular_velocity: [0, 0, speed]}
    properties: {axial: 1e8 N, shear: [1e8 N, 1e8 N], torsion: 1e4 N*m^2, bending: [1 N*m^2, 1e4 N*m^2], mass: 1 kg/m, inertia: [2e-9 kg*m, 1e-9 kg*m, 1e-9 kg*m]}
  root: {type: joint.fixed, between: [hub, beam.start], at: [0, 0, 0]}
)",
                        {{"n", fine ? "40" : "20"}, {"speed", fmt::format("{} rad/s", speed)}}),
                   steady, {.count = 2});
      REQUIRE(found.modes.size() == 2);
      CHECK(found.warnings.empty());
      CHECK(found.modes[0].s == 0.0);
      value[fine] = found.modes[1].s.imag();
    }
    // Extrapolated from both, to the five digits of the table.
    CHECK(std::abs(value[1] + (value[1] - value[0]) / 3 - flap) < 1e-4);
  }
}

TEST_CASE("a beam damped in proportion to stiffness and mass: every mode by the same formula") {
  for (const int order : {1, 2, 3}) {
    const auto text = [&](const char* damping) {
      return fmt::format(R"(
gravity: none
components:
  beam: {{type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 6, order: {}, rectangle: {{width: 3 cm, height: 2 cm}}, material: steel, twist: 20 deg, offset: [0, 4 mm]{}}}
  root: {{type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}}
)",
                         order, damping);
    };
    const Found free = modes_of(read(text("")), {}, {.count = 8}),
                damped = modes_of(read(text(", damping: {stiffness: 20 us, mass: 3 1/s}")), {}, {.count = 8});
    REQUIRE(free.modes.size() == 8);
    REQUIRE(damped.modes.size() == 8);
    for (int k = 0; k < 8; ++k) {
      const double omega = free.modes[k].s.imag(), ratio = 0.5 * (20e-6 * omega + 3 / omega);
      CHECK(std::abs(free.modes[k].s.real()) < 1e-7 * omega);
      check(damped.modes[k].s, omega * Complex(-ratio, std::sqrt(1 - ratio * ratio)), 1e-6);
    }
  }
}

TEST_CASE("tension raises the frequencies of a beam, and makes those of a string") {
  // Supported at both ends: ω_k = (kπ/L)² √(EI/ρA) √(1 + N L²/(k²π² EI)); a string √(N/ρA) kπ/L.
  constexpr double EI = 10, N = 500, mass = 0.5, L = 2;
  double before[3] = {};
  for (const int n : {20, 40}) {
    const Found found = modes_of(read(fmt::format(R"(
gravity: none
components:
  beam: {{type: beam.line, from: [0, 0, 0], to: [2 m, 0, 0], elements: {}, properties: {{axial: 1e8 N, shear: [1e8 N, 1e8 N], torsion: 1e4 N*m^2, bending: [10 N*m^2, 1e4 N*m^2], mass: 0.5 kg/m, inertia: [1e-7 kg*m, 1e-7 kg*m, 1e-7 kg*m]}}, prestress: {{force: [500 N, 0, 0]}}}}
  left: {{type: joint.revolute, between: [ground, beam.start], at: [0, 0, 0], axis: [0, 1, 0]}}
  right: {{type: joint.revolute, between: [ground, beam.end], at: [2 m, 0, 0], axis: [0, 1, 0]}}
)",
                                                  n)),
                                 {}, {.count = 3, .undamped = true});
    REQUIRE(found.modes.size() == 3);
    for (int k = 1; k <= 3; ++k) {
      const double wave = k * pi / L,
                   exact = wave * wave * std::sqrt(EI / mass) * std::sqrt(1 + N / (wave * wave * EI));
      const double error = found.modes[k - 1].s.imag() / exact - 1;
      if (n == 40) CHECK(before[k - 1] / error == doctest::Approx(4).epsilon(0.1));
      before[k - 1] = error;
    }
  }
  for (const double e : before) CHECK(std::abs(e) < 5e-3);

  const Found string = modes_of(read(R"(
gravity: none
components:
  a: {type: body.anchor, position: [0, 0, 0]}
  b: {type: body.anchor, position: [2 m, 0, 0]}
  string: {type: beam.cable, from: a, to: b, elements: 40, axial: 1e6 N, mass: 0.5 kg/m, tension: 500 N}
)"),
                                {}, {.count = 6, .undamped = true});
  REQUIRE(string.modes.size() == 6);  // each in two directions
  const double l = L / 40;
  for (int k = 1; k <= 3; ++k) {
    // With the mass shared evenly between the ends of bars: 6 (1 − cos kl)/(2 + cos kl) instead of (kl)².
    const double kl = k * pi / L * l,
                 exact = std::sqrt(N / mass) / l * std::sqrt(6 * (1 - std::cos(kl)) / (2 + std::cos(kl)));
    const double stretched =
        std::sqrt(1 + N / 1e6);  // its mass is that of the unloaded length, which is less
    for (const int i : {2 * k - 2, 2 * k - 1}) check(string.modes[i].s, Complex(0, exact * stretched), 1e-6);
  }
}

TEST_CASE("circuits and controllers take part") {
  const Found rlc = modes_of(read(R"(
nodes: {electrical: [a, b, c]}
components:
  source: {type: electric.voltage_source, value: 1 V, between: [a, ground]}
  r: {type: electric.resistor, resistance: 2 ohm, between: [a, b]}
  l: {type: electric.inductor, inductance: 10 mH, between: [b, c]}
  cap: {type: electric.capacitor, capacitance: 10 uF, between: [c, ground]}
)"));
  REQUIRE(rlc.modes.size() == 1);
  check(rlc.modes[0].s, Complex(-100, std::sqrt(1e7 - 1e4)));
  // A loop of signals: ẍ = −k (x + T ẋ) by a controller of gains that reads position and velocity.
  const Found loop = modes_of(read(R"(
components:
  mass: {type: translational.mass, mass: 2 kg}
  p: {type: control.gain, gain: -50 N/m, input: mass.position, unit: N}
  d: {type: control.gain, gain: -4 N*s/m, input: mass.velocity, unit: N}
  both: {type: control.sum, inputs: [p, d], unit: N}
  actuator: {type: translational.force, at: mass, input: both}
)"));
  REQUIRE(loop.modes.size() == 1);
  check(loop.modes[0].s, Complex(-1, std::sqrt(24.0)));
}

TEST_CASE("what has no modes of the kind asked for says so") {
  const auto code = [](const std::string& text, const ConfigurationChoice& where, ModesOptions options) {
    try {
      modes_of(read(text), where, options);
    } catch (const ModelError& e) {
      return e.code;
    }
    return std::string();
  };
  const std::string circuit =
      "nodes: {electrical: [a]}\ncomponents:\n  r: {type: electric.resistor, resistance: 1 ohm, between: [a, "
      "ground]}\n  c: {type: electric.capacitor, capacitance: 1 uF, between: [a, ground]}\n";
  CHECK(code(circuit, {}, undamped) == "E-MODES");
  const std::string spinning =
      "gravity: none\ncomponents:\n  b: {type: body.box, size: [1 m, 1 m, 2 m], mass: 1 kg, initial: "
      "{angular_velocity: [0, 0, 1 rad/s]}}\n";
  CHECK(code(spinning, {}, undamped) == "E-MODES");
  CHECK(code("components:\n  a: {type: control.constant, value: 1}\n", {}, {}) == "E-MODES");
}

namespace {

const char* const column = R"(
gravity: none
parameters: {n: 20, load: 1 N, axial: 1e7 N, shear: 1e7 N}
components:
  beam:
    type: beam.line
    from: [0, 0, 0]
    to: [1 m, 0, 0]
    elements: n
    properties: {axial: axial, shear: [shear, shear], torsion: 1e4 N*m^2, bending: [1 N*m^2, 4 N*m^2], mass: 1 kg/m, inertia: [2e-6 kg*m, 1e-6 kg*m, 1e-6 kg*m]}
  root: {type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}
  press: {type: force.point, at: beam.end, force: [-load, 0, 0]}
)";

BucklingResult column_with(const std::vector<std::pair<std::string, std::string>>& set, int count) {
  const Model model = read(column, set);
  const WithLoads with_loads = [&](double f) { return assemble(model, {}, f); };
  return find_buckling(assemble(model).initial, {.count = count}, with_loads);
}
std::vector<BucklingMode> buckling_of(const std::vector<std::pair<std::string, std::string>>& set,
                                      int count) {
  const BucklingResult result = column_with(set, count);
  CHECK(result.warnings.empty());
  return result.modes;
}

}  // namespace

TEST_CASE("Euler's column") {
  // π² EI/(4 L²), then 9 times and, the other way, 4 times that; segments are exact for forces at the nodes up to L⁴.
  const double euler = pi * pi / 4;
  const auto modes = buckling_of({}, 3);
  REQUIRE(modes.size() == 3);
  CHECK(modes[0].factor == doctest::Approx(euler).epsilon(1e-5));
  CHECK(modes[1].factor == doctest::Approx(4 * euler).epsilon(1e-5));
  CHECK(modes[2].factor == doctest::Approx(9 * euler).epsilon(1e-3));
  // The factor goes with the inverse of the load.
  CHECK(buckling_of({{"load", "2 N"}}, 1)[0].factor == doctest::Approx(modes[0].factor / 2).epsilon(1e-7));
}

TEST_CASE("a column that is pressed shorter before it buckles") {
  // Reissner's beam: EI φ″ + P (1 + P/GA − P/EA) φ = 0, where φ is the angle along the unpressed line.
  const auto modes = buckling_of({{"axial", "50 N"}, {"shear", "200 N"}, {"n", "40"}}, 1);
  REQUIRE(modes.size() == 1);
  const double euler = pi * pi / 4, k = 1.0 / 200 - 1.0 / 50,
               exact = (std::sqrt(1 + 4 * k * euler) - 1) / (2 * k);
  CHECK(modes[0].factor == doctest::Approx(exact).epsilon(3e-5));  // segments: second order
  CHECK(std::abs(modes[0].linear / exact - 1) > 1e-3);  // what the unloaded structure alone would tell
}

TEST_CASE("where rounding hides how loads change the stiffness nothing wrong is reported") {
  for (const char* shear : {"1e4 N", "1e6 N", "1e9 N"}) {
    const double k = 1 / std::atof(shear) - 1.0 / 50, euler = pi * pi / 4,
                 exact = (std::sqrt(1 + 4 * k * euler) - 1) / (2 * k);
    const BucklingResult result = column_with({{"axial", "50 N"}, {"shear", shear}, {"n", "40"}}, 1);
    CHECK(result.modes.size() + result.warnings.size() > 0);
    for (const BucklingMode& mode : result.modes) CHECK(mode.factor == doctest::Approx(exact).epsilon(2e-3));
  }
}

TEST_CASE("load steps find an equilibrium that is the same as without") {
  const std::string text = R"(
gravity: [0, 0, -9.81 m/s^2]
components:
  beam: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 8, rectangle: {width: 3 cm, height: 2 mm}, material: steel}
  root: {type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}
  tip: {type: force.point, at: beam.end, force: [0, 0, -20 N]}
)";
  const auto tip = [&](const std::string& start) {
    const Model model = read(text + start);
    const Assembly a = assemble(model);
    const Prepared prepared = prepare_consistent(a, prepare_options(model));
    std::vector<double> x;
    for (const Channel& c : a.channels)
      if (c.name.starts_with("beam.end.position")) x.push_back(a.read(c, prepared.state));
    REQUIRE(x.size() == 3);
    return x;
  };
  const auto once = tip("start: equilibrium\n"), stepped = tip("start: {mode: equilibrium, load_steps: 5}\n");
  CHECK(once[2] < -0.3);
  for (int k = 0; k < 3; ++k) CHECK(stepped[k] == doctest::Approx(once[k]).epsilon(1e-7));
}
