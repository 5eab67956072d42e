// Elements: what the physics offers, and what follows from it.
//
// An element is a plain struct with parameters, handles, `auto variables() const { return std::tie(…); }` and any of
//   potential(z)        energy V(q, …):            position rows  += ∂V/∂q
//   dissipation(z)      Rayleigh function D(q,v):  position rows  += ∂D/∂v
//   violation(z, out)   Φ(q, t):                   holonomic rows  = Φ, position rows    += Φ_qᵀ λ
//   slip(z, out)        k(q, v, t):                nonholonomic rows = k, position rows  += k_vᵀ μ
//   flow(z, out)        what drains a row (raw k when written to a nonholonomic row)
//   store(z, out)       what a row accumulates: momentum p = M(q, t) v, charge, flux, mass, a controller state
// all templated on the scalar. Whatever is absent costs nothing (docs/theory.md, T-element).
// Where profiling says so it declares `by_hand` and writes rows and slopes itself: parts(z, a, out) (core/parts.hpp).
//
// An element that jumps keeps its mode in memory (`memory`), so that its equations are smooth between events, and offers
//   crossings, crossing(z, i)   how many functions; each is positive while the present mode lasts
//   cross(z, i, memory)         function i has passed zero: sets the mode, says how the run goes on (Continuation)
//   enter(z, memory)            the mode at the start, from positions and velocities
//   active(memory)              do its constraints act? While they do not, their multipliers are zero
//   loosen(memory)              constraints of finite force give way to an impact
//   strength()                  … and how large that force is: they leave to others what those can carry
//   rebound(speed), release(memory)   of one that impacts: its speed afterwards (0: it stays), and the mode then
// One whose expressions switch offers
//   sides()                     how many operations do: each has a number of memory, its side, and a crossing (T-kink)
//   each_expression(z, f)       f(expression, inputs) for each of them
//   ends_at_zero(z, i)          its function i is zero, and its mode is one that equality does not belong to (T-kink-5)
// An element that is continuous but has corners offers `kinks` and kink(z, i), which change sign there (T-event).
// One that takes sines of angles which may turn far in a step offers phases(z, angles), which appends them (T-phase).
#pragma once
#include <vector>

#include "core/continuation.hpp"
#include "core/local.hpp"

namespace escapement {

/// Which functions an element offers.
template <class E>
struct Offers {
  using L = Layout<E>;
  using Z = Values<double, L>;
  using R = Rows<double, L>;
  static constexpr bool potential = requires(const E& e, const Z& z) { e.potential(z); };
  static constexpr bool dissipation = requires(const E& e, const Z& z) { e.dissipation(z); };
  static constexpr bool violation = requires(const E& e, const Z& z, R& r) { e.violation(z, r); };
  static constexpr bool slip = requires(const E& e, const Z& z, R& r) { e.slip(z, r); };
  static constexpr bool flow = requires(const E& e, const Z& z, R& r) { e.flow(z, r); };
  static constexpr bool store = requires(const E& e, const Z& z, R& r) { e.store(z, r); };
  static constexpr bool energy = requires(const E& e, const Z& z) { e.energy(z); };
  static constexpr bool loss = requires(const E& e, const Z& z) { e.loss(z); };
  static constexpr bool kinks = requires { E::kinks; };
  static constexpr bool phases = requires(const E& e, const Z& z, std::vector<double>& a) { e.phases(z, a); };
  /// `static constexpr int outputs` numbers to read off, by output(z, index), templated on the scalar.
  static constexpr bool outputs = requires { E::outputs; };
  /// Momentum that does not depend on position: −½ ∂(v·p)/∂q is known to vanish.
  static constexpr bool constant_inertia = requires { E::constant_inertia; };
  static constexpr int memory = [] {
    if constexpr (requires { E::memory; }) return E::memory;
    return 0;
  }();
  /// Rows and slopes by hand; the functions above stay the oracle. With `rates`, they depend on velocities or accelerations.
  static constexpr bool by_hand = requires { E::by_hand; };
  static constexpr bool rates = requires { E::rates; };
  /// After every accepted step: accept(z, memory).
  static constexpr bool accept = requires(const E& e, const Z& z, double* m) { e.accept(z, m); };
  static constexpr int crossings = [] {
    if constexpr (requires { E::crossings; }) return E::crossings;
    return 0;
  }();
  /// Memory and crossings are counted at run time.
  static constexpr bool sides = requires(const E& e) { e.sides(); };
  /// A function of its crossings is zero, and its mode is one that ends there: ends_at_zero(z, i) (T-kink-5).
  static constexpr bool ends_at_zero = requires(const E& e, const Z& z) { e.ends_at_zero(z, 0); };
  static constexpr bool enter = requires(const E& e, const Z& z, double* m) { e.enter(z, m); };
  /// Constraints that come and go.
  static constexpr bool switches = requires(const E& e, const double* m) { e.active(m); };
  static constexpr bool loosen = requires(const E& e, double* m) { e.loosen(m); };
  static constexpr bool strength = requires(const E& e) { e.strength(); };
  static constexpr bool rebound = requires(const E& e) { e.rebound(1.0); };
  /// Does it write any row? Elements with outputs alone do not.
  static constexpr bool acts = potential || dissipation || violation || slip || flow || store;
};

}  // namespace escapement
