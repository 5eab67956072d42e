#include "components/beam/parts.hpp"

namespace escapement {
ESCAPEMENT_BEAM_PARTS(template)
}  // namespace escapement
