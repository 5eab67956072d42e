// Expressions of model files: numbers with units, names, functions; checked for dimensions when compiled, evaluated for
// any scalar (so that duals differentiate them exactly).
//
//   5 N*s/m      a quantity: a name after a number is always a unit, anywhere else never
//   k*(5 N*s/m)  inside a longer expression a compound unit is parenthesised
//   0            valid for any dimension; other bare numbers are pure numbers
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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
};

/// How names are looked up; an unknown one gives nothing. `names` serves "did you mean".
struct Scope {
  std::function<std::optional<Name>(std::string_view)> find;
  std::vector<std::string> names;
  std::string unknown_hint = {};  // what to say of an unknown name that is near no other
};

class Expression {
 public:
  /// Throws ExpressionError. All values are in SI.
  static Expression compile(std::string_view text, const Scope& scope);

  const Dimension& dimension() const { return dimension_; }
  /// A literal 0 (any dimension).
  bool is_zero() const { return zero_; }
  /// A bare number without unit (not 0): only for dimensionless or any-unit fields.
  bool is_bare_number() const { return bare_; }
  bool is_constant() const;
  const std::string& text() const { return text_; }
  /// The text with the names of constants replaced by their values: it needs no scope but the inputs.
  std::string self_contained() const;

  template <class S>
  S evaluate(std::span<const S> inputs) const;
  double constant() const { return evaluate<double>({}); }

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
    less,
    less_equal,
    greater,
    greater_equal,
    choose
  };
  static constexpr int deepest = 64;  // of the evaluation stack

 private:
  friend class ExpressionCompiler;
  struct Step {
    Op op;
    int index = 0;  // of an input
    double number = 0;
  };
  std::vector<Step> tape_;  // postfix
  Dimension dimension_;
  bool zero_ = false, bare_ = false;
  std::string text_;
  struct Use {
    std::size_t begin, size;
    Name name;
  };
  std::vector<Use> constants_;  // where names of constants stand in the text
};

template <class S>
S Expression::evaluate(std::span<const S> inputs) const {
  std::array<S, deepest> stack;
  int top = -1;
  const auto binary = [&](auto f) {
    stack[top - 1] = f(stack[top - 1], stack[top]);
    --top;
  };
  const auto unary = [&](auto f) { stack[top] = f(stack[top]); };
  for (const Step& step : tape_) switch (step.op) {
      case Op::number:
        stack[++top] = S(step.number);
        break;
      case Op::input:
        stack[++top] = inputs[step.index];
        break;
      case Op::add:
        binary([](const S& a, const S& b) { return S(a + b); });
        break;
      case Op::subtract:
        binary([](const S& a, const S& b) { return S(a - b); });
        break;
      case Op::multiply:
        binary([](const S& a, const S& b) { return S(a * b); });
        break;
      case Op::divide:
        binary([](const S& a, const S& b) { return S(a / b); });
        break;
      case Op::negate:
        unary([](const S& a) { return S(-a); });
        break;
      case Op::power:  // a constant exponent keeps negative bases; a variable one needs positive ones
        binary([](const S& a, const S& b) {
          if constexpr (std::is_same_v<S, double>) {
            return pow(a, b);
          } else {
            bool fixed = true;
            for (const auto& d : b.d) fixed = fixed && value(S(d)) == 0;
            return fixed ? S(pow(a, value(b))) : S(exp(b * log(a)));
          }
        });
        break;
      case Op::sin:
        unary([](const S& a) { return S(sin(a)); });
        break;
      case Op::cos:
        unary([](const S& a) { return S(cos(a)); });
        break;
      case Op::tan:
        unary([](const S& a) { return S(tan(a)); });
        break;
      case Op::asin:
        unary([](const S& a) { return S(atan2(a, S(sqrt(1.0 - a * a)))); });
        break;
      case Op::acos:
        unary([](const S& a) { return S(atan2(S(sqrt(1.0 - a * a)), a)); });
        break;
      case Op::atan:
        unary([](const S& a) { return S(atan(a)); });
        break;
      case Op::sinh:
        unary([](const S& a) { return S(sinh(a)); });
        break;
      case Op::cosh:
        unary([](const S& a) { return S(cosh(a)); });
        break;
      case Op::tanh:
        unary([](const S& a) { return S(tanh(a)); });
        break;
      case Op::exp:
        unary([](const S& a) { return S(exp(a)); });
        break;
      case Op::log:
        unary([](const S& a) { return S(log(a)); });
        break;
      case Op::sqrt:
        unary([](const S& a) { return S(sqrt(a)); });
        break;
      case Op::abs:
        unary([](const S& a) { return S(abs(a)); });
        break;
      case Op::sign:
        unary([](const S& a) { return S(value(a) > 0 ? 1.0 : value(a) < 0 ? -1.0 : 0.0); });
        break;
      case Op::min:
        binary([](const S& a, const S& b) { return b < a ? b : a; });
        break;
      case Op::max:
        binary([](const S& a, const S& b) { return a < b ? b : a; });
        break;
      case Op::atan2:
        binary([](const S& a, const S& b) { return S(atan2(a, b)); });
        break;
      case Op::less:
        binary([](const S& a, const S& b) { return S(a < b ? 1.0 : 0.0); });
        break;
      case Op::less_equal:
        binary([](const S& a, const S& b) { return S(a <= b ? 1.0 : 0.0); });
        break;
      case Op::greater:
        binary([](const S& a, const S& b) { return S(a > b ? 1.0 : 0.0); });
        break;
      case Op::greater_equal:
        binary([](const S& a, const S& b) { return S(a >= b ? 1.0 : 0.0); });
        break;
      case Op::choose:
        stack[top - 2] = value(stack[top - 2]) != 0 ? stack[top - 1] : stack[top];
        top -= 2;
        break;
    }
  return stack[0];
}

}  // namespace escapement
