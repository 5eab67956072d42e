// User equations: any unknowns, rows given as C++ callables. Each row is  d/dt store(z) + flow(z) = 0.
//
//   builder.add(math::equations(std::tuple(y, a, psi),
//       [](const auto& h, const auto& z, auto& row) { const auto& [y, a, psi] = h; row(y) += …; },   // flow
//       [](const auto& h, const auto& z, auto& row) { … row(a) -= z.rate(y); }));                     // store
// The callables are generic in the scalar, so that they are differentiated exactly; they reach their unknowns
// through the handles passed to them.
#pragma once
#include "core/group.hpp"

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

}  // namespace escapement::math
