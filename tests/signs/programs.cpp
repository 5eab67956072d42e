// Sign conventions of the user's own equations and functions.
#include "signs.hpp"

namespace escapement::signs {

Cases programs() {
  return {
      {"control.c_function",
       [] {  // its example: a lag of 0.2 s behind a step at 0.1 s, from 0.5
         const std::string& lag = registry().find("control.c_function")->example;
         const At start(0, lag), later(2, lag);
         CHECK(start["lag.output"] == about(0.5));
         CHECK(start["lag.state"] == about(0.5));
         CHECK(later["lag.output"] > 0.99);
       }},
  };
}

}  // namespace escapement::signs
