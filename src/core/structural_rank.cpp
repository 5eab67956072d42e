#include "core/structural_rank.hpp"

namespace escapement {

std::vector<std::string> structurally_singular_rows(const System& system) {
  const int n = system.size();
  if (n == 0) return {};
  // A generic state and shift: what is zero there is zero by structure.
  State state = system.state();
  unsigned seed = 12345;
  const auto random = [&seed] {
    return 0.5 + static_cast<double>((seed = seed * 1664525u + 1013904223u) >> 8) / (1u << 25);
  };
  for (const Variable& v : system.variables())
    if (v.manifold == Manifold::vector)
      for (int k = 0; k < v.values; ++k) state.value[v.value + k] = v.nominal * random();
  for (double& v : state.rate) v = random();
  for (double& v : state.acceleration) v = random();
  const Shift shift{.position = 0.3, .velocity = 0.7, .acceleration = 1.1, .store = 0.9, .flow = 0.6};
  const Pattern& p = system.pattern();
  std::vector<double> r(n), values(p.nonzeros());
  system.tangent(state, shift, {}, r, values);
  // Of a condition in an expression each branch counts: it may be taken at another time.
  for (const double side : {1.0, -1.0}) {
    bool any = false;
    for (const auto& g : system.groups())
      for (int k = 0; g->has_sides && k < g->size(); ++k)
        for (int i = 0; i < g->crossings_of(k); ++i) state.memory[g->memory_of(k) + i] = side, any = true;
    if (!any) break;
    std::vector<double> there(p.nonzeros());
    system.tangent(state, shift, {}, r, there);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] == 0) values[k] = there[k];
  }

  // Constraints may depend on each other: their multipliers are then regularised (T-proximal).
  for (int i = system.rows(Kind::holonomic).begin; i < n; ++i)
    if (const int k = p.find(i, i); k >= 0) values[k] = 1;

  // Columns are matched to rows: to their own row where that is possible, the rest by augmenting paths (searched
  // without recursion).
  std::vector<int> column_of(n, -1), seen(n, -1), next(n), path;
  std::vector<char> matched(n, 0);
  for (int column = 0; column < n; ++column)
    for (int k = p.column_begin[column]; k < p.column_begin[column + 1]; ++k)
      if (p.row[k] == column && values[k] != 0) column_of[column] = column, matched[column] = 1;
  for (int start = 0; start < n; ++start) {
    if (matched[start]) continue;
    path.assign(1, start);
    next[start] = p.column_begin[start];
    seen[start] = start;
    std::vector<int> via;  // rows along the path
    bool found = false;
    while (!path.empty() && !found) {
      const int column = path.back();
      bool deeper = false;
      for (int& k = next[column]; k < p.column_begin[column + 1]; ++k) {
        if (values[k] == 0) continue;
        const int row = p.row[k];
        const int owner = column_of[row];
        if (owner == -1) {
          via.push_back(row);
          found = true;
          break;
        }
        if (seen[owner] == start) continue;
        seen[owner] = start;
        via.push_back(row);
        path.push_back(owner);
        next[owner] = p.column_begin[owner];
        ++k;
        deeper = true;
        break;
      }
      if (found) break;
      if (!deeper) {
        path.pop_back();
        if (!via.empty()) via.pop_back();
      }
    }
    if (found)
      for (std::size_t i = 0; i < path.size(); ++i) column_of[via[i]] = path[i];
  }
  std::vector<std::string> rows;
  for (int row = 0; row < n; ++row)
    if (column_of[row] < 0) rows.push_back(system.row_name(row));
  return rows;
}

}  // namespace escapement
