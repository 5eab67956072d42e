#include "components/electric/switch.hpp"

#include "components/electric/build.hpp"

namespace escapement {
namespace {

void build_switch(Build& b) {
  using namespace electric;
  const auto [a, c] = ends(b);
  Signal<1> input;
  if (b.connected("control")) {
    const auto control = ends(b, "control");
    input = as_signal(b, control, "control");
    b.branch(Branch::Kind::sensing, control.a, control.b);
  } else {
    input = b.signal("input");
  }
  const double on = b.number("on_resistance"), off = b.number("off_resistance");
  if (!(on < off)) b.refuse("E-RANGE", "on_resistance", "is not below `off_resistance`");
  b.branch(Branch::Kind::conductor, a, c);
  if (b.has("smooth")) {
    if (on == 0) b.refuse("E-RANGE", "on_resistance", "a smooth switch needs one above zero");
    if (b.given("hysteresis"))
      b.refuse("E-CHOICE", "hysteresis", "a smooth switch has none", "remove `smooth`, or this");
    const double middle = -0.5 * (std::log(on) + std::log(off)), half = 0.5 * (std::log(off) - std::log(on));
    const ElementId id =
        b.add(SmoothSwitch{a, c, input, b.number("threshold"), b.number("smooth"), middle, half});
    b.channel("current", id, 0);
    return;
  }
  const auto current = b.system.state<1>(b.name("current"), current_unknown("resistance"));
  b.add(Switch{a, c, current, input, b.number("threshold"), b.number("hysteresis"), on, 1 / off});
  b.channel("current", current);
}

}  // namespace

ComponentType electric_switch() {
  ComponentType type("electric.switch", "A switch that a signal or a voltage controls.");
  type.description =
      "A resistance: `on_resistance` once the control has risen above threshold + hysteresis, "
      "`off_resistance` once it has "
      "fallen below threshold − hysteresis, or, without hysteresis, to the threshold itself. Steps of the "
      "integrator end exactly there. With `smooth` the "
      "logarithm of the "
      "conductance follows tanh((control − threshold) / smooth) instead, and steps should resolve it.";
  electric::two_terminals(type);
  type.connects(input("any", "the signal that controls it").one_of("the control"));
  Port control =
      node_port("control", Domain::electrical, "instead: the nodes whose voltage C − D controls it")
          .one_of("the control");
  control.count = 2;
  type.connects(control);
  type.takes(number("threshold", "any", "where it switches").otherwise("0"));
  type.takes(
      number("hysteresis", "any", "so far beyond the threshold, either way").at_least(0).otherwise("0"));
  type.takes(number("on_resistance", "ohm", "resistance while it is on").at_least(0).otherwise("1 ohm"));
  type.takes(number("off_resistance", "ohm", "resistance while it is off").positive().otherwise("1e9 ohm"));
  type.takes(
      number("smooth", "any", "width of a smooth transition; an event unless given").positive().optional());
  type.signs =
      "It is on where the control is above the threshold. The current is positive from A through the switch "
      "to B.";
  type.nodes = "electrical: [supply, out]";
  type.example = R"yaml(
battery: {type: electric.voltage_source, value: 12 V, between: [supply, ground]}
clock: {type: control.sine, amplitude: 1, frequency: 2 Hz}
contact: {type: electric.switch, input: clock, hysteresis: 0.1, on_resistance: 10 mohm, between: [supply, out]}
load: {type: electric.resistor, resistance: 100 ohm, between: [out, ground]}
soft: {type: electric.switch, control: [out, ground], threshold: 6, smooth: 0.5, off_resistance: 1 Mohm, between: [supply, ground]}
)yaml";
  type.build = build_switch;
  return type;
}

}  // namespace escapement
