#include "components/planar/mass.hpp"

template class escapement::Group<escapement::planar::Mass>;
