// The problems of work_precision as their solvers take them: F(t, y, ẏ) = 0 with constraints in the stabilised index-2 form
// of Gear, Gupta and Leimkuhler for SUNDIALS IDA, and F(t, u, u̇, ü) = 0 for PETSc. Derivatives by hand.
#pragma once
#include <memory>
#include <utility>
#include <vector>

namespace escapement::benchmarks {

/// Entries of a Jacobian, always added in the same order: the first time their places are noted, later values go there.
class Entries {
 public:
  explicit Entries(std::vector<std::pair<int, int>>& places) : note_(&places) {}
  Entries(const int* place, double* values) : place_(place), values_(values) {}
  void add(int row, int column, double value) {
    if (note_) note_->emplace_back(row, column);
    else values_[*place_++] += value;
  }

 private:
  std::vector<std::pair<int, int>>* note_ = nullptr;
  const int* place_ = nullptr;
  double* values_ = nullptr;
};

/// Where the entries of a matrix of this size stand: columns one after the other in full, or compressed columns.
struct Places {
  std::vector<int> place;              // of each entry, in the order of adding
  std::vector<int> column_begin, row;  // compressed only
  int nonzeros = 0;
};
Places full_places(const std::vector<std::pair<int, int>>& entries, int size);
Places compressed_places(const std::vector<std::pair<int, int>>& entries, int size);

/// F(t, y, ẏ) = 0.
class ImplicitProblem {
 public:
  virtual ~ImplicitProblem() = default;
  std::vector<double> y, rate;     // at t = 0, consistent
  std::vector<double> magnitude;   // usual size of each y
  std::vector<bool> differential;  // false: multipliers
  std::vector<int> observed;       // of y
  bool sparse = false;
  int size() const { return static_cast<int>(y.size()); }
  virtual void residual(double t, const double* y, const double* rate, double* r) const = 0;
  /// ∂F/∂y + c ∂F/∂ẏ.
  virtual void jacobian(double t, const double* y, const double* rate, double c, Entries& J) const = 0;

 protected:
  /// An unknown, and where it stands.
  int unknown(double value, double size, bool has_rate = true);
};

/// F(t, u, u̇, ü) = 0. A first-order state x is u̇ of an unknown of its own.
class SecondOrderProblem {
 public:
  virtual ~SecondOrderProblem() = default;
  std::vector<double> u, rate;  // at t = 0
  std::vector<int> observed;    // of u, then from size() on of u̇
  int size() const { return static_cast<int>(u.size()); }
  virtual void residual(double t, const double* u, const double* v, const double* a, double* r) const = 0;
  /// ∂F/∂u + cv ∂F/∂u̇ + ca ∂F/∂ü.
  virtual void jacobian(double t, const double* u, const double* v, double cv, double ca,
                        Entries& J) const = 0;
};

// ------------------------------------------------------------------ their numbers, in SI

struct ControlledMass {
  static constexpr double m = 1, k = 1, sigma = 0.1, b = 1.4, limit = 1, q0 = 5;
};
struct VanDerPol {
  static constexpr double mu = 100, x0 = 2;
};
/// Of n masses on massless rods; straight and at rest, at an angle from the vertical.
struct Pendulum {
  int n;
  double mass, length, angle;  // of each mass, of each rod
  static constexpr double g = 9.81;
};
struct HeavyTop {
  static constexpr double m = 15, J1 = 0.234375, J2 = 0.46875, J3 = 0.234375, spin = 150, tilt = -4.61538,
                          g = 9.81;
};
/// Bars of uniform mass; the crank lies along x at first.
struct SliderCrank {
  static constexpr double crank = 0.15, rod = 0.3, m1 = 0.36, m2 = 0.15, m3 = 0.075, J1 = 0.0027, J2 = 0.0045,
                          J3 = 1e-4, speed = 20, g = 9.81;
};
/// A coil of back voltage `ke` behind a resistor and capacitor moves a mass on a stiffening spring.
struct RcOscillator {
  static constexpr double m = 1, k = 100, k3 = 2000, d = 0.5, tau = 2e-3, E = 5, omega = 7, kf = 4, ke = 2,
                          q0 = 0.1;
};
/// Between two walls; displaced along half a sine.
struct SpringChain {
  static constexpr int n = 100;
  static constexpr double m = 0.01, k = 400, k3 = 2e7, amplitude = 0.05;
};

std::unique_ptr<ImplicitProblem> implicit(const ControlledMass&);
std::unique_ptr<ImplicitProblem> implicit(const VanDerPol&);
std::unique_ptr<ImplicitProblem> implicit(const Pendulum&);
std::unique_ptr<ImplicitProblem> implicit(const HeavyTop&);
std::unique_ptr<ImplicitProblem> implicit(const SliderCrank&);
std::unique_ptr<ImplicitProblem> implicit(const RcOscillator&);
std::unique_ptr<ImplicitProblem> implicit(const SpringChain&);

std::unique_ptr<SecondOrderProblem> second_order(const ControlledMass&);
std::unique_ptr<SecondOrderProblem> second_order(const VanDerPol&);
std::unique_ptr<SecondOrderProblem> second_order(const RcOscillator&);
std::unique_ptr<SecondOrderProblem> second_order(const SpringChain&);

/// The largest difference of a Jacobian from central differences, over its largest entry.
double jacobian_fault(const ImplicitProblem& problem);
double jacobian_fault(const SecondOrderProblem& problem);

}  // namespace escapement::benchmarks
