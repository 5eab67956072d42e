// Pattern, dense and KLU back ends: solutions, reused and renewed pivots, named singular rows and columns.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "sparse/linear_solver.hpp"

using namespace escapement;

namespace {

struct Problem {
  Pattern pattern;
  std::vector<double> values;
};

Problem random_problem(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> index(0, n - 1);
  std::uniform_real_distribution<double> number(-1, 1);
  PatternBuilder b(n);
  for (int i = 0; i < n; ++i) {
    b.add(i, i);
    b.add(i, (i + 1) % n);
    for (int k = 0; k < 3; ++k) b.add(index(random), index(random));
  }
  Problem p{b.finish(), {}};
  for (int k = 0; k < p.pattern.nonzeros(); ++k) p.values.push_back(number(random));
  return p;
}

/// max |b - A x| / (|A| |x| + |b|)
double backward_error(const Problem& p, const std::vector<double>& x, const std::vector<double>& b) {
  const auto size = [](const std::vector<double>& v) {
    double m = 0;
    for (double e : v) m = std::max(m, std::abs(e));
    return m;
  };
  std::vector<double> y(b.size());
  multiply(p.pattern, p.values, x, y);
  for (std::size_t i = 0; i < b.size(); ++i) y[i] -= b[i];
  return size(y) / (size(p.values) * size(x) + size(b));
}

}  // namespace

TEST_CASE("pattern: sorted, merged, found") {
  PatternBuilder b(3);
  b.add(2, 0), b.add(0, 0), b.add(2, 0), b.add(1, 2);
  const Pattern p = b.finish();
  CHECK(p.nonzeros() == 3);
  CHECK(p.find(0, 0) == 0);
  CHECK(p.find(2, 0) == 1);
  CHECK(p.find(1, 0) == -1);
  CHECK(p.find(1, 2) == 2);
}

TEST_CASE("both back ends solve; refactorisation with changing values stays accurate") {
  for (auto make : {make_dense_solver, make_klu_solver}) {
    for (int n : {1, 2, 7, 40, 300}) {
      const auto solver = make();
      Problem p = random_problem(n, n);
      solver->analyze(p.pattern);
      std::mt19937 random(5);
      std::uniform_real_distribution<double> number(-1, 1);
      for (int round = 0; round < 20; ++round) {
        for (double& v : p.values)
          v = number(random) * std::pow(10.0, round % 5);  // wild changes: old pivots go bad
        std::vector<double> b(n);
        for (double& x : b) x = number(random);
        solver->distrust();
        if (!solver->factor(p.values).ok) continue;
        std::vector<double> x = b;
        solver->solve(x);
        INFO(solver->name(), " n = ", n, " round ", round);
        CHECK(backward_error(p, x, b) < 1e-11);
        for (double& v : p.values) v *= 1 + 0.1 * number(random);  // gentle changes: old pivots, not checked
        if (!solver->factor(p.values).ok) continue;
        x = b;
        solver->solve(x);
        // Unchecked: KLU's pivots (at least 1e-3 of their column) let rounding grow, Newton corrects it.
        CHECK(backward_error(p, x, b) < 1e-9);
      }
    }
  }
}

TEST_CASE("pivots are reused while they hold and renewed when they do not") {
  // [[1, 1], [1, 0]]-like 2×2 blocks: pivot order chosen for the first values is useless for the second.
  PatternBuilder b(2);
  b.add(0, 0), b.add(0, 1), b.add(1, 0), b.add(1, 1);
  const Pattern p = b.finish();
  const auto solver = make_klu_solver();
  solver->analyze(p);
  std::vector<double> values = {1.0, 0.5, 0.5, 1.0};
  REQUIRE(solver->factor(values).ok);
  REQUIRE(solver->factor(values).ok);
  CHECK(solver->pivotings() == 1);
  values = {1e-18, 1.0, 1.0, 1.0};
  REQUIRE(solver->factor(values).ok);
  std::vector<double> x = {1.0, 2.0};
  solver->solve(x);
  CHECK(solver->pivotings() == 2);
  CHECK(x[0] == doctest::Approx(1.0));
  CHECK(x[1] == doctest::Approx(1.0));
}

TEST_CASE("an unknown in other units is no dependence") {
  // Columns of impulses over a step of 5e-18 s (1/h) and of what reads them; a chain that couples the rest.
  for (const double h : {5e-18, 3e-15, 1e-9, 4e12})
    for (auto make : {make_dense_solver, make_klu_solver}) {
      constexpr int n = 5;
      PatternBuilder b(n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) b.add(i, j);
      const Pattern p = b.finish();
      const double A[n][n] = {{2e-5, 0, 0, 0, 0.3},
                              {1, 1, -1 / h, 0, 0},
                              {0, 0, 1 / h, 0, 0},
                              {0.1, 0, 0, h, h},
                              {0, 0, 0, -1, 2}};
      std::vector<double> values(static_cast<std::size_t>(n) * n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) values[p.find(i, j)] = A[i][j];
      const auto solver = make();
      solver->analyze(p);
      REQUIRE(solver->factor(values).ok);
      const double wanted[n] = {1, 2, 3 * h, 4, 5};
      std::vector<double> x(n, 0.0);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) x[i] += A[i][j] * wanted[j];
      solver->solve(x);
      CHECK(x[1] == doctest::Approx(2).epsilon(1e-9));
      CHECK(x[2] == doctest::Approx(3 * h).epsilon(1e-9));
      for (int j = 0; j < n; ++j)
        values[p.find(3, j)] = 2 * A[0][j];  // two rows that do depend on each other
      CHECK_FALSE(solver->factor(values).ok);
    }
}

TEST_CASE("singular matrices name the dependent rows and columns") {
  for (auto make : {make_dense_solver, make_klu_solver}) {
    // Rows 1 and 3 equal; column 2 free of them.
    PatternBuilder b(4);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) b.add(i, j);
    const Pattern p = b.finish();
    const double A[4][4] = {{2, 1, 0, 1}, {1, 3, 1, 2}, {0, 1, 4, 1}, {1, 3, 1, 2}};
    std::vector<double> values(16);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) values[p.find(i, j)] = A[i][j];
    const auto solver = make();
    solver->analyze(p);
    const auto f = solver->factor(values);
    CHECK_FALSE(f.ok);
    REQUIRE(f.singular_rows.size() == 2);
    CHECK(std::min(f.singular_rows[0], f.singular_rows[1]) == 1);
    CHECK(std::max(f.singular_rows[0], f.singular_rows[1]) == 3);
    // An empty row names itself; so does a NaN.
    for (int j = 0; j < 4; ++j) values[p.find(2, j)] = 0;
    CHECK(solver->factor(values).singular_rows == std::vector<int>{2});
    values[p.find(1, 1)] = std::nan("");
    const auto g = solver->factor(values);
    CHECK_FALSE(g.ok);
    CHECK(g.singular_rows == std::vector<int>{1});
  }
}
