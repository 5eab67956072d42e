// A beam element of higher order: the frames between its nodes follow from the logarithms of these relative to one of them
// (T-beam-7). With order 1 and one point this is the Segment; here everything is differentiated.
#pragma once
#include "components/beam/segment.hpp"

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

template <int order>
struct Element {
  static constexpr int nodes = order + 1, points = order, reference = order / 2;
  std::array<Pose, nodes> at;
  Frame<double> on{};  // of the sections, relative to the nodes
  double length;       // m, unloaded
  std::array<Stiffness, points> stiffness;
  std::array<Vec<6, double>, points> natural{};  // of the unloaded element, in its own interpolation
  double viscosity = 0;                          // s

  auto variables() const {
    return std::apply([](const auto&... h) { return std::tie(h...); }, at);
  }

  /// Strain and curvature at all points.
  template <class S>
  std::array<Vec<6, S>, points> strains(const std::array<Frame<S>, nodes>& frames,
                                        std::array<Vec3<S>, points>* turns = nullptr) const {
    Vec3<S> along[nodes], turn[nodes];
    const Frame<S> back = frames[reference].inverse();
    for (int i = 0; i < nodes; ++i) {
      if (i == reference) continue;
      const Frame<S> H = back * frames[i];
      turn[i] = log_so3(H.R);
      along[i] = untangled(turn[i], H.x, InverseTangent<S>(dot(turn[i], turn[i])).e, true);
    }
    std::array<Vec<6, S>, points> strains;
    for (int g = 0; g < points; ++g) {
      Vec3<S> v, w, dv, dw;  // the logarithm there, and its derivative along the line
      for (int i = 0; i < nodes; ++i) {
        if (i == reference) continue;
        const double n = rule<order>().shape[g][i], slope = 2 / length * rule<order>().slope[g][i];
        v += n * along[i];
        w += n * turn[i];
        dv += slope * along[i];
        dw += slope * turn[i];
      }
      if (turns) (*turns)[g] = w;
      const TangentCoefficients<S> k(dot(w, w));
      const auto tangled = [&](const Vec3<S>& x) {  // T(w) x
        const Vec3<S> wx = cross(w, x);
        return x - k.a * wx + k.b * cross(w, wx);
      };
      const Vec3<S> curvature = tangled(dw);
      // Rᵀ d(V(w) v) = T(w) dv + Rᵀ (dV v)
      const S rate = 2.0 * dot(w, dw);
      const Vec3<S> wv = cross(w, v), dwv = cross(dw, v);
      const Vec3<S> moved = (k.a_slope * rate) * wv + k.a * dwv + (k.b_slope * rate) * cross(w, wv) +
                            k.b * (cross(dw, wv) + cross(w, dwv));
      const Vec3<S> wm = cross(w, moved);
      const Vec3<S> direction = tangled(dv) + moved - (1.0 - dot(w, w) * k.b) * wm + k.a * cross(w, wm);
      for (int i = 0; i < 3; ++i) {
        strains[g][i] = direction[i] - natural[g][i];
        strains[g][3 + i] = curvature[i] - natural[g][3 + i];
      }
    }
    return strains;
  }
  template <class S>
  std::array<Frame<S>, nodes> frames(const auto& z) const {
    std::array<Frame<S>, nodes> f;
    for (int i = 0; i < nodes; ++i) f[i] = z(at[i]) * as<S>(on);
    return f;
  }
  template <class S>
  Vec<6, S> load(const Vec<6, S>& strain, int g) const {
    Vec<6, S> load;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) load[i] += stiffness[g][i][j] * strain[j];
    return load;
  }

  void flow(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    constexpr int n = 6 * nodes;
    using D = Dual<n, S>;
    auto moved = lifted<n>(z);
    along_positions(moved, z, 0);
    const auto e = strains(frames<D>(moved));
    for (int g = 0; g < points; ++g) {
      Vec<6, S> strain;
      for (int i = 0; i < 6; ++i) {
        strain[i] = e[g][i].v;
        if (viscosity > 0)
          for (int j = 0; j < n; ++j) strain[i] += viscosity * e[g][i].d[j] * z.v[j];
      }
      const Vec<6, S> s = load(strain, g);
      const double part = 0.5 * length * rule<order>().weight[g];
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < 6; ++i) out.r[j] += part * (s[i] * e[g][i].d[j]);
    }
  }
  double energy(const auto& z) const {
    const auto e = strains(frames<double>(z));
    double sum = 0;
    for (int g = 0; g < points; ++g)
      sum += 0.25 * length * rule<order>().weight[g] * dot(e[g], load(e[g], g));
    return sum;
  }
  /// Strains and their rates; the turns of the sections there from the reference node, if wanted.
  template <class S>
  auto moving(const auto& z, std::array<Vec3<Dual<1, S>>, points>* turns = nullptr) const {
    using Z = std::remove_cvref_t<decltype(z)>;
    auto moved = lifted<1>(z);
    along_time(moved, Point<S, typename Z::Sizes>{z, {}}, 0);
    return strains(frames<Dual<1, S>>(moved), turns);
  }
  double loss(const auto& z) const {
    const auto e = moving<double>(z);
    double sum = 0;
    for (int g = 0; g < points; ++g) {
      Vec<6, double> rate;
      for (int i = 0; i < 6; ++i) rate[i] = e[g][i].d[0];
      sum += 0.5 * length * rule<order>().weight[g] * viscosity * dot(rate, load(rate, g));
    }
    return sum;
  }
  /// Strain, then load, at −1 … 1: through the points. The load in the axes of `section`.
  template <class S>
  S value_at(const auto& z, double place, const Rotation<S>& section, int index) const {
    std::array<Vec3<Dual<1, S>>, points> turns;
    const auto e = moving<S>(z, &turns);
    const Rotation<S> to = section.inverse() * (z(at[reference]).R * as<S>(on.R));
    S sum(0.0);
    for (int g = 0; g < points; ++g) {
      double weight = 1;
      for (int k = 0; k < points; ++k)
        if (k != g)
          weight *= (place - rule<order>().place[k]) / (rule<order>().place[g] - rule<order>().place[k]);
      if (index < 6) {
        sum += weight * e[g][index].v;
        continue;
      }
      Vec<6, S> strain;
      for (int i = 0; i < 6; ++i) strain[i] = e[g][i].v + viscosity * e[g][i].d[0];
      const Vec<6, S> s = load(strain, g);
      const int first = index < 9 ? 0 : 3;
      const Vec3<S> w{{turns[g][0].v, turns[g][1].v, turns[g][2].v}};
      sum += weight * (to * turned(w, Vec3<S>{{s[first], s[first + 1], s[first + 2]}}))[index % 3];
    }
    return sum;
  }
};

