// Rest with all discrete states: an equilibrium in which every mode holds, friction can bear what it must, stops only push, and
// sampled blocks would compute what they hold (T-equilibrium-4).
#pragma once
#include "analyses/consistent_start.hpp"
#include "analyses/equilibrium.hpp"

namespace escapement {

class Rest {
 public:
  Rest(const Assembly& assembly, const StartOptions& options, double slack);
  /// Nothing switches, nothing samples.
  bool trivial() const { return start_.trivial(); }
  /// As find_equilibrium(). Throws ModelError E-EQUILIBRIUM, naming what does not come to rest. Where prescribed motions go on, the
  /// place is one in which that changes no load, friction sliding at their velocities, if there is one (T-equilibrium-6).
  EquilibriumReport find(State& state);
  /// After find(): what does not stay in balance while prescribed motions go on; empty: all does.
  const std::string& goes_on() const { return goes_on_; }
  /// Throws ModelError E-EQUILIBRIUM if something would move from here, with everything as it is.
  void refuse_motion(const State& state) const;

 private:
  /// What changes while prescribed motions go on.
  struct Change {
    std::string what;           // empty: nothing
    std::vector<int> released;  // frictions that slide first; empty: it is no rest
  };
  /// A constraint of finite force.
  struct Friction {
    ElementId element;
    int place, row;  // of its mode in memory, of its multiplier
    bool released = false;
  };
  struct Sliding {
    int place;    // of its mode in memory
    double side;  // the direction in which it gives way
    std::string name;
  };
  void enter(State& state);
  EquilibriumReport search_still(State& state);
  EquilibriumReport search_with_shares(State& state);
  bool prescribed(const State& state) const;
  void carry(State& state);
  Change change(const State& state);
  bool is_released(int place) const;
  bool with_share(State& state, double share, EquilibriumReport& report);
  EquilibriumReport search(State& state);
  bool switch_on_the_way(State& state);
  bool gives_way(int function) const;
  bool samples_rest(State& state);
  std::vector<double> after_a_sample(State& state, std::span<const double> kept);

  const Assembly& assembly_;
  const System& system_;
  StartOptions options_;
  EventWatch watch_;
  ConsistentStart start_;
  Sampling sampling_;
  std::vector<const Group*> frictions_;  // groups whose constraints have a finite force
  std::vector<Sliding> sliding_;
  std::vector<Friction> friction_;
  bool carried_ = false;  // velocities are those that prescribed motions want
  std::string goes_on_;
  int switched_ = 0;
};

}  // namespace escapement
