// Static equilibrium: everything at rest, every force in balance, every constraint satisfied (T-equilibrium).
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/start.hpp"
#include "model/assembly.hpp"

namespace escapement {

struct EquilibriumReport {
  int iterations = 0;
  bool unstable = false;  // it was at rest already, but pushed a little it moves away
  double lost_at =
      1;  // of loads in steps: the part up to which the path could be followed; below 1: then it snapped
};

/// Moves the state to an equilibrium near it: downhill, by implicit steps of a damped motion whose step grows until
/// they are Newton's. What is kept stays. States and signals take their steady values. Throws ModelError E-EQUILIBRIUM
/// naming the row that stays out of balance.
/// `modes`: asked after every move; true: something has switched, and the search goes on with that.
/// `carried`: forces are those at the velocities of the state, which prescribed motions want (T-equilibrium-6).
using ModesOnTheWay = std::function<bool(State& state)>;
EquilibriumReport find_equilibrium(const System& system, State& state, const StartOptions& options,
                                   const ModesOnTheWay& modes = {}, bool carried = false);

/// Does it rest in truth? How far the row that moves most would go from here, over its nominal magnitude.
struct RestDefect {
  double size = 0;
  double position = 0;  // of positions alone
  int row = 0;
};
RestDefect rest_defect(const System& system, const State& state, const StartOptions& options,
                       bool carried = false);

/// By Newton's method alone, from a state near it: along a path of loads it follows the equilibrium, whether stable or not.
/// False: it does not get there, and the state is as it was. `first`: how far the first increment, along the tangent of the path,
/// would move positions, over their nominal magnitudes.
bool newton_to_equilibrium(const System& system, State& state, const StartOptions& options,
                           double* first = nullptr, bool carried = false);

/// The system with a part of the loads: a factor from 0 to 1.
using WithLoads = std::function<Assembly(double factor)>;

/// Follows the equilibrium while the loads grow in so many steps, halved where one fails; where the path ends, downhill to another
/// one. `report.iterations` counts levels of load.
EquilibriumReport step_to_equilibrium(const System& system, State& state, const StartOptions& options,
                                      int steps, const WithLoads& with_loads);

/// An equilibrium was found from a state that is one without loads: does taking off the loads, step by step, not lead back there?
/// False also if the state is none (T-buckling-5).
bool snapped_through(const System& system, const State& state, const State& unloaded,
                     const StartOptions& options, const WithLoads& with_loads);

/// A relative equilibrium: every frame keeps the twist in space that it has in the state, and moves to where all forces
/// balance with those of inertia (T-modes-6). Frames must move on SE(3). Throws ModelError E-EQUILIBRIUM.
EquilibriumReport find_steady_motion(const System& system, State& state, const StartOptions& options);

}  // namespace escapement
