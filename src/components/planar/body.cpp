#include "components/planar/body.hpp"

template class escapement::Group<escapement::planar::Body>;
