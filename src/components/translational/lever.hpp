// An ideal transmission: two sliders or shafts whose motions, seen from a third, are in a fixed ratio. The element of
// lever, gear, and rack and pinion.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::translational {

/// Φ = (driven − carrier) − ratio (driver − carrier) − offset. It acts on `driven` with −load, on `driver` with
/// ratio · load, and on the carrier with what keeps the balance.
struct Transmission {
  Position<1> driven, driver, carrier;
  Multiplier<1> load;  // N or N m
  double ratio;
  double offset = 0;  // m or rad

  auto variables() const { return std::tie(driven, driver, carrier, load); }
  void violation(const auto& z, auto& out) const {
    out(load) += z(driven) - ratio * z(driver) - (1 - ratio) * z(carrier) - offset;
  }
};

}  // namespace escapement::translational

extern template struct escapement::Adaptor<escapement::translational::Transmission>;
