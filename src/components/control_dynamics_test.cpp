// Blocks with states: their elements pass the checker, realizations have the transfer function they are made of, filters
// the poles and gains of the literature.
#include <doctest/doctest.h>

#include <cmath>

#include "components/control/constant.hpp"
#include "components/control/integral.hpp"
#include "components/control/limits.hpp"
#include "components/control/linear.hpp"
#include "components/control/pid.hpp"
#include "components/control/prototypes.hpp"
#include "components/control/realization.hpp"
#include "core/element_check.hpp"

using namespace escapement;
using namespace escapement::control;

namespace {

using Complex = std::complex<double>;

/// C (s − A)⁻¹ B + D, by elimination with row exchange.
Complex transfer(const Realization& r, Complex s) {
  const int n = r.order();
  std::vector<std::vector<Complex>> M(n, std::vector<Complex>(n + 1));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) M[i][j] = (i == j ? s : 0.0) - r.A(i, j);
    M[i][n] = r.B(i, 0);
  }
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k; i < n; ++i)
      if (std::abs(M[i][k]) > std::abs(M[pivot][k])) pivot = i;
    std::swap(M[k], M[pivot]);
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const Complex factor = M[i][k] / M[k][k];
      for (int j = k; j <= n; ++j) M[i][j] -= factor * M[k][j];
    }
  }
  Complex y = r.D(0, 0);
  for (int i = 0; i < n; ++i) y += r.C(0, i) * M[i][n] / M[i][i];
  return y;
}

Complex product_form(const Roots& zeros, const Roots& poles, double gain, Complex s) {
  const auto factors = [s](const Roots& roots) {
    Complex p = 1;
    for (const Complex& r : roots) p *= r.imag() != 0 ? (s - r) * (s - std::conj(r)) : s - r;
    return p;
  };
  return gain * factors(zeros) / factors(poles);
}

void check_close(Complex a, Complex b, double tolerance = 1e-12) {
  CAPTURE(a.real());
  CAPTURE(a.imag());
  CAPTURE(b.real());
  CAPTURE(b.imag());
  CHECK(std::abs(a - b) <= tolerance * std::abs(b));
}

const Complex somewhere[] = {{0.3, 0}, {0, 0.7}, {-0.2, 3}, {5, -40}};

}  // namespace

TEST_CASE("integrals with limits, with a reset, and behind a PID controller") {
  for (const double limit : {0.3, double(INFINITY)}) {
    SystemBuilder b;
    const auto u = b.signal<1>("u"), y = b.signal<1>("y"), d = b.signal<1>("d"), r = b.signal<1>("r");
    const auto x = b.state<1>("x");
    b.add(Integrated{x});
    b.add(Integral{u, y, d, r, x, 2.0, -limit, limit, 0.1, 0.2, 0.5});
    b.add(Constant{u, 1.0});
    b.add(Constant{y, 1.0});
    b.add(Constant{r, 0.5});
    b.add(Defined{d});
    b.add(SignalFromState{d, x, 1.0});
    const System system = b.finish();
    for (const auto& fault : check_elements(system, {.states = 100})) FAIL_CHECK(fault);
  }
}

TEST_CASE("limits: none, one, both") {
  CHECK_FALSE(static_cast<bool>(Limits{-INFINITY, INFINITY, ""}));
  CHECK(Limits{-INFINITY, 3, "clamping"}.clamping());
  CHECK_FALSE(Limits{-1, 3, "back_calculation"}.clamping());
}

TEST_CASE("companion form: poles at zero, equal degrees, large and small coefficients") {
  const std::vector<std::pair<std::vector<double>, std::vector<double>>> cases = {
      {{3}, {2, 1}},
      {{3, 1}, {2, 1}},
      {{1}, {1, 0, 0}},
      {{4, 5}, {2, 3, 0}},
      {{1, 2, 3}, {4, 5, 6}},
      {{7}, {1e-12, 1e-3, 1}},
      {{1, 1e9}, {1, 1e4, 1e9, 0}},
      {{2, 0, 0, 0}, {1, 6, 11, 6}},
  };
  for (const auto& [numerator, denominator] : cases) {
    const auto polynomial = [](const std::vector<double>& c, Complex s) {
      Complex sum = 0;
      for (const double x : c) sum = sum * s + x;
      return sum;
    };
    const Realization r = companion(numerator, denominator);
    CHECK(r.order() == static_cast<int>(denominator.size()) - 1);
    for (const Complex& s : somewhere)
      check_close(transfer(r, s), polynomial(numerator, s) / polynomial(denominator, s));
  }
}

TEST_CASE("sections: pairs and single ones in every mixture") {
  const Roots few = {{-1, 2}}, real = {-3.0, -0.5, -40.0}, mixed = {-7.0, {-0.1, 30}, {-2, 2}, 0.0};
  const Roots none = {}, zeros = {2.0}, pairs = {{0, 5}}, both = {{0, 5}, -1.0};
  for (const Roots& poles : {few, real, mixed})
    for (const Roots& z : {none, zeros, pairs, both}) {
      if (count(z) > count(poles)) continue;
      const Realization r = sections(z, poles, -2.5);
      CHECK(r.order() == count(poles));
      for (const Complex& s : somewhere) check_close(transfer(r, s), product_form(z, poles, -2.5, s), 1e-11);
    }
}

