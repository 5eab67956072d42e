#include "model/expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>

#include "base/nearest_name.hpp"
#include "base/utf8.hpp"

namespace escapement {
namespace {

using Op = Expression::Op;
using Fault = ExpressionError::Kind;

Dimension angle() {
  static const Dimension d = parse_unit("rad").dimension;
  return d;
}

/// To a constant power; none: an exponent is out of range, or no multiple of 1/60.
std::optional<Dimension> to_the(const Dimension& base, double power) {
  static const double one = angle().exponent[Dimension::angle];
  Dimension r;
  for (int i = 0; i < Dimension::bases; ++i) {
    const double e = base.exponent[i] * power;
    if (!(std::abs(e) <= 99 * one) || std::abs(e - std::round(e)) > 1e-9 * one) return std::nullopt;
    r.exponent[i] = static_cast<int>(std::round(e));
  }
  return r;
}

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

struct Function {
  Op op;
  int arguments;
  enum { numbers, angle_in, angle_out, keeps, root, two_alike, quotient_angle, smooth } rule;
};

const std::map<std::string, Function, std::less<>>& functions() {
  static const std::map<std::string, Function, std::less<>> table = {
      {"sin", {Op::sin, 1, Function::angle_in}},
      {"cos", {Op::cos, 1, Function::angle_in}},
      {"tan", {Op::tan, 1, Function::angle_in}},
      {"asin", {Op::asin, 1, Function::angle_out}},
      {"acos", {Op::acos, 1, Function::angle_out}},
      {"atan", {Op::atan, 1, Function::angle_out}},
      {"sinh", {Op::sinh, 1, Function::numbers}},
      {"cosh", {Op::cosh, 1, Function::numbers}},
      {"tanh", {Op::tanh, 1, Function::numbers}},
      {"exp", {Op::exp, 1, Function::numbers}},
      {"log", {Op::log, 1, Function::numbers}},
      {"sqrt", {Op::sqrt, 1, Function::root}},
      {"abs", {Op::abs, 1, Function::keeps}},
      {"sign", {Op::sign, 1, Function::keeps}},
      {"min", {Op::min, 2, Function::two_alike}},
      {"max", {Op::max, 2, Function::two_alike}},
      {"atan2", {Op::atan2, 2, Function::quotient_angle}},
      {"smooth_abs", {Op::smooth_abs, 2, Function::smooth}},
      {"smooth_sign", {Op::smooth_sign, 2, Function::smooth}},
      {"smooth_min", {Op::smooth_min, 3, Function::smooth}},
      {"smooth_max", {Op::smooth_max, 3, Function::smooth}}};
  return table;
}

}  // namespace

/// Recursive descent straight to the postfix tape; every operand knows its dimension.
class ExpressionCompiler {
 public:
  ExpressionCompiler(std::string_view text, const Scope& scope, Expression& out)
      : text_(text), scope_(scope), out_(out) {}

  void run() {
    if (text_.size() > 10000) throw ExpressionError("the expression is longer than 10,000 characters", 10000);
    skip();
    if (at_ == text_.size()) throw ExpressionError("the expression is empty", 0);
    const Operand result = whole_quantity(text_.size()) ? quantity_ : comparison();
    skip();
    if (at_ < text_.size()) unexpected();
    out_.choose_switches();
    out_.dimension_ = result.dimension;
    out_.zero_ = result.zero;
    out_.any_ = result.any;
    out_.bare_ = result.bare && !result.zero;
  }

 private:
  struct Operand {
    Dimension dimension;
    bool zero = false;  // literal 0
    bool bare = false;  // literal number without unit
    std::optional<double> constant = {};
    bool any = false;  // made of something of unknown unit
  };

