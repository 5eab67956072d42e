// Jay (7.2): a disk rolling on a plane, with the term −I2 z5 cos(y3) z3 that the printed f4 lacks. Written twice: as Jay
// does, M(y) z' = f(y, z, ψ) and k(y, z) = 0, and as momentum, potential and slip. Reference figures at t = 1 and 10
// (34-digit extrapolation), the tabulated errors of the Arnold–Brüls form, energy, order 2 from t = 0.
#include <Eigen/Dense>

#include "components/math/equations.hpp"
#include "model_case.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double m = 2, r = 1, I1 = 2, I2 = 2, g = 10;
constexpr double energy = 19.1279647153891;

// ------------------------------------------------------------------ the equations, for any scalar

/// M(y) a: y = (contact point x1 x2, lean, heading, rolling angle).
template <class S>
Vec<5, S> mass_times(const Vec<5, S>& y, const Vec<5, S>& a) {
  const S c3 = cos(y[2]), s3 = sin(y[2]), c4 = cos(y[3]), s4 = sin(y[3]);
  return {{m * a[0] - m * r * (c3 * s4 * a[2] + s3 * c4 * a[3]),
           m * a[1] + m * r * (c3 * c4 * a[2] - s3 * s4 * a[3]),
           m * r * (c3 * c4 * a[1] - c3 * s4 * a[0]) + (m * r * r + I1) * a[2],
           -m * r * (s3 * c4 * a[0] + s3 * s4 * a[1]) +
               (m * r * r * s3 * s3 + I1 * c3 * c3 + I2 * s3 * s3) * a[3] + I2 * s3 * a[4],
           I2 * (s3 * a[3] + a[4])}};
}
/// f without the reactions −k_zᵀ ψ.
template <class S>
Vec<5, S> forces(const Vec<5, S>& y, const Vec<5, S>& z) {
  const S c3 = cos(y[2]), s3 = sin(y[2]), c4 = cos(y[3]), s4 = sin(y[3]);
  return {{m * r * (2.0 * z[2] * z[3] * c3 * c4 - (z[2] * z[2] + z[3] * z[3]) * s3 * s4),
           m * r * (2.0 * z[2] * z[3] * c3 * s4 + (z[2] * z[2] + z[3] * z[3]) * s3 * c4),
           (m * r * r - I1 + I2) * z[3] * z[3] * s3 * c3 + I2 * z[4] * z[3] * c3 + m * r * g * s3,
           (2 * (I1 - I2 - m * r * r) * z[3] * s3 - I2 * z[4]) * c3 * z[2], -I2 * z[3] * c3 * z[2]}};
}
template <class S>
Vec<2, S> slip_velocity(const Vec<5, S>& y, const Vec<5, S>& z) {
  return {{z[0] - r * cos(y[3]) * z[4], z[1] - r * sin(y[3]) * z[4]}};
}

/// The same disk as momentum, potential and slip: the core adds −½ ∂(v·p)/∂q and k_vᵀ ψ.
struct Disk {
  Position<5> at;
  SlipMultiplier<2> force;

  auto variables() const { return std::tie(at, force); }
  void store(const auto& z, auto& out) const { out(at) += mass_times(z(at), z.rate(at)); }
  auto potential(const auto& z) const { return m * g * r * cos(z(at)[2]); }
  void slip(const auto& z, auto& out) const { out(force) += slip_velocity(z(at), z.rate(at)); }
};

struct RollingDisk {
  Position<5> y;
  Signal<5> a;
  SlipMultiplier<2> psi;
  System system;

