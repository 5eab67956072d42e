// Amplification matrices of the actual stepper: one step from every basis state (q, h v, h² a) of q'' + ω² q = 0 and
// (x, h w) of x' = −λ x, compared with the characteristic polynomials (Brüls & Golinval), the tables of spectral radius,
// period elongation and damping (Dymore manual, figs 1–3), the limits hω, hλ → ∞, and a coupled system that is stable
// but becomes unstable when stepped (Brüls & Golinval).
#include <Eigen/Dense>
#include <complex>

#include "components/math/equations.hpp"
#include "components/translational/damper.hpp"
#include "components/translational/mass.hpp"
#include "components/translational/spring.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
constexpr double pi = 3.14159265358979323846;

// ------------------------------------------------------------------ systems

struct Oscillator {
  System system;
  explicit Oscillator(double omega) {
    SystemBuilder builder;
    const auto q = builder.position<1>("q");
    builder.add(translational::Mass{q, 1.0});
    builder.add(translational::Spring{{}, q, omega * omega});
    system = builder.finish();
  }
};

struct Decay {
  System system;
  explicit Decay(double lambda) {
    SystemBuilder builder;
    const auto x = builder.state<1>("x");
    builder.add(math::equations(
        std::tuple(x),
        [lambda](const auto& h, const auto& z, auto& row) {
          row(std::get<0>(h)) += lambda * z(std::get<0>(h));
        },
        [](const auto& h, const auto& z, auto& row) { row(std::get<0>(h)) += z(std::get<0>(h)); }));
    system = builder.finish();
  }
};

/// q'' + 0.1 q' + q = x, x' = −0.01 x + 0.9 q': the largest real part of its eigenvalues is −0.005.
struct Coupled {
  static constexpr double damping = 0.1, sigma = 0.01, gain = 0.9;
  System system;
  Coupled() {
    SystemBuilder builder;
    const auto q = builder.position<1>("q");
    const auto x = builder.state<1>("x");
    builder.add(translational::Mass{q, 1.0});
    builder.add(translational::Spring{{}, q, 1.0});
    builder.add(translational::Damper{{}, q, damping});
    builder.add(math::equations(
        std::tuple(q, x),
        [](const auto& handles, const auto& z, auto& row) {
          const auto& [q, x] = handles;
          row(q) -= z(x);
          row(x) += sigma * z(x) - gain * z.rate(q);
        },
        [](const auto& handles, const auto& z, auto& row) {
          const auto& [q, x] = handles;
          row(x) += z(x);
        }));
    system = builder.finish();
  }
};

// ------------------------------------------------------------------ one step as a matrix

GeneralizedAlphaOptions scheme(const MechanicsParameters& mechanics,
                               const StateParameters& states = StateParameters::jansen_whiting_hulbert(0.8)) {
  GeneralizedAlphaOptions o;
  o.mechanics = mechanics;
  o.states = states;
  o.newton.tolerance = 1e-13;
  o.settling = false;  // the scheme itself
  return o;
}

