// Where a system rests, and where a model starts.
//
//   find_equilibrium(system, state, options)     moves the state to an equilibrium near it
//   find_steady_motion(system, state, options)   to a relative one, in which everything keeps turning as it does
//   prepare(assembly, prepare_options(model))    the start that the model asks for: as given, assembled, or in equilibrium
//   EquilibriumReport                            iterations; unstable
//
//   State state = assembly.initial;
//   find_equilibrium(assembly.system, state, {.project = true});
//
// Throws ModelError E-EQUILIBRIUM, naming the row that stays out of balance, and E-START for a start that does not exist.
#pragma once
#include "analyses/equilibrium.hpp"
#include "analyses/prepare.hpp"
