#include "components/translational/spring.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::translational::Spring>;
template struct escapement::Adaptor<escapement::translational::SpringByLaw>;

namespace escapement {

void translational::build_spring(Build& b, const char* law, const char* force, const char* elongation,
                                 const char* rest) {
  const auto A = b.node<Position<1>>("between", 0), B = b.node<Position<1>>("between", 1);
  if (b.given("interpolation") && !b.has("table"))
    b.refuse("E-VALUE", "interpolation", "belongs to a `table`", "remove it");
  if (b.has("stiffness")) {
    const ElementId id = b.add(Spring{A, B, b.number("stiffness"), b.number(rest)});
    b.channel(force, id, 0);
    b.channel(elongation, id, 1);
    return;
  }
  SpringByLaw spring{A, B, nullptr, nullptr, b.number(rest)};
  if (b.has("table")) {
    const auto points = b.table("table");
    const bool smooth = b.text("interpolation") == "smooth";
    spring.table = std::make_shared<const TablePieces>(
        smooth ? std::make_shared<const Table>(points->x(), points->y(), Table::Interpolation::smooth)
               : points,
        false);
  } else {
    spring.law = b.expression(law);
  }
  const ElementId id = b.add(spring);
  b.channel(force, id, 0);
  b.channel(elongation, id, 1);
}

ComponentType translational_spring() {
  ComponentType type("translational.spring",
                     "A spring between two sliders: linear, by points, or by an expression.");
  type.description =
      "force = stiffness · elongation, with elongation = B − A − rest_length; or force = a function of "
      "elongation (and of its rate, `velocity`). Beyond its ends a table goes on along its last slope.";
  type.connects(between(Domain::translational));
  type.takes(number("stiffness", "N/m", "force per elongation").at_least(0).one_of("the law of the spring"));
  type.takes(table("table", "m", "N", "points [elongation, force], or a CSV file of two columns in SI")
                 .one_of("the law of the spring"));
  type.takes(expression("law", "N", {{"elongation", "m"}, {"velocity", "m/s"}},
                        "force as an expression of `elongation` and `velocity`")
                 .one_of("the law of the spring"));
  type.takes(choice("interpolation", {"linear", "smooth"},
                    "between the points of a table: straight lines, or a monotone cubic")
                 .otherwise("linear"));
  type.takes(number("rest_length", "m", "distance B − A at which the elongation is zero").otherwise("0 m"));
  type.gives(OutputType{"force", "N", "force, positive in tension"}.as_preload());
  type.gives(OutputType{"elongation", "m", "B − A − rest_length"}.as_preload());
  type.signs =
      "Elongation is B relative to A. A positive force is tension: it pulls A towards B (A is pushed in the "
      "positive direction) and B towards A.";
  type.shape = {"spring"};
  type.example = R"yaml(
mass: {type: translational.mass, mass: 1 kg, initial: {position: 0.2 m}}
hard: {type: translational.spring, law: "(40 N/m)*elongation + (900 N/m^3)*elongation^3", between: [ground, mass]}
load: {type: translational.mass, mass: 3 kg, initial: {position: 0.6 m}}
stop: {type: translational.spring, table: [[-0.1 m, -20 N], [0, 0], [0.2 m, 10 N]], rest_length: 0.3 m, between: [mass, load]}
bed: {type: translational.spring, stiffness: 25 N/m, rest_length: 0.5 m, between: [ground, load]}
)yaml";
  type.build = [](Build& b) { translational::build_spring(b, "law", "force", "elongation", "rest_length"); };
  return type;
}

}  // namespace escapement
