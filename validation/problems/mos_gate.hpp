// MOS gates of the IVP test set, on the charges of their nodes: a transistor of Shichman and Hodges with a resistor and a
// capacitor at source and drain and pn junctions to the bulk, between nodes, rails and pulsed inputs (NAND gate, adder).
//
//      drain ──R──┬─ d ─┐              bulk rail ──R── bd ──|<── drain
//                 C    i(ds)
//      gate ──────┤     │
//                 C     │
//      source ─R──┴─ s ─┘              bulk rail ──R── bs ──|<── source
#pragma once
#include <cmath>
#include <tuple>

#include "core/system.hpp"

namespace escapement::problems {

using Potential = StateVariable<1>;  // of a node, V; its row is the balance of the node's charge

/// A periodic trapezoid; without a period a rail.
struct Pulse {
  double low = 0, high = 0;                                   // V
  double delay = 0, rise = 0, top = 0, fall = 0, period = 0;  // s

  template <class T>
  T operator()(const T& t) const {
    if (period == 0) return T(low);
    const T s = t - period * std::floor(value(t) / period);
    const double slope_up = (high - low) / rise, slope_down = (high - low) / fall,
                 end = delay + rise + top + fall;
    if (s <= delay || s >= end) return T(low);
    if (s < delay + rise) return low + slope_up * (s - delay);
    if (s <= delay + rise + top) return T(high);
    return low + slope_down * (end - s);
  }
};

/// What a transistor is connected to: a node, or (with the default handle, which reads as zero) a rail or an input.
struct Terminal {
  Potential node;
  Pulse given = {};
  template <class Z>
  auto operator()(const Z& z) const {
    return z(node) + given(z.t);
  }
};

/// What all transistors of a circuit share.
struct MosProcess {
  double R_gs, R_gd, R_bs, R_bd;         // Ω
  double C_gs, C_gd, C_b;                // F; C_b: of a junction at 0 V
  double saturation_current;             // A, of a junction
  double thermal = 25.85, delta = 0.02;  // V, 1/V
  double bulk = -2.5, junction = 0.87;   // V
  /// The charge of a junction: ∫ C du, or as the adder's equations have it, C(u) · (difference of the nodes' potentials,
  /// without the rail's).
  bool charge_is_integral = true;

  /// Of a junction: C_b / √(1 − U/φ) below 0 V, C_b (1 + U/2φ) above.
  template <class T>
  T capacitance(const T& U) const {
    return U <= 0.0 ? C_b / sqrt(1.0 - U / junction) : C_b * (1.0 + U / (2 * junction));
  }
};

struct MosType {
  double threshold, gamma, phi;  // V, √V, V
  double beta, beta_reverse;     // A/V²: for U_ds > 0 and < 0
};

struct MosTransistor {
  Potential s, d, bs, bd;
  Terminal source, drain, gate;
  MosType type;
  MosProcess process;

  auto variables() const { return std::tie(s, d, bs, bd, source.node, drain.node, gate.node); }

  template <class Z, class R>
  void flow(const Z& z, R& out) const {
    const auto between = [&](const auto& from, const auto& to, const auto& current) {
      out(from) += current;
      out(to) -= current;
    };
    const auto S = source(z), D = drain(z), G = gate(z);
    between(s, source.node, (z(s) - S) / process.R_gs);
    between(d, drain.node, (z(d) - D) / process.R_gd);
    out(bs) += (z(bs) - process.bulk) / process.R_bs;
    out(bd) += (z(bd) - process.bulk) / process.R_bd;
    between(bs, source.node, junction_current(z(bs) - S));
    between(bd, drain.node, junction_current(z(bd) - D));
    const auto U = z(d) - z(s);
    if (U > 0.0) between(d, s, channel_current(type.beta, U, G - z(s), z(bs) - S));
    else between(s, d, channel_current(type.beta_reverse, -U, G - z(d), z(bd) - D));
  }

  template <class Z, class R>
  void store(const Z& z, R& out) const {
    const auto between = [&](const auto& from, const auto& to, const auto& charge) {
      out(from) += charge;
      out(to) -= charge;
    };
    const auto S = source(z), D = drain(z), G = gate(z);
    between(s, gate.node, process.C_gs * (z(s) - G));
    between(d, gate.node, process.C_gd * (z(d) - G));
    between(bs, source.node, junction_charge(z(bs) - S, z(bs) - z(source.node)));
    between(bd, drain.node, junction_charge(z(bd) - D, z(bd) - z(drain.node)));
  }

 private:
  /// From drain to source, for U_ds ≥ 0.
  template <class T>
  T channel_current(double beta, const T& U_ds, const T& U_gs, const T& U_bs) const {
    const T U = U_gs - type.threshold - type.gamma * (sqrt(type.phi - U_bs) - std::sqrt(type.phi));
    if (U <= 0.0) return T(0.0);
    const T square = U <= U_ds ? U * U : U_ds * (2.0 * U - U_ds);
    return beta * square * (1.0 + process.delta * U_ds);
  }
  /// From the bulk; beyond 0 V the published model has none.
  template <class T>
  T junction_current(const T& U) const {
    if (U > 0.0) return T(0.0);
    return process.saturation_current * (exp(U / process.thermal) - 1.0);
  }
  /// On the bulk's side.
  template <class T>
  T junction_charge(const T& U, const T& held) const {
    if (!process.charge_is_integral) return process.capacitance(U) * held;
    const double C = process.C_b, phi = process.junction;
    return U <= 0.0 ? 2 * C * phi * (1.0 - sqrt(1.0 - U / phi)) : C * U * (1.0 + U / (4 * phi));
  }
};

/// The charge at the second input of the adder's NOR gates as published: C(u) times the difference not to its drain, but to a
/// node of the next gate. This is what that adds to the row of bd.
struct MisplacedCharge {
  Potential bd, drain, elsewhere;
  MosProcess process;
  auto variables() const { return std::tie(bd, drain, elsewhere); }
  template <class Z, class R>
  void store(const Z& z, R& out) const {
    out(bd) += process.capacitance(z(bd) - z(drain)) * (z(drain) - z(elsewhere));
  }
};

/// From a node to ground.
struct LoadCapacitor {
  Potential node;
  double C;  // F
  auto variables() const { return std::tie(node); }
  template <class Z, class R>
  void store(const Z& z, R& out) const {
    out(node) += C * z(node);
  }
};

}  // namespace escapement::problems
