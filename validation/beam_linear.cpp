// Small displacements, against closed forms with shear (Timoshenko): cantilevers, beams on supports, torsion, sections whose
// bending, twist, stretching and shear are coupled; and no locking: the error does not depend on how slender a beam is.
#include "beam_structure.hpp"

#include <numbers>
#include <random>

#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double L = 2.5, EA = 900, GA_y = 70, GA_z = 50, GJ = 4, EI_y = 11, EI_z = 17;

/// Beams along x of n segments, at whose nodes forces act and displacements are read.
struct Beam {
  Structure s;
  std::vector<Pose> nodes;
  explicit Beam(int n, double length = L,
                const beam::Stiffness& k = diagonal_stiffness({EA, GA_y, GA_z, GJ, EI_y, EI_z})) {
    const Pose first = s.node({});
    nodes = s.beam(first, {}, n, length, k);
  }
  void clamp(int node) { s.hold(nodes[node], {0, 1, 2, 3, 4, 5}); }
  void load(int node, const Vector3& force, const Vector3& moment = {}) {
    s.add(GrowingLoad{nodes[node], force, moment});
  }
  /// As the weight of the segments does it: half to each of their ends.
  void spread(const Vector3& per_length) {
    const int n = static_cast<int>(nodes.size()) - 1;
    const double mass = L / n;  // 1 per length
    for (int i = 0; i < n; ++i) s.add(beam::Inertia{nodes[i], nodes[i + 1], mass, per_length});
  }
  std::array<double, 6> at(int node) {
    s.finish();
    return s.linear(nodes[node]);
  }
};

/// A closed form, met to rounding whatever the number of segments.
void meet(const std::string& what, int n, double computed, double exact) {
  const double off = std::abs(computed - exact) / std::abs(exact);
  fmt::print("{:>46}, {:2} segments: {:.10f}, off by {:.0e}\n", what, n, computed, off);
  CHECK(off < 1e-11);
}

}  // namespace

TEST_CASE("cantilevers") {
  for (const int n : {1, 2, 7, 20}) {
    for (const int axis : {1, 2}) {  // deflection along y bends about z; along z about −y
      const double EI = axis == 1 ? EI_z : EI_y, GA = axis == 1 ? GA_y : GA_z;
      const int turn = axis == 1 ? 5 : 4;
      const double sign = axis == 1 ? 1 : -1;
      Vector3 force{}, moment{};
      force[axis] = 3;
      moment[turn - 3] = 5 * sign;
      {
        Beam b(n);
        b.clamp(0);
        b.load(n, force);
        const auto u = b.at(n);
        meet("force at the tip, deflection", n, u[axis], 3 * L * L * L / (3 * EI) + 3 * L / GA);
        meet("force at the tip, slope", n, sign * u[turn], 3 * L * L / (2 * EI));
      }
      {
        Beam b(n);
        b.clamp(0);
        b.load(n, {}, moment);
        const auto u = b.at(n);
        meet("moment at the tip, deflection", n, u[axis], 5 * L * L / (2 * EI));
        meet("moment at the tip, slope", n, sign * u[turn], 5 * L / EI);
      }
      {
        Beam b(n);
        b.clamp(0);
        b.spread(force);
        const auto u = b.at(n);
        // The weight goes to the nodes: by the trapezoidal rule on the influence line x² (3L − x)/6EI + x/GA the excess
        // is h²/12 of its slope at the tip.
        const double h = L / n, excess = 3 * h * h / 12 * L * L / (2 * EI);
        meet("uniform load, deflection", n, u[axis],
             3 * std::pow(L, 4) / (8 * EI) + 3 * L * L / (2 * GA) + excess);
      }
    }
    Beam b(n);
    b.clamp(0);
    b.load(n, {{6, 0, 0}}, {{7, 0, 0}});
    const auto u = b.at(n);
    meet("pulled", n, u[0], 6 * L / EA);
    meet("twisted", n, u[3], 7 * L / GJ);
  }
}

