// Model faults as exceptions with place, cause and hint. Numerical failures are values (StepReport), never thrown.
#pragma once
#include <stdexcept>
#include <string>

namespace escapement {

struct ModelError : std::runtime_error {
  ModelError(std::string code, std::string where, std::string cause, std::string hint)
      : std::runtime_error(code + "  " + where + ": " + cause + (hint.empty() ? "" : "\n    Try: " + hint)),
        code(std::move(code)),
        where(std::move(where)),
        cause(std::move(cause)),
        hint(std::move(hint)) {}
  std::string code, where, cause, hint;
};

}  // namespace escapement
