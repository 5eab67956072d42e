#include <fmt/format.h>

#include "components/control/function.hpp"
#include "components/control/map.hpp"
#include "components/control/switching.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_comparison(Build& b) {
  const std::string relation = b.text("relation");
  const double width = b.number("width"), constant = b.has("constant") ? b.number("constant") : 0.0;
  const bool greater = relation[0] == '>', equal = relation.size() == 2;
  const auto a = b.wide_signal("input"), y = b.outputs();
  std::vector<Signal<1>> other;
  if (b.connected("other")) other = b.wide_signal("other");
  if (!other.empty() && other.size() != 1 && other.size() != a.size())
    b.refuse("E-WIDTH", "other", fmt::format("has {} parts, the input has {}", other.size(), a.size()),
             "as wide as the input, or single");
  const auto rule = [=](std::span<const double> u, std::span<double> gradient) {
    const double difference = u[0] - (u.size() > 1 ? u[1] : constant);
    const double sign = greater ? 1 : -1;
    Dual<1> x(sign * difference);
    x.d[0] = sign;
    const Dual<1> truth = control::smooth_step(x, width);
    gradient[0] = truth.d[0];
    if (u.size() > 1) gradient[1] = -truth.d[0];
    return truth.v;
  };
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<Signal<1>> u = {a[i]};
    if (!other.empty()) u.push_back(other.size() == 1 ? other[0] : other[i]);
    if (width == 0) {
      const ElementId id =
          b.add(control::TwoPoint{u[0], u.size() > 1 ? u[1] : Signal<1>{}, y[i], constant, constant,
                                  greater ? 0.0 : 1.0, greater ? 1.0 : 0.0, greater == equal ? 1 : 0});
      b.start_memory(id, 0, greater == equal ? 1 : 0);
      continue;
    }
    control::add_function(b, u, y[i], rule);
  }
}

}  // namespace

ComponentType control_comparison() {
  ComponentType type("control.comparison", "Compares a signal with another, or with a constant.");
  type.description =
      "output = 1 where `input relation other` holds, 0 where it does not, part by part. With a `width` the "
      "output passes from 0 to 1 along a cubic while the difference of both is within ± width / 2: it is 1/2 "
      "where they are equal, and the slope is continuous. Without, the output jumps: an event, at which a "
      "step "
      "ends. In a loop that drives the input back at once it would jump without end, which is reported; give "
      "it a `width` there.";
  type.is_block("1 or 0", true);
  type.connects(input("any", "the signal to compare").any_width());
  type.connects(signal_port("other", "any", "the signal to compare with, as wide as the input or single")
                    .any_width()
                    .one_of("what to compare with"));
  type.takes(
      number("constant", "any", "instead of other: a number to compare with").one_of("what to compare with"));
  type.takes(choice("relation", {">", ">=", "<", "<="}, "which holds").otherwise(">"));
  type.takes(number("width", "any", "of a smooth transition; 0: a jump").at_least(0).otherwise("0"));
  type.signs = "True is 1, false is 0.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
level: {type: control.constant, value: 2}
above: {type: control.comparison, input: wave, relation: ">", other: level}
negative: {type: control.comparison, input: wave, relation: "<=", constant: 0, width: 0.2}
)yaml";
  type.build = build_comparison;
  return type;
}

}  // namespace escapement