TEST_CASE("beams on supports") {
  const double EI = EI_z, GA = GA_y;
  for (const int n : {2, 8, 20}) {
    const int mid = n / 2;
    const double h = L / n;
    const auto simple = [&](Beam& b) {
      b.s.hold(b.nodes[0], {0, 1, 2, 3});
      b.s.hold(b.nodes[n], {1, 2});
    };
    {
      Beam b(n);
      simple(b);
      b.load(mid, {{0, 3, 0}});
      meet("on two supports, force in the middle", n, b.at(mid)[1],
           3 * L * L * L / (48 * EI) + 3 * L / (4 * GA));
    }
    {
      Beam b(n);
      simple(b);
      b.spread({{0, 3, 0}});
      meet("on two supports, uniform load", n, b.at(mid)[1],
           5 * 3 * std::pow(L, 4) / (384 * EI) + 3 * L * L / (8 * GA) - 3 * h * h * L * L / (96 * EI));
    }
    {
      Beam b(n);
      simple(b);
      b.load(n, {}, {{0, 0, 5}});
      b.s.finish();
      meet("on two supports, moment at an end, slope there", n, b.s.linear(b.nodes[n])[5],
           5 * L / (3 * EI) + 5 / (GA * L));
      meet("slope at the other", n, b.s.linear(b.nodes[0])[5], -5 * L / (6 * EI) + 5 / (GA * L));
    }
    {
      Beam b(n);
      b.clamp(0);
      b.clamp(n);
      b.load(mid, {{0, 3, 0}});
      meet("both ends clamped, force in the middle", n, b.at(mid)[1],
           3 * L * L * L / (192 * EI) + 3 * L / (4 * GA));
    }
    {
      // Propped: the support's force is that which takes the tip's deflection back.
      const double tip = L * L * L / (3 * EI) + L / GA, both = 5 * L * L * L / (48 * EI) + L / (2 * GA),
                   middle = L * L * L / (24 * EI) + L / (2 * GA);
      Beam b(n);
      b.clamp(0);
      b.s.hold(b.nodes[n], {1});
      b.load(mid, {{0, 3, 0}});
      meet("clamped and propped, force in the middle", n, b.at(mid)[1], 3 * (middle - both * both / tip));
    }
    {
      const double tip = L * L * L / (3 * EI) + L / GA;
      const double spread =
          3 * std::pow(L, 4) / (8 * EI) + 3 * L * L / (2 * GA) + 3 * h * h / 12 * L * L / (2 * EI);
      const double R = spread / tip;
      Beam b(n);
      b.clamp(0);
      b.s.hold(b.nodes[n], {1});
      b.spread({{0, 3, 0}});
      meet("clamped and propped, uniform load, slope", n, b.at(n)[5],
           3 * L * L * L / (6 * EI) + 3 * h * h / 12 * L / EI - R * L * L / (2 * EI));
    }
  }
}

TEST_CASE("sections that couple stretching, shear, twist and bending") {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int sample = 0; sample < 5; ++sample) {
    Eigen::Matrix<double, 6, 6> A;
    for (int i = 0; i < 36; ++i) A(i / 6, i % 6) = normal(random);
    const Eigen::Matrix<double, 6, 6> K = A * A.transpose() + Eigen::Matrix<double, 6, 6>::Identity();
    beam::Stiffness k;
    for (int i = 0; i < 36; ++i) k[i / 6][i % 6] = K(i / 6, i % 6);
    // A load (force, moment) at the tip is (F, M + (L − s) e_x × F) at s; the work of another one gives the displacement. Simpson's
    // rule is exact: the integrand is of second degree.
    Eigen::Matrix<double, 6, 6> flexibility = Eigen::Matrix<double, 6, 6>::Zero();
    for (int i = 0; i < 3; ++i) {
      Eigen::Matrix<double, 6, 6> load = Eigen::Matrix<double, 6, 6>::Identity();
      load(5, 1) = L * (1 - 0.5 * i);
      load(4, 2) = -L * (1 - 0.5 * i);
      flexibility += L / 6 * (i == 1 ? 4 : 1) * load.transpose() * K.inverse() * load;
    }
    for (const int n : {1, 5}) {
      double off = 0;
      for (int j = 0; j < 6; ++j) {
        Beam b(n, L, k);
        b.clamp(0);
        Vector3 force{}, moment{};
        (j < 3 ? force[j] : moment[j - 3]) = 1;
        b.load(n, force, moment);
        const auto u = b.at(n);
        for (int i = 0; i < 6; ++i) off = std::max(off, std::abs(u[i] - flexibility(i, j)));
      }
      fmt::print("full 6 × 6 stiffness {}, {} segments: flexibility of the tip off by {:.0e}\n", sample, n,
                 off / flexibility.cwiseAbs().maxCoeff());
      CHECK(off < 1e-11 * flexibility.cwiseAbs().maxCoeff());
    }
  }
  // Bending and twist alone, as of a wing whose fibres run askew: a force at the tip twists it by c_45 F L²/2.
  const double D = EI_y * GJ - 9;
  auto k = diagonal_stiffness({EA, GA_y, GA_z, GJ, EI_y, EI_z});
  k[3][4] = k[4][3] = 3;
  Beam b(4, L, k);
  b.clamp(0);
  b.load(4, {{0, 0, 2}});
  b.s.finish();
  const auto u = b.s.linear(b.nodes[4]);
  meet("bend-twist, deflection", 4, u[2], 2 * L * L * L / 3 * GJ / D + 2 * L / GA_z);
  meet("bend-twist, twist", 4, u[3], 2 * L * L / 2 * 3 / D);
}

