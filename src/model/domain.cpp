#include "model/domain.hpp"

namespace escapement {
namespace {

constexpr NodeOutput translational[] = {{"position", "m", "", 0, "position"},
                                        {"velocity", "m/s", "", 1, "velocity"},
                                        {"acceleration", "m/s^2", "", 2, "acceleration"}};
constexpr NodeOutput rotational[] = {{"angle", "rad", "", 0, "angle, counted through whole turns"},
                                     {"velocity", "rad/s", "", 1, "angular velocity"},
                                     {"acceleration", "rad/s^2", "", 2, "angular acceleration"}};
constexpr NodeOutput planar[] = {{"position", "m", "xy", 0, "position"},
                                 {"velocity", "m/s", "xy", 1, "velocity"},
                                 {"acceleration", "m/s^2", "xy", 2, "acceleration"}};
constexpr NodeOutput electrical[] = {{"voltage", "V", "", 0, "potential against ground"}};

constexpr DomainInfo domains[] = {
    {"translational", "a slider", "position", translational, true, Position<1>::values,
     [](SystemBuilder& builder, const std::string& name) -> Handle {
       return builder.position<1>(
           name, {.unit = "m", .equation = "force balance", .row_unit = "N", .extent = Extent::length});
     }},
    {"rotational", "a shaft", "angle", rotational, true, Position<1>::values,
     [](SystemBuilder& builder, const std::string& name) -> Handle {
       return builder.position<1>(
           name, {.unit = "rad", .equation = "torque balance", .row_unit = "N*m", .extent = Extent::angle});
     }},
    {"planar", "a point of the plane", "position", planar, true, Position<2>::values,
     [](SystemBuilder& builder, const std::string& name) -> Handle {
       return builder.position<2>(
           name, {.unit = "m", .equation = "force balance", .row_unit = "N", .extent = Extent::length});
     }},
    // The unknown of a frame is a pose: what a user reads of it are outputs of the body.
    {"frame",
     "a frame of a body",
     "pose",
     {},
     false,
     Pose::values,
     [](SystemBuilder& builder, const std::string& name) -> Handle {
       return builder.pose(name, {.unit = "m", .equation = "force and torque balance", .row_unit = "N, N*m"});
     }},
    {"electrical", "an electrical node", "voltage", electrical, true, StateVariable<1>::values,
     [](SystemBuilder& builder, const std::string& name) -> Handle {
       return builder.state<1>(name, {.unit = "V",
                                      .equation = "current balance",
                                      .row_unit = "A",
                                      .starts_steady = true,
                                      .network = Network::node});
     }}};
static_assert(std::size(domains) == all_domains.size());

}  // namespace

const DomainInfo& info(Domain domain) { return domains[static_cast<int>(domain)]; }

Handle make_node(SystemBuilder& builder, Domain domain, const std::string& path) {
  const DomainInfo& d = info(domain);
  return d.make(builder, path + "." + d.quantity);
}

}  // namespace escapement
