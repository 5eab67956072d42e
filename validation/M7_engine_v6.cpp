// M7: EngineV6 of the Modelica Standard Library: six loops of crank, rod and piston with gas forces that jump at the top
// dead centres, a flywheel with a quadratic load, a filter of its torque: against the exact motion of one degree of
// freedom and against Dymola's figures.
#include "mechanism.hpp"
#include "reference_ode.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

const Real pi = std::acos(-1.0L);
const Real filter_rate = 2 * pi * 5 / std::sqrt(std::sqrt(2.0L) - 1);

/// At the crank angle θ: inertia of θ', potential energy, torque of the gas.
struct Exact {
  Real mass = 1, potential = 0, gas = 0;
  explicit Exact(Real theta) {
    const Real r = 0.1L, l = 0.2L, rho = 7700, g = 9.80665L;
    const Real journal = rho * pi * 0.05L * 0.05L / 4 * 0.12L, web = rho * 0.1L * 0.02L * 0.05L,
               pin = rho * pi * 0.03L * 0.03L / 4 * 0.12L;
    mass +=
        6 * (journal * 0.05L * 0.05L / 8 + 2 * web * (0.0125L / 12 + 0.0025L) + pin * (0.0009L / 8 + 0.01L));
    const Real piston = rho * pi * 0.01L / 4 * 0.1L, rod = rho * 0.22L * 0.02L * 0.06L,
               rod_inertia = rod / 12 * (0.22L * 0.22L + 0.06L * 0.06L), share = 0.09L / l;
    const int crank[6] = {-30, 90, 210, 210, 90, -30}, tilt[6] = {-30, 30, -30, 30, -30, 30};
    for (int i = 0; i < 6; ++i) {
      const Real psi = theta + (crank[i] - tilt[i]) * pi / 180, gamma = tilt[i] * pi / 180;
      const Real c = std::cos(psi), s = std::sin(psi), root = std::sqrt(l * l - r * r * s * s);
      const Real lift = r * c + root, lift_rate = -r * s - r * r * s * c / root;
      const Real turn = -r * c / root;  // of the rod, per θ'
      const Real along = (1 - share) * r * c + share * lift, across = (1 - share) * r * s;
      const Real along_rate = -(1 - share) * r * s + share * lift_rate, across_rate = (1 - share) * r * c;
      mass += piston * lift_rate * lift_rate + rod * (along_rate * along_rate + across_rate * across_rate) +
              rod_inertia * turn * turn;
      potential += g * (piston * (lift + 0.05L) * std::cos(gamma) +
                        rod * (along * std::cos(gamma) - across * std::sin(gamma)));
      const Real x = 1 - (0.42L - 0.1L - lift) / 0.22L;
      const Real bar = lift_rate > 0
                           ? (((177.4132L * x - 287.2189L) * x + 151.8252L) * x - 24.9973L) * x + 2.4L
                           : (((145.930L * x - 131.707L) * x + 17.3438L) * x + 17.9272L) * x + 2.4L;
      gas -= 1e5L * bar * pi * 0.01L / 4 * lift_rate;
    }
  }
};

/// Over the crank angle, whose multiples of π/3 are all dead centres: time, energy, x1 − (rate) J θ', x2.
using Values = std::array<Real, 4>;
Real speed(Real theta, const Values& y) {
  const Exact e(theta);
  return std::sqrt(2 * (y[1] - e.potential) / e.mass);
}
Values derivative(Real theta, const Values& y) {
  const Real w = speed(theta, y), drag = 100 * (w / 200) * (w / 200);
  const Real x1 = y[2] + filter_rate * w;  // flywheel of 1 kg m²
  return {1 / w, Exact(theta).gas - drag, filter_rate * (drag - x1) / w, filter_rate * (x1 - y[3]) / w};
}

