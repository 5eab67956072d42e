#include "components/beam/inertia.hpp"

template class escapement::Group<escapement::beam::ElementInertia<1>>;
template class escapement::Group<escapement::beam::ElementInertia<2>>;
template class escapement::Group<escapement::beam::ElementInertia<3>>;
