#include "components/control/table_map.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

void build_table(Build& b) {
  auto table = b.table("table");
  if (b.text("interpolation") == "smooth")
    table = std::make_shared<const Table>(table->x(), table->y(), Table::Interpolation::smooth);
  control::build_table_map(b, std::make_shared<const TablePieces>(table, b.text("beyond") == "hold"));
}

}  // namespace

ComponentType control_table() {
  ComponentType type("control.table", "A function of a signal, given by points.");
  type.description =
      "Between the points the output goes along straight lines, or along a monotone cubic (`smooth`: "
      "continuous slope, no overshoot). Beyond the ends it goes on along the last slope (`continue`), or is "
      "held. Steps of the integrator end at its corners; of more than 50 points, at those that stand out "
      "from "
      "the ones around them.";
  type.is_block("the function of the input", true);
  type.connects(input("any", "the signal").any_width());
  type.takes(
      table("table", "any", "any", "points [input, output], or a CSV file of two columns in SI").of_output());
  type.takes(
      choice("interpolation", {"linear", "smooth"}, "between the points: straight lines, or a monotone cubic")
          .otherwise("linear"));
  type.takes(choice("beyond", {"continue", "hold"}, "beyond the ends").otherwise("continue"));
  type.signs = "The output is the second column, in SI.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
curve: {type: control.table, table: [[-1, -2], [0, 0], [2, 1]], interpolation: smooth, beyond: hold, input: wave}
)yaml";
  type.build = build_table;
  return type;
}

}  // namespace escapement