/// Angle, rate and both states of the filter.
class Motion {
 public:
  /// At a time; times must not decrease.
  std::vector<double> at_time(Real t) {
    while (true) {  // up to the dead centre before
      ReferenceOde<4> next = ode_;
      if (next.at(centre_ + pi / 3)[0] > t) break;
      centre_ += pi / 3;
      ode_ = next;
    }
    Real low = centre_, high = centre_ + pi / 3;
    for (int k = 0; k < 70; ++k) {
      const Real middle = (low + high) / 2;
      ReferenceOde<4> trial = ode_;
      (trial.at(middle)[0] < t ? low : high) = middle;
    }
    return at_angle(low);
  }
  /// At an angle close to the last time.
  std::vector<double> at_angle(Real theta) const {
    ReferenceOde<4> there = ode_;
    const Values y = there.at(theta);
    const Real w = speed(theta, y);
    std::vector<double> result;
    for (Real x : {theta, w, y[2] + filter_rate * w, y[3]}) result.push_back(static_cast<double>(x));
    return result;
  }

 private:
  static Values start() {
    const Exact e(0);
    const Real x0 = 563.18623550229211L;
    return {0, e.mass * 50 + e.potential, x0 - filter_rate * 10, x0};
  }
  ReferenceOde<4> ode_{derivative, start(), pi / 60};
  Real centre_ = 0;
};

}  // namespace

TEST_CASE("flywheel and filter at t = 0.505 and 1.01") {
  // msl_v4.0.0_reference/EngineV6.csv.gz (benchmarks.yaml, M7), good to 1e-4: load.phi, load.w, filter.x[1], filter.x[2].
  const double dymola[8] = {102.54702507056598, 373.0127562092196, 893.6271704569108,  895.3101115423078,
                            346.46509806390924, 564.611124941063,  1015.7204410136733, 1017.431350218307};
  const std::vector<std::string> channels = {"load.angle", "load.velocity", "filter1.output",
                                             "filter2.output"};
  Mechanism m("M7_engine_v6");
  m.options.newton.tolerance = 1e-10;
  const double torque = m(m.consistent(), "coupling.torque_b");
  fmt::print("\nV6 engine: torque at the start {:.9f} N m\n", torque);
  CHECK(close(torque, 563.18623550229211, 1e-9));  // where the library's filter starts
  Motion exact;
  std::vector<double> expected, at_dymola;  // at the time, and where Dymola's crank is at that time
  for (int k = 0; k < 2; ++k) {
    for (double x : exact.at_time(k == 0 ? 0.505L : 1.01L)) expected.push_back(x);
    for (double x : exact.at_angle(dymola[4 * k])) at_dymola.push_back(x);
  }
  Extrapolation e;
  for (int n : {10100, 20200}) {
    std::vector<double> values;
    int step = 0;
    m.run(constant_steps(1.01, n), [&](const State& s) {
      if (2 * step == n || step == n)
        for (const std::string& c : channels) values.push_back(m(s, c));
      ++step;
    });
    e.add(1.01 / n, values);
  }
  fmt::print("h = 0.1, 0.05 ms, against the exact motion\n");
  for (std::size_t i = 0; i < 8; ++i)
    check_limit(e, i, fmt::format("{}({})", channels[i % 4], i < 4 ? 0.505 : 1.01), expected[i],
                2e-5 * expected[i]);
  // Dymola's angle is 9e-3 rad late in the end (3e-5 of it). That moves the ripple of the filter: it is compared at the
  // same angle.
  fmt::print("exact motion, at Dymola's crank angle, against Dymola\n");
  for (std::size_t i = 0; i < 8; ++i) {
    const double x = i % 4 < 2 ? expected[i] : at_dymola[i];
    fmt::print("  {:24} {:16.9f}  relative difference {:8.1e}  (ours at the same time {:8.1e})\n",
               fmt::format("{}({})", channels[i % 4], i < 4 ? 0.505 : 1.01), x, x / dymola[i] - 1,
               e.limit(i) / dymola[i] - 1);
    CHECK(close(x, dymola[i], 1e-4));
    if (i != 6) CHECK(close(e.limit(i), dymola[i], 1e-4));
  }
}
