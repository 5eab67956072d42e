// Two sliders (or shafts) that move freely within limits and meet an elastic, damped contact beyond them: end stops,
// and the play of a backlash. Force positive in tension.
#pragma once
#include <algorithm>
#include <limits>

#include "core/group.hpp"

namespace escapement {
class Build;
}

namespace escapement::translational {

/// Free while lower < B − A < upper. In contact with depth s > 0: force c s + d ṡ with |d ṡ| ≤ c s, so that it begins
/// at zero and never pulls. Without play (lower = upper) it is a plain spring and damper.
struct Gap {
  Position<1> a, b;
  double lower, upper;  // m, of B − A
  double stiffness;     // N/m
  double damping = 0;   // N s/m

  static constexpr int outputs = 3;  // force, penetration, B − A − middle
  static constexpr int kinks = 1;    // positive in contact; its size is the distance to the nearest switch
  auto variables() const { return std::tie(a, b); }

  void flow(const auto& z, auto& out) const {
    const auto c = contact(z);
    const auto f = c.side * (c.spring + c.damper);
    out(a) -= f;
    out(b) += f;
  }
  auto energy(const auto& z) const {
    const auto s = contact(z).spring;
    return stiffness > 0 ? 0.5 / stiffness * s * s : 0.0 * s;
  }
  auto loss(const auto& z) const {
    const auto c = contact(z);
    return c.damper * (c.side * (z.rate(b) - z.rate(a)));
  }
  auto output(const auto& z, int index) const {
    const auto c = contact(z);
    if (index == 0) return c.side * (c.spring + c.damper);
    if (index == 1) return c.depth;
    return z(b) - z(a) - (lower + upper) / 2;
  }
  double kink(const auto& z, int) const {
    const double distance = value(z(b) - z(a)), speed = value(z.rate(b) - z.rate(a));
    if (lower == upper) return distance - upper;
    const double depth = std::max(lower - distance, distance - upper);
    if (depth <= 0) return depth;
    const double reserve =
        stiffness * depth - damping * std::abs(speed);  // of the damping force below its bound
    return std::min(depth, std::abs(reserve) / (stiffness + damping));
  }

 private:
  template <class S>
  struct Contact {
    double side;              // +1 at the upper limit, −1 at the lower one, 0 in between
    S depth, spring, damper;  // forces against further penetration
  };
  auto contact(const auto& z) const {
    const auto distance = z(b) - z(a), velocity = z.rate(b) - z.rate(a);
    using S = std::remove_cvref_t<decltype(distance)>;
    Contact<S> c{0.0, S(0.0), S(0.0), S(0.0)};
    if (value(distance) > lower && value(distance) < upper) return c;
    c.side = value(distance) >= upper ? 1.0 : -1.0;
    c.depth = c.side > 0 ? distance - upper : lower - distance;
    c.spring = stiffness * c.depth;
    c.damper = (c.side * damping) * velocity;
    if (lower == upper) return c;
    if (c.damper > c.spring) c.damper = c.spring;
    if (c.damper < -c.spring) c.damper = -c.spring;
    return c;
  }
};

/// `force` is what the domain calls the channel.
void build_end_stop(Build& b, const char* force);

}  // namespace escapement::translational

extern template class escapement::Group<escapement::translational::Gap>;
