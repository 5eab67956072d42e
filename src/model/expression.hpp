// Expressions of model files: numbers with units, names, functions; checked for dimensions when compiled, evaluated for
// any scalar (so that duals differentiate them exactly).
//
//   5 N*s/m      a quantity: a name after a number is always a unit, anywhere else never
//   k*(5 N*s/m)  inside a longer expression a compound unit is parenthesised
//   0            valid for any dimension; other bare numbers are pure numbers
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/switching.hpp"
#include "math/dual.hpp"
#include "model/units.hpp"

namespace escapement {

/// What is wrong with an expression and where: position is the character it happened at.
struct ExpressionError : std::runtime_error {
  enum class Kind { syntax, unit, name, range };
  ExpressionError(const std::string& message, std::size_t position, std::string hint = {},
                  Kind kind = Kind::syntax)
      : std::runtime_error(message), position(position), hint(std::move(hint)), kind(kind) {}
  std::size_t position;
  std::string hint;
  Kind kind;
};

/// A name an expression may use: an input (evaluated each time) or a constant of given value.
struct Name {
  Dimension dimension;
  int input = -1;     // index among the inputs, or -1 for a constant
  double value = 0;   // of a constant, in SI
  bool bare = false;  // a constant given without a unit: 0 fits any dimension
  bool any = false;   // of unknown unit: fits where any is asked for
};

/// How names are looked up; an unknown one gives nothing. `names` serves "did you mean".
struct Scope {
  std::function<std::optional<Name>(std::string_view)> find;
  std::vector<std::string> names;
  std::string unknown_hint = {};  // what to say of an unknown name that is near no other
  std::string no_rate_hint = {};  // … and of der(x) where x has none
};

class Expression final : public Switching {
 public:
  /// Throws ExpressionError. All values are in SI.
  static Expression compile(std::string_view text, const Scope& scope);

  const Dimension& dimension() const { return dimension_; }
  /// A literal 0 (any dimension).
  bool is_zero() const { return zero_; }
  /// A bare number without unit (not 0): only for dimensionless or any-unit fields.
  bool is_bare_number() const { return bare_; }
  bool is_constant() const;
  /// A comparison: true or false.
  bool is_condition() const { return tape_.back().op >= Op::less && tape_.back().op <= Op::greater_equal; }
  /// Made of something whose unit is not known: it fits anywhere.
  bool is_any() const { return any_; }
  /// Which inputs it uses, in increasing order.
  std::vector<int> inputs() const;
  const std::string& text() const { return text_; }
  /// The text with the names of constants replaced by their values: it needs no scope but the inputs.
  std::string self_contained() const;

  /// With `sides`, every operation that jumps stays on the side that is given there, as far as the expression has a value so.
  template <class S>
  S evaluate(std::span<const S> inputs, const double* sides = nullptr) const;
  double constant() const { return evaluate<double>({}); }
  /// The value, and its derivatives along the inputs added to `slope`, by one sweep back through the tape
  /// (model/gradient.hpp). `work` keeps its memory between calls.
  template <class S>
  S gradient(std::span<const S> inputs, std::span<S> slope, std::vector<S>& work,
             const double* sides = nullptr) const;

  // ---- what switches (T-kink): comparisons and sign jump; abs, min and max bend, unless only a condition reads them
  /// How many there are.
  int sides() const { return static_cast<int>(switches_.size()); }
  /// Theirs begin here among the sides of all expressions of an element; where the next begin.
  int place_sides(int first) {
    first_side_ = first;
    return first + sides();
  }
  bool has_side(int i) const override { return i >= first_side_ && i < first_side_ + sides(); }
  /// A side is 1 (true, positive, the first of two), −1, 2 (sign: at zero), or 0: not decided, as the values say.
  /// Functions that are positive while a side lasts; 1 in branches that are not taken, −1 where none is decided.
  void crossings(std::span<const double> inputs, const double* sides,
                 std::span<double> functions) const override;
  /// Side i changes, or is decided: then, if it changed, also those of the branches that are taken now.
  void cross(std::span<const double> inputs, double* sides, int i) const override;
  /// Its operands are equal, and side i is one that equal operands end: with > it is true, with >= it is false (T-kink-5).
  bool ends_at_zero(std::span<const double> inputs, const double* sides, int i) const override;
  /// Side i changes to the one of equal operands.
  void land(std::span<const double> inputs, double* sides, int i) const override;
  /// The value, and how much it changes with side i where that is passed (infinite for what jumps).
  Bend bend(std::span<const double> inputs, const double* sides, int i) const override;
  /// The operation, as it stands in the text.
  std::string switch_text(int i) const override;

