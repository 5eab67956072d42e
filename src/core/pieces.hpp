// Pieces: how threads share the elements of a large group.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "core/workers.hpp"

namespace escapement {

/// Pieces of so many elements, one after the other. Elements that write to a row which another piece writes to, too, come last, one
/// by one: every sum has its order, however many threads there are.
class Pieces {
 public:
  static constexpr int size = 1024, least = 4096;
  /// `rows`: of all elements, so many each; -1 where there is none.
  void divide(std::span<const int> rows, int per_element);

  /// All in one?
  bool one() const { return pieces_ == 0; }
  /// Else loop(begin, end, skipped) over all elements: those that are marked in `skipped` (null: none) are left out.
  template <class Loop>
  void each(int elements, const Loop& loop) const {
    Workers::shared().run(pieces_, [&](int piece) {
      loop(piece * size, std::min(elements, (piece + 1) * size), border_.data());
    });
    for (const int k : borders_) loop(k, k + 1, nullptr);
  }

 private:
  int pieces_ = 0;  // 0: all in one
  std::vector<char> border_;
  std::vector<int> borders_;
};

}  // namespace escapement
