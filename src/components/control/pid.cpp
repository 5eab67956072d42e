#include "components/control/pid.hpp"

#include <cmath>

#include "components/control/limits.hpp"

template struct escapement::Adaptor<escapement::control::Pid>;

namespace escapement {
namespace {

struct Gains {
  double kp, ki, kd;
};

/// The gains of the parallel form; keys of the other form are refused rather than ignored.
Gains gains(const Build& b) {
  const bool isa = b.text("form") == "isa";
  for (const char* key : {"kp", "ki", "kd"})
    if (isa && b.given(key))
      b.refuse("E-VALUE", key, "belongs to `form: parallel`",
               "gain, integral_time and derivative_time of form isa");
  for (const char* key : {"gain", "integral_time", "derivative_time"})
    if (!isa && b.given(key))
      b.refuse("E-VALUE", key, "belongs to `form: isa`", "form: isa, or kp, ki and kd");
  if (!isa) return {b.number("kp"), b.number("ki"), b.number("kd")};
  if (!b.given("gain")) b.refuse("E-MISSING", "", "`gain` is missing (of form isa)");
  const double gain = b.number("gain");
  return {gain, b.has("integral_time") ? gain / b.number("integral_time") : 0.0,
          gain * b.number("derivative_time")};
}

/// How fast the limits act on the integral.
double tracking_time(const Build& b, const Gains& k, const control::Limits& limits) {
  if (b.has("tracking_time")) return b.number("tracking_time");
  if (k.kp == 0)
    b.refuse("E-MISSING", "", "`tracking_time` is missing (limits without a proportional part)",
             "tracking_time: … s");
  return std::abs(k.kp / k.ki) * (limits.clamping() ? 0.1 : 1.0);
}

void build_pid(Build& b) {
  using namespace control;
  const Gains k = gains(b);
  const Limits limits = Limits::read(b);
  if (k.kd != 0 && !b.has("derivative_filter"))
    b.refuse("E-MISSING", "", "`derivative_filter` is missing (a derivative needs a filter)",
             "derivative_filter: a tenth of derivative_time, in s");

  Pid pid{};
  pid.kp = k.kp, pid.ki = k.ki, pid.kd = k.kd;
  pid.derivative_filter = b.has("derivative_filter") ? b.number("derivative_filter") : 0.0;
  pid.setpoint_weight = b.number("setpoint_weight");
  pid.derivative_setpoint_weight = b.number("derivative_setpoint_weight");
  if (b.connected("input")) {  // the error itself: there is nothing to weigh
    for (const char* key : {"setpoint_weight", "derivative_setpoint_weight"})
      if (b.given(key))
        b.refuse("E-VALUE", key, "needs `setpoint` and `measurement`, not the error as `input`");
    if (b.connected("measurement"))
      b.refuse("E-CHOICE", "measurement", "is already in the error `input`",
               "setpoint and measurement, or input");
    pid.setpoint = b.signal("input");
    pid.setpoint_weight = pid.derivative_setpoint_weight = 1;
  } else {
    if (!b.connected("measurement"))
      b.refuse("E-MISSING", "setpoint", "has no `measurement` to compare with");
    pid.setpoint = b.signal("setpoint");
    pid.measurement = b.signal("measurement");
  }
  if (b.connected("feedforward")) pid.feedforward = b.signal("feedforward");
  if (k.ki != 0) {
    pid.integral = b.system.state<1>(b.name("integral"));
    b.start(pid.integral, {b.number("initial.integral")});
  }
  if (k.kd != 0) {
    pid.derivative = b.system.state<1>(b.name("derivative"));
    b.start(pid.derivative, {b.number("initial.derivative")});
  }
  for (const auto& [part, gain] :
       {std::pair("initial.integral", k.ki), std::pair("initial.derivative", k.kd)})
    if (gain == 0 && b.given(part)) b.refuse("E-VALUE", part, "belongs to a part whose gain is zero");

  pid.command = b.output();
  if (limits) {
    pid.command = limits.demand_of(b, b.output(), b.name("demand"));
    if (k.ki != 0 && limits.anti_windup != "none") {
      Integral integral{pid.setpoint, pid.measurement, pid.command, {}, pid.integral, k.ki};
      limits.hold(b, integral, b.output(), tracking_time(b, k, limits));
      if (limits.clamping()) {
        b.add(integral);
        pid.ki = 0;  // its rate is there
      }
    }
  }
  const ElementId id = b.add(pid);
  b.channel("proportional", id, 0);
  b.channel("integral", id, 1);
  b.channel("derivative", id, 2);
}

}  // namespace

ComponentType control_pid() {
  ComponentType type("control.pid", "A PID controller with filtered derivative, limits and anti-windup.");
  type.description =
      "With r the set-point, y the measurement, e = r − y, and the gains of the parallel form\n\n"
      "    demand = kp (b r − y) + I + D + feedforward\n"
      "    d/dt I = ki e, and what anti-windup adds\n"
      "    D = kd s / (derivative_filter s + 1) · (c r − y)\n"
      "    output = demand within [minimum, maximum]\n\n"
      "`form: isa` takes gain K, integral_time Ti and derivative_time Td instead: kp = K, ki = K / Ti, kd "
      "= K Td. b is `setpoint_weight`, c `derivative_setpoint_weight`. Modelica's LimPID is form isa with "
      "tracking_time = Ni Ti and derivative_filter = Td / Nd. The error may also be given as one `input`; "
      "then b = c = 1.\n\n"
      "Anti-windup acts while the output is limited. Back-calculation leads the integral back: it adds "
      "(output − demand) / tracking_time to its rate; by default tracking_time = kp / ki, which is Ti. "
      "Clamping stops it while the error drives the demand further out: |ki e| is reduced by |demand − "
      "output| / tracking_time, at most to zero, so the integral has stopped as soon as the demand is "
      "beyond the limit by |ki e| tracking_time; by default tracking_time is a tenth of kp / ki. Both are "
      "continuous.";
  type.is_block("the command to the plant");
  type.connects(signal_port("setpoint", "any", "r").one_of("the error"));
  type.connects(input("any", "the error e, instead of set-point and measurement").one_of("the error"));
  type.connects(signal_port("measurement", "any", "y").optional());
  type.connects(signal_port("feedforward", "any", "added to the output, before the limits").optional());
  type.takes(choice("form", {"parallel", "isa"}, "which gains are given").otherwise("parallel"));
  type.takes(number("kp", "any", "proportional gain (parallel)").otherwise("0"));
  type.takes(number("ki", "any", "integral gain, per second (parallel)").otherwise("0"));
  type.takes(number("kd", "any", "derivative gain, in seconds (parallel)").otherwise("0"));
  type.takes(number("gain", "any", "K (isa)").optional());
  type.takes(number("integral_time", "s", "Ti (isa); no integral part if absent").positive().optional());
  type.takes(number("derivative_time", "s", "Td (isa)").at_least(0).otherwise("0 s"));
  type.takes(
      number("derivative_filter", "s", "time constant of the derivative's filter; needed with a derivative")
          .positive()
          .optional());
  type.takes(
      number("setpoint_weight", "1", "b: share of the set-point in the proportional part").otherwise("1"));
  type.takes(number("derivative_setpoint_weight", "1", "c: share of the set-point in the derivative part")
                 .otherwise("0"));
  control::Limits::add_keys(
      type, "back_calculation",
      "how fast the limits act on the integral; kp / ki if absent, a tenth of it with clamping");
  type.takes(group("initial",
                   {number("integral", "any", "integral part at the start").otherwise("0"),
                    number("derivative", "any", "derivative part at the start").otherwise("0")},
                   "values at the start"));
  type.gives({"proportional", "", "proportional part", {}, false, false});
  type.gives({"integral", "", "integral part", {}, false, false});
  type.gives({"derivative", "", "derivative part", {}, false, false});
  type.signs =
      "With positive gains the output rises with the set-point and falls with the measurement; gains take "
      "any unit and count in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
target: {type: control.step, time: 0.1 s, after: 0.5 m, unit: m}
cart: {type: translational.mass, mass: 2 kg}
controller: {type: control.pid, setpoint: target, measurement: cart.position, kp: 60 N/m, ki: 20 N/m/s, kd: 20 N*s/m, derivative_filter: 10 ms, minimum: -25 N, maximum: 25 N, unit: N}
actuator: {type: translational.force, at: cart, input: controller}
)yaml";
  type.build = build_pid;
  return type;
}

}  // namespace escapement
