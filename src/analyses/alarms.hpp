// Alarms: what a run computes anyway, read against its result (T-alarm): steps that do not resolve what moves, energy that comes
// from nowhere or goes nowhere, constraints that no longer hold.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyses/energy.hpp"
#include "core/system.hpp"
#include "core/warning.hpp"
#include "steppers/variational.hpp"

namespace escapement {

/// Something is so far off that going on makes no sense.
struct Hopeless {
  std::string code, cause, hint;
  int row = -1;  // of the unknown it shows in
};

/// Which unknowns change faster than steps resolve (T-alarm-1, 2).
class ResolutionAlarm {
 public:
  explicit ResolutionAlarm(const System& system);
  void begin(const State& state);
  /// A step of size h, as computed.
  void look(const State& from, const State& to, double h);
  /// What comes next has nothing to do with what was before.
  void interrupted();
  std::optional<Warning> verdict() const;
  std::optional<Hopeless> hopeless() const;
  /// How far an unknown, or others like it, have come.
  double extent(int row) const;
  void archive(Archive& a) { a(unknowns_, largest_, storeless_); }

 private:
  struct Change {
    double value = 0, bend = 0;  // of an unknown; of its rates in a step
    void archive(Archive& a) { a(value, bend); }
  };
  struct Unknown {                      // a position or a store
    Change last;                        // in the step before
    double signed_change = 0;           // of a store, then
    int straight = 3;                   // steps since it last turned back
    int run = 0;                        // steps in a row that did not resolve it …
    double since = 0, extent_then = 0;  // … the first of them, and how far it had come by then
    double low = 0, high = 0;           // where it has been
    double leap = 0;                    // of a state: the longest change of its value in a step
    // The longest of its unresolved changes.
    double time = 0, change = 0, phase = 0, step = 0;
    void archive(Archive& a) {
      a(last, signed_change, straight, run, since, extent_then, low, high, leap, time, change, phase, step);
    }
    double extent() const { return high - low; }
  };
  static bool swings(Unknown& u, double change);
  bool moves(int row) const;
  void judge(int row, Change now, double promised, double h, double t);
  int worst() const;

  const System& system_;
  std::vector<Unknown> unknowns_;  // by row of positions and states
  std::vector<int> alike_;         // by row: which of …
  std::vector<double> largest_;    // … these extents is comparable: of the same part, kind and unit
  std::vector<char> turns_, on_line_, storeless_;
};

/// What the account of a run leaves open, apart from what its integrals cannot know (T-alarm-3).
class OpenAccount {
 public:
  /// After every step; `crept`: constraints relax, and so much of what they supplied was none (J).
  void look(const EnergyBalance& balance, std::optional<double> crept);
  double gained() const { return gained_; }    // J: stored, though nothing supplied it
  double lost() const { return lost_; }        // J: no longer stored, though nothing took it
  double in_play() const { return in_play_; }  // J
  double load() const { return load_; }        // J: of all forces on the usual magnitudes of their ways
  void archive(Archive& a) { a(gained_, lost_, in_play_, load_, dissipated_, returned_); }

 private:
  double gained_ = 0, lost_ = 0, in_play_ = 0, load_ = 0;
  double dissipated_ = 0, returned_ = 0;  // so far; and by what gives back instead of taking
};

/// An amount in joule that should be zero, against the energy in play (T-alarm-4).
class Discrepancy {
 public:
  void look(double amount, double in_play, double t);
  /// A noticeable part of the energy that the whole run had in play.
  bool noticed(double in_play) const;
  bool hopeless() const { return steps_ >= patience && last_ > out_of_reach * before_; }
  double largest() const { return largest_; }
  double since() const { return since_; }  // s: noticeable from then on until it was largest
  void archive(Archive& a) { a(began_, before_, largest_, since_, last_, steps_); }

  static constexpr double limit = 0.1;

 private:
  static constexpr double out_of_reach = 100;
  static constexpr int patience = 10;
  double began_ = 0, before_ = 0;  // when it was last unnoticeable, and the energy in play then
  double largest_ = 0, since_ = 0, last_ = 0;
  int steps_ = 0;  // in a row in which it was more than half of all energy
};

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
    int beyond = 0;     // hopeless, for so many steps
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
