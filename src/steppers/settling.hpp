// Settling: steps right after a start or a jump that excites what they cannot resolve take four implicit stages instead of the
// recursion (T-settle). Here: the stages' numbers, what is remembered of a jump, and the test whether steps resolve it.
#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "core/system.hpp"
#include "sparse/linear_solver.hpp"

namespace escapement {

/// Singly diagonally implicit, of second order, L-stable, and the last stage is the end of the step (T-settle-2).
struct SettlingStages {
  static constexpr int count = 4;
  static constexpr double gamma = 0.46;
  std::array<std::array<double, count>, count> a;  // row i: weights of the rates of stages 0 … i
  std::array<double, count> c;                     // times of the stages, in steps
};
const SettlingStages& settling_stages();

/// What jumped last, or began: v̇ and ṡ, and whether steps of a size that was looked at resolve it.
struct Excitation {
  double time = -INFINITY;
  std::vector<double> acceleration, rate;  // jumps of v̇ of positions and of ṡ of states
  double judged = 0;                       // s: the step that the judgement is for; 0: none yet
  bool unresolved = false;

  void start(double t, std::span<const double> v_dot, std::span<const double> s_dot);
  /// One more jump. At the same time they add up; of one that steps are still settling, the larger counts.
  void add(double t, std::span<const double> v_dot, std::span<const double> s_dot);
  void archive(Archive& a) { a(time, acceleration, rate, judged, unresolved); }
};

/// Does a step leave what has jumped as it is, or is part of it so fast that it is over within the step (T-settle-1)?
class ExcitationTest {
 public:
  struct Options {
    double proximal = 0;
    bool mechanics_damped = true, states_damped = true;  // false: what oscillates goes on (ρ∞ = 1)
  };
  ExcitationTest(const System& system, Options options);
  bool unresolved(const State& state, double h, const Excitation& jump);
  void archive(Archive& a);

 private:
  void make_room();
  bool respond(const State& state, double h, const Excitation& jump);
  bool unresolved_motion(double h, const Excitation& jump);
  bool unresolved_states();

  const System& system_;
  Options options_;
  std::unique_ptr<LinearSolver> solver_;
  std::vector<double> matrix_, at_once_, stores_;  // S, its part without feedback, what states store
  std::vector<double> response_, stored_, flowed_, work_, epsilon_;
  std::vector<int> part_of_row_;  // what has nothing to do with a jump has no say in it
  std::vector<double> largest_, turning_, along_, square_;  // of each part
};

}  // namespace escapement
