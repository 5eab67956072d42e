#include "components/translational/spring.hpp"

template class escapement::Group<escapement::translational::Spring>;
