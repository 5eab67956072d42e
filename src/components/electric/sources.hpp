// Voltages and currents that are given, by signals or by other voltages.
#pragma once
#include "components/electric/passive.hpp"

namespace escapement::electric {

/// a − b = gain · signal, whatever current that takes.
struct VoltageSource {
  Terminal a, b;
  Current current;
  Signal<1> input;
  double gain = 1;

  auto variables() const { return std::tie(a, b, current, input); }
  void flow(const auto& z, auto& out) const {
    out(current) += z(a) - z(b) - gain * z(input);
    out(a) += z(current);
    out(b) -= z(current);
  }
};

/// gain · signal flows from a through the source to b.
struct CurrentSource {
  Terminal a, b;
  Signal<1> input;
  double gain = 1;

  static constexpr int outputs = 1;  // current
  auto variables() const { return std::tie(a, b, input); }
  auto output(const auto& z, int) const { return gain * z(input); }
  void flow(const auto& z, auto& out) const {
    const auto i = output(z, 0);
    out(a) += i;
    out(b) -= i;
  }
};

/// a − b = gain · (c − d).
struct VoltageFromVoltage {
  Terminal a, b, c, d;
  Current current;
  double gain;

  auto variables() const { return std::tie(a, b, c, d, current); }
  void flow(const auto& z, auto& out) const {
    out(current) += z(a) - z(b) - gain * (z(c) - z(d));
    out(a) += z(current);
    out(b) -= z(current);
  }
};

/// transconductance · (c − d) flows from a to b.
struct CurrentFromVoltage {
  Terminal a, b, c, d;
  double transconductance;  // S

  static constexpr int outputs = 1;  // current
  auto variables() const { return std::tie(a, b, c, d); }
  auto output(const auto& z, int) const { return transconductance * (z(c) - z(d)); }
  void flow(const auto& z, auto& out) const {
    const auto i = output(z, 0);
    out(a) += i;
    out(b) -= i;
  }
};

/// The output takes whatever current brings plus − minus to zero.
struct IdealAmplifier {
  Terminal plus, minus, output_node;
  Current current;  // out of the amplifier

  auto variables() const { return std::tie(plus, minus, output_node, current); }
  void flow(const auto& z, auto& out) const {
    out(current) += z(plus) - z(minus);
    out(output_node) -= z(current);
  }
};

/// An amplifier with one pole: time · d/dt x = gain · (plus − minus) − x, x behind the output resistance. Beyond its limits x
/// is driven back a thousand times as strongly as the inputs drive it out.
struct Amplifier {
  Terminal plus, minus, output_node;
  StateVariable<1> x;
  double gain, time;         // 1, s
  double conductance;        // S, of the output
  double input_conductance;  // S
  double minimum, maximum;   // V

  static constexpr double limit = 1e3;
  static constexpr int outputs = 1;  // current out of the amplifier
  static constexpr int kinks = 2;
  auto variables() const { return std::tie(plus, minus, output_node, x); }
  auto output(const auto& z, int) const { return conductance * (z(x) - z(output_node)); }
  void store(const auto& z, auto& out) const { out(x) += time * z(x); }
  void flow(const auto& z, auto& out) const {
    const auto i = output(z, 0), leak = input_conductance * (z(plus) - z(minus));
    out(output_node) -= i;
    out(plus) += leak;
    out(minus) -= leak;
    out(x) += z(x) - gain * (z(plus) - z(minus));
    if (value(z(x)) > maximum) out(x) += limit * gain * (z(x) - maximum);
    if (value(z(x)) < minimum) out(x) += limit * gain * (z(x) - minimum);
  }
  double kink(const auto& z, int i) const {
    const double beyond = i == 0 ? value(z(x)) - maximum : minimum - value(z(x));
    return std::isfinite(beyond) ? beyond : -1.0;
  }
};

}  // namespace escapement::electric

extern template struct escapement::Adaptor<escapement::electric::VoltageSource>;
extern template struct escapement::Adaptor<escapement::electric::CurrentSource>;
