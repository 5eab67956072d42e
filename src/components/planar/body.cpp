#include "components/planar/body.hpp"

template struct escapement::Adaptor<escapement::planar::Body>;
