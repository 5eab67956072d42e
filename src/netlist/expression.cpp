#include "netlist/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/nearest_name.hpp"
#include "base/utf8.hpp"

namespace escapement::netlist {
namespace {

constexpr std::size_t longest = 10'000;
constexpr int deepest = 50;

struct Function {
  const char* name;
  int arguments;
  double (*value)(const double*);
  const char* text;  // in the expression language, {0} {1} {2} for the arguments; null: there is none
};

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

constexpr Function functions[] = {
    {"sin", 1, [](const double* x) { return std::sin(x[0]); }, "sin({0})"},
    {"cos", 1, [](const double* x) { return std::cos(x[0]); }, "cos({0})"},
    {"tan", 1, [](const double* x) { return std::tan(x[0]); }, "tan({0})"},
    {"asin", 1, [](const double* x) { return std::asin(x[0]); }, "(asin({0})/(1 rad))"},
    {"acos", 1, [](const double* x) { return std::acos(x[0]); }, "(acos({0})/(1 rad))"},
    {"atan", 1, [](const double* x) { return std::atan(x[0]); }, "(atan({0})/(1 rad))"},
    {"atan2", 2, [](const double* x) { return std::atan2(x[0], x[1]); }, "(atan2({0}, {1})/(1 rad))"},
    {"sinh", 1, [](const double* x) { return std::sinh(x[0]); }, "sinh({0})"},
    {"cosh", 1, [](const double* x) { return std::cosh(x[0]); }, "cosh({0})"},
    {"tanh", 1, [](const double* x) { return std::tanh(x[0]); }, "tanh({0})"},
    {"exp", 1, [](const double* x) { return std::exp(x[0]); }, "exp({0})"},
    {"log", 1, [](const double* x) { return std::log(x[0]); }, "log({0})"},
    {"ln", 1, [](const double* x) { return std::log(x[0]); }, "log({0})"},
    {"log10", 1, [](const double* x) { return std::log10(x[0]); }, "(log({0})/log(10))"},
    {"sqrt", 1, [](const double* x) { return std::sqrt(x[0]); }, "sqrt({0})"},
    {"abs", 1, [](const double* x) { return std::abs(x[0]); }, "abs({0})"},
    {"sgn", 1, [](const double* x) { return sign(x[0]); }, "sign({0})"},
    {"min", 2, [](const double* x) { return std::min(x[0], x[1]); }, "min({0}, {1})"},
    {"max", 2, [](const double* x) { return std::max(x[0], x[1]); }, "max({0}, {1})"},
    {"pow", 2, [](const double* x) { return std::pow(x[0], x[1]); }, "(({0})^({1}))"},
    {"pwr", 2, [](const double* x) { return sign(x[0]) * std::pow(std::abs(x[0]), x[1]); },
     "(sign({0})*abs({0})^({1}))"},
    {"u", 1, [](const double* x) { return x[0] > 0 ? 1.0 : 0.0; }, "(({0}) > 0 ? 1 : 0)"},
    {"uramp", 1, [](const double* x) { return std::max(x[0], 0.0); }, "max({0}, 0)"},
    {"limit", 3, [](const double* x) { return std::min(std::max(x[0], x[1]), x[2]); },
     "min(max({0}, {1}), {2})"},
    {"int", 1, [](const double* x) { return std::trunc(x[0]); }, nullptr},
    {"floor", 1, [](const double* x) { return std::floor(x[0]); }, nullptr},
    {"ceil", 1, [](const double* x) { return std::ceil(x[0]); }, nullptr},
    {"nint", 1, [](const double* x) { return std::nearbyint(x[0]); }, nullptr},
};

struct Operator {
  const char* name;
  int level;  // how strongly it binds
  double (*value)(double, double);
  const char* text;  // as above
};
constexpr Operator operators[] = {
    {"||", 1, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; },
     "(({0}) ? 1 : (({1}) ? 1 : 0))"},
    {"&&", 2, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; },
     "(({0}) ? (({1}) ? 1 : 0) : 0)"},
    {"<=", 3, [](double a, double b) { return a <= b ? 1.0 : 0.0; }, "(({0}) <= ({1}))"},
    {">=", 3, [](double a, double b) { return a >= b ? 1.0 : 0.0; }, "(({0}) >= ({1}))"},
    {"==", 3, [](double a, double b) { return a == b ? 1.0 : 0.0; }, nullptr},
    {"!=", 3, [](double a, double b) { return a != b ? 1.0 : 0.0; }, nullptr},
    {"<", 3, [](double a, double b) { return a < b ? 1.0 : 0.0; }, "(({0}) < ({1}))"},
    {">", 3, [](double a, double b) { return a > b ? 1.0 : 0.0; }, "(({0}) > ({1}))"},
    {"+", 4, [](double a, double b) { return a + b; }, nullptr},
    {"-", 4, [](double a, double b) { return a - b; }, nullptr},
    {"*", 5, [](double a, double b) { return a * b; }, nullptr},
    {"/", 5, [](double a, double b) { return a / b; }, nullptr},
    {"^", 7, [](double a, double b) { return std::pow(a, b); }, nullptr},
};
constexpr int sum_level = 4, product_level = 5, unary_level = 6, power_level = 7, atom_level = 8;

