// Sign conventions of everything that moves.
#include "signs.hpp"

namespace escapement::signs {
namespace {

const std::string two_masses = R"yaml(
a: {type: translational.mass, mass: 2 kg}
b: {type: translational.mass, mass: 4 kg, initial: {position: 3 m, velocity: 0.5 m/s}}
)yaml";
const std::string two_shafts = R"yaml(
a: {type: rotational.inertia, inertia: 2 kg*m^2}
b: {type: rotational.inertia, inertia: 4 kg*m^2, initial: {angle: 3 rad, velocity: 0.5 rad/s}}
)yaml";

/// A force positive in tension: A is accelerated forwards, B backwards.
void check_tension(const At& at, const std::string& force, double expected) {
  CHECK(at[force] == about(expected));
  CHECK(2 * at["a.acceleration"] == about(expected));
  CHECK(4 * at["b.acceleration"] == about(-expected));
}

}  // namespace

Cases mechanics() {
  return {
      // ---- sliders
      {"translational.mass",
       [] {
         const At at(0.1,
                     "a: {type: translational.mass, mass: 2 kg, initial: {position: 1 m, velocity: 3 m/s}}");
         CHECK(at["a.position"] == about(1.3));
         CHECK(at["a.velocity"] == about(3));
       }},
      {"translational.spring",
       [] {
         const At at(
             0, two_masses +
                    "s: {type: translational.spring, stiffness: 5 N/m, rest_length: 1 m, between: [a, b]}");
         CHECK(at["s.elongation"] == about(2));
         check_tension(at, "s.force", 10);
         const At table(
             0, two_masses + "s: {type: translational.spring, table: [[0, 0], [4 m, 8 N]], between: [a, b]}");
         check_tension(table, "s.force", 6);
         const At law(0, two_masses +
                             "s: {type: translational.spring, law: (2 N/m)*elongation + (4 N*s/m)*velocity, "
                             "between: [a, b]}");
         check_tension(law, "s.force", 8);
       }},
      {"translational.damper",
       [] {
         const At at(0, two_masses + "d: {type: translational.damper, damping: 6 N*s/m, between: [a, b]}");
         CHECK(at["d.velocity"] == about(0.5));
         check_tension(at, "d.force", 3);
       }},
      {"translational.force",
       [] {
         const At at(0, two_masses + "f: {type: translational.force, at: b, reaction: a, value: -6 N}");
         CHECK(at["f.force"] == about(-6));
         CHECK(at["b.acceleration"] == about(-1.5));
         CHECK(at["a.acceleration"] == about(3));
       }},
      {"translational.friction",
       [] {
         const At at(
             0, two_masses +
                    "f: {type: translational.friction, coulomb: 2 N, viscous: 4 N*s/m, between: [a, b]}");
         CHECK(at["f.velocity"] == about(0.5));
         check_tension(at, "f.force", 4);
       }},
      {"translational.end_stop",
       [] {
         const At upper(0, two_masses +
                               "e: {type: translational.end_stop, upper: 2 m, stiffness: 5 N/m, damping: 2 "
                               "N*s/m, between: [a, b]}");
         CHECK(upper["e.penetration"] == about(1));
         check_tension(upper, "e.force", 6);
         const At lower(0, two_masses +
                               "e: {type: translational.end_stop, lower: 4 m, stiffness: 5 N/m, damping: 2 "
                               "N*s/m, between: [a, b]}");
         CHECK(lower["e.penetration"] == about(1));
         check_tension(lower, "e.force", -4);  // it opens: the damper takes off
         const At free(0, two_masses +
                              "e: {type: translational.end_stop, lower: 2 m, upper: 4 m, stiffness: 5 N/m, "
                              "damping: 2 N*s/m, between: [a, b]}");
         CHECK(free["e.force"] == 0);
         const At leaving(0,
                          two_masses +
                              "e: {type: translational.end_stop, lower: 4 m, stiffness: 5 N/m, damping: 50 "
                              "N*s/m, between: [a, b]}");
         CHECK(leaving["e.force"] == 0);  // it never pulls
         const At entering(0,
                           two_masses +
                               "e: {type: translational.end_stop, upper: 2 m, stiffness: 5 N/m, damping: 50 "
                               "N*s/m, between: [a, b]}");
         CHECK(entering["e.force"] == about(10));  // the damper at most doubles the spring
       }},
      {"translational.backlash",
       [] {
         const At at(0, two_masses +
                            "k: {type: translational.backlash, gap: 1 m, rest_length: 1 m, stiffness: 4 N/m, "
                            "damping: 2 N*s/m, between: [a, b]}");
         CHECK(at["k.elongation"] == about(2));
         check_tension(at, "k.force", 7);
         const At plain(0, two_masses +
                               "k: {type: translational.backlash, gap: 0, rest_length: 3.5 m, stiffness: 4 "
                               "N/m, damping: 2 N*s/m, between: [a, b]}");
         check_tension(plain, "k.force", -1);
         const At free(0, two_masses +
                              "k: {type: translational.backlash, gap: 1 m, rest_length: 3.2 m, stiffness: 4 "
                              "N/m, between: [a, b]}");
         CHECK(free["k.force"] == 0);
       }},
      {"translational.motion",
       [] {
         const At law(0.5, R"yaml(
a: {type: translational.mass, mass: 2 kg}
m: {type: translational.motion, at: a, position: (3 m/s^2)*t^2}
)yaml");
         CHECK(law["a.position"] == about(0.75));
         CHECK(law["m.force"] == about(12));
         const At signal(0, R"yaml(
u: {type: control.constant, value: 1 m, unit: m}
a: {type: translational.mass, mass: 2 kg}
m: {type: translational.motion, at: a, input: u, bandwidth: 1 Hz}
)yaml");
         CHECK(signal["a.acceleration"] == about(4 * M_PI * M_PI));
         CHECK(signal["m.force"] == about(8 * M_PI * M_PI));
         const At settled(5, R"yaml(
u: {type: control.constant, value: 1 m, unit: m}
a: {type: translational.mass, mass: 2 kg}
s: {type: translational.spring, stiffness: 7 N/m, between: [ground, a]}
m: {type: translational.motion, at: a, input: u, bandwidth: 1 Hz}
)yaml");
         CHECK(settled["a.position"] == about(1));
         CHECK(settled["m.force"] == doctest::Approx(7).epsilon(1e-3));
       }},
      {"translational.lever",
       [] {
         const std::string load = R"yaml(
a: {type: translational.mass, mass: 1 kg}
b: {type: translational.mass, mass: 1 kg}
f: {type: translational.force, at: a, value: 10 N}
)yaml";
         const At opposite(0, load + "l: {type: translational.lever, between: [a, b], ratio: 2}");
         CHECK(opposite["a.acceleration"] == about(2));
         CHECK(opposite["b.acceleration"] == about(-4));
         CHECK(opposite["l.force_a"] == about(-8));
         CHECK(opposite["l.force_b"] == about(-4));
         const At same(0,
                       load + "l: {type: translational.lever, between: [a, b], ratio: 2, same_side: true}");
         CHECK(same["b.acceleration"] == about(4));
         CHECK(same["l.force_a"] == about(-8));
         CHECK(same["l.force_b"] == about(4));
         const At pivot(0, load + R"yaml(
p: {type: translational.mass, mass: 1 kg}
l: {type: translational.lever, between: [a, b], pivot: p, ratio: 1}
)yaml");  // force_a = force_b = F, the pivot takes −2 F
         CHECK(pivot["l.force_a"] == about(pivot["l.force_b"]));
         CHECK(pivot["p.acceleration"] == about(-2 * pivot["l.force_a"]));
       }},
      // ---- shafts
      {"rotational.inertia",
       [] {
         const At at(
             0.1,
             "a: {type: rotational.inertia, inertia: 2 kg*m^2, initial: {angle: 1 rad, velocity: 30 rad/s}}");
         CHECK(at["a.angle"] == about(4));
         CHECK(at["a.velocity"] == about(30));
       }},
      {"rotational.spring",
       [] {
         const At at(
             0, two_shafts +
                    "s: {type: rotational.spring, stiffness: 5 N*m/rad, rest_angle: 1 rad, between: [a, b]}");
         CHECK(at["s.angle"] == about(2));
         check_tension(at, "s.torque", 10);
       }},
      {"rotational.damper",
       [] {
         const At at(0, two_shafts + "d: {type: rotational.damper, damping: 6 N*m*s/rad, between: [a, b]}");
         CHECK(at["d.velocity"] == about(0.5));
         check_tension(at, "d.torque", 3);
       }},
      {"rotational.torque",
       [] {
         const At at(0, two_shafts + "f: {type: rotational.torque, at: b, reaction: a, value: -6 N*m}");
         CHECK(at["f.torque"] == about(-6));
         CHECK(at["b.acceleration"] == about(-1.5));
         CHECK(at["a.acceleration"] == about(3));
       }},
      {"rotational.friction",
       [] {
         const At at(0, two_shafts + "f: {type: rotational.friction, coulomb: 2 N*m, between: [a, b]}");
         CHECK(at["f.velocity"] == about(0.5));
         check_tension(at, "f.torque", 2);
       }},
      {"rotational.end_stop",
       [] {
         const At upper(
             0, two_shafts +
                    "e: {type: rotational.end_stop, upper: 2 rad, stiffness: 5 N*m/rad, between: [a, b]}");
         check_tension(upper, "e.torque", 5);
         const At lower(
             0, two_shafts +
                    "e: {type: rotational.end_stop, lower: 4 rad, stiffness: 5 N*m/rad, between: [a, b]}");
         check_tension(lower, "e.torque", -5);
       }},
      {"rotational.backlash",
       [] {
         const At at(0, two_shafts +
                            "k: {type: rotational.backlash, gap: 1 rad, rest_angle: 1 rad, stiffness: 4 "
                            "N*m/rad, between: [a, b]}");
         CHECK(at["k.angle"] == about(2));
         check_tension(at, "k.torque", 6);
       }},
      {"rotational.motion",
       [] {
         const At law(0.5, R"yaml(
a: {type: rotational.inertia, inertia: 2 kg*m^2}
m: {type: rotational.motion, at: a, angle: (3 rad/s^2)*t^2}
)yaml");
         CHECK(law["a.angle"] == about(0.75));
         CHECK(law["m.torque"] == about(12));
       }},
      {"rotational.gear",
       [] {
         const std::string drive = R"yaml(
a: {type: rotational.inertia, inertia: 1 kg*m^2}
b: {type: rotational.inertia, inertia: 4 kg*m^2}
f: {type: rotational.torque, at: a, value: 10 N*m}
)yaml";
         const At at(0, drive + "g: {type: rotational.gear, between: [a, b], ratio: 2}");
         CHECK(at["a.acceleration"] == about(5));  // reduced inertia 1 + 4/2²
         CHECK(at["b.acceleration"] == about(2.5));
         CHECK(at["g.torque_a"] == about(-5));
         CHECK(at["g.torque_b"] == about(10));
         const At reversed(0, drive + "g: {type: rotational.gear, between: [a, b], ratio: -2}");
         CHECK(reversed["b.acceleration"] == about(-2.5));
         CHECK(reversed["g.torque_b"] == about(-10));
         const At carried(0, drive + R"yaml(
c: {type: rotational.inertia, inertia: 3 kg*m^2}
g: {type: rotational.gear, between: [a, b], support: c, ratio: 2}
)yaml");
         CHECK(3 * carried["c.acceleration"] == about(-carried["g.torque_a"] - carried["g.torque_b"]));
       }},
      {"rotational.rack_and_pinion",
       [] {
         const At at(0, R"yaml(
a: {type: rotational.inertia, inertia: 1 kg*m^2}
b: {type: translational.mass, mass: 4 kg}
f: {type: rotational.torque, at: a, value: 10 N*m}
g: {type: rotational.rack_and_pinion, pinion: a, rack: b, radius: 0.5 m}
)yaml");
         CHECK(at["a.acceleration"] == about(5));
         CHECK(at["b.acceleration"] == about(2.5));
         CHECK(at["g.force"] == about(10));
         CHECK(at["g.torque"] == about(-5));
       }},
      // ---- the plane
      {"planar.mass",
       [] {
         const At at(
             0.1,
             "p: {type: planar.mass, mass: 2 kg, gravity: [0, -10 m/s^2], initial: {velocity: [3 m/s, 0]}}");
         CHECK(at["p.position.x"] == about(0.3));
         CHECK(at["p.acceleration.y"] == about(-10));
         CHECK(at["p.velocity.y"] == about(-1));
       }},
      {"planar.distance",
       [] {
         const At hanging(0, R"yaml(
p: {type: planar.mass, mass: 2 kg, gravity: [0, -10 m/s^2], initial: {position: [0, -1 m]}}
d: {type: planar.distance, between: [ground, p], length: 1 m}
)yaml");
         CHECK(hanging["d.tension"] == about(20));
         const At standing(0, R"yaml(
p: {type: planar.mass, mass: 2 kg, gravity: [0, -10 m/s^2], initial: {position: [0, 1 m]}}
d: {type: planar.distance, between: [p, ground], length: 1 m}
)yaml");
         CHECK(standing["d.tension"] == about(-20));
       }},
      {"planar.spring",
       [] {
         const At at(0, R"yaml(
a: {type: planar.mass, mass: 1 kg}
b: {type: planar.mass, mass: 1 kg, initial: {position: [3 m, 4 m]}}
s: {type: planar.spring, between: [a, b], stiffness: 5 N/m, rest_length: 3 m}
)yaml");
         CHECK(at["s.elongation"] == about(2));
         CHECK(at["s.force"] == about(10));
         CHECK(at["a.acceleration.x"] == about(6));
         CHECK(at["b.acceleration.y"] == about(-8));
       }},
      {"planar.damper",
       [] {
         const At at(0, R"yaml(
a: {type: planar.mass, mass: 1 kg}
b: {type: planar.mass, mass: 1 kg, initial: {position: [3 m, 4 m], velocity: [3 m/s, 4 m/s]}}
d: {type: planar.damper, between: [a, b], damping: 2 N*s/m}
)yaml");
         CHECK(at["d.velocity"] == about(5));
         CHECK(at["d.force"] == about(10));
         CHECK(at["a.acceleration.x"] == about(6));
         CHECK(at["b.acceleration.y"] == about(-8));
       }},
      // ---- space
      {"body.rigid",
       [] {
         const At at(0.1, R"yaml(
b: {type: body.rigid, mass: 2 kg, principal_inertia: [1 kg*m^2, 1 kg*m^2, 1 kg*m^2], initial: {position: [1 m, 0, 0], velocity: [0, 3 m/s, 0], axis: [0, 0, 2], angle: 90 deg, angular_velocity: [2 rad/s, 0, 0]}}
)yaml");
         CHECK(at["b.position.y"] == about(0.3));
         CHECK(at["b.velocity.y"] == about(3));  // world axes, though the body is turned
         CHECK(at["b.velocity.z"] == about(-1));
         CHECK(at["b.angular_velocity.x"] == about(2));  // body axes
         // turned by 90 deg about z, then by 0.2 rad about its own x: q = (w, x)·…
         CHECK(at["b.quaternion.w"] == about(std::sqrt(0.5) * std::cos(0.1)));
         CHECK(at["b.quaternion.x"] == about(std::sqrt(0.5) * std::sin(0.1)));
         CHECK(at["b.quaternion.y"] == about(std::sqrt(0.5) * std::sin(0.1)));
         CHECK(at["b.quaternion.z"] == about(std::sqrt(0.5) * std::cos(0.1)));
         CHECK(at["b.energy"] == about(0.5 * 2 * 9 + 0.5 * 4));
       }},
      {"joint.spherical",
       [] {
         const At hanging(0, R"yaml(
b: {type: body.rigid, mass: 2 kg, principal_inertia: [1 kg*m^2, 1 kg*m^2, 1 kg*m^2], initial: {position: [1 m, 0, -1 m]}}
j: {type: joint.spherical, between: [ground, b], at: [1 m, 0, 0]}
)yaml");
         CHECK(hanging["j.force.z"] == about(20));  // of ground on the body
         const At turned(0, R"yaml(
a: {type: body.rigid, mass: 2 kg, principal_inertia: [1 kg*m^2, 1 kg*m^2, 1 kg*m^2], initial: {axis: [1, 0, 0], angle: 90 deg}}
b: {type: body.rigid, mass: 2 kg, principal_inertia: [1 kg*m^2, 1 kg*m^2, 1 kg*m^2], frames: {up: {position: [0, 0, 1 m]}}, initial: {position: [0, 0, -1 m]}}
top: {type: joint.spherical, between: [ground, a]}
j: {type: joint.spherical, between: [a, b.up]}
)yaml");
         CHECK(turned["top.force.z"] == about(40));
         CHECK(turned["j.force.y"] == about(20));  // up, in the axes of A, whose y points up
       }},

  };
}

}  // namespace escapement::signs
