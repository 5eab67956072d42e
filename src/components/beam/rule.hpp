// The numbers of elements of order 1, 2 and 3: points of integration and interpolation between nodes.
#pragma once
#include <array>

namespace escapement::beam {

/// Where node i of an element is, on −1 … 1.
double node_place(int order, int i);
/// Of an element, on −1 … 1: Gauss's rule with n points for the strain; n + 1 nodes at the places of Lobatto's rule (T-beam-9),
/// and Lagrange's polynomials through them.
template <int order>
struct Rule {
  std::array<double, order> place, weight;
  std::array<std::array<double, order + 1>, order> shape, slope;  // [point][node]
  std::array<double, order + 1> node, share;                      // places of the nodes; their weights, sum 1
  /// Consistent mass, of a mass of 1.
  std::array<std::array<double, order + 1>, order + 1> mass;
};
template <int order>
const Rule<order>& rule();
extern template const Rule<1>& rule<1>();
extern template const Rule<2>& rule<2>();
extern template const Rule<3>& rule<3>();

}  // namespace escapement::beam
