#include <algorithm>
#include <cmath>

#include "components/control/time_source.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_time_table(Build& b) {
  auto table = b.table("table");
  if (b.text("interpolation") == "smooth")
    table = std::make_shared<const Table>(table->x(), table->y(), Table::Interpolation::smooth);
  const double first = table->x().front(), last = table->x().back(), span = last - first;
  const std::string& beyond = b.text("beyond");
  if (beyond == "repeat") {  // memory: which repetition it is, for the last value may differ from the first
    const double begin = first - std::ceil(first / span) * span;  // the last beginning not after t = 0
    const ElementId id = b.add(control::TimeSource{b.output(), [=](double t, double k) {
                                                     const double since = t - (begin + k * span);
                                                     return (*table)(first + std::clamp(since, 0.0, span));
                                                   }});
    b.at_times({begin, id, 0, 0.0, span, INFINITY, 1.0});
    for (const std::size_t k : table->corners(false))
      b.at_times({begin + table->x()[k] - first, id, 0, 0.0, span, INFINITY, 1.0});
  } else {
    const bool hold = beyond == "hold";
    const ElementId id = b.add(control::TimeSource{
        b.output(), [=](double t, double) { return (*table)(hold ? std::clamp(t, first, last) : t); }});
    for (const std::size_t k : table->corners(hold))
      if (table->x()[k] > 0) b.at_time(table->x()[k], id, 0, 0.0);
  }
}

}  // namespace

ComponentType control_time_table() {
  ComponentType type("control.time_table", "A signal given by points over time.");
  type.description =
      "Between the points the signal goes along straight lines, or along a monotone cubic (`smooth`: "
      "continuous slope, no overshoot). Before the first and after the last point it is held, or goes on "
      "along "
      "the last slope (`continue`), or the table repeats itself with the period last − first time; where the "
      "last value differs from the first, the repeated signal jumps. Steps of the integrator end exactly "
      "there, and at the corners of the table (of more than 50 points, at those that stand out from the ones "
      "around them).";
  type.is_block("the signal");
  type.takes(
      table("table", "s", "any", "points [time, value], or a CSV file of two columns in SI").of_output());
  type.takes(
      choice("interpolation", {"linear", "smooth"}, "between the points: straight lines, or a monotone cubic")
          .otherwise("linear"));
  type.takes(choice("beyond", {"hold", "continue", "repeat"}, "before the first and after the last point")
                 .otherwise("hold"));
  type.signs = "The output is the second column, in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
cycle: {type: control.time_table, table: [[0, 0], [0.2 s, 3 N], [0.3 s, -1 N]], beyond: repeat, unit: N}
course: {type: control.time_table, table: [[0.1 s, 0], [0.3 s, 2], [0.6 s, 2.5]], interpolation: smooth}
mass: {type: translational.mass, mass: 1 kg}
push: {type: translational.force, at: mass, input: cycle}
)yaml";
  type.build = build_time_table;
  return type;
}

}  // namespace escapement
