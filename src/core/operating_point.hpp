// The operating point: states that start steady, from flow = 0, together with accelerations, multipliers and signals (T-operating).
#pragma once
#include "core/start.hpp"

namespace escapement {

/// Directly, and by the others where that fails; or by one of them alone.
enum class OperatingWay { automatic, leaking, ramping };

/// Sets the steady states; all else stays. Throws ModelError E-SINGULAR or E-START, naming the rows.
void find_operating_point(const System& system, State& state, const StartOptions& options,
                          OperatingWay way = OperatingWay::automatic);

}  // namespace escapement