const Function* find_function(std::string_view name) {
  for (const Function& f : functions)
    if (name == f.name) return &f;
  return nullptr;
}
const Operator& find_operator(std::string_view name) {
  for (const Operator& o : operators)
    if (name == o.name) return o;
  return operators[0];
}

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool in_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

std::string filled(std::string_view pattern, const std::vector<std::string>& arguments) {
  std::string r;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{') {
      r += arguments[pattern[i + 1] - '0'];
      i += 2;
    } else {
      r += pattern[i];
    }
  }
  return r;
}

}  // namespace

std::string number_text(double number) { return fmt::format("{}", number); }

// ------------------------------------------------------------------ parsing

class FormulaParser {
 public:
  FormulaParser(const Word& word, Formula& out) : text_(word.text), out_(out) {}

  void run() {
    if (text_.size() > longest) refuse("E-LIMIT", longest, "the expression is longer than 10,000 characters");
    if (!more()) refuse("E-EXPRESSION", 0, "the expression is empty");
    choice();
    if (more()) unexpected();
  }

 private:
  [[noreturn]] void refuse(const char* code, std::size_t at, std::string cause, std::string hint = {}) const {
    throw fault(code, out_.mark(at), out_.where_, std::move(cause), std::move(hint));
  }
  [[noreturn]] void unexpected() const {
    std::size_t length = 1;  // of a whole character
    while (at_ + length < text_.size() && continues_character(text_[at_ + length])) ++length;
    refuse("E-EXPRESSION", at_, fmt::format("unexpected `{}`", text_.substr(at_, length)),
           text_[at_] == ')' ? "" : "an operator is missing here");
  }
  bool more() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size();
  }
  bool take(std::string_view s) {
    if (!more() || !text_.substr(at_).starts_with(s)) return false;
    at_ += s.size();
    return true;
  }
  void expect(char c, const char* after) {
    if (!take(std::string_view(&c, 1)))
      refuse("E-EXPRESSION", at_, fmt::format("expected `{}` {}", c, after));
  }
  void enter() {
    if (++depth_ > deepest) refuse("E-LIMIT", at_, "the expression is nested too deeply");
  }
  void emit(Formula::Op op, std::size_t at, std::string name, int arguments, double number = 0) {
    out_.steps_.push_back({op, number, std::move(name), {}, arguments, at});
  }

  void choice() {
    enter();
    binary(1);
    more();
    const std::size_t at = at_;
    if (take("?")) {
      choice();
      expect(':', "after `?`");
      choice();
      emit(Formula::Op::choice, at, "?", 3);
    }
    --depth_;
  }

  /// Operators of this level and stronger ones; those of one level from left to right.
  void binary(int level) {
    if (level > product_level) {
      unary();
      return;
    }
    binary(level + 1);
    while (more()) {
      const std::size_t at = at_;
      const Operator* found = nullptr;
      for (const Operator& o : operators)
        if (!found && o.level == level && text_.substr(at_).starts_with(o.name)) found = &o;
      if (!found || text_.substr(at_).starts_with("**")) return;
      at_ += std::string_view(found->name).size();
      binary(level + 1);
      emit(Formula::Op::binary, at, found->name, 2);
    }
  }

  void unary() {
    enter();
    more();
    const std::size_t at = at_;
    if (take("-")) {
      unary();
      emit(Formula::Op::unary, at, "-", 1);
    } else if (take("+")) {
      unary();
    } else if (take("!")) {
      unary();
      emit(Formula::Op::unary, at, "!", 1);
    } else {
      primary();
      more();
      const std::size_t power = at_;
      if (take("**") || take("^")) {
        unary();
        emit(Formula::Op::binary, power, "^", 2);
      }
    }
    --depth_;
  }

  void primary() {
    if (!more()) refuse("E-EXPRESSION", at_, "the expression ends where a value is expected");
    const std::size_t at = at_;
    if (const std::size_t length = number_length(text_.substr(at_))) {
      const std::string_view number = text_.substr(at_, length);
      double value = 0;
      const NumberFault wrong = read_number(number, value);
      if (wrong == NumberFault::out_of_range)
        refuse("E-RANGE", at, fmt::format("the number `{}` is out of range", number));
      if (wrong != NumberFault::none)
        refuse("E-VALUE", at, fmt::format("`{}` is not a number", number), "write 4.7k, not 4k7");
      at_ += length;
      emit(Formula::Op::number, at, {}, 0, value);
    } else if (take("(")) {
      choice();
      expect(')', "at the end of a parenthesis");
    } else if (begins_name(text_[at_])) {
      while (at_ < text_.size() && in_name(text_[at_])) ++at_;
      std::string name(text_.substr(at, at_ - at));
      if (take("(")) call(name, at);
      else emit(Formula::Op::name, at, std::move(name), 0);
    } else {
      unexpected();
    }
  }

  /// The name of a node or source: whatever stands before a comma or parenthesis.
  std::string argument() {
    more();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')' && text_[at_] != '(') ++at_;
    std::size_t end = at_;
    while (end > begin && text_[end - 1] == ' ') --end;
    if (end == begin) refuse("E-EXPRESSION", begin, "a name is missing here", "v(node), v(a, b), i(v1)");
    return std::string(text_.substr(begin, end - begin));
  }

  void call(const std::string& name, std::size_t at) {
    if (name == "v" || name == "i") {
      const bool voltage = name == "v";
      emit(voltage ? Formula::Op::voltage : Formula::Op::current, at, argument(), 0);
      if (voltage && take(",")) out_.steps_.back().second = argument();
      expect(')', voltage ? "after the node" : "after the source");
      return;
    }
    const Function* f = find_function(name);
    if (!f) {
      if (name == "if") {  // if(a, b, c): a ? b : c
        choice(), expect(',', "in if(condition, a, b)");
        choice(), expect(',', "in if(condition, a, b)");
        choice(), expect(')', "after if(condition, a, b)");
        emit(Formula::Op::choice, at, "?", 3);
        return;
      }
      for (const char* known : {"ddt", "idt", "sdt", "table", "pwl", "vm", "vp", "rand", "gauss", "agauss",
                                "unif", "aunif", "white", "random", "stp", "buf", "inv"})
        if (name == known)
          refuse("E-UNSUPPORTED", at, fmt::format("the function {} of netlists is not supported", name),
                 "use components of the model, or a subcircuit of R, C and controlled sources");
      std::vector<std::string> names;
      for (const Function& known : functions) names.push_back(known.name);
      refuse("E-EXPRESSION", at, fmt::format("there is no function `{}`", name), did_you_mean(name, names));
    }
    int count = 0;
    do {
      choice();
      ++count;
    } while (take(","));
    expect(')', "after the arguments");
    if (count != f->arguments)
      refuse("E-EXPRESSION", at,
             fmt::format("{} takes {} argument{}", name, f->arguments, f->arguments == 1 ? "" : "s"));
    emit(Formula::Op::call, at, name, count);
  }

  std::string_view text_;
  Formula& out_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Formula Formula::parse(const Word& word, const std::string& where) {
  Formula f;
  f.card_ = word.card;
  f.begin_ = word.at;
  f.where_ = where;
  FormulaParser(word, f).run();
  return f;
}

