// A beam element of higher order: the frames between its nodes follow from the logarithms of these relative to one of them
// (T-beam-7). With order 1 and one point this is the Segment; here everything is differentiated.
#pragma once
#include "components/beam/rule.hpp"
#include "components/beam/segment.hpp"

namespace escapement::beam {

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

  /// T(d) d′ where the logarithm is d = (v, w) and its derivative along the line d′ = (dv, dw).
  template <class S>
  static Vec<6, S> strain(const Vec3<S>& v, const Vec3<S>& w, const Vec3<S>& dv, const Vec3<S>& dw) {
    const S square = dot(w, w);
    const TangentCoefficients<S> k(square);
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
    const Vec3<S> along = tangled(dv) + moved - (1.0 - square * k.b) * wm + k.a * cross(w, wm);
    return {{along[0], along[1], along[2], curvature[0], curvature[1], curvature[2]}};
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
      const Vec<6, S> e = strain(v, w, dv, dw);
      for (int k = 0; k < 6; ++k) strains[g][k] = e[k] - natural[g][k];
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

  // By hand, through the logarithms d_i of the nodes as seen from the reference: x = (d, d′) at a point is linear in them.
  static constexpr bool by_hand = true, rates = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    const Seen seen(*this, z);
    Loads loads;
    for (int k = 0; k < points; ++k) add_point(k, seen, loads, out.slopes());
    for (int p = 0; p < order; ++p) {
      const Six f = seen.pairs[p].pulled(loads.g[p]);
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 12; ++j) out.row(column(p, j)) += seen.P[p][i][j] * f[i];
      if (out.slopes()) add_tangent(p, f, seen, loads, out);
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
    along_time(moved, Point<S, typename Z::Layout>{z, {}}, 0);
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
  /// How much each point counts at −1 … 1: the polynomial through all of them.
  static std::array<double, points> shares_at(double place) {
    std::array<double, points> shares;
    for (int g = 0; g < points; ++g) {
      shares[g] = 1;
      for (int k = 0; k < points; ++k)
        if (k != g)
          shares[g] *= (place - rule<order>().place[k]) / (rule<order>().place[g] - rule<order>().place[k]);
    }
    return shares;
  }
  /// At −1 … 1, but for what viscosity adds.
  Bearing bearing(const std::array<Frame<double>, nodes>& frames, double place) const {
    const auto strains = this->strains(frames);
    const std::array<double, points> shares = shares_at(place);
    Vec<6, double> strain, load;
    for (int g = 0; g < points; ++g) {
      strain = strain + shares[g] * strains[g];
      load = load + shares[g] * this->load(strains[g], g);
    }
    return together(strain, load);
  }
  /// Strain, then load, at −1 … 1. The load in the axes of `section`.
  template <class S>
  S value_at(const auto& z, double place, const Rotation<S>& section, int index) const {
    std::array<Vec3<Dual<1, S>>, points> turns;
    const auto e = moving<S>(z, &turns);
    const Rotation<S> to = section.inverse() * (z(at[reference]).R * as<S>(on.R));
    const std::array<double, points> shares = shares_at(place);
    S sum(0.0);
    for (int g = 0; g < points; ++g) {
      const double weight = shares[g];
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

 private:
  static constexpr int other(int pair) { return pair < reference ? pair : pair + 1; }
  /// Where column j of a pair (reference, other) stands among those of the element.
  static constexpr int column(int pair, int j) { return j < 6 ? 6 * reference + j : 6 * other(pair) + j - 6; }
  /// Into the rows of one pair and the columns of another.
  static auto adding_to(double* K, int p, int q) {
    return [=](int i, int j, double x) { K[column(p, i) * 6 * nodes + column(q, j)] += x; };
  }
  using Twelve = std::array<double, 12>;
  using Parts = std::array<std::array<double, 2>, order>;  // of each pair in x: in (v, w), in (dv, dw)
  struct Point12;

  /// The other nodes as seen from the reference: where they are and how they move.
  struct Seen {
    bool body;  // the nodes turn on SE(3)
    std::array<Pair, order> pairs;
    std::array<Pair::Motion, order> P;
    std::array<Six, order> eta{}, rate{};  // relative motions; rates of the logarithms
    std::array<Twelve, order> v;

    Seen(const Element& element, const auto& z)
        : body(z.frames == Manifold::se3), pairs([&]<std::size_t... p>(std::index_sequence<p...>) {
            return std::array<Pair, order>{
                Pair(z(element.at[reference]), z(element.at[other(p)]), element.on, element.on)...};
          }(std::make_index_sequence<order>())) {
      for (int p = 0; p < order; ++p) {
        P[p] = pairs[p].motion(body);
        for (int j = 0; j < 12; ++j) v[p][j] = z.v[column(p, j)];
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 12; ++j) eta[p][i] += P[p][i][j] * v[p][j];
        rate[p] = pairs[p].D * eta[p];
      }
    }
  };
  /// On the logarithms, summed over the points.
  struct Loads {
    std::array<Six, order> g{};
    std::array<std::array<Matrix6, order>, order> G{}, C{};  // ∂g_p/∂d_q, ∂g_p/∂ḋ_q
  };

  void add_point(int k, const Seen& seen, Loads& loads, bool slopes) const {
    const auto& rule = beam::rule<order>();
    Twelve x{}, dx{};
    Parts part;
    for (int p = 0; p < order; ++p) {
      part[p] = {rule.shape[k][other(p)], 2 / length * rule.slope[k][other(p)]};
      for (int i = 0; i < 6; ++i)
        for (int half = 0; half < 2; ++half) {
          x[6 * half + i] += part[p][half] * seen.pairs[p].lambda[i];
          dx[6 * half + i] += part[p][half] * seen.rate[p][i];
        }
    }
    Point12 at_point;
    at_point.evaluate(x, slopes);
    Vec<6, double> e;
    for (int i = 0; i < 6; ++i) {
      e[i] = at_point.strain[i] - natural[k][i];
      for (int c = 0; c < 12; ++c) e[i] += viscosity * at_point.first[i][c] * dx[c];
    }
    const Vec<6, double> s = load(e, k);
    const double weight = 0.5 * length * rule.weight[k];
    Twelve h{};
    for (int i = 0; i < 6; ++i)
      for (int c = 0; c < 12; ++c) h[c] += weight * s[i] * at_point.first[i][c];
    for (int p = 0; p < order; ++p)
      for (int i = 0; i < 6; ++i) loads.g[p][i] += part[p][0] * h[i] + part[p][1] * h[6 + i];
    if (slopes) add_point_tangent(k, at_point, dx, s, weight, part, loads);
  }
  /// ∂h/∂x = Σ σ ∂²ε + Jᵀ K (J + τ ẋᵀ∂²ε), ∂h/∂ẋ = τ Jᵀ K J
  void add_point_tangent(int k, const Point12& at_point, const Twelve& dx, const Vec<6, double>& s,
                         double weight, const Parts& part, Loads& loads) const {
    std::array<Twelve, 6> stretched{}, along = at_point.first;
    for (int i = 0; i < 6; ++i)
      if (viscosity > 0)
        for (int c = 0; c < 12; ++c)
          for (int d = 0; d < 12; ++d) along[i][c] += viscosity * dx[d] * at_point.second[i][d][c];
    std::array<Twelve, 6> loaded{};
    for (int i = 0; i < 6; ++i)
      for (int l = 0; l < 6; ++l)
        for (int c = 0; c < 12; ++c) {
          loaded[i][c] += stiffness[k][i][l] * along[l][c];
          stretched[i][c] += stiffness[k][i][l] * at_point.first[l][c];
        }
    std::array<Twelve, 12> hx{}, hv{};
    for (int i = 0; i < 6; ++i)
      for (int c = 0; c < 12; ++c)
        for (int d = 0; d < 12; ++d) {
          hx[c][d] += weight * (s[i] * at_point.second[i][c][d] + at_point.first[i][c] * loaded[i][d]);
          hv[c][d] += weight * viscosity * at_point.first[i][c] * stretched[i][d];
        }
    for (int p = 0; p < order; ++p)
      for (int q = 0; q < order; ++q)
        for (int a = 0; a < 2; ++a)
          for (int b = 0; b < 2; ++b)
            for (int i = 0; i < 6; ++i)
              for (int j = 0; j < 6; ++j) {
                loads.G[p][q][i][j] += part[p][a] * part[q][b] * hx[6 * a + i][6 * b + j];
                loads.C[p][q][i][j] += part[p][a] * part[q][b] * hv[6 * a + i][6 * b + j];
              }
  }
  /// The rows of pair p, which hold Pᵀ f.
  void add_tangent(int p, const Six& f, const Seen& seen, const Loads& loads, const auto& out) const {
    const auto& [body, pairs, P, eta, rate, v] = seen;
    const auto& [g, G, C] = loads;
    pairs[p].add_turning(f, P[p], body, adding_to(out.K(), p, p));
    const Matrix6 Dt = transposed(pairs[p].D);
    for (int q = 0; q < order; ++q) {
      Matrix6 K = Dt * (G[p][q] * pairs[q].D);
      if (p == q) {
        const Matrix6 turning = pairs[p].geometric(g[p]);
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j) K[i][j] += turning[i][j];
      }
      if (viscosity > 0) {
        const Matrix6 moved = Dt * (C[p][q] * pairs[q].rate_tangent(eta[q])), c = Dt * (C[p][q] * pairs[q].D);
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j) K[i][j] += moved[i][j];
        add_product(P[p], c, P[q], adding_to(out.C(), p, q));
        add_product(P[p], c, pairs[q].velocity_change(P[q], v[q].data(), body), adding_to(out.K(), p, q));
      }
      add_product(P[p], K, P[q], adding_to(out.K(), p, q));
    }
  }
  /// The strain at a point and its derivatives by x = (v, w, dv, dw). It is linear in v and dv: second derivatives need one of w, dw.
  struct Point12 {
    Vec<6, double> strain;
    std::array<Twelve, 6> first;
    std::array<std::array<Twelve, 12>, 6> second;

