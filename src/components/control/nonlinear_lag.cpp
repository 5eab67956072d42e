#include "components/control/nonlinear_lag.hpp"

#include <fmt/format.h>

#include "model/component.hpp"

namespace escapement::control {

void build_nonlinear_lag(Build& b, const NonlinearLag& lag, double start) {
  const auto u = b.wide_signal("input"), y = b.outputs();
  std::vector<double> from(y.size(), start);
  if (b.has("initial.output")) {
    const std::vector<double>& given = b.vector("initial.output");
    if (given.size() != 1 && given.size() != y.size())
      b.refuse("E-WIDTH", "initial.output",
               fmt::format("has {} numbers, the input has {} parts", given.size(), y.size()));
    for (std::size_t i = 0; i < y.size(); ++i) from[i] = given.size() == 1 ? given[0] : given[i];
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto name = [&](const char* suffix) {
      return y.size() == 1 ? b.name(suffix) : fmt::format("{}.{}", b.name(suffix), i + 1);
    };
    const auto x = b.system.state<1>(name("state"));
    const auto argument = b.system.signal<1>(name("argument")), drive = b.system.signal<1>(name("drive"));
    b.start(x, {from[i]});
    b.add(Defined{argument});
    b.add(SignalFromSignal{argument, u[i], lag.gain});
    b.add(SignalFromState{argument, x, lag.feedback});
    b.add(Map{argument, drive, lag.function});
    b.add(Integrated{x});
    b.add(StateFromSignal{x, drive, lag.rate});
    if (lag.decay != 0) b.add(StateFromState{x, x, -lag.rate * lag.decay});
    b.add(Defined{y[i]});
    b.add(SignalFromState{y[i], x, 1.0});
  }
}

Parameter initial_output(const char* summary) {
  return group("initial", {vector("output", "any", 0, summary).optional()}, "values at the start");
}

}  // namespace escapement::control
