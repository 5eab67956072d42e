// Impulses: velocities that change in no time, through all constraints, where stops are hit or events set them (T-impact).
#pragma once
#include <span>
#include <vector>

#include "core/start.hpp"
#include "core/system.hpp"

namespace escapement {

/// Impacts: the stops of these elements (closed by now) and all others in contact change the velocities, through all other
/// constraints, by impulses that push (T-impact). Those that rebound, or come free, are released.
void apply_impacts(const System& system, State& state, const std::vector<ElementId>& elements,
                   const StartOptions& options);

/// Velocities of these rows, set by impulses there (T-impact-3). What is held by finite forces, or only pushed, gives way.
void set_velocities(const System& system, State& state, std::span<const int> rows,
                    std::span<const double> rates, const StartOptions& options);

}  // namespace escapement
