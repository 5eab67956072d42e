// Threads that share the elements of a group: the same sums, to the last bit.
#include "core/workers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "core/system.hpp"

using namespace escapement;

namespace {

struct Mass {
  Position<1> at;
  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const { out(at) += 1.3 * z.rate(at); }
};
struct Spring {
  Position<1> a, b;
  double stiffness;
  auto variables() const { return std::tie(a, b); }
  auto potential(const auto& z) const {
    const auto d = z(b) - z(a);
    return stiffness * (0.5 * d * d + 0.25 * d * d * d * d);
  }
};

}  // namespace

TEST_CASE("workers: every task once, whatever their number; faults come through") {
  Workers& workers = Workers::shared();
  const int before = workers.count();
  for (const int count : {1, 2, 5}) {
    workers.use(count);
    CHECK(workers.count() == count);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> done(37);
      workers.run(37, [&](int i) { ++done[i]; });
      for (const auto& d : done) CHECK(d == 1);
    }
    CHECK_THROWS_AS(workers.run(20,
                                [](int i) {
                                  if (i == 7) throw std::runtime_error("seven");
                                }),
                    std::runtime_error);
    std::atomic<int> sum = 0;
    workers.run(10, [&](int i) { sum += i; });
    CHECK(sum == 45);
  }
  workers.use(before);
}

TEST_CASE("workers: rows and tangents of large groups have the same bits with any number of threads") {
  for (const bool star : {false, true}) {  // a chain; all on one node, which nobody can share
    SystemBuilder b;
    std::vector<Position<1>> x;
    constexpr int n = 6000;
    for (int i = 0; i < n; ++i) {
      x.push_back(b.position<1>("x" + std::to_string(i)));
      b.add(Mass{x.back()});
      if (i > 0) b.add(Spring{star ? x[0] : x[i - 1], x[i], 1 + 0.001 * i});
    }
    const System system = b.finish();
    State s = system.state();
    for (int i = 0; i < n; ++i) system.value(s, x[i])[0] = std::sin(0.7 * i);
    Workers& workers = Workers::shared();
    const int before = workers.count();
    std::vector<double> first, first_values, first_alone;
    for (const int count : {1, 2, 3}) {
      workers.use(count);
      std::vector<double> r(system.size()), values(system.pattern().nonzeros());
      system.tangent(s, {.position = 0.1, .velocity = 1, .acceleration = 10}, {}, r, values);
      std::vector<double> alone(system.size());
      system.residual(s, {.position = 0.1, .velocity = 1, .acceleration = 10}, alone);
      double apart = 0;  // evaluated by other code, which may round in another way
      for (std::size_t i = 0; i < r.size(); ++i) apart = std::max(apart, std::abs(alone[i] - r[i]));
      CHECK(apart < 1e-12 * 6000);
      if (count == 1) {
        first = r;
        first_alone = alone;
        first_values = values;
      }
      CHECK(r == first);
      CHECK(alone == first_alone);
      CHECK(values == first_values);
    }
    workers.use(before);
  }
}
