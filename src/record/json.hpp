// A JSON value that prints itself. Objects keep the order in which their keys were set.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace escapement {

class Json {
 public:
  Json() = default;  // null
  Json(bool b) : value_(b) {}
  Json(double d) : value_(d) {}
  Json(int i) : value_(static_cast<long>(i)) {}
  Json(long i) : value_(i) {}
  Json(std::size_t i) : value_(static_cast<long>(i)) {}
  Json(const char* s) : value_(std::string(s)) {}
  Json(std::string s) : value_(std::move(s)) {}
  /// A value that is JSON text already.
  static Json raw(std::string text) { return Json(Value(Raw{std::move(text)})); }
  static Json array() { return Json(Value(std::vector<Json>())); }
  static Json object() { return Json(Value(std::vector<std::pair<std::string, Json>>())); }

  Json& set(std::string key, Json value);  // of an object; replaces an earlier value
  Json& add(Json value);                   // to an array
  Json& merge(const Json& other);          // all entries of another object
  Json* find(const std::string& key);
  /// One line, or indented by two spaces per level. Numbers in full precision; NaN and infinities become null.
  std::string text(bool indented = false) const;

 private:
  struct Raw {
    std::string text;
  };
  using Value = std::variant<std::monostate, bool, double, long, std::string, Raw, std::vector<Json>,
                             std::vector<std::pair<std::string, Json>>>;
  explicit Json(Value v) : value_(std::move(v)) {}
  void print(std::string& out, int indent) const;
  Value value_;
};

}  // namespace escapement
