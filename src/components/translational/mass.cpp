#include "components/translational/mass.hpp"

template class escapement::Group<escapement::translational::Mass>;
