#include "components/translational/accelerometer.hpp"

template class escapement::Group<escapement::translational::Accelerometer>;