  [[noreturn]] void unexpected() {
    const char c = text_[at_];
    if (c == ')') throw ExpressionError("a closing parenthesis without an opening one", at_);
    std::size_t length = 1;  // of a whole character
    while (at_ + length < text_.size() && continues_character(text_[at_ + length])) ++length;
    if (c == ',') throw ExpressionError("unexpected `,`", at_, decimal_comma());
    if (letter(c) && quantity_end_ > 0 &&
        is_unit_name(text_.substr(at_, unit_name_length(text_.substr(at_)))))
      throw ExpressionError("unexpected `" + std::string(text_.substr(at_, length)) + "`", at_,
                            "between units write * or /, as in N*s/m");
    throw ExpressionError("unexpected `" + std::string(text_.substr(at_, length)) + "`", at_,
                          c == '=' ? "compare with <, <=, > or >=" : "an operator is missing here");
  }
  /// "1,5" was probably meant as 1.5.
  std::string decimal_comma() const {
    if (at_ == 0 || at_ + 1 >= text_.size() || !digit(text_[at_ - 1]) || !digit(text_[at_ + 1])) return "";
    std::size_t first = at_, last = at_ + 1;
    while (first > 0 && digit(text_[first - 1])) --first;
    while (last < text_.size() && digit(text_[last])) ++last;
    return "write " + std::string(text_.substr(first, at_ - first)) + "." +
           std::string(text_.substr(at_ + 1, last - at_ - 1)) + " with a point";
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  static int operands(Op op) {
    if (op == Op::number || op == Op::input) return 0;
    if (op == Op::choose || op == Op::smooth_min || op == Op::smooth_max) return 3;
    return op == Op::negate || (op >= Op::sin && op <= Op::sign) ? 1 : 2;
  }
  void emit(Op op, int index = 0, double number = 0) {
    Expression::Step step{op, index, number, {-1, -1, -1}, op == Op::input};
    const int n = operands(op), at = static_cast<int>(results_.size()) - n;
    for (int i = 0; i < n; ++i) {
      step.operand[i] = results_[at + i];
      step.varies = step.varies || out_.tape_[step.operand[i]].varies;
    }
    results_.resize(at);
    results_.push_back(static_cast<int>(out_.tape_.size()));
    if (results_.size() > static_cast<std::size_t>(Expression::deepest))
      throw ExpressionError("the expression is too deep", at_);
    out_.tape_.push_back(step);
  }

  /// NUMBER UNIT up to `end` and nothing else: a quantity, compound units included.
  bool whole_quantity(std::size_t end) {
    const std::size_t begin = at_;
    double sign = 1;
    if (at_ < end && (text_[at_] == '-' || text_[at_] == '+')) sign = text_[at_++] == '-' ? -1 : 1;
    skip();
    double number = 0;
    if (at_ < end && (digit(text_[at_]) || text_[at_] == '.') && read_number(number)) {
      skip();
      const std::string_view rest = text_.substr(at_, end - at_);
      std::size_t last = rest.size();
      while (last > 0 && rest[last - 1] == ' ') --last;
      if (last > 0 && (letter(rest[0]) || rest[0] == '%' || (rest[0] & 0x80) || rest.starts_with("1/"))) {
        try {
          const Unit unit = parse_unit(rest.substr(0, last));
          const double value = sign * number * unit.factor + unit.offset;
          emit(Op::number, 0, value);
          quantity_ = {unit.dimension, false, false, value};
          at_ += last;
          return true;
        } catch (const UnitError& e) {
          // Units and operators only, but one of them unknown: say so, unless other things follow the first unit.
          const std::string_view units = rest.substr(0, last);
          const bool names_only = units.find_first_of("(+-?<>") == std::string_view::npos;
          const std::string_view wrong = units.substr(std::min(e.position, units.size()));
          const std::string_view name = wrong.substr(0, unit_name_length(wrong));
          if (names_only && !name.empty() && !(scope_.find && scope_.find(name)) &&
              (e.position == 0 || (!e.nearest.empty() && e.nearest.find_first_of("*^") != std::string::npos)))
            throw ExpressionError(e.what(), at_ + e.position,
                                  e.nearest.empty()
                                      ? "a name after a number is always a unit; multiply with *"
                                      : "did you mean " + e.nearest + "?",
                                  Fault::unit);
        }
      }
    }
    at_ = begin;
    return false;
  }
  static std::size_t unit_name_length(std::string_view s) {
    std::size_t n = 0;
    while (n < s.size() && (letter(s[n]) || s[n] == '%' || (s[n] & 0x80) || (n > 0 && digit(s[n])))) ++n;
    return n;
  }

  bool read_number(double& number) {
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), number);
    if (error == std::errc::result_out_of_range)
      throw ExpressionError("the number is out of range", at_, "", Fault::range);
    if (error != std::errc()) return false;
    at_ += end - first;
    return true;
  }

  /// The operation just emitted, which may switch, stands there in the text.
  void note_switch(std::size_t begin) {
    std::size_t end = at_;
    while (end > begin && text_[end - 1] == ' ') --end;
    out_.switches_.push_back({static_cast<int>(out_.tape_.size()) - 1, begin, end});
  }

