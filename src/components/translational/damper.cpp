#include "components/translational/damper.hpp"

template class escapement::Group<escapement::translational::Damper>;
