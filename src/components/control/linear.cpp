#include "components/control/linear.hpp"

template class escapement::Group<escapement::control::StateFromState>;
template class escapement::Group<escapement::control::StateFromSignal>;
template class escapement::Group<escapement::control::SignalFromState>;
template class escapement::Group<escapement::control::SignalFromSignal>;
template class escapement::Group<escapement::control::Integrated>;
template class escapement::Group<escapement::control::Defined>;