/// What one step makes of (q, h v, h² a/scale) of the positions and (x, h w/scale) of the states: the accelerations and
/// rates of each basis state follow from the equations; the history is that of a long run with constant steps.
/// `scale` balances the matrix (the eigenvalues do not depend on it).
Matrix amplification(const System& system, const GeneralizedAlphaOptions& o, double h, double scale = 1) {
  const int p = system.rows(Kind::position).size(), x = system.rows(Kind::state).size(), n = 3 * p + 2 * x;
  const auto at = system.value_of_row();
  GeneralizedAlpha stepper(system, o);
  Matrix A(n, n);
  for (int j = 0; j < n; ++j) {
    const Vector e = Vector::Unit(n, j);
    State s = system.state();
    for (int i = 0; i < p; ++i) s.value[at[i]] = e[i], s.rate[i] = e[p + i] / h;
    for (int i = 0; i < x; ++i) s.value[at[p + i]] = e[3 * p + i];
    stepper.start(s);
    for (int i = 0; i < p; ++i) stepper.history.a[i] = e[2 * p + i] * scale / (h * h);
    for (int i = 0; i < x; ++i) stepper.history.w[i] = e[3 * p + x + i] * scale / h;
    stepper.history.D = (o.mechanics.alpha_m - o.mechanics.alpha_f) * h;
    stepper.history.E = (o.states.delta_m - o.states.delta_f) * h;
    stepper.history.first = false;
    const StepReport report = stepper.advance(s, h);
    INFO(describe(report.newton, system));
    REQUIRE(report.ok());
    CHECK(!report.restarted);
    for (int i = 0; i < p; ++i) {
      A(i, j) = s.value[at[i]];
      A(p + i, j) = s.rate[i] * h;
      A(2 * p + i, j) = stepper.history.a[i] * h * h / scale;
    }
    for (int i = 0; i < x; ++i) {
      A(3 * p + i, j) = s.value[at[p + i]];
      A(3 * p + x + i, j) = stepper.history.w[i] * h / scale;
    }
  }
  return A;
}

/// Coefficients of det(ζ − A), from ζⁿ down (Faddeev–LeVerrier).
std::vector<double> characteristic(const Matrix& A) {
  const int n = static_cast<int>(A.rows());
  std::vector<double> c = {1.0};
  Matrix M = Matrix::Zero(n, n);
  for (int k = 1; k <= n; ++k) {
    M = A * M + c.back() * Matrix::Identity(n, n);
    c.push_back(-(A * M).trace() / k);
  }
  return c;
}
double radius(const Matrix& A) { return A.eigenvalues().cwiseAbs().maxCoeff(); }

// ------------------------------------------------------------------ what the papers say

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> r(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) r[i + j] += a[i] * b[j];
  return r;
}
std::vector<double> monic(std::vector<double> a, const std::vector<double>& b, double factor) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  const double lead = a[0];
  for (double& x : a) x /= lead;
  return a;
}
/// P^q = (ζ−1)²(α_m + (1−α_m)ζ) + Ω² (α_f + (1−α_f)ζ)(1−γ+γζ + (ζ−1)(½−β+βζ))
std::vector<double> P_q(const MechanicsParameters& m, double Omega2) {
  return monic(
      product({1, -2, 1}, {1 - m.alpha_m, m.alpha_m}),
      product({1 - m.alpha_f, m.alpha_f}, {m.beta, 0.5 + m.gamma - 2 * m.beta, 0.5 - m.gamma + m.beta}),
      Omega2);
}
/// P^x = (ζ−1)(δ_m + (1−δ_m)ζ) + hλ (δ_f + (1−δ_f)ζ)(1−θ+θζ)
std::vector<double> P_x(const StateParameters& s, double h_lambda) {
  return monic(product({1, -1}, {1 - s.delta_m, s.delta_m}),
               product({1 - s.delta_f, s.delta_f}, {s.theta, 1 - s.theta}), h_lambda);
}
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double e = 0;
  for (std::size_t i = 0; i < a.size(); ++i) e = std::max(e, std::abs(a[i] - b.at(i)));
  return e;
}

/// Principal pair and spurious root of an oscillator step.
struct Spectrum {
  double radius, spurious, elongation, damping;
};
Spectrum spectrum(const Matrix& A, double Omega) {
  const Eigen::VectorXcd roots = A.eigenvalues();
  Spectrum s{roots.cwiseAbs().maxCoeff(), 0, 0, 0};
  for (const std::complex<double> z : {roots[0], roots[1], roots[2]}) {
    if (std::abs(z.imag()) < 1e-9) {
      s.spurious = std::abs(z.real());
    } else {
      const double phase = std::abs(std::arg(z));
      s.elongation = Omega / phase - 1;
      s.damping = -std::log(std::abs(z)) / phase;
    }
  }
  return s;
}

}  // namespace

