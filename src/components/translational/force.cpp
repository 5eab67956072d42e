#include "components/translational/force.hpp"

template class escapement::Group<escapement::translational::Force>;
