#include <cmath>
#include <cstdint>
#include <numbers>

#include "components/control/time_source.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

/// SplitMix64: a bijection of 64 bits that leaves no trace of its argument's pattern.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Number `which` of sample k: uniform in (0, 1). Any sample is found without those before it.
double uniform(std::uint64_t seed, std::int64_t k, std::uint64_t which) {
  const std::uint64_t bits = mixed(mixed(mixed(seed) ^ static_cast<std::uint64_t>(k)) + which);
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

/// Mean 0, standard deviation 1.
double sample(bool gaussian, std::uint64_t seed, std::int64_t k) {
  if (!gaussian) return std::sqrt(12.0) * (uniform(seed, k, 0) - 0.5);
  return std::sqrt(-2 * std::log(uniform(seed, k, 0))) *
         std::cos(2 * std::numbers::pi * uniform(seed, k, 1));  // Box–Muller
}

void build_noise(Build& b) {
  const double interval = b.number("sample_time"), mean = b.number("mean"),
               deviation = b.number("standard_deviation");
  const auto value = [mean, deviation, gaussian = b.text("distribution") == "gaussian",
                      seed = static_cast<std::uint64_t>(b.integer("seed"))](std::int64_t k) {
    return mean + deviation * sample(gaussian, seed, k);
  };
  const std::string& between = b.text("between");
  if (between == "hold") {
    const ElementId id = b.add(control::TimeSource{
        b.output(), [=](double, double k) { return value(static_cast<std::int64_t>(k)); }});
    b.at_times({0.0, id, 0, 0.0, interval, INFINITY, 1.0});
    return;
  }
  const bool smooth = between == "smooth";
  b.add(control::TimeSource{
      b.output(), [=](double t, double) {
        const double k = std::floor(t / interval), s = t / interval - k;
        const auto i = static_cast<std::int64_t>(k);
        const double y0 = value(i), y1 = value(i + 1);
        if (!smooth) return y0 + (y1 - y0) * s;
        const double d0 = 0.5 * (y1 - value(i - 1)), d1 = 0.5 * (value(i + 2) - y0);
        return y0 + s * (d0 + s * (3 * (y1 - y0) - 2 * d0 - d1 + s * (d0 + d1 - 2 * (y1 - y0))));
      }});
}

}  // namespace

ComponentType control_noise() {
  ComponentType type("control.noise",
                     "Random numbers at a fixed rate: reproducible, the same for every step.");
  type.description =
      "Sample k, at t = k · sample_time, is mean + standard_deviation · r(seed, k), where r is an "
      "independent "
      "random number of mean 0 and variance 1: gaussian, or uniform within ± √3. It is a function of the "
      "seed "
      "and of k only, so the signal does not depend on the steps of the integrator, and the same seed gives "
      "the same numbers everywhere.\n\n"
      "Between the samples the signal is held (`hold`; steps end exactly at every jump, so second order is "
      "kept), goes along straight lines (`linear`) or along a cubic with continuous slope through the "
      "samples "
      "(`smooth`, Catmull–Rom). Held samples are white noise of the one-sided power density 2 · "
      "standard_deviation² · sample_time at frequencies well below 1 / sample_time; the variance between "
      "samples is smaller for `linear` and `smooth`.";
  type.is_block("the noise");
  type.takes(number("sample_time", "s", "from one sample to the next").at_least(1e-12));
  type.takes(integer("seed", "which numbers: blocks with the same seed give the same ones").at_least(0));
  type.takes(number("standard_deviation", "any", "of the samples").of_output().at_least(0).otherwise("1"));
  type.takes(number("mean", "any", "of the samples").of_output().otherwise("0"));
  type.takes(choice("distribution", {"gaussian", "uniform"}, "of the samples").otherwise("gaussian"));
  type.takes(
      choice("between", {"hold", "linear", "smooth"}, "what happens between samples").otherwise("hold"));
  type.signs = "As in the equation.";
  type.shape = {"block"};
  type.example = R"yaml(
wind: {type: control.noise, sample_time: 20 ms, seed: 7, standard_deviation: 2 N, mean: 1 N, between: smooth, unit: N}
mass: {type: translational.mass, mass: 1 kg}
push: {type: translational.force, at: mass, input: wind}
hiss: {type: control.noise, sample_time: 50 ms, seed: 8, distribution: uniform}
)yaml";
  type.build = build_noise;
  return type;
}

}  // namespace escapement
