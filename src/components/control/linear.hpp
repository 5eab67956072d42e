// One term of a linear block: row −= coefficient · source. Matrices of any size are sums of such terms, so zero
// entries cost nothing.
#pragma once
#include "core/group.hpp"

namespace escapement::control {

/// The row of a state or a signal: what the block integrates, or its output.
template <class Row, class Source>
struct LinearTerm {
  Row row;
  Source source;
  double coefficient;

  auto variables() const { return std::tie(row, source); }
  void flow(const auto& z, auto& out) const { out(row) -= coefficient * z(source); }

  static constexpr bool analytic = true;  // large diagrams are made of these
  void assemble(const auto& z, const auto&, const Shift& c, auto& out, auto* m) const {
    const double weight = (Row::kind == Kind::state ? c.flow : 1.0) * coefficient;
    out(row) -= weight * z(source);
    if (m) (*m)(row, 0, source, 0) -= weight;
  }
};

/// d/dt x + … = 0.
struct Integrated {
  StateVariable<1> state;
  auto variables() const { return std::tie(state); }
  void store(const auto& z, auto& out) const { out(state) += z(state); }

  static constexpr bool analytic = true;
  void assemble(const auto& z, const auto&, const Shift& c, auto& out, auto* m) const {
    out(state) += c.store * z(state);
    if (m) (*m)(state, 0, state, 0) += c.store;
  }
};

/// y + … = 0.
struct Defined {
  Signal<1> output;
  auto variables() const { return std::tie(output); }
  void flow(const auto& z, auto& out) const { out(output) += z(output); }

  static constexpr bool analytic = true;
  void assemble(const auto& z, const auto&, const Shift&, auto& out, auto* m) const {
    out(output) += z(output);
    if (m) (*m)(output, 0, output, 0) += 1;
  }
};

using StateFromState = LinearTerm<StateVariable<1>, StateVariable<1>>;
using StateFromSignal = LinearTerm<StateVariable<1>, Signal<1>>;
using SignalFromState = LinearTerm<Signal<1>, StateVariable<1>>;
using SignalFromSignal = LinearTerm<Signal<1>, Signal<1>>;

}  // namespace escapement::control

extern template class escapement::Group<escapement::control::StateFromState>;
extern template class escapement::Group<escapement::control::StateFromSignal>;
extern template class escapement::Group<escapement::control::SignalFromState>;
extern template class escapement::Group<escapement::control::SignalFromSignal>;
extern template class escapement::Group<escapement::control::Integrated>;
extern template class escapement::Group<escapement::control::Defined>;
