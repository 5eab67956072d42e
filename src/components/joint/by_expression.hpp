// Constraints by expressions of where two frames are (holonomic) and how they move (nonholonomic).
#pragma once
#include "core/adaptor.hpp"
#include "model/expression.hpp"

namespace escapement::joint {

/// Position (world), quaternion; with velocities also velocity (world) and angular velocity (axes of the frame).
template <class S>
void append_frame(const auto& z, const Pose& at, const Frame<double>& on_body, bool velocities,
                  std::vector<S>& to) {
  const Frame<S> body = z(at);
  const Rotation<S> axes = as<S>(on_body.R);
  const Vec3<S> arm = as<S>(on_body.x), x = body * arm;
  const Rotation<S> q = body.R * axes;
  for (int i = 0; i < 3; ++i) to.push_back(x[i]);
  to.push_back(q.w);
  for (int i = 0; i < 3; ++i) to.push_back(q.u[i]);
  if (!velocities) return;
  const Vec3<S> w = z.angular_velocity(at), v = z.linear_velocity(at) + body.R * cross(w, arm);
  const Vec3<S> turning = axes.inverse() * w;
  for (int i = 0; i < 3; ++i) to.push_back(v[i]);
  for (int i = 0; i < 3; ++i) to.push_back(turning[i]);
}

/// Φ(frames, t) = 0.
struct ConstraintByExpression {
  Pose a, b;
  Multiplier<1> load;
  Frame<double> on_a, on_b;
  std::shared_ptr<const Expression> law;

  auto variables() const { return std::tie(a, b, load); }
  void violation(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    thread_local std::vector<S> inputs;
    inputs.assign(1, z.t);
    append_frame<S>(z, a, on_a, false, inputs);
    append_frame<S>(z, b, on_b, false, inputs);
    out(load) += law->evaluate<S>(inputs);
  }
};

/// k(frames, velocities, t) = 0.
struct SlipByExpression {
  Pose a, b;
  SlipMultiplier<1> load;
  Frame<double> on_a, on_b;
  std::shared_ptr<const Expression> law;

  auto variables() const { return std::tie(a, b, load); }
  void slip(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    thread_local std::vector<S> inputs;
    inputs.assign(1, z.t);
    append_frame<S>(z, a, on_a, true, inputs);
    append_frame<S>(z, b, on_b, true, inputs);
    out(load) += law->evaluate<S>(inputs);
  }
};

}  // namespace escapement::joint

extern template struct escapement::Adaptor<escapement::joint::ConstraintByExpression>;
extern template struct escapement::Adaptor<escapement::joint::SlipByExpression>;
