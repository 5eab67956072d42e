#include "components/control/time_source.hpp"

template class escapement::Group<escapement::control::TimeSource>;
