#include "core/structural_rank.hpp"

namespace escapement {
namespace {

/// The tangent at a generic state, for a generic shift: what is zero there is zero by structure.
std::vector<double> generic_tangent(const System& system) {
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
  std::vector<double> r(system.size()), values(p.nonzeros());
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
  for (int i = system.rows(Kind::holonomic).begin; i < system.size(); ++i)
    if (const int k = p.find(i, i); k >= 0) values[k] = 1;
  return values;
}

/// Columns matched to rows by the entries that are not zero: to their own row where that is possible, the rest by augmenting
/// paths, searched without recursion.
class Matching {
 public:
  Matching(const Pattern& pattern, std::span<const double> values)
      : p_(pattern), values_(values), column_of_(p_.n, -1), seen_(p_.n, -1), next_(p_.n) {
    std::vector<char> matched(p_.n, 0);
    for (int column = 0; column < p_.n; ++column)
      for (int k = p_.column_begin[column]; k < p_.column_begin[column + 1]; ++k)
        if (p_.row[k] == column && values_[k] != 0) column_of_[column] = column, matched[column] = 1;
    for (int column = 0; column < p_.n; ++column)
      if (!matched[column]) match(column);
  }
  bool has(int row) const { return column_of_[row] >= 0; }

 private:
  /// A path from this column to a row that is free: each row on it goes to the column before it.
  void match(int start) {
    path_.assign(1, start);
    via_.clear();
    next_[start] = p_.column_begin[start];
    seen_[start] = start;
    while (!path_.empty()) {
      const int row = next_row(start);
      if (row < 0) {  // a dead end
        path_.pop_back();
        if (!via_.empty()) via_.pop_back();
        continue;
      }
      via_.push_back(row);
      if (column_of_[row] < 0) {
        for (std::size_t i = 0; i < path_.size(); ++i) column_of_[via_[i]] = path_[i];
        return;
      }
      const int owner = column_of_[row];
      seen_[owner] = start;
      next_[owner] = p_.column_begin[owner];
      path_.push_back(owner);
    }
  }
  /// The next row of the last column on the path that is free, or whose column was not seen yet; -1: there is none.
  int next_row(int start) {
    const int column = path_.back();
    for (int& k = next_[column]; k < p_.column_begin[column + 1];) {
      const int row = p_.row[k], owner = column_of_[row];
      const bool usable = values_[k] != 0 && (owner < 0 || seen_[owner] != start);
      ++k;
      if (usable) return row;
    }
    return -1;
  }

  const Pattern& p_;
  std::span<const double> values_;
  std::vector<int> column_of_;    // of each row; -1: none
  std::vector<int> seen_, next_;  // by column: in the search from which one; its next entry to look at
  std::vector<int> path_, via_;   // columns, and the rows between them
};

}  // namespace

std::vector<std::string> structurally_singular_rows(const System& system) {
  const std::vector<double> values = generic_tangent(system);
  const Matching matching(system.pattern(), values);
  std::vector<std::string> rows;
  for (int row = 0; row < system.size(); ++row)
    if (!matching.has(row)) rows.push_back(system.row_name(row));
  return rows;
}

}  // namespace escapement
