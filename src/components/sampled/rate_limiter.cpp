#include <algorithm>
#include <cmath>

#include "components/control/parts.hpp"
#include "components/sampled/build.hpp"

namespace escapement {

ComponentType sampled_rate_limiter() {
  ComponentType type("sampled.rate_limiter", "Follows a signal from sample to sample, with a limited rate.");
  type.description =
      "From one sample to the next the output moves towards the input, up by at most rising · period and "
      "down "
      "by at most falling · period.";
  sampled::is_sampled(type, "the limited signal");
  type.connects(input("any", "the signal to follow").any_width());
  type.takes(number("rising", "any", "largest rate upwards, per second").positive());
  type.takes(number("falling", "any", "largest rate downwards, per second; as `rising` if absent")
                 .positive()
                 .optional());
  type.signs = "The output follows the input.";
  type.example = R"yaml(
step: {type: control.step, time: 0.2 s, after: 3}
ramp: {type: sampled.rate_limiter, period: 20 ms, rising: 10 1/s, falling: 5 1/s, input: step}
)yaml";
  type.build = [](Build& b) {
    const double up = b.number("rising") * b.number("period"),
                 down = (b.has("falling") ? b.number("falling") : b.number("rising")) * b.number("period");
    const auto u = b.wide_signal("input");
    sampled::add_program(
        b, u, control::per_part(b, "initial.output", u.size()),
        [=](double, std::span<const double> in, std::span<double> y, std::span<double> last) {
          for (std::size_t i = 0; i < in.size(); ++i)
            y[i] = last[i] = std::clamp(in[i], last[i] - down, last[i] + up);
        });
  };
  return type;
}

}  // namespace escapement
