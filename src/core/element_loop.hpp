// ElementLoop: what a loop over the elements of one type needs of the group, and how one element is gathered and scattered. These
// are shared by all element types with the same handles.
#pragma once
#include <span>

#include "core/by_hand.hpp"
#include "core/place.hpp"
#include "core/state.hpp"

namespace escapement {

struct ElementLoop {
  const char* elements;  // the first of them …
  std::size_t stride;    // … and how far apart they are
  const Place* places;   // of all handles of all elements
  const int* map;        // rows × rows entries of the tangent, of each element; -1: none
  const State& state;
  const Shift& shift;
  std::span<const double> operators;
  std::span<double> rows, values;
  Manifold frames;
  int memory_begin, memory;  // in State::memory: of the first element, and how much each has
  const int* sides_begin;    // … or of each; null: the same for all
  const char* skipped;       // elements to leave out; null: none

  const double* memory_of(int k) const {
    return state.memory.data() + (sides_begin ? sides_begin[k] : memory_begin + k * memory);
  }
};

/// Calls f(index, handle type, first local value, first local row) for every handle.
template <class L, class F>
[[gnu::always_inline]] inline void for_each_handle(const F& f) {
  int value = 0,
      row[kind_count] = {L::begin_of(Kind::position), L::begin_of(Kind::state), L::begin_of(Kind::algebraic),
                         L::begin_of(Kind::holonomic), L::begin_of(Kind::nonholonomic)};
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (
        [&]() __attribute__((always_inline)) {
          using H = std::tuple_element_t<i, typename L::Tuple>;
          int& next = row[static_cast<int>(H::kind)];
          f(static_cast<int>(i), H{}, H::kind == Kind::position ? value : next - L::positions, next);
          if (H::kind == Kind::position) value += H::values;
          next += H::dofs;
        }(),
        ...);
  }
  (std::make_index_sequence<L::handles>());
}

template <class L>
[[gnu::always_inline]] inline void gather(const ElementLoop& loop, const Place* places, Point<double, L>& p) {
  const State& state = loop.state;
  for_each_handle<L>([&](int i, auto h, int local, int local_row) __attribute__((always_inline)) {
    using H = decltype(h);
    const Place& at = places[i];
    if constexpr (H::kind == Kind::position) {
      for (int d = 0; d < H::values; ++d)
        p.z.q[local + d] =
            at.row < 0 ? (H::manifold != Manifold::vector && d == 0 ? 1.0 : 0.0) : state.value[at.value + d];
      for (int d = 0; d < H::dofs; ++d) {
        p.z.v[local_row + d] = at.row < 0 ? 0.0 : state.rate[at.row + d];
        p.a[local_row + d] = at.row < 0 ? 0.0 : state.acceleration[at.row + d];
      }
    } else {
      for (int d = 0; d < H::dofs; ++d) p.z.other[local + d] = at.row < 0 ? 0.0 : state.value[at.value + d];
    }
  });
  p.z.t = state.t;
  p.z.frames = loop.frames;
}

template <class L>
[[gnu::always_inline]] inline Operators<L> operators_of(const ElementLoop& loop, const Place* places) {
  Operators<L> T{};
  int slot = 0;
  for_each_handle<L>([&](int i, auto h, int, int) __attribute__((always_inline)) {
    if constexpr (decltype(h)::kind == Kind::position)
      T[slot++] =
          loop.operators.empty() || places[i].tangent < 0 ? nullptr : &loop.operators[places[i].tangent];
  });
  return T;
}

template <class L>
[[gnu::always_inline]] inline void scatter(const ElementLoop& loop, const Place* places,
                                           const std::array<double, L::rows>& rows) {
  for_each_handle<L>([&](int i, auto h, int, int local_row) __attribute__((always_inline)) {
    using H = decltype(h);
    if (places[i].row < 0) return;
    for (int d = 0; d < H::dofs; ++d) loop.rows[places[i].row + d] += rows[local_row + d];
  });
}

}  // namespace escapement
