// Friction between two sliders (or shafts): Coulomb, Stribeck and viscous; sticking in truth, with events where it begins
// and ends, or regularised by a steep tanh. Force positive in tension: while B moves away from A.
#pragma once
#include "core/adaptor.hpp"

namespace escapement {
class Build;
}

namespace escapement::translational {

struct Friction {
  Position<1> a, b;
  double coulomb, breakaway;   // N
  double stribeck_velocity;    // m/s
  double transition_velocity;  // m/s
  double viscous = 0;          // N s/m

  static constexpr int outputs = 2;  // force, velocity
  auto variables() const { return std::tie(a, b); }
  auto force(const auto& velocity) const {
    const auto level = coulomb + (breakaway - coulomb) * exp(-square(velocity / stribeck_velocity));
    return level * tanh(velocity / transition_velocity) + viscous * velocity;
  }
  void flow(const auto& z, auto& out) const {
    const auto f = force(z.rate(b) - z.rate(a));
    out(a) -= f;
    out(b) += f;
  }
  auto loss(const auto& z) const {
    const auto velocity = z.rate(b) - z.rate(a);
    return force(velocity) * velocity;
  }
  auto output(const auto& z, int index) const {
    const auto velocity = z.rate(b) - z.rate(a);
    return index == 0 ? force(velocity) : velocity;
  }
};

/// d/dt (B − A), to be read off.
struct RelativeVelocity {
  Position<1> a, b;
  static constexpr int outputs = 1;
  auto variables() const { return std::tie(a, b); }
  auto output(const auto& z, int) const { return z.rate(b) - z.rate(a); }
};

/// Sticking, the velocity is zero and the multiplier is the friction, up to `breakaway`; sliding, friction acts against the
/// velocity (T-event-6).
struct StickSlip {
  Position<1> a, b;
  SlipMultiplier<1> hold;
  Signal<1> force;
  double coulomb, breakaway;  // N
  double stribeck_velocity;   // m/s
  double viscous = 0;         // N s/m

  static constexpr int memory = 1;  // 0 sticking, ±1 sliding
  static constexpr int crossings = 2;
  auto variables() const { return std::tie(a, b, hold, force); }
  auto velocity(const auto& z) const { return z.rate(b) - z.rate(a); }
  bool active(const double* mode) const { return *mode == 0; }
  void slip(const auto& z, auto& out) const { out(hold) += velocity(z); }
  auto sliding(const auto& z) const {
    const auto v = velocity(z);
    const double side = z.memory[0];
    return side * (coulomb + (breakaway - coulomb) * exp(-square(v / stribeck_velocity))) +
           side * side * viscous * v;
  }
  void flow(const auto& z, auto& out) const {
    const auto f = sliding(z);
    out(a) -= f;
    out(b) += f;
    out(force) += z(force) - z(hold) - f;
  }
  /// Sticking, too: what holds may creep, to rounding.
  auto loss(const auto& z) const { return (z(hold) + sliding(z)) * velocity(z); }

  void enter(const auto& z, double* mode) const {
    const double v = velocity(z);
    *mode = std::abs(v) < 1e-12 ? 0 : v > 0 ? 1 : -1;
  }
  void loosen(double* mode) const { *mode = 1; }
  double strength() const { return breakaway; }
  double crossing(const auto& z, int i) const {
    if (z.memory[0] != 0) return i == 0 ? z.memory[0] * velocity(z) : 1.0;
    return breakaway - (i == 0 ? z(hold) : -z(hold));
  }
  Continuation cross(const auto&, int i, double* mode) const {
    *mode = *mode != 0 ? 0 : i == 0 ? 1 : -1;
    return Continuation::restart;
  }
};

/// `force` is what the domain calls the channel.
void build_friction(Build& b, const char* force);

}  // namespace escapement::translational

extern template struct escapement::Adaptor<escapement::translational::Friction>;
extern template struct escapement::Adaptor<escapement::translational::StickSlip>;
