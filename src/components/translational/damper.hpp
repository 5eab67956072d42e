// A damper between two sliders (or shafts): linear, or with the force given as an expression of the velocity.
#pragma once
#include "core/adaptor.hpp"
#include "model/expression.hpp"

namespace escapement {
class Build;
}

namespace escapement::translational {

struct Damper {
  Position<1> a, b;
  double damping;  // N s/m

  static constexpr int outputs = 2;  // force, velocity
  auto variables() const { return std::tie(a, b); }
  auto dissipation(const auto& z) const { return 0.5 * damping * square(z.rate(b) - z.rate(a)); }
  auto loss(const auto& z) const { return damping * square(z.rate(b) - z.rate(a)); }
  auto output(const auto& z, int index) const {
    const auto velocity = z.rate(b) - z.rate(a);
    return index == 0 ? damping * velocity : velocity;
  }
};

struct DamperByLaw {
  Position<1> a, b;
  std::shared_ptr<const Expression> law;  // N, of (velocity)

  static constexpr int outputs = 2;
  auto variables() const { return std::tie(a, b); }
  int sides() const { return law->sides(); }
  void each_expression(const auto& z, const auto& f) const { f(*law, std::array{z.rate(b) - z.rate(a)}); }
  template <class S>
  S force(const S& velocity, const double* sides) const {
    const std::array<S, 1> inputs{velocity};
    return law->evaluate<S>(inputs, sides);
  }
  void flow(const auto& z, auto& out) const {
    const auto f = force(z.rate(b) - z.rate(a), z.memory);
    out(a) -= f;
    out(b) += f;
  }
  auto output(const auto& z, int index) const {
    const auto velocity = z.rate(b) - z.rate(a);
    return index == 0 ? force(velocity, z.memory) : velocity;
  }
};

void build_damper(Build& b, const char* force);

}  // namespace escapement::translational

extern template struct escapement::Adaptor<escapement::translational::Damper>;
extern template struct escapement::Adaptor<escapement::translational::DamperByLaw>;