  enum Form { jay, momentum, as_printed };
  explicit RollingDisk(Form form = jay) : system(build(form)) {}
  State initial() const {
    State s = system.state();
    const double y0[5] = {0.1, 0, 0.3, 0, 1}, z0[5] = {0.1, 0, 0.02, -0.02, 0.1};
    std::copy(y0, y0 + 5, system.value(s, y).begin());
    std::copy(z0, z0 + 5, system.rate(s, y).begin());
    return s;
  }
  double energy_of(const State& s) const {
    const auto q = as_vector(system.value(s, y)), v = as_vector(system.rate(s, y));
    return 0.5 * dot(v, mass_times(q, v)) + m * g * r * std::cos(q[2]);
  }
  static Vec<5, double> as_vector(std::span<const double> x) { return {{x[0], x[1], x[2], x[3], x[4]}}; }

 private:
  System build(Form form) {
    SystemBuilder builder;
    y = builder.position<5>("disk");
    psi = builder.slip_multiplier<2>("contact");
    if (form == momentum) {
      builder.add(Disk{y, psi});
      return builder.finish();
    }
    a = builder.signal<5>("acceleration");
    builder.add(math::equations(
        std::tuple(y, a, psi),
        [form](const auto& handles, const auto& values, auto& row) {
          const auto& [hy, ha, hp] = handles;
          const auto q = values(hy), z = values.rate(hy), zdot = values(ha);
          const auto p = values(hp);
          row(hy) += mass_times(q, zdot) - forces(q, z);
          row(hy)[0] += p[0];
          row(hy)[1] += p[1];
          row(hy)[4] -= r * (cos(q[3]) * p[0] + sin(q[3]) * p[1]);
          if (form == as_printed) row(hy)[3] -= I2 * z[4] * cos(q[2]) * z[2];
          row(ha) += zdot;
          row(hp) += slip_velocity(q, z);
        },
        [](const auto& handles, const auto& values, auto& row) {
          const auto& [hy, ha, hp] = handles;
          row(ha) -= values.rate(hy);
        }));
    return builder.finish();
  }
};

// ------------------------------------------------------------------ reference

struct Reference {
  double t;
  std::array<double, 5> y, z, a;
  std::array<double, 2> psi;
};
// 34-digit extrapolation of the index-1 form; two runs agree below 4e-29.
const Reference at1 = {1,
                       {0.1958063222128091, -0.0012911020550746863, 1.3875120550743913, -0.03274598769913229,
                        1.0958193262287554},
                       {0.0872957260581263, -0.002859606963334391, 2.7806200587698373, -0.04404342829585249,
                        0.08734255056958311},
                       {-0.011280464722689431, -0.0034794067334494292, 4.916425845009752,
                        -0.00018839138072125736, -0.011160500994763456},
                       {0.3722081630861286, 13.41906773227499}};
const Reference at10 = {
    10,
    {1.0244860151485977, 0.020159250165670942, 4.4432599497832275, 0.10041279922498084, 1.9253402666804327},
    {0.08154079580884305, 0.008215369253091263, -3.494811110113411, 0.05070869147578078, 0.08195360683401356},
    {0.023025056862109608, 0.006496611586142061, -4.819684680827789, 0.007616300840771332,
     0.023560323916737947},
    {2.744856895634738, -25.980101069052385}};

/// Exact motion: the index-1 form (accelerations and ψ from a linear system), classical Runge–Kutta in long double.
class DiskMotion {
 public:
  /// Times must not decrease.
  Reference at(double t) {
    const int n = std::max(1, static_cast<int>(std::ceil((t - t_) / 1.5e-3L)));
    const Real h = (static_cast<Real>(t) - t_) / n;
    for (int i = 0; i < n && h > 0; ++i) step(h);
    t_ = t;
    const Vector u = solve(y_, z_);
    Reference p{t, {}, {}, {}, {}};
    for (int i = 0; i < 5; ++i) p.y[i] = y_[i], p.z[i] = z_[i], p.a[i] = u[i];
    for (int i = 0; i < 2; ++i) p.psi[i] = u[5 + i];
    return p;
  }

