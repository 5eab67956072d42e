#include "messages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "model/row_owner.hpp"

namespace escapement::app {

void print_json(const Json& j) {
  fmt::print("{}\n", j.text());
  std::fflush(stdout);
}

std::string quoted_if_needed(const std::string& path) {
  return path.find_first_of(" '\"$&()") == std::string::npos ? path : "\"" + path + "\"";
}

Json unknowns_by_kind(const System& system) {
  Json j = Json::object();
  for (int k = 0; k < kind_count; ++k)
    j.set(name_of(static_cast<Kind>(k)), system.rows(static_cast<Kind>(k)).size());
  return j;
}

Json error_json(const ModelError& e, const std::optional<FailurePoint>& at) {
  std::string component = at ? at->component : e.where, equation = at ? at->equation : "";
  if (component.starts_with('`')) {  // a row: `mass.position` (force balance)
    equation = component;
    component = component.substr(1, component.find('`', 1) - 1);
    component = owner_of_unknown(component);
  }
  const auto text_or_null = [](const std::string& s) { return s.empty() ? Json() : Json(s); };
  Json j = Json::object();
  j.set("code", e.code).set("file", text_or_null(e.place.file));
  j.set("line", e.place.line ? Json(e.place.line) : Json())
      .set("column", e.place.line ? Json(e.place.column) : Json());
  j.set("component", text_or_null(component)).set("equation", text_or_null(equation));
  j.set("time", at ? Json(at->time) : Json()).set("message", e.cause).set("hint", text_or_null(e.hint));
  return j;
}

void print_error(const ModelError& e, bool json, const std::optional<FailurePoint>& at) {
  if (json) {
    print_json(Json::object()
                   .set("event", "error")
                   .merge(error_json(e, at))
                   .set("exit_status", exit_status(e.code)));
    return;
  }
  std::string text = e.what();
  if (isatty(STDERR_FILENO) && text.starts_with(e.code))
    text = "\033[1;31m" + e.code + "\033[0m" + text.substr(e.code.size());
  fmt::print(stderr, "{}\n", text);
}

void print_note(const std::string& text, bool json) {
  if (json) print_json(Json::object().set("event", "note").set("message", text));
  else fmt::print(stderr, "note: {}\n", text);
}

Json warning_json(const Warning& w) {
  const auto text_or_null = [](const std::string& s) { return s.empty() ? Json() : Json(s); };
  return Json::object()
      .set("code", w.code)
      .set("time", std::isnan(w.time) ? Json() : Json(w.time))
      .set("component", text_or_null(w.component))
      .set("message", w.message)
      .set("hint", text_or_null(w.hint));
}

Json warnings_json(const std::vector<Warning>& warnings) {
  Json list = Json::array();
  for (const Warning& w : warnings) list.add(warning_json(w));
  return list;
}

void print_warning(const Warning& w, bool json) {
  if (json) print_json(Json::object().set("event", "warning").merge(warning_json(w)));
  else
    fmt::print(stderr, "warning: {}  {}\n{}", w.code, w.message,
               w.hint.empty() ? "" : fmt::format("    Try: {}\n", w.hint));
}

}  // namespace escapement::app
