// One term of a linear block: row −= coefficient · source. Matrices of any size are sums of such terms, so zero
// entries cost nothing.
#pragma once
#include "core/adaptor.hpp"

namespace escapement::control {

/// The row of a state or a signal: what the block integrates, or its output.
template <class Row, class Source>
struct LinearTerm {
  Row row;
  Source source;
  double coefficient;

  auto variables() const { return std::tie(row, source); }
  void flow(const auto& z, auto& out) const { out(row) -= coefficient * z(source); }

  static constexpr bool by_hand = true;  // large diagrams are made of these
  void parts(const auto& z, const auto&, const auto& out) const {
    out.flow(row) -= coefficient * z(source);
    if (out.slopes()) out.flow(row, source) -= coefficient;
  }
};

/// d/dt x + … = 0.
struct Integrated {
  StateVariable<1> state;
  auto variables() const { return std::tie(state); }
  void store(const auto& z, auto& out) const { out(state) += z(state); }

  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    out.store(state) += z(state);
    if (out.slopes()) out.store(state, state) += 1;
  }
};

/// y + … = 0.
struct Defined {
  Signal<1> output;
  auto variables() const { return std::tie(output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output); }

  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    out.flow(output) += z(output);
    if (out.slopes()) out.flow(output, output) += 1;
  }
};

using StateFromState = LinearTerm<StateVariable<1>, StateVariable<1>>;
using StateFromSignal = LinearTerm<StateVariable<1>, Signal<1>>;
using SignalFromState = LinearTerm<Signal<1>, StateVariable<1>>;
using SignalFromSignal = LinearTerm<Signal<1>, Signal<1>>;

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::StateFromState>;
extern template struct escapement::Adaptor<escapement::control::StateFromSignal>;
extern template struct escapement::Adaptor<escapement::control::SignalFromState>;
extern template struct escapement::Adaptor<escapement::control::SignalFromSignal>;
extern template struct escapement::Adaptor<escapement::control::Integrated>;
extern template struct escapement::Adaptor<escapement::control::Defined>;
