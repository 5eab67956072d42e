// Expressions of netlists, {2*rload} and the like: numbers without units. Parameters are evaluated here; what depends on
// voltages, currents and time is written in the expression language of models. For src/netlist alone.
#pragma once
#include <functional>

#include "netlist/text.hpp"

namespace escapement::netlist {

class Formula {
 public:
  /// Throws E-EXPRESSION, E-VALUE, E-LIMIT, E-UNSUPPORTED with the place.
  static Formula parse(const Word& word, const std::string& where);

  /// What names stand for.
  struct Scope {
    /// A parameter, in small letters; throws if there is none.
    std::function<double(const std::string& name, const Mark& mark)> parameter;
    /// `v(a)`, `v(a,b)`, `i(v1)`: the name of a signal and its unit; nothing for the voltage of ground.
    struct Probe {
      std::string text, unit;
    };
    std::function<std::optional<Probe>(char kind, const std::string& name, const Mark& mark)> probe;
    double temperature = 27;  // `temper`, in °C
  };
  /// A number; refuses voltages, currents and time.
  double evaluate(const Scope& scope) const;
  /// In the expression language, as a pure number.
  std::string translate(const Scope& scope) const;

 private:
  friend class FormulaParser;
  enum class Op { number, name, voltage, current, call, unary, binary, choice };
  struct Step {
    Op op;
    double number = 0;
    std::string name, second;  // of a name, a function, an operator; nodes and sources
    int arguments = 0;
    std::size_t at = 0;
  };
  struct Operand;
  Operand run(const Scope& scope, bool constant) const;
  Operand apply(const Step& step, std::vector<Operand> arguments) const;
  Mark mark(std::size_t at) const { return card_->mark(begin_ + at); }

  std::vector<Step> steps_;  // postfix
  const Card* card_ = nullptr;
  std::size_t begin_ = 0;
  std::string where_;
};

/// A number as it stands in a model, in full precision.
std::string number_text(double number);

}  // namespace escapement::netlist
