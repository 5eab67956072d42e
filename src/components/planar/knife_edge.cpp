#include "components/planar/knife_edge.hpp"

template struct escapement::Adaptor<escapement::planar::KnifeEdge>;
