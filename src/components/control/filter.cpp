#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "components/control/prototypes.hpp"

namespace escapement {
namespace {

using namespace control;

/// The two s with s² − c s + w² = 0, without cancellation.
Roots band_edges(std::complex<double> c, double w) {
  if (c.imag() == 0 && std::abs(c.real()) <= 2 * w) {  // a pair (or a double root)
    const double re = c.real() / 2, im = std::sqrt(std::max(0.0, w * w - re * re));
    if (im > 0) return {{re, im}};
    return {re, re};
  }
  const std::complex<double> root = std::sqrt(c * c / 4.0 - w * w);
  const std::complex<double> plus = c / 2.0 + root, minus = c / 2.0 - root;
  const std::complex<double> one = std::abs(plus) > std::abs(minus) ? plus : minus;
  Roots both = {one, w * w / one};
  for (auto& s : both) s = {s.real(), c.imag() == 0 ? 0.0 : std::abs(s.imag())};  // its conjugate comes along
  return both;
}

Realization realization(const Build& b) {
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
  double size = 1;  // of all poles of the prototype together
  for (const auto& p : prototype) size *= p.imag() != 0 ? std::norm(p) : std::abs(p);

  Roots poles;
  const auto add = [&](const Roots& some) { poles.insert(poles.end(), some.begin(), some.end()); };
  if (pass == "low") {
    for (const auto& p : prototype) add({w[0] * p});
    return sections({}, poles, size * std::pow(w[0], order));
  }
  if (pass == "high") {
    for (const auto& p : prototype) add({w[0] / std::conj(p)});
    return sections(Roots(order, 0.0), poles, 1);
  }
  const double middle = std::sqrt(w[0] * w[1]), width = w[1] - w[0];
  if (pass == "band") {
    for (const auto& p : prototype) add(band_edges(width * p, middle));
    return sections(Roots(order, 0.0), poles, size * std::pow(width, order));
  }
  for (const auto& p : prototype) add(band_edges(width / p, middle));
  return sections(Roots(order, {0.0, middle}), poles, 1);
}

}  // namespace

ComponentType control_filter() {
  ComponentType type = control::linear_type(
      "control.filter", "A Butterworth or Bessel filter: low, high, band pass or band stop.", realization);
  type.description =
      "At every cutoff frequency half the power passes (−3 dB), of both kinds and for every order; far "
      "inside "
      "the pass band the gain is one. Butterworth filters have the flattest gain, Bessel filters the "
      "flattest delay (as low pass; the others are made of it by s → ω/s, s → (s² + ω₁ω₂) / ((ω₂ − ω₁) s) "
      "and its inverse, which keep the gain but not the delay). Band filters have twice as many states as "
      "the "
      "order says. It is built of sections of second order in series.";
  type.takes(choice("kind", {"butterworth", "bessel"}, "which poles").otherwise("butterworth"));
  type.takes(
      choice("pass", {"low", "high", "band", "stop"}, "what passes (stop: what does not)").otherwise("low"));
  type.takes(integer("order", "order, of a band filter half the number of states").at_least(1).at_most(10));
  type.takes(
      vector("cutoff", "Hz", 0, "where half the power passes; [lower, upper] of band and stop").positive());
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 5 Hz, offset: 1}
low: {type: control.filter, order: 4, cutoff: 2 Hz, input: wave, initial: {input: 1}}
band: {type: control.filter, kind: bessel, pass: band, order: 2, cutoff: [3 Hz, 8 Hz], input: wave}
)yaml";
  return type;
}

}  // namespace escapement
