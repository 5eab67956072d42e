// Model faults as exceptions with place, cause and hint. Numerical failures are values (StepReport), never thrown.
#pragma once
#include <stdexcept>
#include <string>

namespace escapement {

/// Where in a file: line and column count from 1; no file: the fault has no place in a text.
struct SourcePlace {
  std::string file;
  int line = 0, column = 0;
  std::string text() const;
};

/// `E-UNITS model.yaml:7:31  spring.stiffness: got 3 m, needs N/m` and, on a second line, what to try.
struct ModelError : std::runtime_error {
  ModelError(std::string code, std::string where, std::string cause, std::string hint,
             SourcePlace place = {});
  std::string code;   // stable: docs/messages.md
  std::string where;  // component path, row or unknown
  std::string cause, hint;
  SourcePlace place;
};

}  // namespace escapement
