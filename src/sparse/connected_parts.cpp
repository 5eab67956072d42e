#include "sparse/connected_parts.hpp"

#include <numeric>

namespace escapement {

std::vector<int> connected_parts(const Pattern& pattern) {
  std::vector<int> parent(pattern.n);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (int j = 0; j < pattern.n; ++j)
    for (int k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k)
      parent[root(pattern.row[k])] = root(j);
  for (int i = 0; i < pattern.n; ++i) parent[i] = root(i);
  return parent;
}

}  // namespace escapement