TEST_CASE("the state at rest") {
  const Realization r = sections({-2.0}, {-4.0, {-3, 4}}, 50);
  const auto x = at_rest(r, 3);
  REQUIRE(x);
  double y = 3 * r.D(0, 0);
  for (int i = 0; i < 3; ++i) {
    double rate = 3 * r.B(i, 0);
    for (int j = 0; j < 3; ++j) rate += r.A(i, j) * (*x)[j];
    CHECK(std::abs(rate) < 1e-12);
    y += r.C(0, i) * (*x)[i];
  }
  CHECK(y == doctest::Approx(3));
  CHECK_FALSE(at_rest(sections({}, {-4.0, 0.0}, 1), 3));
}

TEST_CASE("Bessel poles: the published ones at −3 dB, the flat delay, the Padé approximation") {
  // Published tables of Bessel low passes, normalised to half the power at 1 rad/s.
  const std::vector<std::pair<int, Roots>> published = {
      {2, {{-1.1016013306, 0.6360098248}}},
      {3, {{-1.0474091610, 0.9992644363}, -1.3226757999}},
      {4, {{-0.9952087644, 1.2571057395}, {-1.3700678306, 0.4102497175}}},
      {5, {{-0.9576765486, 1.4711243207}, {-1.3808773259, 0.7179095876}, -1.5023162714}}};
  for (const auto& [order, table] : published) {
    Roots poles = bessel_poles(order);
    const double half = half_power_frequency(poles);
    REQUIRE(poles.size() == table.size());
    for (const Complex& wanted : table) {
      double nearest = INFINITY;
      for (const Complex& p : poles) nearest = std::min(nearest, std::abs(p / half - wanted));
      CHECK(nearest < 1e-9);
    }
  }
  for (int order = 1; order <= 10; ++order) {
    CAPTURE(order);
    const Roots poles = bessel_poles(order);
    CHECK(count(poles) == order);
    double coefficient = 1, size = 1;  // θₙ(0) = (2n − 1)!!
    for (int k = 1; k < 2 * order; k += 2) coefficient *= k;
    for (const Complex& p : poles) size *= p.imag() != 0 ? std::norm(p) : -p.real();
    CHECK(size == doctest::Approx(coefficient).epsilon(1e-11));  // roots are worth about 1e4 ε at order 10
    const Complex s(0, 0.2 * order);
    Roots twice = poles, zeros = poles;
    for (auto& p : twice) p *= 2;
    for (auto& z : zeros) z = {-2 * z.real(), 2 * z.imag()};
    // Padé's error is of the order s²ⁿ⁺¹ n!² / ((2n)! (2n + 1)!).
    const double n = order;
    const double bound = 2 * std::exp((2 * n + 1) * std::log(std::abs(s)) + 2 * std::lgamma(n + 1) -
                                      std::lgamma(2 * n + 1) - std::lgamma(2 * n + 2));
    check_close(product_form(zeros, twice, order % 2 == 0 ? 1 : -1, s), std::exp(-s), bound + 1e-11);
    for (const Roots& some : {poles, butterworth_poles(order)}) {
      double gain = 1;
      for (const Complex& p : some) gain *= p.imag() != 0 ? std::norm(p) : -p.real();
      CHECK(std::norm(product_form({}, some, gain, {0, half_power_frequency(some)})) == doctest::Approx(0.5));
    }
    CHECK(half_power_frequency(butterworth_poles(order)) == doctest::Approx(1).epsilon(1e-12));
  }
}

TEST_CASE("band filters of high order and extreme width: half the power at both ends") {
  for (const int order : {1, 2, 5, 10})
    for (const Roots& poles : {butterworth_poles(order), bessel_poles(order)})
      for (const double high : {1.001, 2.0, 1e6}) {
        CAPTURE(order);
        CAPTURE(high);
        Roots prototype = poles;
        const double half = half_power_frequency(poles), middle = std::sqrt(high);
        for (auto& p : prototype) p /= half;
        const Realization low = low_pass(prototype);
        const Realization band = resonating(faster(low, high - 1), middle);
        const Realization stop = resonating(faster(inverted(low), high - 1), middle);
        CHECK(band.order() == 2 * order);
        for (const double w : {1.0, high}) {
          CHECK(std::norm(transfer(band, {0, w})) == doctest::Approx(0.5).epsilon(1e-9));
          CHECK(std::norm(transfer(stop, {0, w})) == doctest::Approx(0.5).epsilon(1e-9));
        }
        check_close(transfer(band, {0, middle}), 1.0, 1e-9);
        CHECK(std::abs(transfer(stop, {0, middle * (1 + 1e-9)})) < 1e-3);
        check_close(transfer(stop, {0, 1e-6}), 1.0, 1e-4);
        check_close(transfer(stop, {0, 1e6 * high}), 1.0, 1e-4);
        check_close(transfer(faster(inverted(low), 3), {0, 3}), std::conj(transfer(low, {0, 1})), 1e-11);
      }
}
