#include "model/units.hpp"
#include "base/nearest_name.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace escapement;

namespace {

double si(const char* text) { return parse_unit(text).factor; }
Dimension dimension_of(const char* text) { return parse_unit(text).dimension; }
bool may(const char* given, const char* wanted) {
  return compatible(dimension_of(given), dimension_of(wanted));
}

}  // namespace

TEST_CASE("units in SI") {
  CHECK(si("N/m") == 1);
  CHECK(si("kN/mm") == doctest::Approx(1e6));
  CHECK(si("l/min") == doctest::Approx(1e-3 / 60));
  CHECK(si("km/h") == doctest::Approx(1 / 3.6));
  CHECK(si("rev/min") == doctest::Approx(2 * std::numbers::pi / 60));
  CHECK(si("rpm") == si("rev/min"));
  CHECK(si("mm^2") == doctest::Approx(1e-6));
  CHECK(si("1/s") == 1);
  CHECK(si("g*cm^2") == doctest::Approx(1e-7));
  CHECK(si("µF") == doctest::Approx(1e-6));
  CHECK(si("uF") == doctest::Approx(1e-6));
  CHECK(si("min") == 60);  // not milli-inch
  CHECK(si("m^-1") == 1);
  CHECK(si("N * s / m") == 1);  // blanks are allowed
  CHECK(parse_unit("degC").offset == 273.15);
  CHECK(si("psi") == doctest::Approx(si("lbf/in^2")));
  CHECK(dimension_of("V*A") == dimension_of("W"));
  CHECK(dimension_of("ohm*F") == dimension_of("s"));
  CHECK(dimension_of("Wb/A") == dimension_of("H"));
  CHECK(dimension_of("N*s/m").text() == "kg/s");
}

TEST_CASE("fractional exponents") {
  CHECK(dimension_of("m^(1/2)*m^(1/2)") == dimension_of("m"));
  CHECK(dimension_of("N^(2/3)").text() == "kg^(2/3)*m^(2/3)/s^(4/3)");
  CHECK(dimension_of("m^(3/2)/kg^(1/2)").text() == "m^(3/2)/kg^(1/2)");
  CHECK(dimension_of("m^(4/2)") == dimension_of("m^2"));
  CHECK(dimension_of("s^(-1/2)") == dimension_of("Hz^(1/2)"));
  CHECK(si("km^(1/2)") == doctest::Approx(std::sqrt(1000.0)));
  for (const char* wrong : {"m^(1/7)", "m^(1/0)", "m^(1/2", "m^()", "m^(1.5)"})
    CHECK_THROWS_AS(parse_unit(wrong), UnitError);
}

TEST_CASE("angles are tracked") {
  CHECK_FALSE(may("Hz", "rad/s"));
  CHECK_FALSE(may("rad/s", "Hz"));
  CHECK_FALSE(may("1", "rad"));
  CHECK_FALSE(may("rad", "1"));
  CHECK(may("N*m", "N*m/rad"));
  CHECK(may("N*m/rad", "N*m"));
  CHECK(may("N*m*s/rad", "N*m*s"));
  CHECK(may("deg/s", "rad/s"));
  CHECK(may("m/rev", "m"));
  CHECK_FALSE(may("N", "N*m"));
}

TEST_CASE("errors: place, cause, nearest") {
  const auto error = [](const char* text) {
    try {
      parse_unit(text);
    } catch (const UnitError& e) {
      return e;
    }
    return UnitError("no error", 999);
  };
  CHECK(error("N*sec/m").position == 2);
  CHECK(error("Newton").position == 0);
  CHECK(error("Pas").nearest == "Pa*s");
  CHECK(error("Nm").nearest == "N*m");
  CHECK(error("kgm2").nearest == "kg*m^2");
  CHECK(error("°").nearest == "deg");
  CHECK(error("hz").nearest == "Hz");
  CHECK(error("N**m").position == 2);
  CHECK(error("").position == 0);
  CHECK(error("m^").position == 2);
  CHECK(error("m^x").position == 2);
  CHECK(error("degC/s").position != 999);
  CHECK(error("W/degC").position != 999);
  CHECK(error("m s").position == 2);
  CHECK(error("Ym^99").position == 5);
  CHECK(error("m^99*m").position == 6);
  CHECK(error("m/fm^99").position != 999);
}
