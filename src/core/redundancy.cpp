#include "core/redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace escapement {

ConstraintRank constraint_rank(const System& system, const State& state, int most_dependencies) {
  ConstraintRank result;
  const int first = system.rows(Kind::holonomic).begin, positions = system.rows(Kind::position).end;
  std::vector<char> open(system.size());  // what does not act now depends on nothing
  system.open_rows(state, open);
  std::vector<int> rows, number(system.size(), -1);
  for (int i = first; i < system.size(); ++i)
    if (!open[i]) number[i] = static_cast<int>(rows.size()), rows.push_back(i);
  result.equations = result.rank = static_cast<int>(rows.size());
  if (result.equations == 0) return result;
  const Pattern& p = system.pattern();
  std::vector<double> r(system.size()), values(p.nonzeros());
  // Φ_q and k_v stand where accelerations meet the differentiated constraints.
  system.tangent(state, {.acceleration = 1, .constraint_accelerations = true}, {}, r, values);
  std::vector<RowEntry> entries;
  for (int j = 0; j < positions; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (number[p.row[k]] >= 0 && values[k] != 0)
        entries.push_back({number[p.row[k]], j, values[k] * system.nominal()[j]});
  RowRank rank = row_rank(result.equations, positions, entries, 1e-11, most_dependencies);
  result.rank = rank.rank;
  result.dependencies = std::move(rank.dependencies);
  for (Dependency& d : result.dependencies)
    for (auto& part : d.parts) part.row = rows[part.row];
  return result;
}

std::string describe(const Dependency& dependency, const System& system) {
  std::vector<int> rows;
  for (const auto& part : dependency.parts) rows.push_back(part.row);
  std::sort(rows.begin(), rows.end());
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < rows.size() && i < most; ++i)
    text += (i ? ", " : "") + system.row_name(rows[i]);
  if (rows.size() > most) text += fmt::format(" and {} more", rows.size() - most);
  return text;
}

}  // namespace escapement