TEST_CASE("Chung-Hulbert: spectral radius, spurious root, period elongation and damping as tabulated") {
  struct Row {
    double rho, h_over_T, radius, spurious, elongation, damping;
  };
  const Row table[] = {{0, 0.01, 0.99999233, 0.49902264, 0.00179627, 0.00012232},
                       {0, 0.1, 0.96970817, 0.44407008, 0.12320572, 0.05498793},
                       {0, 0.2, 0.85387395, 0.38320766, 0.34366753, 0.16891229},
                       {0, 0.5, 0.54575749, 0.28285531, 1.17611811, 0.41947348},
                       {0, 1, 0.33922581, 0.20950772, 2.69099395, 0.63507501},
                       {0, 10, 0.06588417, 0.05832545, 30.12572088, 1.34736613},
                       {0.2, 0.01, 0.99999771, 0.33281577, 0.00098415, 0.00003651},
                       {0.2, 0.1, 0.98697303, 0.29587543, 0.08090958, 0.02255782},
                       {0.2, 0.2, 0.91861484, 0.24187748, 0.24720131, 0.08425095},
                       {0.2, 0.5, 0.67759915, 0.13720624, 0.88717828, 0.23379500},
                       {0.2, 1, 0.49081116, 0.05408934, 2.02951544, 0.34315294},
                       {0.2, 10, 0.24715779, 0.12729458, 21.18815397, 0.49358740},
                       {0.4, 0.01, 0.99999939, 0.12476252, 0.00060030, 0.00000973},
                       {0.4, 0.1, 0.99556971, 0.10479400, 0.05515860, 0.00745648},
                       {0.4, 0.2, 0.96404290, 0.06639102, 0.18714051, 0.03459429},
                       {0.4, 0.5, 0.80948064, 0.02812176, 0.74391554, 0.11732846},
                       {0.4, 1, 0.66413014, 0.11356837, 1.78368280, 0.18132487},
                       {0.4, 10, 0.44992926, 0.31540773, 20.35851261, 0.27149119},
                       {0.6, 0.01, 0.99999988, 0.14293766, 0.00042135, 0.00000194},
                       {0.6, 0.1, 0.99898339, 0.15042023, 0.04060488, 0.00168454},
                       {0.6, 0.2, 0.98956354, 0.16873130, 0.14809713, 0.00958513},
                       {0.6, 0.5, 0.91901067, 0.23267757, 0.65404164, 0.04446672},
                       {0.6, 1, 0.82779464, 0.30633245, 1.64864934, 0.07966798},
                       {0.6, 10, 0.65140648, 0.50888095, 20.01649919, 0.14336872},
                       {0.8, 0.01, 0.99999999, 0.50001218, 0.00034717, 0.00000017},
                       {0.8, 0.1, 0.99990442, 0.50120196, 0.03382841, 0.00015727},
                       {0.8, 0.2, 0.99885260, 0.50462345, 0.12635094, 0.00102903},
                       {0.8, 0.5, 0.98595438, 0.52320291, 0.59107841, 0.00716392},
                       {0.8, 1, 0.95627926, 0.55871065, 1.54861938, 0.01813360},
                       {0.8, 10, 0.84640945, 0.71465911, 19.76463839, 0.05510813},
                       {1.0, 0.01, 1.00000000, 1.00000000, 0.00032890, 0.00000000},
                       {1.0, 0.1, 1.00000000, 1.00000000, 0.03207491, 0.00000000},
                       {1.0, 0.2, 1.00000000, 1.00000000, 0.12003309, 0.00000000},
                       {1.0, 0.5, 1.00000000, 1.00000000, 0.56471768, 0.00000000},
                       {1.0, 1, 1.00000000, 1.00000000, 1.48813942, 0.00000000},
                       {1.0, 10, 1.00000000, 1.00000000, 19.41352488, 0.00000000}};
  fmt::print("{:>4} {:>6} {:>12} {:>12} {:>14} {:>12}\n", "rho", "h/T", "radius", "spurious", "elongation",
             "damping");
  for (const Row& row : table) {
    const double Omega = 2 * pi * row.h_over_T;
    const Oscillator p(Omega);  // h = 1
    const Matrix A = amplification(p.system, scheme(MechanicsParameters::chung_hulbert(row.rho)), 1.0,
                                   std::max(1.0, Omega * Omega));
    const Spectrum s = spectrum(A, Omega);
    fmt::print("{:4} {:6} {:12.8f} {:12.8f} {:14.8f} {:12.8f}\n", row.rho, row.h_over_T, s.radius, s.spurious,
               s.elongation, s.damping);
    INFO("rho = ", row.rho, " h/T = ", row.h_over_T);
    CHECK(std::abs(s.radius - row.radius) < 0.51e-8);
    CHECK(std::abs(s.spurious - row.spurious) < 0.51e-8);
    CHECK(std::abs(s.elongation - row.elongation) < 0.51e-8);
    CHECK(std::abs(s.damping - row.damping) < 0.51e-8);
  }
}

