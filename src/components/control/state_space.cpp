#include "components/control/state_space.hpp"

template class escapement::Group<escapement::control::StateSpace<1, 1, 1>>;
