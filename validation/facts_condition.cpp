// The condition of the iteration matrix does not grow as h -> 0: double pendulum, free body, knife edge, sleigh
// (pendulum and spinning top: facts_pendulum, D1_heavytop). Rows and unknowns as in T-alpha: Φ/c0, k/c1, unknown v̇.
#include "components/body/rigid.hpp"
#include "components/planar/body.hpp"
#include "components/planar/distance.hpp"
#include "components/planar/knife_edge.hpp"
#include "components/planar/mass.hpp"
#include "condition.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

double condition_at(const System& system, State state, double h) {
  GeneralizedAlpha stepper(system, {});
  stepper.start(state);
  for (int k = 0; k < 3; ++k) {
    const auto report = stepper.advance(state, h);
    INFO(describe(report.newton, system));
    REQUIRE(report.ok());
  }
  return iteration_condition(stepper, system, state);
}

/// The condition at h = 1e-2 … 1e-5 is that at h = 1e-6, within what c1 C + c0 K may add at the largest step.
void check(const char* name, const System& system, const State& state) {
  const double limit = condition_at(system, state, 1e-6);
  fmt::print("{:16}", name);
  for (double h : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const double c = condition_at(system, state, h);
    fmt::print("  h = {:g}: {:.4f}", h, c);
    INFO(name, " h = ", h);
    CHECK(std::abs(c - limit) <= 0.05 * limit * (h / 1e-2) + 1e-6 * limit);
  }
  fmt::print("\n");
}

}  // namespace

TEST_CASE("condition numbers from h = 1e-2 to 1e-6") {
  {
    SystemBuilder b;
    const auto p = b.position<2>("p"), q = b.position<2>("q");
    b.add(planar::Mass{p, 1.0, {{0, -9.81}}});
    b.add(planar::Mass{q, 3.0, {{0, -9.81}}});
    b.add(planar::Distance{{}, p, b.multiplier<1>("l1"), 1.0});
    b.add(planar::Distance{p, q, b.multiplier<1>("l2"), 0.7});
    const System s = b.finish();
    State z = s.state();
    z.value = {std::sin(0.6),
               -std::cos(0.6),
               std::sin(0.6) + 0.7 * std::sin(0.3),
               -std::cos(0.6) - 0.7 * std::cos(0.3),
               0,
               0};
    check("double pendulum", s, z);
  }
  {
    SystemBuilder b;
    b.add(body::Rigid{b.pose("body"), 2.0, diagonal(1, 2, 3)});
    const System s = b.finish();
    State z = s.state();
    z.rate = {0, 0, 0, 1, 2, 0.5};
    check("free body", s, z);
  }
  for (double offset : {0.0, 0.5}) {
    SystemBuilder b;
    const auto q = b.position<3>("sleigh");
    b.add(planar::Body{q, 1.0, 0.25, offset, {{0.3, 0.0}}});
    b.add(planar::KnifeEdge{q, b.slip_multiplier<1>("blade")});
    const System s = b.finish();
    State z = s.state();
    z.rate = {1.0, 0.0, 2.0};
    check(offset == 0 ? "knife edge" : "sleigh", s, z);
  }
}
