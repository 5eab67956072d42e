// Parts: what an element hands over that writes its rows and slopes itself. It knows neither the scheme nor the size of a step: the
// core weighs the parts (by_hand.cpp, dynamic.cpp).
#pragma once
#include "core/local.hpp"

namespace escapement {

struct Parts {
  /// On plain arrays, zero beforehand: `row`, and its slopes K along the unknowns, C along the velocities and M along the
  /// accelerations of positions, row by row with n columns each. Null: not wanted.
  struct Part {
    double* row = nullptr;
    double *K = nullptr, *C = nullptr, *M = nullptr;
  };
  int n = 0;      // rows and columns
  Part flow;      // what drains: forces, rates of states, definitions of signals; Φ and k of constraints
  Part reaction;  // Φ_qᵀλ + k_vᵀμ, in the rows of positions
  Part store;     // what state rows accumulate …
  Part rate;      // … and its rate along positions, velocities and time; only a start asks for it
  bool only_stores = false;  // nothing else is wanted, perhaps at a point that means nothing
  bool slopes() const { return flow.K != nullptr; }
};

/// The parts of an element of fixed size that offers `by_hand`, by its handles or by local numbers (positions first). In the rows of
/// positions stands
///   of inertia with its weight  d/dt p and the weight together; `rates` are offered, and M is the mass matrix
///   of forces                   what drains
///   of constraints              their reaction Φ_qᵀλ + k_vᵀμ; the columns of the multipliers follow from their rows.
template <class L>
struct HandParts {
  Parts& parts;

  bool slopes() const { return parts.slopes(); }
  double& row(int i) const { return parts.flow.row[i]; }
  double* rows() const { return parts.flow.row; }
  double& stiffness(int i, int j) const { return parts.flow.K[i * L::rows + j]; }
  double& damping(int i, int j) const { return parts.flow.C[i * L::rows + j]; }
  double* K() const { return parts.flow.K; }
  double* C() const { return parts.flow.C; }
  double& mass(int i, int j) const { return parts.flow.M[i * L::rows + j]; }
  /// Of unknowns of one number each: what drains, what is stored, and their slopes.
  template <class H>
  double& flow(const H& h) const {
    return parts.flow.row[h.local_row];
  }
  template <class H, class C>
  double& flow(const H& h, const C& along) const {
    return stiffness(h.local_row, along.local_row);
  }
  template <class H>
  double& store(const H& h) const {
    return parts.store.row[h.local_row];
  }
  template <class H, class C>
  double& store(const H& h, const C& along) const {
    return parts.store.K[h.local_row * L::rows + along.local_row];
  }
};

}  // namespace escapement
