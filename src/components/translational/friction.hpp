// Friction between two sliders (or shafts), regularised: Coulomb and Stribeck through a steep tanh, plus viscous.
// Force positive in tension: while B moves away from A.
#pragma once
#include "core/group.hpp"

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

/// `force` is what the domain calls the channel.
void build_friction(Build& b, const char* force);

}  // namespace escapement::translational

extern template class escapement::Group<escapement::translational::Friction>;
