// What wheels and spheres on a plane share.
#pragma once
#include "model/component.hpp"

namespace escapement::joint {

void describe_rolling(ComponentType& type);
/// `radius` 0: a sphere of radius `section`; `held`: directions of the plane along which it does not slip.
template <int held>
void build_rolling(Build& b, const Vector3& axle, double radius, double section);

}  // namespace escapement::joint
