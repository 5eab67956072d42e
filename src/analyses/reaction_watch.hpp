// Reactions of index-3 constraints that alternate from step to step and grow: a sign that the step is too long for what
// turns in it (T-constraint-8).
#pragma once
#include <cmath>
#include <vector>

#include "core/system.hpp"

namespace escapement {

class ReactionWatch {
 public:
  explicit ReactionWatch(const System& system)
      : first_(system.rows(Kind::holonomic).begin),
        count_(system.rows(Kind::holonomic).size()),
        value_(count_, 0.0),
        change_(count_, 0.0) {
    for (int i = 0; i < count_; ++i) at_.push_back(system.value_of_row()[first_ + i]);
  }
  /// After every step: true once, when they have alternated and grown for a while and are no longer small.
  bool look(const State& state) {
    double size = 0, change = 0, before = 0, turn = 0;
    for (int i = 0; i < count_; ++i) {
      const double now = state.value[at_[i]], d = now - value_[i];
      size += now * now;
      change += d * d;
      before += change_[i] * change_[i];
      turn += d * change_[i];
      value_[i] = now;
      change_[i] = d;
    }
    const bool alternates = turn < -0.5 * std::sqrt(change * before) && change > before;
    run_ = alternates ? run_ + 1 : 0;
    if (told_ || run_ < patience || change < 0.01 * size) return false;
    return told_ = true;
  }

  bool told() const { return told_; }
  void archive(Archive& a) { a(run_, told_, value_, change_); }

 private:
  static constexpr int patience = 20;
  int first_, count_, run_ = 0;
  bool told_ = false;
  std::vector<int> at_;
  std::vector<double> value_, change_;
};

}  // namespace escapement
