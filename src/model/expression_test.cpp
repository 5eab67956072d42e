#include "model/expression.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "model/gradient.hpp"

using namespace escapement;

namespace {

/// Parameters k = 100 N/m, m = 2 kg, phi = 0.5 rad, n = 3; inputs x (m) and v (m/s).
Scope scope() {
  static const std::vector<std::pair<std::string, Name>> table = {
      {"k", {parse_unit("N/m").dimension, -1, 100}},   {"m", {parse_unit("kg").dimension, -1, 2}},
      {"phi", {parse_unit("rad").dimension, -1, 0.5}}, {"n", {{}, -1, 3}},
      {"x", {parse_unit("m").dimension, 0}},           {"v", {parse_unit("m/s").dimension, 1}}};
  Scope s;
  s.find = [](std::string_view name) -> std::optional<Name> {
    for (const auto& [n, value] : table)
      if (n == name) return value;
    return std::nullopt;
  };
  for (const auto& [n, value] : table) s.names.push_back(n);
  return s;
}

double constant(const char* text) { return Expression::compile(text, scope()).constant(); }
std::string unit(const char* text) { return Expression::compile(text, scope()).dimension().text(); }

ExpressionError error(const char* text) {
  try {
    Expression::compile(text, scope());
  } catch (const ExpressionError& e) {
    return e;
  }
  return ExpressionError("no error", 999);
}

}  // namespace

TEST_CASE("quantities: a name after a number is a unit, anywhere else never") {
  CHECK(constant("5 N*s/m") == 5);
  CHECK(unit("5 N*s/m") == "kg/s");
  CHECK(constant("5s") == 5);
  CHECK(constant("-3 mm") == doctest::Approx(-0.003));
  CHECK(constant("2*m") == 4);  // the parameter
  CHECK(unit("2*m") == "kg");
  CHECK(constant("3 m*n") == 9);  // 3 metres times n
  CHECK(unit("3 m*n") == "m");
  CHECK(constant("k*(5 mm)") == doctest::Approx(0.5));
  CHECK(unit("k*(5 N*s/m)") == "kg^2/s^3");
  CHECK(constant("k*2 m + 1 N") == doctest::Approx(201));
  CHECK(constant("20 degC") == doctest::Approx(293.15));
  CHECK(constant("4 m^2") == 4);
  CHECK(unit("4 m^2 + 1 m^2") == "m^2");
  CHECK(constant("90 deg") == doctest::Approx(std::acos(0.0)));
  CHECK(constant("1e3 N") == 1000);
}

TEST_CASE("arithmetic, precedence, functions") {
  CHECK(constant("1+2*3") == 7);
  CHECK(constant("-2^2") == -4);
  CHECK(constant("2^3^2") == 512);
  CHECK(constant("2^-1") == 0.5);
  CHECK(constant("(1+2)*3") == 9);
  CHECK(constant("8/4/2") == 1);
  CHECK(constant("sqrt(k/m)") == doctest::Approx(std::sqrt(50.0)));
  CHECK(unit("sqrt(k/m)") == "1/s");
  CHECK(unit("sqrt(2*m)*sqrt(m)") == "kg");
  CHECK(unit("sqrt(k)") == "kg^(1/2)/s");
  CHECK(unit("m^(1/3)*m^(2/3)") == "kg");
  CHECK(constant("sin(30 deg)") == doctest::Approx(0.5));
  CHECK(unit("atan2(1 m, 2 m)") == "rad");
  CHECK(constant("max(1 m, 20 cm)") == 1);
  CHECK(constant("n > 2 ? 10 N : 0") == 10);
  CHECK(constant("asin(0.5)") == doctest::Approx(std::asin(0.5)));
  CHECK(constant("2*pi") == doctest::Approx(6.283185307179586));
  CHECK(unit("0*1 m + 3 m") == "m");
}

