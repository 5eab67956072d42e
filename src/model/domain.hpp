// Domains: what a node of each kind of connection is. Connections are shared unknowns, as nets are in a netlist.
#pragma once
#include <span>
#include <string_view>

#include "core/system.hpp"

namespace escapement {

enum class Domain { translational, rotational, planar, frame, electrical };
inline constexpr int domain_count = 5;

/// A channel every node of a domain has: position, velocity, … and its parts ("xy" for .x and .y).
struct NodeOutput {
  const char* name;
  const char* unit;
  const char* parts;  // "": a single number
  int rate;           // 0 the value, 1 its rate, 2 its acceleration
  const char* summary;
};

struct DomainInfo {
  const char* name;      // as in `nodes: {translational: […]}`
  const char* node;      // what a node is called in messages
  const char* quantity;  // name of the unknown: `mass.position`
  const char* unit;
  std::span<const NodeOutput> outputs;
};
const DomainInfo& info(Domain domain);

/// The unknown of a node, named `path.quantity`.
Handle make_node(SystemBuilder& builder, Domain domain, const std::string& path);

}  // namespace escapement
