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

namespace {

/// The sharp one: which input leads is memory, counted from 1, and steps end where another one takes over (T-kink).
class Leader final : public SignalFunction {
 public:
  Leader(const std::vector<Signal<1>>& inputs, const Signal<1>& output, double sign)
      : SignalFunction(inputs, {output}), sign_(sign) {}
  int sides() const override { return inputs_ > 1 ? 1 : 0; }
  void crossings(const Point& p, std::span<double> functions) const override {
    const auto u = p.value.first(inputs_);
    const int lead = static_cast<int>(p.sides[0]) - 1;
    functions[0] = lead < 0 ? -1 : sign_ * (u[lead] - u[best(u, lead)]);
  }
  void cross(const Point& p, int, double* sides) const override {
    sides[0] = 1 + best(p.value.first(inputs_), static_cast<int>(sides[0]) - 1);
  }
  std::string switch_text(int) const override { return sign_ > 0 ? "largest" : "smallest"; }
  void function(double, std::span<const double> u, const double* sides, std::span<double> y,
                std::span<double> jacobian) const override {
    const int lead = sides && inputs_ > 1 && sides[0] > 0 ? static_cast<int>(sides[0]) - 1 : best(u, -1);
    y[0] = u[lead];
    if (!jacobian.empty()) jacobian[lead] = 1;
  }

 private:
  /// The first of all that lead, or that would without this one.
  int best(std::span<const double> u, int without) const {
    int at = without == 0 ? 1 : 0;
    for (int i = at + 1; i < inputs_; ++i)
      if (i != without && sign_ * u[i] > sign_ * u[at]) at = i;
    return at;
  }
  double sign_;
};

}  // namespace

ComponentType extremum_block(const char* name, const std::string& word, double sign) {
  ComponentType type(name, "The " + word + " of several signals.");
  type.description =
      "Part by part over the inputs, or (`of: all`) the " + word +
      " of all parts of all inputs. Steps of the integrator end where the lead changes. With "
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
    const AddPart add = [&](const std::vector<Signal<1>>& inputs, const Signal<1>& output) {
      if (b.number("smooth") > 0) add_function(b, inputs, output, rule);
      else b.add_dynamic(std::make_unique<Leader>(inputs, output, sign));
    };
    if (b.text("of") == "inputs") return part_by_part(b, b.signals("inputs"), add);
    std::vector<Signal<1>> all;
    for (const auto& input : b.signals("inputs")) all.insert(all.end(), input.begin(), input.end());
    add(all, b.output());
  };
  return type;
}

}  // namespace escapement::control
