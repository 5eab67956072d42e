// What cases of beams at rest share: structures of segments, held and loaded, solved by Newton's method on the assembled
// tangent. Time stands for the load factor: loads are t times what is given.
#pragma once
#include <Eigen/Dense>
#include <Eigen/Sparse>

#include <algorithm>
#include <array>
#include <memory>

#include "components/beam/inertia.hpp"
#include "components/beam/segment.hpp"
#include "core/manifold.hpp"
#include "support.hpp"

namespace escapement::validation {

/// A force that keeps its direction or turns with the section, and a moment that turns with it.
struct GrowingLoad {
  Pose at;
  Vector3 force, moment;  // moment in section axes
  bool follows = false;
  auto variables() const { return std::tie(at); }
  void flow(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec3<S> f = z.t * as<S>(force);
    push(z, out, at, follows ? z(at).R * f : f, z.t * as<S>(moment));
  }
};

inline beam::Stiffness diagonal_stiffness(const std::array<double, 6>& d) {
  beam::Stiffness k{};
  for (int i = 0; i < 6; ++i) k[i][i] = d[i];
  return k;
}

/// The limit of three rungs h, h/2, h/4 whose errors are even in h, of second order.
inline double even_limit(double h1, double h2, double h4) {
  const double first = (4 * h2 - h1) / 3, second = (4 * h4 - h2) / 3;
  return (16 * second - first) / 15;
}

class Structure {
 public:
  Pose node(const Frame<double>& unloaded) {
    const Pose p = builder_.pose("node" + std::to_string(nodes_.size()));
    nodes_.push_back({p, unloaded});
    return p;
  }
  /// n segments along a line of constant curvature (in the axes of its sections) that begins at a frame fastened to a node; the
  /// nodes, the first included.
  std::vector<Pose> beam(Pose first, const Frame<double>& from, int n, double length,
                         const beam::Stiffness& section, const Vector3& curvature = {}) {
    std::vector<Pose> line{first};
    const double l = length / n;
    const Frame<double> start = unloaded(first).inverse() * from;
    for (int i = 1; i <= n; ++i) {
      const Vector3 turn = (i * l) * curvature;
      line.push_back(
          node(from * Frame<double>{exp_so3(turn), left_tangent_so3(turn) * Vector3{{i * l, 0, 0}}}));
      builder_.add(beam::Segment{line[i - 1],
                                 line[i],
                                 i == 1 ? start : Frame<double>{},
                                 {},
                                 l,
                                 beam::of_segment(section, l),
                                 {{1, 0, 0, curvature[0], curvature[1], curvature[2]}}});
    }
    return line;
  }
  template <class E>
  void add(E element) {
    builder_.add(std::move(element));
  }
  /// These rows of a node do not move: 0…2 along world axes, 3…5 turning about the section's axes.
  void hold(Pose p, const std::vector<int>& rows) {
    for (const int i : rows) held_.push_back({p, i});
  }

  void finish() {
    system_ = std::make_unique<System>(builder_.finish());
    state_ = system_->state();
    for (const auto& [p, f] : nodes_) {
      const auto q = system_->value(state_, p);
      const double numbers[7] = {f.R.w, f.R.u[0], f.R.u[1], f.R.u[2], f.x[0], f.x[1], f.x[2]};
      std::copy(numbers, numbers + 7, q.begin());
    }
    free_.assign(system_->size(), true);
    for (const auto& [p, i] : held_) free_[row(p, i)] = false;
    r_.resize(system_->size());
    values_.resize(system_->pattern().nonzeros());
  }
  int row(Pose p, int i) const { return system_->variables()[p.variable].row + i; }

