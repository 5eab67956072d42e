// A PID controller with a filtered derivative.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::control {

/// command = kp (b r − y) + I + D + feedforward,  İ = ki (r − y),  D filtered: d/dt (τ D − kd (c r − y)) + D = 0.
/// The store of D keeps its own input, so D starts at its given value whatever the signals start at.
struct Pid {
  Signal<1> setpoint, measurement, feedforward, command;
  StateVariable<1> integral, derivative;  // parts of the command; ground where there is none
  double kp, ki, kd;
  double derivative_filter;                            // s
  double setpoint_weight, derivative_setpoint_weight;  // b, c

  static constexpr int outputs = 3;  // proportional, integral, derivative
  auto variables() const {
    return std::tie(setpoint, measurement, feedforward, command, integral, derivative);
  }
  auto proportional(const auto& z) const { return kp * (setpoint_weight * z(setpoint) - z(measurement)); }
  void store(const auto& z, auto& out) const {
    out(integral) += z(integral);
    out(derivative) +=
        derivative_filter * z(derivative) - kd * (derivative_setpoint_weight * z(setpoint) - z(measurement));
  }
  void flow(const auto& z, auto& out) const {
    out(integral) -= ki * (z(setpoint) - z(measurement));
    out(derivative) += z(derivative);
    out(command) += z(command) - proportional(z) - z(integral) - z(derivative) - z(feedforward);
  }
  auto output(const auto& z, int index) const {
    return index == 0 ? proportional(z) : index == 1 ? z(integral) : z(derivative);
  }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::Pid>;
