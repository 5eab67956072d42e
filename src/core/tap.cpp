#include "core/tap.hpp"

template class escapement::Group<escapement::ValueTap<escapement::Position<1>>>;
template class escapement::Group<escapement::ValueTap<escapement::Position<2>>>;
template class escapement::Group<escapement::ValueTap<escapement::StateVariable<1>>>;
template class escapement::Group<escapement::ValueTap<escapement::Multiplier<1>>>;
template class escapement::Group<escapement::ValueTap<escapement::Multiplier<3>>>;
template class escapement::Group<escapement::RateTap<escapement::Position<1>>>;
template class escapement::Group<escapement::RateTap<escapement::Position<2>>>;
template class escapement::Group<escapement::AccelerationTap<escapement::Position<1>>>;
template class escapement::Group<escapement::AccelerationTap<escapement::Position<2>>>;
