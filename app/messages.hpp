// Messages to the user: faults and warnings on standard error, or as JSON lines on standard output.
#pragma once
#include <optional>
#include <string>

#include "model/diagnostics.hpp"
#include "record/json.hpp"

namespace escapement::app {

/// Where and when a run failed.
struct RunPlace {
  std::string component, equation;
  double time;
};
void print_error(const ModelError& e, bool json, const std::optional<RunPlace>& at = {});
void print_warning(const std::string& text, bool json);
/// One JSON object on a line of standard output.
void print_json(const Json& j);

}  // namespace escapement::app
