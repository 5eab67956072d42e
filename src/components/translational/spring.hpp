// Springs between two sliders (or shafts): linear, or with the force given as a function of elongation and its rate.
// Force positive in tension.
#pragma once
#include "components/control/table_pieces.hpp"
#include "core/adaptor.hpp"
#include "model/expression.hpp"

namespace escapement {
class Build;
}

namespace escapement::translational {

struct Spring {
  Position<1> a, b;
  double stiffness;        // N/m
  double rest_length = 0;  // m, of b − a

  static constexpr int outputs = 2;  // force, elongation
  auto variables() const { return std::tie(a, b); }
  auto potential(const auto& z) const { return 0.5 * stiffness * square(z(b) - z(a) - rest_length); }
  auto output(const auto& z, int index) const {
    const auto elongation = z(b) - z(a) - rest_length;
    return index == 0 ? stiffness * elongation : elongation;
  }
};

/// The force given by points or by an expression of (elongation, velocity).
struct SpringByLaw {
  Position<1> a, b;
  std::shared_ptr<const TablePieces> table;  // either this
  std::shared_ptr<const Expression> law;
  double rest_length = 0;  // m

  static constexpr int outputs = 2;
  auto variables() const { return std::tie(a, b); }
  int sides() const { return law ? law->sides() : table->sides(); }
  void each_expression(const auto& z, const auto& f) const {
    const std::array inputs{z(b) - z(a) - rest_length, z.rate(b) - z.rate(a)};
    if (law) f(*law, inputs);
    else f(*table, inputs);
  }
  template <class S>
  S force(const S& elongation, const S& velocity, const double* sides) const {
    if (table) return table->evaluate(elongation, sides);
    const std::array<S, 2> inputs{elongation, velocity};
    return law->evaluate<S>(inputs, sides);
  }
  void flow(const auto& z, auto& out) const {
    const auto f = force(z(b) - z(a) - rest_length, z.rate(b) - z.rate(a), z.memory);
    out(a) -= f;
    out(b) += f;
  }
  auto output(const auto& z, int index) const {
    const auto elongation = z(b) - z(a) - rest_length;
    return index == 0 ? force(elongation, z.rate(b) - z.rate(a), z.memory) : elongation;
  }
};

/// Shared by both domains: `force` and `elongation` are what they call the law and the channel.
void build_spring(Build& b, const char* law, const char* force, const char* elongation, const char* rest);

}  // namespace escapement::translational

extern template struct escapement::Adaptor<escapement::translational::Spring>;
extern template struct escapement::Adaptor<escapement::translational::SpringByLaw>;
