#include "components/control/time_source.hpp"

template struct escapement::Adaptor<escapement::control::TimeSource>;
