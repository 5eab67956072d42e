// User equations: any unknowns, rows given as C++ callables. Each row is  d/dt store(z) + flow(z) = 0.
//
//   builder.add(math::equations(std::tuple(y, a, psi),
//       [](const auto& h, const auto& z, auto& row) { const auto& [y, a, psi] = h; row(y) += …; },   // flow
//       [](const auto& h, const auto& z, auto& row) { … row(a) -= z.rate(y); }));                     // store
// The callables are generic in the scalar, so that they are differentiated exactly; they reach their unknowns
// through the handles passed to them.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::math {

struct Nothing {};

template <class Flow, class Store, class... Handles>
struct Equations {
  std::tuple<Handles...> handles;
  Flow flow_rows;
  Store store_rows;

  auto variables() const {
    return std::apply([](const auto&... h) { return std::tie(h...); }, handles);
  }
  void flow(const auto& z, auto& out) const { flow_rows(handles, z, out); }
  void store(const auto& z, auto& out) const requires(!std::is_same_v<Store, Nothing>) {
    store_rows(handles, z, out);
  }
};

/// flow(handles, z, row) and, optionally, store(handles, z, row).
template <class Flow, class Store = Nothing, class... Handles>
auto equations(std::tuple<Handles...> handles, Flow flow, Store store = {}) {
  return Equations<Flow, Store, Handles...>{std::move(handles), std::move(flow), std::move(store)};
}

/// A holonomic constraint of one's own: violation(handles, z, row) writes Φ(q, t) to the rows of its Multiplier; the
/// reaction Φ_qᵀλ follows.
template <class Violation, class... Handles>
struct Constraint {
  std::tuple<Handles...> handles;
  Violation violation_rows;
  auto variables() const {
    return std::apply([](const auto&... h) { return std::tie(h...); }, handles);
  }
  void violation(const auto& z, auto& out) const { violation_rows(handles, z, out); }
};
template <class Violation, class... Handles>
auto constraint(std::tuple<Handles...> handles, Violation violation) {
  return Constraint<Violation, Handles...>{std::move(handles), std::move(violation)};
}

/// A nonholonomic one: slip(handles, z, row) writes k(q, v, t) to the rows of its SlipMultiplier; the reaction k_vᵀμ
/// follows.
template <class Slip, class... Handles>
struct SlipConstraint {
  std::tuple<Handles...> handles;
  Slip slip_rows;
  auto variables() const {
    return std::apply([](const auto&... h) { return std::tie(h...); }, handles);
  }
  void slip(const auto& z, auto& out) const { slip_rows(handles, z, out); }
};
template <class Slip, class... Handles>
auto slip_constraint(std::tuple<Handles...> handles, Slip slip) {
  return SlipConstraint<Slip, Handles...>{std::move(handles), std::move(slip)};
}

}  // namespace escapement::math
