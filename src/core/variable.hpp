// Kinds as data, manifolds, and the typed handles by which elements name their unknowns.
#pragma once
#include <string>
#include <vector>

#include "math/rotation.hpp"

namespace escapement {

/// What an unknown is, and so what its row is and how it is integrated (docs/theory.md, T-one-2).
enum class Kind { position, state, algebraic, holonomic, nonholonomic };
inline constexpr int kind_count = 5;
const char* name_of(Kind kind);
/// "momentum balance", "rate law", … : what the row of such an unknown says.
const char* equation_of(Kind kind);

/// Where a position lives. Every other kind lives on ℝⁿ. A frame in space moves on SE(3), or on ℝ³×SO(3): one of the two
/// for all frames of a system (docs/decisions/0009).
enum class Manifold { vector, so3, se3, r3so3 };

/// What a number measures, where that counts: lengths and angles are not compared with each other, and an angle is of the size of
/// a turn, however far it has turned.
enum class Extent { other, length, angle };

/// What a state is in a network, as circuits are. Branches may be as steep as exponentials: Newton's method goes on without damping
/// at last (T-newton-5), and iterates all states alike (T-error-7). Nodes follow their sources: what lies between the ends of steps
/// counts, too (T-error-8), and the search for an operating point may let something leak there (T-operating-3).
enum class Network { none, branch, node };

/// One unknown of a system and its row: everything messages, norms and numbering need.
struct Variable {
  Kind kind;
  Manifold manifold;
  int values;  // numbers that hold it (4 for a rotation)
  int dofs;    // unknowns and rows (3 for a rotation)
  std::string name;
  std::string unit;      // of the unknown
  std::string equation;  // what its row balances; empty: the kind's own wording
  double nominal;        // usual magnitude of the unknown, in `unit`
  double row_nominal;    // usual magnitude of its row (violation of a constraint, defect of a balance)
  std::string row_unit;  // of its row; empty: not known
  std::vector<std::string> parts;       // what each of its rows says; empty: `equation` for all
  std::vector<std::string> part_units;  // of its rows, where they differ; empty: `row_unit` for all
  Extent extent;                        // what the unknown measures, on a vector space
  Extent row_extent;                    // … and what its row does
  std::vector<Extent> part_extents;     // of its rows, where they differ; empty: `row_extent` for all
  bool starts_steady;                   // a state whose start an operating point finds (T-operating)
  Network network;                      // what a state is in a network
  bool stated = false;                  // the model states the nominal magnitude
  int value = 0;                        // first index into State::value  (set by System)
  int row = 0;                          // first row                      (set by System)

  /// What its part measures: a frame has lengths first, then angles.
  Extent extent_of(int part) const {
    if (manifold == Manifold::vector) return extent;
    return part < dofs - 3 ? Extent::length : Extent::angle;
  }
};

/// How a variable is described when it is made.
struct Description {
  std::string unit = "1";
  double nominal = 1.0;
  double row_nominal = 1.0;
  std::string equation = {};
  std::string row_unit = {};
  std::vector<std::string> parts = {};
  std::vector<std::string> part_units = {};
  Extent extent = Extent::other;
  Extent row_extent = Extent::other;
  std::vector<Extent> part_extents = {};
  bool starts_steady = false;
  Network network = Network::none;
};

// ------------------------------------------------------------------ handles
// A handle is a number that stands for a variable, typed by kind and size so that kernels cannot mix them up.
// The default handle is ground: it reads as zero (identity) and swallows what flows into it.

struct Handle {
  int variable = -1;   // index into the system's variables; -1 is ground
  int local = -1;      // first slot among the element's values of that sort (set when the element is added)
  int local_row = -1;  // first slot among the element's rows
  const void* origin = nullptr;  // the builder it was made by
  bool is_ground() const { return variable < 0; }
};

/// A position on ℝⁿ.
template <int n>
struct Position : Handle {
  static constexpr Kind kind = Kind::position;
  static constexpr Manifold manifold = Manifold::vector;
  static constexpr int values = n, dofs = n;
};
/// A rotation; its velocity is the angular velocity in body axes.
struct Orientation : Handle {
  static constexpr Kind kind = Kind::position;
  static constexpr Manifold manifold = Manifold::so3;
  static constexpr int values = 4, dofs = 3;
};
/// A frame in space (rotation and origin); its velocity is (linear, angular), the angular in body axes, the linear in
/// world axes on ℝ³×SO(3), in body axes on SE(3). Values::linear_velocity and push() hide the difference.
struct Pose : Handle {
  static constexpr Kind kind = Kind::position;
  static constexpr Manifold manifold = Manifold::se3;  // or r3so3: Values::frames tells
  static constexpr int values = 7, dofs = 6;
};
template <int n, Kind k>
struct Unknown : Handle {
  static constexpr Kind kind = k;
  static constexpr Manifold manifold = Manifold::vector;
  static constexpr int values = n, dofs = n;
};
template <int n>
using StateVariable = Unknown<n, Kind::state>;
template <int n>
using Signal = Unknown<n, Kind::algebraic>;
template <int n>
using Multiplier = Unknown<n, Kind::holonomic>;
template <int n>
using SlipMultiplier = Unknown<n, Kind::nonholonomic>;

}  // namespace escapement
