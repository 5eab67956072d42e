// Every electric element passes the element checker; the characteristics of the semiconductors.
#include <doctest/doctest.h>

#include <cmath>

#include "components/control/pwm.hpp"
#include "components/electric/bjt.hpp"
#include "components/electric/junction.hpp"
#include "components/electric/machine.hpp"
#include "components/electric/mosfet.hpp"
#include "components/electric/passive.hpp"
#include "components/electric/sources.hpp"
#include "components/electric/switch.hpp"
#include "core/element_check.hpp"

using namespace escapement;
using namespace escapement::electric;

namespace {

void check(SystemBuilder& builder, ElementCheckOptions options = {}) {
  const System system = builder.finish();
  for (const auto& fault : check_elements(system, options)) FAIL_CHECK(fault);
}

}  // namespace

TEST_CASE("passive elements and sources") {
  SystemBuilder b;
  const auto p = b.state<1>("p"), q = b.state<1>("q"), r = b.state<1>("r");
  const auto i = b.state<1>("i"), j = b.state<1>("j"), k = b.state<1>("k"), l = b.state<1>("l"),
             m = b.state<1>("m");
  const auto u = b.signal<1>("u"), y = b.signal<1>("y");
  b.add(Resistor{p, q, 0.3});
  b.add(Capacitor{p, {}, 0.7});
  b.add(ChargingCurrent{p, q, m, 0.4});
  b.add(Coil{q, r, i, 0.5, 0.1});
  b.add(Coil{r, {}, j, 0.6, 0.0});
  b.add(MutualInductance{i, j, 0.2});
  b.add(IdealTransformer{p, q, r, {}, k, 3.0});
  b.add(Potentiometer{p, {}, q, u, 2.0});
  b.add(VoltageSource{p, r, l, u, 2.0});
  b.add(CurrentSource{q, r, u, 0.5});
  b.add(CurrentFromVoltage{p, q, r, {}, 0.2});
  b.tap_output(b.add(Across{p, q}), 0, y);
  b.tap_output(b.add(Potentiometer{p, {}, q, u, 2.0}), 1, u);
  check(b);
}

TEST_CASE("amplifiers, switches, machines") {
  SystemBuilder b;
  const auto p = b.state<1>("p"), q = b.state<1>("q"), r = b.state<1>("r"), x = b.state<1>("x");
  const auto i = b.state<1>("i"), j = b.state<1>("j"), k = b.state<1>("k"), l = b.state<1>("l");
  const auto u = b.signal<1>("u"), w = b.signal<1>("w");
  const auto shaft = b.position<1>("shaft"), housing = b.position<1>("housing");
  b.add(VoltageFromVoltage{p, {}, q, r, i, 5.0});
  b.add(IdealAmplifier{p, q, r, j});
  b.add(Amplifier{p, q, r, x, 40.0, 0.3, 2.0, 0.1, -0.5, 0.6});
  b.add(Machine{p, q, k, shaft, housing, 0.4, 0.2, 0.7});
  b.add(Bridge{p, {}, q, r, l, u, 0.05});
  b.add(SmoothSwitch{p, q, u, 0.1, 0.5, -1.0, 2.0});
  b.add(Switch{q, r, b.state<1>("s"), u, 0.2, 0.1, 0.01, 1e-6});
  b.add(IdealDiode{q, r, b.state<1>("curve"), b.state<1>("current"), 0.7, 0.01, 1e-3});
  b.add(control::PulseWidth{u, w, 0.5, -1, 1});
  check(b);
}

TEST_CASE("semiconductors") {
  SystemBuilder b;
  const auto p = b.state<1>("p"), q = b.state<1>("q"), r = b.state<1>("r"), g = b.state<1>("g");
  const Junction junction(1e-3, 0.4), breaking(1e-3, 0.3, 1.5, 1e-2);
  const Depletion depletion(0.3, 0.7, 0.4, 0.5);
  b.add(Diode{p, q, b.state<1>("s"), junction, depletion, 0.2});
  b.add(Diode{q, r, b.state<1>("t"), breaking, depletion, 0.0});
  b.add(BipolarTransistor{p,
                          q,
                          r,
                          b.state<1>("be"),
                          b.state<1>("bc"),
                          1,
                          junction,
                          {1e-3, 0.5},
                          50,
                          2,
                          1e-4,
                          0.6,
                          2e-4,
                          0.8,
                          0.1,
                          0.05,
                          0.3,
                          0.2,
                          depletion,
                          {0.2, 0.6, 0.3, 0.5},
                          0.1,
                          0.2});
  b.add(BipolarTransistor{
      r, p, q, b.state<1>("eb"), b.state<1>("cb"), -1,  junction, {1e-3, 0.5}, 50, 2, 0, 1, 0, 1, 0,
      0, 0, 0, depletion,        depletion,        0.1, 0.2});
  b.add(Channel{p, g, q, r, 1, 0.2, 0.5, 0.4, 0.6, 0.05, 0.3});
  b.add(Channel{q, g, r, {}, -1, -0.2, 0.5, 0.4, 0.6, 0.05, 0.3});
  check(b, {.states = 60});
}

TEST_CASE("a junction keeps to its characteristic, and grows no faster than its parameter") {
  const double vt = 0.025852;
  const Junction junction(1e-14, vt, 6.2, 1e-3);
  for (double s = -50; s < 1000; s += 0.0137) {
    const double v = junction.voltage(s), i = junction.current(s);
    const double exact = 1e-14 * std::expm1(v / vt) - (v < 0 ? 1e-3 * std::exp(-(v + 6.2) / vt) : 0.0);
    CHECK(std::abs(i - exact) <= 1e-11 * std::abs(exact) + 1e-24);
    CHECK(std::abs(v) <= std::abs(s) + 1e-12);
    CHECK(std::abs(i) <= 2 * std::abs(s) + 1e-3);
  }
  CHECK(junction.voltage(1e250) < 20);
  CHECK(junction.voltage(-1e250) > -30);
}

TEST_CASE("the charge of a depletion layer is the integral of its capacitance, on both sides of its bound") {
  const Depletion d(26.5e-12, 0.8, 0.333, 0.5);
  const auto capacitance = [&](double v) { return (d.charge(v + 1e-5) - d.charge(v - 1e-5)) / 2e-5; };
  CHECK(d.charge(0.0) == doctest::Approx(0.0));
  CHECK(capacitance(0) == doctest::Approx(26.5e-12).epsilon(1e-6));
  CHECK(capacitance(-5) == doctest::Approx(26.5e-12 / std::pow(1 + 5 / 0.8, 0.333)).epsilon(1e-6));
  CHECK(capacitance(0.39999) == doctest::Approx(capacitance(0.40001)).epsilon(1e-4));
  CHECK(
      capacitance(0.6) ==
      doctest::Approx(26.5e-12 / std::pow(0.5, 1.333) * (1 - 0.5 * 1.333 + 0.333 * 0.6 / 0.8)).epsilon(1e-6));
}