TEST_CASE("inputs are differentiated exactly") {
  const auto e =
      Expression::compile("k*x + 0.5*k*x^3/(1 m)^2 - (2 N)*tanh(v/(1 m/s)) + abs(x)*1 N/1 m", scope());
  CHECK_FALSE(e.is_constant());
  CHECK(e.dimension() == parse_unit("N").dimension);
  Dual<2> in[2] = {0.3, -0.7};
  in[0].d[0] = 1, in[1].d[1] = 1;
  const auto f = e.evaluate<Dual<2>>(in);
  CHECK(f.v == doctest::Approx(30 + 50 * 0.027 - 2 * std::tanh(-0.7) + 0.3));
  CHECK(f.d[0] == doctest::Approx(100 + 150 * 0.09 + 1));
  CHECK(f.d[1] == doctest::Approx(-2 * (1 - std::pow(std::tanh(0.7), 2))));
}

TEST_CASE("zero is any unit, other bare numbers are pure") {
  CHECK(Expression::compile("0", scope()).is_zero());
  CHECK(Expression::compile("3", scope()).is_bare_number());
  CHECK_FALSE(Expression::compile("3 N", scope()).is_bare_number());
  CHECK(unit("x + 0") == "m");
  CHECK(error("x + 1").position == 2);
  CHECK(error("x + 1").hint == "give the bare number a unit");
}

TEST_CASE("faults have a place and a hint") {
  CHECK(error("").position == 0);
  CHECK(error("1 +").position == 3);
  CHECK(error("(1 + 2").position == 0);
  CHECK(error("1 + 2)").position == 5);
  CHECK(error("1 N + 2 m").position == 4);
  CHECK(error("kk*2").position == 0);
  CHECK(error("kk*2").hint == "did you mean k?");
  CHECK(error("3 Nn").position == 2);
  CHECK(error("sqrd(1)").hint == "did you mean sqrt?");
  CHECK(error("sin(1 m)").position == 0);
  CHECK(error("sin(1, 2)").position == 0);
  CHECK(error("2 sin(1)").position == 2);
  CHECK(error("1/0").position == 1);
  CHECK(error("2^(1 m)").position == 1);
  CHECK(error("k^0.37").position == 1);
  CHECK(error("a == b").position != 999);
  CHECK(error("1 $ 2").position == 2);
  CHECK(error("exp(k)").position == 0);
  CHECK(error("x > 1 s").position == 2);
  CHECK(error("1e999").position == 0);
  CHECK(error(std::string(200, '(').c_str()).position != 999);
  CHECK(error((std::string(200, '-') + "1").c_str()).position != 999);
}

TEST_CASE("sides: what switches, where, and on which side it stays") {
  // inputs: x, v
  Expression e =
      Expression::compile("x > 0 m ? abs(v) : (x < -2 m ? sign(v)*(1 m/s) : max(v, (1 m/s)))", scope());
  REQUIRE(e.sides() == 5);
  CHECK(e.place_sides(2) == 7);
  CHECK_FALSE(e.has_side(1));
  CHECK(e.switch_text(2) == "x > 0 m");
  CHECK(e.switch_text(3) == "abs(v)");
  CHECK(e.switch_text(4) == "x < -2 m");
  CHECK(e.switch_text(5) == "sign(v)");
  CHECK(e.switch_text(6) == "max(v, (1 m/s))");
  std::vector<double> sides(7, 0.0), g(7, 0.0);
  const auto look = [&](double x, double v) {
    const double in[] = {x, v};
    e.crossings(in, sides.data(), g);
    return e.evaluate<double>(in, sides.data());
  };
  CHECK(look(3, -2) == 2);
  CHECK(std::vector<double>(g.begin() + 2, g.end()) ==
        std::vector<double>{-1, -1, 1, 1, 1});  // to be decided
  const double start[] = {3, -2};
  e.cross(start, sides.data(), 2);
  e.cross(start, sides.data(), 3);
  CHECK(std::vector<double>(sides.begin() + 2, sides.end()) == std::vector<double>{1, -1, 0, 0, 0});
  look(0.5, -2);
  CHECK(g[2] == 0.5);
  CHECK(g[3] == 2);
  CHECK(look(-1, -2) == 2);  // it stays where it was
  CHECK(g[2] == -1);
  const double there[] = {-1, -2};
  e.cross(there, sides.data(), 2);  // … until it crosses; then the other branch is decided too
  CHECK(std::vector<double>(sides.begin() + 2, sides.end()) == std::vector<double>{-1, 0, -1, 0, -1});
  CHECK(look(-1, -2) == 1);
  CHECK(look(1, -2) == 1);
  const double at_rest[] = {-3, 0};
  e.cross(at_rest, sides.data(), 4);
  CHECK(sides[5] == 2);  // sign at zero
  CHECK(look(-3, 0.5) == 0);
  CHECK(g[5] == -0.5);
}