  /// The equilibrium under t times the loads, near the one that was; false: none found.
  bool solve(double t) {
    state_.t = t;
    double last = INFINITY;
    for (int k = 0; k < 60; ++k) {
      const Eigen::VectorXd du = increment();
      const double size = du.cwiseAbs().maxCoeff();
      if (!std::isfinite(size)) return false;
      move(du, std::min(1.0, 0.5 * scale_ / size));
      if (size < 1e-8 * scale_ && size >= 0.1 * last) return true;  // as far as rounding lets it
      last = size;
    }
    return false;
  }
  /// The same in n equal steps from where it is.
  bool grow(double t, int n) {
    const double from = state_.t;
    for (int k = 1; k <= n; ++k)
      if (!solve(from + (t - from) * k / n)) return false;
    return true;
  }
  /// Displacements and turns of a node by the linear equations about the unloaded state, under the loads at t = 1.
  std::array<double, 6> linear(Pose p) {
    state_.t = 1;
    const Eigen::VectorXd du = increment();
    std::array<double, 6> u;
    for (int i = 0; i < 6; ++i) u[i] = du[row(p, i)];
    return u;
  }
  Frame<double> at(Pose p) const {
    const auto q = system_->value(state_, p);
    return {{q[0], {{q[1], q[2], q[3]}}}, {{q[4], q[5], q[6]}}};
  }
  /// How far a node has gone from where it was, unloaded.
  Vector3 displacement(Pose p) const { return at(p).x - unloaded(p).x; }
  /// Moves a held row, the rest along the tangent first; false: no equilibrium found there.
  bool drive(Pose p, int i, double by) {
    move(increment(row(p, i), by), 1);
    return solve(state_.t);
  }
  /// What holds a row: the force or moment that the loads and segments lack for balance.
  double reaction(Pose p, int i) {
    evaluate();
    return r_[row(p, i)];
  }
  /// ∂(balance)/∂(displacement) in these rows of every node, without those held; the nodes as they were made.
  Eigen::MatrixXd stiffness(const std::vector<int>& rows) {
    evaluate();
    std::vector<int> taken(system_->size(), -1);
    int n = 0;
    for (const auto& [p, f] : nodes_)
      for (const int i : rows)
        if (free_[row(p, i)]) taken[row(p, i)] = n++;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
    each_entry([&](int i, int j, double v) {
      if (taken[i] >= 0 && taken[j] >= 0) K(taken[i], taken[j]) += v;
    });
    return K;
  }
  /// Lengths beyond half of which one iteration does not go.
  void set_scale(double s) { scale_ = s; }

 private:
  const Frame<double>& unloaded(Pose p) const {
    const auto own = [&](const auto& n) { return n.first.variable == p.variable; };
    return std::find_if(nodes_.begin(), nodes_.end(), own)->second;
  }
  void evaluate() { system_->tangent(state_, Shift::stiffness(), {}, r_, values_); }
  template <class F>
  void each_entry(const F& f) const {
    const Pattern& p = system_->pattern();
    for (int j = 0; j < p.n; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) f(p.row[k], j, values_[k]);
  }
  Eigen::VectorXd increment(int driven = -1, double by = 0) {
    evaluate();
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd b(system_->size());
    for (int i = 0; i < b.size(); ++i) {
      if (!free_[i]) entries.emplace_back(i, i, 1.0);
      b[i] = free_[i] ? -r_[i] : i == driven ? by : 0;
    }
    each_entry([&](int i, int j, double v) {
      if (free_[i] && free_[j]) entries.emplace_back(i, j, v);
      if (free_[i] && j == driven) b[i] -= v * by;
    });
    Eigen::SparseMatrix<double> K(b.size(), b.size());
    K.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(K);
    if (lu.info() != Eigen::Success) return Eigen::VectorXd::Constant(b.size(), NAN);
    return lu.solve(b);
  }
  void move(Eigen::VectorXd du, double factor) {
    du *= factor;
    const std::vector<double> q = state_.value;
    move_positions(*system_, q, {du.data(), static_cast<std::size_t>(du.size())}, state_.value, {});
  }

  SystemBuilder builder_;
  std::vector<std::pair<Pose, Frame<double>>> nodes_;
  std::vector<std::pair<Pose, int>> held_;
  std::unique_ptr<System> system_;
  State state_;
  std::vector<char> free_;
  std::vector<double> r_, values_;
  double scale_ = 1;
};

}  // namespace escapement::validation
