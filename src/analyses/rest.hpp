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
  /// As find_equilibrium(). Throws ModelError E-EQUILIBRIUM, naming what does not come to rest.
  EquilibriumReport find(State& state);
  /// Throws ModelError E-EQUILIBRIUM if something would move from here, with everything as it is.
  void refuse_motion(const State& state) const;

 private:
  struct Sliding {
    int place;    // of its mode in memory
    double side;  // the direction in which it gives way
    std::string name;
  };
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
  std::vector<const GroupBase*> frictions_;  // groups whose constraints have a finite force
  std::vector<Sliding> sliding_;
  int switched_ = 0;
};

}  // namespace escapement
