#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "components/control/time_source.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

using std::numbers::pi;

std::vector<double> frequencies(const Build& b) {
  if (b.has("frequencies")) {
    if (b.has("lines")) b.refuse("E-VALUE", "lines", "belongs to a `band`", "remove it");
    return b.vector("frequencies");
  }
  const double first = b.vector("band")[0], last = b.vector("band")[1];
  if (!(first < last)) b.refuse("E-RANGE", "band", "the first frequency is not below the second");
  if (!b.has("lines")) b.refuse("E-MISSING", "", "`lines` is missing (how many sines fill the band)");
  const int n = b.integer("lines");
  std::vector<double> f(n);
  for (int k = 0; k < n; ++k) f[k] = first + (last - first) * k / (n - 1);
  return f;
}

/// One number per line; a single one serves all.
std::vector<double> each(const Build& b, const char* key, std::size_t lines) {
  std::vector<double> numbers = b.vector(key);
  if (numbers.size() == 1) numbers.resize(lines, numbers[0]);
  if (numbers.size() != lines)
    b.refuse("E-WIDTH", key, fmt::format("has {} numbers, there are {} frequencies", numbers.size(), lines),
             "one number, or one per frequency");
  return numbers;
}

void build_multisine(Build& b) {
  const std::vector<double> f = frequencies(b), a = each(b, "amplitudes", f.size());
  std::vector<double> phase(f.size(), 0.0);
  if (b.has("phases")) phase = each(b, "phases", f.size());
  else if (b.has("band"))  // Schroeder: a low peak for equal amplitudes
    for (std::size_t k = 0; k < f.size(); ++k)
      phase[k] = -pi * static_cast<double>(k * (k + 1)) / static_cast<double>(f.size());
  b.add(control::TimeSource{b.output(),
                            [f, a, phase, offset = b.number("offset")](double t, double) {
                              double sum = offset;
                              for (std::size_t k = 0; k < f.size(); ++k)
                                sum += a[k] * std::sin(2 * pi * f[k] * t + phase[k]);
                              return sum;
                            },
                            control::TimeSource::of_wave(2 * pi * *std::max_element(f.begin(), f.end()))});
}

}  // namespace

ComponentType control_multisine() {
  ComponentType type("control.multisine", "A sum of sine waves, to excite many frequencies at once.");
  type.description =
      "output = offset + Σ amplitude_k · sin(2π · frequency_k · t + phase_k). The frequencies are listed, or "
      "`lines` of them are spread evenly over a `band`; the phases of a band are by default Schroeder's, "
      "−π k (k − 1) / lines for k = 1 …, which keep the peaks low. In a list they are zero by default. With "
      "frequencies that are whole multiples of a lowest one the signal repeats with its period.";
  type.is_block("the wave");
  type.takes(
      vector("frequencies", "Hz", 0, "cycles per second of each wave").at_least(0).one_of("the frequencies"));
  type.takes(vector("band", "Hz", 2, "[lowest, highest] frequency").at_least(0).one_of("the frequencies"));
  type.takes(integer("lines", "how many waves fill the band").at_least(2).at_most(10000).optional());
  type.takes(vector("amplitudes", "any", 0, "one for all waves, or one per wave").of_output().otherwise("1"));
  type.takes(vector("phases", "rad", 0, "at t = 0: one for all waves, or one per wave").optional());
  type.takes(number("offset", "any", "mean value").of_output().otherwise("0"));
  type.signs = "As in the equation.";
  type.shape = {"block"};
  type.example = R"yaml(
chord: {type: control.multisine, frequencies: [1 Hz, 1.5 Hz, 4 Hz], amplitudes: [2, 1, 0.5], phases: [0, 90 deg, 0]}
road: {type: control.multisine, band: [0.5 Hz, 10 Hz], lines: 20, amplitudes: 2 N, unit: N}
mass: {type: translational.mass, mass: 1 kg}
push: {type: translational.force, at: mass, input: road}
)yaml";
  type.build = build_multisine;
  return type;
}

}  // namespace escapement
