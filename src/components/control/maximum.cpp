#include "components/control/extremum.hpp"

namespace escapement {

ComponentType control_maximum() { return control::extremum_block("control.maximum", "largest", 1.0); }

}  // namespace escapement