 private:
  using Real = long double;
  using Vec5 = Vec<5, Real>;
  using Vector = Eigen::Matrix<Real, 7, 1>;
  static Vector solve(const Vec5& y, const Vec5& z) {
    Eigen::Matrix<Real, 7, 7> A = Eigen::Matrix<Real, 7, 7>::Zero();
    const Vec5 f = forces(y, z);
    for (int j = 0; j < 5; ++j) {
      Vec5 e;
      e[j] = 1;
      const Vec5 column = mass_times(y, e);
      const auto k = slip_velocity(y, e);
      for (int i = 0; i < 5; ++i) A(i, j) = column[i];
      for (int i = 0; i < 2; ++i) A(5 + i, j) = A(j, 5 + i) = k[i];
    }
    Vector b;
    for (int i = 0; i < 5; ++i) b[i] = f[i];
    b[5] = -r * std::sin(y[3]) * z[3] * z[4];
    b[6] = r * std::cos(y[3]) * z[3] * z[4];
    return A.partialPivLu().solve(b);
  }
  static Vec5 acceleration(const Vec5& y, const Vec5& z) {
    const Vector u = solve(y, z);
    return {{u[0], u[1], u[2], u[3], u[4]}};
  }
  void step(Real h) {
    const Vec5 k1 = z_, l1 = acceleration(y_, z_);
    const Vec5 k2 = z_ + h / 2 * l1, l2 = acceleration(y_ + h / 2 * k1, k2);
    const Vec5 k3 = z_ + h / 2 * l2, l3 = acceleration(y_ + h / 2 * k2, k3);
    const Vec5 k4 = z_ + h * l3, l4 = acceleration(y_ + h * k3, k4);
    y_ += h / 6 * (k1 + Real(2) * k2 + Real(2) * k3 + k4);
    z_ += h / 6 * (l1 + Real(2) * l2 + Real(2) * l3 + l4);
  }
  Vec5 y_{{0.1, 0, 0.3, 0, 1}}, z_{{0.1, 0, 0.02, -0.02, 0.1}};
  Real t_ = 0;
};

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}
/// Euclidean errors of y, z, z' and ψ.
std::array<double, 4> errors(const RollingDisk& p, const State& s, const Reference& exact) {
  return {distance(p.system.value(s, p.y), exact.y), distance(p.system.rate(s, p.y), exact.z),
          distance(p.system.acceleration(s, p.y), exact.a), distance(p.system.value(s, p.psi), exact.psi)};
}
const std::vector<std::string> names = {"y", "z", "zdot", "psi"};

GeneralizedAlphaOptions scheme(double rho) {
  GeneralizedAlphaOptions o;
  o.mechanics = MechanicsParameters::chung_hulbert(rho);
  o.newton.tolerance = 1e-13;
  return o;
}

}  // namespace

TEST_CASE("the reference motion and the start") {
  DiskMotion motion;
  for (const Reference& exact : {at1, at10}) {
    const Reference p = motion.at(exact.t);
    CHECK(distance(p.y, exact.y) < 1e-10);
    CHECK(distance(p.z, exact.z) < 1e-10);
    CHECK(distance(p.a, exact.a) < 1e-9);
    CHECK(distance(p.psi, exact.psi) < 1e-9);
  }
  // Accelerations and reactions from y and z alone.
  const double a0[5] = {-0.000191067297825121, -0.002, 1.47765749755404, -0.00154949517768759,
                        -0.000191067297825121};
  const double psi0[2] = {-0.0020622180572127, -2.81884741935615};
  for (auto form : {RollingDisk::jay, RollingDisk::momentum}) {
    const RollingDisk p(form);
    State s = p.initial();
    make_consistent(p.system, s);
    CHECK(distance(p.system.acceleration(s, p.y), a0) < 1e-13);
    CHECK(distance(p.system.value(s, p.psi), psi0) < 1e-13);
    CHECK(close(p.energy_of(s), energy, 1e-14));
  }
}

