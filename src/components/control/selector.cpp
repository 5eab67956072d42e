#include <fmt/format.h>

#include <cmath>

#include "components/control/linear.hpp"
#include "model/component.hpp"

namespace escapement {

ComponentType control_selector() {
  ComponentType type("control.selector", "Parts of a wide signal, by number, in any order.");
  type.description =
      "Part i of the output is the part of the input that the i-th number names; parts count from 1 and may "
      "occur again. A single part needs no block: `input: wide.3` is the third part of `wide`.";
  type.is_block("the parts", true);
  type.connects(input("any", "the wide signal").any_width());
  type.takes(vector("parts", "1", 0, "numbers of the parts, from 1").at_least(1));
  type.signs = "The output equals the parts of the input.";
  type.shape = {"block"};
  type.example = R"yaml(
three: {type: control.constant, value: [1, 2, 3]}
back: {type: control.selector, parts: [3, 1], input: three}
)yaml";
  type.width = [](const Build& b, std::string_view) { return static_cast<int>(b.vector("parts").size()); };
  type.build = [](Build& b) {
    const auto u = b.wide_signal("input"), y = b.outputs();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double part = b.vector("parts")[i];
      if (part != std::floor(part))
        b.refuse("E-VALUE", "parts", fmt::format("{:g} is not a whole number", part));
      if (part > static_cast<double>(u.size()))
        b.refuse("E-RANGE", "parts", fmt::format("the input has no part {:g}", part),
                 fmt::format("its parts are 1 … {}", u.size()));
      b.add(control::Defined{y[i]});
      b.add(control::SignalFromSignal{y[i], u[static_cast<std::size_t>(part) - 1], 1.0});
    }
  };
  return type;
}

}  // namespace escapement
