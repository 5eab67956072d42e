#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "components/control/prototypes.hpp"

namespace escapement {
namespace {

using namespace control;

Realization filter_realization(const Build& b) {
  const int order = b.integer("order");
  const std::string& pass = b.text("pass");
  const bool two = pass == "band" || pass == "stop";
  std::vector<double> w = b.vector("cutoff");
  if (w.size() != (two ? 2 : 1))
    b.refuse("E-WIDTH", "cutoff",
             fmt::format("has {} numbers, `pass: {}` needs {}", w.size(), pass, two ? 2 : 1),
             two ? "cutoff: [lower, upper]" : "");
  if (two && !(w[0] < w[1]))
    b.refuse("E-RANGE", "cutoff", "the first is not below the second", "cutoff: [lower, upper]");
  for (double& f : w) f *= 2 * std::numbers::pi;

  Roots prototype = butterworth_poles(order);
  if (b.text("kind") == "bessel") {
    prototype = bessel_poles(order);
    const double half_power = half_power_frequency(prototype);
    for (auto& p : prototype) p /= half_power;
  }
  const Realization low = low_pass(prototype);
  if (pass == "low") return faster(low, w[0]);
  if (pass == "high") return faster(inverted(low), w[0]);
  const double middle = std::sqrt(w[0]) * std::sqrt(w[1]), width = w[1] - w[0];
  return resonating(faster(pass == "band" ? low : inverted(low), width), middle);
}

}  // namespace

ComponentType control_filter() {
  ComponentType type = control::linear_type(
      "control.filter", "A Butterworth or Bessel filter: low, high, band pass or band stop.",
      filter_realization);
  type.description =
      "At every cutoff frequency half the power passes (−3 dB), of both kinds and for every order; far "
      "inside the pass band the gain is one. Butterworth filters have the flattest gain, Bessel filters "
      "the flattest delay (as low pass; the others are made of it by s → ω/s, s → (s² + ω₁ω₂) / ((ω₂ − "
      "ω₁) s) and its inverse, which keep the gain but not the delay). Band filters have twice as many "
      "states as the order says. The low pass is built of sections of second order in series.";
  type.takes(choice("kind", {"butterworth", "bessel"}, "which poles").otherwise("butterworth"));
  type.takes(
      choice("pass", {"low", "high", "band", "stop"}, "what passes (stop: what does not)").otherwise("low"));
  type.takes(integer("order", "order, of a band filter half the number of states").at_least(1).at_most(10));
  type.takes(
      vector("cutoff", "Hz", 0, "where half the power passes; [lower, upper] of band and stop").positive());
  type.signs = "In the pass band the output has the sign of the input.";
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 5 Hz, offset: 1}
low: {type: control.filter, order: 4, cutoff: 2 Hz, input: wave, initial: {input: 1}}
band: {type: control.filter, kind: bessel, pass: band, order: 2, cutoff: [3 Hz, 8 Hz], input: wave}
)yaml";
  return type;
}

}  // namespace escapement
