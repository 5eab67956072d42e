// The path of equilibria R(z, s) = 0 of a model with a parameter s, also where it turns back (T-path).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "analyses/equilibrium.hpp"

namespace escapement {

/// The model at a value of the parameter; always with the same unknowns.
using ModelAt = std::function<Assembly(double parameter)>;

/// What a path may be controlled by: a coordinate, a load …
using PathMeasure = std::function<double(const Assembly& assembly, const State& state)>;

struct PathPoint {
  double parameter = 0;
  State state;
  std::vector<double> direction;  // of the path, by row; with `slope` of length 1 (T-path-2)
  double slope = 0;               // of the parameter along it
  double along = 0;               // length of the path so far
};

class EquilibriumPath {
 public:
  EquilibriumPath(const EquilibriumPath&) = delete;
  EquilibriumPath& operator=(const EquilibriumPath&) = delete;
  /// From an equilibrium near this state. `range`: of the parameter; its sign tells where the path goes first. Throws ModelError
  /// E-EQUILIBRIUM.
  EquilibriumPath(ModelAt model_at, const State& near, double parameter, double range, StartOptions options);

  const PathPoint& point() const { return point_; }
  /// One step along the path, as long as its bends allow (T-path-3). False: it is lost here.
  bool advance();
  /// Has the parameter turned back in the last step?
  bool turned() const { return before_.slope * point_.slope < 0; }
  /// The point where it has (T-path-4).
  PathPoint turning_point() const;
  /// Back to it.
  void stop_at_turn();
  /// Has it passed this value in the last step?
  bool passed(double parameter) const {
    return (before_.parameter - parameter) * (point_.parameter - parameter) <= 0;
  }
  /// Back to where it had this value, in the last step.
  bool stop_at(double parameter);
  /// On to where the measure has this value, in steps of the measure that are halved where one fails (T-path-5).
  bool reach(const PathMeasure& measure, double value);

 private:
  /// The equation beside R = 0: by how much the parameter changes, from −J⁻¹R and −J⁻¹ ∂R/∂s.
  using Closing =
      std::function<double(const State&, double parameter, std::span<const double>, std::span<const double>)>;
  class Rows;
  std::shared_ptr<Rows> rows(double parameter) const;
  Assembly at(double parameter) const;
  bool correct(State& state, double& parameter, const Closing& closing) const;
  bool set_direction(PathPoint& point, const PathPoint& like) const;
  bool step(const PathPoint& from, double length, PathPoint& to) const;
  PathPoint where(const std::function<double(const PathPoint&)>& zero) const;
  bool measured_step(const PathMeasure& measure, double value);
  void measure_lengths();
  double product(std::span<const double> a, double slope_a, std::span<const double> b, double slope_b) const;

  ModelAt model_at_;
  StartOptions options_;
  std::vector<double> nominal_;
  int positions_ = 0;
  double range_,
      scale_ = 1;         // units of length: of the parameter, of the positions over their nominal magnitudes
  double length_ = 0.01;  // of the next step
  std::shared_ptr<Rows> everywhere_;  // if they are linear in the parameter
  PathPoint before_, point_;
};

}  // namespace escapement
