// Sign conventions of blocks with states.
#include "signs.hpp"

namespace escapement::signs {

Cases dynamics() {
  return {

  };
}

}  // namespace escapement::signs
