// The numbers of elements of order 1, 2 and 3: points of integration and interpolation between nodes.
#pragma once
#include <array>

namespace escapement::beam {

/// Places and weights on −1 … 1 of Gauss's rule with n points, and Lagrange's polynomials through n + 1 even places.
template <int order>
struct Rule {
  std::array<double, order> place, weight;
  std::array<std::array<double, order + 1>, order> shape, slope;  // [point][node]
  std::array<double, order + 1> even;                             // weights of the nodes' own rule, sum 1
  /// Consistent mass, of a mass of 1.
  std::array<std::array<double, order + 1>, order + 1> mass;
};
template <int order>
const Rule<order>& rule();
extern template const Rule<1>& rule<1>();
extern template const Rule<2>& rule<2>();
extern template const Rule<3>& rule<3>();

}  // namespace escapement::beam
