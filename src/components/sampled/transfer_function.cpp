#include <fmt/format.h>

#include "components/sampled/build.hpp"

namespace escapement {
namespace {

/// Controllable canonical form, for each part of the input.
void build_transfer_function(Build& b) {
  std::vector<double> numerator = b.vector("numerator"), denominator = b.vector("denominator");
  if (denominator.empty() || denominator[0] == 0)
    b.refuse("E-RANGE", "denominator", "its first coefficient, of the highest power, is zero");
  if (numerator.empty()) b.refuse("E-MISSING", "numerator", "has no coefficients");
  if (numerator.size() > denominator.size())
    b.refuse("E-RANGE", "numerator",
             fmt::format("its degree {} is higher than that of the denominator, {}: it would look ahead",
                         numerator.size() - 1, denominator.size() - 1));
  const double lead = denominator[0];
  numerator.insert(numerator.begin(), denominator.size() - numerator.size(), 0.0);
  for (double& c : numerator) c /= lead;
  for (double& c : denominator) c /= lead;
  const int n = static_cast<int>(denominator.size()) - 1;
  sampled::Matrices m{n,
                      1,
                      1,
                      std::vector<double>(n * n, 0.0),
                      std::vector<double>(n, 0.0),
                      std::vector<double>(n, 0.0),
                      {numerator[0]}};
  for (int j = 0; j < n; ++j) {
    m.A[j] = -denominator[j + 1];
    m.C[j] = numerator[j + 1] - denominator[j + 1] * numerator[0];
  }
  for (int i = 1; i < n; ++i) m.A[i * n + i - 1] = 1;
  if (n > 0) m.B[0] = 1;
  sampled::add_part_by_part(b, std::vector<double>(n, 0.0), sampled::linear_program(std::move(m)));
}

}  // namespace

ComponentType sampled_transfer_function() {
  ComponentType type("sampled.transfer_function", "A transfer function of z.");
  type.description =
      "output(z) / input(z) = numerator(z) / denominator(z), coefficients from the highest power of z down. "
      "[1] over [1, -0.9] is y(k) = 0.9 y(k − 1) + u(k − 1).";
  sampled::is_sampled(type, "the filtered signal");
  type.connects(input("any", "the signal to filter").any_width());
  type.takes(vector("numerator", "any", 0, "from the highest power of z down"));
  type.takes(vector("denominator", "any", 0, "likewise; of no lower degree"));
  type.signs = "As the coefficients have them.";
  type.example = R"yaml(
step: {type: control.step, time: 0.2 s}
filter: {type: sampled.transfer_function, period: 50 ms, numerator: [0.1, 0.1], denominator: [1, -0.8], input: step}
)yaml";
  type.build = build_transfer_function;
  return type;
}

}  // namespace escapement
