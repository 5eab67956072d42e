// ResolutionAlarm: which unknowns change faster than steps resolve (T-alarm-1, 2).
#pragma once
#include <optional>
#include <vector>

#include "analyses/run_result.hpp"
#include "core/system.hpp"
#include "core/warning.hpp"

namespace escapement {

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

}  // namespace escapement