/// The mass of an element, its velocity interpolated between the nodes, and its weight.
template <int order>
struct ElementInertia {
  std::array<Pose, order + 1> at;
  double mass;        // kg
  Vector3 gravity{};  // m/s²

  auto variables() const {
    return std::apply([](const auto&... h) { return std::tie(h...); }, at);
  }
  void store(const auto& z, auto& out) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    for (int i = 0; i <= order; ++i) {
      Vec3<S> p;
      for (int j = 0; j <= order; ++j) p += (mass * rule<order>().mass[i][j]) * z.linear_velocity(at[j]);
      if (z.frames == Manifold::se3) p = z(at[i]).R.inverse() * p;
      for (int k = 0; k < 3; ++k) out(at[i])[k] += p[k];
    }
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    S sum(0.0);
    for (int i = 0; i <= order; ++i) sum -= mass * rule<order>().even[i] * dot(as<S>(gravity), z(at[i]).x);
    return sum;
  }
  double energy(const auto& z) const {
    double sum = potential(z);
    for (int i = 0; i <= order; ++i)
      for (int j = 0; j <= order; ++j)
        sum +=
            0.5 * mass * rule<order>().mass[i][j] * dot(z.linear_velocity(at[i]), z.linear_velocity(at[j]));
    return sum;
  }
};

}  // namespace escapement::beam

extern template class escapement::Group<escapement::beam::Element<2>>;
extern template class escapement::Group<escapement::beam::Element<3>>;
extern template class escapement::Group<escapement::beam::ElementInertia<2>>;
extern template class escapement::Group<escapement::beam::ElementInertia<3>>;
