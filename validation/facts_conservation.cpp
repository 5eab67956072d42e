// What flows is conserved: two nonlinear capacitors and a resistor keep their total charge at any step size; a force
// step in mid run keeps order 2 and the numerical damping (jump added to the history).
#include "components/translational/mass.hpp"
#include "components/translational/spring.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// Charge C (u + b u³) at a node.
struct Capacitor {
  StateVariable<1> node;
  double capacitance, b;
  auto variables() const { return std::tie(node); }
  void store(const auto& z, auto& out) const {
    const auto u = z(node);
    out(node) += capacitance * (u + b * u * u * u);
  }
};
struct Resistor {
  StateVariable<1> plus, minus;
  double resistance;
  auto variables() const { return std::tie(plus, minus); }
  void flow(const auto& z, auto& out) const {
    const auto current = (z(plus) - z(minus)) / resistance;
    out(plus) += current;
    out(minus) -= current;
  }
};
/// A force that an event switches: the element remembers its present value.
struct SwitchedForce {
  Position<1> at;
  static constexpr int memory = 1;
  auto variables() const { return std::tie(at); }
  void flow(const auto& z, auto& out) const { out(at) -= z.memory[0]; }
};

struct Charges {
  StateVariable<1> a, b;
  System system;
  Charges() : system(build()) {}
  System build() {
    SystemBuilder builder;
    a = builder.state<1>("a.voltage", {.unit = "V", .equation = "charge balance"});
    b = builder.state<1>("b.voltage", {.unit = "V", .equation = "charge balance"});
    builder.add(Capacitor{a, 1.0, 0.3});
    builder.add(Capacitor{b, 2.0, 0.1});
    builder.add(Resistor{a, b, 1.0});
    return builder.finish();
  }
  State initial() const {
    State s = system.state();
    system.value(s, a)[0] = 2.0;
    return s;
  }
};

/// u_a(t) by RK4 in long double: (1 + 0.9 u²) u̇ = −i and likewise for b.
double reference_voltage(double t) {
  long double u = 2, w = 0;
  const int n = 40000;
  const long double h = t / static_cast<long double>(n);
  const auto f = [](long double u, long double w, long double& du, long double& dw) {
    const long double i = u - w;
    du = -i / (1 + 0.9L * u * u);
    dw = i / (2 * (1 + 0.3L * w * w));
  };
  for (int k = 0; k < n; ++k) {
    long double a1, b1, a2, b2, a3, b3, a4, b4;
    f(u, w, a1, b1);
    f(u + h / 2 * a1, w + h / 2 * b1, a2, b2);
    f(u + h / 2 * a2, w + h / 2 * b2, a3, b3);
    f(u + h * a3, w + h * b3, a4, b4);
    u += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    w += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  return static_cast<double>(u);
}

}  // namespace

TEST_CASE("total charge is constant to 1e-12 at any step, voltages second order") {
  const Charges p;
  const double exact = reference_voltage(2.0);
  for (double rho : {0.0, 0.5, 0.8, 1.0}) {
    GeneralizedAlphaOptions o;
    o.states = StateParameters::jansen_whiting_hulbert(rho);
    Ladder ladder({"voltage"});
    for (int n : {4, 20, 40, 80, 160}) {
      double drift = 0, defect = 0;
      const State s = run(p.system, p.initial(), o, constant_steps(2.0, n), [&](const State& z) {
        const double u = z.value[0], w = z.value[1];
        drift = std::max(drift, std::abs(z.store[0] + z.store[1] - (2.0 + 0.3 * 8)));
        const double charge = u + 0.3 * u * u * u + 2 * (w + 0.1 * w * w * w);
        defect = std::max(defect, std::abs(charge - (2.0 + 0.3 * 8)));
      });
      ladder.add(2.0 / n, {p.system.value(s, p.a)[0] - exact});
      INFO("h = ", 2.0 / n, " drift of the stores ", drift, ", of the charges at the voltages ", defect);
      CHECK(drift < 1e-13);
      CHECK(defect < 1e-10 * 3 * 4.6 * 2);  // voltages: Newton's tolerance × (1 + |u|) × dQ/du, two nodes
    }
    ladder.print(fmt::format("two nonlinear capacitors, rho = {}", rho));
    ladder.check_second_order(0.1);
  }
  // With Newton at rounding level, the voltages themselves carry the charge to 1e-12.
  GeneralizedAlphaOptions o;
  o.newton.tolerance = 1e-14;
  for (int n : {4, 20, 400}) {
    double defect = 0;
    run(p.system, p.initial(), o, constant_steps(2.0, n), [&](const State& z) {
      const double u = z.value[0], w = z.value[1];
      defect = std::max(defect, std::abs(u + 0.3 * u * u * u + 2 * (w + 0.1 * w * w * w) - 4.4));
    });
    CHECK(defect < 1e-12);
  }
}

