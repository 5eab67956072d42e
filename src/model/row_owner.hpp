// From the name of an unknown to the component it belongs to, for messages.
#pragma once
#include <string>

namespace escapement {

/// `arm` of `arm.pose.3`, `spring` of `spring.force`.
inline std::string owner_of_unknown(std::string name) {
  const auto strip = [&] { name = name.substr(0, name.rfind('.')); };
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos && name.find_first_not_of("0123456789", dot + 1) == std::string::npos) strip();
  strip();
  return name;
}

}  // namespace escapement
