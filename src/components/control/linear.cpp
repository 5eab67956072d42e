#include "components/control/linear.hpp"

template struct escapement::Adaptor<escapement::control::StateFromState>;
template struct escapement::Adaptor<escapement::control::StateFromSignal>;
template struct escapement::Adaptor<escapement::control::SignalFromState>;
template struct escapement::Adaptor<escapement::control::SignalFromSignal>;
template struct escapement::Adaptor<escapement::control::Integrated>;
template struct escapement::Adaptor<escapement::control::Defined>;
