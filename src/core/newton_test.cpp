// Newton on scalar equations from many starts: always converges on monotone ones, never reports a false root.
#include "core/newton.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

using namespace escapement;

namespace {

struct Scalar : NewtonProblem {
  std::function<double(double)> f, slope;
  double x = 0, weight = 1;
  void residual(std::span<double> r) override { r[0] = f(x); }
  void tangent(std::span<double> r, std::span<double> v) override { r[0] = f(x), v[0] = slope(x); }
  void move(std::span<const double> i, double s) override { x += s * i[0]; }
  std::span<const double> weights() const override { return {&weight, 1}; }
  void magnitudes(std::span<double> size, std::span<double>) const override { size[0] = std::abs(x); }
};

Pattern one_by_one() {
  PatternBuilder b(1);
  b.add(0, 0);
  return b.finish();
}

}  // namespace

TEST_CASE("globally: monotone functions from 401 starts, full steps that overshoot or overflow included") {
  struct Function {
    const char* name;
    std::function<double(double)> f, slope;
  };
  const Function functions[] = {
      {"atan x", [](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); }},
      {"atan 5x + x/10", [](double x) { return std::atan(5 * x) + 0.1 * x; },
       [](double x) { return 5 / (1 + 25 * x * x) + 0.1; }},
      {"x³ + x − 1", [](double x) { return x * x * x + x - 1; }, [](double x) { return 3 * x * x + 1; }},
      {"eˣ − 1", [](double x) { return std::exp(x) - 1; }, [](double x) { return std::exp(x); }},
      {"tanh x + x/100", [](double x) { return std::tanh(x) + 0.01 * x; },
       [](double x) { return 1 - std::tanh(x) * std::tanh(x) + 0.01; }},
      {"x + 0.45 sin 2x − 1", [](double x) { return x + 0.45 * std::sin(2 * x) - 1; },
       [](double x) { return 1 + 0.9 * std::cos(2 * x); }},
      {"x + 2 tanh 3(x−2) + 1", [](double x) { return x + 2 * std::tanh(3 * (x - 2)) + 1; },
       [](double x) { return 1 + 6 * (1 - std::pow(std::tanh(3 * (x - 2)), 2)); }}};
  const Pattern pattern = one_by_one();
  for (const auto& f : functions) {
    int failures = 0;
    for (int k = 0; k <= 400; ++k) {
      Newton newton(pattern, 0, {.max_iterations = 200});
      Scalar p;
      p.f = f.f, p.slope = f.slope, p.x = -10 + 0.05 * k;
      const NewtonReport report = newton.solve(p);
      failures += !report.ok();
      if (report.ok()) CHECK(std::abs(f.f(p.x)) < 1e-8);
    }
    INFO(f.name);
    CHECK(failures == 0);
  }
}

TEST_CASE("no root: refused, with the increments on record") {
  Newton newton(one_by_one(), 0, {});
  Scalar p;
  p.f = [](double x) { return x * x + 1; };
  p.slope = [](double x) { return 2 * x; };
  p.x = 0.7;
  const NewtonReport report = newton.solve(p);
  CHECK(report.status == NewtonStatus::no_convergence);
  CHECK(report.increments.size() > 1);
  REQUIRE(report.worst.size() == 1);
}

TEST_CASE("a lagged matrix is kept while it contracts and renewed when it does not") {
  Newton newton(one_by_one(), 0, {});
  Scalar p;
  double rhs = 1;
  p.f = [&](double x) { return x + 0.001 * x * x - rhs; };
  p.slope = [](double x) { return 1 + 0.002 * x; };
  CHECK(newton.solve(p).factorizations == 1);
  rhs = 1.1;
  CHECK(newton.solve(p).factorizations == 0);
  p.f = [&](double x) { return 5 * x - rhs; };  // the old matrix contracts no longer
  p.slope = [](double) { return 5; };
  const auto report = newton.solve(p);
  CHECK(report.ok());
  CHECK(report.factorizations == 1);
  CHECK(p.x == doctest::Approx(0.22).epsilon(1e-9));
}

namespace {

/// u = 1, y = (u > ½), w = (y < ½): decisions one after the other, each unknown when the last one moves.
struct Decisions : NewtonProblem {
  double x[3] = {0, 0, 0}, weight[3] = {1, 1, 1};
  void residual(std::span<double> r) override {
    r[0] = x[0] - 1;
    r[1] = x[1] - (x[0] > 0.5 ? 1 : 0);
    r[2] = x[2] - (x[1] < 0.5 ? 1 : 0);
  }
  void tangent(std::span<double> r, std::span<double> v) override {
    residual(r);
    for (int i = 0; i < 3; ++i) v[i] = 1;
  }
  void move(std::span<const double> increment, double s) override {
    for (int i = 0; i < 3; ++i) x[i] += s * increment[i];
  }
  std::span<const double> weights() const override { return weight; }
  void magnitudes(std::span<double> size, std::span<double>) const override {
    for (int i = 0; i < 3; ++i) size[i] = std::abs(x[i]);
  }
};

}  // namespace

TEST_CASE("decisions that change sides are followed, a decision against itself is no root") {
  PatternBuilder b(3);
  for (int i = 0; i < 3; ++i) b.add(i, i);
  const Pattern pattern = b.finish();
  Newton newton(pattern, 0, {});
  Decisions p;
  CHECK(newton.solve(p).ok());
  CHECK(p.x[0] == 1);
  CHECK(p.x[1] == 1);
  CHECK(p.x[2] == 0);

  Newton scalar(one_by_one(), 0, {});
  Scalar against;  // x = (x < ½)
  against.f = [](double x) { return x - (x < 0.5 ? 1 : 0); };
  against.slope = [](double) { return 1.0; };
  CHECK(!scalar.solve(against).ok());
}
