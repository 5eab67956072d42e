// Scene: what the parts of a model look like and how they hang together, for pictures.
#pragma once
#include <array>
#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/variable.hpp"
#include "model/domain.hpp"

namespace escapement {

struct Scene {
  /// A place on something that moves, or on ground.
  struct End {
    int variable = -1;  // -1: ground
    Frame<double> on_node{};
  };
  /// What a piece of a beam bears in its middle, in the axes of its section there: strain (elongation, two of shear), curvature (twist,
  /// two of bending; 1/m), force (N), moment (N·m). Of a cable only the elongation and the axial force.
  using Bearing = std::array<double, 12>;
  /// Where an end is.
  using Places = std::function<Frame<double>(const End&)>;
  /// A solid or a mark at one end, or something that stretches between two. Sizes in m: box x, y, z; cylinder radius,
  /// length; capsule radius, length between the centres of its ends; tube inner and outer radius, length; cone radius,
  /// height (base at the end); sphere radius; wheel radius, radius of its section. Their axis is z. None: a mark.
  struct Part {
    std::string primitive;
    std::vector<double> size;
    std::vector<End> ends;
    int beam = -1;                                       // of a piece of a beam: which of `beams` …
    std::function<Bearing(const Places&)> bearing = {};  // … and what it bears there
  };
  /// What a section looks like, y and z its axes; sizes in m: rectangle width (along y), height (along z); ellipse half axes along y
  /// and z; tube outer and inner radius; hollow_box width, height, wall; i_beam width, height, flange, web.
  struct Outline {
    std::string shape;
    std::vector<double> size;
    auto operator<=>(const Outline&) const = default;
  };
  /// What pieces of beams look like, between two ends, x along them.
  struct Beam {
    Outline outline;
    double youngs_modulus = 0;  // Pa; 0: not known, and so are stresses
    bool cable = false;         // straight, and its ends may be points
    auto operator<=>(const Beam&) const = default;
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
    std::optional<Domain> domain;  // none: a point in space
  };
  std::vector<Component> components;  // as those of the model
  std::vector<Beam> beams;            // all that differ
  std::vector<Node> nodes;            // what the parts hang on
};

}  // namespace escapement
