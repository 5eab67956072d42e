// Where bodies start: their own `initial`, moved by the joint coordinates that joints give.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/variable.hpp"

namespace escapement {

/// A frame fixed to a body, or to ground: the node, where it sits there, and where it is in the design position.
struct AttachedFrame {
  Pose node;
  Frame<double> on_node{}, design{};
};

/// The frames of a body by name ("" is its reference frame), relative to its node, and where the node starts. A flexible body
/// has further nodes.
struct BodyFrames {
  struct Named {
    std::string name;
    Frame<double> on_node{};
    int node = 0;  // which one; 0 the first
  };
  std::vector<Named> frames;
  Frame<double> pose{};                // of the (first) node, in the design position
  std::vector<Frame<double>> further;  // of the others
  Vector3 velocity{};                  // of the node, world axes
  Vector3 angular_velocity{};          // body axes
  bool velocity_given = false;
};

/// A joint that ties two bodies, for placing them: what is given of its coordinates at the start.
struct JointStart {
  std::string path;
  Pose a, b;
  Frame<double> on_a, on_b;
  std::optional<Frame<double>> relative = {};  // marker B in marker A
  struct Rate {
    Vector3 linear, angular;  // of marker B relative to marker A, in the axes of marker A
  };
  std::optional<Rate> rate = {};
  bool kept = false;  // `fixed`: the start will see to it
};

struct BodyStart {
  int variable;
  BodyFrames* body;
};

/// Moves the bodies so that the joints have the coordinates given; outwards from ground, carrying along what hangs on
/// them. Returns the joints whose coordinates could not be given that way, because they close a loop.
std::vector<const JointStart*> place_bodies(const std::vector<BodyStart>& bodies,
                                            const std::vector<JointStart>& joints);

}  // namespace escapement
