#pragma once

namespace escapement {

/// Where a variable stands: first value, first row, and its T(u) among the tangent operators (Lie groups).
struct Place {
  int value = -1, row = -1, tangent = -1;
};

}  // namespace escapement
