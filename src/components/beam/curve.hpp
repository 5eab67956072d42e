// The line along which a beam lies, unloaded: straight, an arc, or smooth through given points; its sections do not turn about
// it but by `twist`.
#pragma once
#include "math/rotation.hpp"
#include "model/component.hpp"

namespace escapement::beam {

Vector3 vector3(const Build& b, std::string_view key);

class Curve {
 public:
  /// From the keys that add_curve_keys() adds.
  explicit Curve(const Build& b);
  double length() const { return length_; }
  /// The section at s, x along the line.
  Frame<double> at(double s) const;

 private:
  struct Bend {  // of an arc, about this axis through the centre
    Vector3 centre, axis;
    double curvature;
  };
  struct Sample {  // of a spline
    double u, s;
    Frame<double> frame;
  };
  void through(const Build& b, const Vector3& from, const Vector3& middle, const Vector3& to);
  void spline(const Build& b, std::vector<Vector3> points);
  /// Where the spline is at u, and its derivative.
  Vector3 point(double u, Vector3& slope) const;
  Rotation<double> across(const Build& b, const Vector3& along) const;

  Frame<double> start_{};
  double length_ = 0, twist_ = 0;
  std::optional<Bend> bend_;
  std::vector<double> knots_;
  std::vector<Vector3> points_, curvatures_;
  std::vector<Sample> samples_;
};

void add_curve_keys(ComponentType& type);

}  // namespace escapement::beam
