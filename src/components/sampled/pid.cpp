#include <algorithm>
#include <cmath>

#include "components/control/parts.hpp"
#include "components/sampled/build.hpp"

namespace escapement {
namespace {

void build_pid(Build& b) {
  const double T = b.number("period"), kp = b.number("kp"), ki = b.number("ki"), kd = b.number("kd");
  const double filter = b.number("derivative_filter"), weight = b.number("setpoint_weight");
  const double low = b.has("minimum") ? b.number("minimum") : -INFINITY,
               high = b.has("maximum") ? b.number("maximum") : INFINITY;
  if (!(low < high)) b.refuse("E-RANGE", "minimum", "is not below `maximum`");
  const std::string windup = b.text("anti_windup");
  const bool limited = std::isfinite(low) || std::isfinite(high);
  if (kp == 0 && ki == 0 && kd == 0)
    b.refuse("E-MISSING", "", "none of kp, ki, kd is given", "kp: …, ki: …, kd: …");
  double tracking = 1;
  if (windup == "back_calculation" && limited && ki != 0) {
    if (!b.has("tracking_time"))
      b.refuse("E-MISSING", "", "`tracking_time` is missing (how fast the limits act)");
    tracking = std::min(1.0, T / b.number("tracking_time"));
  }
  // Memory: the integral, the measurement and the filtered derivative of the last sample, and whether there was one.
  sampled::add_program(b, {b.signal("setpoint"), b.signal("measurement")},
                       {b.number("initial.integral"), 0, 0, 0},
                       [=](double, std::span<const double> u, std::span<double> y, std::span<double> m) {
                         const double r = u[0], x = u[1], e = r - x;
                         double integral = m[0] + ki * T * e;
                         if (m[3] != 0) m[2] = (filter * m[2] - kd * (x - m[1])) / (filter + T);
                         const double others = kp * (weight * r - x) + m[2], demand = others + integral;
                         const double out = std::clamp(demand, low, high);
                         if (limited && out != demand) {
                           if (windup == "clamping" && (demand - out) * (integral - m[0]) > 0)
                             integral = m[0];
                           if (windup == "back_calculation") integral += tracking * (out - demand);
                         }
                         m[0] = integral;
                         m[1] = x;
                         m[3] = 1;
                         y[0] = out;
                       });
}

}  // namespace

ComponentType sampled_pid() {
  ComponentType type("sampled.pid", "A discrete PID controller with limits and anti-windup.");
  type.description =
      "At sample k, with e = setpoint − measurement and T the period,\n\n"
      "    I(k) = I(k − 1) + ki T e(k)\n"
      "    D(k) = (Tf D(k − 1) − kd (measurement(k) − measurement(k − 1))) / (Tf + T),   Tf = "
      "derivative_filter\n"
      "    output = kp (setpoint_weight · setpoint − measurement) + I + D,  within [minimum, maximum]\n\n"
      "(backward differences; the derivative of the measurement alone). While a limit acts, the integral "
      "stands "
      "still if it would go further out (`clamping`), is led back by (output − demand) T / tracking_time "
      "(`back_calculation`), or goes on (`none`).";
  sampled::is_sampled(type, "the command");
  type.connects(signal_port("setpoint", "any", "where the measurement should be"));
  type.connects(signal_port("measurement", "any", "where it is"));
  type.takes(number("kp", "any", "output per error").otherwise("0"));
  type.takes(number("ki", "any", "output per error and second").otherwise("0"));
  type.takes(number("kd", "any", "output per rate of the measurement").otherwise("0"));
  type.takes(number("derivative_filter", "s", "time constant Tf of the derivative's lag")
                 .at_least(0)
                 .otherwise("0 s"));
  type.takes(
      number("setpoint_weight", "1", "of the setpoint in the proportional part").at_least(0).otherwise("1"));
  type.takes(number("minimum", "any", "lowest output; none if absent").of_output().optional());
  type.takes(number("maximum", "any", "highest output; none if absent").of_output().optional());
  type.takes(
      choice("anti_windup", {"clamping", "back_calculation", "none"}, "what the integral does at a limit")
          .otherwise("clamping"));
  type.takes(number("tracking_time", "s", "of back_calculation").positive().optional());
  for (Parameter& p : type.parameters)
    if (p.key == "initial")
      p.group.push_back(number("integral", "any", "I before the first sample").of_output().otherwise("0"));
  type.signs = "With positive gains the output pushes the measurement towards the setpoint.";
  type.example = R"yaml(
target: {type: control.step, time: 0.1 s}
plant: {type: control.first_order, time_constant: 0.2 s, input: pid}
pid: {type: sampled.pid, period: 20 ms, kp: 2, ki: 8 1/s, kd: 0.02 s, derivative_filter: 20 ms, minimum: -3, maximum: 3, setpoint: target, measurement: plant}
)yaml";
  type.build = build_pid;
  return type;
}

}  // namespace escapement
