#include "components/control/parts.hpp"
#include "components/sampled/build.hpp"

namespace escapement {

ComponentType sampled_delay() {
  ComponentType type("sampled.delay", "Unit delay: the input of one sample, or several, ago.");
  type.description =
      "output at sample k = input at sample k − `samples`; `initial.output` before there is one. A loop of "
      "sampled blocks needs one of these (or another block without direct feed-through) somewhere.";
  sampled::is_sampled(type, "the delayed signal");
  type.connects(input("any", "the signal to delay").any_width());
  type.takes(integer("samples", "how many samples ago").at_least(1).at_most(1'000'000).otherwise("1"));
  type.signs = "The output has the sign of the input.";
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 2, frequency: 1 Hz}
before: {type: sampled.delay, period: 50 ms, input: wave}
long_ago: {type: sampled.delay, period: 50 ms, samples: 4, input: wave}
)yaml";
  type.build = [](Build& b) {
    // Memory: where the oldest is, and a ring of the last inputs.
    const auto u = b.wide_signal("input");
    const int n = b.integer("samples");
    const std::vector<double> start = control::per_part(b, "initial.output", u.size());
    const std::size_t each = n + 1;
    std::vector<double> memory;
    for (const double value : start) {
      memory.push_back(0);
      memory.insert(memory.end(), n, value);
    }
    sampled::add_program(b, u, std::move(memory),
                         [=](double, std::span<const double> in, std::span<double> y, std::span<double> m) {
                           for (std::size_t i = 0; i < in.size(); ++i) {
                             double& at = m[i * each];
                             double& oldest = m[i * each + 1 + static_cast<std::size_t>(at)];
                             y[i] = oldest;
                             oldest = in[i];
                             at = at + 1 == n ? 0 : at + 1;
                           }
                         });
  };
  return type;
}

}  // namespace escapement
