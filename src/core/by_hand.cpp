#include "core/by_hand.hpp"

#include <algorithm>

#include "core/rows.hpp"

namespace escapement {

void turn_to_body_axes(const ElementType& type, const LocalPoint& p, Parts::Part& part) {
  const int n = type.rows;
  for (const Slot& s : type.slots) {
    if (s.manifold != Manifold::se3 || p.frames != Manifold::se3) continue;
    const double* q = p.q + s.value;
    const Rotation<double> back = Rotation<double>{q[0], {{q[1], q[2], q[3]}}}.inverse();
    const auto turn = [&](double* x, int stride) {
      const Vector3 y = back * Vector3{{x[0], x[stride], x[2 * stride]}};
      for (int i = 0; i < 3; ++i) x[i * stride] = y[i];
    };
    double* r = part.row + s.row;
    turn(r, 1);
    if (!part.K) continue;
    for (int j = 0; j < type.positions; ++j) turn(part.K + s.row * n + j, n);
    for (int i = 0; i < n; ++i) turn(part.K + i * n + s.row, 1);
    const Matrix3 H = hat({{r[0], r[1], r[2]}});  // and turning with the body
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) part.K[(s.row + i) * n + s.row + 3 + j] += H.m[i][j];
  }
}

void weigh(const ElementType& type, const LocalPoint& p, const Shift& c, Parts::Part& part,
           std::span<double> work) {
  const int n = type.positions, stride = type.rows;
  const auto each = [&](double* m, const auto& f) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) f(m[i * stride + j], i * stride + j);
  };
  if (!type.store) {
    const double weight = type.violation ? c.reaction : c.force;
    for (int i = 0; i < n; ++i) part.row[i] *= weight;
    if (part.K) each(part.K, [&](double& x, int) { x *= weight; });
    if (part.C) each(part.C, [&](double& x, int) { x *= weight; });
    return;
  }
  double *const momentum = work.data(), *const rate = momentum + stride, *const turning = rate + stride;
  std::fill(work.begin(), work.end(), 0.0);
  each(part.M, [&](double& m, int at) {
    momentum[at / stride] += m * p.v[at % stride];
    rate[at / stride] += m * p.a[at % stride];
  });
  add_coadjoint<double>(type.slots, p.frames, p.v, momentum, turning);
  for (int i = 0; i < n; ++i)
    part.row[i] = c.momentum * momentum[i] + c.momentum_rate * (rate[i] + turning[i]) +
                  c.force * (part.row[i] - rate[i] - turning[i]);
  each(part.K, [&](double& x, int) { x *= c.force; });
  each(part.C, [&](double& x, int at) { x = c.momentum * part.M[at] + c.momentum_rate * x; });
  each(part.M, [&](double& x, int) { x *= c.momentum_rate; });
}

}  // namespace escapement
