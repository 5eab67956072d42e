#include "components/beam/inertia.hpp"

template struct escapement::Adaptor<escapement::beam::ElementInertia<1>>;
template struct escapement::Adaptor<escapement::beam::ElementInertia<2>>;
template struct escapement::Adaptor<escapement::beam::ElementInertia<3>>;
