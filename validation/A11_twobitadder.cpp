// A11: the two-bit adder of the IVP test set (39 transistors in ten gates, 175 potentials and their charges) with the equations
// as published: all 350 values at t = 320 and the outputs S0, S1 and C, order 2.
#include "mechanism.hpp"
#include "problems/mos_gate.hpp"
#include "problems/twobit_reference.hpp"

using namespace escapement;
using namespace escapement::problems;
using namespace escapement::validation;

namespace {

constexpr int nodes = 175, S0 = 49, S1 = 130, C = 148;  // numbered from one

/// Four inputs and C are inverted: (3 − A) + (3 − B) + carry = 4 (1 − C) + 2 S1 + S0.
struct TwoBitAdder {
  std::array<Potential, nodes + 1> y;
  System system;

  /// `corrected`: with the charge of the NOR gates where it belongs.
  explicit TwoBitAdder(bool corrected = false) : system(build(corrected)) {}
  State initial() const {
    State s = system.state();
    for (int k = 1; k <= nodes; ++k) system.value(s, y[k])[0] = twobit_start[k - 1];
    return s;
  }
  double charge(const State& s, int k) const {
    return s.store[system.variables()[y[k].variable].row - system.rows(Kind::state).begin];
  }
  std::vector<double> potentials(const State& s) const {
    std::vector<double> v;
    for (int k = 1; k <= nodes; ++k) v.push_back(system.value(s, y[k])[0]);
    return v;
  }

 private:
  System build(bool corrected) {
    constexpr double time = 1e4, stiffness = 5;  // scales of the test set: time, and of currents over it
    const MosProcess process{.R_gs = 40 / (time * stiffness),
                             .R_gd = 40 / (time * stiffness),
                             .R_bs = 100 / (time * stiffness),
                             .R_bd = 100 / (time * stiffness),
                             .C_gs = 0.6e-4 * time,
                             .C_gd = 0.6e-4 * time,
                             .C_b = 2.4e-5 * time,
                             .saturation_current = 1e-15 * time * stiffness,
                             .charge_is_integral = false};
    const double weak = 53.5e-6 * time * stiffness, unit = 4 * 43.7e-6 * time * stiffness;
    const MosType depletion{-2.43, 0.2, 1.28, weak, weak};
    const auto enhancement = [&](int in_series) {  // so many in series, each so many times as wide
      return MosType{0.2, 0.035, 1.01, in_series * unit, in_series * unit};
    };

    SystemBuilder b;
    for (int k = 1; k <= nodes; ++k) y[k] = b.state<1>(fmt::format("y{}", k), {.unit = "V"});
    const auto node = [&](int k) { return Terminal{y[k]}; };
    const auto input = [](double delay, double top, double period) {
      return Terminal{{}, {0, 5, delay, 5, top, 5, period}};
    };
    const Terminal ground, supply{{}, {5}};
    const Terminal A0 = input(0, 5, 20), B0 = input(10, 15, 40), A1 = input(30, 35, 80),
                   B1 = input(70, 75, 160);
    const Terminal carry = input(150, 155, 320);

    // A transistor has four nodes from i on; a gate has its load there and its result at i + 4.
    const auto add = [&](int i, Terminal source, Terminal drain, Terminal gate, MosType type) {
      b.add(MosTransistor{y[i], y[i + 1], y[i + 2], y[i + 3], source, drain, gate, type, process});
    };
    const auto load = [&](int i) { add(i, node(i + 4), supply, node(i + 4), depletion); };
    const auto nor = [&](int i, Terminal p, Terminal q) {  // NOT(p OR q)
      load(i);
      add(i + 5, ground, node(i + 4), p, enhancement(1));
      add(i + 9, ground, node(i + 4), q, enhancement(1));
      if (!corrected) b.add(MisplacedCharge{y[i + 12], y[i + 4], y[i + 14], process});
    };
    const auto and_or_not = [&](int i, Terminal p, Terminal q, Terminal r) {  // NOT(p OR (q AND r))
      load(i);
      add(i + 5, ground, node(i + 4), p, enhancement(1));
      add(i + 9, node(i + 13), node(i + 4), q, enhancement(2));
      add(i + 14, ground, node(i + 13), r, enhancement(2));
    };
    const auto nand = [&](int i, Terminal p, Terminal q) {  // NOT(p AND q)
      load(i);
      add(i + 5, node(i + 9), node(i + 4), p, enhancement(2));
      add(i + 10, ground, node(i + 9), q, enhancement(2));
    };
    const auto or_and_not = [&](int i, Terminal p, Terminal q, Terminal r) {  // NOT(p AND (q OR r))
      nand(i, p, q);
      add(i + 14, ground, node(i + 9), r, enhancement(2));
    };
    nor(1, A0, B0);
    and_or_not(14, node(5), B0, A0);
    nor(32, node(18), carry);
    and_or_not(45, node(36), carry, node(18));
    and_or_not(63, node(5), carry, node(18));
    nor(81, A1, B1);
    and_or_not(94, node(85), B1, A1);
    nand(112, node(67), node(98));
    or_and_not(126, node(116), node(67), node(98));
    and_or_not(144, node(85), node(5), node(98));
    add(162, node(166), node(C), node(98), enhancement(3));  // and three in series that pull C down
    add(167, node(171), node(166), node(18), enhancement(3));
    add(172, ground, node(171), carry, enhancement(3));
    for (int k : {S0, S1, C}) b.add(LoadCapacitor{y[k], 2e-4 * time});
    return b.finish();
  }
};

/// Steps of 1/n: n powers of two, so that all ends of steps and the corners of the inputs (multiples of five) are exact.
State run_to_end(const TwoBitAdder& adder, int n) {
  GeneralizedAlphaOptions o;
  o.states = StateParameters::jansen_whiting_hulbert(0.5);
  o.newton.tolerance = 1e-11;
  return run(adder.system, adder.initial(), o, constant_steps(320, 320 * n));
}

/// The test set's mixed error.
double mixed(double x, double expected) { return std::abs(x - expected) / (1 + std::abs(expected)); }

}  // namespace

