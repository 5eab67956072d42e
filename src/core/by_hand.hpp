// What the core makes of rows and slopes that elements write by hand (Parts).
#pragma once
#include "core/element_type.hpp"

namespace escapement {

/// Rows of a part and its slopes K, of frames on SE(3), from world to body axes: what an element without rates writes (T-joint-2).
void turn_to_body_axes(const ElementType& type, const LocalPoint& p, Parts::Part& part);

/// Position rows in parts (Shift::momentum …): what stands in them is an inertia with its weight, whose M is constant in the
/// coordinates of its velocities (not on SE(3)), or a force, or a constraint. `work`: 3 × rows.
void weigh(const ElementType& type, const LocalPoint& p, const Shift& c, Parts::Part& part,
           std::span<double> work);

}  // namespace escapement