  Operand comparison() {
    skip();
    const std::size_t begin = at_;
    Operand left = sum();
    skip();
    const std::size_t place = at_;
    Op op;
    if (text_.substr(at_, 2) == "<=") op = Op::less_equal, at_ += 2;
    else if (text_.substr(at_, 2) == ">=") op = Op::greater_equal, at_ += 2;
    else if (take('<')) op = Op::less;
    else if (take('>')) op = Op::greater;
    else return choice(left, false);
    const Operand right = sum();
    alike(left, right, place, "compared");
    emit(op);
    note_switch(begin);
    return choice({}, true);
  }
  /// condition ? a : b
  Operand choice(Operand condition, bool compared) {
    skip();
    const std::size_t place = at_;
    if (!take('?')) return condition;
    if (!compared && !condition.any && !condition.dimension.dimensionless())
      throw ExpressionError("the condition has the unit " + condition.dimension.text(), place,
                            "compare it with something of the same unit", Fault::unit);
    const Operand a = nested();
    if (!take(':')) throw ExpressionError("expected `:` after `?`", at_);
    const Operand b = nested();
    alike(a, b, place, "chosen between");
    emit(Op::choose);
    return like(a, b, a.bare && b.bare);
  }
  /// Of the dimension that two alike operands have.
  static Operand like(const Operand& a, const Operand& b, bool bare) {
    const bool second = a.zero || (a.any && !b.zero);
    return {second ? b.dimension : a.dimension, a.zero && b.zero, bare, {}, second ? b.any : a.any};
  }
  Operand nested() {
    if (++depth_ > 50) throw ExpressionError("the expression is nested too deeply", at_);
    const Operand r = comparison();
    --depth_;
    return r;
  }

  void alike(const Operand& a, const Operand& b, std::size_t place, const char* what) {
    if (a.zero || b.zero || a.any || b.any || compatible(a.dimension, b.dimension)) return;
    throw ExpressionError("quantities of different units are " + std::string(what) + ": " +
                              a.dimension.text() + " and " + b.dimension.text(),
                          place, a.bare || b.bare ? "give the bare number a unit" : "", Fault::unit);
  }

  Operand sum() {
    Operand left = product();
    while (true) {
      skip();
      const std::size_t place = at_;
      const bool plus = take('+');
      if (!plus && !take('-')) return left;
      const Operand right = product();
      alike(left, right, place, plus ? "added" : "subtracted");
      emit(plus ? Op::add : Op::subtract);
      const auto constant = combine(
          left, right,
          plus ? +[](double a, double b) { return a + b; } : +[](double a, double b) { return a - b; });
      left = like(left, right, left.bare && right.bare);
      left.constant = constant;
    }
  }
  static std::optional<double> combine(const Operand& a, const Operand& b, double (*f)(double, double)) {
    if (!a.constant || !b.constant) return std::nullopt;
    return f(*a.constant, *b.constant);
  }

  Operand product() {
    Operand left = unary();
    while (true) {
      const bool times = take('*');
      if (!times && !take('/')) return left;
      const std::size_t place = at_ - 1;
      const Operand right = unary();
      if (!times && right.constant && *right.constant == 0) throw ExpressionError("division by zero", place);
      emit(times ? Op::multiply : Op::divide);
      left = {
          times ? left.dimension * right.dimension : left.dimension / right.dimension,
          left.zero || (times && right.zero), left.bare && right.bare,
          combine(
              left, right,
              times ? +[](double a, double b) { return a * b; } : +[](double a, double b) { return a / b; }),
          left.any || right.any};
    }
  }

  Operand unary() {
    if (++depth_ > 50) throw ExpressionError("the expression is nested too deeply", at_);
    Operand r;
    if (take('-')) {
      r = unary();
      emit(Op::negate);
      if (r.constant) r.constant = -*r.constant;
    } else if (take('+')) {
      r = unary();
    } else {
      r = power();
    }
    --depth_;
    return r;
  }

  Operand power() {
    const Operand base = primary();
    if (!take('^')) return base;
    const std::size_t place = at_ - 1;
    const Operand exponent = unary();
    if (!exponent.any && !exponent.dimension.dimensionless())
      throw ExpressionError("the exponent has the unit " + exponent.dimension.text(), place, "", Fault::unit);
    emit(Op::power);
    Operand r;
    r.bare = base.bare;
    r.constant = combine(
        base, exponent, +[](double a, double b) { return std::pow(a, b); });
    r.any = base.any;
    if (base.any || base.dimension.dimensionless()) return r;
    if (!exponent.constant)
      throw ExpressionError("a quantity with unit " + base.dimension.text() + " needs a constant exponent",
                            place, "", Fault::unit);
    const auto dimension = to_the(base.dimension, *exponent.constant);
    if (!dimension)
      throw ExpressionError("the power of " + base.dimension.text() +
                                " has an exponent that is out of range, or no "
                                "multiple of 1/60",
                            place, "divide by a reference value first", Fault::unit);
    r.dimension = *dimension;
    return r;
  }

