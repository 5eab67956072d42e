#include "components/control/nonlinear_lag.hpp"

#include "model/component.hpp"

namespace escapement::control {

void build_nonlinear_lag(Build& b, const NonlinearLag& lag, double start) {
  const auto u = b.wide_signal("input"), y = b.outputs();
  const std::vector<double> from = per_part(b, "initial.output", y.size(), start);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto name = [&](const char* suffix) { return part_name(b, suffix, i, y.size()); };
    const auto x = b.system.state<1>(name("state"));
    const auto argument = b.system.signal<1>(name("argument")), drive = b.system.signal<1>(name("drive"));
    b.start(x, {from[i]});
    b.add(Defined{argument});
    b.add(SignalFromSignal{argument, u[i], lag.gain});
    b.add(SignalFromState{argument, x, lag.feedback});
    if (const auto* pieces = std::get_if<std::shared_ptr<const TablePieces>>(&lag.function))
      b.add(TableMap{argument, drive, *pieces});
    else b.add(Map{argument, drive, std::get<Map::Function>(lag.function)});
    b.add(Integrated{x});
    b.add(StateFromSignal{x, drive, lag.rate});
    if (lag.decay != 0) b.add(StateFromState{x, x, -lag.rate * lag.decay});
    b.add(Defined{y[i]});
    b.add(SignalFromState{y[i], x, 1.0});
  }
}

}  // namespace escapement::control
