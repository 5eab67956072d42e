#include "record/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/utf8.hpp"

namespace escapement {
namespace {

void quote(std::string& out, const std::string& s) {
  out += '"';
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (static_cast<unsigned char>(c) >= 0x80) {  // a whole character, or the mark for an invalid one
      const std::size_t length = character_at(s, i).length;
      out += length == 0 ? "\uFFFD" : s.substr(i, length);
      i += std::max<std::size_t>(length, 1) - 1;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

Json& Json::set(std::string key, Json value) {
  auto& entries = std::get<std::vector<std::pair<std::string, Json>>>(value_);
  for (auto& [k, v] : entries)
    if (k == key) {
      v = std::move(value);
      return *this;
    }
  entries.emplace_back(std::move(key), std::move(value));
  return *this;
}

Json& Json::add(Json value) {
  std::get<std::vector<Json>>(value_).push_back(std::move(value));
  return *this;
}

Json& Json::merge(const Json& other) {
  for (const auto& [key, value] : std::get<std::vector<std::pair<std::string, Json>>>(other.value_))
    set(key, value);
  return *this;
}

Json* Json::find(const std::string& key) {
  auto* entries = std::get_if<std::vector<std::pair<std::string, Json>>>(&value_);
  if (!entries) return nullptr;
  for (auto& [k, v] : *entries)
    if (k == key) return &v;
  return nullptr;
}

std::string Json::text(bool indented) const {
  std::string out;
  print(out, indented ? 0 : -1);
  return out;
}

void Json::print(std::string& out, int indent) const {
  const auto line = [&](int level) {
    if (indent >= 0) out += "\n" + std::string(2 * static_cast<std::size_t>(level), ' ');
  };
  const auto list = [&](char open, char close, const auto& items, auto&& item) {
    out += open;
    bool first = true;
    for (const auto& i : items) {
      if (!first) out += indent >= 0 ? "," : ", ";
      first = false;
      line(indent + 1);
      item(i);
    }
    if (!items.empty()) line(indent);
    out += close;
  };
  const int inner = indent >= 0 ? indent + 1 : -1;
  if (const auto* b = std::get_if<bool>(&value_)) out += *b ? "true" : "false";
  else if (const auto* d = std::get_if<double>(&value_))
    out += std::isfinite(*d) ? fmt::format("{}", *d) : "null";
  else if (const auto* i = std::get_if<long>(&value_)) out += std::to_string(*i);
  else if (const auto* s = std::get_if<std::string>(&value_)) quote(out, *s);
  else if (const auto* raw = std::get_if<Raw>(&value_)) out += raw->text;
  else if (const auto* a = std::get_if<std::vector<Json>>(&value_))
    list('[', ']', *a, [&](const Json& j) { j.print(out, inner); });
  else if (const auto* o = std::get_if<std::vector<std::pair<std::string, Json>>>(&value_))
    list('{', '}', *o, [&](const auto& entry) {
      quote(out, entry.first);
      out += ": ";
      entry.second.print(out, inner);
    });
  else out += "null";
}

}  // namespace escapement