TEST_CASE("leading terms: elongation (1/12 + 3/8 alpha^2) Omega^2, damping |alpha|^3 Omega^3 / 2") {
  for (double rho : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    const double alpha = (rho - 1) / (rho + 1);
    double e[3], d[3];
    for (int k = 0; k < 3; ++k) {
      const double Omega = 0.1 / (1 << k);
      const Oscillator p(Omega);
      const Spectrum s =
          spectrum(amplification(p.system, scheme(MechanicsParameters::chung_hulbert(rho)), 1.0), Omega);
      e[k] = s.elongation / (Omega * Omega);
      d[k] = s.damping / (Omega * Omega * Omega);
    }
    // Next terms are Ω² and Ω⁴.
    const auto limit = [](const double* x) {
      return (16 * (4 * x[2] - x[1]) / 3 - (4 * x[1] - x[0]) / 3) / 15;
    };
    const double elongation = 1.0 / 12 + 3 * alpha * alpha / 8, damping = std::pow(std::abs(alpha), 3) / 2;
    fmt::print("rho = {}: elongation / Omega^2 -> {:.8f} ({:.8f}), damping / Omega^3 -> {:.8f} ({:.8f})\n",
               rho, limit(e), elongation, limit(d), damping);
    CHECK(std::abs(limit(e) - elongation) < 1e-6);
    CHECK(std::abs(limit(d) - damping) < 1e-6);
  }
}

TEST_CASE("every family of mechanics parameters has the published polynomial, at any step") {
  struct Family {
    std::string name;
    MechanicsParameters m;
  };
  std::vector<Family> families = {{"trapezoidal", MechanicsParameters::trapezoidal()},
                                  {"Stormer", MechanicsParameters::stormer()}};
  for (double rho : {0.0, 0.2, 0.5, 0.8, 1.0}) {
    families.push_back({fmt::format("Chung-Hulbert {}", rho), MechanicsParameters::chung_hulbert(rho)});
    families.push_back(
        {fmt::format("Jansen-Whiting-Hulbert {}", rho), MechanicsParameters::jansen_whiting_hulbert(rho)});
    if (rho >= 0.5)
      families.push_back(
          {fmt::format("Hilber-Hughes-Taylor {}", rho), MechanicsParameters::hilber_hughes_taylor(rho)});
  }
  for (const auto& [name, m] : families)
    for (double h : {0.01, 1.0, 7.0})
      for (double Omega : {0.1, 1.0, 1.9, 10.0, 1e4}) {
        if (m.beta == 0 && Omega > 2) continue;
        const Oscillator p(Omega / h);
        const Matrix A = amplification(p.system, scheme(m), h, std::max(1.0, Omega * Omega));
        INFO(name, " h = ", h, " Omega = ", Omega);
        // q = q̄ + c0 v̇ with |q̄| up to Ω² |q|: rounding.
        CHECK(difference(characteristic(A), P_q(m, Omega * Omega)) < 1e-11 + 2.2e-16 * Omega * Omega);
      }
}

