#include "components/control/switching.hpp"

template class escapement::Group<escapement::control::TwoPoint>;
template class escapement::Group<escapement::control::Stairs>;
template class escapement::Group<escapement::control::Held>;
template class escapement::Group<escapement::control::Trigger>;
