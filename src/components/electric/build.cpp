#include "components/electric/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "components/control/constant.hpp"
#include "components/control/expression_build.hpp"
#include "components/control/time_source.hpp"

template struct escapement::Adaptor<escapement::electric::Across>;
template struct escapement::Adaptor<escapement::electric::Resistor>;
template struct escapement::Adaptor<escapement::electric::Capacitor>;
template struct escapement::Adaptor<escapement::electric::Coil>;

namespace escapement::electric {
namespace {

Parameter in(Parameter p, const char* fallback) { return p.otherwise(fallback); }

struct Pulse {
  double low, high, delay, rise, fall, width, period, count;
};

void add_pulse(Build& b, const Signal<1>& output, const Pulse& p) {
  const bool once = !std::isfinite(p.period);
  const double repeat = once ? 0.0 : p.period, count = once ? 1.0 : p.count;
  // Memory: which part of the period it is, so that edges without duration are exact.
  const ElementId id = b.add(control::TimeSource{
      output, [p](double t, double phase) {
        const double periods = std::isfinite(p.period) ? std::floor((t - p.delay) / p.period + 1e-9) : 0.0;
        const double since = t - p.delay - (periods > 0 ? std::min(periods, p.count - 1) * p.period : 0.0);
        switch (static_cast<int>(phase)) {
          case 1:
            return p.rise > 0 ? p.low + (p.high - p.low) * std::clamp(since / p.rise, 0.0, 1.0) : p.high;
          case 2:
            return p.high;
          case 3:
            return p.fall > 0
                       ? p.high + (p.low - p.high) * std::clamp((since - p.rise - p.width) / p.fall, 0.0, 1.0)
                       : p.low;
          default:
            return p.low;
        }
      }});
  double at = p.delay;
  if (p.rise > 0) b.at_times({at, id, 0, 1.0, repeat, count});
  at += p.rise;
  b.at_times({at, id, 0, 2.0, repeat, count});
  at += p.width;
  if (p.fall > 0) b.at_times({at, id, 0, 3.0, repeat, count});
  at += p.fall;
  b.at_times({at, id, 0, 0.0, repeat, count});
}

void build_pulse(Build& b, const Signal<1>& output) {
  const auto get = [&](const char* key) { return b.number(std::string("pulse.") + key); };
  Pulse p{get("low"),
          get("high"),
          get("delay"),
          get("rise"),
          get("fall"),
          b.has("pulse.width") ? get("width") : INFINITY,
          b.has("pulse.period") ? get("period") : INFINITY,
          b.has("pulse.count") ? b.integer("pulse.count") : INFINITY};
  if (!std::isfinite(p.width) && std::isfinite(p.period))
    b.refuse("E-MISSING", "pulse", "a `period` needs a `width`", "width: how long it stays high");
  if (p.rise + p.fall + (std::isfinite(p.width) ? p.width : 0.0) > p.period * (1 + 1e-12))
    b.refuse("E-RANGE", "pulse.period", "is shorter than rise, width and fall together");
  if (!std::isfinite(p.width)) {  // a step that stays
    p.count = 1;
    const ElementId id = b.add(control::TimeSource{
        output, [p](double t, double phase) {
          if (phase == 0) return p.low;
          return p.rise > 0 ? p.low + (p.high - p.low) * std::clamp((t - p.delay) / p.rise, 0.0, 1.0)
                            : p.high;
        }});
    b.at_time(p.delay, id, 0, 1.0);
    if (p.rise > 0) b.at_time(p.delay + p.rise, id, 0, 1.0);
    return;
  }
  add_pulse(b, output, p);
}

void build_sine(Build& b, const Signal<1>& output) {
  const auto get = [&](const char* key) { return b.number(std::string("sine.") + key); };
  const double offset = get("offset"), amplitude = get("amplitude"), delay = get("delay"),
               damping = get("damping"), phase = get("phase");
  const double omega = 2 * std::numbers::pi * get("frequency");
  const ElementId id = b.add(control::TimeSource{output,
                                                 [=](double t, double) {
                                                   const double since = std::max(0.0, t - delay);
                                                   return offset + amplitude * std::exp(-damping * since) *
                                                                       std::sin(omega * since + phase);
                                                 },
                                                 control::TimeSource::of_wave(omega)});
  if (delay > 0) b.at_time(delay, id, 0, 0.0);
}

void build_exponential(Build& b, const Signal<1>& output) {
  const auto get = [&](const char* key) { return b.number(std::string("exponential.") + key); };
  const double low = get("low"), high = get("high"), rise_delay = get("rise_delay"),
               rise_time = get("rise_time"), fall_delay = get("fall_delay"), fall_time = get("fall_time");
  const ElementId id =
      b.add(control::TimeSource{output, [=](double t, double) {
                                  double v = low;
                                  if (t > rise_delay)
                                    v += (high - low) * -std::expm1(-(t - rise_delay) / rise_time);
                                  if (t > fall_delay)
                                    v += (low - high) * -std::expm1(-(t - fall_delay) / fall_time);
                                  return v;
                                }});
  for (const double corner : {rise_delay, fall_delay}) b.at_time(corner, id, 0, 0.0);
}

}  // namespace

Ends ends(Build& b, std::string_view port) {
  const Ends e{b.node<Terminal>(port, 0), b.node<Terminal>(port, 1)};
  if (port == "between") b.channel("voltage", b.add(Across{e.a, e.b}), 0);
  return e;
}

void two_terminals(ComponentType& type) {
  type.connects(between(Domain::electrical));
  type.gives({"voltage", "V", "voltage A − B"});
  type.gives({"current", "A", "current from A through the component to B"});
  type.signs = "The voltage is A − B; the current is positive from A through the component to B.";
}

Port sensed() {
  Port p = node_port("control", Domain::electrical, "the nodes C and D whose voltage controls it");
  p.count = 2;
  return p;
}

Current source_current(Build& b, const Ends& ends, const char* equation) {
  const auto current = b.system.state<1>(b.name("current"), current_unknown(equation));
  b.channel("current", current);
  b.branch(Branch::Kind::voltage, ends.a, ends.b, true);
  return current;
}

Terminal behind(Build& b, const Terminal& outer, double resistance, const char* suffix) {
  if (resistance == 0) return outer;
  const auto inner = b.system.state<1>(b.name(suffix) + ".voltage", {.unit = "V",
                                                                     .equation = "current balance",
                                                                     .row_unit = "A",
                                                                     .starts_steady = true,
                                                                     .network = Network::node});
  b.add(Resistor{outer, inner, 1 / resistance});
  b.branch(Branch::Kind::conductor, outer, inner);
  return inner;
}

Signal<1> as_signal(Build& b, const Ends& ends, const char* suffix) {
  const auto signal = b.system.signal<1>(b.name(suffix), {.unit = "V"});
  b.system.tap_output(b.system.add(Across{ends.a, ends.b}), 0, signal);
  return signal;
}

double thermal_voltage(double kelvin) { return 1.380649e-23 / 1.602176634e-19 * kelvin; }

void add_waveform_keys(ComponentType& type, const char* unit, const char* what) {
  const std::string set = what;
  type.connects(input(unit, "a signal that it follows").one_of(set));
  type.takes(number("value", unit, "constant").one_of(set));
  type.takes(expression("expression", unit, {{"t", "s"}}, "an expression of time `t`").one_of(set));
  type.takes(group("sine",
                   {in(number("offset", unit, "mean"), "0"), number("amplitude", unit, "amplitude"),
                    number("frequency", "Hz", "frequency").positive(),
                    in(number("delay", "s", "until then it stays at its first value").at_least(0), "0 s"),
                    in(number("damping", "1/s", "rate at which the amplitude decays"), "0 1/s"),
                    in(number("phase", "rad", "phase at the beginning"), "0 rad")},
                   "a sine: offset + amplitude · exp(−damping · t′) · sin(2π · frequency · t′ + phase), t′ = "
                   "t − delay")
                 .one_of(set));
  type.takes(
      group("pulse",
            {in(number("low", unit, "value before and between the pulses"), "0"),
             number("high", unit, "value of the pulses"),
             in(number("delay", "s", "when the first pulse begins to rise").at_least(0), "0 s"),
             in(number("rise", "s", "duration of the rising edge; 0: a jump").at_least(0), "0 s"),
             in(number("fall", "s", "duration of the falling edge; 0: a jump").at_least(0), "0 s"),
             number("width", "s", "how long it stays high; for ever if absent").positive().optional(),
             number("period", "s", "from pulse to pulse; a single one if absent").positive().optional(),
             integer("count", "how many pulses; without end if absent").at_least(1).optional()},
            "trapezoidal pulses; steps of the integrator end at their corners")
          .one_of(set));
  type.takes(table("table", "s", unit, "points [time, value]: straight lines, the first and last value held")
                 .one_of(set));
  type.takes(group("exponential",
                   {in(number("low", unit, "value at first"), "0"), number("high", unit, "value it tends to"),
                    in(number("rise_delay", "s", "when it begins to rise").at_least(0), "0 s"),
                    number("rise_time", "s", "time constant of the rise").positive(),
                    number("fall_delay", "s", "when it begins to fall").at_least(0),
                    number("fall_time", "s", "time constant of the fall").positive()},
                   "an exponential rise and fall")
                 .one_of(set));
}

Signal<1> waveform(Build& b, const char* suffix, const char* unit) {
  if (b.connected("input")) return b.signal("input");
  const auto signal = b.system.signal<1>(b.name(suffix), {.unit = unit});
  if (b.has("value")) {
    b.add(control::Constant{signal, b.number("value")});
  } else if (b.has("expression")) {
    control::add_expressions(b, {}, {signal}, {*b.expression("expression")});
  } else if (b.has("table")) {
    const auto table = b.table("table");
    const double first = table->x().front(), last = table->x().back();
    const ElementId id = b.add(
        control::TimeSource{signal, [=](double t, double) { return (*table)(std::clamp(t, first, last)); }});
    for (const double corner : table->x())
      if (corner > 0) b.at_time(corner, id, 0, 0.0);
  } else if (b.has("sine.amplitude")) {
    build_sine(b, signal);
  } else if (b.has("pulse.high")) {
    build_pulse(b, signal);
  } else {
    build_exponential(b, signal);
  }
  return signal;
}

}  // namespace escapement::electric