  Operand primary() {
    skip();
    if (at_ >= text_.size()) throw ExpressionError("the expression ends where a value is expected", at_);
    const std::size_t place = at_;
    if (take('(')) return parenthesised(place);
    if (digit(text_[at_]) || text_[at_] == '.') return number();
    if (letter(text_[at_])) return name();
    unexpected();
  }

  Operand parenthesised(std::size_t open) {
    int level = 1;
    std::size_t close = at_;
    for (; close < text_.size() && level > 0; ++close)
      level += text_[close] == '(' ? 1 : text_[close] == ')' ? -1 : 0;
    if (level > 0)
      throw ExpressionError("a parenthesis is not closed", open, "inside { } quote the whole expression");
    skip();
    const Operand inside = whole_quantity(close - 1) ? quantity_ : nested();
    if (!take(')')) {
      if (at_ < text_.size()) unexpected();
      throw ExpressionError("a parenthesis is not closed", open);
    }
    return inside;
  }

  Operand number() {
    const std::size_t place = at_;
    double value = 0;
    if (!read_number(value)) throw ExpressionError("not a number", place);
    const std::size_t after = at_;
    skip();
    const std::size_t length = unit_name_length(text_.substr(at_));
    if (length > 0) {  // a name after a number is always a unit
      const auto name = text_.substr(at_, length);
      if (name.size() > 0 && at_ + length < text_.size() && text_[at_ + length] == '(')
        throw ExpressionError("an operator is missing between a number and `" + std::string(name) + "`", at_);
      try {
        std::size_t end = at_ + length;
        if (end < text_.size() && text_[end] == '^') {  // 3 m^2
          std::size_t k = end + 1;
          if (k < text_.size() && text_[k] == '-') ++k;
          while (k < text_.size() && digit(text_[k])) end = ++k;
        }
        const Unit unit = parse_unit(text_.substr(at_, end - at_));
        value = value * unit.factor + unit.offset;
        at_ = end;
        quantity_begin_ = place;
        quantity_end_ = end;
        emit(Op::number, 0, value);
        return {unit.dimension, false, false, value};
      } catch (const UnitError& e) {
        throw ExpressionError(e.what(), at_ + e.position,
                              e.nearest.empty() ? "a name after a number is always a unit; multiply with *"
                                                : "did you mean " + e.nearest + "?",
                              Fault::unit);
      }
    }
    at_ = after;
    emit(Op::number, 0, value);
    return {{}, value == 0, true, value};
  }