TEST_CASE("all potentials and charges at t = 320, order 2") {
  const TwoBitAdder adder;
  std::vector<std::vector<double>> v;
  const std::vector<int> rungs = {32, 64, 128, 256, 512};
  State end;
  for (int n : rungs) v.push_back(adder.potentials(end = run_to_end(adder, n)));

  // benchmarks.yaml, A11_twobitadder: four digits are certain (ivp_testset/twobit_reference.json, never recomputed).
  int within = 0;
  double worst_charge = 0, worst_potential = 0;
  for (int k = 0; k < nodes; ++k) {
    const double of_charge = mixed(adder.charge(end, k + 1), twobit_charges[k]);
    const double of_potential = mixed(v[4][k], twobit_potentials[k]);
    worst_charge = std::max(worst_charge, of_charge);
    worst_potential = std::max(worst_potential, of_potential);
    within += (of_charge < 1e-6) + (of_potential < 1e-6);
    INFO("node ", k + 1);
    CHECK(of_charge < 1e-4);
    CHECK(of_potential < 1e-4);
  }
  fmt::print(
      "\ntwo-bit adder at t = 320, h = 1/512: mixed errors of charges {:.1e}, of potentials {:.1e}; {} of "
      "350 below 1e-6\n",
      worst_charge, worst_potential, within);
  CHECK(within >= 330);

  // What is left is the error of the reference, 4e-6 in S1 and 2e-5 in y117: Radau IIA of order 5 with h = 1/80 finds from the
  // same equations these outputs (with h = 1/40 the same to 4e-9) and y117 = 0.983486 (0.983484).
  const double radau[3] = {0.204041912794, 4.997242443271, 0.203898575458};
  Extrapolation e;
  for (std::size_t r = 2; r < 5; ++r) e.add(1.0 / rungs[r], {v[r][S0 - 1], v[r][S1 - 1], v[r][C - 1]});
  const char* names[3] = {"S0", "S1", "C"};
  const int outputs[3] = {S0, S1, C};
  for (std::size_t i = 0; i < 3; ++i) {
    check_limit(e, i, names[i], radau[i], 1e-8);
    CHECK(mixed(v[4][outputs[i] - 1], twobit_potentials[outputs[i] - 1]) < 1e-4);
  }
  CHECK(std::abs(v[4][116] - 0.983486) < 2e-6);

  Ladder ladder({"S0", "S1", "C"});
  for (std::size_t r = 0; r < 4; ++r) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < 3; ++i) errors.push_back(v[r][outputs[i] - 1] - e.limit(i));
    ladder.add(1.0 / rungs[r], errors);
  }
  ladder.print("two-bit adder, errors of the outputs at t = 320");
  for (std::size_t q = 0; q < 3; ++q) {
    const double mean = std::log2(ladder.error(0, q) / ladder.error(3, q)) / 3;
    INFO("order of ", names[q], " over three halvings: ", mean);
    CHECK(std::abs(mean - 2) < 0.1);
  }
}

TEST_CASE("it adds") {
  // In the middle of every rest of the inputs, 7.5, 17.5, …, and with steps of 1/16.
  const TwoBitAdder adder;
  int step = 0, sums = 0;
  GeneralizedAlphaOptions o;
  o.states = StateParameters::jansen_whiting_hulbert(0.5);
  run(adder.system, adder.initial(), o, constant_steps(320, 320 * 16), [&](const State& s) {
    if (step++ % 160 != 120) return;
    const auto in = [&](double delay, double top, double period) {
      return Pulse{0, 1, delay, 5, top, 5, period}(s.t) > 0.5 ? 1 : 0;
    };
    const int A = 2 * in(30, 35, 80) + in(0, 5, 20), B = 2 * in(70, 75, 160) + in(10, 15, 40);
    const int carry = in(150, 155, 320);
    const auto out = [&](int k) { return adder.system.value(s, adder.y[k])[0] > 2.5 ? 1 : 0; };
    INFO("t = ", s.t, ", A = ", A, ", B = ", B, ", carry = ", carry);
    CHECK((3 - A) + (3 - B) + carry == 4 * (1 - out(C)) + 2 * out(S1) + out(S0));
    ++sums;
  });
  CHECK(sums == 32);
}

TEST_CASE("the published equations have a slip") {
  // The charge at the second input of the NOR gates is taken to a node of the next gate; the reference needs that. Where it
  // belongs, it is 8e-4 to 9e-4 off in these three charges, and nowhere else by more than 1e-4.
  const TwoBitAdder adder(true);
  const State end = run_to_end(adder, 64);
  for (int k = 1; k <= nodes; ++k) {
    const double off = adder.charge(end, k) - twobit_charges[k - 1];
    INFO("charge ", k, " off by ", off);
    if (k == 13 || k == 44 || k == 93) CHECK(std::abs(off + 8.7e-4) < 0.5e-4);
    else CHECK(std::abs(off) < 1e-4);
  }
}
