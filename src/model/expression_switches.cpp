// What switches in expressions (T-kink): comparisons and sign jump; abs, min and max bend. Which of them get a side, and how sides
// change.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "model/expression.hpp"

namespace escapement {

/// Looks at both sides of one step of a tape: with other inputs at random, and every part that reads as its first operand moved
/// with it.
class SideProbe {
 public:
  SideProbe(const std::vector<Expression::Step>& tape, int step)
      : tape_(tape), step_(step), operand_(tape[step].operand[0]), begin_(operand_) {
    const int second = tape[step].operand[1];
    moves_too_ = second >= 0 && tape[second].op != Expression::Op::number;
    border_ = second >= 0 ? tape[second].number : 0.0;
    for (int at = operand_; at >= begin_; --at)
      for (const int k : tape[at].operand)
        if (k >= 0) begin_ = std::min(begin_, k);
  }

  /// Is the result the same on both sides where its operands are equal, as that of sign(x)*sqrt(abs(x)) is at x = 0?
  bool continuous() const {
    return never_seen([&](int seed) {
      const auto jump = difference(0, seed);
      return jump ? std::optional(*jump > 0) : std::nullopt;
    });
  }
  /// Of the order of the distance from the border is a kink, of its square something smooth, as v|v|.
  bool smooth() const {
    constexpr double near = 1e-5;
    return never_seen([&](int seed) {
      const auto far = difference(near, seed), half = difference(0.1 * near, seed);
      return far && half ? std::optional(*far <= 30 * *half && *far > 0) : std::nullopt;
    });
  }

 private:
  /// Does no set of inputs show the trait in question? Only those count with which the side matters well beyond: in
  /// min(v, sign(x)) it does not where v < −1, and nothing is learnt there.
  template <class Trait>
  bool never_seen(const Trait& trait) const {
    int looked = 0;
    for (int seed = 0; seed < 60; ++seed) {
      if (difference(0.3, seed).value_or(0) == 0) continue;
      const std::optional<bool> shown = trait(seed);
      if (shown.value_or(false)) return false;
      looked += shown.has_value();
    }
    return looked > 0;
  }

  /// How the end of the tape differs on both sides, `beyond` the border between them. None: that cannot be seen.
  std::optional<double> difference(double beyond, int seed) const {
    if (moves_too_) return std::nullopt;
    const double size = std::array{4.0, 400.0, 0.04, 4e4}[seed % 4];  // of the other inputs
    std::vector<double> v(tape_.size());
    std::vector<char> taken(tape_.size());
    double end[2];
    for (const int k : {0, 1}) {
      for (int i = 0; i < std::ssize(tape_); ++i) {
        const Expression::Step& s = tape_[i];
        if (s.op == Expression::Op::number) v[i] = s.number;
        else if (s.op == Expression::Op::input)
          v[i] = size * std::sin(12.9898 * (s.index + 1) + 78.233 * seed);
        else v[i] = Expression::result_of(s, v, i == step_ ? 1.0 - 2 * k : 0.0);
        if (reads_as_operand(i)) v[i] = border_ + beyond * (1 + std::abs(border_));
      }
      Expression::find_taken(tape_, v, taken);
      end[k] = v.back();
      if (!taken[step_] || !std::isfinite(end[k])) return std::nullopt;
    }
    const double sum = std::abs(end[0]) + std::abs(end[1]), difference = std::abs(end[0] - end[1]);
    return difference <= 1e-12 * sum ? 0.0 : difference;
  }

  /// Is the postfix part that ends there the same as the first operand's?
  bool reads_as_operand(int end) const {
    if (end < operand_ - begin_) return false;
    for (int i = 0; i <= operand_ - begin_; ++i) {
      const Expression::Step &x = tape_[operand_ - i], &y = tape_[end - i];
      if (x.op != y.op || x.index != y.index || x.number != y.number) return false;
      for (int k = 0; k < 3; ++k)
        if ((x.operand[k] < 0) != (y.operand[k] < 0) ||
            (x.operand[k] >= 0 && operand_ - x.operand[k] != end - y.operand[k]))
          return false;
    }
    return true;
  }

