// Elements of one's own. An element is a plain struct: its parameters, handles of its unknowns, and any of
//   potential(z)          energy V(q, …), J: forces follow
//   dissipation(z)        Rayleigh function D(q, v), W: forces follow
//   violation(z, out)     a holonomic constraint Φ(q, t) in the rows of its Multiplier; the reaction follows
//   slip(z, out)          a nonholonomic one, k(q, v, t), in those of its SlipMultiplier
//   flow(z, out)          what drains a row;  store(z, out)  what it accumulates:  d/dt store + flow = 0
//   energy(z), loss(z)    J and W, for the energy balance
//   output(z, index)      `outputs` numbers to read off
// each a template on the scalar. z(handle) is the value of an unknown, z.rate(handle) the velocity of a position, z.t the time;
// out(handle) += … writes to its row. Handles: Position<n>, Orientation, Pose, StateVariable<n>, Signal<n>, Multiplier<n>,
// SlipMultiplier<n>; a default one is ground. Elements that switch, remember or bend offer more: core/element.hpp.
//
//   struct HardeningSpring {                          // to ground, F = k (x + b x³)
//     Position<1> at;
//     double k, b;                                    // N/m, 1/m²
//     auto variables() const { return std::tie(at); } // all handles, by reference
//     auto potential(const auto& z) const {
//       const auto x = z(at);
//       return 0.5 * k * x * x * (1.0 + 0.5 * b * x * x);
//     }
//   };
//
// Where speed counts an element declares `by_hand` and writes its rows and slopes itself, in HandParts; the functions above stay,
// and element_check.hpp compares:
//
//     static constexpr bool by_hand = true;
//     void parts(const auto& z, const auto&, const auto& out) const {
//       const double x = z(at);
//       out.row(0) += k * x * (1 + b * x * x);
//       if (out.slopes()) out.stiffness(0, 0) += k * (1 + 3 * b * x * x);
//     }
//
// An element that many files use is instantiated once: `extern template struct escapement::Adaptor<HardeningSpring>;` in its
// header, and the same without `extern` in one file.
#pragma once
#include <escapement/math.hpp>

#include "core/adaptor.hpp"
#include "core/element.hpp"
#include "core/parts.hpp"
