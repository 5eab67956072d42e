#include "components/beam/parts.hpp"

#include "components/beam/element.hpp"
#include "components/beam/inertia.hpp"
#include "components/body/lumped.hpp"
#include "components/body/rigid.hpp"
#include "core/tap.hpp"

namespace escapement {
template class Group<beam::Load>;
template class Group<beam::MassDamping<beam::Inertia>>;
template class Group<beam::MassDamping<beam::ElementInertia<2>>>;
template class Group<beam::MassDamping<beam::ElementInertia<3>>>;
template class Group<beam::MassDamping<body::Rigid>>;
template class Group<beam::MassDamping<body::Eccentric>>;
template class Group<beam::Reading<beam::DampedSegment>>;
template class Group<beam::Reading<beam::Element<2>>>;
template class Group<beam::Reading<beam::Element<3>>>;
template class Group<OutputTap<beam::Reading<beam::DampedSegment>>>;
template class Group<OutputTap<beam::Reading<beam::Element<2>>>>;
template class Group<OutputTap<beam::Reading<beam::Element<3>>>>;
}  // namespace escapement
