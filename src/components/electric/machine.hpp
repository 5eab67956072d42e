// Electromechanical converters: a coil in a constant field, and the bridge that feeds it.
#pragma once
#include "components/electric/passive.hpp"

namespace escapement::electric {

/// A motor on a shaft, or a voice coil on a slider: d/dt (L i) = v − R i − k ω, torque k i. What the coil takes in, k ω i, is what
/// the shaft gets.
struct Machine {
  Terminal a, b;
  Current current;
  Position<1> shaft, housing;
  double resistance, inductance;  // ohm, H
  double constant;                // N m/A (= V s/rad), or N/A

  static constexpr bool constant_inertia = true;
  static constexpr int outputs = 2;  // torque on the shaft, voltage that the motion induces
  auto variables() const { return std::tie(a, b, current, shaft, housing); }
  auto output(const auto& z, int index) const {
    return index == 0 ? constant * z(current) : constant * (z.rate(shaft) - z.rate(housing));
  }
  void store(const auto& z, auto& out) const { out(current) += inductance * z(current); }
  void flow(const auto& z, auto& out) const {
    out(current) += resistance * z(current) + output(z, 1) - (z(a) - z(b));
    out(a) += z(current);
    out(b) -= z(current);
    const auto torque = output(z, 0);
    out(shaft) -= torque;
    out(housing) += torque;
  }
};

/// The load sees ratio · supply behind a resistance; the supply sees ratio · load current: power is conserved.
struct Bridge {
  Terminal plus, minus, a, b;
  Current current;  // from a through the bridge to b
  Signal<1> ratio;
  double resistance;  // ohm

  static constexpr int outputs = 1;  // current from the supply
  auto variables() const { return std::tie(plus, minus, a, b, current, ratio); }
  auto output(const auto& z, int) const { return -z(ratio) * z(current); }
  void flow(const auto& z, auto& out) const {
    out(current) += z(a) - z(b) - z(ratio) * (z(plus) - z(minus)) - resistance * z(current);
    out(a) += z(current);
    out(b) -= z(current);
    const auto taken = output(z, 0);
    out(plus) += taken;
    out(minus) -= taken;
  }
};

}  // namespace escapement::electric

extern template struct escapement::Adaptor<escapement::electric::Machine>;
