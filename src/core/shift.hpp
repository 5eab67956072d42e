// Shift: from stepper (or analysis) to assembly. Says along which combination of q, v, v̇ the unknown of a
// position row moves, how state rows weigh store and flow, and how constraint rows are taken (T-shift-1).
#pragma once

namespace escapement {

struct Shift {
  // d(q, v, v̇)/d(unknown) of positions: tangent = ∂R/∂q·T(u)·position + ∂R/∂v·velocity + ∂R/∂v̇·acceleration.
  double position = 0;
  double velocity = 0;
  double acceleration = 0;
  // Position rows are  momentum·p + momentum_rate·(dp/dt and what turns with the frame) + force·(flow − ∂T/∂q)
  // + reaction·(Φ_qᵀλ + k_vᵀμ). The balance of forces takes the last three; a discrete Lagrangian p and forces (T-variational-2).
  double momentum = 0;
  double momentum_rate = 1;
  double force = 1;
  double reaction = 1;
  // State rows are  store·s(z) + flow·f(z)  (the stepper subtracts its history).
  double store = 0;
  double flow = 1;
  double store_rate = 0;  // of d/dt store along q, v, t alone (consistent start)
  // Constraint rows: Φ and k times a factor; or, for the consistent start, Φ̈ and k̇ (linear in v̇).
  bool constraint_accelerations = false;
  double holonomic_scale = 1;
  double nonholonomic_scale = 1;

  /// d/dt p + F + Φ_qᵀλ, as it stands.
  bool balances() const { return momentum == 0 && momentum_rate == 1 && force == 1 && reaction == 1; }

  /// The classical matrices: K = ∂R/∂q, C = ∂R/∂v, M = ∂R/∂v̇ with unscaled rows.
  static Shift stiffness() { return {.position = 1}; }
  static Shift damping() { return {.velocity = 1}; }
  static Shift mass() { return {.acceleration = 1}; }
  /// p alone, of the positions.
  static Shift momenta() { return {.momentum = 1, .momentum_rate = 0, .force = 0, .reaction = 0}; }
  /// Store and flow tangents of state rows: E and A of  E ẋ + A x = 0.
  static Shift stores() { return {.store = 1, .flow = 0}; }
};

}  // namespace escapement