  Operand name() {
    const std::size_t place = at_;
    while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]) ||
                                  (text_[at_] == '.' && at_ + 1 < text_.size() &&
                                   (letter(text_[at_ + 1]) || digit(text_[at_ + 1])))))
      ++at_;
    const auto name = text_.substr(place, at_ - place);
    if (name == "der" || name == "der2") return rate(name, place);
    if (take('(')) return call(name, place);
    if (name == "pi") {
      emit(Op::number, 0, std::numbers::pi);
      return {{}, false, true, std::numbers::pi};
    }
    const auto found = scope_.find ? scope_.find(name) : std::nullopt;
    if (!found) {
      std::string hint = did_you_mean(name, scope_.names, scope_.unknown_hint);
      // `10 N/m*x`: the unit of the number before ended at N.
      if (is_unit_name(name) && quantity_end_ > 0 &&
          text_.substr(quantity_end_, place - quantity_end_).find_first_not_of("*/ ") ==
              std::string_view::npos)
        hint = "put the quantity in parentheses: (" +
               std::string(text_.substr(quantity_begin_, place + name.size() - quantity_begin_)) + ")";
      throw ExpressionError("unknown name `" + std::string(name) + "`", place, hint, Fault::name);
    }
    if (found->input >= 0) {
      emit(Op::input, found->input);
      return {found->dimension, false, false, {}, found->any};
    }
    emit(Op::number, 0, found->value);
    out_.constants_.push_back({place, name.size(), *found});
    return {found->dimension, found->bare && found->value == 0, found->bare, found->value};
  }

  /// der(x), der2(x): names of their own, where the scope knows them.
  Operand rate(std::string_view name, std::size_t place) {
    const std::string order = name == "der" ? "rate" : "second rate";
    if (!take('('))
      throw ExpressionError("expected `(` after " + std::string(name), at_, "der(x) is the rate of x");
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string of(text_.substr(begin, at_ - begin));
    if (of.empty() || !take(')'))
      throw ExpressionError(std::string(name) + " takes the name of one unknown", place,
                            "der(x) is the rate of x");
    const auto found = scope_.find ? scope_.find(std::string(name) + "(" + of + ")") : std::nullopt;
    if (!found || found->input < 0)
      throw ExpressionError("`" + of + "` has no " + order + " here", place, scope_.no_rate_hint,
                            Fault::name);
    emit(Op::input, found->input);
    return {found->dimension, false, false, {}, found->any};
  }

  Operand call(std::string_view name, std::size_t place) {
    const auto& table = functions();
    const auto at = table.find(name);
    if (at == table.end()) {
      std::vector<std::string> names;
      for (const auto& [n, f] : table) names.push_back(n);
      throw ExpressionError("unknown function `" + std::string(name) + "`", place, did_you_mean(name, names));
    }
    const Function& f = at->second;
    std::vector<Operand> arguments;
    do arguments.push_back(nested());
    while (take(','));
    if (!take(')')) throw ExpressionError("expected `)` after the arguments of " + std::string(name), at_);
    if (static_cast<int>(arguments.size()) != f.arguments)
      throw ExpressionError(std::string(name) + " takes " + std::to_string(f.arguments) + " argument" +
                                (f.arguments == 1 ? "" : "s"),
                            place);
    emit(f.op);
    note_switch(place);
    return result_of(f, name, arguments, place);
  }

  /// The unit of a function's result; its arguments have units that it takes.
  Operand result_of(const Function& f, std::string_view name, const std::vector<Operand>& arguments,
                    std::size_t place) {
    const Operand& a = arguments[0];
    const auto refuse = [&](const char* wanted) {
      throw ExpressionError(std::string(name) + " of a quantity with unit " + a.dimension.text(), place,
                            std::string("it takes ") + wanted, Fault::unit);
    };
    // What is made of bare numbers alone is one.
    const bool bare =
        std::all_of(arguments.begin(), arguments.end(), [](const Operand& o) { return o.bare; });
    switch (f.rule) {
      case Function::numbers:
        if (!a.any && !a.dimension.dimensionless()) refuse("a pure number");
        return {{}, false, bare};
      case Function::angle_in:
        if (!a.any && !a.dimension.dimensionless() && a.dimension != angle())
          refuse("an angle or a pure number");
        return {{}, false, bare};
      case Function::angle_out:
        if (!a.any && !a.dimension.dimensionless()) refuse("a pure number");
        return {angle()};
      case Function::keeps:
        return {f.op == Op::sign ? Dimension{} : a.dimension, false, bare, {}, a.any && f.op != Op::sign};
      case Function::root: {
        Operand r;
        r.any = a.any;
        const std::optional<Dimension> dimension = a.any ? Dimension{} : to_the(a.dimension, 0.5);
        if (!dimension) refuse("a quantity whose exponents are multiples of 1/30");
        r.dimension = *dimension;
        r.bare = bare;
        return r;
      }
      case Function::two_alike:
        alike(a, arguments[1], place, "compared");
        return like(a, arguments[1], bare);
      case Function::smooth: {
        const Operand& width = arguments.back();
        if (width.constant && !(*width.constant > 0))
          throw ExpressionError("the width of " + std::string(name) + " must be positive", place,
                                "abs, sign, min and max have sharp corners");
        for (std::size_t i = 1; i < arguments.size(); ++i)
          alike(a.zero ? arguments.back() : a, arguments[i], place, "compared");
        if (f.op == Op::smooth_sign) return {{}, false, bare};
        return like(a.zero ? arguments.back() : a, arguments[1], bare);
      }
      default:
        alike(a, arguments[1], place, "compared");
        return {angle()};
    }
  }

  std::string_view text_;
  const Scope& scope_;
  Expression& out_;
  std::size_t at_ = 0;
  std::size_t quantity_begin_ = 0, quantity_end_ = 0;  // of the last number with a unit
  int depth_ = 0;
  std::vector<int> results_;  // the steps whose results nobody has taken yet
  Operand quantity_;
};

Expression Expression::compile(std::string_view text, const Scope& scope) {
  Expression e;
  e.text_ = text;
  ExpressionCompiler(text, scope, e).run();
  return e;
}

}  // namespace escapement
