// The name that was meant by a misspelt one.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace escapement {

/// Letters to insert, leave out, replace or swap with the next one, to get from the one to the other.
int edit_distance(std::string_view a, std::string_view b);

/// The nearest of some names by edit distance, empty if none is near.
template <class Names>
std::string nearest_name(std::string_view name, const Names& names) {
  std::string best;
  if (name.size() < 2) return best;  // every single letter is near to every other
  const int distance =
      std::clamp((static_cast<int>(name.size()) + 1) / 3, 1, 3);  // about one slip in three letters
  for (const auto& candidate : names) {
    const int d = edit_distance(name, candidate);
    if (d <= distance && (best.empty() || d < edit_distance(name, best))) best = candidate;
  }
  return best;
}

/// "did you mean NAME?" if one is near, `otherwise` if not.
template <class Names>
std::string did_you_mean(std::string_view name, const Names& names, std::string otherwise = {}) {
  const std::string near = nearest_name(name, names);
  return near.empty() ? otherwise : "did you mean " + near + "?";
}

}  // namespace escapement
