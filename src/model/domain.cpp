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
// The unknown of a frame is a pose: what a user reads of it are outputs of the body.
constexpr DomainInfo domains[domain_count] = {
    {"translational", "a slider", "position", "m", translational},
    {"rotational", "a shaft", "angle", "rad", rotational},
    {"planar", "a point of the plane", "position", "m", planar},
    {"frame", "a frame of a body", "pose", "m", {}},
    {"electrical", "an electrical node", "voltage", "V", electrical}};

}  // namespace

const DomainInfo& info(Domain domain) { return domains[static_cast<int>(domain)]; }

Handle make_node(SystemBuilder& builder, Domain domain, const std::string& path) {
  const DomainInfo& d = info(domain);
  const std::string name = path + "." + d.quantity;
  switch (domain) {
    case Domain::translational:
      return builder.position<1>(
          name, {.unit = d.unit, .equation = "force balance", .row_unit = "N", .extent = Extent::length});
    case Domain::rotational:
      return builder.position<1>(
          name, {.unit = d.unit, .equation = "torque balance", .row_unit = "N*m", .extent = Extent::angle});
    case Domain::planar:
      return builder.position<2>(
          name, {.unit = d.unit, .equation = "force balance", .row_unit = "N", .extent = Extent::length});
    case Domain::electrical:
      return builder.state<1>(name, {.unit = d.unit,
                                     .equation = "current balance",
                                     .row_unit = "A",
                                     .starts_steady = true,
                                     .network = Network::node});
    default:
      return builder.pose(name,
                          {.unit = d.unit, .equation = "force and torque balance", .row_unit = "N, N*m"});
  }
}

}  // namespace escapement
