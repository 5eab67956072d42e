// Natural frequencies, damping and shapes, from the linearised equations; loads at which a structure buckles (docs/modes.md).
//
//   find_modes(system, state, options)     modes about a state whose rows hold, the slowest first
//   configure(model, assembly, choice)     such a state: as it starts, at rest, in steady motion, or after a while
//   Mode                                   s (1/s), frequency() and natural() (Hz), damping(), shape
//   find_buckling(start, options, with_loads)   critical factors of the loads
//
//   Model model = Model::read_file("model.yaml", registry);
//   const Assembly assembly = assemble_for_linearization(model);
//   const Configuration at = configure(model, assembly, {.kind = ConfigurationChoice::Kind::equilibrium});
//   for (const Mode& m : find_modes(assembly.system, at.state, {.count = 5, .proximal = at.proximal}).modes)
//     std::printf("%g Hz, damping %g\n", m.frequency(), m.damping());
//
// Throws ModelError E-MODES, E-SINGULAR, E-EQUILIBRIUM.
#pragma once
#include <escapement/model.hpp>

#include "analyses/buckling.hpp"
#include "analyses/configuration.hpp"
#include "analyses/modes.hpp"
