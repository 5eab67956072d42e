// A segment of a beam between two frames: sections that move rigidly, along a line whose strain and curvature are the same all
// over the segment, so that every rigid motion leaves it alone and a circle or a helix is exact (T-beam).
#pragma once
#include "components/beam/pair.hpp"
#include "core/adaptor.hpp"

namespace escapement::beam {

/// Forces and moments per strain and curvature, section axes: axial, two of shear, torsion, two of bending.
using Stiffness = Matrix6;
/// Of a positive definite one: the flexibility, and back.
Stiffness inverse(Stiffness stiffness);

/// The stiffness of a segment of this length: bending that varies along it, as a shear force makes it do, bends it further than its
/// middle tells, by L²/12 of the flexibility in bending per shear force (residual flexibility, T-beam-5). Positive definite as the
/// one given.
Stiffness of_segment(const Stiffness& section, double length);

/// What a section bears: strain, then load, in its axes.
using Bearing = std::array<double, 12>;
inline Bearing together(const Vec<6, double>& strain, const Vec<6, double>& load) {
  Bearing all;
  for (int i = 0; i < 6; ++i) all[i] = strain[i], all[6 + i] = load[i];
  return all;
}

struct Segment {
  Pose a, b;
  Frame<double> on_a{}, on_b{};  // the sections at the ends, relative to the nodes; x along the line
  double length;                 // m, unloaded
  Stiffness stiffness;           // N, N m²
  Vec<6, double> natural{
      {1}};  // the line's direction per length, and its curvature (1/m), unloaded; section axes

  auto variables() const { return std::tie(a, b); }

  /// Section B as seen from section A.
  template <class S>
  Frame<S> relative(const auto& z) const {
    return (z(a) * as<S>(on_a)).inverse() * (z(b) * as<S>(on_b));
  }
  /// Elongation, shear, twist and curvature: the logarithm of the relative frame per length (T-beam-1).
  template <class S>
  Vec<6, S> strain(const Frame<S>& H) const {
    const Vec3<S> turn = log_so3(H.R);
    const Vec3<S> along = untangled(turn, H.x, InverseTangent<S>(dot(turn, turn)).e, true);
    Vec<6, S> strain;
    for (int i = 0; i < 3; ++i) {
      strain[i] = 1 / length * along[i] - natural[i];
      strain[3 + i] = 1 / length * turn[i] - natural[3 + i];
    }
    return strain;
  }
  template <class S>
  Vec<6, S> load(const Vec<6, S>& strain) const {
    Vec<6, S> load;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) load[i] += stiffness[i][j] * strain[j];
    return load;
  }
  /// The strain of the section in its middle, of this flexibility, under this load: the segment's own also has what the variation of the
  /// moment along it makes (T-beam-8).
  template <class S>
  static Vec<6, S> section_strain(const Vec<6, S>& load, const Stiffness& flexibility) {
    Vec<6, S> strain;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) strain[i] += flexibility[i][j] * load[j];
    return strain;
  }
  /// In its middle, but for what viscosity adds.
  Bearing bearing(const Frame<double>& H, const Stiffness& flexibility) const {
    const Vec<6, double> load = this->load(strain(H));
    return together(section_strain(load, flexibility), load);
  }
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec<6, S> e = strain(relative<S>(z));
    return 0.5 * length * dot(e, load(e));
  }
  double energy(const auto& z) const { return potential(z); }

  /// What a load makes at the ends: with the strain λ/L = log H/L, f = (∂λ/∂η)ᵀ σ, η the motions of the ends in their own axes
  /// (T-beam-2).
  template <class S>
  struct Ends {
    Vec3<S> force[2], moment[2];  // what the segment takes from A and B, axes of the sections
  };
  template <class S>
  Ends<S> ends(const Frame<S>& H) const {
    const Vec<6, S> load = this->load(strain(H));
    const Vec3<S> n{{load[0], load[1], load[2]}}, m{{load[3], load[4], load[5]}};
    const Vec3<S> w = log_so3(H.R);
    const InverseTangent<S> k(dot(w, w));
    const Vec3<S> wx = cross(w, H.x);
    // (∂(V⁻¹(w) x)/∂w)ᵀ n + m
    const Vec3<S> turning = m - 0.5 * cross(H.x, n) + k.e * (cross(wx, n) - cross(H.x, cross(w, n))) +
                            (2.0 * k.slope * dot(cross(w, wx), n)) * w;
    const Vec3<S> at_a = untangled(w, n, k.e, false);
    return {{-at_a, untangled(w, n, k.e, true)},
            {-cross(H.x, at_a) - untangled(w, turning, k.e, false), untangled(w, turning, k.e, true)}};
  }

  // By hand.
  static constexpr bool by_hand = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    if (!out.slopes()) return rows(z, out.rows());
    const Pair pair(z(a), z(b), on_a, on_b);
    const Six s = load_of(pair.lambda);
    const Six f = pair.pulled(s);
    const Pair::Motion P = pair.motion(false);
    add_rows(P, f, out.rows());
    // K = Pᵀ (Dᵀ K/L D + ∂(Dᵀσ)/∂η) P + ∂Pᵀ f
    Matrix6 G = transposed(pair.D) * (per_logarithm() * pair.D);
    const Matrix6 turning = pair.geometric(s);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) G[i][j] += turning[i][j];
    add_product(P, G, P, adding_to(out.K()));
    pair.add_turning(f, P, false, adding_to(out.K()));
  }

 protected:
  /// ∂σ/∂λ
  Matrix6 per_logarithm() const {
    Matrix6 k = stiffness;
    for (Six& row : k)
      for (double& x : row) x /= length;
    return k;
  }
  Six load_of(const Six& lambda) const {
    Six strain;
    for (int i = 0; i < 6; ++i) strain[i] = lambda[i] / length - natural[i];
    return stiffness * strain;
  }
  static void add_rows(const Pair::Motion& P, const Six& f, double* rows) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 12; ++j) rows[j] += P[i][j] * f[i];
  }
  static auto adding_to(double* K) {
    return [K](int i, int j, double x) { K[12 * i + j] += x; };
  }
  void rows(const auto& z, double* rows) const {
    const Ends<double> f = ends(relative<double>(z));
    const Pose* nodes[2] = {&a, &b};
    const Frame<double>* sections[2] = {&on_a, &on_b};
    for (int i = 0; i < 2; ++i) {
      const Vector3 force = sections[i]->R * f.force[i];
      const Vector3 world = z(*nodes[i]).R * force;
      const Vector3 moment = sections[i]->R * f.moment[i] + cross(sections[i]->x, force);
      for (int k = 0; k < 3; ++k) {
        rows[6 * i + k] = world[k];
        rows[6 * i + 3 + k] = moment[k];
      }
    }
  }
};

