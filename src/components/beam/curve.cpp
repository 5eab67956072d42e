#include "components/beam/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace escapement::beam {
namespace {

Vector3 unit(const Vector3& a) { return (1 / norm(a)) * a; }

/// The frame at the end of a short piece of a curve, turned as little as possible: reflected in the plane between the two
/// points, and again so that x becomes the direction there.
Frame<double> carried(const Frame<double>& from, const Vector3& to, const Vector3& along) {
  const auto reflected = [](const Vector3& a, const Vector3& normal) {
    const double square = dot(normal, normal);
    return square > 0 ? a - (2 * dot(normal, a) / square) * normal : a;
  };
  const Vector3 step = to - from.x, x = from.R * Vector3{{1, 0, 0}}, z = from.R * Vector3{{0, 0, 1}};
  const Vector3 mirrored = reflected(x, step);
  Vector3 up = reflected(reflected(z, step), along - mirrored);
  up = unit(up - dot(up, along) * along);
  return {from_axes(along, cross(up, along), up), to};
}

}  // namespace

Vector3 vector3(const Build& b, std::string_view key) {
  const std::vector<double>& v = b.vector(key);
  return {{v[0], v[1], v[2]}};
}

/// The sections stand across the line, their z towards `up`.
Rotation<double> Curve::across(const Build& b, const Vector3& along) const {
  const Vector3 up = vector3(b, "up"), side = cross(up, along);
  if (!(norm(up) > 0)) b.refuse("E-RANGE", "up", "has length 0", "a direction, such as [0, 0, 1]");
  if (!(norm(side) > 1e-6 * norm(up)))
    b.refuse("E-RANGE", b.given("up") ? "up" : "",
             b.given("up") ? "is parallel to the beam: it does not say how the sections are turned"
                           : "the beam is vertical, and `up` does not say how its sections are turned",
             std::abs(along[0]) < 0.9 ? "up: [1, 0, 0], or another direction across the beam"
                                      : "up: [0, 0, 1], or another direction across the beam");
  const Vector3 y = unit(side);
  return from_axes(along, y, cross(along, y));
}

Curve::Curve(const Build& b) {
  const Vector3 from = vector3(b, "from"), to = vector3(b, "to");
  twist_ = b.number("twist");
  if (b.has("through") && b.has("points"))
    b.refuse("E-CHOICE", "points", "`through` says already how the line is curved", "one of them");
  if (b.has("through")) {
    through(b, from, vector3(b, "through"), to);
  } else if (b.has("points")) {
    const MatrixValue& m = b.matrix("points");
    if (m.columns != 3)
      b.refuse("E-RANGE", "points", fmt::format("points have {} numbers, need 3", m.columns),
               "[[1 m, 0, 0], …]");
    std::vector<Vector3> points{from};
    for (int i = 0; i < m.rows; ++i) points.push_back({{m(i, 0), m(i, 1), m(i, 2)}});
    points.push_back(to);
    spline(b, std::move(points));
  } else {
    length_ = norm(to - from);
    if (!(length_ > 0)) b.refuse("E-RANGE", "to", "is where the beam begins: it has no length");
    start_ = {across(b, (1 / length_) * (to - from)), from};
  }
}

void Curve::through(const Build& b, const Vector3& from, const Vector3& middle, const Vector3& to) {
  const Vector3 p = middle - from, q = to - from, n = cross(p, q);
  if (!(norm(q) > 0))
    b.refuse("E-RANGE", "to", "is where the beam begins: a circle has many planes", "two beams");
  if (!(norm(n) > 1e-9 * norm(p) * norm(q)) || !(dot(p, q - p) > -norm(p) * norm(q - p) * (1 - 1e-12)))
    b.refuse("E-RANGE", "through", "lies on the straight line through the ends: there is no arc",
             "a point beside it, or no `through`");
  const double square = dot(n, n);
  const Vector3 out = (1 / (2 * square)) * (dot(p, p) * cross(q, n) + dot(q, q) * cross(n, p));
  const Vector3 centre = from + out, axis = unit(n);
  const double radius = norm(out);
  // The angle from one end to the other, the way that passes the point: counted about the axis it is between 0 and a turn.
  const Vector3 start = -(1 / radius) * out, side = cross(axis, start);
  const auto angle = [&](const Vector3& x) {
    const double a = std::atan2(dot(x - centre, side), dot(x - centre, start));
    return a < 0 ? a + 2 * 3.14159265358979323846 : a;
  };
  length_ = radius * angle(to);
  bend_ = Bend{centre, axis, 1 / radius};
  start_ = {across(b, side), from};
}