TEST_CASE("the tabulated errors at t = 1 and t = 10, rho = 0.2") {
  // h = 0.1 … 0.003125: y, z, ψ.
  struct Table {
    double y[6], z[6], psi[6];
  };
  // a_0 = z'(0) with D_0 = 0, β constant.
  const Table consistent[2] = {
      {{1.976471e-02, 5.381753e-03, 1.411641e-03, 3.619276e-04, 9.165629e-05, 2.306385e-05},
       {2.704204e-02, 7.188066e-03, 1.841887e-03, 4.650987e-04, 1.167749e-04, 2.925090e-05},
       {5.365541e-01, 1.440160e-01, 3.728726e-02, 9.481175e-03, 2.389978e-03, 5.999351e-04}},
      {{2.028417e+00, 3.109629e-01, 4.129583e-02, 5.663506e-03, 8.314383e-04, 1.353394e-04},
       {5.383185e-01, 3.680542e-01, 5.354227e-02, 7.224376e-03, 1.009185e-03, 1.520893e-04},
       {5.262949e+01, 3.463101e+00, 7.786530e-01, 1.094941e-01, 1.562309e-02, 2.436032e-03}}};
  // a_0 = z'(0), classical γ.
  const Table classical[2] = {
      {{2.167851e-02, 5.711600e-03, 1.468344e-03, 3.722875e-04, 9.372539e-05, 2.351301e-05},
       {3.055650e-02, 7.780890e-03, 1.942965e-03, 4.834891e-04, 1.204396e-04, 3.004550e-05},
       {5.986949e-01, 1.545577e-01, 3.909126e-02, 9.810429e-03, 2.455750e-03, 6.142203e-04}},
      {{2.021750e+00, 3.105773e-01, 4.129642e-02, 5.667232e-03, 8.320579e-04, 1.353381e-04},
       {5.436781e-01, 3.676682e-01, 5.355275e-02, 7.233377e-03, 1.011598e-03, 1.526709e-04},
       {5.251809e+01, 3.461088e+00, 7.785198e-01, 1.095299e-01, 1.562158e-02, 2.430632e-03}}};
  const RollingDisk p;
  for (bool is_classical : {false, true}) {
    GeneralizedAlphaOptions o = scheme(0.2);
    o.update_beta = false;
    if (is_classical) o.history = StartHistory::classical, o.update_parameters = false;
    for (int i = 0; i < 2; ++i) {
      const Reference& exact = i == 0 ? at1 : at10;
      const Table& table = (is_classical ? classical : consistent)[i];
      Ladder ladder(names);
      for (int k = 0; k < 6; ++k) {
        const int n = static_cast<int>(10 * exact.t) << k;
        const auto e = errors(p, run(p.system, p.initial(), o, constant_steps(exact.t, n)), exact);
        ladder.add(exact.t / n, {e.begin(), e.end()});
        INFO("t = ", exact.t, " h = ", exact.t / n, " got ", e[0], " ", e[1], " ", e[3]);
        CHECK(close(e[0], table.y[k], 1e-5));
        CHECK(close(e[1], table.z[k], 1e-5));
        CHECK(close(e[3], table.psi[k], 1e-5));
      }
      ladder.print(fmt::format("rolling disk, errors at t = {}, rho = 0.2, {}", exact.t,
                               is_classical ? "classical gamma" : "D0 = 0"));
    }
  }
}

TEST_CASE("t = 10, rho = 0.9: the order comes down to 2") {
  const RollingDisk p;
  Ladder ladder(names);
  for (int n = 100; n <= 1600; n *= 2) {
    const auto e = errors(p, run(p.system, p.initial(), scheme(0.9), constant_steps(10, n)), at10);
    ladder.add(10.0 / n, {e.begin(), e.end()});
  }
  ladder.print("rolling disk, errors at t = 10, rho = 0.9");
  for (int k = 2; k < 5; ++k)
    for (int i = 0; i < 4; ++i) CHECK(std::abs(ladder.order(k, i) - 2) < 0.06);  // Jay's scheme: 2.06 … 2.01
  ladder.check_second_order(0.02);
}

