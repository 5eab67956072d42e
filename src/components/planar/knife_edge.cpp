#include "components/planar/knife_edge.hpp"

template class escapement::Group<escapement::planar::KnifeEdge>;
