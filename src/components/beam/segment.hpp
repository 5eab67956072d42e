// A segment of a beam between two frames: sections that move rigidly, along a line whose strain and curvature are the same all
// over the segment, so that every rigid motion leaves it alone and a circle or a helix is exact (T-beam).
#pragma once
#include "core/group.hpp"

namespace escapement::beam {

/// Forces and moments per strain and curvature, section axes: axial, two of shear, torsion, two of bending.
using Stiffness = std::array<std::array<double, 6>, 6>;

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

  static constexpr int outputs =
      12;  // strain, then force and moment: of B on what is before it, section axes
  auto output(const auto& z, int index) const {
    using S = std::remove_cvref_t<decltype(z.t)>;
    const Vec<6, S> e = strain(relative<S>(z));
    return index < 6 ? e[index] : load(e)[index - 6];
  }

  // By hand.
  template <class S>
  struct Ends {
    Vec3<S> force[2], moment[2];  // what the segment takes from A and B, axes of the sections
  };
  /// With the strain λ/L = log H/L: f = (∂λ/∂η)ᵀ σ, η the motions of the ends in their own axes (T-beam-2).
  template <class S>
  Ends<S> ends(const Frame<S>& H) const {
    const Vec<6, S> s = load(strain(H));
    const Vec3<S> n{{s[0], s[1], s[2]}}, m{{s[3], s[4], s[5]}};
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

  static constexpr bool by_hand = true;
  template <class L>
  void motion(const Values<double, L>& z, const std::array<double, 12>&, Rows<double, L>& r,
              MotionTangent<L, false>* t) const {
    const Pose* nodes[2] = {&a, &b};
    const Frame<double>* sections[2] = {&on_a, &on_b};
    const Frame<double> H = relative<double>(z);
    const Ends<double> f = ends(H);
    Vector3 force[2];  // axes of the nodes
    for (int i = 0; i < 2; ++i) {
      force[i] = sections[i]->R * f.force[i];
      const Vector3 world = z(*nodes[i]).R * force[i];
      const Vector3 moment = sections[i]->R * f.moment[i] + cross(sections[i]->x, force[i]);
      for (int k = 0; k < 3; ++k) {
        r.r[6 * i + k] = world[k];
        r.r[6 * i + 3 + k] = moment[k];
      }
    }
    if (!t) return;

    // Along the six motions of B relative to A: x += R v, R += R ŵ.
    using D = Dual<6>;
    Frame<D> moved{as<D>(H.R), as<D>(H.x)};
    const Matrix3 R = matrix(H.R);
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) moved.x[k].d[j] = R.m[k][j];
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      moved.R.w.d[3 + j] = -0.5 * H.R.u[j];
      moved.R.u[j].d[3 + j] = 0.5 * H.R.w;
      moved.R.u[j1].d[3 + j] = 0.5 * H.R.u[j2];
      moved.R.u[j2].d[3 + j] = -0.5 * H.R.u[j1];
    }
    const Ends<D> df = ends(moved);
    double G[12][6];  // of the loads in section axes
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 6; ++j) {
          G[6 * i + k][j] = df.force[i][k].d[j];
          G[6 * i + 3 + k][j] = df.moment[i][k].d[j];
        }
    // The relative motion that motions of the nodes make: with B itself, and against A as seen from B.
    double P[6][12];
    for (int i = 0; i < 2; ++i) {
      const Matrix3 node = transposed(matrix(z(*nodes[i]).R)), section = transposed(matrix(sections[i]->R));
      const Matrix3 turn = i == 0 ? (-1.0) * (transposed(R) * section) : section;
      // A: v = −Rᵀ(v_A + w_A × x) with v_A = Sᵀ(Nᵀ dx + dw × s), w_A = Sᵀ dw; B: the same without the lever x.
      const Matrix3 move = turn * node;
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
    for (int j = 0; j < 12; ++j) {
      double column[12];
      for (int i = 0; i < 12; ++i) {
        column[i] = 0;
        for (int k = 0; k < 6; ++k) column[i] += G[i][k] * P[k][j];
      }
      for (int i = 0; i < 2; ++i) {
        const double* c = &column[6 * i];
        const Vector3 force_change = sections[i]->R * Vector3{{c[0], c[1], c[2]}};
        const Vector3 moment_change =
            sections[i]->R * Vector3{{c[3], c[4], c[5]}} + cross(sections[i]->x, force_change);
        Vector3 turned = force_change;
        if (j >= 6 * i + 3 && j < 6 * i + 6) {  // the force turns with the node
          Vector3 axis{};
          axis[j - 6 * i - 3] = 1;
          turned += cross(axis, force[i]);
        }
        const Vector3 world = z(*nodes[i]).R * turned;
        for (int k = 0; k < 3; ++k) {
          t->stiffness(6 * i + k, j) = world[k];
          t->stiffness(6 * i + 3 + k, j) = moment_change[k];
        }
      }
    }
  }
};

}  // namespace escapement::beam

extern template class escapement::Group<escapement::beam::Segment>;
