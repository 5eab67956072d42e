#include "messages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace escapement::app {

void print_json(const Json& j) {
  fmt::print("{}\n", j.text());
  std::fflush(stdout);
}

void print_error(const ModelError& e, bool json, const std::string& equation, std::optional<double> time) {
  if (!json) {
    std::string text = e.what();
    if (isatty(STDERR_FILENO) && text.starts_with(e.code)) text = "\033[1;31m" + e.code + "\033[0m" + text.substr(e.code.size());
    fmt::print(stderr, "{}\n", text);
    return;
  }
  Json j = Json::object();
  j.set("event", "error").set("code", e.code).set("file", e.place.file.empty() ? Json() : Json(e.place.file));
  j.set("line", e.place.line ? Json(e.place.line) : Json()).set("column", e.place.line ? Json(e.place.column) : Json());
  j.set("component", e.where.empty() ? Json() : Json(e.where)).set("equation", equation.empty() ? Json() : Json(equation));
  j.set("time", time ? Json(*time) : Json()).set("message", e.cause).set("hint", e.hint.empty() ? Json() : Json(e.hint));
  print_json(j.set("exit_status", exit_status(e.code)));
}

void print_warning(const std::string& text, bool json) {
  if (json) print_json(Json::object().set("event", "warning").set("message", text));
  else fmt::print(stderr, "warning: {}\n", text);
}

}  // namespace escapement::app
