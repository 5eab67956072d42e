#include "model/namespace.hpp"

#include <fmt/format.h>

#include <charconv>

namespace escapement {

const ParameterValue* Namespace::parameter(std::string_view name) const {
  const auto at = parameters.find(std::string(name));
  if (at == parameters.end()) return nullptr;
  used_.emplace(name);
  return &at->second;
}

std::vector<std::string> Namespace::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters)
    if (!used_.contains(name)) names.push_back(prefix + name);
  return names;
}

void Namespace::index() {
  scope.names.clear();
  scope.unknown_hint = "values see the parameters only";
  for (const auto& [name, value] : parameters) {
    if (!value.vector) {
      scope.names.push_back(name);
      continue;
    }
    for (std::size_t i = 0; i < value.values.size(); ++i)
      scope.names.push_back(name + "." + (i < 3 ? std::string(1, "xyz"[i]) : std::to_string(i + 1)));
  }
  scope.find = [this](std::string_view name) -> std::optional<Name> {
    const std::size_t dot = name.find('.');
    const ParameterValue* const found = parameter(name.substr(0, dot));
    if (!found || found->values.empty()) return std::nullopt;
    const ParameterValue& p = *found;
    if (dot == std::string_view::npos)
      return p.vector ? std::nullopt : std::optional<Name>({p.dimension, -1, p.values[0], p.bare});
    if (!p.vector) return std::nullopt;
    const std::string_view part = name.substr(dot + 1);
    std::size_t i = part.size() == 1 ? std::string_view("xyz").find(part[0]) : std::string_view::npos;
    if (i == std::string_view::npos) {
      const auto [end, wrong] = std::from_chars(part.data(), part.data() + part.size(), i);
      if (wrong != std::errc() || end != part.data() + part.size() || i < 1) return std::nullopt;
      --i;
    }
    if (i >= p.values.size()) return std::nullopt;
    return Name{p.dimension, -1, p.values[i], p.bare};
  };
}

std::filesystem::path contained_path(const Namespace& space, const Node& name, bool allow_outside,
                                     const std::string& where) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path home = fs::weakly_canonical(space.root.empty() ? fs::path(".") : space.root, ignored);
  const fs::path full =
      fs::weakly_canonical((space.folder.empty() ? home : fs::absolute(space.folder)) / name.text, ignored);
  const fs::path relative = full.lexically_relative(home);
  if (!allow_outside && (relative.empty() || *relative.begin() == ".."))
    throw fault("E-OUTSIDE", name.mark, where, fmt::format("`{}` is outside the model's folder", name.text),
                "move the file there, or run with --allow-outside");
  return full;
}

std::string flat_name(const std::filesystem::path& file, const Namespace& space) {
  std::error_code ignored;
  const auto home = std::filesystem::weakly_canonical(
      space.root.empty() ? std::filesystem::path(".") : space.root, ignored);
  std::string name;
  for (const auto& part : file.lexically_relative(home))
    if (part != "..") name += (name.empty() ? "" : "_") + part.string();
  return name;
}

}  // namespace escapement
