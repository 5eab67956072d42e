// What an element kernel sees: the values of its own unknowns, for any scalar, and the rows it writes to.
#pragma once
#include <array>
#include <tuple>
#include <utility>

#include "core/variable.hpp"

namespace escapement {

/// A kernel used a handle that is not a member of its element (a captured copy, for instance).
[[noreturn]] void foreign_handle();

/// Sizes of an element's local vectors, from the types of its handles: what is made of them is shared by all elements that have
/// the same ones.
template <class Handles>
struct LocalSizes;

template <class... Handle>
struct LocalSizes<std::tuple<Handle...>> {
  using Tuple = std::tuple<Handle...>;

  template <class F>
  static constexpr int sum(F f) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return (0 + ... + f.template operator()<std::tuple_element_t<i, Tuple>>());
    }
    (std::make_index_sequence<std::tuple_size_v<Tuple>>());
  }
  static constexpr int dofs_of(Kind k) {
    return sum([k]<class H>() { return H::kind == k ? H::dofs : 0; });
  }

  static constexpr int handles = static_cast<int>(std::tuple_size_v<Tuple>);
  static constexpr int values = sum([]<class H>() { return H::kind == Kind::position ? H::values : 0; });
  static constexpr int positions = dofs_of(Kind::position);
  static constexpr int states = dofs_of(Kind::state);
  static constexpr int algebraics = dofs_of(Kind::algebraic);
  static constexpr int holonomics = dofs_of(Kind::holonomic);
  static constexpr int nonholonomics = dofs_of(Kind::nonholonomic);
  // Local rows (and columns): positions, states, algebraics, holonomics, nonholonomics, in this order.
  static constexpr int states_begin = positions;
  static constexpr int algebraics_begin = states_begin + states;
  static constexpr int holonomics_begin = algebraics_begin + algebraics;
  static constexpr int nonholonomics_begin = holonomics_begin + holonomics;
  static constexpr int rows = nonholonomics_begin + nonholonomics;
  static constexpr int others = rows - positions;
  static constexpr int begin_of(Kind k) {
    constexpr int begins[] = {0, states_begin, algebraics_begin, holonomics_begin, nonholonomics_begin};
    return begins[static_cast<int>(k)];
  }
  static constexpr bool has_lie = sum([]<class H>() { return H::manifold != Manifold::vector ? 1 : 0; }) > 0;
};

template <class Tuple>
struct BareTuple;
template <class... H>
struct BareTuple<std::tuple<H...>> {
  using Type = std::tuple<std::remove_cvref_t<H>...>;
};
/// … that an element lists in `variables()`.
template <class E>
using Layout = LocalSizes<typename BareTuple<decltype(std::declval<const E&>().variables())>::Type>;

/// Values of an element's unknowns: z(handle) is the value, z.rate(handle) the velocity of a position.
template <class S, class L>
struct Values {
  using Scalar = S;
  using Layout = L;
  std::array<S, L::values> q;
  std::array<S, L::positions> v;
  std::array<S, L::others> other;  // x, y, λ, μ
  S t{};
  Manifold frames = Manifold::r3so3;  // where the frames of the system move
  const double* memory = nullptr;

  Manifold actual(Manifold declared) const { return declared == Manifold::se3 ? frames : declared; }

  template <class H>
  auto operator()(const H& h) const {
    if (h.local < 0) [[unlikely]]
      foreign_handle();
    if constexpr (H::kind != Kind::position) {
      return block<H::dofs>(&other[h.local]);
    } else if constexpr (H::manifold == Manifold::vector) {
      return block<H::dofs>(&q[h.local]);
    } else if constexpr (H::manifold == Manifold::so3) {
      return rotation(&q[h.local]);
    } else {
      return Frame<S>{rotation(&q[h.local]), Vec3<S>{{q[h.local + 4], q[h.local + 5], q[h.local + 6]}}};
    }
  }
  template <class H, class = std::enable_if_t<H::kind == Kind::position>>
  auto rate(const H& h) const {
    if (h.local < 0) [[unlikely]]
      foreign_handle();
    return block<H::dofs>(&v[h.local_row]);
  }
  /// Velocity of a frame's origin, world axes; its angular velocity, body axes.
  Vec3<S> linear_velocity(const Pose& h) const {
    const auto u = rate(h);
    const Vec3<S> linear{{u[0], u[1], u[2]}};
    return frames == Manifold::se3 ? (*this)(h).R * linear : linear;
  }
  Vec3<S> angular_velocity(const Pose& h) const {
    const auto u = rate(h);
    return {{u[3], u[4], u[5]}};
  }

 private:
  template <int n>
  static auto block(const S* p) {
    if constexpr (n == 1) {
      return *p;
    } else {
      Vec<n, S> r;
      for (int i = 0; i < n; ++i) r[i] = p[i];
      return r;
    }
  }
  static Rotation<S> rotation(const S* p) { return {p[0], {{p[1], p[2], p[3]}}}; }
};

/// Rows an element writes to: out(handle) += …
template <class S, class L>
struct Rows {
  std::array<S, L::rows> r{};

  template <int n>
  struct Block {
    S* p;
    S& operator[](int i) const { return p[i]; }
    const Block& operator+=(const Vec<n, S>& a) const {
      for (int i = 0; i < n; ++i) p[i] += a[i];
      return *this;
    }
    const Block& operator-=(const Vec<n, S>& a) const {
      for (int i = 0; i < n; ++i) p[i] -= a[i];
      return *this;
    }
  };

  template <class H>
  decltype(auto) operator()(const H& h) {
    if (h.local < 0) [[unlikely]]
      foreign_handle();
    if constexpr (H::dofs == 1) {
      return static_cast<S&>(r[h.local_row]);
    } else {
      return Block<H::dofs>{&r[h.local_row]};
    }
  }
};

/// A force at the origin of a frame (world axes) and a torque (body axes) act on it: its rows drain.
template <class S, class L>
void push(const Values<S, L>& z, Rows<S, L>& out, const Pose& at, const Vec3<S>& force,
          const Vec3<S>& torque) {
  const auto row = out(at);
  const Vec3<S> linear = z.frames == Manifold::se3 ? z(at).R.inverse() * force : force;
  for (int i = 0; i < 3; ++i) {
    row[i] -= linear[i];
    row[3 + i] -= torque[i];
  }
}

}  // namespace escapement
