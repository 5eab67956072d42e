// What may be wrong with a result, told beside it: the run goes on.
#pragma once
#include <cmath>
#include <string>

namespace escapement {

struct Warning {
  std::string code;     // stable: docs/messages.md
  std::string message;  // what was found, where and when
  std::string hint = "";
  std::string component = "";
  double time = NAN;  // s; NaN: it concerns no single instant
  void archive(auto& a) { a(code, message, hint, component, time); }
  bool operator==(const Warning& other) const { return code == other.code && message == other.message; }
};

}  // namespace escapement
