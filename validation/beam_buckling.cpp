// The loads at which beams buckle: where the tangent on the way of equilibria has lost its smallest eigenvalue.
// Columns (Euler; with stretching and shear, Reissner) under each of the four ways to hold the ends, and the thin cantilever
// that tips over sideways under a force on its tip (Prandtl, Michell).
#include "beam_structure.hpp"

#include <Eigen/Eigenvalues>
#include <numbers>

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double pi = std::numbers::pi;

/// Where f changes its sign, from two loads around it.
double root(const std::function<double(double)>& f, double low, double high) {
  double at_low = f(low), at_high = f(high);
  REQUIRE(at_low > 0);
  REQUIRE(at_high < 0);
  for (int k = 0; k < 60 && high - low > 1e-14 * high;
       ++k) {  // regula falsi, the weight of the other end halved
    const double t = (low * at_high - high * at_low) / (at_high - at_low), at = f(t);
    if (at > 0) low = t, at_low = at, at_high *= 0.5;
    else high = t, at_high = at, at_low *= 0.5;
    if (std::abs(at) < 1e-15) return t;
  }
  return (low * at_high - high * at_low) / (at_high - at_low);
}

/// The smallest eigenvalue of a tangent that is symmetric, rows scaled by their own size.
double smallest(Eigen::MatrixXd K) {
  const Eigen::VectorXd d = K.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  K = d.asDiagonal() * K * d.asDiagonal();
  CHECK((K - K.transpose()).cwiseAbs().maxCoeff() < 1e-9);
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

struct Ends {
  const char* name;
  std::vector<int> first, last;  // rows that are held besides those that leave the plane
  double euler;                  // critical load over π² EI/L², inextensible and without shear
};

}  // namespace

TEST_CASE("columns") {
  const double EI = 3, L = 2;
  const auto critical = [&](const Ends& ends, int n, double axial, double shear) {
    const auto at = [&](double load) {
      Structure s;
      const Pose first = s.node({});
      const auto line = s.beam(first, {}, n, L, diagonal_stiffness({axial, shear, shear, 1, EI, EI}));
      for (const Pose& p : line) s.hold(p, {2, 3, 4});
      for (const int i : ends.first) s.hold(first, {i});
      for (const int i : ends.last) s.hold(line.back(), {i});
      s.add(GrowingLoad{line.back(), {{-1, 0, 0}}, {}});
      s.finish();
      REQUIRE(s.solve(load));
      return smallest(s.stiffness({0, 1, 5}));
    };
    const double about = ends.euler * pi * pi * EI / (L * L);
    return root(at, 0.7 * about, 1.1 * about);
  };
  const double first_root = 4.493409457909064;  // tan x = x
  const Ends cases[] = {{"clamped, free", {0, 1, 5}, {}, 0.25},
                        {"pinned, pinned", {0, 1}, {1}, 1},
                        {"clamped, pinned", {0, 1, 5}, {1}, first_root * first_root / (pi * pi)},
                        {"clamped, clamped", {0, 1, 5}, {1, 5}, 4}};
  const double P0 = pi * pi * EI / (L * L);
  for (const Ends& c : cases) {
    // Slender: Euler. Then with EA and GA so small that they change the load by per cents.
    for (const bool slender : {true, false}) {
      const double axial = (slender ? 1e6 : 200) * P0, shear = (slender ? 1e6 : 80) * P0;
      // P (1 − P/EA + P/GA) = κ² EI: from the rod's equations about the straight, compressed state.
      const auto kappa = [&](double P) { return std::sqrt(P * (1 - P / axial + P / shear) / EI); };
      const double exact = root(
          [&](double P) {
            if (c.last != std::vector<int>{1} || c.first.size() == 2)
              return std::sqrt(c.euler) * pi - kappa(P) * L;
            const double x = kappa(P) * L;  // clamped, pinned: tan(κL) = κL (1 − P/(GA (1 − P/EA + P/GA)))
            return std::sin(x) - x * (1 - P / (shear * (1 - P / axial + P / shear))) * std::cos(x);
          },
          0.7 * c.euler * P0, 1.1 * c.euler * P0);
      const int n = static_cast<int>(12 * std::sqrt(c.euler));  // twelve to half a wave
      double P[3];
      for (int k = 0; k < 3; ++k) P[k] = critical(c, n << k, axial, shear);
      const double limit = even_limit(P[0], P[1], P[2]);
      fmt::print(
          "{}{}: {:.8f} of Euler's; off by {:.1e}, {:.1e}, {:.1e} with 12, 24, 48 segments per half wave, "
          "order {:.2f}, limit {:.1e}\n",
          c.name, slender ? "" : ", stretching and shearing", exact / (c.euler * P0), P[0] / exact - 1,
          P[1] / exact - 1, P[2] / exact - 1, std::log2((P[1] - exact) / (P[2] - exact)), limit / exact - 1);
      CHECK(std::abs(limit / exact - 1) < 2e-8);
      CHECK(std::abs(P[0] / exact - 1) < 1e-3);
    }
  }
}

TEST_CASE("a thin cantilever tips over sideways") {
  const double across = 2, torsion = 0.7, L = 3;  // EI of the weak axis, GJ
  const double exact = 4.0125993435789 * std::sqrt(across * torsion) / (L * L);
  // Of a strong axis that yields a little the load goes with its yielding, in the first order: two of them give the limit.
  double limit[2];
  for (int j = 0; j < 2; ++j) {
    const double stiff = j == 0 ? 1e4 : 1e5;
    double P[3];
    for (int k = 0; k < 3; ++k) {
      const auto at = [&](double load) {
        Structure s;
        const Pose first = s.node({});
        const auto line =
            s.beam(first, {}, 8 << k, L, diagonal_stiffness({stiff, stiff, stiff, torsion, across, stiff}));
        s.hold(first, {0, 1, 2, 3, 4, 5});
        s.add(GrowingLoad{line.back(), {{0, 1, 0}}, {}});
        s.finish();
        REQUIRE(s.solve(load));
        return smallest(s.stiffness({2, 3, 4}));  // what leaves the plane
      };
      P[k] = root(at, 0.7 * exact, 1.3 * exact);
    }
    limit[j] = even_limit(P[0], P[1], P[2]);
    fmt::print(
        "sideways, strong axis {:.0e}: off by {:.1e}, {:.1e}, {:.1e} with 8, 16, 32 segments, order {:.2f}, "
        "limit {:.2e}\n",
        stiff, P[0] / exact - 1, P[1] / exact - 1, P[2] / exact - 1,
        std::log2((P[0] - limit[j]) / (P[1] - limit[j])), limit[j] / exact - 1);
  }
  const double rigid = (10 * limit[1] - limit[0]) / 9;
  fmt::print("sideways, strong axis rigid: off by {:.1e}\n", rigid / exact - 1);
  CHECK(std::abs(rigid / exact - 1) < 1e-6);
}
