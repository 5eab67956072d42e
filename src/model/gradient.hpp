// Expression::gradient: all derivatives of an expression by one sweep back through its tape, whatever the number of
// inputs. Templated on the scalar: with duals along a direction it gives the second derivatives along that direction.
#pragma once
#include "model/expression.hpp"

namespace escapement {

template <class S>
S Expression::gradient(std::span<const S> inputs, std::span<S> slope, std::vector<S>& work,
                       const double* sides) const {
  if (!holds_) sides = nullptr;
  if (!sides || std::isfinite(value(evaluate<S>(inputs, sides, false))))
    return gradient<S>(inputs, slope, work, sides, false);
  if (!std::isfinite(value(evaluate<S>(inputs, nullptr, false))) ||
      !std::isfinite(value(evaluate<S>(inputs, sides, true))))
    return gradient<S>(inputs, slope, work, nullptr, false);
  return gradient<S>(inputs, slope, work, sides, true);
}

template <class S>
S Expression::gradient(std::span<const S> inputs, std::span<S> slope, std::vector<S>& work,
                       const double* sides, bool beyond) const {
  const std::size_t n = tape_.size();
  if (work.size() < 2 * n) work.resize(2 * n);
  const std::span<S> v(work.data(), n), a(work.data() + n, n);  // results, and how the end depends on them
  for (std::size_t i = 0; i < n; ++i) {
    const Step& s = tape_[i];
    a[i] = S(0.0);
    if (s.op == Op::number) v[i] = S(s.number);
    else if (s.op == Op::input) v[i] = inputs[s.index];
    else {
      const S &b = v[s.operand[s.operand[1] < 0 ? 0 : 1]], &c = v[s.operand[s.operand[2] < 0 ? 0 : 2]];
      v[i] = beyond ? apply_beyond<S>(s.op, v[s.operand[0]], b, c, side_of(s, sides))
                    : apply<S>(s.op, v[s.operand[0]], b, c, side_of(s, sides));
    }
  }
  a[n - 1] = S(1.0);
  for (std::size_t i = n; i-- > 0;) {
    const Step& s = tape_[i];
    if (!s.varies) continue;
    const S w = a[i];
    if (vanishes(w))
      continue;  // the end does not depend on it: a branch that was not taken may have no slope
    if (s.op == Op::input) {
      slope[s.index] += w;
      continue;
    }
    const S& x = v[s.operand[0]];
    S& ax = a[s.operand[0]];
    const bool two = s.operand[1] >= 0;
    const S& y = two ? v[s.operand[1]] : x;
    S& ay = two ? a[s.operand[1]] : ax;
    switch (s.op) {
      case Op::add:
        ax += w;
        ay += w;
        break;
      case Op::subtract:
        ax += w;
        ay -= w;
        break;
      case Op::multiply:
        ax += w * y;
        ay += w * x;
        break;
      case Op::divide:
        ax += w / y;
        ay -= w * v[i] / y;
        break;
      case Op::negate:
        ax -= w;
        break;
      case Op::power:
        if (!tape_[s.operand[1]].varies) {
          const double p = value(y);
          const S slope = pow(x, p - 1);  // … beyond the border of a branch that of an odd function
          if (p != 0) ax += w * (p * (std::isfinite(value(slope)) ? slope : S(pow(S(-x), p - 1))));
        } else {
          ax += w * (y * v[i] / x);
          ay += w * (v[i] * S(log(x)));
        }
        break;
      case Op::sin:
        ax += w * S(cos(x));
        break;
      case Op::cos:
        ax -= w * S(sin(x));
        break;
      case Op::tan:
        ax += w * (1.0 + v[i] * v[i]);
        break;
      case Op::asin:
        if (!beyond || std::abs(value(x)) < 1) ax += w / S(sqrt(1.0 - x * x));
        break;
      case Op::acos:
        if (!beyond || std::abs(value(x)) < 1) ax -= w / S(sqrt(1.0 - x * x));
        break;
      case Op::atan:
        ax += w / (1.0 + x * x);
        break;
      case Op::sinh:
        ax += w * S(cosh(x));
        break;
      case Op::cosh:
        ax += w * S(sinh(x));
        break;
      case Op::tanh:
        ax += w * (1.0 - v[i] * v[i]);
        break;
      case Op::exp:
        ax += w * v[i];
        break;
      case Op::log:
        ax += w / x;
        break;
      case Op::sqrt:
        ax += w * 0.5 / (value(x) < 0 ? S(-v[i]) : v[i]);
        break;
      case Op::abs:
        if (value(x) < 0) ax -= w;
        else ax += w;
        break;
      case Op::min:
        (y < x ? ay : ax) += w;
        break;
      case Op::max:
        (x < y ? ay : ax) += w;
        break;
      case Op::atan2: {
        const S r2 = x * x + y * y;
        ax += w * y / r2;
        ay -= w * x / r2;
        break;
      }
      case Op::smooth_abs:
        ax += w * x / v[i];
        ay += w * y / v[i];
        break;
      case Op::smooth_sign: {
        const S slope = w * (1.0 - v[i] * v[i]) / y;
        ax += slope;
        ay -= slope * x / y;
        break;
      }
      case Op::smooth_min:
      case Op::smooth_max: {  // (x + y ± r)/2, r² = (x − y)² + z²
        const S& z = v[s.operand[2]];
        const S r = sqrt((x - y) * (x - y) + z * z);
        const S share = 0.5 * w * (s.op == Op::smooth_max ? 1.0 : -1.0) / r;
        ax += 0.5 * w + share * (x - y);
        ay += 0.5 * w - share * (x - y);
        a[s.operand[2]] += share * z;
        break;
      }
      case Op::choose:
        a[value(x) != 0 ? s.operand[1] : s.operand[2]] += w;
        break;
      default:  // sign and comparisons are flat
        break;
    }
  }
  return v[n - 1];
}

}  // namespace escapement
