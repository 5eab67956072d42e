// Sign conventions of bodies, joints, forces and sensors in space. Gravity is 10 m/s² downwards along z.
#include "signs.hpp"

namespace escapement::signs {
namespace {

/// A body of 2 kg with inertia 1, 2, 2.5 kg m² about its axes, its frame `tip` at (1, 0, 0); in place of % stands more.
std::string body(const std::string& more = "") {
  return "b: {type: body.rigid, mass: 2 kg, principal_inertia: [1 kg*m^2, 2 kg*m^2, 2.5 kg*m^2], frames: "
         "{tip: "
         "{position: [1 m, 0, 0]}}" +
         (more.empty() ? "" : ", " + more) + "}\n";
}
const std::string turned = "initial: {axis: [0, 0, 1], angle: 90 deg}";

/// Acceleration of a point through its velocity: the difference over a short time.
double slope(const std::string& model, const std::string& channel) {
  const At start(0, model), later(1e-3, model);
  return (later[channel] - start[channel]) / 1e-3;
}
doctest::Approx roughly(double value) { return doctest::Approx(value).epsilon(1e-2); }

/// Weight on a solid held by ground, and how fast a torque of 1 N m turns it up: mass and inertia about x and z.
void check_solid(const std::string& fields, double mass, double about_x, double about_z) {
  const std::string solid = "s: {" + fields + ", initial: {frame: com}}\n";
  const At held(0, solid + "w: {type: joint.fixed, between: [ground, s.com]}");
  CHECK(held["w.force.z"] == about(10 * mass));
  const std::string ball = "p: {type: joint.spherical, between: [ground, s.com]}\n";
  CHECK(slope(solid + ball + "q: {type: force.torque, at: s, torque: [1 N*m, 0, 0]}",
              "s.angular_velocity.x") == roughly(1 / about_x));
  CHECK(slope(solid + ball + "q: {type: force.torque, at: s, torque: [0, 0, 1 N*m]}",
              "s.angular_velocity.z") == roughly(1 / about_z));
}

constexpr double pi = 3.14159265358979323846;

}  // namespace

Cases space() {
  return {
      // ---- beams
      {"beam.line",
       [] {
         const std::string beam =
             "l: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 2, rectangle: {width: 2 cm, "
             "height: 1 cm}, "
             "material: steel}\nroot: {type: joint.fixed, between: [ground, l.start], at: [0, 0, 0]}\nf: "
             "{type: "
             "force.point, at: l.end, force: ";
         const At weight(0, beam + "[0, 0, 0]}");
         CHECK(weight["l.end.position.x"] == about(1));
         const At pulled(2e-3, beam + "[1 MN, 0, 0]}");
         CHECK(pulled["l.end.strain.x"] > 0);
         CHECK(pulled["l.end.force.x"] > 0);  // tension
         const At lifted(0.02, beam + "[0, 0, 100 N]}");
         CHECK(lifted["l.end.position.z"] > 0);
         CHECK(lifted["l.end.force.z"] > 0);
         CHECK(lifted["l.start.moment.y"] < 0);
         CHECK(lifted["l.start.curvature.y"] < 0);
         const At along(
             0.02,
             "l: {type: beam.line, from: [0, 0, 0], to: [0, 0, 1 m], up: [1, 0, 0], rectangle: "
             "{width: 2 cm, height: "
             "1 cm}, material: steel}\nroot: {type: joint.fixed, between: [ground, l.start], at: [0, 0, 0]}\n"
             "f: {type: force.point, at: l.end, force: [100 N, 0, 0]}");
         CHECK(along["l.end.force.z"] > 0);  // the section's z is up
       }},

      {"beam.cable",
       [] {
         const At at(0.5, R"yaml(
s: {type: body.sphere, radius: 0.1 m, mass: 2 kg, initial: {position: [0, 0, -1 m]}}
c: {type: beam.cable, from: ground, to: s, elements: 1, axial: 1e5 N, mass: 1 g/m, damping: 20 ms}
)yaml");
         CHECK(at["c.tension"] == doctest::Approx(20).epsilon(1e-3));  // it holds the weight
         const At slack(0, R"yaml(
s: {type: body.sphere, radius: 0.1 m, mass: 2 kg, initial: {position: [0, 0, -1 m]}}
c: {type: beam.cable, from: ground, to: s, elements: 1, length: 2 m, axial: 1e5 N, mass: 1 g/m}
)yaml");
         CHECK(std::abs(slack["c.tension"]) < 1e-6);
       }},
      {"body.lumped",
       [] {
         const At at(0, R"yaml(
s: {type: body.sphere, radius: 0.1 m, mass: 2 kg, frames: {side: {position: [0.5 m, 0, 0]}}}
m: {type: body.lumped, at: s.side, mass: 1 kg}
w: {type: joint.fixed, between: [ground, s]}
)yaml");
         CHECK(at["w.force.z"] == about(30));
         CHECK(at["w.torque.y"] == about(-5));  // the weight at x = 0.5 m turns about +y, which is held back
         CHECK(
             slope(
                 "s: {type: body.rigid, mass: 1 kg, inertia: [[1 kg*m^2, 0, 0], [0, 1 kg*m^2, 0], [0, 0, 1 "
                 "kg*m^2]], "
                 "frames: {side: {position: [0.5 m, 0, 0]}}}\nm: {type: body.lumped, at: s.side, mass: 4 kg, "
                 "inertia: [0, "
                 "0, 1 kg*m^2]}\np: {type: joint.revolute, between: [ground, s], axis: [0, 0, 1]}\nq: {type: "
                 "force.torque, at: s, torque: [0, 0, 3 N*m]}",
                 "s.angular_velocity.z") == roughly(1));  // 1 + 4 · 0.5² + 1
       }},
      {"joint.spider",
       [] {
         const At at(0, R"yaml(
a: {type: body.sphere, radius: 0.1 m, mass: 2 kg, initial: {position: [1 m, 0, 0]}}
b: {type: body.sphere, radius: 0.1 m, mass: 3 kg, initial: {position: [0, 1 m, 0]}}
j: {type: joint.spider, hub: ground, feet: {left: a, right: b}}
)yaml");
         CHECK(at["j.left.force.z"] == about(20));
         CHECK(at["j.right.force.z"] == about(30));
         CHECK(std::abs(at["j.left.torque.y"]) < 1e-9);  // at the foot
       }},

      // ---- solids
      {"body.box",
       [] {
         check_solid("type: body.box, size: [1 m, 2 m, 3 m], density: 2 kg/m^3", 12, 13, 5);
         check_solid("type: body.box, size: [1 m, 2 m, 3 m], mass: 12 kg", 12, 13, 5);
       }},
      {"body.cylinder",
       [] {
         check_solid("type: body.cylinder, radius: 1 m, length: 3 m, mass: 12 kg", 12, 12, 6);
         const At at(0,
                     "s: {type: body.cylinder, radius: 1 m, length: 2 m, density: 1 kg/m^3}\nw: {type: "
                     "joint.fixed, between: [ground, s]}");
         CHECK(at["w.force.z"] == about(10 * 2 * pi));
       }},
      {"body.sphere", [] { check_solid("type: body.sphere, radius: 0.5 m, mass: 10 kg", 10, 1, 1); }},
      {"body.capsule",
       [] {  // by its parts: cylinder 2π, half spheres ⅔π each, at 1 + ⅜ from the middle
         const double c = 2 * pi, h = 2 * pi / 3, d = 1 + 3.0 / 8;
         const double x = c * (3 + 4) / 12 + 2 * h * (83.0 / 320 + d * d);
         check_solid("type: body.capsule, radius: 1 m, length: 2 m, density: 1 kg/m^3", c + 2 * h, x,
                     c / 2 + 2 * h * 0.4);
       }},
      {"body.tube",
       [] {
         check_solid("type: body.tube, inner_radius: 1 m, outer_radius: 2 m, length: 3 m, mass: 12 kg", 12,
                     24, 30);
       }},
      {"body.cone",
       [] {
         // m (3/20 r² + 3/80 h²) and 3/10 m r² about the centre of mass, a quarter of the height up.
         check_solid("type: body.cone, radius: 1 m, height: 2 m, mass: 20 kg", 20, 6, 6);
         const At at(0, R"yaml(
s: {type: body.cone, radius: 1 m, height: 2 m, mass: 20 kg}
w: {type: joint.fixed, between: [ground, s], at: [0, 0, 0]}
f: {type: force.point, at: s.com, force: [4 N, 0, 0]}
)yaml");
         CHECK(at["w.torque.y"] == about(-2));  // the push at a height of 0.5 m is held back
       }},
      {"body.composite",
       [] {
         check_solid(
             "type: body.composite, parts: {a: {shape: sphere, radius: 0.5 m, mass: 10 kg, position: [0, 0, "
             "1 "
             "m]}, b: {shape: sphere, radius: 0.5 m, mass: 10 kg, position: [0, 0, -1 m]}}",
             20, 22, 2);
       }},
      {"body.anchor",
       [] {
         const At at(
             0,
             body("initial: {position: [0, 0, 1 m]}") +
                 R"yaml(a: {type: body.anchor, position: [0, 0, 3 m], axis: [0, 0, 1], angle: 90 deg, frames: {left: {position: [1 m, 0, 0]}}}
r: {type: joint.distance, between: [a, b]}
s: {type: force.spring, between: [a.left, b], stiffness: 5 N/m, rest_length: 0}
)yaml");
         CHECK(at["s.length"] == about(std::sqrt(5.0)));
         CHECK(at["r.tension"] == about(20 - 5 * 2));  // the spring carries its part of the height
       }},
      // ---- joints
      {"joint.fixed",
       [] {
         const At at(0, body() + "w: {type: joint.fixed, between: [ground, b], at: [-1 m, 0, 0]}");
         CHECK(at["w.force.z"] == about(20));
         CHECK(at["w.torque.y"] == about(-20));  // the weight at x = +1 from there would turn it nose down
         const At reversed(0, body() + "w: {type: joint.fixed, between: [b, ground]}");
         CHECK(reversed["w.force.z"] == about(-20));
       }},
      {"joint.revolute",
       [] {
         const At at(0, body() +
                            "j: {type: joint.revolute, between: [ground, b], at: [-1 m, 0, 0], axis: [0, 1, "
                            "0], initial: {angle: 90 deg, velocity: 2 rad/s}}");
         CHECK(at["j.angle"] == about(pi / 2));
         CHECK(at["j.velocity"] == about(2));
         CHECK(at["b.position.x"] == about(-1));  // about y, x turns to −z
         CHECK(at["b.position.z"] == about(-1));
         CHECK(at["b.velocity.x"] == about(-2));
         CHECK(at["j.force.z"] == doctest::Approx(0));  // along the axis
         const At driven(0, body() +
                                "j: {type: joint.revolute, between: [ground, b], axis: [0, 0, 1]}\nm: {type: "
                                "rotational.torque, at: j, value: 5 N*m}\nw: {type: sensor.gyro, at: b}");
         CHECK(slope(body() + "j: {type: joint.revolute, between: [ground, b], axis: [0, 0, 1]}\nm: {type: "
                              "rotational.torque, at: j, value: 5 N*m}",
                     "j.velocity") == roughly(2));
         const At turns(10, body() +
                                "j: {type: joint.revolute, between: [ground, b], axis: [0, 0, 1], initial: "
                                "{velocity: -7 rad/s}}");
         CHECK(turns["j.angle"] == about(-70));  // through whole turns
       }},
      {"joint.prismatic",
       [] {
         const At at(0,
                     body() +
                         "j: {type: joint.prismatic, between: [ground, b], axis: [1, 0, 0], initial: "
                         "{displacement: 0.5 m, velocity: -2 m/s}}\nf: {type: force.point, at: b, force: [6 "
                         "N, 3 N, 0]}");
         CHECK(at["b.position.x"] == about(0.5));
         CHECK(at["b.velocity.x"] == about(-2));
         CHECK(at["j.displacement"] == about(0.5));
         CHECK(at["j.velocity"] == about(-2));
         CHECK(slope(body() + "j: {type: joint.prismatic, between: [ground, b], axis: [1, 0, 0]}\nf: {type: "
                              "translational.force, at: j, value: 6 N}",
                     "j.velocity") == roughly(3));
       }},
      {"joint.cylindrical",
       [] {
         const At at(0.1, body() +
                              "j: {type: joint.cylindrical, between: [ground, b], axis: [1, 0, 0], initial: "
                              "{displacement: 0.5 m, velocity: 2 m/s, angle: 1 rad, angular_velocity: 3 "
                              "rad/s}}");
         CHECK(at["j.displacement"] == about(0.7));
         CHECK(at["j.angle"] == about(1.3));
         CHECK(at["b.angular_velocity.x"] == about(3));
         CHECK(at["b.position.x"] == about(0.7));
       }},
      {"joint.planar",
       [] {
         const At at(0.1,
                     body() +
                         "j: {type: joint.planar, between: [ground, b], initial: {x: 0.5 m, y_velocity: 2 "
                         "m/s, angle: 1 rad, angular_velocity: 3 rad/s}}");
         CHECK(at["j.x"] == about(0.5));
         CHECK(at["b.position.y"] == about(0.2));
         CHECK(at["j.y"] == about(0.2));
         CHECK(at["j.y_velocity"] == about(2));
         CHECK(at["j.angle"] == about(1.3));
         CHECK(at["j.force.z"] == about(20));
       }},
      {"joint.universal",
       [] {
         const At first(0, body() +
                               "j: {type: joint.universal, between: [ground, b], at: [0, 0, 0], initial: "
                               "{angle_a: 0.5 rad, velocity_b: 2 rad/s}}");
         CHECK(first["j.angle_a"] == about(0.5));
         CHECK(first["j.velocity_b"] == about(2));
         CHECK(first["b.quaternion.x"] == about(std::sin(0.25)));
         CHECK(first["b.angular_velocity.y"] == about(2));
       }},
      {"joint.distance",
       [] {
         const At at(0, body("initial: {position: [0, 0, -3 m]}") +
                            "j: {type: joint.distance, between: [ground, b]}");
         CHECK(at["j.tension"] == about(20));
         CHECK(at["j.force.z"] == about(20));
       }},
      {"joint.point_on_line",
       [] {
         const std::string model =
             body() + "j: {type: joint.point_on_line, between: [ground, b], axis: [1, 0, -1]}";
         const At at(0, model);
         CHECK(at["j.displacement"] == doctest::Approx(0));
         CHECK(slope(model, "j.velocity") == roughly(10 / std::sqrt(2.0)));
       }},
      {"joint.point_on_plane",
       [] {
         const At at(0.1, body("initial: {velocity: [1 m/s, 2 m/s, 0]}") +
                              "j: {type: joint.point_on_plane, between: [ground, b]}");
         CHECK(at["j.x"] == about(0.1));
         CHECK(at["j.y"] == about(0.2));
         CHECK(at["j.y_velocity"] == about(2));
         CHECK(at["j.force.z"] == about(20));
       }},
      {"joint.rolling_sphere",
       [] {
         const At at(0.1, R"yaml(
s: {type: body.sphere, radius: 0.5 m, mass: 10 kg, initial: {position: [0, 0, 0.5 m], velocity: [1 m/s, 0, 0], angular_velocity: [0, 2 rad/s, 0]}}
j: {type: joint.rolling_sphere, at: s, radius: 0.5 m}
f: {type: force.point, at: s, force: [14 N, 0, 0]}
)yaml");
         CHECK(at["s.velocity.x"] == about(1.1));  // 14 N on 10 kg and 1 kg m² at 0.5 m: 1 m/s²
         CHECK(at["j.contact.x"] == about(0.105));
         CHECK(at["j.normal_force"] == about(100));
         CHECK(at["j.grip_force.x"] == about(-4));
       }},
      {"joint.rolling_wheel",
       [] {
         const At at(0.1, R"yaml(
s: {type: body.rigid, mass: 10 kg, principal_inertia: [1 kg*m^2, 1.6 kg*m^2, 1 kg*m^2], initial: {position: [0, 0, 0.5 m], velocity: [1 m/s, 0, 0], angular_velocity: [0, 2 rad/s, 0]}}
j: {type: joint.rolling_wheel, at: s, radius: 0.4 m, section: 0.1 m}
f: {type: force.torque, at: s, torque: [0, 4.1 N*m, 0]}
)yaml");
         CHECK(at["s.velocity.x"] == about(1.05));  // 4.1/0.5 N on 10 + 1.6/0.25 kg: 0.5 m/s²
         CHECK(at["j.normal_force"] == about(100));
         CHECK(at["j.grip_force.x"] == about(5));
       }},
      {"joint.knife_edge",
       [] {
         const At at(0,
                     body("initial: {velocity: [3 m/s, 0, 0], angular_velocity: [0, 0, 2 rad/s]}") +
                         "p: {type: joint.planar, between: [ground, b]}\nj: {type: joint.knife_edge, at: b}");
         CHECK(at["j.force"] == about(12));  // to the left, towards the centre of the turn: m v ω
       }},
      {"joint.expression",
       [] {
         const At at(
             0,
             body() +
                 R"yaml(j: {type: joint.expression, between: [ground, b], holonomic: "b.z + (0.1 s)*b.x/(1 s)", nonholonomic: "b.wz - (2 rad/m)*b.vx"})yaml");
         CHECK(at["j.multiplier.1"] < 0);  // the load along +z is minus the multiplier
       }},
      // ---- forces
      {"force.point",
       [] {
         const std::string held = "w: {type: joint.fixed, between: [ground, b], at: [0, 0, 0]}\n";
         const At world(0, body(turned) + held + "f: {type: force.point, at: b.tip, force: [3 N, 0, 0]}");
         CHECK(world["w.force.x"] == about(-3));
         CHECK(world["w.torque.z"] == about(3));  // at (0, 1, 0) the push to +x turns it by −3
         const At own(
             0, body(turned) + held + "f: {type: force.point, at: b.tip, force: [0, 3 N, 0], axes: frame}");
         CHECK(own["w.force.x"] == about(3));  // its y is −x of the world
         CHECK(own["w.torque.z"] == about(-3));
         const At signal(0,
                         body() + held +
                             "k: {type: control.constant, value: 3 N, unit: N}\nn: {type: control.constant, "
                             "value: 0, unit: N}\nf: {type: force.point, at: b, input: [n, k, n]}");
         CHECK(signal["w.force.y"] == about(-3));
       }},
      {"force.torque",
       [] {
         const std::string held = "w: {type: joint.fixed, between: [ground, b]}\n";
         const At world(0, body(turned) +
                               "w: {type: joint.fixed, between: [ground, b], at: [0, 0, 0]}\nf: {type: "
                               "force.torque, at: b, torque: [3 N*m, 0, 0]}");
         CHECK(world["w.torque.x"] == about(-3));
         const At own(0, body(turned) +
                             "w: {type: joint.fixed, between: [ground, b], at: [0, 0, 0]}\nf: {type: "
                             "force.torque, at: b, torque: [0, 3 N*m, 0], axes: frame}");
         CHECK(own["w.torque.x"] == about(3));
       }},
      {"force.spring",
       [] {
         const At at(0,
                     body("initial: {position: [0, 0, -3 m], velocity: [0, 0, -0.5 m/s]}") +
                         "s: {type: force.spring, between: [ground, b], stiffness: 6 N/m, damping: 4 N*s/m, "
                         "rest_length: 1 m}");
         CHECK(at["s.length"] == about(3));
         CHECK(at["s.velocity"] == about(0.5));
         CHECK(at["s.force"] == about(14));
         CHECK(slope(body("initial: {position: [0, 0, -3 m]}") +
                         "s: {type: force.spring, between: [ground, b], stiffness: 6 N/m, rest_length: 1 m}",
                     "b.velocity.z") == roughly(-4));
       }},
      {"force.torsion",
       [] {
         const std::string model = body("initial: {axis: [0, 0, 1], angle: 1 rad}") +
                                   "s: {type: force.torsion, between: [ground, b], stiffness: 6 N*m/rad, "
                                   "rest_angle: 0.5 rad}\np: {type: joint.spherical, between: [ground, b]}";
         const At at(0, model);
         CHECK(at["s.angle"] == about(1));
         CHECK(at["s.torque"] == about(3));
         CHECK(slope(model, "b.angular_velocity.z") == roughly(-1.2));
       }},
      {"force.bushing",
       [] {
         const std::string model =
             body("initial: {position: [0.5 m, 0, 0], axis: [0, 0, 1], angle: 1 rad}") +
             "s: {type: force.bushing, between: [ground, b], translation_stiffness: [6 N/m, 1 "
             "N/m, 40 N/m], rotation_stiffness: [1 N*m/rad, 1 N*m/rad, 5 N*m/rad]}";
         const At at(0, model);
         CHECK(at["s.translation.x"] == about(0.5));
         CHECK(at["s.rotation.z"] == about(1));
         CHECK(at["s.force.x"] == about(3));
         CHECK(at["s.torque.z"] == about(5));
         CHECK(slope(model, "b.velocity.x") == roughly(-1.5));
         CHECK(slope(model, "b.angular_velocity.z") == roughly(-2));
       }},
      {"force.expression",
       [] {
         const std::string model =
             body("initial: {position: [0.5 m, 0, 0]}") +
             "f: {type: force.expression, at: b, force: [\"(8 N/m)*x\", 0, 20 N], torque: [0, "
             "0, 5 N*m]}";
         const At at(0, model);
         CHECK(at["f.force.x"] == about(4));
         CHECK(slope(model, "b.velocity.x") == roughly(2));
         CHECK(slope(model, "b.angular_velocity.z") == roughly(2));
       }},
      {"force.drag",
       [] {
         const At at(0, body("initial: {velocity: [3 m/s, 0, 4 m/s]}") +
                            "f: {type: force.drag, at: b, linear: 1 N*s/m, quadratic: 2 N*s^2/m^2}");
         CHECK(at["f.force.x"] == about(-33));
         CHECK(at["f.force.z"] == about(-44));
         const At wind(0, body() + R"yaml(n: {type: control.constant, value: 0, unit: m/s}
k: {type: control.constant, value: 2 m/s, unit: m/s}
f: {type: force.drag, at: b, linear: 3 N*s/m, wind: [n, k, n]}
)yaml");
         CHECK(wind["f.force.y"] == about(6));
       }},
      // ---- sensors
      {"sensor.accelerometer",
       [] {
         const At rest(0, body(turned) +
                              "w: {type: joint.fixed, between: [ground, b], at: [0, 0, 0]}\ns: {type: "
                              "sensor.accelerometer, at: b.tip}");
         CHECK(rest["s.output.3"] == about(10));
         const At falling(0, body() + "s: {type: sensor.accelerometer, at: b.tip}");
         CHECK(falling["s.output.3"] == doctest::Approx(0));
         const At spinning(0, body("initial: {angular_velocity: [0, 0, 2 rad/s]}") +
                                  "s: {type: sensor.accelerometer, at: b.tip}");
         CHECK(spinning["s.output.1"] == about(-4));  // towards the axis
       }},
      {"sensor.gyro",
       [] {
         const At at(
             0,
             body(
                 "initial: {axis: [0, 0, 1], angle: 90 deg, angular_velocity: [1 rad/s, 2 rad/s, 3 rad/s]}") +
                 "s: {type: sensor.gyro, at: b.tip}");
         CHECK(at["s.output.1"] == about(1));
         CHECK(at["s.output.2"] == about(2));
         CHECK(at["s.output.3"] == about(3));
       }},
  };
}

}  // namespace escapement::signs
