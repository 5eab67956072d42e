#include <fmt/format.h>

#include "components/control/realization.hpp"

namespace escapement {
namespace {

control::Roots roots(const Build& b, const char* single, const char* pairs) {
  control::Roots roots;
  if (b.has(single))
    for (const double r : b.vector(single)) roots.push_back(r);
  if (!b.has(pairs)) return roots;
  const MatrixValue& M = b.matrix(pairs);
  if (M.columns != 2)
    b.refuse("E-WIDTH", pairs, fmt::format("has {} columns, needs 2", M.columns),
             "one row [real part, imaginary part] for each pair");
  for (int i = 0; i < M.rows; ++i) {
    if (M(i, 1) < 0)
      b.refuse("E-VALUE", pairs, fmt::format("row {} has a negative imaginary part", i + 1),
               "one row for both of a conjugate pair, with the positive imaginary part");
    if (M(i, 1) == 0)
      b.refuse("E-VALUE", pairs, fmt::format("row {} is real", i + 1), fmt::format("put it into {}", single));
    roots.emplace_back(M(i, 0), M(i, 1));
  }
  return roots;
}

control::Realization zero_pole_gain_realization(const Build& b) {
  const control::Roots zeros = roots(b, "zeros", "zero_pairs"), poles = roots(b, "poles", "pole_pairs");
  const int n = control::count(poles), m = control::count(zeros);
  if (n == 0) b.refuse("E-MISSING", "", "`poles` are missing (or `pole_pairs`)", "control.gain has none");
  if (m > n)
    b.refuse("E-VALUE", b.has("zeros") ? "zeros" : "zero_pairs",
             fmt::format("{} zeros but {} poles: the output would contain derivatives of the input", m, n),
             "add fast poles, as a filter does");
  return control::sections(zeros, poles, b.number("gain"));
}

}  // namespace

ComponentType control_zero_pole_gain() {
  ComponentType type =
      control::linear_type("control.zero_pole_gain", "A transfer function by its zeros, poles and gain.",
                           zero_pole_gain_realization);
  type.description =
      "    gain · Π (s − zero) / Π (s − pole) · input\n\n"
      "Real zeros and poles stand in lists; complex ones come in conjugate pairs re ± i im, each pair given "
      "once as a row [re, im] with im > 0. At most as many zeros as poles. It is built of sections of second "
      "order in series.";
  type.takes(vector("zeros", "rad/s", 0, "real zeros").optional());
  type.takes(matrix("zero_pairs", "rad/s", "rows [re, im], each for the two zeros re ± i im").optional());
  type.takes(vector("poles", "rad/s", 0, "real poles").optional());
  type.takes(matrix("pole_pairs", "rad/s", "rows [re, im], each for the two poles re ± i im").optional());
  type.takes(number("gain", "any", "gain, of the highest powers of s").otherwise("1"));
  type.signs = "As in the equation; the gain takes any unit and counts in SI.";
  type.example = R"yaml(
step: {type: control.step, time: 0.1 s}
plant: {type: control.zero_pole_gain, zeros: [-10 rad/s], poles: [-2 rad/s], pole_pairs: [[-3 rad/s, 20 rad/s]], gain: 80, input: step}
)yaml";
  return type;
}

}  // namespace escapement