/// A segment whose load follows the rate of its strain, too: σ = K (ε + τ ε̇) (T-beam-6).
struct DampedSegment : Segment {
  double viscosity = 0;  // τ, s

  /// The motion of section B relative to section A, in the axes of B.
  template <class S>
  Vec<6, S> relative_velocity(const auto& z, const Frame<S>& H) const {
    const auto velocity = [&](const Pose& node, const Frame<double>& section) {
      const Vec3<S> w = z.angular_velocity(node), v = z(node).R.inverse() * z.linear_velocity(node);
      const Rotation<S> back = as<S>(section.R).inverse();
      return std::pair{back * (v + cross(w, as<S>(section.x))), back * w};
    };
    const auto [va, wa] = velocity(a, on_a);
    const auto [vb, wb] = velocity(b, on_b);
    const Rotation<S> back = H.R.inverse();
    const Vec3<S> v = vb - back * (va + cross(wa, H.x)), w = wb - back * wa;
    return {{v[0], v[1], v[2], w[0], w[1], w[2]}};
  }
  /// ε̇ = ∂λ/∂η η / L.
  template <class S>
  Vec<6, S> strain_rate(const Frame<S>& H, const Vec<6, S>& eta) const {
    Vec<6, S> rate = Pair::rate(H, eta);
    for (int i = 0; i < 6; ++i) rate[i] = 1 / length * rate[i];
    return rate;
  }
  template <class S>
  Vec<6, S> whole_load(const Frame<S>& H, const Vec<6, S>& eta) const {
    const Vec<6, S> e = strain(H), rate = strain_rate(H, eta);
    Vec<6, S> sum;
    for (int i = 0; i < 6; ++i) sum[i] = e[i] + viscosity * rate[i];
    return load(sum);
  }
  auto dissipation(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Frame<S> H = relative<S>(z);
    const Vec<6, S> rate = strain_rate(H, relative_velocity(z, H));
    return 0.5 * viscosity * length * dot(rate, load(rate));
  }
  double loss(const auto& z) const { return 2 * dissipation(z); }
  /// Strain of the section, of this flexibility, then load: those of its middle. The load in the axes of `section`.
  template <class S>
  S value_at(const auto& z, const Stiffness& flexibility, const Rotation<S>& section, int index) const {
    const Frame<S> H = relative<S>(z);
    if (index < 6) return section_strain(load(strain(H)), flexibility)[index];
    const Vec<6, S> s = whole_load(H, relative_velocity(z, H));
    const int first = index < 9 ? 0 : 3;
    const Vec3<S> there = turned(0.5 * log_so3(H.R), Vec3<S>{{s[first], s[first + 1], s[first + 2]}});
    return (section.inverse() * (z(a).R * (as<S>(on_a.R) * there)))[index % 3];
  }

  static constexpr bool rates = true;
  void parts(const auto& z, const auto&, const auto& out) const {
    const bool body = z.frames == Manifold::se3;
    const Pair pair(z(a), z(b), on_a, on_b);
    const Pair::Motion P = pair.motion(body);
    Six eta{};  // relative velocity, P v
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 12; ++j) eta[i] += P[i][j] * z.v[j];
    // σ = K/L (λ − λ_0 + τ D η)
    const Matrix6 k = per_logarithm();
    Six s = load_of(pair.lambda);
    const Six viscous = k * (pair.D * eta);
    for (int i = 0; i < 6; ++i) s[i] += viscosity * viscous[i];
    const Six f = pair.pulled(s);
    add_rows(P, f, out.rows());
    if (!out.slopes()) return;
    const Matrix6 Dt = transposed(pair.D), kD = k * pair.D;
    // Along relative velocities: C = Pᵀ τ Dᵀ K/L D P …
    Matrix6 G = Dt * kD, C = G;
    for (Six& row : C)
      for (double& x : row) x *= viscosity;
    add_product(P, C, P, adding_to(out.C()));
    // … along relative motions: K/L (D + τ ∂(Dη)/∂η), and the load stays …
    const Matrix6 rate = Dt * (k * pair.rate_tangent(eta)), turning = pair.geometric(s);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) G[i][j] += viscosity * rate[i][j] + turning[i][j];
    add_product(P, G, P, adding_to(out.K()));
    pair.add_turning(f, P, body, adding_to(out.K()));
    // … and what motions of the nodes do to the relative velocity while their own stay.
    add_product(P, C, pair.velocity_change(P, z.v.data(), body), adding_to(out.K()));
  }
};

}  // namespace escapement::beam

extern template struct escapement::Adaptor<escapement::beam::Segment>;
extern template struct escapement::Adaptor<escapement::beam::DampedSegment>;
