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

  /// f(k) for all elements; `begin()` makes what one thread works with: f is its return value.
  template <class Begin>
  void each(int elements, const Begin& begin) const {
    if (pieces_ == 0) {
      const auto f = begin();
      for (int k = 0; k < elements; ++k) f(k);
      return;
    }
    Workers::shared().run(pieces_, [&](int piece) {
      const auto f = begin();
      for (int k = piece * size; k < std::min(elements, (piece + 1) * size); ++k)
        if (!border_[k]) f(k);
    });
    const auto f = begin();
    for (const int k : borders_) f(k);
  }

 private:
  int pieces_ = 0;  // 0: all in one
  std::vector<char> border_;
  std::vector<int> borders_;
};

}  // namespace escapement
