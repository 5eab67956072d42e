#include "components/joint/ball.hpp"

template class escapement::Group<escapement::joint::Ball>;
template class escapement::Group<escapement::joint::BallPose>;
