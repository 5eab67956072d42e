// Jay (7.1): M(t,y) ÿ = f(t, y, ẏ, ψ) with ψ entering nonlinearly and the nonholonomic constraint k(t, y, ẏ) = 0.
// Exact solution y = (eᵗ, e⁻²ᵗ), ψ = e⁻ᵗ. Order 2 in y, z = ẏ, z', a and ψ from t = 0; the tabulated errors at t = 1
// (independent prototypes of the Arnold–Brüls form). Measured at t ≤ 1: the problem is unstable.
#include "components/math/equations.hpp"
#include "model_case.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

struct Jay {
  Position<2> y;
  Signal<2> a;  // equals ÿ: the mass matrix multiplies it
  SlipMultiplier<1> psi;
  System system;

  Jay() : system(build()) {}
  /// y and z are given; ψ, which enters squared, gets a guess on the right branch, the acceleration none.
  State initial(double psi_guess = 0.9) const {
    State s = system.state();
    system.value(s, y)[0] = 1, system.value(s, y)[1] = 1;
    system.rate(s, y)[0] = 1, system.rate(s, y)[1] = -2;
    system.value(s, psi)[0] = psi_guess;
    return s;
  }

 private:
  System build() {
    SystemBuilder builder;
    y = builder.position<2>("y");
    a = builder.signal<2>("acceleration");
    psi = builder.slip_multiplier<1>("psi");
    builder.add(math::equations(
        std::tuple(y, a, psi),
        [](const auto& handles, const auto& values, auto& row) {
          const auto& [hy, ha, hp] = handles;
          const auto y = values(hy), z = values.rate(hy), a = values(ha);
          const auto p = values(hp), t = values.t;
          row(hy)[0] += y[0] * a[0] + (y[1] - exp(-2.0 * t)) * a[1];
          row(hy)[0] -= exp(t) * (y[0] * z[1] + 2.0 * y[1] * z[0]) + exp(2.0 * t) * y[0] * p;
          row(hy)[1] += sin(y[0] - exp(t)) * a[0] + y[0] * y[1] * a[1];
          row(hy)[1] -= exp(-t) * (0.5 * y[1] * z[1] - 2.0 * y[0] * z[0] * y[1] * z[1] + y[1] * p * p);
          row(ha) += a;
          row(hp) += z[0] * z[0] * z[1] + 6.0 * y[0] * y[1] * z[0] - 4.0;
        },
        [](const auto& handles, const auto& values, auto& row) {
          const auto& [hy, ha, hp] = handles;
          row(ha) -= values.rate(hy);
        }));
    return builder.finish();
  }
};

Vec<2, double> exact_acceleration(double t) { return {{std::exp(t), 4 * std::exp(-2 * t)}}; }

/// Euclidean errors of y, z, z', ψ and of the recursion's a, which belongs to t + D.
std::array<double, 5> errors(const Jay& p, const State& s, const GeneralizedAlpha& stepper) {
  const double t = s.t, e1 = std::exp(t), e2 = std::exp(-2 * t), shifted = t + stepper.history.D;
  const auto y = p.system.value(s, p.y), z = p.system.rate(s, p.y), zdot = p.system.acceleration(s, p.y);
  const auto a0 = exact_acceleration(t), a1 = exact_acceleration(shifted);
  return {std::hypot(y[0] - e1, y[1] - e2), std::hypot(z[0] - e1, z[1] + 2 * e2),
          std::hypot(zdot[0] - a0[0], zdot[1] - a0[1]), std::abs(p.system.value(s, p.psi)[0] - std::exp(-t)),
          std::hypot(stepper.history.a[0] - a1[0], stepper.history.a[1] - a1[1])};
}

enum class Start { equations, shifted };  // a_0 = z'(0), or a_0 = z'(0) + α h z''(0) by hand

struct Errors {
  std::array<double, 5> at_end{}, largest{};
  std::string failure;  // empty: all steps were taken
  double failed_at = 0;
};

Errors measure(const Jay& p, const GeneralizedAlphaOptions& o, const std::vector<double>& steps,
               Start start = Start::equations) {
  GeneralizedAlpha stepper(p.system, o);
  State s = p.initial();
  stepper.start(s);
  if (start == Start::shifted) {
    stepper.history.D = (o.mechanics.alpha_m - o.mechanics.alpha_f) * steps[0];
    stepper.history.a[0] += stepper.history.D * 1.0;  // z''(0) = (1, −8)
    stepper.history.a[1] += stepper.history.D * -8.0;
    stepper.history.first = false;
  }
  Errors e;
  double t = 0;
  for (double h : steps) {
    const StepReport report = stepper.advance(s, h);
    if (!report.ok()) {
      e.failure = describe(report.newton, p.system);
      e.failed_at = t;
      return e;
    }
    s.t = t += h;
    e.at_end = errors(p, s, stepper);
    for (int i = 0; i < 5; ++i) e.largest[i] = std::max(e.largest[i], e.at_end[i]);
  }
  return e;
}

