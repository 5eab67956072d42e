// Reference motions: an ordinary differential equation of few unknowns to full precision, by the extrapolated midpoint
// rule (Gragg, Bulirsch, Stoer) of order 14 with a fixed step, in extended precision.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>

namespace escapement::validation {

using Real = long double;

template <std::size_t n>
class ReferenceOde {
 public:
  using Values = std::array<Real, n>;
  using Derivative = std::function<Values(Real t, const Values& y)>;

  /// `step`: at most so long; a few hundredths of a radian of the fastest motion leave errors near 1e-18.
  ReferenceOde(Derivative f, const Values& start, Real step) : f_(std::move(f)), y_(start), step_(step) {}

  /// Times must not decrease.
  const Values& at(Real t) {
    const int steps = static_cast<int>(std::ceil((t - t_) / step_ - 1e-9L));
    const Real h = steps > 0 ? (t - t_) / steps : 0;
    for (int i = 0; i < steps; ++i) {
      advance(h);
      t_ += h;
    }
    if (steps > 0) t_ = t;
    return y_;
  }

 private:
  void advance(Real H) {
    std::array<Values, 7> T;
    const int columns = H < 0.3L * step_ ? 4 : 7;  // a short step is as good with a lower order
    for (int j = 0; j < columns; ++j) {
      const int substeps = 2 * (j + 1);
      const Real h = H / substeps;
      Values before = y_, now = y_;
      const Values slope = f_(t_, y_);
      for (std::size_t i = 0; i < n; ++i) now[i] += h * slope[i];
      for (int k = 1; k < substeps; ++k) {
        const Values d = f_(t_ + k * h, now);
        for (std::size_t i = 0; i < n; ++i) {
          const Real next = before[i] + 2 * h * d[i];
          before[i] = now[i];
          now[i] = next;
        }
      }
      const Values d = f_(t_ + H, now);
      for (std::size_t i = 0; i < n; ++i) T[j][i] = (now[i] + before[i] + h * d[i]) / 2;
      for (int k = j - 1; k >= 0; --k) {  // Neville in h²
        const Real ratio = static_cast<Real>(j + 1) / static_cast<Real>(k + 1);
        for (std::size_t i = 0; i < n; ++i)
          T[k][i] = T[k + 1][i] + (T[k + 1][i] - T[k][i]) / (ratio * ratio - 1);
      }
    }
    y_ = T[0];
  }
  Derivative f_;
  Values y_;
  Real t_ = 0, step_;
};

}  // namespace escapement::validation
