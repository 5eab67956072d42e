#include "components/control/extremum.hpp"

namespace escapement {

ComponentType control_minimum() { return control::extremum_block("control.minimum", "smallest", -1.0); }

}  // namespace escapement
