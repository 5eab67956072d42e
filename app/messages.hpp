// Messages to the user: faults and warnings on standard error, or as JSON lines on standard output.
#pragma once
#include <optional>
#include <string>

#include "core/system.hpp"
#include "core/warning.hpp"
#include "model/diagnostics.hpp"
#include "record/json.hpp"

namespace escapement::app {

/// Where and when a run failed.
struct FailurePoint {
  std::string component, equation;
  double time;
};
/// A fault as data; `at` for faults of a run.
Json error_json(const ModelError& e, const std::optional<FailurePoint>& at = {});
void print_error(const ModelError& e, bool json, const std::optional<FailurePoint>& at = {});
void print_note(const std::string& text, bool json);
void print_warning(const Warning& warning, bool json);
/// As it stands in summary.json: code, time, component, message, hint.
Json warning_json(const Warning& warning);
Json warnings_json(const std::vector<Warning>& warnings);
/// A path as a shell takes it.
std::string quoted_if_needed(const std::string& path);
/// How many unknowns of each kind a system has.
Json unknowns_by_kind(const System& system);
/// One JSON object on a line of standard output.
void print_json(const Json& j);

}  // namespace escapement::app
