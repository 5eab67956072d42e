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

/// The results of all steps.
template <class S>
void Expression::results(std::span<const S> inputs, const double* sides, bool beyond, std::span<S> v) const {
  for (std::size_t i = 0; i < tape_.size(); ++i) {
    const Step& s = tape_[i];
    if (s.op == Op::number) v[i] = S(s.number);
    else if (s.op == Op::input) v[i] = inputs[s.index];
    else {
      const S &b = v[s.operand[s.operand[1] < 0 ? 0 : 1]], &c = v[s.operand[s.operand[2] < 0 ? 0 : 2]];
      v[i] = beyond ? apply_beyond<S>(s.op, v[s.operand[0]], b, c, side_of(s, sides))
                    : apply<S>(s.op, v[s.operand[0]], b, c, side_of(s, sides));
    }
  }
}

// The end depends by w on the result of a step: what follows for its operands is added to `a`.

template <class S>
void Expression::back_through_one(const Step& s, const S& w, const S& result, bool beyond,
                                  std::span<const S> v, std::span<S> a) {
  const S& x = v[s.operand[0]];
  S& ax = a[s.operand[0]];
  switch (s.op) {
    case Op::negate:
      ax -= w;
      break;
    case Op::sin:
      ax += w * S(cos(x));
      break;
    case Op::cos:
      ax -= w * S(sin(x));
      break;
    case Op::tan:
      ax += w * (1.0 + result * result);
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
      ax += w * (1.0 - result * result);
      break;
    case Op::exp:
      ax += w * result;
      break;
    case Op::log:
      ax += w / x;
      break;
    case Op::sqrt:
      ax += w * 0.5 / (value(x) < 0 ? S(-result) : result);
      break;
    case Op::abs:
      if (value(x) < 0) ax -= w;
      else ax += w;
      break;
    default:  // sign is flat
      break;
  }
}

template <class S>
void Expression::back_through_two(const Step& s, const S& w, const S& result, std::span<const S> v,
                                  std::span<S> a) const {
  const S &x = v[s.operand[0]], &y = v[s.operand[1]];
  S &ax = a[s.operand[0]], &ay = a[s.operand[1]];
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
      ay -= w * result / y;
      break;
    case Op::power:
      if (!tape_[s.operand[1]].varies) {
        const double p = value(y);
        const S slope = pow(x, p - 1);  // … beyond the border of a branch that of an odd function
        if (p != 0) ax += w * (p * (std::isfinite(value(slope)) ? slope : S(pow(S(-x), p - 1))));
      } else {
        ax += w * (y * result / x);
        ay += w * (result * S(log(x)));
      }
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
      ax += w * x / result;
      ay += w * y / result;
      break;
    case Op::smooth_sign: {
      const S slope = w * (1.0 - result * result) / y;
      ax += slope;
      ay -= slope * x / y;
      break;
    }
    default:  // comparisons are flat
      break;
  }
}

template <class S>
void Expression::back_through_three(const Step& s, const S& w, std::span<const S> v, std::span<S> a) {
  const S &x = v[s.operand[0]], &y = v[s.operand[1]], &z = v[s.operand[2]];
  if (s.op == Op::choose) {
    a[value(x) != 0 ? s.operand[1] : s.operand[2]] += w;
    return;
  }
  // smooth_min, smooth_max: (x + y ± r)/2, r² = (x − y)² + z²
  const S r = sqrt((x - y) * (x - y) + z * z);
  const S share = 0.5 * w * (s.op == Op::smooth_max ? 1.0 : -1.0) / r;
  a[s.operand[0]] += 0.5 * w + share * (x - y);
  a[s.operand[1]] += 0.5 * w - share * (x - y);
  a[s.operand[2]] += share * z;
}

template <class S>
S Expression::gradient(std::span<const S> inputs, std::span<S> slope, std::vector<S>& work,
                       const double* sides, bool beyond) const {
  const std::size_t n = tape_.size();
  if (work.size() < 2 * n) work.resize(2 * n);
  const std::span<S> v(work.data(), n), a(work.data() + n, n);  // results, and how the end depends on them
  results<S>(inputs, sides, beyond, v);
  std::fill(a.begin(), a.end(), S(0.0));
  a[n - 1] = S(1.0);
  for (std::size_t i = n; i-- > 0;) {
    const Step& s = tape_[i];
    if (!s.varies) continue;
    const S w = a[i];
    if (vanishes(w))
      continue;  // the end does not depend on it: a branch that was not taken may have no slope
    if (s.op == Op::input) slope[s.index] += w;
    else if (s.operand[1] < 0) back_through_one<S>(s, w, v[i], beyond, v, a);
    else if (s.operand[2] < 0) back_through_two<S>(s, w, v[i], v, a);
    else back_through_three<S>(s, w, v, a);
  }
  return v[n - 1];
}

}  // namespace escapement
