// What stores or conducts between electrical nodes. The row of a node: charge stored there, currents that leave it (T-circuit).
// `a`, `b`: voltage is a − b, current positive from a through the component to b.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::electric {

/// The potential of a node against ground.
using Terminal = StateVariable<1>;
using Current = StateVariable<1>;
inline Description current_unknown(std::string equation) {
  return {.unit = "A",
          .nominal = 1e-3,
          .equation = std::move(equation),
          .row_unit = "V",
          .starts_steady = true,
          .network = Network::branch};
}

/// Large circuits are made of resistors, capacitors and coils: what is proportional to a − b, by hand. `to` is the part of it.
void add_between(const Terminal& a, const Terminal& b, double value, double slope, bool slopes,
                 const auto& to) {
  to(a) += value;
  to(b) -= value;
  if (!slopes) return;
  to(a, a) += slope;
  to(b, b) += slope;
  to(a, b) -= slope;
  to(b, a) -= slope;
}

/// A voltage to be read off.
struct Across {
  Terminal a, b;
  static constexpr int outputs = 1;
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int) const { return z(a) - z(b); }
};

struct Resistor {
  Terminal a, b;
  double conductance;  // S

  static constexpr int outputs = 1;  // current
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int) const { return conductance * (z(a) - z(b)); }
  void flow(const auto& z, auto& out) const {
    const auto i = output(z, 0);
    out(a) += i;
    out(b) -= i;
  }
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    add_between(a, b, output(z, 0), conductance, out.slopes(),
                [&](const auto&... at) -> double& { return out.flow(at...); });
  }
};

struct Capacitor {
  Terminal a, b;
  double capacitance;  // F

  static constexpr int outputs = 1;  // charge
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int) const { return capacitance * (z(a) - z(b)); }
  void store(const auto& z, auto& out) const {
    const auto q = output(z, 0);
    out(a) += q;
    out(b) -= q;
  }
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    add_between(a, b, output(z, 0), capacitance, out.slopes(),
                [&](const auto&... at) -> double& { return out.store(at...); });
  }
};

/// Measures the current of a capacitor: the rate of its charge.
struct ChargingCurrent {
  Terminal a, b;
  Current current;
  double capacitance;  // F

  auto variables() const { return std::tie(a, b, current); }
  void store(const auto& z, auto& out) const { out(current) -= capacitance * (z(a) - z(b)); }
  void flow(const auto& z, auto& out) const { out(current) += z(current); }
};

struct Coil {
  Terminal a, b;
  Current current;
  double inductance;  // H
  double resistance;  // ohm

  static constexpr int outputs = 1;  // flux linkage
  auto variables() const { return std::tie(a, b, current); }
  auto output(const auto& z, int) const { return inductance * z(current); }
  void store(const auto& z, auto& out) const { out(current) += output(z, 0); }
  void flow(const auto& z, auto& out) const {
    out(current) += resistance * z(current) - (z(a) - z(b));
    out(a) += z(current);
    out(b) -= z(current);
  }
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    const double i = z(current);
    out.store(current) += inductance * i;
    out.flow(current) += resistance * i - (z(a) - z(b));
    out.flow(a) += i;
    out.flow(b) -= i;
    if (!out.slopes()) return;
    out.store(current, current) += inductance;
    out.flow(current, current) += resistance;
    out.flow(current, a) -= 1;
    out.flow(current, b) += 1;
    out.flow(a, current) += 1;
    out.flow(b, current) -= 1;
  }
};

/// The flux that the current of one coil makes in another.
struct MutualInductance {
  Current from, to;
  double inductance;  // H

  auto variables() const { return std::tie(from, to); }
  void store(const auto& z, auto& out) const {
    out(to) += inductance * z(from);
    out(from) += inductance * z(to);
  }
};

/// v1 = ratio · v2, and the powers balance.
struct IdealTransformer {
  Terminal a1, b1, a2, b2;
  Current current;  // of the first winding, from a1 to b1
  double ratio;

  auto variables() const { return std::tie(a1, b1, a2, b2, current); }
  void flow(const auto& z, auto& out) const {
    out(current) += z(a1) - z(b1) - ratio * (z(a2) - z(b2));
    out(a1) += z(current);
    out(b1) -= z(current);
    out(a2) -= ratio * z(current);
    out(b2) += ratio * z(current);
  }
};

/// A resistor with a tap at a share `position` of its length, counted from b; a millionth of it is left at each end.
struct Potentiometer {
  Terminal a, b, wiper;
  Signal<1> position;
  double resistance;  // ohm

  static constexpr int outputs = 2;  // current into a, current out of the wiper
  auto variables() const { return std::tie(a, b, wiper, position); }
  void flow(const auto& z, auto& out) const {
    const auto upper = from_a(z), lower = to_b(z);
    out(a) += upper;
    out(wiper) += lower - upper;
    out(b) -= lower;
  }
  auto output(const auto& z, int index) const {
    const auto upper = from_a(z);
    return index == 0 ? upper : upper - to_b(z);
  }

 private:
  static constexpr double least = 1e-6;
  auto share(const auto& z) const {
    auto x = z(position);
    if (value(x) < 0) x = 0.0 * x;
    if (value(x) > 1) x = 0.0 * x + 1.0;
    return x;
  }
  auto from_a(const auto& z) const { return (z(a) - z(wiper)) / (resistance * (1.0 + least - share(z))); }
  auto to_b(const auto& z) const { return (z(wiper) - z(b)) / (resistance * (least + share(z))); }
};

}  // namespace escapement::electric

extern template struct escapement::Adaptor<escapement::electric::Across>;
extern template struct escapement::Adaptor<escapement::electric::Resistor>;
extern template struct escapement::Adaptor<escapement::electric::Capacitor>;
extern template struct escapement::Adaptor<escapement::electric::Coil>;
