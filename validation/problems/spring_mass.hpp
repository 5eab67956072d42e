// Controlled spring-mass of Brüls & Arnold (figs 3–6): acceleration feedback through a filter and a saturation.
#pragma once
#include "components/control/state_space.hpp"
#include "components/control/tanh_saturation.hpp"
#include "components/translational/force.hpp"
#include "components/translational/mass.hpp"
#include "components/translational/spring.hpp"

namespace escapement::problems {

struct SpringMass {
  Position<1> q;
  Signal<1> acceleration, demand, force;
  StateVariable<1> x;
  System system;

  SpringMass() : system(build()) {}
  State initial() const {
    State s = system.state();
    system.value(s, q)[0] = 5.0;
    return s;
  }
  /// q, v, v̇, x, ẋ, g^a
  std::array<double, 6> quantities(const State& s) const {
    return {system.value(s, q)[0], system.rate(s, q)[0], system.acceleration(s, q)[0],
            system.value(s, x)[0], system.rate(s, x)[0], system.value(s, force)[0]};
  }

 private:
  System build() {
    constexpr double m = 1, k = 1, sigma = 0.1, b = 1.4, limit = 1;
    SystemBuilder builder;
    q = builder.position<1>("mass.position", {.unit = "m"});
    x = builder.state<1>("filter.state", {.unit = "N"});
    acceleration = builder.signal<1>("mass.acceleration", {.unit = "m/s^2"});
    demand = builder.signal<1>("filter.output", {.unit = "N"});
    force = builder.signal<1>("limiter.output", {.unit = "N"});
    builder.add(translational::Mass{q, m});
    builder.add(translational::Spring{{}, q, k});
    builder.tap_acceleration(q, acceleration);
    builder.add(
        control::StateSpace<1, 1, 1>{x, acceleration, demand, {{{-sigma}}}, {{{-b}}}, {{{1.0}}}, {{{0.0}}}});
    builder.add(control::TanhSaturation{demand, force, limit});
    builder.add(translational::Force{q, force});
    return builder.finish();
  }
};

}  // namespace escapement::problems
