// EnergyAccount: what is stored, what is lost and what sources and prescribed motions supply, over a run (T-energy).
#pragma once
#include <optional>

#include "core/system.hpp"

namespace escapement {

struct EnergyBalance {
  double start = 0, end = 0;            // J, stored
  double supplied = 0, dissipated = 0;  // J, since the start
  double largest = 0;                   // J: of what was stored, supplied or dissipated
  double unseen =
      0;            // J: by how much forces times ways are more than the integral of their power (T-alarm-6)
  double load = 0;  // J: the most that forces would do on the usual magnitudes of their positions
  /// What is missing: 0 but for the error of the scheme and of the rule for the integrals, both O(h²).
  double error() const { return end - start - (supplied - dissipated); }
  void archive(Archive& a) { a(start, end, supplied, dissipated, largest, unseen, load); }
};

class EnergyAccount {
 public:
  explicit EnergyAccount(const System& system);
  /// Nothing in the system states an energy.
  bool empty() const { return accounted_.empty(); }
  /// The next instant; powers in between by the trapezoidal rule.
  void look(const State& state);
  /// After an event that sets velocities or values: what is missing was dissipated in it.
  void impact(const State& state);
  const EnergyBalance& balance() const { return balance_; }
  void archive(Archive& a) { a(balance_, time_, loss_, supply_, begun_, rows_, values_); }

 private:
  void find_ways(const State& state);

  const System& system_;
  std::vector<const Group*> accounted_;  // groups that state energy or loss
  std::vector<double> rows_, before_;    // what they take, now and then
  std::vector<double> values_, ways_;    // positions then; and how far they have come since
  EnergyBalance balance_;
  double time_ = 0, loss_ = 0, supply_ = 0;
  bool begun_ = false;
};

/// The account of a run, in its statistics; a bare run has none.
class RunEnergy {
 public:
  RunEnergy(const System& system, bool bare, std::optional<EnergyBalance>& balance)
      : account_(system), kept_(!bare), balance_(balance) {}
  void look(const State& state) {
    if (!kept_ || account_.empty()) return;
    account_.look(state);
    balance_ = account_.balance();
  }
  /// After an event that sets velocities or values.
  void impact(const State& state) {
    if (!kept_) return;
    account_.impact(state);
    balance_ = account_.balance();
  }
  void archive(Archive& a) { a(account_); }

 private:
  EnergyAccount account_;
  bool kept_;
  std::optional<EnergyBalance>& balance_;
};

}  // namespace escapement