// ------------------------------------------------------------------ evaluating and writing

/// A number, or a text that stands for one.
struct Formula::Operand {
  std::optional<double> number;
  std::string text;
  int level = atom_level;

  /// As an operand of an operator of this level.
  std::string within(int outer) const {
    if (number)
      return *number < 0 || std::signbit(*number) ? "(" + number_text(*number) + ")" : number_text(*number);
    return level < outer ? "(" + text + ")" : text;
  }
};

Formula::Operand Formula::apply(const Step& step, std::vector<Operand> arguments) const {
  double numbers[3] = {};
  bool all = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    all = all && arguments[i].number;
    if (arguments[i].number) numbers[i] = *arguments[i].number;
  }
  const char* pattern = nullptr;
  if (step.op == Op::choice) {
    if (arguments[0].number) return std::move(arguments[numbers[0] != 0 ? 1 : 2]);
    pattern = "(({0}) ? ({1}) : ({2}))";
  } else if (step.op == Op::unary) {
    if (all) return {step.name == "-" ? -numbers[0] : numbers[0] == 0 ? 1.0 : 0.0, {}, atom_level};
    if (step.name == "-") return {{}, "-" + arguments[0].within(unary_level), unary_level};
    pattern = "(({0}) ? 0 : 1)";
  } else if (step.op == Op::binary) {
    const Operator& o = find_operator(step.name);
    if (all) return {o.value(numbers[0], numbers[1]), {}, atom_level};
    if (o.level == sum_level || o.level == product_level) {
      if (step.name == "/" && arguments[1].number && numbers[1] == 0)
        throw fault("E-RANGE", mark(step.at), where_, "division by zero");
      return {{}, arguments[0].within(o.level) + step.name + arguments[1].within(o.level + 1), o.level};
    }
    if (o.level == power_level)
      return {{}, arguments[0].within(atom_level) + "^" + arguments[1].within(atom_level), power_level};
    pattern = o.text;
  } else {
    const Function* f = find_function(step.name);
    if (all) return {f->value(numbers), {}, atom_level};
    pattern = f->text;
  }
  if (!pattern)
    throw fault("E-UNSUPPORTED", mark(step.at), where_,
                fmt::format("`{}` of a voltage, a current or time is not supported", step.name),
                "it is there for parameters only");
  std::vector<std::string> texts;
  std::size_t size = 0;
  for (const Operand& a : arguments) {
    texts.push_back(a.number ? number_text(*a.number) : a.text);
    size += texts.back().size();
  }
  if (size > longest)
    throw fault("E-LIMIT", mark(step.at), where_, "the expression becomes longer than 10,000 characters");
  return {{}, filled(pattern, texts), atom_level};
}

