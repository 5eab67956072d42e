// For component files: the schema and the build context. A component is one file pair in src/components/<domain>/; the
// function `ComponentType <domain>_<name>()` in its .cpp registers it (the list is generated from the folder).
#pragma once
#include "model/build.hpp"
#include "model/schema.hpp"
