// Looks, while a mechanism moves, for positions in which constraints come to depend on each other (T-singular).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyses/run_log.hpp"
#include "core/newton.hpp"
#include "sparse/soft_directions.hpp"

namespace escapement {

struct SingularPosition {
  double time;
  std::vector<int> rows;    // of the constraints that depend on each other there, the largest part first
  std::vector<int> motion;  // rows of the positions that can move freely there
};

class SingularityWatch {
 public:
  /// `redundant`: this many constraint equations depend on the others everywhere.
  SingularityWatch(const System& system, int redundant, RunLog& log);
  /// After a step: the position that has just been passed, if there was one, is an event and reported.
  void look(const State& state);
  void archive(Archive& a) {
    a(soft_, past_, next_, scale_, steps_, next_look_, told_);
    if (gradients_) a(*gradients_);
  }

 private:
  struct Past {  // of one direction: its last two eigenvalues
    double time[2] = {0, 0}, value[2] = {0, 0};
    int seen = 0;
    void archive(Archive& a) { a(time[0], time[1], value[0], value[1], seen); }
  };
  std::optional<SingularPosition> just_passed(const State& state);
  void tell(const SingularPosition& position);
  bool factor(const State& state);
  void measure(std::span<const double> values);
  std::optional<SingularPosition> passed(const Past& past, double t, double mu,
                                         const SoftDirections::Pair& pair) const;

  const System& system_;
  RunLog& log_;
  int redundant_;
  double least_;                     // ε of (T-singular-4)
  std::optional<Newton> gradients_;  // their matrix, factored; none: there is nothing to look at
  SoftDirections soft_;
  std::vector<Past> past_, next_;
  std::vector<double> scale_, row_;
  std::vector<double> magnitude_;  // N, by position row
  long steps_ = 0, next_look_ = 4;
  int told_ = 0;  // positions reported
};

}  // namespace escapement
