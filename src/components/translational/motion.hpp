// Prescribed motion of a slider (or shaft): by an expression of time, or by a signal through a second-order reference
// filter (a constraint on a signal itself would have no defined multiplier).
#pragma once
#include "core/adaptor.hpp"
#include "model/expression.hpp"

namespace escapement {
class Build;
}

namespace escapement::translational {

/// Φ = at − law(t); the drive acts with −force.
struct MotionByLaw {
  Position<1> at;
  Multiplier<1> force;
  std::shared_ptr<const Expression> law;  // m, of (t)

  auto variables() const { return std::tie(at, force); }
  int sides() const { return law->sides(); }
  void each_expression(const auto& z, const auto& f) const { f(*law, std::array{z.t}); }
  void violation(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const std::array<S, 1> inputs{z.t};
    out(force) += z(at) - law->evaluate<S>(inputs, z.memory);
  }
};

/// A position of its own that follows a signal: r̈ = ω² (u − r) − 2 ζ ω ṙ.
struct ReferenceFilter {
  Position<1> reference;
  Signal<1> input;  // m
  double omega;     // rad/s
  double damping;   // ζ

  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(reference, input); }
  void store(const auto& z, auto& out) const { out(reference) += z.rate(reference); }
  void flow(const auto& z, auto& out) const {
    out(reference) += 2 * damping * omega * z.rate(reference) - omega * omega * (z(input) - z(reference));
  }
};

/// Φ = at − reference, whose reaction acts on `at` alone.
struct MotionByReference {
  Position<1> at, reference;
  Multiplier<1> force;

  auto variables() const { return std::tie(at, reference, force); }
  void violation(const auto& z, auto& out) const { out(force) += z(at) - z(reference); }
  void flow(const auto& z, auto& out) const { out(reference) += z(force); }  // undoes Φ_qᵀλ there
};

/// Of a slider or a shaft.
void build_motion(Build& b, Extent extent);

}  // namespace escapement::translational

extern template struct escapement::Adaptor<escapement::translational::MotionByLaw>;
extern template struct escapement::Adaptor<escapement::translational::ReferenceFilter>;
extern template struct escapement::Adaptor<escapement::translational::MotionByReference>;
