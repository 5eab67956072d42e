// Linear state space: ẋ = A x + B u, y = C x + D u.
#pragma once
#include <array>

#include "core/adaptor.hpp"

namespace escapement::control {

template <int n, int m, int p>
struct StateSpace {
  StateVariable<n> state;
  Signal<m> input;
  Signal<p> output;
  std::array<std::array<double, n>, n> A;
  std::array<std::array<double, m>, n> B;
  std::array<std::array<double, n>, p> C;
  std::array<std::array<double, m>, p> D;

  auto variables() const { return std::tie(state, input, output); }
  void store(const auto& z, auto& out) const {
    for (int i = 0; i < n; ++i) part(out(state), i) += part(z(state), i);
  }
  void flow(const auto& z, auto& out) const {
    const auto x = z(state);
    const auto u = z(input), y = z(output);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) part(out(state), i) -= A[i][j] * part(x, j);
      for (int j = 0; j < m; ++j) part(out(state), i) -= B[i][j] * part(u, j);
    }
    for (int i = 0; i < p; ++i) {
      part(out(output), i) += part(y, i);
      for (int j = 0; j < n; ++j) part(out(output), i) -= C[i][j] * part(x, j);
      for (int j = 0; j < m; ++j) part(out(output), i) -= D[i][j] * part(u, j);
    }
  }

 private:
  // One-wide unknowns are scalars, wider ones vectors.
  static auto&& part(auto&& x, int i) {
    if constexpr (requires { x[i]; }) {
      return x[i];
    } else {
      return x;
    }
  }
};

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::StateSpace<1, 1, 1>>;
