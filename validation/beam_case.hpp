// What validation cases of beams share: the nodes of a beam.line, its momentum and that of its spin.
#pragma once
#include "mechanism.hpp"

namespace escapement::validation {

struct NodeMotion {
  Frame<double> frame;
  Vector3 velocity, angular_velocity;  // world axes, body axes
};

/// The nodes of a beam, from `from` to `to`.
inline std::vector<NodeMotion> nodes_of(const System& system, const State& s, const std::string& beam) {
  std::vector<NodeMotion> nodes;
  for (const Variable& v : system.variables()) {
    if (v.kind != Kind::position || (v.name != beam + ".pose" && v.name.rfind(beam + ".node", 0) != 0))
      continue;
    const double *q = &s.value[v.value], *r = &s.rate[v.row];
    NodeMotion node{
        {{q[0], {{q[1], q[2], q[3]}}}, {{q[4], q[5], q[6]}}}, {{r[0], r[1], r[2]}}, {{r[3], r[4], r[5]}}};
    if (v.manifold == Manifold::se3) node.velocity = node.frame.R * node.velocity;
    nodes.push_back(node);
  }
  return nodes;
}

struct Momentum {
  Vector3 linear{}, angular{};  // about the origin
};

/// Of a beam of this mass and these inertias per length, with the mass matrix of T-beam-3.
inline Momentum momentum(const std::vector<NodeMotion>& nodes, double length, double mass,
                         const Vector3& inertia) {
  const double segment = length / static_cast<double>(nodes.size() - 1), m = mass * segment / 6;
  Momentum sum;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double share = (i == 0 || i + 1 == nodes.size() ? 0.5 : 1.0) * segment;
    Vector3 spin = nodes[i].angular_velocity;
    for (int k = 0; k < 3; ++k) spin[k] *= share * inertia[k];
    sum.angular += nodes[i].frame.R * spin;
    if (i == 0) continue;
    const NodeMotion &a = nodes[i - 1], &b = nodes[i];
    const Vector3 at_a = m * (2.0 * a.velocity + b.velocity), at_b = m * (a.velocity + 2.0 * b.velocity);
    sum.linear += at_a + at_b;
    sum.angular += cross(a.frame.x, at_a) + cross(b.frame.x, at_b);
  }
  return sum;
}

}  // namespace escapement::validation
