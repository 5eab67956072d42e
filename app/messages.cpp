#include "messages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace escapement::app {

void print_json(const Json& j) {
  fmt::print("{}\n", j.text());
  std::fflush(stdout);
}

void print_error(const ModelError& e, bool json, const std::optional<RunPlace>& at) {
  if (!json) {
    std::string text = e.what();
    if (isatty(STDERR_FILENO) && text.starts_with(e.code))
      text = "\033[1;31m" + e.code + "\033[0m" + text.substr(e.code.size());
    fmt::print(stderr, "{}\n", text);
    return;
  }
  Json j = Json::object();
  j.set("event", "error").set("code", e.code).set("file", e.place.file.empty() ? Json() : Json(e.place.file));
  j.set("line", e.place.line ? Json(e.place.line) : Json())
      .set("column", e.place.line ? Json(e.place.column) : Json());
  std::string component = at ? at->component : e.where, equation = at ? at->equation : "";
  if (component.starts_with('`')) {  // a row: `mass.position` (force balance)
    equation = component;
    component = component.substr(1, component.find('`', 1) - 1);
    component = component.substr(0, component.rfind('.'));
  }
  const auto text_or_null = [](const std::string& s) { return s.empty() ? Json() : Json(s); };
  j.set("component", text_or_null(component)).set("equation", text_or_null(equation));
  j.set("time", at ? Json(at->time) : Json()).set("message", e.cause).set("hint", text_or_null(e.hint));
  print_json(j.set("exit_status", exit_status(e.code)));
}

void print_warning(const std::string& text, bool json) {
  if (json) print_json(Json::object().set("event", "warning").set("message", text));
  else fmt::print(stderr, "warning: {}\n", text);
}

}  // namespace escapement::app
