// Sign conventions of the user's own equations and functions.
#include "signs.hpp"

namespace escapement::signs {

Cases programs() {
  return {
      {"control.expression",
       [] {
         const At at(0.1, R"yaml(
u: {type: control.constant, value: [3, -2]}
y: {type: control.expression, inputs: {a: u, b: u.1}, expression: [a.1 - a.2, "b*t/(1 s)"]}
)yaml");
         CHECK(at["y.output.1"] == about(5));
         CHECK(at["y.output.2"] == about(0.3));
       }},
      {"math.equations",
       [] {
         // A force is positive along the position it acts on; a row may be written either way round.
         const At push(0, R"yaml(
a: {type: translational.mass, mass: 2 kg}
s: {type: rotational.inertia, inertia: 2 kg*m^2}
p: {type: planar.mass, mass: 2 kg}
e: {type: math.equations, sliders: {x: a}, shafts: {w: s}, points: {p: p}, forces: {x: 6 N, w: -4 N*m, p.y: 2 N}}
)yaml");
         CHECK(push["a.acceleration"] == about(3));
         CHECK(push["s.acceleration"] == about(-2));
         CHECK(push["p.acceleration.y"] == about(1));
         // M q'' + Φ_qᵀ λ = force: a weight held by x = 0 from below has λ = −m g on the side of the constraint.
         for (const char* row : {"(2 kg)*der2(x) = -20 N", "-20 N = (2 kg)*der2(x)"}) {
           const At held(
               0.1, std::string("e: {type: math.equations, unknowns: {x: {kind: position, unit: m}, hold: "
                                "{kind: multiplier, unit: N}}, equations: {x: \"") +
                        row + "\", hold: x = 0}}");
           CHECK(held["e.hold"] == about(-20));
           CHECK(std::abs(held["e.x_acceleration"]) < 1e-9);
         }
         const At slip(0, R"yaml(
e:
  type: math.equations
  unknowns: {x: {kind: position, unit: m, rate: 3 m/s}, stop: {kind: slip_multiplier, unit: N}, z: {kind: state, initial: 2}, y: {kind: signal}}
  equations: {x: (2 kg)*der2(x) = 5 N, stop: der(x) = 3 m/s, z: der(z) = -y, y: 2*y = 3*z}
)yaml");
         CHECK(slip["e.stop"] == about(5));
         CHECK(slip["e.x_rate"] == about(3));
         CHECK(slip["e.y"] == about(3));
       }},
      {"control.c_function",
       [] {  // its example: a lag of 0.2 s behind a step at 0.1 s, from 0.5
         const std::string& lag = registry().find("control.c_function")->example;
         const At start(0, lag), later(2, lag);
         CHECK(start["lag.output"] == about(0.5));
         CHECK(start["lag.state"] == about(0.5));
         CHECK(later["lag.output"] > 0.99);
       }},
  };
}

}  // namespace escapement::signs