TEST_CASE(
    "mechanics as h omega -> infinity: Chung-Hulbert rho, HHT rho, Jansen-Whiting-Hulbert (1+3 "
    "rho)/(3+rho)") {
  const double Omega = 1e4;  // the polynomials differ from their limits by O(1/Ω²)
  const auto limit = [&](const MechanicsParameters& m) {
    const Oscillator p(Omega);
    return characteristic(amplification(p.system, scheme(m), 1.0, Omega * Omega));
  };
  for (double rho : {0.0, 0.2, 0.5, 0.8, 1.0}) {
    const double rho_q = (1 + 3 * rho) / (3 + rho);
    const auto ch = MechanicsParameters::chung_hulbert(rho),
               jwh = MechanicsParameters::jansen_whiting_hulbert(rho);
    const std::vector<double> at_rho = {1, rho}, at_rho_q = {1, rho_q};
    INFO("rho = ", rho);
    CHECK(difference(limit(ch), product(at_rho, product(at_rho, at_rho))) < 1e-6);
    CHECK(difference(limit(jwh), product(at_rho, product(at_rho_q, at_rho_q))) < 1e-6);
    CHECK(close(ch.radius_at_infinity(), rho, 1e-6));
    CHECK(close(jwh.radius_at_infinity(), rho_q, 1e-6));
    if (rho < 0.5) continue;
    const auto hht = MechanicsParameters::hilber_hughes_taylor(rho);
    CHECK(difference(limit(hht), product({1, (1 - rho) / (2 * rho)}, product(at_rho, at_rho))) < 1e-6);
    CHECK(close(hht.radius_at_infinity(), rho, 1e-6));
  }
  // A double root splits by O(1/Ω), a triple one by O(Ω^(-2/3)).
  const Oscillator p(Omega);
  CHECK(std::abs(radius(amplification(p.system, scheme(MechanicsParameters::chung_hulbert(0.5)), 1.0, 1e8)) -
                 0.5) < 5e-3);
  CHECK(std::abs(radius(amplification(p.system, scheme(MechanicsParameters::jansen_whiting_hulbert(0.5)), 1.0,
                                      1e8)) -
                 2.5 / 3.5) < 5e-4);
}

TEST_CASE("trapezoidal rule: radius 1 for every step; Stormer: stable up to h omega = 2") {
  for (double Omega : {0.01, 0.1, 1.0, 10.0, 100.0, 1e4}) {
    const Oscillator p(Omega);
    const Matrix A = amplification(p.system, scheme(MechanicsParameters::trapezoidal()), 1.0,
                                   std::max(1.0, Omega * Omega));
    CHECK(std::abs(radius(A) - 1) < 1e-11);
    const double phase = 2 * std::atan(Omega / 2);  // exactly
    CHECK(std::abs(spectrum(A, Omega).elongation - (Omega / phase - 1)) < 1e-9 * (1 + Omega * Omega));
  }
  for (double Omega : {0.01, 0.5, 1.0, 1.9, 1.999}) {
    const Oscillator p(Omega);
    CHECK(std::abs(radius(amplification(p.system, scheme(MechanicsParameters::stormer()), 1.0)) - 1) < 1e-11);
  }
  for (double Omega : {2.001, 2.1, 4.0}) {
    const Oscillator p(Omega);
    const double c = Omega * Omega / 2 - 1;
    const double got = radius(amplification(p.system, scheme(MechanicsParameters::stormer()), 1.0));
    INFO("Omega = ", Omega, " radius ", got);
    CHECK(got > 1);
    CHECK(close(got, c + std::sqrt(c * c - 1), 1e-11));
  }
}

