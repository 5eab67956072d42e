#include "components/beam/element.hpp"

#include <cmath>

template struct escapement::Adaptor<escapement::beam::Element<2>>;
template struct escapement::Adaptor<escapement::beam::Element<3>>;

namespace escapement::beam {

double node_place(int order, int i) {
  if (i == 0) return -1;
  if (i == order) return 1;
  return order == 2 ? 0 : (2 * i - 3) / std::sqrt(5.0);
}

namespace {

/// Of Gauss's rule with n points.
void gauss(int n, double* place, double* weight) {
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int round = 0; round < 20; ++round) {
      double p = 1, before = 0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
      }
      slope = n * (before - x * p) / (1 - x * x);
      x -= p / slope;
    }
    place[i] = x;
    weight[i] = 2 / ((1 - x * x) * slope * slope);
  }
}

/// Lagrange's polynomial number i through these places, and its slope.
template <std::size_t n>
double lagrange(const std::array<double, n>& node, std::size_t i, double x, double& slope) {
  double value = 1;
  slope = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (k == i) continue;
    slope = slope * (x - node[k]) / (node[i] - node[k]) + value / (node[i] - node[k]);
    value *= (x - node[k]) / (node[i] - node[k]);
  }
  return value;
}

template <int order>
Rule<order> make_rule() {
  Rule<order> r{};
  gauss(order, r.place.data(), r.weight.data());
  for (int i = 0; i <= order; ++i) r.node[i] = node_place(order, i);
  for (int g = 0; g < order; ++g)
    for (int i = 0; i <= order; ++i) r.shape[g][i] = lagrange(r.node, i, r.place[g], r.slope[g][i]);
  double place[order + 1], weight[order + 1], unused;  // exact for the products of two
  gauss(order + 1, place, weight);
  for (int g = 0; g <= order; ++g)
    for (int i = 0; i <= order; ++i) {
      const double n = lagrange(r.node, i, place[g], unused);
      r.share[i] += 0.5 * weight[g] * n;
      for (int j = 0; j <= order; ++j)
        r.mass[i][j] += 0.5 * weight[g] * n * lagrange(r.node, j, place[g], unused);
    }
  return r;
}

}  // namespace

template <int order>
const Rule<order>& rule() {
  static const Rule<order> made = make_rule<order>();
  return made;
}
template const Rule<1>& rule<1>();
template const Rule<2>& rule<2>();
template const Rule<3>& rule<3>();

}  // namespace escapement::beam
