// Faults and warnings.
//
//   ModelError    one fault of a model or a system: code (docs/messages.md), place, cause, hint; what() is the whole message
//   ModelErrors   all the faults that one reading has found: `errors`
//   FileError     a file that cannot be read or written
//   Warning       what may be wrong with a result; it stands beside it and is never thrown
//   exit_status(code)   what the program would end with: 2 input, 3 model, 4 numerical, 5 files, 6 code of the model
//
// Numerical failures of a step or a run are values (StepReport, RunFailure), not exceptions. All exceptions derive from
// std::exception:
//
//   try { … } catch (const std::exception& e) { std::fprintf(stderr, "%s\n", e.what()); }
#pragma once
#include "core/error.hpp"
#include "core/warning.hpp"
#include "model/diagnostics.hpp"
#include "record/file_error.hpp"