Formula::Operand Formula::run(const Scope& scope, bool constant) const {
  std::vector<Operand> stack;
  for (const Step& step : steps_) {
    const auto refuse = [&](const std::string& what) {
      throw fault("E-EXPRESSION", mark(step.at), where_,
                  fmt::format("{} has no meaning in a value that does not change", what),
                  "a B source may depend on voltages, currents and time");
    };
    if (step.op == Op::number) {
      stack.push_back({step.number, {}, atom_level});
    } else if (step.op == Op::name) {
      if (step.name == "time") {
        if (constant) refuse("`time`");
        stack.push_back({{}, "t/(1 s)", product_level});
      } else if (step.name == "pi") {
        stack.push_back({std::numbers::pi, {}, atom_level});
      } else if (step.name == "e") {
        stack.push_back({std::numbers::e, {}, atom_level});
      } else if (step.name == "temper") {
        stack.push_back({scope.temperature, {}, atom_level});
      } else if (step.name == "hertz") {
        throw fault("E-UNSUPPORTED", mark(step.at), where_, "`hertz` has no meaning in a simulation in time");
      } else {
        stack.push_back({scope.parameter(step.name, mark(step.at)), {}, atom_level});
      }
    } else if (step.op == Op::voltage || step.op == Op::current) {
      if (constant) refuse(step.op == Op::voltage ? "a voltage" : "a current");
      const auto probe = [&](const std::string& name) -> Operand {
        const auto p = scope.probe(step.op == Op::voltage ? 'v' : 'i', name, mark(step.at));
        if (!p) return {0.0, {}, atom_level};
        return {{}, fmt::format("{}/(1 {})", p->text, p->unit), product_level};
      };
      stack.push_back(probe(step.name));
      if (!step.second.empty()) {
        const Operand b = probe(step.second), a = std::move(stack.back());
        if (a.number && b.number) stack.back() = {0.0, {}, atom_level};
        else stack.back() = {{}, a.within(sum_level) + "-" + b.within(product_level), sum_level};
      }
    } else {
      std::vector<Operand> arguments(std::make_move_iterator(stack.end() - step.arguments),
                                     std::make_move_iterator(stack.end()));
      stack.resize(stack.size() - step.arguments);
      stack.push_back(apply(step, std::move(arguments)));
    }
    if (stack.back().text.size() > 2 * longest)
      throw fault("E-LIMIT", mark(step.at), where_, "the expression becomes longer than 10,000 characters");
  }
  return std::move(stack.back());
}

double Formula::evaluate(const Scope& scope) const {
  const double value = *run(scope, true).number;
  if (!std::isfinite(value))
    throw fault("E-RANGE", mark(0), where_, fmt::format("the value is {}, not a finite number", value));
  return value;
}

std::string Formula::translate(const Scope& scope) const {
  const Operand result = run(scope, false);
  if (!result.number) return result.text;
  if (!std::isfinite(*result.number))
    throw fault("E-RANGE", mark(0), where_,
                fmt::format("the value is {}, not a finite number", *result.number));
  return number_text(*result.number);
}

}  // namespace escapement::netlist
