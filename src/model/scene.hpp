// Scene: what the parts of a model look like and how they hang together, for pictures.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/variable.hpp"
#include "model/domain.hpp"

namespace escapement {

class Model;

struct Scene {
  /// A place on something that moves, or on ground.
  struct End {
    int variable = -1;  // -1: ground
    Frame<double> on_node{};
  };
  /// A solid or a mark at one end, or something that stretches between two. Sizes in m: box x, y, z; cylinder radius,
  /// length; capsule radius, length between the centres of its ends; tube inner and outer radius, length; cone radius,
  /// height (base at the end); sphere radius; wheel radius, radius of its section. Their axis is z. None: a mark.
  struct Part {
    std::string primitive;
    std::vector<double> size;
    std::vector<End> ends;
  };
  /// Three channels that are a force or torque at an end, in the axes of an end (-1: world).
  struct Arrow {
    std::string output;
    int end, axes;
  };
  struct Connection {
    std::string port, to;  // a component, a declared node or `ground`
    bool signal;
  };
  struct Component {
    std::vector<Part> parts;
    std::vector<Arrow> arrows;
    std::vector<Connection> connections;
  };
  struct Node {
    int variable;
    std::string name;
    Domain domain;
  };
  std::vector<Component> components;  // as those of the model
  std::vector<Node> nodes;            // what the parts hang on
};

/// What the ports of each component name.
std::vector<std::vector<Scene::Connection>> connections(const Model& model);

}  // namespace escapement