TEST_CASE("no locking: the error does not depend on how slender a beam is") {
  fmt::print("{:>6} {:>14} {:>44} {:>12}\n", "L/h", "linear, n = 1", "PL²/EI = 1: off with 4, 8, 16 segments",
             "orders");
  std::vector<double> errors;
  for (const double slender : {10.0, 1e2, 1e3, 1e4, 1e5}) {
    // A square section of side a and of EI = 1; ν = 0.3, Cowper's shear factor.
    const double a = 1 / slender, E = 12 / std::pow(a, 4), shear = E / 2.6 * a * a * 13 / 15.3,
                 axial = E * a * a, torsion = E / 2.6 * 0.140577 * std::pow(a, 4);
    double linear;
    {
      Beam b(1, 1, diagonal_stiffness({axial, shear, shear, torsion, 1, 1}));
      b.clamp(0);
      b.load(1, {{0, 0, 1}});
      linear = std::abs(b.at(1)[2] / (1.0 / 3 + 1 / shear) - 1);
    }
    std::vector<Vector3> tips;
    for (int n = 4; n <= 32; n *= 2) {
      const auto x = at_rest(fmt::format(R"yaml(
  beam: {{type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: {}, rectangle: {{width: {:.17g} m, height: {:.17g} m}},
    youngs_modulus: {:.17g} Pa, poisson_ratio: 0.3, density: {:.17g} kg/m^3}}
  root: {{type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}}
  load: {{type: force.point, at: beam.end, force: [0, 0, 1 N]}}
)yaml",
                                         n, a, a, E, 1 / (a * a)),
                             {"beam.end.position.*"});
      tips.push_back({{x[0], x[1], x[2]}});
    }
    Vector3 limit;
    for (int i = 0; i < 3; ++i) limit[i] = even_limit(tips[1][i], tips[2][i], tips[3][i]);
    double e[3];
    for (int j = 0; j < 3; ++j) e[j] = norm(tips[j] - limit);
    fmt::print("{:6.0e} {:14.0e} {:24.3e} {:9.3e} {:9.3e} {:6.2f} {:5.2f}\n", slender, linear, e[0], e[1],
               e[2], std::log2(e[0] / e[1]), std::log2(e[1] / e[2]));
    CHECK(linear < 1e-12);
    CHECK(e[0] < 3e-5);
    if (slender >= 1e3) CHECK(std::log2(e[0] / e[1]) == doctest::Approx(4).epsilon(0.01));
    errors.push_back(e[1]);
  }
  // What is left besides the bending of a slender one is of the stretching and shear that there are: it goes with (h/L)².
  for (int k = 0; k < 4; ++k)
    CHECK(errors[k] - errors[4] ==
          doctest::Approx((errors[0] - errors[4]) * std::pow(0.01, k)).epsilon(0.1).scale(0.01 * errors[4]));
}

TEST_CASE("in the model language: a thick cantilever under its weight and a force at its tip") {
  // 10 cm of steel, 3 cm × 2 cm; loads so small that the deflection's square does not matter.
  const double length = 0.1, width = 0.03, height = 0.02, E = 210e9, nu = 0.3, G = E / (2 * (1 + nu)), g = 10,
               F = 2;
  const double area = width * height, EI = E * width * std::pow(height, 3) / 12,
               GA = 10 * (1 + nu) / (12 + 11 * nu) * G * area, q = 7850 * area * g;
  for (const int n : {1, 4, 16}) {
    const auto v = at_rest(
        fmt::format(R"yaml(
  beam: {{type: beam.line, from: [0, 0, 0], to: [0, 10 cm, 0], elements: {}, rectangle: {{width: 3 cm, height: 2 cm}}, material: steel}}
  root: {{type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}}
  load: {{type: force.point, at: beam.end, force: [0, 0, -2 N]}}
)yaml",
                    n),
        {"beam.end.position.z", "root.force.z", "root.torque.x", "beam.start.force.z", "beam.start.moment.y"},
        "gravity: [0, 0, -10 m/s^2]");
    const double h = length / n;
    const double deflection = F * std::pow(length, 3) / (3 * EI) + F * length / GA +
                              q * std::pow(length, 4) / (8 * EI) + q * length * length / (2 * GA) +
                              q * h * h / 12 * length * length / (2 * EI);
    // In the middle of a segment, the weight at the nodes; at the root the line through the first two.
    const auto middle = [&](int k, bool force) {
      const double s = (k + 0.5) * h;
      double sum = force ? F : F * (length - s);
      for (int j = k + 1; j <= n; ++j) sum += (j == n ? 0.5 : 1.0) * q * h * (force ? 1 : j * h - s);
      return sum;
    };
    const auto root = [&](bool force) {
      return n == 1 ? middle(0, force) : 1.5 * middle(0, force) - 0.5 * middle(1, force);
    };
    const double shear = root(true), moment = root(false);
    fmt::print(
        "a thick cantilever, {:2} segments: deflection {:.8e} m, off by {:.0e}; at the root force {:.0e}, "
        "torque {:.0e}; "
        "shear {:.0e}, moment {:.0e}\n",
        n, -v[0], -v[0] / deflection - 1, v[1] / (F + q * length) - 1,
        v[2] / (F * length + q * length * length / 2) - 1, v[3] / -shear - 1, v[4] / moment - 1);
    CHECK(close(-v[0], deflection, 1e-6));
    CHECK(close(v[1], F + q * length, 1e-9));
    CHECK(close(v[2], F * length + q * length * length / 2, 1e-9));
    CHECK(close(v[3], -shear, 1e-9));
    CHECK(close(v[4], moment, 1e-9));
  }
}
