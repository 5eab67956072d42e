// Two sliders (or shafts) that move freely within limits: beyond them an elastic, damped contact (end stops, the play of a
// backlash), or at them a rigid one with impacts. Force positive in tension.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/adaptor.hpp"

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
  static constexpr int kinks = 2;    // positive in contact; positive where the damping is below its bound
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
  double kink(const auto& z, int i) const {
    const double distance = value(z(b) - z(a)), speed = value(z.rate(b) - z.rate(a));
    if (lower == upper) return 1.0;  // no corners
    const double depth = std::max(lower - distance, distance - upper);
    return i == 0 ? depth : (stiffness * depth - damping * std::abs(speed)) / (stiffness + damping);
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

/// How far B − A is beyond a limit, to be read off.
struct Depth {
  Position<1> a, b;
  double lower, upper;
  static constexpr int outputs = 1;
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int) const {
    const auto distance = z(b) - z(a);
    if (value(distance) > upper) return distance - upper;
    if (value(distance) < lower) return lower - distance;
    return 0.0 * distance;
  }
};

/// A rigid stop: free while lower < B − A < upper; at a limit it is hit, and rebounds with `restitution` times the speed, or,
/// if that is below `rest_speed`, stays in contact, a constraint, for as long as it pushes (T-impact).
struct RigidStop {
  Position<1> a, b;
  Multiplier<1> push;
  Signal<1> force;
  double lower, upper;  // m, of B − A
  double restitution, rest_speed;

  static constexpr int memory = 1;  // 0 free, +1 at the upper limit, −1 at the lower one
  static constexpr int crossings = 2;
  auto variables() const { return std::tie(a, b, push, force); }
  bool active(const double* side) const {
    return *side > 0 ? std::isfinite(upper) : *side < 0 && std::isfinite(lower);
  }
  void violation(const auto& z, auto& out) const {
    const auto distance = z(b) - z(a);
    if (z.memory[0] < 0) out(push) += distance - lower;
    else out(push) += upper - distance;
  }
  void flow(const auto& z, auto& out) const {
    out(force) +=
        z(force) + (z.memory[0] < 0 ? -z(push) : z(push));  // a stop at the lower limit pushes apart
  }
  void enter(const auto& z, double* side) const {
    const double distance = z(b) - z(a), speed = z.rate(b) - z.rate(a), near = 1e-9;
    const bool rests =
        std::abs(speed) <= std::min(rest_speed, near);  // else it leaves the limit, or hits it at once
    *side = 0;                                          // what is beyond a limit is refused as a start
    if (distance > upper + near || (distance > upper - near && rests)) *side = 1;
    if (distance < lower - near || (distance < lower + near && rests)) *side = -1;
  }
  double crossing(const auto& z, int i) const {
    if (z.memory[0] != 0) return i == 0 ? -z(push) : 1.0;
    const double distance = z(b) - z(a);
    const double gap = i == 0 ? upper - distance : distance - lower;
    return std::isfinite(gap) ? gap : 1.0;
  }
  Continuation cross(const auto&, int i, double* side) const {
    if (*side != 0) return *side = 0, Continuation::restart;
    *side = i == 0 ? 1 : -1;
    return Continuation::impact;
  }
  double rebound(double speed) const { return restitution * speed > rest_speed ? restitution * speed : 0.0; }
  void release(double* side) const { *side = 0; }
};

/// `force` is what the domain calls the channel.
void build_end_stop(Build& b, const char* force);

}  // namespace escapement::translational

extern template struct escapement::Adaptor<escapement::translational::Gap>;
extern template struct escapement::Adaptor<escapement::translational::RigidStop>;
extern template struct escapement::Adaptor<escapement::translational::Depth>;
