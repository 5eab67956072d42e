#include "components/control/limits.hpp"

#include <cmath>
#include <limits>

#include "components/control/linear.hpp"
#include "components/control/pid.hpp"
#include "components/control/table_map.hpp"

namespace escapement::control {

void Limits::add_keys(ComponentType& type, const char* anti_windup, const char* tracking_time) {
  type.takes(number("minimum", "any", "the output is never below").of_output().optional());
  type.takes(number("maximum", "any", "the output is never above").of_output().optional());
  type.takes(choice("anti_windup", {"back_calculation", "clamping", "none"},
                    "what happens to the integral while the output is limited")
                 .otherwise(anti_windup));
  type.takes(number("tracking_time", "s", tracking_time).positive().optional());
}

Limits Limits::read(const Build& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Limits l{b.has("minimum") ? b.number("minimum") : -infinity,
           b.has("maximum") ? b.number("maximum") : infinity, b.text("anti_windup")};
  if (!(l.minimum < l.maximum)) b.refuse("E-RANGE", "minimum", "is not below `maximum`");
  if (!b.has("minimum") && !b.has("maximum")) {
    for (const char* key : {"tracking_time", "anti_windup"})
      if (b.given(key))
        b.refuse("E-VALUE", key, "belongs to the limits", "give minimum or maximum, or remove it");
    l.anti_windup.clear();
  }
  if (l.anti_windup == "none" && b.given("tracking_time"))
    b.refuse("E-VALUE", "tracking_time", "has no use with `anti_windup: none`",
             "another anti_windup, or remove it");
  return l;
}

Signal<1> Limits::demand_of(Build& b, Signal<1> output, const std::string& name) const {
  double size = 0;  // the demand is met inside and outside the limits
  for (const double limit : {minimum, maximum})
    if (std::isfinite(limit)) size = std::max(size, 2 * std::abs(limit));
  const auto demand = b.system.signal<1>(name, {.nominal = size > 0 ? size : 1.0});
  b.add(TableMap{demand, output, saturation(minimum, maximum)});
  return demand;
}

void Limits::hold(Build& b, Integral& integral, Signal<1> output, double tracking_time) const {
  if (clamping()) {
    integral.minimum = minimum, integral.maximum = maximum, integral.tracking_time = tracking_time;
  } else if (anti_windup == "back_calculation") {
    b.add(StateFromSignal{integral.state, output, 1 / tracking_time});
    b.add(StateFromSignal{integral.state, integral.demand, -1 / tracking_time});
  }
}

}  // namespace escapement::control
