#include "components/control/extremum.hpp"

#include "components/control/function.hpp"
#include "components/control/map.hpp"
#include "model/component.hpp"

namespace escapement::control {

double extremum(double sign, double width, std::span<const double> u, std::span<double> gradient) {
  double best = sign * u[0];
  gradient[0] = 1;
  for (std::size_t i = 1; i < u.size(); ++i) {  // max(a, b) = a + max(b − a, 0)
    Dual<1> ahead(sign * u[i] - best);
    ahead.d[0] = 1;
    const Dual<1> more = positive_part(ahead, width);
    best = more.d[0] >= 1 ? sign * u[i] : best + more.v;  // without rounding where one leads
    for (std::size_t j = 0; j < i; ++j) gradient[j] *= 1 - more.d[0];
    gradient[i] = more.d[0];
  }
  return sign * best;
}

ComponentType extremum_block(const char* name, const std::string& word, double sign) {
  ComponentType type(name, "The " + word + " of several signals.");
  type.description =
      "Part by part over the inputs, or (`of: all`) the " + word +
      " of all parts of all inputs. Where the lead changes the slope jumps, which keeps second order. With "
      "`smooth: w` two signals are blended by a parabola while they differ by less than w / 2, so that the "
      "slope is continuous, too; where both are equal the output is off by w / 8. Several signals are "
      "blended "
      "one after the other.";
  type.is_block("the " + word, true);
  type.connects(signal_port("inputs", "any", "the signals [a, b, …], equally wide or single").several());
  type.takes(choice("of", {"inputs", "all"}, "part by part over the inputs, or one number of all parts")
                 .otherwise("inputs"));
  type.takes(
      number("smooth", "any", "width of the blending; 0: sharp").of_output().at_least(0).otherwise("0"));
  type.signs = "By value, not by size: −3 is smaller than 1.";
  type.shape = {"block"};
  type.example = std::string(R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
level: {type: control.constant, value: [2, -1]}
part_by_part: {type: )yaml") +
                 name +
                 R"yaml(, inputs: [wave, level], smooth: 0.1}
single: {type: )yaml" +
                 name +
                 R"yaml(, of: all, inputs: [wave, level]}
)yaml";
  type.width = [](const Build& b, std::string_view) {
    return b.text("of") == "all" ? 1 : b.signal_width("inputs");
  };
  type.build = [sign](Build& b) {
    const Function::Rule rule = [sign, w = b.number("smooth")](std::span<const double> u,
                                                               std::span<double> gradient) {
      return extremum(sign, w, u, gradient);
    };
    if (b.text("of") == "inputs") return build_part_by_part(b, rule);
    std::vector<Signal<1>> all;
    for (const auto& input : b.signals("inputs")) all.insert(all.end(), input.begin(), input.end());
    add_function(b, all, b.output(), rule);
  };
  return type;
}

}  // namespace escapement::control
