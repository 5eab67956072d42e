// Sign conventions of sources.
#include "signs.hpp"

namespace escapement::signs {

Cases sources() {
  return {

  };
}

}  // namespace escapement::signs
