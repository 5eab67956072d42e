// Taps: signals that equal something else of the system, exactly at every step, so that every output may be an input.
#pragma once
#include "core/system.hpp"

namespace escapement {

/// y = factor · one part of an unknown.
template <class H>
struct ValueTap {
  H from;
  Signal<1> to;
  int part = 0;
  double factor = 1;

  auto variables() const { return std::tie(from, to); }
  void flow(const auto& z, auto& out) const {
    const auto x = z(from);
    if constexpr (H::dofs == 1) {
      out(to) += z(to) - factor * x;
    } else {
      out(to) += z(to) - factor * x[part];
    }
  }
};

/// y = one part of the velocity of a position.
template <class H>
struct RateTap {
  H from;
  Signal<1> to;
  int part = 0;

  auto variables() const { return std::tie(from, to); }
  void flow(const auto& z, auto& out) const {
    const auto v = z.rate(from);
    if constexpr (H::dofs == 1) {
      out(to) += z(to) - v;
    } else {
      out(to) += z(to) - v[part];
    }
  }
};

/// y = one part of the acceleration of a position: d/dt(−v) + y = 0  (T-one-3).
template <class H>
struct AccelerationTap {
  H from;
  Signal<1> to;
  int part = 0;

  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(from, to); }
  void store(const auto& z, auto& out) const {
    const auto v = z.rate(from);
    if constexpr (H::dofs == 1) {
      out(to) -= v;
    } else {
      out(to) -= v[part];
    }
  }
  void flow(const auto& z, auto& out) const { out(to) += z(to); }
};

/// y = output number `index` of an element.
template <class E>
struct OutputTap {
  E element;
  Signal<1> to;
  int index = 0;

  int sides() const requires(Offers<E>::sides) { return element.sides(); }
  void each_expression(const auto& z, const auto& f) const requires(Offers<E>::sides) {
    element.each_expression(z, f);
  }
  static_assert(Offers<E>::memory == 0 || Offers<E>::accept, "memory that others write cannot be tapped");
  static constexpr int memory = Offers<E>::memory;
  void accept(const auto& z, double* m) const requires(Offers<E>::memory > 0) { element.accept(z, m); }
  auto variables() const { return std::tuple_cat(element.variables(), std::tie(to)); }
  void flow(const auto& z, auto& out) const { out(to) += z(to) - element.output(z, index); }
};

}  // namespace escapement

extern template class escapement::Group<escapement::ValueTap<escapement::Position<1>>>;
extern template class escapement::Group<escapement::ValueTap<escapement::Position<2>>>;
extern template class escapement::Group<escapement::ValueTap<escapement::StateVariable<1>>>;
extern template class escapement::Group<escapement::ValueTap<escapement::Multiplier<1>>>;
extern template class escapement::Group<escapement::ValueTap<escapement::Multiplier<3>>>;
extern template class escapement::Group<escapement::RateTap<escapement::Position<1>>>;
extern template class escapement::Group<escapement::RateTap<escapement::Position<2>>>;
extern template class escapement::Group<escapement::AccelerationTap<escapement::Position<1>>>;
extern template class escapement::Group<escapement::AccelerationTap<escapement::Position<2>>>;