GeneralizedAlphaOptions scheme(double rho) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.newton.tolerance = 1e-13;
  return o;
}

/// y, z, a(t + D), ψ at t = 1 and the largest ψ over [0, 1], ρ = 0.2, at h = 0.1 … 0.00625. Zeros: a step
/// without solution (below).
struct Table {
  double y[5], z[5], a[5], psi[5], largest_psi[5];
};

void compare(const Jay& p, const GeneralizedAlphaOptions& o, Start start, const Table& table,
             const char* title) {
  Ladder ladder({"y", "z", "zdot", "psi", "a(t+D)", "max psi"});
  for (int k = 0; k < 5; ++k) {
    const int n = 10 << k;
    if (table.y[k] == 0) continue;
    const Errors e = measure(p, o, constant_steps(1.0, n), start);
    REQUIRE(e.failure == "");
    const auto& [y, z, zdot, psi, a] = e.at_end;
    ladder.add(1.0 / n, {y, z, zdot, psi, a, e.largest[3]});
    INFO(title, ", h = ", 1.0 / n, ": ", y, " ", z, " ", a, " ", psi, " max ", e.largest[3]);
    CHECK(close(y, table.y[k], 1e-5));
    CHECK(close(z, table.z[k], 1e-5));
    CHECK(close(a, table.a[k], 1e-5));
    CHECK(close(psi, table.psi[k], 1e-5));
    CHECK(close(e.largest[3], table.largest_psi[k], 1e-5));
  }
  ladder.print(std::string("Jay (7.1), errors at t = 1, rho = 0.2: ") + title);
}

}  // namespace

TEST_CASE("the start finds acceleration and multiplier from y and z") {
  const Jay p;
  for (double guess : {0.5, 0.9, 1.5}) {
    State s = p.initial(guess);
    const StartReport report = make_consistent(p.system, s);
    INFO("guess ", guess, ": ", report.newton.iterations, " iterations, psi ", p.system.value(s, p.psi)[0]);
    CHECK(std::abs(p.system.acceleration(s, p.y)[0] - 1) < 1e-12);
    CHECK(std::abs(p.system.acceleration(s, p.y)[1] - 4) < 1e-12);
    CHECK(std::abs(p.system.value(s, p.a)[0] - 1) < 1e-12);
    CHECK(std::abs(p.system.value(s, p.a)[1] - 4) < 1e-12);
    CHECK(std::abs(p.system.value(s, p.psi)[0] - 1) < 1e-12);
  }
  State s = p.initial();
  p.system.rate(s, p.y)[0] = 1.1;
  CHECK_THROWS_WITH_AS(make_consistent(p.system, s), doctest::Contains("psi"), ModelError);
}

TEST_CASE("the tabulated errors at t = 1") {
  const Jay p;
  GeneralizedAlphaOptions o = scheme(0.2);
  o.update_beta = false;
  // a_0 = z'(0) with D_0 = 0: our default but for the constant β.
  compare(p, o, Start::equations,
          {{0, 1.741854e-03, 3.240966e-04, 6.994860e-05, 1.621165e-05},
           {0, 9.022813e-03, 1.419465e-03, 2.764993e-04, 6.028740e-05},
           {0, 8.455932e-02, 1.677366e-02, 3.799072e-03, 9.049790e-04},
           {0, 1.478271e-02, 2.547894e-03, 5.284931e-04, 1.196393e-04},
           {0, 1.478271e-02, 2.547894e-03, 5.710766e-04, 1.465060e-04}},
          "a0 = zdot(0), D0 = 0, beta constant");
  // a_0 = z'(αh): the exact shift.
  compare(p, o, Start::shifted,
          {{6.710481e-03, 1.093773e-03, 2.492327e-04, 6.072471e-05, 1.505917e-05},
           {3.580655e-02, 4.138216e-03, 8.756266e-04, 2.102012e-04, 5.203810e-05},
           {2.747382e-01, 4.661914e-02, 1.196167e-02, 3.160962e-03, 8.216862e-04},
           {5.741991e-02, 7.909246e-03, 1.778333e-03, 4.339261e-04, 1.078224e-04},
           {5.741991e-02, 7.909246e-03, 1.778333e-03, 4.339261e-04, 1.078224e-04}},
          "a0 = zdot(alpha h), constant parameters");
  // The documents' start: a_0 = z'(0) with the classical γ.
  o.history = StartHistory::classical;
  o.update_parameters = false;
  compare(p, o, Start::equations,
          {{0, 1.065013e-02, 2.275567e-03, 5.498620e-04, 1.361589e-04},
           {0, 8.764028e-02, 1.616744e-02, 3.808258e-03, 9.374219e-04},
           {0, 7.849533e-01, 1.495559e-01, 3.740521e-02, 9.581273e-03},
           {0, 1.492259e-01, 2.396521e-02, 5.514709e-03, 1.350576e-03},
           {0, 1.492259e-01, 2.396521e-02, 5.514709e-03, 2.214419e-03}},
          "a0 = zdot(0), classical gamma");
}

