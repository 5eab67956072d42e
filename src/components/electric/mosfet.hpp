// Field-effect transistors after Shichman and Hodges, with charges of the channel.
#pragma once
#include <algorithm>
#include <cmath>

#include "components/electric/passive.hpp"

namespace escapement::electric {

/// The channel: its current, and with an oxide its charge, parted between drain and source after Ward and Dutton. Symmetric: the
/// end with the lower potential (of an n-channel) is the source.
struct Channel {
  Terminal drain, gate, source, bulk;
  double sign;        // +1 n-channel, −1 p-channel
  double threshold;   // V
  double factor;      // A/V², transconductance · width / length
  double body;        // √V
  double potential;   // V
  double modulation;  // 1/V
  double oxide = 0;   // F, of the gate over the channel

  static constexpr int outputs = 1;  // current from drain to source
  auto variables() const { return std::tie(drain, gate, source, bulk); }

  auto output(const auto& z, int) const {
    const auto c = channel(z);
    auto i = 0.0 * c.v_ds;
    if (value(c.forward) > 0) {
      const auto gain = factor * (1.0 + modulation * c.v_ds);
      i = value(c.reverse) > 0 ? gain * c.v_ds * (c.forward - 0.5 * c.v_ds)
                               : 0.5 * gain * c.forward * c.forward;
    }
    return (sign * c.swap) * i;
  }
  void flow(const auto& z, auto& out) const {
    const auto i = output(z, 0);
    out(drain) += i;
    out(source) -= i;
  }
  void store(const auto& z, auto& out) const {
    if (oxide == 0) return;
    const auto c = channel(z);
    if (!(value(c.forward) > 0)) return;
    auto b = c.reverse;
    if (value(b) < 0) b = 0.0 * b;
    const auto& a = c.forward;
    const auto total = sign * oxide * 2.0 / 3.0 * (a * a + a * b + b * b) / (a + b);
    const auto far = sign * oxide * 2.0 / 15.0 *
                     (2.0 * a * a * a + 4.0 * a * a * b + 6.0 * a * b * b + 3.0 * b * b * b) /
                     ((a + b) * (a + b));
    out(gate) += total;
    out(c.swap > 0 ? drain : source) -= far;
    out(c.swap > 0 ? source : drain) -= total - far;
  }

 private:
  template <class S>
  struct Bias {
    S v_ds, forward, reverse;  // v_ds ≥ 0; v_gs and v_gd above the threshold
    double swap;               // −1: drain and source have changed places
  };
  auto channel(const auto& z) const {
    const auto v_d = sign * z(drain), v_s = sign * z(source);
    const double swap = value(v_d) < value(v_s) ? -1.0 : 1.0;
    const auto low = swap > 0 ? v_s : v_d, high = swap > 0 ? v_d : v_s;
    const auto v_bs = sign * z(bulk) - low;
    using S = std::remove_cvref_t<decltype(v_bs)>;
    S shift(0.0);
    if (body != 0) {
      const double root = std::sqrt(potential);
      S bent = value(v_bs) <= 0 ? S(sqrt(potential - v_bs)) : S(root - v_bs / (2 * root));
      if (value(bent) < 0) bent = S(0.0);
      shift = body * (bent - root);
    }
    const S forward = sign * z(gate) - low - (sign * threshold + shift);
    return Bias<S>{high - low, forward, forward - (high - low), swap};
  }
};

}  // namespace escapement::electric

extern template struct escapement::Adaptor<escapement::electric::Channel>;