TEST_CASE("states: the published polynomial, both parameter sets, and the limits as h lambda -> infinity") {
  const auto mechanics = MechanicsParameters::chung_hulbert(0.8);  // no positions here
  for (double rho : {0.0, 0.2, 0.5, 0.8, 1.0}) {
    const auto jwh = StateParameters::jansen_whiting_hulbert(rho), ch = StateParameters::chung_hulbert(rho);
    for (const auto& s : {jwh, ch, StateParameters::trapezoidal()})
      for (double h : {0.01, 1.0, 7.0})
        for (double h_lambda : {0.1, 1.0, 10.0, 1e4}) {
          const Decay p(h_lambda / h);
          INFO("rho = ", rho, " h = ", h, " h lambda = ", h_lambda);
          CHECK(difference(
                    characteristic(amplification(p.system, scheme(mechanics, s), h, std::max(1.0, h_lambda))),
                    P_x(s, h_lambda)) < 1e-11);
        }
    const double h_lambda = 1e8;  // O(1/hλ) from the limit
    const Decay p(h_lambda);
    const auto limit = [&](const StateParameters& s) {
      return characteristic(amplification(p.system, scheme(mechanics, s), 1.0, h_lambda));
    };
    const std::vector<double> at_rho = {1, rho};
    CHECK(difference(limit(jwh), product(at_rho, at_rho)) < 1e-7);
    CHECK(difference(limit(ch), product(at_rho, {1, (3 * rho - 1) / (3 - rho)})) < 1e-7);
    CHECK(close(jwh.radius_at_infinity(), rho, 1e-12));
    CHECK(close(ch.radius_at_infinity(), std::max(rho, std::abs(3 * rho - 1) / (3 - rho)), 1e-12));
    // CH leaves 1/3 at ρ = 0: no annihilation of fast states.
    const double rho_x = radius(amplification(p.system, scheme(mechanics, ch), 1.0, h_lambda));
    fmt::print("rho = {}: Chung-Hulbert on states, largest root {:.6f}\n", rho, rho_x);
    if (rho == 0) CHECK(close(rho_x, 1.0 / 3, 1e-6));
  }
}

TEST_CASE("backward Euler on states: 1/(1 + h lambda), whatever came before") {
  for (double h_lambda : {1e-3, 0.1, 1.0, 10.0, 1e6}) {
    const Decay p(h_lambda / 0.5);
    const Matrix A = amplification(
        p.system, scheme(MechanicsParameters::chung_hulbert(0.8), StateParameters::backward_euler()), 0.5);
    CHECK(close(A(0, 0), 1 / (1 + h_lambda), 1e-13));
    CHECK(std::abs(A(0, 1)) < 1e-15);
    CHECK(std::abs(A(1, 1)) < 1e-15);
  }
}

namespace {

/// The coupled step written out: L z_{n+1} = R z_n with z = (q, h v, h² a, x, h w).
Matrix coupled_oracle(const MechanicsParameters& m, const StateParameters& s, double h) {
  const Eigen::Matrix<double, 1, 5> acceleration{-h * h, -Coupled::damping * h, 0, h * h, 0};  // h² q''
  const Eigen::Matrix<double, 1, 5> rate{0, Coupled::gain, 0, -Coupled::sigma * h, 0};         // h x'
  Matrix L(5, 5), R(5, 5);
  L << 1, 0, -m.beta, 0, 0, 0, 1, -m.gamma, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -s.theta, 0, 0, 0, 0, 0;
  R << 1, 1, 0.5 - m.beta, 0, 0, 0, 1, 1 - m.gamma, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1 - s.theta, 0, 0, 0, 0,
      0;
  L.row(2) = -(1 - m.alpha_f) * acceleration;
  L(2, 2) += 1 - m.alpha_m;
  R.row(2) = m.alpha_f * acceleration;
  R(2, 2) -= m.alpha_m;
  L.row(4) = -(1 - s.delta_f) * rate;
  L(4, 4) += 1 - s.delta_m;
  R.row(4) = s.delta_f * rate;
  R(4, 4) -= s.delta_m;
  return L.partialPivLu().solve(R);
}

}  // namespace

