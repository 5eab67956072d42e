#include "components/force/bushing.hpp"

#include <fmt/format.h>

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::force::Bushing>;

namespace escapement {
namespace {

using Square = std::array<std::array<double, 6>, 6>;

/// The full matrix, which must be symmetric with nothing negative on its diagonal, and the diagonal parts.
Square coefficients(const Build& b, const std::string& name) {
  Square M{};
  if (b.has(name)) {
    const MatrixValue& given = b.matrix(name);
    if (given.rows != 6 || given.columns != 6)
      b.refuse("E-WIDTH", name, fmt::format("is {}×{}, needs 6×6", given.rows, given.columns),
               "rows and columns x, y, z, and the turns about x, y, z");
    double size = 0;
    for (const double x : given.entries) size = std::max(size, std::abs(x));
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        if (std::abs(given(i, j) - given(j, i)) > 1e-9 * size)
          b.refuse("E-RANGE", name,
                   fmt::format("is not symmetric: {:g} and {:g} at {}, {}", given(i, j), given(j, i), i + 1,
                               j + 1));
        M[i][j] = (given(i, j) + given(j, i)) / 2;
      }
    for (int i = 0; i < 6; ++i)
      if (M[i][i] < 0)
        b.refuse("E-RANGE", name, fmt::format("has {:g} on its diagonal: it would feed energy in", M[i][i]));
  }
  for (int i = 0; i < 3; ++i) {
    if (b.has("translation_" + name)) M[i][i] += b.vector("translation_" + name)[i];
    if (b.has("rotation_" + name)) M[3 + i][3 + i] += b.vector("rotation_" + name)[i];
  }
  return M;
}

void build_bushing(Build& b) {
  const AttachedFrame A = b.frame("between", 0), B = b.frame("between", 1);
  const ElementId id = b.add(force::Bushing{A.node, B.node, A.on_node, B.on_node,
                                            coefficients(b, "stiffness"), coefficients(b, "damping")});
  for (int i = 0; i < 3; ++i) {
    b.channel("force", id, i, i);
    b.channel("torque", id, 3 + i, i);
    b.channel("translation", id, 6 + i, i);
    b.channel("rotation", id, 9 + i, i);
  }
}

}  // namespace

ComponentType force_bushing() {
  ComponentType type("force.bushing",
                     "An elastic bushing: springs and dampers in all six directions between two frames.");
  type.description =
      "u = (translation of B's origin, rotation vector of B), both in the axes of A's frame. The energy is "
      "½ uᵀ·stiffness·u, the loss vᵀ·damping·v with the velocities v in the same axes; `stiffness` and "
      "`damping` are "
      "symmetric 6×6 matrices in SI units, rows and columns x, y, z, and the turns about x, y, z. Diagonal "
      "ones are "
      "easier given as `translation_stiffness` and the like; both add up. The rotation stays below half a "
      "turn.";
  type.connects(between(Domain::frame));
  type.takes(matrix("stiffness", "any", "6×6, SI units").optional());
  type.takes(matrix("damping", "any", "6×6, SI units").optional());
  type.takes(vector("translation_stiffness", "N/m", 3, "along x, y, z").at_least(0).optional());
  type.takes(vector("rotation_stiffness", "N*m/rad", 3, "about x, y, z").at_least(0).optional());
  type.takes(vector("translation_damping", "N*s/m", 3, "along x, y, z").at_least(0).optional());
  type.takes(vector("rotation_damping", "N*m*s/rad", 3, "about x, y, z").at_least(0).optional());
  type.gives(
      {"force", "N", "stiffness and damping times displacement and velocity: along x, y, z of A", "xyz"});
  type.gives({"torque", "N*m", "the same about x, y, z of A", "xyz"});
  type.gives({"translation", "m", "of B's origin in A's axes", "xyz"});
  type.gives({"rotation", "rad", "rotation vector of B relative to A", "xyz"});
  type.signs =
      "Displacements are B relative to A. A positive force pulls B back towards A: it is the load of B on A.";
  type.shape = {"cylinder"};
  type.example = R"yaml(
engine: {type: body.box, size: [0.6 m, 0.5 m, 0.5 m], density: 900 kg/m^3, frames: {mount: {position: [0.2 m, 0, -0.25 m]}}, initial: {position: [-0.2 m, 0, 0.25 m]}}
mount: {type: force.bushing, between: [ground, engine.mount], translation_stiffness: [4e5 N/m, 4e5 N/m, 8e5 N/m], rotation_stiffness: [2e5 N*m/rad, 2e5 N*m/rad, 2e5 N*m/rad], translation_damping: [500 N*s/m, 500 N*s/m, 900 N*s/m], rotation_damping: [90 N*m*s/rad, 90 N*m*s/rad, 90 N*m*s/rad]}
)yaml";
  type.build = build_bushing;
  return type;
}

}  // namespace escapement