  /// The arguments of its sines, cosines and tangents that depend on inputs, appended.
  void phases(std::span<const double> inputs, const double* sides, std::vector<double>& angles) const;

  enum class Op : unsigned char {
    number,
    input,
    add,
    subtract,
    multiply,
    divide,
    negate,
    power,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    sqrt,
    abs,
    sign,
    min,
    max,
    atan2,
    smooth_abs,
    smooth_sign,
    smooth_min,
    smooth_max,
    less,
    less_equal,
    greater,
    greater_equal,
    choose
  };
  static constexpr int deepest = 64;  // of the evaluation stack

 private:
  friend class ExpressionCompiler;
  friend class SideProbe;
  struct Step {
    Op op;
    int index = 0;  // of an input
    double number = 0;
    int operand[3] = {-1, -1, -1};  // the steps whose results it takes
    bool varies = false;            // depends on an input
    int side = -1;                  // which of the sides is its own
    bool held = false;              // it jumps, and the end of the tape with it: it stays on its side
  };
  struct Switch {
    int step;
    std::size_t begin, end;  // in the text
  };
  static bool jumps(Op op) { return op == Op::sign || (op >= Op::less && op <= Op::greater_equal); }
  static bool bends(Op op) { return op == Op::abs || op == Op::min || op == Op::max; }
  static double live_side(Op op, double a, double b);
  static double border(Op op, double a, double b);
  /// What is continuous needs no side for Newton's method, and beyond its side it may have no value.
  double side_of(const Step& step, const double* sides) const {
    return sides && step.held ? sides[first_side_ + step.side] : 0.0;
  }
  void follow_branches(std::span<const double> inputs, double* sides) const;
  void choose_switches();
  /// Of all steps, and which of them the end depends on: not those of branches that are not taken.
  struct Results {
    std::vector<double> value;
    std::vector<char> taken;
  };
  /// `forced`: a step that takes this side, whatever it is. The results last until the next run of this thread.
  const Results& run(std::span<const double> inputs, const double* sides, int forced = -1,
                     double its_side = 0) const;
  static double result_of(const Step& step, const std::vector<double>& results, double side);
  static void find_taken(const std::vector<Step>& tape, std::span<const double> results,
                         std::span<char> taken);
  template <class S>
  static S on_side(Op op, const S& a, const S& b, double side);
  template <class S>
  static S power(const S& a, const S& b);
  template <class S>
  static S apply(Op op, const S& a, const S& b, const S& c, double side);
  template <class S>
  static S apply_beyond(Op op, const S& a, const S& b, const S& c, double side);
  template <class S>
  S evaluate(std::span<const S> inputs, const double* sides, bool beyond) const;
  template <class S>
  S gradient(std::span<const S> inputs, std::span<S> slope, std::vector<S>& work, const double* sides,
             bool beyond) const;
  template <class S>
  void results(std::span<const S> inputs, const double* sides, bool beyond, std::span<S> v) const;
  template <class S>
  static void back_through_one(const Step& s, const S& w, const S& result, bool beyond, std::span<const S> v,
                               std::span<S> a);
  template <class S>
  void back_through_two(const Step& s, const S& w, const S& result, std::span<const S> v,
                        std::span<S> a) const;
  template <class S>
  static void back_through_three(const Step& s, const S& w, std::span<const S> v, std::span<S> a);
  std::vector<Step> tape_;  // postfix
  Dimension dimension_;
  bool zero_ = false, bare_ = false, any_ = false;
  std::string text_;
  struct Use {
    std::size_t begin, size;
    Name name;
  };
  std::vector<Use> constants_;  // where names of constants stand in the text
  std::vector<Switch> switches_;
  int first_side_ = 0;
  bool holds_ = false;  // some step is held on its side
};

/// The result of an operation that stays on a side, wherever the operands are.
template <class S>
S Expression::on_side(Op op, const S& a, const S& b, double side) {
  if (op == Op::sign) return side == 2 ? 0.0 : side;
  if (op == Op::abs) return side * a;
  if (bends(op)) return side > 0 ? a : b;
  return side > 0 ? 1.0 : 0.0;
}

/// A constant exponent keeps negative bases; a variable one needs positive ones.
template <class S>
S Expression::power(const S& a, const S& b) {
  if constexpr (std::is_same_v<S, double>) {
    return pow(a, b);
  } else {
    bool fixed = true;
    for (const auto& d : b.d) fixed = fixed && vanishes(d);
    return fixed ? S(pow(a, value(b))) : S(exp(b * log(a)));
  }
}

/// The result of one step from those it takes; on a side, if one is given.
template <class S>
S Expression::apply(Op op, const S& a, const S& b, const S& c, double side) {
  if (side != 0) return on_side(op, a, b, side);
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::power:
      return power(a, b);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return atan2(a, S(sqrt(1.0 - a * a)));
    case Op::acos:
      return atan2(S(sqrt(1.0 - a * a)), a);
    case Op::atan:
      return atan(a);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    case Op::sqrt:
      return sqrt(a);
    case Op::abs:
      return abs(a);
    case Op::sign:
      return value(a) > 0 ? 1.0 : value(a) < 0 ? -1.0 : 0.0;
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return a < b ? b : a;
    case Op::atan2:
      return atan2(a, b);
    case Op::smooth_abs:
      return sqrt(a * a + b * b);
    case Op::smooth_sign:
      return tanh(a / b);
    case Op::smooth_min:
      return 0.5 * (a + b - S(sqrt((a - b) * (a - b) + c * c)));
    case Op::smooth_max:
      return 0.5 * (a + b + S(sqrt((a - b) * (a - b) + c * c)));
    case Op::less:
      return a < b ? 1.0 : 0.0;
    case Op::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Op::greater:
      return a > b ? 1.0 : 0.0;
    case Op::greater_equal:
      return a >= b ? 1.0 : 0.0;
    case Op::choose:
      return value(a) != 0 ? b : c;
    default:
      return S(0.0);
  }
}