TEST_CASE("h = 0.1: steps without a solution are refused, not accepted") {
  // With a_0 = z'(0) the error has grown so much at t = 0.9 (D_0 = 0) and t = 0.8 (classical γ) that the solution near
  // the exact one has met another one and vanished: reduced to one equation in one unknown, a scan over |ÿ_1| < 50 finds
  // no real root within 38 of it. The prototype's table has figures there only because it did not test for convergence.
  const Jay p;
  GeneralizedAlphaOptions o = scheme(0.2);
  o.update_beta = false;
  const Errors consistent = measure(p, o, constant_steps(1.0, 10));
  o.history = StartHistory::classical;
  o.update_parameters = false;
  const Errors classical = measure(p, o, constant_steps(1.0, 10));
  for (const auto& [e, t] : {std::pair{consistent, 0.9}, std::pair{classical, 0.8}}) {
    fmt::print("h = 0.1, t = {:.1f}: {}\n", e.failed_at, e.failure);
    CHECK(e.failure != "");
    CHECK(std::abs(e.failed_at - t) < 1e-12);
  }
}

TEST_CASE("from t = 0: second order in y, z, accelerations and psi, constant and alternating steps") {
  const Jay p;
  for (double rho : {0.2, 0.8}) {
    for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.3, 0.7}}) {
      Ladder ladder({"y", "z", "zdot", "psi", "a(t+D)"});
      for (int n = 40; n <= 2560; n *= 2) {
        const Errors e = measure(p, scheme(rho), pattern_steps(1.0, n, pattern));
        REQUIRE(e.failure == "");
        ladder.add(1.0 / n, {e.largest.begin(), e.largest.end()});
      }
      ladder.print(fmt::format("Jay (7.1), rho = {}, {} steps, largest errors over [0, 1]", rho,
                               pattern.size() == 1 ? "constant" : "0.3/0.7"));
      ladder.check_second_order(0.05);
    }
  }
}

TEST_CASE("with the documents' start and constant parameters psi is first order from t = 0") {
  const Jay p;
  GeneralizedAlphaOptions o = scheme(0.2);
  o.history = StartHistory::classical;
  o.update_parameters = false;
  Ladder ladder({"y", "z", "zdot", "psi"});
  for (int n = 160; n <= 2560; n *= 2) {
    const auto e = measure(p, o, constant_steps(1.0, n)).largest;
    ladder.add(1.0 / n, {e[0], e[1], e[2], e[3]});
  }
  ladder.print("Jay (7.1), rho = 0.2, classical start, largest errors over [0, 1]");
  CHECK(ladder.order(4, 3) < 1.1);
  CHECK(std::abs(ladder.order(4, 0) - 2) < 0.05);
}

TEST_CASE("written in a model file: the same steps as the C++ element") {
  const Jay p;
  const Assembly file = example("nonlinear_multiplier");
  for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.3, 0.7}}) {
    GeneralizedAlpha one(p.system, scheme(0.2)), other(file.system, scheme(0.2));
    State s = p.initial(), m = file.initial;
    one.start(s);
    other.start(m);
    double worst = 0;
    const auto compare = [&] {
      for (int i = 0; i < 2; ++i) {
        const std::string y = fmt::format("jay.y{}", i + 1);
        worst =
            std::max({worst, std::abs(channel(file, m, y) - p.system.value(s, p.y)[i]),
                      std::abs(channel(file, m, y + "_rate") - p.system.rate(s, p.y)[i]),
                      std::abs(channel(file, m, y + "_acceleration") - p.system.acceleration(s, p.y)[i])});
      }
      worst = std::max(worst, std::abs(channel(file, m, "jay.psi") - p.system.value(s, p.psi)[0]));
    };
    compare();
    for (double h : pattern_steps(1.0, 160, pattern)) {
      REQUIRE(one.advance(s, h).ok());
      REQUIRE(other.advance(m, h).ok());
      compare();
    }
    fmt::print("Jay (7.1) from the model file: at most {:.1e} off the C++ element\n", worst);
    CHECK(worst < 1e-10);
  }
}
