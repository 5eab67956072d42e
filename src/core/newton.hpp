// Newton's method with a lagged factorisation, controlled by its own contraction rate (T-newton).
// It never reports convergence it has not measured, and it names the rows it fails on.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "sparse/linear_solver.hpp"

namespace escapement {

struct NewtonOptions {
  double tolerance = 1e-10;  // remaining error, relative to each unknown's nominal magnitude
  int max_iterations = 20;
  double slow = 0.2;              // contraction above which the matrix is renewed at once
  bool keep_matrix = true;        // false: every solve starts with a new one
  int patience = 3;               // iterations beyond which an old matrix has not paid off
  bool undamped_at_last = false;  // go on without shortening (T-newton-5); always in networks
};

/// What Newton needs of its caller. `increment` may be longer than the residual (projection unknowns).
class NewtonProblem {
 public:
  virtual ~NewtonProblem() = default;
  virtual void residual(std::span<double> r) = 0;
  virtual void tangent(std::span<double> r, std::span<double> values) = 0;
  /// Unknowns += scale · increment.
  virtual void move(std::span<const double> increment, double scale) = 0;
  /// Weight of each increment: its inverse nominal magnitude. The norm is the largest weighted increment.
  virtual std::span<const double> weights() const = 0;
  /// |unknowns|, and rounding in them that the matrix does not show (absolute): from these and the matrix follows, when
  /// increments stagnate, what rounding alone can move (T-newton-3).
  virtual void magnitudes(std::span<double> size, std::span<double> noise) const = 0;
  /// Increments above these are too large, however small by their weights, where rounding allows less (T-scale-2); empty: none are.
  virtual std::span<const double> most_left_over() const { return {}; }
  /// What rounding of all that a row depends on is as large as, as a size of its unknowns.
  virtual void rounded_sizes(std::span<double> size) const { (void)size; }
  /// Adds what the rounding of positions does to each row, absolute: stiff forces round by more than what they accelerate.
  virtual void add_rounding(std::span<double> rows) { (void)rows; }
  /// Fills increments beyond the linear system's unknowns (stabilised index 2); r is the residual just solved for.
  virtual void complete(LinearSolver&, std::span<const double> r, std::span<double> increment) {
    (void)r, (void)increment;
  }
};

enum class NewtonStatus { converged, no_convergence, singular, not_finite };

struct NewtonReport {
  NewtonStatus status = NewtonStatus::converged;
  int iterations = 0;
  int factorizations = 0;
  double contraction = 0;  // last measured rate
  double increment = 0;    // last weighted increment, in units of the tolerance
  std::vector<int> loop;  // of a singular matrix: a circle of signals that determine each other (signal_loop)
  struct Worst {
    int row;
    double residual, increment;
  };
  std::vector<Worst> worst;        // on failure: the five worst rows, or the dependent set
  std::vector<double> increments;  // on failure: weighted, iteration by iteration
  bool ok() const { return status == NewtonStatus::converged; }
};

class Newton {
 public:
  /// Allocates everything; solves do not allocate unless they fail. `extra`: increments beyond the n unknowns.
  Newton(const Pattern& pattern, int extra, NewtonOptions options, std::span<const int> order = {});
  /// In the order of elimination that suits the system's constraints.
  Newton(const System& system, int extra, NewtonOptions options);
  NewtonReport solve(NewtonProblem& problem);
  /// Forgets the factorisation (the matrix has changed by more than a little).
  void invalidate() { factored_ = false; }
  bool factored() const { return factored_; }
  /// What rounding can move the unknowns of a problem just solved by.
  void rounding(NewtonProblem& problem, std::span<double> floors);
  LinearSolver& solver() { return *solver_; }
  long pivotings() const { return solver_->pivotings(); }
  std::span<double> matrix() { return values_; }
  /// Factors whatever was written to matrix().
  Factorization factor();
  NewtonOptions& options() { return options_; }
  void archive(Archive& a) {
    a(values_, floor_, floors_good_for_, factored_, slowest_, fresh_solves_, back_off_);
    if (values_.size() != static_cast<std::size_t>(solver_->pattern().nonzeros()) ||
        floor_.size() != static_cast<std::size_t>(n_))
      throw ArchiveError("a matrix of another system");
    solver_->archive(a, values_);
  }

 private:
  /// Are increments shortened where they do not shrink? Always, unless a jump lies on the way, or never.
  enum class Damping { always, except_at_jumps, never };
  struct Course;
  NewtonReport attempt(NewtonProblem& problem, Damping damping);
  bool begin(NewtonProblem& problem, Course& course);
  void look_at_increment(NewtonProblem& problem, Course& course);
  bool mend(NewtonProblem& problem, Course& course);
  bool has_converged(const Course& course) const;
  bool can_be_refined(NewtonProblem& problem, Course& course);
  void judge_old_matrix(const Course& course);
  bool go_on(NewtonProblem& problem, Course& course, bool refine);
  void move(NewtonProblem& problem, std::span<const double> increment, double scale);
  bool renew(NewtonProblem& problem, NewtonReport& report);
  bool refactor(NewtonProblem& problem, NewtonReport& report);
  double next_increment(NewtonProblem& problem);
  bool jumped(NewtonProblem& problem);
  bool turned_back(NewtonProblem& problem) const;
  bool secant_step(NewtonProblem& problem, double rate, NewtonReport& report);
  bool damped_step(NewtonProblem& problem, NewtonReport& report);
  double weighted(NewtonProblem& problem) const;
  void estimate_floors(NewtonProblem& problem, double least);
  bool below_floor(NewtonProblem& problem);
  double coarseness(NewtonProblem& problem);
  void fail(NewtonProblem& problem, NewtonReport& report, NewtonStatus status) const;
  bool finite() const;

  NewtonOptions options_;
  int n_;
  std::unique_ptr<LinearSolver> solver_;
  std::vector<double> values_, residual_, increment_, previous_, moved_;
  std::vector<double> norms_;                // of the increments, iteration by iteration
  std::vector<double> floor_, size_, rows_;  // rounding in each unknown; work
  int floors_good_for_ = 0;                  // solves until it is estimated again
  bool factored_ = false;
  double slowest_ = 0;                   // contraction of the present matrix: the slowest lately
  int fresh_solves_ = 0, back_off_ = 1;  // solves still to start with a new matrix; how many next time
};

/// "no convergence in 20 iterations; largest residual: row `pump.outlet` (mass balance) 3.2e-1; …"
std::string describe(const NewtonReport& report, const System& system);

}  // namespace escapement
