// pn junctions. The exponential is taken along its own curve: a parameter s that is the voltage where little flows and
// proportional to the current where much does, so that neither grows faster than s, and Newton's method needs no limits (T-junction).
#pragma once
#include <cmath>

#include "components/electric/passive.hpp"

namespace escapement::electric {

/// current = saturation · (exp(v / scale) − 1), and beyond a breakdown −breakdown_current · exp(−(v + breakdown) / scale).
class Junction {
 public:
  /// A, V (emission coefficient times thermal voltage), V, A.
  Junction(double saturation, double scale, double breakdown = INFINITY, double breakdown_current = 0)
      : saturation_(saturation), scale_(scale), breakdown_(breakdown), breakdown_current_(breakdown_current) {
    // Straight beyond the largest curvature, with 1 V and 1 A of equal length.
    const double bend = scale / 1.4142135623730951;
    knee_ = std::max(0.0, scale * std::log(bend / saturation));
    knee_current_ = saturation * std::expm1(knee_ / scale);
    if (!std::isfinite(breakdown)) return;
    reverse_knee_ = std::max(0.0, breakdown + scale * std::log(bend / breakdown_current));
    reverse_current_ = breakdown_current * std::exp((reverse_knee_ - breakdown) / scale);
  }

  template <class S>
  S voltage(const S& s) const {
    if (value(s) > knee_) return scale_ * log1p(straight(s) / saturation_);
    if (value(s) < -reverse_knee_) return -breakdown_ - scale_ * log(reverse(s) / breakdown_current_);
    return s;
  }
  template <class S>
  S current(const S& s) const {
    if (value(s) > knee_) return straight(s);
    if (value(s) < -reverse_knee_) return -saturation_ - reverse(s);
    S i = saturation_ * expm1(s / scale_);
    if (value(s) < 0 && std::isfinite(breakdown_)) i -= breakdown_current_ * exp(-(s + breakdown_) / scale_);
    return i;
  }

 private:
  template <class S>
  S straight(const S& s) const {
    return knee_current_ + (knee_current_ + saturation_) / scale_ * (s - knee_);
  }
  /// The current of the breakdown beyond its knee, positive.
  template <class S>
  S reverse(const S& s) const {
    return reverse_current_ - reverse_current_ / scale_ * (s + reverse_knee_);
  }

  double saturation_, scale_, breakdown_, breakdown_current_;
  double knee_, knee_current_, reverse_knee_ = INFINITY, reverse_current_ = 0;
};

/// The charge of a depletion layer, C(v) = capacitance / (1 − v / potential)^grading; from forward · potential on C goes on
/// along its tangent.
class Depletion {
 public:
  /// F, V, 1, 1.
  Depletion(double capacitance, double potential, double grading, double forward)
      : capacitance_(capacitance),
        potential_(potential),
        grading_(grading),
        bound_(forward * potential),
        at_bound_(potential / (1 - grading) * (1 - std::pow(1 - forward, 1 - grading))),
        scale_(std::pow(1 - forward, 1 + grading)),
        constant_(1 - forward * (1 + grading)) {}

  template <class S>
  S charge(const S& v) const {
    if (capacitance_ == 0) return S(0.0);
    const double rest = 1 - grading_;
    if (value(v) < bound_) return capacitance_ * potential_ / rest * (1.0 - pow(1.0 - v / potential_, rest));
    const S tangent = constant_ * (v - bound_) + grading_ / (2 * potential_) * (v * v - bound_ * bound_);
    return capacitance_ * (at_bound_ + tangent / scale_);
  }

 private:
  double capacitance_, potential_, grading_, bound_, at_bound_, scale_, constant_;
};

/// A junction from a to b with its charges: depletion and transit_time · current.
struct Diode {
  Terminal a, b;
  StateVariable<1> s;
  Junction junction;
  Depletion depletion;
  double transit_time = 0;  // s

  static constexpr int outputs = 1;  // current, without that of the charges
  auto variables() const { return std::tie(a, b, s); }
  auto output(const auto& z, int) const { return junction.current(z(s)); }
  void store(const auto& z, auto& out) const {
    const auto q = depletion.charge(z(a) - z(b)) + transit_time * junction.current(z(s));
    out(a) += q;
    out(b) -= q;
  }
  void flow(const auto& z, auto& out) const {
    out(s) += z(a) - z(b) - junction.voltage(z(s));
    const auto i = junction.current(z(s));
    out(a) += i;
    out(b) -= i;
  }
};

/// Conducts with a small resistance above its knee voltage, hardly below it: two straight lines, with an event where it switches.
/// s is the voltage beyond the knee while it blocks, the current while it conducts.
struct IdealDiode {
  Terminal a, b;
  StateVariable<1> s;
  Current current;
  double knee, on_resistance, off_conductance;  // V, ohm, S

  static constexpr int memory = 1;  // 0 blocks, 1 conducts
  static constexpr int crossings = 1;
  auto variables() const { return std::tie(a, b, s, current); }
  void flow(const auto& z, auto& out) const {
    const bool on = z.memory[0] != 0;
    out(s) += z(a) - z(b) - knee - (on ? on_resistance : 1.0) * z(s);
    out(current) += z(current) - (on ? 1.0 : off_conductance) * z(s) - off_conductance * knee;
    out(a) += z(current);
    out(b) -= z(current);
  }
  /// It switches a millionth of a volt or ampere beyond its corner: there rounding decides nothing.
  double crossing(const auto& z, int) const { return 1e-6 + (z.memory[0] != 0 ? z(s) : -z(s)); }
  Continuation cross(const auto&, int, double* on) const {
    *on = *on != 0 ? 0 : 1;
    return Continuation::jump;
  }
};

inline Description junction_unknown() {
  return {.unit = "V",
          .equation = "voltage of the junction",
          .row_unit = "V",
          .starts_steady = true,
          .network = Network::branch};
}

}  // namespace escapement::electric

extern template struct escapement::Adaptor<escapement::electric::Diode>;