namespace {

struct Oscillator {
  Position<1> q;
  ElementId force;
  System system;
  explicit Oscillator(double stiffness) : system(build(stiffness)) {}
  System build(double stiffness) {
    SystemBuilder builder;
    q = builder.position<1>("q");
    builder.add(translational::Mass{q, 1.0});
    builder.add(translational::Spring{{}, q, stiffness});
    force = builder.add(SwitchedForce{q});
    return builder.finish();
  }
};

}  // namespace

TEST_CASE("a force step in mid run keeps order 2 in q, v and the acceleration") {
  const Oscillator p(1.0);
  const int slot = p.system.memory_of(p.force);
  for (double rho : {0.2, 0.8}) {
    Ladder kept({"q", "v", "vdot"}), ignored({"q", "v", "vdot"});
    for (bool treat : {true, false}) {
      for (int n : {64, 128, 256, 512, 1024}) {
        const double h = 4.0 / n;
        GeneralizedAlphaOptions o;
        o.mechanics = MechanicsParameters::chung_hulbert(rho);
        o.newton.tolerance = 1e-13;
        GeneralizedAlpha stepper(p.system, o);
        State s = p.system.state();
        s.value[0] = 1.0;
        stepper.start(s);
        std::vector<double> worst(3, 0.0);
        for (int k = 0; k < n; ++k) {
          if (k == n / 4) {  // t = 1: 0 -> 3 N
            s.memory[slot] = 3.0;
            if (treat) stepper.discontinuity(s);
          }
          REQUIRE(stepper.advance(s, h).ok());
          const double t = (k + 1) * h, u = t - 1;
          const double q = std::cos(t) + (u > 0 ? 3 * (1 - std::cos(u)) : 0.0);
          const double v = -std::sin(t) + (u > 0 ? 3 * std::sin(u) : 0.0);
          const double a = -q + (u > 1e-12 ? 3.0 : 0.0);
          worst[0] = std::max(worst[0], std::abs(s.value[0] - q));
          worst[1] = std::max(worst[1], std::abs(s.rate[0] - v));
          if (std::abs(u) > 1e-12) worst[2] = std::max(worst[2], std::abs(s.acceleration[0] - a));
        }
        (treat ? kept : ignored).add(h, worst);
      }
    }
    kept.print(fmt::format("force step at t = 1, rho = {}, jump added to the history (largest errors)", rho));
    ignored.print(fmt::format("force step at t = 1, rho = {}, jump ignored", rho));
    kept.check_second_order(0.05);
    CHECK(ignored.order(4, 1) < 1.2);
  }
}

TEST_CASE("jumps keep the numerical damping, restarts destroy it unless they settle") {
  const Oscillator p(1e8);  // hω = 100 at h = 0.01
  for (const auto& [restart, settling] :
       {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
    GeneralizedAlphaOptions o;
    o.history = StartHistory::consistent;
    o.settling = settling;
    GeneralizedAlpha stepper(p.system, o);
    State s = p.system.state();
    s.value[0] = 1.0;
    stepper.start(s);
    for (int k = 0; k < 200; ++k) {
      if (restart) stepper.restart(s);
      else stepper.discontinuity(s);
      REQUIRE(stepper.advance(s, 0.01).ok());
    }
    fmt::print("stiff residue after 200 steps with a {} at every step{}: {:.2g}\n",
               restart ? "restart" : "jump", settling ? ", settling" : "", std::abs(s.value[0]));
    if (restart && !settling) CHECK(std::abs(s.value[0]) > 0.5);
    else CHECK(std::abs(s.value[0]) < 1e-5);
  }
}
