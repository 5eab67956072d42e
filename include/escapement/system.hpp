// A system of elements: one differential-algebraic system, d/dt store(z, t) + flow(z, t) = 0, one row per unknown.
//
//   SystemBuilder   makes unknowns (position<n>, orientation, pose, state<n>, signal<n>, multiplier<n>, slip_multiplier<n>), takes
//                   elements, and taps that make signals of anything else: tap_value, tap_rate, tap_acceleration, tap_output
//   System          numbered and constant once finished; must outlive what steps it. Several threads may use one.
//   State           time, values, velocities, accelerations, stores, memory: plain data; a copy is a checkpoint
//   Description     of an unknown: unit, usual magnitude (which tolerances refer to), what its row says in messages
//
//   SystemBuilder builder;
//   const auto x = builder.position<1>("mass.position", {.unit = "m", .nominal = 1e-3});
//   const auto a = builder.signal<1>("acceleration", {.unit = "m/s^2"});
//   builder.add(translational::Mass{x, 2.0});
//   builder.tap_acceleration(x, a);
//   const System system = builder.finish();
//   State state = system.state();                 // zeros, identity rotations
//   system.value(state, x)[0] = 0.5;              // m
//   system.rate(state, x)[0] = 0.1;               // m/s
//
// finish() throws ModelError for rows that nothing acts on and elements that are ill-formed.
#pragma once
#include "core/system.hpp"
