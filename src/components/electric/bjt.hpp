// Bipolar transistors after Gummel and Poon, in the transport form, with charges.
#pragma once
#include "components/electric/junction.hpp"

namespace escapement::electric {

struct BipolarTransistor {
  Terminal collector, base, emitter;
  StateVariable<1> be, bc;  // parameters of the two junctions
  double sign;              // +1 npn, −1 pnp
  Junction forward, reverse;
  double forward_gain, reverse_gain;
  double emitter_leakage, emitter_leakage_scale;      // A, V
  double collector_leakage, collector_leakage_scale;  // A, V
  double forward_early, reverse_early;                // 1/V: their inverse
  double forward_knee, reverse_knee;                  // 1/A: their inverse
  Depletion be_depletion, bc_depletion;
  double forward_transit, reverse_transit;  // s

  static constexpr int outputs = 3;  // currents into collector, base, emitter, without those of the charges
  auto variables() const { return std::tie(collector, base, emitter, be, bc); }

  auto output(const auto& z, int index) const {
    const auto i = currents(z);
    return index == 0 ? sign * i.collector : index == 1 ? sign * i.base : -sign * (i.collector + i.base);
  }
  void store(const auto& z, auto& out) const {
    const auto i = currents(z);
    const auto q_be = sign * (be_depletion.charge(sign * (z(base) - z(emitter))) +
                              forward_transit * i.forward / i.base_charge);
    const auto q_bc =
        sign * (bc_depletion.charge(sign * (z(base) - z(collector))) + reverse_transit * i.reverse);
    out(base) += q_be + q_bc;
    out(emitter) -= q_be;
    out(collector) -= q_bc;
  }
  void flow(const auto& z, auto& out) const {
    out(be) += sign * (z(base) - z(emitter)) - forward.voltage(z(be));
    out(bc) += sign * (z(base) - z(collector)) - reverse.voltage(z(bc));
    const auto i = currents(z);
    out(collector) += sign * i.collector;
    out(base) += sign * i.base;
    out(emitter) -= sign * (i.collector + i.base);
  }

 private:
  template <class S>
  struct Currents {
    S collector, base, forward, reverse, base_charge;
  };
  auto currents(const auto& z) const {
    const auto v_be = forward.voltage(z(be)), v_bc = reverse.voltage(z(bc));
    const auto i_f = forward.current(z(be)), i_r = reverse.current(z(bc));
    using S = std::remove_cvref_t<decltype(i_f)>;
    S q = 1.0 / (1.0 - forward_early * v_bc - reverse_early * v_be);
    if (forward_knee > 0 || reverse_knee > 0) {
      S high = 1.0 + 4.0 * (forward_knee * i_f + reverse_knee * i_r);
      if (value(high) < 0) high = 0.0 * high;
      q = q * 0.5 * (1.0 + sqrt(high));
    }
    S leak_e(0.0), leak_c(0.0);
    if (emitter_leakage > 0) leak_e = emitter_leakage * expm1(v_be / emitter_leakage_scale);
    if (collector_leakage > 0) leak_c = collector_leakage * expm1(v_bc / collector_leakage_scale);
    const S transport = (i_f - i_r) / q;
    const S from_collector = i_r / reverse_gain + leak_c;
    return Currents<S>{transport - from_collector, i_f / forward_gain + leak_e + from_collector, i_f, i_r, q};
  }
};

}  // namespace escapement::electric

extern template struct escapement::Adaptor<escapement::electric::BipolarTransistor>;
