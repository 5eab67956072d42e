#include <cmath>

#include "components/control/nonlinear_lag.hpp"
#include "components/control/switching.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

/// The feedback w for which x = tanh(v + w x) folds at v = ± threshold: there x_f² = 1 − 1/w and
/// threshold = w x_f − artanh x_f, which grows with w; its derivative is x_f.
double feedback(double threshold) {
  double w =
      threshold + 2;  // a convex function: Newton overshoots once at most and then comes down to the root
  for (int i = 0; i < 100; ++i) {
    const double x = std::sqrt(1 - 1 / w);
    const double artanh = std::log(std::sqrt(w) * (1 + x));  // without cancellation: 1 − x² = 1/w
    const double change = (w * x - artanh - threshold) / x;
    w = std::max(w - change, 1 + 0.5 * (w - 1));
    if (std::abs(change) <= 1e-15 * w) break;
  }
  return w;
}

void build_hysteresis(Build& b) {
  const double lower = b.number("lower"), upper = b.number("upper");
  const double low = b.number("low"), high = b.number("high");
  if (!(lower < upper)) b.refuse("E-RANGE", "lower", "is not below `upper`");
  if (low == high) b.refuse("E-RANGE", "low", "equals `high`: there is nothing to switch");
  if (b.has("width") != b.has("time"))
    b.refuse("E-MISSING", b.has("width") ? "width" : "time", "the smooth switch has a `width` and a `time`",
             "give both, or none");
  if (!b.has("width")) {
    const auto u = b.wide_signal("input"), y = b.outputs();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const ElementId id = b.add(control::TwoPoint{u[i], {}, y[i], lower, upper, low, high});
      if (!b.has("initial.output")) continue;
      const std::vector<double>& given = b.vector("initial.output");
      const double first = given[given.size() == 1 ? 0 : i];
      if (first != low && first != high) b.refuse("E-RANGE", "initial.output", "is neither `low` nor `high`");
      b.start_memory(id, 0, first == high ? 1 : 0);
    }
    return;
  }
  const double width = b.number("width");
  if (width > 0.25 * (upper - lower))
    b.refuse("E-RANGE", "width", "the two branches are no longer apart",
             "at most a quarter of upper − lower");
  // In terms of x = (output − middle) / half: time · ẋ = −x + tanh((input − centre) / width + w x).
  const double centre = 0.5 * (lower + upper), middle = 0.5 * (low + high), half = 0.5 * (high - low);
  const double w = feedback(0.5 * (upper - lower) / width);
  const double shift = centre / width + w * middle / half;
  const auto drive = [=](const Dual<1>& s) { return middle + half * tanh(s - shift); };
  control::build_nonlinear_lag(b, {1 / width, w / half, drive, 1 / b.number("time"), 1.0}, low);
}

}  // namespace

ComponentType control_hysteresis() {
  ComponentType type("control.hysteresis", "A switch with two thresholds (Schmitt trigger).");
  type.description =
      "A rising input switches the output to `high` at `upper`, a falling one to `low` at `lower`. The "
      "switch is an "
      "event: steps end exactly there. It starts at `low` unless `initial` says otherwise, and switches at "
      "once if the input is above `upper`.\n\n"
      "With `width` and `time` the switch is smooth instead. With x = −1 for `low` and +1 for `high`,\n\n"
      "    time · d/dt x = −x + tanh((input − (lower + upper) / 2) / width + w x)\n\n"
      "where w is chosen such that the two branches end exactly at the thresholds: a slowly rising input "
      "switches at `upper`, a slowly falling one at `lower`. It is a smooth equation with a state, so second "
      "order is kept; the switch takes a few `time`, later by as much as the input passes the threshold "
      "meanwhile. The branches bend towards their ends within a few `width`, which is at most a quarter of "
      "upper − lower. While it switches, a long step has several solutions and may find none of them: keep "
      "the step below about 2 · time · width / (upper − lower). Without `initial` the output starts at "
      "`low`, "
      "on the lower branch, and switches at once if the input is above `upper`.";
  type.is_block("the switched signal", true);
  type.connects(input("any", "the signal that switches").any_width());
  type.takes(number("lower", "any", "falling input that switches to low"));
  type.takes(number("upper", "any", "rising input that switches to high"));
  type.takes(number("width", "any", "of a smooth switch, in units of the input").positive().optional());
  type.takes(number("time", "s", "time constant of a smooth switch").positive().optional());
  type.takes(number("low", "any", "output on the lower branch").of_output().otherwise("-1"));
  type.takes(number("high", "any", "output on the upper branch").of_output().otherwise("1"));
  type.takes(control::initial_output("`low`"));
  type.signs = "The output is `high` after the input was above `upper`, `low` after it was below `lower`.";
  type.shape = {"block"};
  type.example = R"yaml(
room: {type: control.sine, amplitude: 3, frequency: 0.5 Hz}
heater: {type: control.hysteresis, lower: -1, upper: 1, low: 1, high: 0, input: room}
soft: {type: control.hysteresis, lower: -1, upper: 1, width: 0.2, time: 60 ms, low: 1, high: 0, input: room}
)yaml";
  type.build = build_hysteresis;
  return type;
}

}  // namespace escapement
