// Positions and velocities on the constraints: checked, or moved there; what impulses do; what regularises constraints that
// depend on each other (T-start-1, T-impact-3, T-proximal).
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "sparse/linear_solver.hpp"

namespace escapement {

class Newton;

/// What stays where it is while the rest is moved onto the constraints; by row, empty: nothing.
struct FixedUnknowns {
  std::vector<char> position, rate;
};

struct StartOptions {
  bool project = false;         // move q and v onto the constraints instead of refusing
  bool check = true;            // examine Φ = 0, Φ̇ = 0, k = 0
  double tolerance = 1e-8;      // allowed violation, relative to the row's nominal magnitude
  bool keep_stores = false;     // x from the stored s, instead of s from x (jumps in mid run)
  double proximal = 0;          // regularisation for redundant constraints (0: they are refused)
  FixedUnknowns kept = {};      // by projection
  bool operating_point = true;  // states that start steady are found, whatever their value
  bool hold_massless =
      false;  // positions without mass may have an acceleration that nothing determines: zero
};

/// How far a variable was moved from one state to another.
struct Moved {
  std::string name, unit;
  double position = 0, angle = 0;  // a distance or coordinate (in `unit`); of frames also an angle (rad)
  double rate = 0, turning = 0;    // largest changes of their rates
  double relative = 0;             // the largest of all, over nominal magnitudes
};
/// Every position that differs by more than `least` (relative to nominal magnitudes), the farthest first.
std::vector<Moved> moved(const System& system, const State& from, const State& to, double least);

/// Throws ModelError E-START naming the constraint that q or v violate.
void check_constraints(const System& system, const State& state, const StartOptions& options);
/// Moves q and then v onto the constraints, by the least mass-weighted distance. Throws ModelError E-START if there is no
/// way.
void project(const System& system, State& state, const StartOptions& options);
/// … q alone: velocities stay, whatever the constraints want of them.
void project_positions(const System& system, State& state, const StartOptions& options);
/// As the options say: one or the other.
void check_or_project(const System& system, State& state, const StartOptions& options);
/// With regularised multipliers Newton may settle although some constraints cannot hold: throws ModelError E-REDUNDANT.
void refuse_contradiction(const System& system, const State& state);
void refuse_contradiction(const System& system, const State& state, std::span<double> work);

/// The increment of the positions' rates of least M-norm that changes the constraint rows by −rows, M⁻¹Φ_qᵀ(Φ_q M⁻¹Φ_qᵀ)⁻¹,
/// and at the constraint rows the impulses that cause it.
std::vector<double> constrained_increment(const System& system, const State& state,
                                          std::span<const double> rows, const StartOptions& options);

class Projector;
/// The same again and again, in the room of the first time.
class ConstrainedIncrement {
 public:
  ConstrainedIncrement(const System& system, const StartOptions& options);
  ~ConstrainedIncrement();
  /// Valid until the next one.
  std::span<const double> find(const State& state, std::span<const double> rows);
  long pivotings() const;
  void archive(Archive& a);

 private:
  std::unique_ptr<Projector> projector_;
};

/// The increment of the positions' rates that impulses at these rows cause, through the constraints, if they bring the rates
/// of the rows to these values: M Δv + Φ_qᵀΛ = P, Φ_q Δv = 0 (T-impact-3). Throws ModelError E-EVENT for a rate that constraints
/// hold.
std::vector<double> impulsive_increment(const System& system, const State& state, std::span<const int> rows,
                                        std::span<const double> rates, const StartOptions& options);

/// ε_i of the constraint rows: proximal × an estimate of Φ M⁻¹ Φᵀ of that row, from an iteration matrix (T-proximal); of
/// constraints that come and go, and may then depend on others, at least 1e-9. Empty: none is needed.
std::vector<double> proximal_diagonal(const System& system, double proximal, std::span<const double> values);
/// The same, reusing the memory.
void set_proximal_diagonal(const System& system, double proximal, std::span<const double> values,
                           std::vector<double>& epsilon);
/// Rows and columns of the identity for what stays where it is.
void hold(const System& system, std::span<const char> rows, std::span<double> values);
/// Positions, by row, that no mass and no constraint acts on; empty: none.
std::vector<char> massless_positions(const System& system, const State& state);
/// Positions, by row, whose acceleration no row determines: they have no mass, and constraints do not settle them. Empty: none.
/// Again and again, in the room of the first time.
class UndeterminedPositions {
 public:
  UndeterminedPositions();
  ~UndeterminedPositions();
  void find(const System& system, const State& state, double proximal, std::vector<char>& held);
  void archive(Archive& a);

 private:
  bool determined_without(const System& system, std::span<const char> held);
  std::vector<double> rows_, mass_, forces_, values_, epsilon_;
  std::vector<char> light_, free_, still_;
  std::vector<char> known_light_, known_free_, known_;  // what was found the last time, and for what
  std::unique_ptr<Newton> newton_;
  Factorization last_;
};
/// −ε_i on the multiplier diagonal; nothing for an empty ε.
void add_proximal(const System& system, std::span<const double> epsilon, std::span<double> values);

}  // namespace escapement