TEST_CASE("the reference figures by extrapolation") {
  const RollingDisk p;
  for (const Reference& exact : {at1, at10}) {
    State s[3];
    for (int k = 0; k < 3; ++k)
      s[k] = run(p.system, p.initial(), scheme(0.9),
                 constant_steps(exact.t, static_cast<int>(100 * exact.t) << k));
    const auto limit = [&](auto part, int i) {
      return richardson(part(s[0])[i], part(s[1])[i], part(s[2])[i]);
    };
    double worst[4] = {};
    for (int i = 0; i < 5; ++i) {
      const auto off = [&](int k, double x, double reference) {
        worst[k] = std::max(worst[k], std::abs(x - reference));
      };
      off(0, limit([&](const State& x) { return p.system.value(x, p.y); }, i), exact.y[i]);
      off(1, limit([&](const State& x) { return p.system.rate(x, p.y); }, i), exact.z[i]);
      off(2, limit([&](const State& x) { return p.system.acceleration(x, p.y); }, i), exact.a[i]);
      if (i < 2) off(3, limit([&](const State& x) { return p.system.value(x, p.psi); }, i), exact.psi[i]);
    }
    fmt::print("t = {}: extrapolated y {:.1e} z {:.1e} zdot {:.1e} psi {:.1e} off\n", exact.t, worst[0],
               worst[1], worst[2], worst[3]);
    CHECK(worst[0] < 1e-8);
    CHECK(worst[1] < 1e-8);
    CHECK(worst[2] < 1e-7);
    CHECK(worst[3] < 1e-7);
  }
}

TEST_CASE("from t = 0: second order in y, z, accelerations and psi, constant and alternating steps") {
  const RollingDisk p;
  for (double rho : {0.2, 0.9}) {
    for (const auto& pattern : {std::vector<double>{1.0}, std::vector<double>{0.3, 0.7}}) {
      Ladder ladder(names);
      for (int n = 40; n <= 640; n *= 2) {
        std::vector<double> largest(4, 0.0);
        DiskMotion motion;
        run(p.system, p.initial(), scheme(rho), pattern_steps(1.0, n, pattern), [&](const State& s) {
          const auto e = errors(p, s, motion.at(s.t));
          for (int i = 0; i < 4; ++i) largest[i] = std::max(largest[i], e[i]);
        });
        ladder.add(1.0 / n, largest);
      }
      ladder.print(fmt::format("rolling disk, rho = {}, {} steps, largest errors over [0, 1]", rho,
                               pattern.size() == 1 ? "constant" : "0.3/0.7"));
      ladder.check_second_order(0.05);
    }
  }
}

TEST_CASE("energy is kept to the order of the scheme") {
  const RollingDisk p;
  for (double rho : {0.2, 0.9}) {
    Ladder ladder({"energy", "slip"});
    for (int n = 200; n <= 3200; n *= 2) {
      double drift = 0, slip = 0;
      run(p.system, p.initial(), scheme(rho), constant_steps(10, n), [&](const State& s) {
        drift = std::max(drift, std::abs(p.energy_of(s) - energy));
        const auto k = slip_velocity(RollingDisk::as_vector(p.system.value(s, p.y)),
                                     RollingDisk::as_vector(p.system.rate(s, p.y)));
        slip = std::max({slip, std::abs(k[0]), std::abs(k[1])});
      });
      ladder.add(10.0 / n, {drift, slip});
      CHECK(slip < 1e-12);
    }
    ladder.print(fmt::format("rolling disk, rho = {}: largest change of energy over [0, 10]", rho));
    CHECK(ladder.order(4, 0) > 1.95);
  }
}

