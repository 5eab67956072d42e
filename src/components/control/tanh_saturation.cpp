#include "components/control/tanh_saturation.hpp"

template class escapement::Group<escapement::control::TanhSaturation>;
