#include "analyses/energy_discrepancy.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

void Discrepancy::look(double amount, double in_play, double t) {
  last_ = amount;
  if (before_ == 0) before_ = in_play;
  if (amount <= limit * in_play) before_ = in_play, began_ = t;
  if (amount > largest_) largest_ = amount, since_ = began_;
  steps_ = amount > 0.5 * in_play ? steps_ + 1 : 0;
}

bool Discrepancy::noticed(double in_play) const { return largest_ > limit * in_play; }

/// The loss of what decays within a step is not known (its power at both ends says nothing), so that none is needed for energy to
/// count as gained, and all of it for energy to count as lost. Nor is the work of forces along ways that settle within it: both
/// accounts of work must leave something open (T-alarm-6); but what reactions do along violations, is lost.
void OpenAccount::look(const EnergyBalance& b, std::optional<double> crept) {
  returned_ += std::min(b.dissipated - dissipated_, 0.0);
  dissipated_ = b.dissipated;
  const double open = b.end - b.start - b.supplied - crept.value_or(0);
  const double unseen = crept ? 0.0 : b.unseen;
  gained_ = std::max(open - std::max(unseen, 0.0) + returned_, 0.0);
  lost_ = std::max(-open + std::min(unseen, 0.0) - b.dissipated, 0.0);
  in_play_ = std::max({in_play_, std::abs(b.start), std::abs(b.end), std::abs(b.supplied)});
  load_ = b.load;
}

}  // namespace escapement
