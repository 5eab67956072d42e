#include <algorithm>
#include <numeric>

#include "components/sampled/build.hpp"

namespace escapement {

ComponentType sampled_moving_filter() {
  ComponentType type("sampled.moving_filter", "Mean, median, lowest or highest of the last samples.");
  type.description =
      "The last `samples` values of the input, this sample's included; fewer while there are not so many "
      "yet. "
      "The median removes single outliers, the mean noise.";
  sampled::is_sampled(type, "the filtered signal");
  type.connects(input("any", "the signal to filter").any_width());
  type.takes(integer("samples", "how many").at_least(1).at_most(100'000));
  type.takes(
      choice("kind", {"mean", "median", "minimum", "maximum"}, "what is computed of them").otherwise("mean"));
  type.signs = "The output follows the input.";
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
mean: {type: sampled.moving_filter, period: 10 ms, samples: 5, input: wave}
median: {type: sampled.moving_filter, period: 10 ms, samples: 3, kind: median, input: wave}
)yaml";
  type.build = [](Build& b) {
    // Memory: how many there are, where the next one goes, and a ring of them.
    const auto n = static_cast<std::size_t>(b.integer("samples"));
    const std::string kind = b.text("kind");
    sampled::add_part_by_part(
        b, std::vector<double>(n + 2, 0.0),
        [=](double, std::span<const double> u, std::span<double> y, std::span<double> m) {
          const auto ring = m.subspan(2);
          ring[static_cast<std::size_t>(m[1])] = u[0];
          m[1] = m[1] + 1 == static_cast<double>(n) ? 0 : m[1] + 1;
          if (m[0] < static_cast<double>(n)) m[0] += 1;
          thread_local std::vector<double> values;
          values.assign(ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(m[0]));
          if (kind == "mean") {
            y[0] = std::accumulate(values.begin(), values.end(), 0.0) / m[0];
          } else if (kind == "median") {
            std::sort(values.begin(), values.end());
            const std::size_t half = values.size() / 2;
            y[0] = values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
          } else {
            const auto [low, high] = std::minmax_element(values.begin(), values.end());
            y[0] = kind == "minimum" ? *low : *high;
          }
        });
  };
  return type;
}

}  // namespace escapement
