// A fixed sparsity pattern in compressed columns, built once from blocks of (rows × columns).
#pragma once
#include <span>
#include <vector>

namespace escapement {

struct Pattern {
  int n = 0;
  std::vector<int> column_begin;  // n + 1
  std::vector<int> row;           // sorted within each column
  int nonzeros() const { return static_cast<int>(row.size()); }
  /// Where entry (i, j) stands among the values, or -1.
  int find(int i, int j) const;
  /// The same for the entries of such a block.
  void find_block(std::span<const int> rows, std::span<const bool> occupied, std::span<int> at) const;
};

/// Collects entries; `finish` sorts and merges them. Linear in the number of entries.
class PatternBuilder {
 public:
  explicit PatternBuilder(int n) : n_(n) {}
  void add(int i, int j) { entries_.push_back({i, j}); }
  /// The occupied entries (row by row) of a square block in these rows and columns; -1: none.
  void add_block(std::span<const int> rows, std::span<const bool> occupied);
  Pattern finish() const;

 private:
  struct Entry {
    int i, j;
  };
  int n_;
  std::vector<Entry> entries_;
};

/// y = A x for values on a pattern.
void multiply(const Pattern& pattern, std::span<const double> values, std::span<const double> x,
              std::span<double> y);

}  // namespace escapement
