// A model from its start to the end of its simulated time, with all that jumps, switches and samples on the way.
//
//   simulate_options(model)   what the `simulate:` section asks for
//   simulate(assembly, options, observer)   the whole run
//   Simulation     the same, step by step
//   RunObserver    who follows it: row(state) where results are due, step(done) after every step; false stops the run
//   RunResult      statistics, energy balance, warnings, the last state; `failure`, if it ended before its time
//
//   struct Rows final : RunObserver {
//     void row(const State& state) override { … assembly.read(channel, state) … }
//     bool step(const StepDone&) override { return true; }
//   } rows;
//   const RunResult result = simulate(assembly, simulate_options(model), rows);
//   if (result.failure) std::fprintf(stderr, "%s\n", result.failure->cause.c_str());
//
// Throws ModelError or ModelErrors for a start that does not exist; numerical failures are in the result. Model, assembly and
// options must outlive a Simulation. Several runs of one assembly may go on at the same time, each in a thread of its own.
#pragma once
#include <escapement/model.hpp>

#include "analyses/simulate.hpp"