/// The same, but functions that end at the border of a branch go on beyond it, as odd functions or with their last value: what is
/// held on its side has its limit there, and steps that look a little too far see nothing else (T-kink-1).
template <class S>
S Expression::apply_beyond(Op op, const S& a, const S& b, const S& c, double side) {
  const double x = value(a);
  if (op == Op::sqrt && x < 0) return -S(sqrt(-a));
  if (op == Op::log && x < 0) return S(log(-a));
  if (op == Op::power && x < 0) {
    const S p = apply<S>(op, a, b, c, side);
    return std::isfinite(value(p)) ? p : -apply<S>(op, S(-a), b, c, side);
  }
  if ((op == Op::asin || op == Op::acos) && std::abs(x) > 1)
    return apply<S>(op, S(x > 0 ? 1.0 : -1.0), b, c, side);
  return apply<S>(op, a, b, c, side);
}

template <class S>
S Expression::evaluate(std::span<const S> inputs, const double* sides) const {
  if (!holds_) sides = nullptr;
  const S held = evaluate<S>(inputs, sides, false);
  if (!sides || std::isfinite(value(held))) return held;
  const S live = evaluate<S>(inputs, nullptr, false);
  if (!std::isfinite(value(live))) return live;
  const S beyond = evaluate<S>(inputs, sides, true);
  return std::isfinite(value(beyond)) ? beyond : live;
}

template <class S>
S Expression::evaluate(std::span<const S> inputs, const double* sides, bool beyond) const {
  std::array<S, deepest> stack;
  stack[0] = S(0.0);
  int top = -1;
  for (const Step& step : tape_) {
    if (step.op == Op::number) {
      stack[++top] = S(step.number);
    } else if (step.op == Op::input) {
      stack[++top] = inputs[step.index];
    } else {
      const int first = step.operand[2] >= 0 ? top - 2 : step.operand[1] >= 0 ? top - 1 : top;
      const S &b = stack[std::min(first + 1, top)], &c = stack[top];
      stack[first] = beyond ? apply_beyond<S>(step.op, stack[first], b, c, side_of(step, sides))
                            : apply<S>(step.op, stack[first], b, c, side_of(step, sides));
      top = first;
    }
  }
  return stack[0];
}

}  // namespace escapement
