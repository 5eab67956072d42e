#include "components/translational/spring.hpp"

#include "model/component.hpp"

namespace escapement {

ComponentType rotational_spring() {
  ComponentType type("rotational.spring",
                     "A torsion spring between two shafts: linear, by points, or by an expression.");
  type.description =
      "torque = stiffness · angle, with angle = B − A − rest_angle; or torque = a function of angle (and of "
      "its rate, `velocity`). Beyond its ends a table goes on along its last slope.";
  type.connects(between(Domain::rotational));
  type.takes(number("stiffness", "N*m/rad", "torque per angle").at_least(0).one_of("the law of the spring"));
  type.takes(table("table", "rad", "N*m", "points [angle, torque], or a CSV file of two columns in SI")
                 .one_of("the law of the spring"));
  type.takes(expression("law", "N*m", {{"angle", "rad"}, {"velocity", "rad/s"}},
                        "torque as an expression of `angle` and `velocity`")
                 .one_of("the law of the spring"));
  type.takes(choice("interpolation", {"linear", "smooth"},
                    "between the points of a table: straight lines, or a monotone cubic")
                 .otherwise("linear"));
  type.takes(number("rest_angle", "rad", "angle B − A at which the spring is relaxed").otherwise("0 rad"));
  type.gives({"torque", "N*m", "torque, positive when B is turned ahead of A"});
  type.gives({"angle", "rad", "B − A − rest_angle"});
  type.signs =
      "The angle is B relative to A. A positive torque turns A in the positive direction and B in the "
      "negative one.";
  type.shape = {"spring"};
  type.example = R"yaml(
motor: {type: rotational.inertia, inertia: 0.1 kg*m^2, initial: {angle: 0.3 rad}}
hard: {type: rotational.spring, law: "(4 N*m/rad)*angle + (20 N*m/rad^3)*angle^3 + (0.1 N*m*s/rad)*velocity", between: [ground, motor]}
load: {type: rotational.inertia, inertia: 0.3 kg*m^2}
coupling: {type: rotational.spring, table: [[-20 deg, -10 N*m], [0, 0], [0.2 rad, 5 N*m]], interpolation: smooth, between: [motor, load]}
bar: {type: rotational.spring, stiffness: 2 N*m/rad, rest_angle: 10 deg, between: [ground, load]}
)yaml";
  type.build = [](Build& b) { translational::build_spring(b, "law", "torque", "angle", "rest_angle"); };
  return type;
}

}  // namespace escapement
