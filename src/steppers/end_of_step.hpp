// What the equations say at the end of a variational step, where positions, momenta and stores are known: velocities from momenta,
// then v̇, λ, μ, states and signals (T-node). Discrete Lagrangians carry q, p and s alone from step to step.
#pragma once
#include "core/start_problem.hpp"
#include "core/state_rows.hpp"

namespace escapement {

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

class EndOfStep {
 public:
  struct Options {
    double proximal = 0;
    NewtonOptions newton;
    /// A new matrix at every end: steps that all take the same time, rather than some that take less and some that take more.
    bool renew_always = false;
    /// Rows of constraints, from the first one on, that are soft, neither rigid nor open: their impulses and multipliers are
    /// given. Empty: none is.
    std::vector<char> soft;
  };
  EndOfStep(const System& system, Options options);
  ~EndOfStep();

  /// At a start: which rows say what.
  void begin(const State& state);

  /// How states follow from stores s: by store(z) + weight · flow(z) = s, and then s and its rate are those of the solution
  /// (T-variational-6). Or, from flows that are known, by store(z) = s; where that does not determine the states, by
  /// store(z) + weight · (flow(z) − flow) = s (T-node-3).
  struct StoreRule {
    double weight = 0;                  // s
    std::span<const double> flow = {};  // by row
    bool implicit() const { return flow.empty(); }
  };
  /// What a step arrives with, beside positions and stores.
  struct Arrival {
    std::span<const double> momentum;  // before the impulses of the constraints
    std::span<const double>
        gradient;  // Φ_qᵀ in the columns of the multipliers, Φ_q in those of the positions
    StoreRule stores;
    std::span<const double>
        soft_impulses;  // from the first constraint on; of those that are not soft: not looked at
    double softening =
        0;  // > 0: constraints that pull against each other give way by so much of Φ_q M⁻¹ Φ_qᵀ (T-spook-6)
  };
  /// Where velocities are known, and nothing else yet.
  class Moving {
   public:
    const NewtonReport& report() const { return report_; }
    /// Λ and M of the constraints, by row, and k_vᵀ in the columns of the multipliers.
    std::span<const double> impulses() const;
    std::span<const double> slip_gradient() const;
    /// v̇, x, y, λ, μ from q, v and the stores (T-node-2); those of the state are the guess. Its delays are asked.
    NewtonReport solve_rates(std::span<const double> soft_multipliers) &&;

   private:
    friend class EndOfStep;
    Moving(EndOfStep& end, State& state, NewtonReport report)
        : end_(end), state_(state), report_(std::move(report)) {}
    EndOfStep& end_;
    State& state_;
    NewtonReport report_;
  };
  /// v of `state` such that p(q, v) + Φ_qᵀΛ + k_vᵀM = momentum and Φ̇ = 0, k = 0 (T-node-1); from the v predicted so far,
  /// which stays where nothing has mass. What `arrival` refers to must last until the rates are solved.
  Moving solve_velocities(State& state, const Arrival& arrival);

  /// Positions by row that neither mass nor constraints act on; empty: none.
  const std::vector<char>& massless() const { return massless_; }
  bool has_momentum(int row) const { return has_momentum_[row]; }
  /// Do rows of positions hold accelerations that are no rates of a momentum?
  bool own_masses() const { return own_masses_; }
  const StateRows& state_rows() const { return state_rows_; }
  /// Unknowns that act on stores like impulses (T-node-3).
  const std::vector<int>& impulsive() const { return impulsive_; }
  bool any_soft() const { return !options_.soft.empty(); }
  bool is_soft(int row) const { return any_soft() && options_.soft[row - first_multiplier_]; }
  long pivotings() const { return velocity_newton_.pivotings() + rate_newton_.pivotings(); }
  void archive(Archive& a);

 private:
  class Velocities;
  class Rates;
  void find_momenta(const State& state);
  void mix_stores(const State& state);
  void add_proximal_to(std::span<double> values);
  void give_way(std::span<double> r, std::span<const double> load) const;
  NewtonReport solve_rates(State& state);
  void follow_stores(State& state);
  bool has_others() const { return first_multiplier_ > positions_; }  // states, signals
  bool separable(std::span<const double> values) const;
  bool solve_rates_by_the_same_matrix(NewtonReport& report);
  /// Φ̇ is affine in v, and Φ̈ in v̇: evaluated once, and moved along Φ_q. Not so k and k̇.
  bool moves_along() const { return system_.rows(Kind::nonholonomic).size() == 0; }
  bool is_stored(int row) const;

  const System& system_;
  Options options_;
  StartOptions start_options_;
  int positions_, first_multiplier_;
  StateRows state_rows_;
  std::vector<int> impulsive_;
  std::vector<char> massless_, has_momentum_;
  std::vector<char> open_, now_open_;  // rows, lately and now
  bool own_masses_ = false, stored_ = false;
  double implicit_weight_ = 0;    // that the matrix of the rates is for …
  double expected_weight_ = 0;    // … and that of the velocities, which may serve the rates
  bool one_matrix_ = false;       // does the matrix of the velocities hold for the rates, too?
  bool fresh_ = false;            // is it of this end?
  int pause_ = 0, back_off_ = 1;  // how many ends are left without trying, after it did not
  std::vector<double> epsilon_;   // Φ_q M⁻¹ Φ_qᵀ of each constraint, of the first matrix
  Arrival arrival_;
  std::vector<double> soft_multipliers_;
  State at_;  // the end, while it is worked on
  Newton velocity_newton_, rate_newton_;
  std::unique_ptr<Velocities> velocities_;
  std::unique_ptr<Rates> rates_;
  std::vector<double> flow_;
  std::vector<double> increment_;                         // of solve_rates_by_the_same_matrix() …
  std::vector<double> guess_value_, guess_acceleration_;  // … and where it began
};

}  // namespace escapement
