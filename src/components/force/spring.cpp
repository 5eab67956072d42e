#include "components/force/spring.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::force::SpringDamper>;

namespace escapement {
namespace {

void build_spring(Build& b) {
  const AttachedFrame A = b.frame("between", 0), B = b.frame("between", 1);
  const double design = norm(B.design.x - A.design.x);
  if (!(design > 0))
    b.refuse("E-TOPOLOGY", "between",
             "the two points coincide in the design position: the spring has no direction",
             "move one of them, or use force.bushing");
  const double rest = b.has("rest_length") ? b.number("rest_length") : design;
  const ElementId id = b.add(force::SpringDamper{A.node, B.node, A.on_node.x, B.on_node.x,
                                                 b.number("stiffness"), b.number("damping"), rest});
  b.channel("force", id, 0);
  b.channel("length", id, 1);
  b.channel("velocity", id, 2);
  b.channel("elongation", id, 3);
}

}  // namespace

ComponentType force_spring() {
  ComponentType type("force.spring", "A spring and damper along the line between two points of bodies.");
  type.description =
      "With the distance l of the two points\n\n"
      "    force = stiffness · (l − rest_length) + damping · dl/dt\n\n"
      "along the line between them. Where the points meet the direction is lost, and the run ends with a "
      "message.";
  type.connects(between(Domain::frame));
  type.takes(number("stiffness", "N/m", "force per elongation").at_least(0));
  type.takes(number("damping", "N*s/m", "force per rate of elongation").at_least(0).otherwise("0"));
  type.takes(number("rest_length", "m", "at which it is relaxed; its length in the design position if absent")
                 .at_least(0)
                 .optional());
  type.gives(OutputType{"force", "N", "force, positive in tension"}.as_preload());
  type.gives({"length", "m", "distance of the points"});
  type.gives({"velocity", "m/s", "rate of the length"});
  type.gives(OutputType{"elongation", "m", "length − rest_length", "", false, false}.as_preload());
  type.signs = "A positive force is tension: it pulls the points together.";
  type.shape = {"spring"};
  type.example = R"yaml(
bob: {type: body.sphere, radius: 0.05 m, mass: 2 kg, initial: {position: [0.3 m, 0, -1 m]}}
spring: {type: force.spring, between: [ground, bob], stiffness: 200 N/m, damping: 1 N*s/m, rest_length: 0.9 m}
)yaml";
  type.build = build_spring;
  return type;
}

}  // namespace escapement
