// Sources, operations and nonlinear blocks: their shared elements pass the element checker, and so does the example of
// every block; the functions they are made of keep what they promise.
#include <doctest/doctest.h>

#include <random>
#include <sstream>

#include "components/control/extremum.hpp"
#include "components/control/function.hpp"
#include "components/control/input.hpp"
#include "components/control/map.hpp"
#include "components/control/nonlinear_lag.hpp"
#include "components/control/switching.hpp"
#include "components/control/table_2d.hpp"
#include "components/control/table_pieces.hpp"
#include "components/control/time_source.hpp"
#include "components/registry.hpp"
#include "core/element_check.hpp"
#include "model/assembly.hpp"

using namespace escapement;
using namespace escapement::control;

TEST_CASE("a source of time, a map, a function of several signals") {
  SystemBuilder b;
  const auto t = b.signal<1>("t"), u = b.signal<1>("u"), y = b.signal<1>("y");
  b.add(TimeSource{t, [](double time, double jumps) { return time * time - jumps; }});
  b.add(Map{t, u, [](const Dual<1>& x) { return x * tanh(x); }});
  b.add_dynamic(std::make_unique<Function>(std::vector{t, u}, y,
                                           [](std::span<const double> x, std::span<double> gradient) {
                                             gradient[0] = 2 * x[0] * x[1];
                                             gradient[1] = x[0] * x[0];
                                             return x[0] * x[0] * x[1];
                                           }));
  const System system = b.finish();
  for (const auto& fault : check_elements(system, {})) FAIL_CHECK(fault);
}

TEST_CASE("signals that jump, in all their modes") {
  SystemBuilder b;
  const auto u = b.signal<1>("u"), v = b.signal<1>("v"), two = b.signal<1>("two"),
             stairs = b.signal<1>("stairs"), kept = b.signal<1>("kept"), outside = b.signal<1>("outside");
  b.add(Defined{u});
  b.add(Defined{v});
  b.add(TwoPoint{u, v, two, -0.5, 0.5, 2.0, 3.0});
  b.add(Stairs{u, stairs, 0.25});
  b.add(Held{kept});
  b.add(Input{outside});
  b.add(Trigger{kept, true, false});
  const System system = b.finish();
  for (const auto& fault : check_elements(system, {})) FAIL_CHECK(fault);
}

TEST_CASE("a wrong gradient is found") {
  SystemBuilder b;
  const auto t = b.signal<1>("t"), y = b.signal<1>("y");
  b.add(Defined{t});
  b.add_dynamic(std::make_unique<Function>(std::vector{t}, y,
                                           [](std::span<const double> x, std::span<double> gradient) {
                                             gradient[0] = 1;
                                             return x[0] * x[0];
                                           }));
  const System system = b.finish();
  CHECK(!check_elements(system, {}).empty());
}

// NonlinearLag is what backlash, hysteresis and rate_limiter are built of.
TEST_CASE("the examples of the blocks pass the element checker") {
  const Registry registry = standard_registry();
  for (const char* name :
       {"absolute", "backlash", "chirp",     "comparison",  "dead_zone",    "demultiplexer", "hysteresis",
        "logic",    "maximum",  "minimum",   "multiplexer", "multisine",    "noise",         "norm",
        "product",  "pulse",    "quantiser", "ramp",        "rate_limiter", "relay",         "saturation",
        "selector", "table",    "table_2d",  "time_table",  "variable"}) {
    CAPTURE(name);
    const ComponentType* type = registry.find(std::string("control.") + name);
    REQUIRE(type != nullptr);
    std::string text = "escapement: 1\ncomponents:\n";
    std::istringstream lines(type->example);
    for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
    const Assembly assembly = assemble(Model::read_text(text, name, registry));
    for (const auto& fault : check_elements(assembly.system, {.spread = 3})) FAIL_CHECK(fault);
  }
}

TEST_CASE("rounded corners: exact outside, continuous in value and slope") {
  const auto slope = [](auto f, double x) {
    Dual<1> u(x);
    u.d[0] = 1;
    return f(u).d[0];
  };
  for (const double w : {0.5, 2.0}) {
    const auto corner = [w](const auto& x) { return positive_part(x, w); };
    const auto step = [w](const auto& x) { return smooth_step(x, w); };
    CHECK(corner(-0.5 * w) == 0);
    CHECK(corner(0.5 * w) == 0.5 * w);
    CHECK(corner(0.0) == doctest::Approx(w / 8));
    CHECK(step(0.0) == 0.5);
    for (const double edge : {-0.5 * w, 0.5 * w})
      for (const double d : {1e-9, -1e-9}) {
        CHECK(corner(edge + d) == doctest::Approx(edge > 0 ? edge : 0).epsilon(1e-8));
        CHECK(slope(corner, edge + d) == doctest::Approx(edge > 0 ? 1 : 0).epsilon(1e-8));
        CHECK(step(edge + d) == doctest::Approx(edge > 0 ? 1 : 0).epsilon(1e-8));
        CHECK(std::abs(slope(step, edge + d)) < 1e-7);
      }
  }
  CHECK(positive_part(-1e-300, 0) == 0);
  CHECK(positive_part(1e-300, 0) == 1e-300);
}