    void evaluate(const Twelve& x, bool twice) {
      const auto all = [&]<class D>(auto seed) {
        Vec3<D> part[4];
        for (int c = 0; c < 12; ++c) part[c / 3][c % 3] = seed(c);
        return Element::strain(part[0], part[1], part[2], part[3]);
      };
      if (!twice) {
        using D = Dual<12>;
        const Vec<6, D> e = all.template operator()<D>([&](int c) {
          D d(x[c]);
          d.d[c] = 1;
          return d;
        });
        for (int i = 0; i < 6; ++i) {
          strain[i] = e[i].v;
          for (int c = 0; c < 12; ++c) first[i][c] = e[i].d[c];
        }
        return;
      }
      using D = Dual<12, Dual<6>>;
      constexpr int inner[12] = {-1, -1, -1, 0, 1, 2, -1, -1, -1, 3, 4, 5};
      const Vec<6, D> e = all.template operator()<D>([&](int c) {
        D d(x[c]);
        if (inner[c] >= 0) d.v.d[inner[c]] = 1;
        d.d[c] = Dual<6>(1.0);
        return d;
      });
      second = {};
      for (int i = 0; i < 6; ++i) {
        strain[i] = e[i].v.v;
        for (int c = 0; c < 12; ++c) {
          first[i][c] = e[i].d[c].v;
          for (int d = 0; d < 12; ++d)
            if (inner[d] >= 0) second[i][c][d] = second[i][d][c] = e[i].d[c].d[inner[d]];
        }
      }
    }
  };
};

}  // namespace escapement::beam

extern template struct escapement::Adaptor<escapement::beam::Element<2>>;
extern template struct escapement::Adaptor<escapement::beam::Element<3>>;
