// A table between its corners: which piece holds is memory, and steps of the integrator end where it changes (T-kink-4). It
// switches as expressions do, with two sides: the piece, counted from 1, and whether its upper end is watched.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/switching.hpp"
#include "math/table.hpp"

namespace escapement {

class TablePieces final : public Switching {
 public:
  TablePieces(std::shared_ptr<const Table> table, bool hold, const char* name = "table")
      : table_(std::move(table)), hold_(hold), corners_(table_->corners(hold)), name_(name) {}

  int sides() const { return corners_.empty() ? 0 : 2; }
  bool has_side(int) const override { return true; }

  template <class S>
  S evaluate(const S& at, const double* sides) const {
    const std::size_t last = table_->x().size() - 1;
    const int piece =
        sides && !corners_.empty() && sides[0] > 0 ? static_cast<int>(sides[0]) - 1 : piece_at(value(at));
    const int pieces = static_cast<int>(corners_.size());
    if (hold_ && piece == 0 && pieces > 0 && corners_.front() == 0) return S(table_->y().front());
    if (hold_ && piece == pieces && pieces > 0 && corners_.back() == last) return S(table_->y().back());
    return table_->along(at, piece == 0 ? 0 : corners_[piece - 1], piece == pieces ? last : corners_[piece]);
  }

  void crossings(std::span<const double> inputs, const double* sides,
                 std::span<double> functions) const override {
    if (corners_.empty()) return;
    const int piece = static_cast<int>(sides[0]) - 1;
    functions[0] = piece < 0 ? -1 : piece == 0 ? 1 : inputs[0] - border(piece - 1);
    functions[1] = sides[1] == 0                                             ? -1
                   : piece < 0 || piece == static_cast<int>(corners_.size()) ? 1
                                                                             : border(piece) - inputs[0];
  }
  void cross(std::span<const double> inputs, double* sides, int i) const override {
    const double live = 1 + piece_at(inputs[0]);
    if (sides[i] == 0) sides[i] = i == 0 ? live : 1;
    else sides[0] = i == 0 ? std::min(sides[0] - 1, live) : std::max(sides[0] + 1, live);
  }
  Bend bend(std::span<const double>, const double*, int) const override { return {}; }
  bool ends_at_zero(std::span<const double>, const double*, int) const override {
    return false;
  }  // it only bends
  void land(std::span<const double>, double*, int) const override {}
  std::string switch_text(int) const override { return name_; }

 private:
  double border(int k) const { return table_->x()[corners_[k]]; }
  /// How many corners lie at or below.
  int piece_at(double at) const {
    const auto above = std::upper_bound(corners_.begin(), corners_.end(), at,
                                        [&](double x, std::size_t k) { return x < table_->x()[k]; });
    return static_cast<int>(above - corners_.begin());
  }
  std::shared_ptr<const Table> table_;
  bool hold_;
  std::vector<std::size_t> corners_;
  const char* name_;
};

}  // namespace escapement
