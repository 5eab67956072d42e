#include "components/body/rigid.hpp"

template class escapement::Group<escapement::body::Rigid>;
template class escapement::Group<escapement::body::RigidPose>;
