// Alarms: what a run computes anyway, read against its result (T-alarm): steps that do not resolve what moves, energy that comes
// from nowhere or goes nowhere, constraints that no longer hold.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyses/energy_discrepancy.hpp"
#include "analyses/resolution_alarm.hpp"
#include "steppers/variational.hpp"

namespace escapement {

class Alarms {
 public:
  explicit Alarms(const System& system) : system_(system), resolution_(system), rows_(system.size()) {}
  /// Constraints of this scheme relax, each in its way; `step`: the usual one.
  void constraints_relax(std::span<const Relaxation> relaxations, double step);
  void begin(const State& state) { resolution_.begin(state); }
  /// The step just computed, which will be taken.
  void computed(const State& from, const State& to, double h) {
    resolution_.look(from, to, h);
    h_ = h;
  }
  /// Its end, with the energy account up to there. Something that ends the run?
  std::optional<Hopeless> taken(const State& state, const std::optional<EnergyBalance>& energy);
  /// Something has jumped.
  void interrupted() { resolution_.interrupted(); }
  /// At the end of the run.
  std::vector<Warning> verdicts() const;
  void archive(Archive& a) {
    a(resolution_, account_, gain_, loss_, kinetic_, violations_, h_, creep_, crept_);
  }

 private:
  struct Violation {  // of a holonomic row
    Relaxation relaxation;
    double lag = 0;                              // behind what prescribes it, by the scheme (T-alarm-7)
    double size = 0, largest = 0, compared = 0;  // now, ever, and when last looked into
    double not_owed = 0;                         // the largest beside its lag
    double reach = 0,
           part = 0;    // what it could be by the way its unknowns have come; and how much of that it is
    double since = -1;  // s: noticeable
    int beyond = 0;     // hopeless, for this many steps
    void archive(Archive& a) {
      a(relaxation.damping, relaxation.in_seconds, relaxation.compliance, lag, not_owed, size, largest,
        compared, reach, part, since, beyond);
    }
  };
  void look_at_constraints(const State& state);
  void compare_constraints(const State& state);
  void follow_lags(const State& state);
  void follow_creep(const State& state);
  const Violation* worst_violation() const;
  int row_of(const Violation& v) const;
  double kinetic_energy(const State& state);
  double in_play() const;
  std::string gained() const;
  std::string describe(const Violation& v) const;

  const System& system_;
  ResolutionAlarm resolution_;
  OpenAccount account_;
  Discrepancy gain_, loss_;
  double kinetic_ = 0;  // J: the largest, where the account alone would show too little
  std::vector<Violation> violations_;
  double h_ = 0, step_ = 0;       // s: of the last step; the usual one
  double creep_ = 0, crept_ = 0;  // W and J: of reactions, on velocities that violate their constraints
  State at_rest_;
  std::vector<double> rows_, tangent_;
};

}  // namespace escapement
