// C1, C2, C3: beams under dead loads and moments far beyond small displacements: the 45 degree bend (Bathe & Bolourchi), the
// cantilever rolled up by a moment, the elastica. References computed to nine digits and more; in the plane
// the error goes with the fourth power of the segments' length, where curved ones twist with the square.
#include "support.hpp"

#include <numbers>

#include "analyses/equilibrium.hpp"
#include "components/beam/inertia.hpp"
#include "components/beam/segment.hpp"
#include "components/body/rigid.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi;

/// A dead force and a moment that turns with the section.
struct TipLoad {
  Pose at;
  Vector3 force, moment;
  auto variables() const { return std::tie(at); }
  void flow(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    push(z, out, at, as<S>(force), as<S>(moment));
  }
};

struct Cantilever {
  double length, curvature = 0;  // in its plane, unloaded
  beam::Stiffness stiffness;

  /// Frame at s, unloaded: along x, bent towards y.
  Frame<double> unloaded(double s) const {
    const double angle = curvature * s;
    const Vector3 x = curvature == 0
                          ? Vector3{{s, 0, 0}}
                          : Vector3{{std::sin(angle) / curvature, (1 - std::cos(angle)) / curvature, 0}};
    return {exp_so3({{0, 0, angle}}), x};
  }
  /// The frame at the tip with n segments, under load.
  Frame<double> tip(int n, const Vector3& force, const Vector3& moment) const {
    SystemBuilder b;
    std::vector<Pose> nodes{Pose{}};  // clamped to ground
    const double l = length / n;
    for (int i = 1; i <= n; ++i) {
      nodes.push_back(b.pose("node" + std::to_string(i)));
      b.add(body::Rigid{nodes[i], 0, diagonal(l, l, l)});
      b.add(beam::Inertia{nodes[i - 1], nodes[i], l});
      b.add(beam::Segment{
          nodes[i - 1], nodes[i], {}, {}, l, beam::of_segment(stiffness, l), {{1, 0, 0, 0, 0, curvature}}});
    }
    b.add(TipLoad{nodes[n], force, moment});
    const System system = b.finish();
    State state = system.state();
    for (int i = 1; i <= n; ++i) {
      const Frame<double> f = unloaded(i * l);
      const auto q = system.value(state, nodes[i]);
      const double numbers[7] = {f.R.w, f.R.u[0], f.R.u[1], f.R.u[2], f.x[0], f.x[1], f.x[2]};
      std::copy(numbers, numbers + 7, q.begin());
    }
    find_equilibrium(system, state, {});
    const auto q = system.value(state, nodes[n]);
    return {{q[0], {{q[1], q[2], q[3]}}}, {{q[4], q[5], q[6]}}};
  }
};

beam::Stiffness diagonal_stiffness(double axial, double shear, double torsion, double bending) {
  beam::Stiffness k{};
  for (int i = 0; i < 6; ++i) k[i][i] = i == 0 ? axial : i < 3 ? shear : i == 3 ? torsion : bending;
  return k;
}

}  // namespace

TEST_CASE("C2: rolled up by a moment into a circle and into two turns, exactly") {
  const Cantilever beam{10, 0, diagonal_stiffness(1e4, 5e3, 100, 100)};
  for (const int turns : {1, 2}) {
    const Frame<double> tip = beam.tip(10, {}, {{0, 0, 2 * pi * turns * 100 / 10}});
    fmt::print("C2: {} turns, the tip is {:.1e} of the length from the root\n", turns, norm(tip.x) / 10);
    CHECK(norm(tip.x) < 1e-9 * 10);
    CHECK(norm(log_so3(tip.R)) < 1e-9);
  }
}

TEST_CASE("C3: the elastica under a dead load at the tip") {
  const double loads[] = {1, 2, 5, 10};
  const double exact[4][3] = {{0.9435667637166233, 0.30172077379981344, 0.4613519497118789},
                              {0.8393582791748326, 0.493457480396712, 0.7817498315565435},
                              {0.6123716392755706, 0.7137915236119129, 1.2153681176116813},
                              {0.4450044022462481, 0.8106090248802968, 1.4302855388038607}};
  const Cantilever beam{1, 0, diagonal_stiffness(1e9, 1e9, 1, 1)};  // EA L²/EI and GA L²/EI: all but rigid
  for (int k = 0; k < 4; ++k) {
    std::vector<std::array<double, 3>> rungs;
    for (const int n : {8, 16, 32}) {
      const Frame<double> tip = beam.tip(n, {{0, loads[k], 0}}, {});
      rungs.push_back({tip.x[0], tip.x[1], log_so3(tip.R)[2]});
    }
    for (int i = 0; i < 3; ++i) {
      const double order = std::log2((rungs[1][i] - rungs[0][i]) / (rungs[2][i] - rungs[1][i]));
      const double limit = rungs[2][i] + (rungs[2][i] - rungs[1][i]) / 15;
      fmt::print(
          "C3: load {}, quantity {}: off by {:.1e} with 8 segments, order {:.2f}, in the limit {:.1e}\n",
          loads[k], i, std::abs(rungs[0][i] - exact[k][i]), order, std::abs(limit - exact[k][i]));
      CHECK(order == doctest::Approx(4).epsilon(0.05));
      CHECK(std::abs(limit - exact[k][i]) <
            2e-8);  // of the shear and stretching that is left, and of rounding
    }
  }
}

TEST_CASE("C1: the 45 degree bend out of its plane") {
  const Cantilever beam{100 * pi / 4, 0.01, diagonal_stiffness(1e7, 5e6, 1e7 / 12, 1e7 / 12)};
  const struct {
    double force;
    Vector3 tip;
  } cases[] = {{300, {{58.779122489684, 22.244780945366, 40.191891670138}}},
               {450, {{52.238558011156, 18.508178925368, 48.502927344133}}},
               {600, {{47.15043857363, 15.684800534038, 53.474858791818}}}};
  for (const auto& c : cases) {
    std::vector<Vector3> rungs;
    for (const int n : {8, 16, 32}) rungs.push_back(beam.tip(n, {{0, 0, c.force}}, {}).x);
    const double e0 = norm(rungs[0] - c.tip), e1 = norm(rungs[1] - c.tip), e2 = norm(rungs[2] - c.tip);
    Vector3 limit;
    for (int i = 0; i < 3; ++i) limit[i] = richardson(rungs[0][i], rungs[1][i], rungs[2][i]);
    fmt::print(
        "C1: P = {}: off by {:.1e}, {:.1e}, {:.1e} of the tip's way, order {:.2f}, in the limit {:.1e}\n",
        c.force, e0 / norm(c.tip), e1 / norm(c.tip), e2 / norm(c.tip), std::log2(e1 / e2),
        norm(limit - c.tip) / norm(c.tip));
    CHECK(e0 < 1e-3 * norm(c.tip));
    CHECK(std::log2(e1 / e2) == doctest::Approx(2).epsilon(0.05));
    CHECK(norm(limit - c.tip) < 2e-6 * norm(c.tip));
  }
}
