#include "components/planar/damper.hpp"

template class escapement::Group<escapement::planar::Damper>;
