// The codes of warnings, which never change: each has a section in docs/messages.md.
#pragma once
#include <vector>

namespace escapement {

struct WarningCode {
  const char* code;
  const char* meaning;
};
const std::vector<WarningCode>& warning_codes();

}  // namespace escapement