TEST_CASE("the largest and the smallest of several numbers, with gradient") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 200; ++k) {
    std::vector<double> u(4), gradient(4), unused(4);
    for (double& x : u) x = uniform(random);
    CHECK(extremum(1, 0, u, gradient) == *std::max_element(u.begin(), u.end()));
    CHECK(extremum(-1, 0, u, gradient) == *std::min_element(u.begin(), u.end()));
    for (const double sign : {1.0, -1.0})
      for (int i = 0; i < 4; ++i) {
        const double value = extremum(sign, 0.7, u, gradient);
        CHECK(sign * value >= sign * extremum(sign, 0, u, unused) - 1e-15);  // rounded outwards
        auto plus = u, minus = u;
        plus[i] += 1e-6, minus[i] -= 1e-6;
        const double difference =
            (extremum(sign, 0.7, plus, unused) - extremum(sign, 0.7, minus, unused)) / 2e-6;
        CHECK(gradient[i] == doctest::Approx(difference).epsilon(1e-5));
      }
  }
}

TEST_CASE("a table of two variables: its points, bilinear functions, one gradient everywhere") {
  const std::vector<double> x = {-1, 0, 0.5, 2}, y = {0, 1, 3};
  std::vector<double> bilinear, wild;
  for (const double a : x)
    for (const double b : y) {
      bilinear.push_back(2 - a + 3 * b - 0.5 * a * b);
      wild.push_back(std::sin(3 * a) * std::exp(-b) + a * b);
    }
  for (const bool smooth : {false, true}) {
    const Table2d exact(x, y, bilinear, smooth), table(x, y, wild, smooth);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < y.size(); ++j)
        CHECK(table.at(x[i], y[j], false).f == doctest::Approx(wild[i * y.size() + j]));
    std::mt19937 random(2);
    std::uniform_real_distribution<double> far(-3, 5);
    for (int k = 0; k < 500; ++k) {
      const double a = far(random), b = far(random);
      const auto v = exact.at(a, b, false);
      CHECK(v.f == doctest::Approx(2 - a + 3 * b - 0.5 * a * b));
      CHECK(v.fx == doctest::Approx(-1 - 0.5 * b));
      CHECK(v.fy == doctest::Approx(3 - 0.5 * a));
      for (const bool hold : {false, true}) {
        const auto w = table.at(a, b, hold);
        const double e = 1e-6;
        CHECK(w.fx == doctest::Approx((table.at(a + e, b, hold).f - table.at(a - e, b, hold).f) / (2 * e))
                          .epsilon(1e-5));
        CHECK(w.fy == doctest::Approx((table.at(a, b + e, hold).f - table.at(a, b - e, hold).f) / (2 * e))
                          .epsilon(1e-5));
      }
      if (!smooth) continue;
      for (const double line : x) {  // across the lines of the grid, its edge included
        const auto left = table.at(line - 1e-9, b, false), right = table.at(line + 1e-9, b, false);
        CHECK(left.f == doctest::Approx(right.f).epsilon(1e-6));
        CHECK(left.fx == doctest::Approx(right.fx).epsilon(1e-6));
        CHECK(left.fy == doctest::Approx(right.fy).epsilon(1e-6));
      }
      for (const double line : y) {
        const auto below = table.at(a, line - 1e-9, false), above = table.at(a, line + 1e-9, false);
        CHECK(below.fx == doctest::Approx(above.fx).epsilon(1e-6));
        CHECK(below.fy == doctest::Approx(above.fy).epsilon(1e-6));
      }
    }
  }
  const Table2d held(x, y, wild, true);
  CHECK(held.at(9, 9, true).f == doctest::Approx(wild.back()));
  CHECK(held.at(9, 9, true).fx == 0);
}

TEST_CASE("a table in pieces: as it is without a side, and beyond a corner along the piece that holds") {
  const auto table = std::make_shared<Table>(std::vector<double>{0, 1, 3, 4},
                                             std::vector<double>{0, 2, 2, -1}, Table::Interpolation::linear);
  const TablePieces pieces(table, false);
  REQUIRE(pieces.sides() == 2);
  for (const double x : {-0.5, 0.3, 1.0, 2.2, 3.7, 4.4}) CHECK(pieces.evaluate(x, nullptr) == (*table)(x));
  double sides[2] = {0, 0}, g[2];
  const double before[] = {0.5}, beyond[] = {1.5};
  pieces.crossings(before, sides, g);
  CHECK((g[0] < 0 && g[1] < 0));  // to be decided
  pieces.cross(before, sides, 0);
  pieces.cross(before, sides, 1);
  pieces.crossings(before, sides, g);
  CHECK(g[1] == 0.5);
  CHECK(pieces.evaluate(1.5, sides) == 3);  // along the first piece
  pieces.crossings(beyond, sides, g);
  CHECK(g[1] == -0.5);
  pieces.cross(beyond, sides, 1);
  CHECK(pieces.evaluate(1.5, sides) == 2);
  pieces.crossings(beyond, sides, g);
  CHECK((g[0] == 0.5 && g[1] == 1.5));
}
