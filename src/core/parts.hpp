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
/// Slopes are along the positions where there are any, else along all unknowns.
template <class L, bool rates, bool stores>
struct HandParts {
  static constexpr int columns = L::positions > 0 ? L::positions : L::rows;
  static constexpr int entries = L::rows * columns;
  /// Room for the slopes; zero.
  struct Slopes {
    std::array<double, entries> K{};
    std::array<double, rates ? entries : 0> C{}, M{};
    std::array<double, stores ? entries : 0> stored{};
  };
  double* flow_rows;
  double* store_rows;  // null: nothing is stored
  Slopes* all;         // null: not wanted

  bool slopes() const { return all != nullptr; }
  double& row(int i) const { return flow_rows[i]; }
  double* rows() const { return flow_rows; }
  double& stiffness(int i, int j) const { return all->K[i * columns + j]; }
  double& damping(int i, int j) const { return all->C[i * columns + j]; }
  double& mass(int i, int j) const { return all->M[i * columns + j]; }
  double* K() const { return all->K.data(); }
  double* C() const { return all->C.data(); }
  /// Of unknowns of one number each: what drains, what is stored, and their slopes.
  template <class H>
  double& flow(const H& h) const {
    return flow_rows[h.local_row];
  }
  template <class H, class Along>
  double& flow(const H& h, const Along& along) const {
    return stiffness(h.local_row, along.local_row);
  }
  template <class H>
  double& store(const H& h) const {
    return store_rows[h.local_row];
  }
  template <class H, class Along>
  double& store(const H& h, const Along& along) const {
    return all->stored[h.local_row * columns + along.local_row];
  }
};

}  // namespace escapement