TEST_CASE("sides: the way to a value may end at its border") {
  const Expression e = Expression::compile("x > 0 m ? sqrt(x*(1 m)) : -sqrt(-x*(1 m))", scope());
  const double sides[] = {1};
  const double below[] = {-4, 0};
  CHECK(e.evaluate<double>(below, sides) == -2);
  std::vector<double> slope(2, 0.0), work;
  CHECK(e.gradient<double>(below, slope, work, sides) == -2);
  CHECK(slope[0] == 0.25);
}

TEST_CASE("kinks that only a condition reads have no side; constant ones neither") {
  CHECK(Expression::compile("abs(x) > 1 m ? v : 0", scope()).sides() == 1);
  CHECK(Expression::compile("max(1, 2)*x + abs(-3 m)", scope()).sides() == 0);
  CHECK(Expression::compile("sign(max(x, 1 m))", scope()).sides() == 1);
  CHECK(Expression::compile("(x > 0)*(v > 0) > 0.5 ? 1 : 0", scope()).sides() == 3);
}

TEST_CASE("what a kink changes beyond its border") {
  const Expression e = Expression::compile("x*abs(x)", scope());
  const double sides[] = {1}, in[] = {-0.5, 0}, before[] = {0.5, 0};
  CHECK(e.bend(in, sides, 0).value == 0.25);
  CHECK(e.bend(in, sides, 0).change == 0.5);
  CHECK(e.bend(before, sides, 0).change == 0);
  CHECK(std::isinf(Expression::compile("sign(x)", scope()).bend(in, sides, 0).change));
}

TEST_CASE("smooth variants: values, and slopes against differences") {
  for (const char* text :
       {"smooth_abs(x, 0.3 m)", "smooth_sign(x, 0.3 m)*(2 m)", "smooth_max(x, v*(1 s), 0.3 m)",
        "smooth_min(x, v*(1 s), 0.3 m)", "smooth_max(0, x, 0.1 m)"}) {
    const Expression e = Expression::compile(text, scope());
    CHECK(e.sides() == 0);
    for (const double x : {-0.7, 0.0, 0.2}) {
      const double in[] = {x, 0.1};
      std::vector<double> slope(2, 0.0), work;
      e.gradient<double>(in, slope, work);
      for (int i = 0; i < 2; ++i) {
        double up[] = {x, 0.1}, down[] = {x, 0.1};
        up[i] += 1e-5, down[i] -= 1e-5;
        const double difference = (e.evaluate<double>(up) - e.evaluate<double>(down)) / 2e-5;
        CHECK(slope[i] == doctest::Approx(difference).epsilon(1e-7));
      }
    }
  }
  CHECK(Expression::compile("smooth_abs(4, 3)", scope()).constant() == 5);
  CHECK(Expression::compile("smooth_max(1, 4, 4)", scope()).constant() == 5);
  CHECK(Expression::compile("smooth_min(1, 4, 4)", scope()).constant() == 0);
  CHECK(error("smooth_abs(x, 0 m)").position == 0);
  CHECK(error("smooth_max(x, 1 s, 1 m)").position == 0);
  CHECK(unit("smooth_max(0, x, 1 m)") == "m");
}