TEST_CASE("a stable coupled system that becomes unstable when stepped") {
  const Coupled p;
  Eigen::Matrix3d continuous;
  continuous << 0, 1, 0, -1, -Coupled::damping, 1, 0, Coupled::gain, -Coupled::sigma;
  CHECK(std::abs(continuous.eigenvalues().real().maxCoeff() + 0.005) < 0.51e-5);

  const auto m = MechanicsParameters::chung_hulbert(0.8);
  const auto ch = StateParameters::chung_hulbert(0.8), jwh = StateParameters::jansen_whiting_hulbert(0.8);
  for (const auto& s : {ch, jwh})
    for (double h : {0.01, 1.0, 9.0, 142.0, 500.0, 1000.0}) {
      const Matrix A = amplification(p.system, scheme(m, s), h), B = coupled_oracle(m, s, h);
      INFO("h = ", h);
      CHECK(difference(characteristic(A), characteristic(B)) < 1e-9);
      CHECK(std::abs(radius(A) - radius(B)) < 1e-8);
      fmt::print("coupled, {} on states, h = {}: radius {:.6f}\n", s.delta_m == ch.delta_m ? "CH" : "JWH", h,
                 radius(A));
    }

  // Chung–Hulbert for both: radius 1.06254 at h = 142.5, unstable from 8.9637 to 504.575, the first and last unstable
  // points of a grid with ratio 10^(4/3999).
  const auto of = [&](double h) { return radius(amplification(p.system, scheme(m, ch), h)); };
  const auto oracle = [&](double h) { return radius(coupled_oracle(m, ch, h)); };
  CHECK(std::abs(of(142.5) - 1.06254) < 0.51e-5);
  const auto edge = [](auto radius_at, double low, double high) {  // where the radius passes 1
    const bool rises = radius_at(high) > 1;
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (low + high);
      ((radius_at(middle) > 1) == rises ? high : low) = middle;
    }
    return 0.5 * (low + high);
  };
  const double first = edge(of, 5, 20), last = edge(of, 300, 700), grid = std::pow(10.0, 4.0 / 3999);
  fmt::print("coupled, CH on both: unstable for {:.6f} < h < {:.6f}\n", first, last);
  CHECK(first < 8.963716698);
  CHECK(first > 8.963716698 / grid);
  CHECK(last > 504.5750029);
  CHECK(last < 504.5750029 * grid);
  CHECK(close(first, edge(oracle, 5, 20), 1e-6));
  CHECK(close(last, edge(oracle, 300, 700), 1e-6));

  // Jansen–Whiting–Hulbert on the state (our default): stable for every step.
  double largest = 0;
  for (int k = 0; k <= 240; ++k)
    largest =
        std::max(largest, radius(amplification(p.system, scheme(m, jwh), std::pow(10.0, -2 + k / 40.0))));
  fmt::print("coupled, CH and JWH: largest radius for 0.01 <= h <= 10000 {:.6f}\n", largest);
  CHECK(largest < 1);

  // The same from a run: growth per step over the last of 300 steps.
  GeneralizedAlpha stepper(p.system, scheme(m, ch));
  State s = p.system.state();
  s.value[0] = 1e-6;
  stepper.start(s);
  double at200 = 0;
  const auto size = [&] { return std::hypot(s.value[0], s.value[1]); };
  for (int k = 0; k < 300; ++k) {
    REQUIRE(stepper.advance(s, 142.0).ok());
    if (k == 199) at200 = size();
  }
  const double growth = std::pow(size() / at200, 0.01);
  fmt::print("coupled, h = 142: growth per step over 100 steps {:.6f}, radius {:.6f}\n", growth, of(142.0));
  CHECK(close(growth, of(142.0), 1e-6));
}