void Curve::spline(const Build& b, std::vector<Vector3> points) {
  points_ = std::move(points);
  const int n = static_cast<int>(points_.size());
  knots_ = {0.0};
  for (int i = 1; i < n; ++i) {
    const double chord = norm(points_[i] - points_[i - 1]);
    if (!(chord > 0)) b.refuse("E-RANGE", "points", "two points that follow each other coincide");
    knots_.push_back(knots_.back() + chord);
  }
  // Natural cubic: second derivatives from a tridiagonal system, zero at both ends.
  curvatures_.assign(n, Vector3{});
  std::vector<double> diagonal(n, 1.0);
  for (int i = 1; i + 1 < n; ++i) {
    const double h0 = knots_[i] - knots_[i - 1], h1 = knots_[i + 1] - knots_[i];
    Vector3 right = (6 / h1) * (points_[i + 1] - points_[i]) - (6 / h0) * (points_[i] - points_[i - 1]);
    diagonal[i] = 2 * (h0 + h1);
    if (i > 1) {
      const double factor = h0 / diagonal[i - 1];
      diagonal[i] -= factor * h0;
      right = right - factor * curvatures_[i - 1];
    }
    curvatures_[i] = right;
  }
  for (int i = n - 2; i > 0; --i) {
    const double h1 = knots_[i + 1] - knots_[i];
    curvatures_[i] = (1 / diagonal[i]) * (curvatures_[i] - h1 * curvatures_[i + 1]);
  }
  Vector3 slope;
  const Vector3 from = point(0, slope);
  start_ = {across(b, unit(slope)), from};
  samples_ = {{0, 0, start_}};
  constexpr int pieces = 64;  // per span: frames by reflection are of fourth order
  for (int i = 0; i + 1 < n; ++i)
    for (int k = 0; k < pieces; ++k) {
      const double du = (knots_[i + 1] - knots_[i]) / pieces, u = knots_[i] + k * du;
      double length = 0;
      for (const auto& [place, weight] :
           {std::pair{-0.7745966692414834, 5.0 / 18}, {0.0, 8.0 / 18}, {0.7745966692414834, 5.0 / 18}}) {
        point(u + 0.5 * du * (1 + place), slope);
        length += weight * du * norm(slope);
      }
      const Vector3 x = point(u + du, slope);
      if (!(norm(slope) > 0)) b.refuse("E-RANGE", "points", "the line through them turns back on itself");
      samples_.push_back(
          {u + du, samples_.back().s + length, carried(samples_.back().frame, x, unit(slope))});
    }
  length_ = samples_.back().s;
}

Vector3 Curve::point(double u, Vector3& slope) const {
  const auto next = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, u);
  const int i = static_cast<int>(next - knots_.begin()) - 1;
  const double h = knots_[i + 1] - knots_[i], a = (knots_[i + 1] - u) / h, c = (u - knots_[i]) / h;
  const Vector3 &m0 = curvatures_[i], &m1 = curvatures_[i + 1];
  slope = (1 / h) * (points_[i + 1] - points_[i]) - ((3 * a * a - 1) * h / 6) * m0 +
          ((3 * c * c - 1) * h / 6) * m1;
  return a * points_[i] + c * points_[i + 1] + ((a * a * a - a) * h * h / 6) * m0 +
         ((c * c * c - c) * h * h / 6) * m1;
}

Frame<double> Curve::at(double s) const {
  Frame<double> f = start_;
  if (bend_) {
    const Rotation<double> turn = exp_so3((s * bend_->curvature) * bend_->axis);
    f = {turn * start_.R, bend_->centre + turn * (start_.x - bend_->centre)};
  } else if (!samples_.empty()) {
    const auto next = std::upper_bound(samples_.begin() + 1, samples_.end() - 1, s,
                                       [](double value, const Sample& sample) { return value < sample.s; });
    const Sample &a = *(next - 1), &c = *next;
    double u = a.u + (s - a.s) / (c.s - a.s) * (c.u - a.u);
    Vector3 slope;
    const Vector3 x = point(u, slope);
    f = carried(a.frame, x, unit(slope));
  } else {
    f.x = start_.x + s * (start_.R * Vector3{{1, 0, 0}});
  }
  return twist_ == 0 ? f : Frame<double>{f.R * exp_so3({{twist_ * s / length_, 0, 0}}), f.x};
}

void add_curve_keys(ComponentType& type) {
  type.takes(vector("from", "m", 3, "where it begins, unloaded, world axes"));
  type.takes(vector("to", "m", 3, "where it ends"));
  type.takes(vector("through", "m", 3, "a point between: the line is an arc of a circle").optional());
  type.takes(matrix("points", "m", "points between: the line passes them smoothly (a natural cubic spline)")
                 .optional());
  type.takes(vector("up", "1", 3,
                    "direction of the section's z axis where it begins; what is along the beam is left out. "
                    "Along a curve the "
                    "sections turn no more than they must")
                 .otherwise("[0, 0, 1]"));
  type.takes(
      number("twist", "rad", "by which the sections turn about the line, evenly, from one end to the other")
          .otherwise("0 deg"));
}

}  // namespace escapement::beam
