// Cubics within a step, from values and slopes at both its ends.
#pragma once

namespace escapement {

/// At the fraction s: h00 f_0 + h01 f_1 + length (h10 ḟ_0 + h11 ḟ_1).
struct HermiteWeights {
  explicit HermiteWeights(double s)
      : h00((1 + 2 * s) * (1 - s) * (1 - s)),
        h01(s * s * (3 - 2 * s)),
        h10(s * (1 - s) * (1 - s)),
        h11(-s * s * (1 - s)) {}
  double h00, h01, h10, h11;
};

}  // namespace escapement
