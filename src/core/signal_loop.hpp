// The loop of signals behind singular equations, for messages.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/newton.hpp"

namespace escapement {

/// Unknowns in a circle, each determined by the next: the shortest circle through one of the rows that a singular matrix
/// names and through a signal, of signals alone if there is one. Empty: there is none.
std::vector<int> signal_loop(const System& system, std::span<const double> values,
                             const NewtonReport& report);

/// "a.output → b.output → a.output".
std::string loop_text(const System& system, std::span<const int> loop);

}  // namespace escapement
