// A9: the NAND gate of the IVP test set (14 potentials, three transistors, voltage-dependent capacitances) on the charges of its
// nodes, with the equations as published: potentials at 80 s, order 2.
#include <array>

#include "mechanism.hpp"
#include "problems/mos_gate.hpp"

using namespace escapement;
using namespace escapement::problems;
using namespace escapement::validation;

namespace {

struct NandGate {
  std::array<Potential, 15> y;  // 1 … 14
  System system;
  explicit NandGate(double beta_reverse = 1.748e-4) : system(build(beta_reverse)) {}
  State initial() const {
    State s = system.state();
    const double start[14] = {5, 5, -2.5, -2.5, 5, 3.62385, 5, -2.5, -2.5, 3.62385, 0, 3.62385, -2.5, -2.5};
    for (int k = 1; k <= 14; ++k) system.value(s, y[k])[0] = start[k - 1];
    return s;
  }
  std::vector<double> values(const State& s) const {
    std::vector<double> v;
    for (int k = 1; k <= 14; ++k) v.push_back(system.value(s, y[k])[0]);
    return v;
  }

 private:
  System build(double beta_reverse) {
    const MosProcess process{.R_gs = 4,
                             .R_gd = 4,
                             .R_bs = 10,
                             .R_bd = 10,
                             .C_gs = 0.6e-4,
                             .C_gd = 0.6e-4,
                             .C_b = 2.4e-5,
                             .saturation_current = 1e-14};
    const MosType depletion{-2.43, 0.2, 1.28, 5.35e-4, 5.35e-4},
        enhancement{0.2, 0.035, 1.01, 1.748e-3, beta_reverse};
    const Pulse V1{0, 5, 5, 5, 5, 5, 20}, V2{0, 5, 15, 5, 15, 5, 40};
    SystemBuilder b;
    for (int k = 1; k <= 14; ++k) y[k] = b.state<1>(fmt::format("y{}", k), {.unit = "V"});
    const auto add = [&](int first, Terminal source, Terminal drain, Terminal gate, MosType type) {
      b.add(MosTransistor{y[first], y[first + 1], y[first + 2], y[first + 3], source, drain, gate, type,
                          process});
    };
    add(1, {y[5]}, {{}, {5}}, {y[5]}, depletion);
    add(6, {y[10]}, {y[5]}, {{}, V1}, enhancement);
    add(11, {}, {y[10]}, {{}, V2}, enhancement);
    for (int k : {5, 10}) b.add(LoadCapacitor{y[k], 0.5e-4});
    return b.finish();
  }
};

// Reference solution of the test set at 80 s, from the left (benchmarks.yaml, A9_nand; ivp_testset/nand_reference.json).
// Recomputed there to 5e-6 in y6, y10 and y12, which float and keep their charge, and to 1e-8 elsewhere.
const double expected[14] = {
    4.971088699385777,      4.999752103929311,   -2.499998781491227, -2.499999999999975, 4.970837023296724,
    -0.2091214032073855,    4.970593243278363,   -2.500077409198803, -2.499998781491227, -0.20902895838781,
    -0.0002399999999966269, -0.2091214032073855, -2.499999999999991, -2.500077409198803};

/// Steps of 1/n s: n powers of two, so that all ends of steps and the corners of the inputs are exact.
State run_to_end(const NandGate& gate, double rho, int n) {
  GeneralizedAlphaOptions o;
  o.states = StateParameters::jansen_whiting_hulbert(rho);
  o.newton.tolerance = 1e-12;
  return run(gate.system, gate.initial(), o, constant_steps(80, 80 * n));
}

}  // namespace

TEST_CASE("potentials at 80 s, order 2") {
  const NandGate gate;
  for (double rho : {0.5, 0.0}) {
    Ladder ladder({"y1", "y3", "y5", "y6", "y8"});
    std::vector<double> v;
    for (int n = 32; n <= 4096; n *= 2) {
      v = gate.values(run_to_end(gate, rho, n));
      std::vector<double> errors;
      for (int i : {0, 2, 4, 5, 7}) errors.push_back(v[i] - expected[i]);
      ladder.add(1.0 / n, errors);
    }
    ladder.print(fmt::format("NAND gate, errors at t = 80 s, rho = {}", rho));
    // Where transistors open, close or turn round, somewhere within a step, the equations have corners: the errors of y6 and
    // y8, which keep what they got there, are second order only on the whole.
    for (std::size_t q = 0; q < 5; ++q) {
      const bool keeps = q > 2;
      const double mean = std::log2(ladder.error(0, q) / ladder.error(7, q)) / 7;
      INFO("order of ", ladder.names[q], " over seven halvings: ", mean);
      CHECK(std::abs(mean - 2) < (keeps ? 0.25 : 0.05));
    }
    fmt::print("h = 1/4096 s:");
    for (std::size_t i = 0; i < 14; ++i) {
      const bool floats = i == 5 || i == 9 || i == 11;
      fmt::print(" {:.0e}", v[i] / expected[i] - 1);
      INFO("y", i + 1, ": ", v[i], " expected ", expected[i]);
      CHECK(close(v[i], expected[i], floats ? 1e-5 : 1e-8));
      if (rho > 0) CHECK(close(v[i], expected[i], floats ? 2e-7 : 2e-9));  // reached
    }
    fmt::print("  (relative errors)\n");
  }
}

TEST_CASE("the published equations are not symmetric") {
  // The enhancement transistors have 1.748e-3 A/V² forward and a tenth of it backward in the published code, and the reference
  // solution needs that; with the same both ways y6 is another (benchmarks.yaml).
  const NandGate symmetric(1.748e-3);
  const double y6 = symmetric.values(run_to_end(symmetric, 0.5, 1024))[5];
  fmt::print("NAND gate with the same beta both ways: y6 = {:.7f}\n", y6);
  CHECK(std::abs(y6 - -0.20355) < 1e-5);
}
