// All components of Escapement. The list is generated from the folders beside this file when the build is configured.
#pragma once
#include "model/schema.hpp"

namespace escapement {

Registry standard_registry();

}  // namespace escapement
