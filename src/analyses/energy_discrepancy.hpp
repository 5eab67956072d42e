// Energy that comes from nowhere or goes nowhere: what the account of a run leaves open, and for how long (T-alarm-3, 4).
#pragma once
#include <optional>

#include "analyses/energy.hpp"

namespace escapement {

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

}  // namespace escapement
