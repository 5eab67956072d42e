#include "components/control/switching.hpp"

template struct escapement::Adaptor<escapement::control::TwoPoint>;
template struct escapement::Adaptor<escapement::control::Stairs>;
template struct escapement::Adaptor<escapement::control::Held>;
template struct escapement::Adaptor<escapement::control::Trigger>;