  const std::vector<Expression::Step>& tape_;
  int step_, operand_, begin_;  // the first operand's part of the tape is begin … operand
  bool moves_too_ = false;      // its second operand is no number
  double border_ = 0;
};

/// Of all operations that may switch, those that get a side: what depends on an input and jumps; and what bends, if its value
/// reaches the end other than through a condition (a condition is the same on both sides of a kink of its own), and its slope jumps.
void Expression::choose_switches() {
  std::vector<char> shapes(tape_.size(), 0);
  shapes.back() = 1;
  for (std::size_t i = tape_.size(); i-- > 0;) {
    const Step& s = tape_[i];
    if (!shapes[i] || jumps(s.op)) continue;
    for (int k = s.op == Op::choose ? 1 : 0; k < 3; ++k)
      if (s.operand[k] >= 0) shapes[s.operand[k]] = 1;
  }
  const bool few = switches_.size() <= 50;  // of many, none is looked at so closely
  std::erase_if(switches_, [&](const Switch& w) {
    const Step& s = tape_[w.step];
    if (!s.varies || !(jumps(s.op) || (bends(s.op) && shapes[w.step]))) return true;
    const SideProbe probe(tape_, w.step);
    return few && (bends(s.op) || probe.continuous()) && probe.smooth();
  });
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    Step& s = tape_[switches_[k].step];
    s.side = static_cast<int>(k);
    s.held = jumps(s.op) && !(few && SideProbe(tape_, switches_[k].step).continuous());
    holds_ = holds_ || s.held;
  }
}

double Expression::live_side(Op op, double a, double b) {
  switch (op) {
    case Op::sign:
      return a > 0 ? 1 : a < 0 ? -1 : 2;
    case Op::abs:
      return a < 0 ? -1 : 1;
    case Op::min:
      return b < a ? -1 : 1;
    case Op::max:
      return a < b ? -1 : 1;
    default:
      return apply<double>(op, a, b, b, 0) != 0 ? 1 : -1;
  }
}

/// Positive on side 1, negative on side −1.
double Expression::border(Op op, double a, double b) {
  if (op == Op::sign || op == Op::abs) return a;
  return op == Op::min || op == Op::less || op == Op::less_equal ? b - a : a - b;
}

void Expression::crossings(std::span<const double> inputs, const double* sides,
                           std::span<double> functions) const {
  if (switches_.empty()) return;
  const auto& [v, taken] = run(inputs, sides);
  for (const Switch& w : switches_) {
    const Step& s = tape_[w.step];
    const double side = sides[first_side_ + s.side];
    const double g = border(s.op, v[s.operand[0]], v[s.operand[s.operand[1] < 0 ? 0 : 1]]);
    functions[first_side_ + s.side] = !taken[w.step] ? 1
                                      : side == 0    ? -1
                                      : side == 2    ? -std::abs(g)
                                                     : side * g;
  }
}

void Expression::cross(std::span<const double> inputs, double* sides, int i) const {
  const std::vector<double>& v = run(inputs, sides).value;
  const auto live = [&](const Step& s) {
    return live_side(s.op, v[s.operand[0]], v[s.operand[s.operand[1] < 0 ? 0 : 1]]);
  };
  const Step& own = tape_[switches_[i - first_side_].step];
  double& side = sides[i];
  if (side == 0) {
    side = live(own);
    return;
  }
  // From zero to where it goes; if that does not show yet it is tried.
  side = side != 2 ? -side : live(own) == 2 ? 1 : live(own);
  follow_branches(inputs, sides);
}

/// Branches that are taken now decide their sides, those that are not forget them.
void Expression::follow_branches(std::span<const double> inputs, double* sides) const {
  const auto& [v, taken] = run(inputs, sides);
  for (const Switch& w : switches_) {
    const Step& s = tape_[w.step];
    double& side = sides[first_side_ + s.side];
    if (!taken[w.step]) side = 0;
    else if (side == 0) side = live_side(s.op, v[s.operand[0]], v[s.operand[s.operand[1] < 0 ? 0 : 1]]);
  }
}

bool Expression::ends_at_zero(std::span<const double> inputs, const double* sides, int i) const {
  const int own = switches_[i - first_side_].step;
  const Step& s = tape_[own];
  const double side = sides[i];
  if (!s.held || side == 0 || side == 2 || side == live_side(s.op, 0, 0)) return false;
  const auto& [v, taken] = run(inputs, sides);
  const double a = v[s.operand[0]], b = s.op == Op::sign ? 0.0 : v[s.operand[1]];
  return taken[own] && equal_but_for_rounding(a, b);
}

void Expression::land(std::span<const double> inputs, double* sides, int i) const {
  sides[i] = live_side(tape_[switches_[i - first_side_].step].op, 0, 0);
  follow_branches(inputs, sides);
}

Bend Expression::bend(std::span<const double> inputs, const double* sides, int i) const {
  const int own = switches_[i - first_side_].step;
  const auto& [v, taken] = run(inputs, sides, own, sides[i]);
  const std::size_t end = tape_.size() - 1;
  const Step& s = tape_[own];
  const double old = v[end];
  if (s.held) return {old};
  const double g = border(s.op, v[s.operand[0]], v[s.operand[s.operand[1] < 0 ? 0 : 1]]);
  if (sides[i] * g >= 0) return {old, 0};
  return {old, std::abs(run(inputs, sides, own, -sides[i]).value[end] - old)};
}

std::string Expression::switch_text(int i) const {
  const Switch& w = switches_[i - first_side_];
  return text_.substr(w.begin, w.end - w.begin);
}

}  // namespace escapement
