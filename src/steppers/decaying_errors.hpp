// Errors that every step makes again do not all add up: what decays forgets them (T-error-5, T-error-10).
#pragma once
#include <memory>

#include "core/system.hpp"
#include "sparse/linear_solver.hpp"

namespace escapement {

class DecayingErrors {
 public:
  explicit DecayingErrors(const System& system);
  /// Of errors of states, by row, this is left at the end of the horizon, per share of it: into left(). `step`: with the matrix of
  /// the step that ends here. False where the errors oscillate, which that would take for decay.
  bool of_states(const State& end, LinearSolver& step, std::span<const double> errors, double horizon);
  /// The same of errors of velocities; what swings and so does not decay goes into swinging().
  bool of_velocities(const State& end, LinearSolver& step, std::span<const double> errors, double horizon);
  std::span<const double> left() const { return left_; }
  std::span<const double> swinging() const { return swinging_; }
  void archive(Archive& a);

 private:
  void make_room();
  void only_states(std::vector<double>& x) const;
  /// One implicit step, with a matrix whose part of the stores is in part_: x := matrix⁻¹ part_ x.
  void step_of(LinearSolver& solver, std::vector<double>& x);
  double energy(std::span<const double> x, std::span<const double> y);
  bool oscillates(LinearSolver& step, std::span<const double> errors);
  std::span<const double> product(const State& at, const Shift& part, std::span<const double> x);

  const System& system_;
  Range states_;
  int positions_;
  std::unique_ptr<LinearSolver> solver_;  // over the horizon; none before it is needed
  std::vector<double> matrix_;            // that it has factored
  std::vector<char> held_;                // rows that are no state's or signal's
  std::vector<double> part_;              // of a matrix: E, or M, C, K
  std::vector<double> left_, swinging_;
  std::vector<double> after_[3];              // errors after three, four and five steps
  std::vector<double> difference_, product_;  // of these; part_ times something
  std::vector<double> unused_;                // rows that come with a matrix
};

}  // namespace escapement
