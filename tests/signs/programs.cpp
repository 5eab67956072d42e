// Sign conventions of the user's own equations and functions.
#include "signs.hpp"

namespace escapement::signs {

Cases programs() {
  return {

  };
}

}  // namespace escapement::signs