TEST_CASE("with f4 as printed the energy is not kept") {
  const RollingDisk p(RollingDisk::as_printed);
  for (const auto& [t, exact] : {std::pair{1.0, 19.1258919419853714}, std::pair{10.0, 19.1328143177708646}}) {
    double e[3];
    for (int k = 0; k < 3; ++k)
      e[k] = p.energy_of(
          run(p.system, p.initial(), scheme(0.9), constant_steps(t, static_cast<int>(200 * t) << k)));
    fmt::print("f4 as printed: energy at t = {} {:.12f}\n", t, richardson(e[0], e[1], e[2]));
    CHECK(std::abs(richardson(e[0], e[1], e[2]) - exact) < 1e-9);
  }
}

TEST_CASE("momentum, potential and slip give the same motion as Jay's equations") {
  const RollingDisk jay, natural(RollingDisk::momentum);
  const auto steps = pattern_steps(2.0, 200, {0.3, 0.7});
  const State a = run(jay.system, jay.initial(), scheme(0.8), steps);
  const State b = run(natural.system, natural.initial(), scheme(0.8), steps);
  CHECK(distance(jay.system.value(a, jay.y), natural.system.value(b, natural.y)) < 1e-11);
  CHECK(distance(jay.system.rate(a, jay.y), natural.system.rate(b, natural.y)) < 1e-11);
  CHECK(distance(jay.system.acceleration(a, jay.y), natural.system.acceleration(b, natural.y)) < 1e-9);
  CHECK(distance(jay.system.value(a, jay.psi), natural.system.value(b, natural.psi)) < 1e-9);
}

TEST_CASE("written in a model file: the same steps as the C++ element, and the reference figures") {
  const RollingDisk p;
  const Assembly file = example("rolling_disk");
  const std::array<std::string, 5> unknowns = {"disk.x", "disk.y", "disk.lean", "disk.heading", "disk.roll"};
  const std::array<std::string, 2> contact = {"disk.force_x", "disk.force_y"};
  GeneralizedAlpha one(p.system, scheme(0.2)), other(file.system, scheme(0.2));
  State s = p.initial(), m = file.initial;
  one.start(s);
  other.start(m);
  double worst = 0;
  for (double h : pattern_steps(2.0, 200, {0.3, 0.7})) {
    REQUIRE(one.advance(s, h).ok());
    REQUIRE(other.advance(m, h).ok());
    for (int i = 0; i < 5; ++i)
      worst = std::max(
          {worst, std::abs(channel(file, m, unknowns[i]) - p.system.value(s, p.y)[i]),
           std::abs(channel(file, m, unknowns[i] + "_rate") - p.system.rate(s, p.y)[i]),
           std::abs(channel(file, m, unknowns[i] + "_acceleration") - p.system.acceleration(s, p.y)[i])});
    for (int i = 0; i < 2; ++i)
      worst = std::max(worst, std::abs(channel(file, m, contact[i]) - p.system.value(s, p.psi)[i]));
    CHECK(std::abs(channel(file, m, "energy.output") - p.energy_of(s)) < 1e-10);
  }
  fmt::print("rolling disk from the model file: at most {:.1e} off the C++ element\n", worst);
  CHECK(worst < 1e-10);

  State runs[3];  // extrapolated, as above
  for (int k = 0; k < 3; ++k)
    runs[k] = run(file.system, file.initial, scheme(0.9), constant_steps(1.0, 100 << k));
  const auto limit = [&](const std::string& name) {
    return richardson(channel(file, runs[0], name), channel(file, runs[1], name),
                      channel(file, runs[2], name));
  };
  for (int i = 0; i < 5; ++i) CHECK(std::abs(limit(unknowns[i]) - at1.y[i]) < 1e-8);
  for (int i = 0; i < 2; ++i) CHECK(std::abs(limit(contact[i]) - at1.psi[i]) < 1e-7);
}
