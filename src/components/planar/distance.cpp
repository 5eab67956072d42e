#include "components/planar/distance.hpp"

template class escapement::Group<escapement::planar::Distance>;
