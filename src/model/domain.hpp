// Domains: what a node of each kind of connection is. Connections are shared unknowns, as nets are in a netlist. A further domain is
// one more name here and one more entry of the table in domain.cpp.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "core/system.hpp"

namespace escapement {

enum class Domain { translational, rotational, planar, frame, electrical };
inline constexpr std::array all_domains = {Domain::translational, Domain::rotational, Domain::planar,
                                           Domain::frame, Domain::electrical};

/// A channel every node of a domain has: position, velocity, … and its parts ("xy" for .x and .y).
struct NodeOutput {
  const char* name;
  const char* unit;
  const char* parts;  // "": a single number
  int rate;           // 0 the value, 1 its rate, 2 its acceleration
  const char* summary;
  int width() const { return *parts ? static_cast<int>(std::string_view(parts).size()) : 1; }
};

struct DomainInfo {
  const char* name;      // as in `nodes: {translational: […]}`
  const char* node;      // what a node is called in messages
  const char* quantity;  // name of the unknown: `mass.position`
  std::span<const NodeOutput> outputs;
  bool declared;  // may nodes stand under `nodes:`?
  int values;     // numbers that hold the unknown
  /// The unknown of a node, by its full name.
  Handle (*make)(SystemBuilder&, const std::string& name);
};
const DomainInfo& info(Domain domain);

/// The unknown of a node, named `path.quantity`.
Handle make_node(SystemBuilder& builder, Domain domain, const std::string& path);

}  // namespace escapement
