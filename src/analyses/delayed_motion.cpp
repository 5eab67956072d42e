#include "analyses/delayed_motion.hpp"

#include <algorithm>
#include <limits>

namespace escapement {

using Complex = std::complex<double>;

State with_delays_held(const System& system, const State& state) {
  State held = state;
  const bool blank = std::any_of(held.delays.begin(), held.delays.end(),
                                 [](const DelayHistory& h) { return h.samples.empty(); });
  if (blank) system.remember(held, true);
  return held;
}

std::vector<DelayedPath> delayed_paths(const System& system, const State& held) {
  const Pattern& p = system.pattern();
  std::vector<double> r(system.size()), before(p.nonzeros()), now(p.nonzeros());
  system.tangent(held, Shift::stiffness(), {}, r, before);
  std::vector<DelayedPath> paths;
  for (std::size_t k = 0; k < held.delays.size(); ++k) {
    State probe = held;
    for (DelayHistory& h : probe.delays) h.jumps.clear();
    probe.delays[k].jumps = {0.0};
    const double time = system.next_break(probe);  // when does a jump at 0 come out?
    // Where the last thing remembered is two delays ago, half of the present counts (T-delay-1).
    probe.delays[k] = {
        {{held.t - 2 * time, 0.0, true, held.t - 2 * time}}, 0, -std::numeric_limits<double>::infinity(), {}};
    system.tangent(probe, Shift::stiffness(), {}, r, now);
    for (int j = 0; j < p.n; ++j)
      for (int e = p.column_begin[j]; e < p.column_begin[j + 1]; ++e)
        if (now[e] != before[e]) paths.push_back({j, p.row[e], time});
  }
  return paths;
}

DelayedMotion::DelayedMotion(DampedMotion& problem, const System& system, std::vector<DelayedPath> paths)
    : problem_(problem),
      system_(system),
      paths_(std::move(paths)),
      basis_(null_space(problem.constraints(), problem.size())) {
  const std::size_t n = problem.size(), d = basis_.size() / n;
  DelayedSystem s{problem.sigma(), {}, {}, {}, {}, {}};
  std::vector<double> seen(n), z(system.size());
  const auto in_basis = [&](std::vector<double>& columns) {
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += basis_[i * n + k] * seen[k];
      columns.push_back(sum);
    }
  };
  const auto read = [&](std::vector<double>& columns) {
    problem.shape(z);
    for (const DelayedPath& p : paths_) columns.push_back(z[p.from]);
  };
  for (std::size_t j = 0; j < d; ++j) {
    problem.apply(std::span(basis_).subspan(j * n, n), seen);
    in_basis(s.T);
    read(s.G);
  }
  for (const DelayedPath& p : paths_) {
    s.delays.push_back(p.time);
    problem.respond(p.row, seen);
    in_basis(s.X);
    read(s.F);
  }
  eigenvalues_ = std::make_unique<DelayedEigenvalues>(s);
}

/// z = Z_v v − p Z_x x.
std::vector<Complex> DelayedMotion::shape(Complex s, const DelayedEigenvalues::Motion& motion) {
  const std::size_t n = problem_.size(), d = basis_.size() / n;
  const Complex p = s - problem_.sigma();
  std::vector<double> part(n), seen(n), z(system_.size());
  std::vector<Complex> shape(system_.size(), 0.0);
  const auto add = [&](Complex factor) {
    problem_.shape(z);
    for (std::size_t k = 0; k < z.size(); ++k) shape[k] += factor * z[k];
  };
  for (const Complex i : {Complex(1, 0), Complex(0, 1)}) {
    std::fill(part.begin(), part.end(), 0.0);
    for (std::size_t j = 0; j < d; ++j) {
      const Complex x = motion.vector[j];
      for (std::size_t k = 0; k < n; ++k) part[k] += (i == 1.0 ? x.real() : x.imag()) * basis_[j * n + k];
    }
    problem_.apply(part, seen);
    add(-p * i);
  }
  for (std::size_t j = 0; j < paths_.size(); ++j) {
    problem_.respond(paths_[j].row, seen);
    add(motion.vector[d + j]);
  }
  return shape;
}

}  // namespace escapement
