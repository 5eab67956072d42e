#include "analyses/observation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/manifold.hpp"
#include "core/start.hpp"

namespace escapement {

Observation::Observation(const System& system, const State& state, double proximal)
    : system_(system), state_(state), proximal_(proximal) {
  for (const LieVariable& v : system.lie_variables()) {
    turning_ = std::max(turning_, norm(at(state.rate, v.place.row + v.dofs() - 3)));
    if (v.dofs() == 6) speed_ = std::max(speed_, norm(at(state.rate, v.place.row)));
  }
  if (turning_ == 0 && speed_ == 0) return;
  change_ = std::numeric_limits<double>::infinity();
  time_ = turning_ > 0 ? 0.5 / turning_ : 0.1 / speed_;
  std::vector<Twist> candidates = {{}};
  for (const LieVariable& v : system.lie_variables()) {
    const Twist o = Twist::of(state, v);
    const auto same = [&](const Twist& c) {
      return norm(c.angular - o.angular) <= 1e-9 * turning_ &&
             norm(c.linear - o.linear) <= 1e-9 * (speed_ + turning_);
    };
    if (candidates.size() < 20 && std::none_of(candidates.begin(), candidates.end(), same))
      candidates.push_back(o);
  }
  for (const Twist& o : candidates) {
    const double c = change(o);
    if (c < 0.5 * change_) change_ = c, best_ = o;
    if (c < steady) break;
  }
}

bool Observation::balanced() const {
  const Pattern& p = system_.pattern();
  const int positions = system_.rows(Kind::position).end;
  std::vector<double> r(system_.size()), K(p.nonzeros()), M(p.nonzeros()), a(positions), b(positions);
  system_.tangent(state_, Shift::stiffness(), {}, r, K);
  system_.tangent(state_, Shift::mass(), {}, r, M);
  const std::vector<double> u = in_frames(best_, system_, state_);
  for (int i = 0; i < positions; ++i) a[i] = state_.rate[i] - u[i];
  lie_bracket(system_, a, state_.rate, b);
  double top = 0, least = 1e-6;
  for (int i = 0; i < positions; ++i) {
    const int diagonal = p.find(i, i);
    top = std::max(top, std::abs(state_.acceleration[i] + b[i]) / system_.nominal()[i]);
    least = std::max(least, 1e-9 * std::abs(b[i]) / system_.nominal()[i]);
    if (M[diagonal] != 0) least = std::max(least, 1e-11 * std::abs(K[diagonal] / M[diagonal]));
  }
  return top <= least;
}

bool Observation::go_on(const Twist& o, State& later) const {
  later = state_;
  const std::vector<double> u = in_frames(o, system_, state_);
  for (int i = 0; i < system_.rows(Kind::position).end; ++i)
    if (const int value = system_.value_of_row()[i]; value >= 0) later.value[value] += time_ * state_.rate[i];
  const Frame<double> seen{exp_so3(time_ * o.angular),
                           left_tangent_so3(time_ * o.angular) * (time_ * o.linear)};
  for (const LieVariable& v : system_.lie_variables()) {
    const bool frame = v.dofs() == 6;
    const Frame<double> now{rotation(state_, v), frame ? at(state_.value, v.place.value + 4) : Vector3{}};
    const Frame<double> moved = seen * now * own_turn(u, v, time_);
    const Rotation<double> R = normalised(moved.R);
    later.value[v.place.value] = R.w;
    put(later.value, v.place.value + 1, R.u);
    if (frame) put(later.value, v.place.value + 4, moved.x);
    turn(own_turn(u, v, -time_), v, 0, later.rate);
  }
  StartOptions options;
  options.check = options.operating_point = false;
  options.proximal = proximal_;
  try {
    make_consistent(system_, later, options);
  } catch (const ModelError&) {
    return false;
  }
  return true;
}

Frame<double> Observation::own_turn(std::span<const double> u, const LieVariable& v, double t) const {
  const int row = v.place.row, angular = row + v.dofs() - 3;
  const Vector3 w = t * (at(state_.rate, angular) - at(u, angular));
  const Vector3 l = v.dofs() == 6 ? t * (at(state_.rate, row) - at(u, row)) : Vector3{};
  return {exp_so3(w), left_tangent_so3(w) * l};
}

void Observation::turn(const Frame<double>& by, const LieVariable& v, int first, std::span<double> x) {
  const int row = first + v.place.row, angular = row + v.dofs() - 3;
  const Vector3 turned = by.R * at(x, angular);
  put(x, angular, turned);
  if (v.dofs() == 6) put(x, row, by.R * at(x, row) + cross(by.x, turned));
}

double Observation::change(const Twist& o) const {
  State later;
  if (!go_on(o, later)) return 1;
  const double sigma = std::max({turning_, speed_, 1.0});
  DampedMotion now(system_, state_, o, sigma, proximal_), then(system_, later, o, sigma, proximal_);
  if (now.singular() >= 0 || then.singular() >= 0 || now.size() != then.size()) return 1;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::size_t n = now.size();
  std::vector<double> x(n), a(n), b(n);
  for (double& e : x) e = uniform(random);
  for (int k = 0; k < 2; ++k) {  // onto the constraints
    now.apply(x, a);
    x = a;
  }
  now.apply(x, a);
  turn(o, now, a);
  turn(o, now, x);
  then.apply(x, b);
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < n; ++i) {
    size = std::max(size, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return size > 0 ? difference / size : 0;
}

void Observation::turn(const Twist& o, const DampedMotion& problem, std::span<double> x) const {
  const std::vector<double> u = in_frames(o, system_, state_);
  const auto scale = problem.scale();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale[i];
  for (const LieVariable& v : system_.lie_variables())
    for (const int first : {0, system_.rows(Kind::position).end})  // δ and w
      turn(own_turn(u, v, -time_), v, first, x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] /= scale[i];
}

}  // namespace escapement
