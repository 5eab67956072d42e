// What blocks with a limited integral share: the keys `minimum`, `maximum`, `anti_windup`, `tracking_time`.
#pragma once
#include <string>

#include "components/control/integral.hpp"
#include "model/component.hpp"

namespace escapement::control {

struct Limits {
  double minimum, maximum;
  std::string anti_windup;  // empty without limits

  static void add_keys(ComponentType& type, const char* anti_windup, const char* tracking_time);
  /// Reads and checks them; keys that have no use are refused rather than ignored.
  static Limits read(const Build& b);

  explicit operator bool() const { return !anti_windup.empty(); }
  bool clamping() const { return anti_windup == "clamping"; }
  /// The signal that is limited to make this output.
  Signal<1> demand_of(Build& b, Signal<1> output, const std::string& name) const;
  /// The integral follows the limited output (back-calculation: added here), or is told to stop (clamping).
  void hold(Build& b, Integral& integral, Signal<1> output, double tracking_time) const;
};

}  // namespace escapement::control
