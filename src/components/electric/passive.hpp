// What stores or conducts between electrical nodes. The row of a node: charge stored there, currents that leave it (T-circuit).
// `a`, `b`: voltage is a − b, current positive from a through the component to b.
#pragma once
#include "core/group.hpp"

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

/// Large circuits are made of resistors, capacitors and coils: what is proportional to a − b, by hand.
void add_between(auto& out, auto* m, const Terminal& a, const Terminal& b, double value, double slope) {
  out(a) += value;
  out(b) -= value;
  if (!m) return;
  (*m)(a, 0, a, 0) += slope;
  (*m)(b, 0, b, 0) += slope;
  (*m)(a, 0, b, 0) -= slope;
  (*m)(b, 0, a, 0) -= slope;
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
  static constexpr bool analytic = true;
  void assemble(const auto& z, const auto&, const Shift& c, auto& out, auto* m) const {
    add_between(out, m, a, b, c.flow * output(z, 0), c.flow * conductance);
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
  static constexpr bool analytic = true;
  void assemble(const auto& z, const auto&, const Shift& c, auto& out, auto* m) const {
    add_between(out, m, a, b, c.store * output(z, 0), c.store * capacitance);
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
  static constexpr bool analytic = true;
  void assemble(const auto& z, const auto&, const Shift& c, auto& out, auto* m) const {
    const double i = z(current);
    out(current) += (c.store * inductance + c.flow * resistance) * i - c.flow * (z(a) - z(b));
    out(a) += c.flow * i;
    out(b) -= c.flow * i;
    if (!m) return;
    (*m)(current, 0, current, 0) += c.store * inductance + c.flow * resistance;
    (*m)(current, 0, a, 0) -= c.flow;
    (*m)(current, 0, b, 0) += c.flow;
    (*m)(a, 0, current, 0) += c.flow;
    (*m)(b, 0, current, 0) -= c.flow;
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

extern template class escapement::Group<escapement::electric::Across>;
extern template class escapement::Group<escapement::electric::Resistor>;
extern template class escapement::Group<escapement::electric::Capacitor>;
extern template class escapement::Group<escapement::electric::Coil>;
