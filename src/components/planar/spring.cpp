#include "components/planar/spring.hpp"

template class escapement::Group<escapement::planar::Spring>;
