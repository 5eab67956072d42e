// A function of one signal, y = f(u). Rows of signals are differentiated once only, so a function of Dual<1> and the
// chain rule do for every scalar, and all such blocks share one element.
#pragma once
#include <functional>

#include "core/adaptor.hpp"

namespace escapement {
class Build;
}

namespace escapement::control {

struct Map {
  using Function = std::function<Dual<1>(const Dual<1>&)>;
  Signal<1> input, output;
  Function function;  // with a finite slope everywhere

  auto variables() const { return std::tie(input, output); }
  void flow(const auto& z, auto& out) const {
    const auto u = z(input);
    Dual<1> at(value(u));
    at.d[0] = 1;
    const Dual<1> y = function(at);
    out(output) += z(output) - (y.v + y.d[0] * (u - value(u)));
  }
};

/// The block output = function(input), part by part.
void build_map(Build& b, const Map::Function& function);

/// max(x, 0), with the corner rounded by a parabola within ± width/2 and exact outside of it; C¹ if width > 0.
template <class S>
S positive_part(const S& x, double width) {
  const double half = 0.5 * width;
  if (value(x) <= -half) return S(0.0);
  if (value(x) >= half) return x;
  return square(x + half) / (2 * width);
}

/// From 0 at x ≤ −width/2 to 1 at x ≥ width/2 along a cubic, C¹; with width 0 a jump, 1 from x = 0 on.
template <class S>
S smooth_step(const S& x, double width) {
  if (value(x) >= 0.5 * width) return S(1.0);
  if (value(x) <= -0.5 * width) return S(0.0);
  const S s = x / width + 0.5;
  return s * s * (3.0 - 2.0 * s);
}

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::Map>;
