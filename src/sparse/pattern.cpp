#include "sparse/pattern.hpp"

#include <algorithm>

namespace escapement {

int Pattern::find(int i, int j) const {
  const auto first = row.begin() + column_begin[j], last = row.begin() + column_begin[j + 1];
  const auto at = std::lower_bound(first, last, i);
  return at != last && *at == i ? static_cast<int>(at - row.begin()) : -1;
}

void PatternBuilder::add_block(std::span<const int> rows, std::span<const bool> occupied) {
  const std::size_t n = rows.size();
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = 0; r < n; ++r)
      if (occupied[r * n + c] && rows[r] >= 0 && rows[c] >= 0) add(rows[r], rows[c]);
}

void Pattern::find_block(std::span<const int> rows, std::span<const bool> occupied, std::span<int> at) const {
  const std::size_t n = rows.size();
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c)
      at[r * n + c] = occupied[r * n + c] && rows[r] >= 0 && rows[c] >= 0 ? find(rows[r], rows[c]) : -1;
}

Pattern PatternBuilder::finish() const {
  Pattern p;
  p.n = n_;
  // Bucket by column, then sort and merge each column.
  std::vector<int> begin(n_ + 1, 0);
  for (const Entry& e : entries_) ++begin[e.j + 1];
  for (int j = 0; j < n_; ++j) begin[j + 1] += begin[j];
  std::vector<int> rows(entries_.size()), next(begin.begin(), begin.end() - 1);
  for (const Entry& e : entries_) rows[next[e.j]++] = e.i;
  p.column_begin.assign(n_ + 1, 0);
  p.row.reserve(rows.size());
  for (int j = 0; j < n_; ++j) {
    const auto first = rows.begin() + begin[j], last = rows.begin() + begin[j + 1];
    std::sort(first, last);
    std::unique_copy(first, last, std::back_inserter(p.row));
    p.column_begin[j + 1] = static_cast<int>(p.row.size());
  }
  p.row.shrink_to_fit();
  return p;
}

void multiply(const Pattern& pattern, std::span<const double> values, std::span<const double> x,
              std::span<double> y) {
  std::fill(y.begin(), y.end(), 0.0);
  for (int j = 0; j < pattern.n; ++j) {
    const double xj = x[j];
    for (int k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k)
      y[pattern.row[k]] += values[k] * xj;
  }
}

}  // namespace escapement
