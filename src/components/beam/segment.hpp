// A segment of a beam between two frames: sections that move rigidly, along a line whose strain and curvature are the same all
// over the segment, so that every rigid motion leaves it alone and a circle or a helix is exact (T-beam).
#pragma once
#include "core/group.hpp"

namespace escapement::beam {

/// Forces and moments per strain and curvature, section axes: axial, two of shear, torsion, two of bending.
using Stiffness = std::array<std::array<double, 6>, 6>;
/// Of a positive definite one: the flexibility, and back.
Stiffness inverse(Stiffness stiffness);

/// The stiffness of a segment of this length: bending that varies along it, as a shear force makes it do, bends it further than its
/// middle tells, by L²/12 of the flexibility in bending per shear force (residual flexibility, T-beam-5). Positive definite as the
/// one given.
Stiffness of_segment(const Stiffness& section, double length);

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
  auto potential(const auto& z) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec<6, S> e = strain(relative<S>(z));
    return 0.5 * length * dot(e, load(e));
  }
  double energy(const auto& z) const { return potential(z); }

  // By hand.
  template <class S>
  struct Ends {
    Vec3<S> force[2], moment[2];  // what the segment takes from A and B, axes of the sections
  };
  /// What a load makes at the ends: with the strain λ/L = log H/L, f = (∂λ/∂η)ᵀ σ, η the motions of the ends in their own axes
  /// (T-beam-2).
  template <class S>
  static Ends<S> ends(const Frame<S>& H, const Vec<6, S>& load) {
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
  template <class S>
  Ends<S> ends(const Frame<S>& H) const {
    return ends(H, load(strain(H)));
  }

  /// H along the six motions of B relative to A: x += R v, R += R ŵ.
  template <int m>
  static Frame<Dual<m>> moved(const Frame<double>& H) {
    Frame<Dual<m>> moved{as<Dual<m>>(H.R), as<Dual<m>>(H.x)};
    const Matrix3 R = matrix(H.R);
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) moved.x[k].d[j] = R.m[k][j];
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      moved.R.w.d[3 + j] = -0.5 * H.R.u[j];
      moved.R.u[j].d[3 + j] = 0.5 * H.R.w;
      moved.R.u[j1].d[3 + j] = 0.5 * H.R.u[j2];
      moved.R.u[j2].d[3 + j] = -0.5 * H.R.u[j1];
    }
    return moved;
  }
  /// The relative motion that motions of the nodes make: with B itself, and against A as seen from B.
  /// A: v = −Rᵀ(v_A + w_A × x) with v_A = Sᵀ(Nᵀ dx + dw × s), w_A = Sᵀ dw; B: the same without the lever x. In the axes of the
  /// nodes (`body`) there is no N.
  using Relative = std::array<std::array<double, 12>, 6>;
  Relative relative_motion(const auto& z, const Frame<double>& H, bool body) const {
    const Pose* nodes[2] = {&a, &b};
    const Frame<double>* sections[2] = {&on_a, &on_b};
    const Matrix3 R = matrix(H.R);
    Relative P;
    for (int i = 0; i < 2; ++i) {
      const Matrix3 section = transposed(matrix(sections[i]->R));
      const Matrix3 turn = i == 0 ? (-1.0) * (transposed(R) * section) : section;
      const Matrix3 move = body ? turn : turn * transposed(matrix(z(*nodes[i]).R));
      Matrix3 lever = turn * ((-1.0) * hat(sections[i]->x));
      if (i == 0) lever = lever + (-1.0) * (transposed(R) * ((-1.0) * hat(H.x)) * section);
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) {
          P[k][6 * i + j] = move.m[k][j];
          P[k][6 * i + 3 + j] = lever.m[k][j];
          P[3 + k][6 * i + j] = 0;
          P[3 + k][6 * i + 3 + j] = turn.m[k][j];
        }
    }
    return P;
  }
  /// From loads in section axes to rows of the nodes: forces in world axes, or (`body`) in those of the node.
  template <class S>
  void to_nodes(const auto& z, const Ends<S>& f, bool body, double* rows) const {
    const Pose* nodes[2] = {&a, &b};
    const Frame<double>* sections[2] = {&on_a, &on_b};
    for (int i = 0; i < 2; ++i) {
      const Vector3 force = sections[i]->R * f.force[i];
      const Vector3 row = body ? force : z(*nodes[i]).R * force;
      const Vector3 moment = sections[i]->R * f.moment[i] + cross(sections[i]->x, force);
      for (int k = 0; k < 3; ++k) {
        rows[6 * i + k] = row[k];
        rows[6 * i + 3 + k] = moment[k];
      }
    }
  }
  /// Column j of a tangent, from the change of the loads along it; in world axes the forces turn with the nodes, too.
  void change(const auto& z, const Ends<double>& f, const Ends<double>& df, int j, bool body,
              double (&column)[12]) const {
    to_nodes(z, df, body, column);
    const int i = j / 6, k = j % 6 - 3;
    if (body || k < 0) return;
    Vector3 axis{};
    axis[k] = 1;
    const Vector3 turned = z(i == 0 ? a : b).R * cross(axis, (i == 0 ? on_a : on_b).R * f.force[i]);
    for (int l = 0; l < 3; ++l) column[6 * i + l] += turned[l];
  }
  /// The derivatives of dual loads along `weights` of their directions.
  template <int m>
  static Ends<double> along(const Ends<Dual<m>>& f, const double (&weights)[m]) {
    Ends<double> r;
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k) {
        double force = 0, moment = 0;
        for (int l = 0; l < m; ++l) {
          force += f.force[i][k].d[l] * weights[l];
          moment += f.moment[i][k].d[l] * weights[l];
        }
        r.force[i][k] = force;
        r.moment[i][k] = moment;
      }
    return r;
  }

  static constexpr bool by_hand = true;
  template <class L>
  void motion(const Values<double, L>& z, const std::array<double, 12>&, Rows<double, L>& r,
              MotionTangent<L, false>* t) const {
    const Frame<double> H = relative<double>(z);
    const Ends<double> f = ends(H);
    to_nodes(z, f, false, r.r.data());
    if (!t) return;
    const Ends<Dual<6>> df = ends(moved<6>(H));
    const Relative P = relative_motion(z, H, false);
    for (int j = 0; j < 12; ++j) {
      double weights[6], column[12];
      for (int k = 0; k < 6; ++k) weights[k] = P[k][j];
      change(z, f, along(df, weights), j, false, column);
      for (int i = 0; i < 12; ++i) t->stiffness(i, j) = column[i];
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
    const Vec3<S> w = log_so3(H.R), wx = cross(w, H.x);
    const InverseTangent<S> k(dot(w, w));
    const Vec3<S> dw = untangled(w, Vec3<S>{{eta[3], eta[4], eta[5]}}, k.e, false);
    const Vec3<S> along = untangled(w, Vec3<S>{{eta[0], eta[1], eta[2]}}, k.e, false) - 0.5 * cross(dw, H.x) +
                          k.e * (cross(dw, wx) + cross(w, cross(dw, H.x))) +
                          (2.0 * k.slope * dot(w, dw)) * cross(w, wx);
    Vec<6, S> rate;
    for (int i = 0; i < 3; ++i) {
      rate[i] = 1 / length * along[i];
      rate[3 + i] = 1 / length * dw[i];
    }
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
  /// Strain, then load: those of its middle. The load in the axes of `section`.
  template <class S>
  S value_at(const auto& z, const Rotation<S>& section, int index) const {
    const Frame<S> H = relative<S>(z);
    if (index < 6) return strain(H)[index];
    const Vec<6, S> s = whole_load(H, relative_velocity(z, H));
    const int first = index < 9 ? 0 : 3;
    const Vec3<S> there = turned(0.5 * log_so3(H.R), Vec3<S>{{s[first], s[first + 1], s[first + 2]}});
    return (section.inverse() * (z(a).R * (as<S>(on_a.R) * there)))[index % 3];
  }

  static constexpr bool rates = true;
  template <class L>
  void motion(const Values<double, L>& z, const std::array<double, 12>&, Rows<double, L>& r,
              MotionTangent<L, true>* t) const {
    const bool se3 = z.frames == Manifold::se3;
    const Frame<double> H = relative<double>(z);
    const Vec<6, double> eta = relative_velocity(z, H);
    const Ends<double> f = ends(H, whole_load(H, eta));
    to_nodes(z, f, se3, r.r.data());
    if (!t) return;
    // Along the relative motion (6) and along the relative velocity (6).
    using D = Dual<12>;
    const Frame<D> HD = moved<12>(H);
    Vec<6, D> etaD;
    for (int i = 0; i < 6; ++i) {
      etaD[i] = D(eta[i]);
      etaD[i].d[6 + i] = 1;
    }
    const Ends<D> df = ends(HD, whole_load(HD, etaD));
    const Relative P = relative_motion(z, H, se3);
    // U = Ad(H⁻¹) V_A: what A's motion is as seen from B; a relative motion δ turns it, dη = ad(δ) U.
    double U[6];
    for (int k = 0; k < 6; ++k) {
      U[k] = 0;
      for (int j = 0; j < 6; ++j) U[k] -= P[k][j] * z.v[j];
    }
    const Vector3 Uv{{U[0], U[1], U[2]}}, Uw{{U[3], U[4], U[5]}};
    for (int j = 0; j < 12; ++j) {
      double weights[12] = {}, column[12];
      for (int k = 0; k < 6; ++k) weights[6 + k] = P[k][j];
      to_nodes(z, along(df, weights), se3, column);
      for (int i = 0; i < 12; ++i) t->damping(i, j) = column[i];

      const Vector3 dv{{P[0][j], P[1][j], P[2][j]}}, dw{{P[3][j], P[4][j], P[5][j]}};
      Vector3 v = cross(dw, Uv) + cross(dv, Uw);
      const Vector3 w = cross(dw, Uw);
      const int i = j / 6, axis = j % 6 - 3;
      if (!se3 && axis >= 0) {  // the node turns under its velocity, which is given in world axes
        Vector3 turn{};
        turn[axis] = 1;
        const Vector3 seen = z(i == 0 ? a : b).R.inverse() * z.linear_velocity(i == 0 ? a : b);
        const Vector3 change = (i == 0 ? on_a : on_b).R.inverse() * cross(seen, turn);
        v = i == 0 ? v - H.R.inverse() * change : v + change;
      }
      for (int k = 0; k < 3; ++k) {
        weights[k] = dv[k];
        weights[3 + k] = dw[k];
        weights[6 + k] = v[k];
        weights[9 + k] = w[k];
      }
      change(z, f, along(df, weights), j, se3, column);
      for (int k = 0; k < 12; ++k) t->stiffness(k, j) = column[k];
    }
  }
};

}  // namespace escapement::beam

extern template class escapement::Group<escapement::beam::Segment>;
extern template class escapement::Group<escapement::beam::DampedSegment>;
