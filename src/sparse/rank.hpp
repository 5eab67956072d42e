// Rank of a sparse set of rows, and which of them depend on which others.
#pragma once
#include <vector>

namespace escapement {

struct RowEntry {
  int row, column;
  double value;
};

/// Σ weight · row / |row| = 0 (to rounding); the largest weight is 1.
struct Dependency {
  struct Part {
    int row;
    double weight;
  };
  std::vector<Part> parts;  // the largest weight first
};

struct RowRank {
  int rank = 0;
  std::vector<Dependency> dependencies;  // one for each row beyond the rank, but no more than asked for
  std::vector<double> size;              // |row|
};

/// By orthogonal elimination of the rows, each scaled to length one; `tolerance` on what is left of a row. Rows of zeros
/// depend on nobody.
RowRank row_rank(int rows, int columns, const std::vector<RowEntry>& entries, double tolerance,
                 int most_dependencies);

}  // namespace escapement
