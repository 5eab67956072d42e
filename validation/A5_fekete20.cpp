// A5: the Fekete problem of the IVP test set: 20 particles on the unit sphere that repel each other (a potential −ln of
// the distances) and are damped, until t = 1000: positions, multipliers and the sum of logarithms to the digits of the test
// set, order 2. The elements are written here, as a user would: particles, pairs and spheres.
#include "support.hpp"

#include "mechanism.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr int count = 20;

struct Particle {
  Position<3> at;
  double mass, damping;

  static constexpr bool constant_inertia = true;
  auto variables() const { return std::tie(at); }
  void store(const auto& z, auto& out) const { out(at) += mass * z.rate(at); }
  void flow(const auto& z, auto& out) const { out(at) += damping * z.rate(at); }
};

struct Repulsion {
  Position<3> a, b;

  auto variables() const { return std::tie(a, b); }
  auto potential(const auto& z) const {
    const auto d = z(b) - z(a);
    return -0.5 * log(dot(d, d));
  }
};

struct Sphere {
  Position<3> at;
  Multiplier<1> push;

  auto variables() const { return std::tie(at, push); }
  void violation(const auto& z, auto& out) const { out(push) += dot(z(at), z(at)) - 1.0; }
};

struct Fekete {
  std::vector<Position<3>> p;
  std::vector<Multiplier<1>> push;
  System system = [this] {
    SystemBuilder builder;
    for (int i = 0; i < count; ++i) {
      p.push_back(builder.position<3>(fmt::format("p{}", i + 1)));
      push.push_back(builder.multiplier<1>(fmt::format("sphere{}", i + 1)));
      builder.add(Particle{p[i], 1.0, 0.5});
      builder.add(Sphere{p[i], push[i]});
      for (int j = 0; j < i; ++j) builder.add(Repulsion{p[j], p[i]});
    }
    return builder.finish();
  }();
  State initial() const {
    State s = system.state();
    const double pi = std::acos(-1.0);
    for (int i = 1; i <= count; ++i) {
      double a = 0, b = 0;
      if (i <= 3) a = 2 * pi * i / 3 + pi / 13, b = 3 * pi / 8;
      else if (i <= 10) a = 2 * pi * (i - 3) / 7 + pi / 29, b = pi / 8;
      else if (i <= 16) a = 2 * pi * (i - 10) / 6 + pi / 7, b = -2 * pi / 15;
      else a = 2 * pi * (i - 17) / 4 + pi / 17, b = -3 * pi / 10;
      const auto x = system.value(s, p[i - 1]);
      x[0] = std::cos(a) * std::cos(b), x[1] = std::sin(a) * std::cos(b), x[2] = std::sin(b);
    }
    return s;
  }
  /// Positions and multipliers.
  std::vector<double> values(const State& s) const {
    std::vector<double> v;
    for (const auto& x : p)
      for (double e : system.value(s, x)) v.push_back(e);
    for (const auto& x : push) v.push_back(-system.value(s, x)[0]);  // the test set's λ pulls
    return v;
  }
};

// fekete_reference.json of the IVP test set (benchmarks.yaml, A5_fekete20), good to 1e-10.
const double expected[count][3] = {{-0.4070263380333202, 0.3463758772791802, 0.8451942450030429},
                                   {0.0775293475252155, -0.2628662719972299, 0.9617122871829146},
                                   {0.7100577833343567, 0.121294805558612, 0.6936177005172217},
                                   {0.2348267744557627, 0.7449277976923311, 0.6244509285956391},
                                   {-0.4341114738782885, 0.8785430442262876, 0.199272044423766},
                                   {-0.9515059600312596, 0.2203508762787005, 0.2146669498274008},
                                   {-0.6385191643609878, -0.4310833259390688, 0.6375425027722121},
                                   {-0.1464175087914336, -0.9380871635228862, 0.313933729874469},
                                   {0.5666974065069942, -0.6739221885076542, 0.4740073135462156},
                                   {0.9843259538440293, -0.1696995357819996, -0.0480050429060909},
                                   {0.1464175087914331, 0.9380871635228875, -0.3139337298744656},
                                   {-0.7092757549979014, 0.5264062637139616, -0.4688542938854929},
                                   {-0.8665731819284478, -0.4813878059756024, -0.1315929352982178},
                                   {-0.2347897778700538, -0.859434040801313, -0.4541441287957579},
                                   {0.5530976940074118, -0.7674370265615124, -0.3242273140037833},
                                   {0.7711050969896927, 0.6357041816577034, 0.03573685519777001},
                                   {0.7103951209379591, 0.2403570431280519, -0.6614886725910596},
                                   {-0.0303820873873566, 0.4501923293640461, -0.8924145871442046},
                                   {-0.5772996158107093, -0.1766763414971813, -0.7971892020969544},
                                   {0.2414481766969039, -0.3416456818373135, -0.908284650344625}};

/// The motion dies out: steps of h up to t = 20, 4 h up to 100, 20 h up to 1000.
std::vector<double> steps(int n) {
  std::vector<double> list(n, 20.0 / n);
  list.insert(list.end(), n, 80.0 / n);
  list.insert(list.end(), 9 * n / 4, 400.0 / n);
  return list;
}

}  // namespace

TEST_CASE("positions and multipliers at t = 1000") {
  const Fekete problem;
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    GeneralizedAlphaOptions o;
    o.constraints = form;
    o.newton.tolerance = 1e-12;
    o.newton.keep_matrix = form == ConstraintForm::index3;
    Extrapolation e;
    for (int n : {200, 400, 800, 1600}) {
      const State s = run(problem.system, problem.initial(), o, steps(n));
      e.add(20.0 / n, problem.values(s));
    }
    double worst = 0, worst_push = 0, sum = 0;
    Ladder ladder({"positions"});
    std::vector<double> x;
    for (std::size_t i = 0; i < 60; ++i) {
      x.push_back(e.limit(i));
      worst = std::max(worst, std::abs(x[i] - expected[i / 3][i % 3]));
    }
    for (std::size_t i = 60; i < 80; ++i) worst_push = std::max(worst_push, std::abs(e.finest(i) + 4.75));
    for (std::size_t r = 0; r < e.h.size(); ++r) {
      double error = 0;
      for (std::size_t i = 0; i < 60; ++i) error = std::hypot(error, e.values[r][i] - expected[i / 3][i % 3]);
      ladder.add(e.h[r], {error});
    }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j)
        sum += std::log(
            std::hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1], x[3 * i + 2] - x[3 * j + 2]));
    ladder.print(fmt::format("Fekete problem, errors at t = 1000, {}",
                             form == ConstraintForm::index3 ? "index 3 with offset" : "stabilised index 2"));
    fmt::print("extrapolated: positions {:.1e} off, multipliers {:.1e}, sum of logarithms {:.14f}\n", worst,
               worst_push, sum);
    CHECK(worst < 1e-10);
    CHECK(worst_push < 1e-9);
    CHECK(close(sum, 54.011129974584186, 1e-12));
    ladder.check_second_order(0.1);
  }
}
