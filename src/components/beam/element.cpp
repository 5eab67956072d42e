#include "components/beam/element.hpp"

#include <cmath>

template class escapement::Group<escapement::beam::Element<2>>;
template class escapement::Group<escapement::beam::Element<3>>;

namespace escapement::beam {
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

/// Lagrange's polynomial number i through n + 1 even places, and its slope.
double lagrange(int n, int i, double x, double& slope) {
  const auto node = [n](int k) { return -1 + 2.0 * k / n; };
  double value = 1;
  slope = 0;
  for (int k = 0; k <= n; ++k) {
    if (k == i) continue;
    slope = slope * (x - node(k)) / (node(i) - node(k)) + value / (node(i) - node(k));
    value *= (x - node(k)) / (node(i) - node(k));
  }
  return value;
}

template <int order>
Rule<order> make_rule() {
  Rule<order> r{};
  gauss(order, r.place.data(), r.weight.data());
  for (int g = 0; g < order; ++g)
    for (int i = 0; i <= order; ++i) r.shape[g][i] = lagrange(order, i, r.place[g], r.slope[g][i]);
  double place[order + 1], weight[order + 1], unused;  // exact for the products of two
  gauss(order + 1, place, weight);
  for (int g = 0; g <= order; ++g)
    for (int i = 0; i <= order; ++i) {
      const double n = lagrange(order, i, place[g], unused);
      r.even[i] += 0.5 * weight[g] * n;
      for (int j = 0; j <= order; ++j)
        r.mass[i][j] += 0.5 * weight[g] * n * lagrange(order, j, place[g], unused);
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
