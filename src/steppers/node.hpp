// What the equations say at one instant, where positions, momenta and stores are known: velocities from momenta, then v̇, λ, μ,
// states and signals (T-node). Discrete Lagrangians carry q, p and s alone from step to step.
#pragma once
#include "core/start_problem.hpp"
#include "core/state_rows.hpp"

namespace escapement {

/// What a constraint does at a node where it is neither rigid nor open: its impulse and its multiplier are given.
struct SoftRow {
  double impulse = 0, multiplier = 0;
};

/// r += Φ_q · change, in the rows of holonomic constraints; `gradient`: Φ_q in the columns of the positions.
template <class Change>
void add_along_constraints(const System& system, std::span<const double> gradient, const Change& change,
                           std::span<double> r) {
  const Pattern& p = system.pattern();
  const Range rows = system.rows(Kind::holonomic);
  for (int j = 0; j < system.rows(Kind::position).end; ++j) {
    const double by = change(j);
    for (int k = p.column_begin[j + 1] - 1; k >= p.column_begin[j] && p.row[k] >= rows.begin; --k)
      if (p.row[k] < rows.end) r[p.row[k]] += gradient[k] * by;
  }
}

class NodeEquations {
 public:
  NodeEquations(const System& system, double proximal, NewtonOptions newton);
  ~NodeEquations();

  /// A new matrix at every node: steps that all take the same time, rather than some that take less and some that take more.
  void renew_always() { velocity_newton_.options().keep_matrix = false; }
  /// At a start: which rows say what.
  void begin(const State& state);
  /// Rows, from the first holonomic one on, that are soft: set before velocities() and rates(). Empty: none.
  std::vector<char> soft;
  std::vector<SoftRow> soft_rows;
  /// > 0: constraints that pull against each other give way by so much of Φ_q M⁻¹ Φ_qᵀ (T-spook-6).
  double softening = 0;

  /// Before both: what rates() will be told, so that one matrix may serve velocities and rates.
  void expect(double small, std::span<const double> flow);
  /// v of `node` such that p(q, v) + Φ_qᵀΛ + k_vᵀM = momentum and Φ̇ = 0, k = 0 (T-node-1); from the prediction v that is there,
  /// which stays where nothing has mass. `gradient`: Φ_qᵀ at the node, in the columns of the multipliers. Leaves Λ in impulses().
  NewtonReport velocities(State& node, std::span<const double> momentum, std::span<const double> gradient);
  std::span<const double> impulses() const { return impulse_; }
  /// k_vᵀ of the node, in the columns of the multipliers.
  std::span<const double> slip_gradient() const { return slip_; }
  /// v̇, x, y, λ, μ of `node` from q, v and the stores (T-node-2); its own are the guess. Where stores do not determine the states
  /// a step `small` does, from the flows given. After velocities(), whose gradient still stands.
  NewtonReport rates(State& node, double small, std::span<const double> flow);
  /// The same with store(z) + weight · flow(z) = its stores, which are then those of the solution (T-variational-6), as are their rates.
  NewtonReport implicit_rates(State& node, double weight);

  /// Positions by row that neither mass nor constraints act on; empty: none.
  const std::vector<char>& massless() const { return massless_; }
  bool has_momentum(int row) const { return has_momentum_[row]; }
  /// Do rows of positions hold accelerations that are no rates of a momentum?
  bool own_masses() const { return own_masses_; }
  const StateRows& state_rows() const { return state_rows_; }
  /// Unknowns that act on stores like impulses (T-node-3).
  const std::vector<int>& impulsive() const { return impulsive_; }
  long pivotings() const { return velocity_newton_.pivotings() + rate_newton_.pivotings(); }
  void archive(Archive& a);

 private:
  class Velocities;
  class Rates;
  void add_proximal_to(std::span<double> values);
  void give_way(std::span<double> r, std::span<const double> load) const;
  bool has_others() const { return first_multiplier_ > positions_; }  // states, signals
  void rates_tangent(std::span<double> r, std::span<double> values);
  bool separable(std::span<const double> values) const;
  bool solve_rates_by_the_same_matrix(NewtonReport& report);
  /// Φ̇ is affine in v, and Φ̈ in v̇: evaluated once per node, and moved along Φ_q. Not so k and k̇.
  bool moves_along() const { return system_.rows(Kind::nonholonomic).size() == 0; }
  bool is_soft(int row) const { return !soft.empty() && soft[row - first_multiplier_]; }

  const System& system_;
  StartOptions options_;
  int positions_, first_multiplier_;
  StateRows state_rows_;
  std::vector<int> impulsive_;
  std::vector<char> massless_, has_momentum_, open_, now_open_;
  bool own_masses_ = false, stored_ = false;
  double implicit_weight_ = 0, expected_ = 0;
  bool one_matrix_ = false;       // does the matrix of the velocities hold for the rates, too?
  bool fresh_ = false;            // is it of this node?
  int pause_ = 0, back_off_ = 1;  // so many nodes without trying, after it did not
  State at_;                      // the node, while it is worked on
  Newton velocity_newton_, rate_newton_;
  std::unique_ptr<Velocities> velocities_;
  std::unique_ptr<Rates> rates_;
  std::vector<double> epsilon_;  // Φ_q M⁻¹ Φ_qᵀ of each constraint, of the first matrix
  std::vector<double> impulse_, predicted_, values_, other_values_, rows_, other_, rate_rows_, slip_,
      own_mass_, weights_, increment_, guess_value_, guess_acceleration_, rate_base_, acceleration_base_,
      base_acceleration_;
  std::span<const double> gradient_;  // Φ_q of the node
};

}  // namespace escapement
