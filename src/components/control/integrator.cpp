#include "components/control/limits.hpp"
#include "components/control/realization.hpp"

template struct escapement::Adaptor<escapement::control::Integral>;

namespace escapement {
namespace {

double tracking_time(const Build& b) {
  if (!b.has("tracking_time"))
    b.refuse("E-MISSING", "", "`tracking_time` is missing (how fast the limits act)",
             "tracking_time: a few steps, in s; or anti_windup: none");
  return b.number("tracking_time");
}

/// `reset` and its values, into the integral of every part.
void read_reset(const Build& b, const control::Limits& limits, control::Integral& integral) {
  if (!b.connected("reset")) {
    for (const char* key : {"reset_time", "reset_value"})
      if (b.given(key)) b.refuse("E-VALUE", key, "belongs to a `reset`", "connect reset, or remove it");
    return;
  }
  if (!b.has("reset_time"))
    b.refuse("E-MISSING", "", "`reset_time` is missing (how fast a reset acts)",
             "reset_time: a few steps, in s");
  integral.reset = b.signal("reset");
  integral.reset_time = b.number("reset_time");
  integral.reset_value = b.number("reset_value");
  if (integral.reset_value < limits.minimum || integral.reset_value > limits.maximum)
    b.refuse("E-RANGE", "reset_value", "is beyond the limits");
}

void build_integrator(Build& b) {
  using namespace control;
  const auto u = b.wide_signal("input"), y = b.outputs();
  const Limits limits = Limits::read(b);
  const std::vector<double> start = per_part(b, "initial.output", u.size());
  Integral common{};
  common.gain = b.number("gain");
  read_reset(b, limits, common);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (start[i] < limits.minimum || start[i] > limits.maximum)
      b.refuse("E-RANGE", b.has("initial.output") ? "initial.output" : "", "the start is beyond the limits",
               "initial: {output: …} within them");
    Integral integral = common;
    integral.input = u[i];
    integral.state = b.system.state<1>(part_name(b, "state", i, y.size()));
    integral.demand = y[i];
    b.start(integral.state, {start[i]});
    b.settable(integral.state, static_cast<int>(i));
    b.channel("integral", integral.state, 1, 0, static_cast<int>(i));
    b.add(Integrated{integral.state});
    if (limits) {
      integral.demand = limits.demand_of(b, y[i], part_name(b, "demand", i, y.size()));
      if (limits.anti_windup != "none") limits.hold(b, integral, y[i], tracking_time(b));
    }
    b.add(Defined{integral.demand});
    b.add(SignalFromState{integral.demand, integral.state, 1.0});
    if (limits.clamping() || b.connected("reset")) b.add(integral);
    else b.add(StateFromSignal{integral.state, u[i], integral.gain});
  }
}

}  // namespace

ComponentType control_integrator() {
  ComponentType type("control.integrator", "Integrates a signal: d/dt output = gain · input.");
  type.description =
      "With limits the output is the integral x within [minimum, maximum]. With w = gain · input\n\n"
      "    d/dt x = w, but while x is beyond a limit and w drives it further out,\n"
      "    d/dt x = w reduced by |x − output| / tracking_time, at most to zero   (clamping)\n"
      "    d/dt x = w + (output − x) / tracking_time, whatever w is              (back_calculation)\n\n"
      "so x goes beyond a limit by at most the largest |w| times tracking_time, and is back after about "
      "tracking_time of an equally large w of the other sign. With `anti_windup: none` the integral goes on "
      "behind the limit.\n\n"
      "While `reset` is above ¾ the output goes to reset_value with the time constant reset_time and does "
      "not integrate; below ¼ nothing happens, and in between both in proportion, so the rate is "
      "continuous: d/dt x = (1 − s) w + s (reset_value − x) / reset_time with s = 2 reset − ½ within [0, "
      "1].";
  type.is_block("the integral", true);
  type.connects(input("any", "the signal to integrate").any_width());
  type.connects(signal_port("reset", "any", "1 resets all parts, 0 lets them integrate").optional());
  type.takes(number("gain", "any", "gain").otherwise("1"));
  control::Limits::add_keys(type, "clamping", "how fast the limits act on the integral; needed with limits");
  type.takes(number("reset_time", "s", "time constant of a reset; needed with reset").positive().optional());
  type.takes(number("reset_value", "any", "where a reset leads to").of_output().otherwise("0"));
  type.takes(control::initial_output());
  type.gives({"integral", "", "x, which goes beyond the limits", {}, true, false});
  type.signs = "With a positive gain the output grows while the input is positive.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
level: {type: control.constant, value: 2}
back: {type: control.step, time: 0.6 s}
area: {type: control.integrator, gain: 0.5, input: [wave, level], initial: {output: [1, 0]}}
limited: {type: control.integrator, input: level, minimum: -0.5, maximum: 0.5, tracking_time: 20 ms, reset: back, reset_time: 20 ms}
)yaml";
  type.build = build_integrator;
  return type;
}

}  // namespace escapement
