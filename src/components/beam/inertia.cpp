#include "components/beam/inertia.hpp"

template class escapement::Group<escapement::beam::Inertia>;
