#include "core/elimination_order.hpp"

#include <algorithm>

#include "sparse/linear_solver.hpp"

namespace escapement {
namespace {

/// Sorted neighbours of each node.
std::vector<std::vector<int>> graph(int nodes, std::vector<std::pair<int, int>>& edges) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<std::vector<int>> neighbours(nodes);
  for (const auto& [a, b] : edges)
    if (a != b) neighbours[a].push_back(b);
  return neighbours;
}

}  // namespace

std::vector<int> elimination_order(const System& system) {
  const int first_multiplier = system.rows(Kind::holonomic).begin, n = system.size();
  if (first_multiplier == n) return {};
  const std::vector<Variable>& variables = system.variables();
  const int count = static_cast<int>(variables.size());
  std::vector<int> owner(n);
  for (int v = 0; v < count; ++v)
    for (int d = 0; d < variables[v].dofs; ++d) owner[variables[v].row + d] = v;
  const auto is_multiplier = [&](int v) { return variables[v].row >= first_multiplier; };

  const Pattern& p = system.pattern();
  std::vector<std::pair<int, int>> edges;
  for (int j = 0; j < n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
      edges.emplace_back(owner[p.row[k]], owner[j]);
      edges.emplace_back(owner[j], owner[p.row[k]]);
    }
  const auto neighbours = graph(count, edges);

  // Everything but the multipliers, which tie together what they concern.
  constexpr std::size_t most_tied = 12;
  edges.clear();
  for (int v = 0; v < count; ++v) {
    if (is_multiplier(v)) {
      if (neighbours[v].size() > most_tied) continue;
      for (int a : neighbours[v])
        for (int b : neighbours[v])
          if (!is_multiplier(a) && !is_multiplier(b)) edges.emplace_back(a, b);
      continue;
    }
    for (int b : neighbours[v])
      if (!is_multiplier(b)) edges.emplace_back(v, b);
  }
  const auto tied = graph(count, edges);

  std::vector<int> order, left(count, 0);
  std::vector<char> done(count, 0);
  order.reserve(n);
  const auto emit = [&](int v) {
    done[v] = 1;
    for (int d = 0; d < variables[v].dofs; ++d) order.push_back(variables[v].row + d);
  };
  for (int v : minimum_degree(tied)) {
    if (is_multiplier(v)) continue;
    emit(v);
    left[v] = variables[v].dofs;  // so many pivots it can still give
    for (int m : neighbours[v]) {
      if (!is_multiplier(m) || done[m]) continue;
      int available = 0;
      for (int a : neighbours[m]) available += left[a];
      int needed = variables[m].dofs;
      if (available < needed) continue;
      for (int a : neighbours[m]) {
        const int taken = std::min(left[a], needed);
        left[a] -= taken;
        needed -= taken;
      }
      emit(m);
    }
  }
  for (int v = 0; v < count; ++v)
    if (!done[v]) emit(v);  // one too many
  return order;
}

}  // namespace escapement
