// What all bodies share: frames by name, where they start, channels.
#pragma once
#include "components/body/mass_properties.hpp"
#include "model/component.hpp"

namespace escapement::body {

/// `position` and an orientation by exactly one of quaternion, axis + angle, euler, x_axis + y_axis.
std::vector<Parameter> pose_fields(const char* position_summary);
/// What was given there; `prefix` is the group, "initial." for instance.
Frame<double> pose(const Build& b, const std::string& prefix);

/// Adds frames, initial, channels and signs to a type, and how to build it from its mass properties (in the axes of its
/// reference frame).
void make_body(ComponentType& type, MassProperties (*properties)(const Build&));

/// A solid with a density, or a mass.
void takes_density(ComponentType& type);
MassProperties weighed(const Build& b, const MassProperties& solid);

}  // namespace escapement::body
