// Equations written in a model file: rows as expressions of values, rates, accelerations and multipliers, with exact
// tangents from the expressions' gradients.
#pragma once
#include "core/dynamic.hpp"
#include "model/expression.hpp"

namespace escapement::math {

/// Expressions see one vector of inputs: time, then value, rate and acceleration of every unknown, then the definitions.
class UserEquations final : public DynamicElement {
 public:
  enum class Sort {
    raw,        // row += Σ terms
    store,      // d/dt store + Σ terms = 0: the row of a state
    holonomic,  // Φ = Σ terms, and the reaction Φ_qᵀλ in the rows of the positions
    slip,       // k = Σ terms, and the reaction k_vᵀμ
    bare_slip   // k = Σ terms; the forces are written out by the user
  };
  struct Term {
    double factor;
    Expression expression;
  };
  /// What expressions read, through definitions too: inputs of unknowns and time; definitions, each after those that it reads.
  struct Reads {
    std::vector<int> inputs, definitions;
  };
  struct Equation {
    int row;  // which unknown's
    Sort sort;
    std::vector<Term> terms;
    std::optional<Expression> store = {};
    Reads reads = {};  // set by add()
  };
  static constexpr int time = 0;
  static int value_of(int unknown) { return 1 + 3 * unknown; }
  static int rate_of(int unknown) { return 2 + 3 * unknown; }
  static int acceleration_of(int unknown) { return 3 + 3 * unknown; }

  /// All unknowns are there by then.
  void add(Equation equation);
  /// A name for an expression of inputs and of earlier definitions: from then on the next input. `watched`: it counts among what
  /// switches; others serve constraints alone.
  void define(Expression expression, bool watched);
  Reads reads(std::span<const Expression* const> expressions) const;
  /// How the last equation grows with the acceleration of its own unknown, with its rate if there is none, or its value.
  double own_slope(std::span<const double> inputs) const;
  void negate_last();
  const Equation& last() const { return equations_.back(); }

  bool couples(int row, int column) const override { return coupled_[row * size() + column]; }
  void evaluate(const Point& p, Parts& parts) const override;
  // Constraints keep no sides: a jump of theirs would be one of positions or velocities.
  int sides() const override { return sides_; }
  void crossings(const Point& p, std::span<double> functions) const override;
  void cross(const Point& p, int i, double* sides) const override;
  Bend bend(const Point& p, int i) const override;
  bool ends_at_zero(const Point& p, int i) const override;
  void land(const Point& p, int i, double* sides) const override;
  std::string switch_text(int i) const override { return owner(i).switch_text(i); }
  void constraints(const Point& p, int holonomic_level, int nonholonomic_level,
                   std::span<double> rows) const override;
  void phases(const Point& p, std::vector<double>& angles) const override;

 private:
  struct Definition {
    Expression expression;
    Reads reads;
    bool watched;
  };
  int first_definition() const { return 1 + 3 * size(); }
  int input_count() const { return first_definition() + static_cast<int>(definitions_.size()); }
  /// These definitions' values among the inputs.
  template <class S>
  void fill(std::span<const int> definitions, std::span<S> inputs, const double* sides) const;
  template <class S>
  void clear(const Reads& reads, std::span<S> slope) const;
  template <class S>
  S through(const Expression& x, const Reads& reads, std::span<const S> inputs, const double* sides,
            std::vector<S>& slope) const;
  void couple(const Equation& e);
  template <class S>
  void slopes(const Equation& e, std::span<const S> inputs, const double* sides, S& value,
              std::vector<S>& slope) const;
  std::span<double> inputs(const Point& p) const;
  static bool is_constraint(const Equation& e) { return e.sort != Sort::raw && e.sort != Sort::store; }
  template <class F>
  void each_switching(const F& f) const {
    for (const Definition& d : definitions_)
      if (d.watched) f(d.expression);
    for (const Equation& e : equations_) {
      if (is_constraint(e)) continue;
      for (const Term& t : e.terms) f(t.expression);
      if (e.store) f(*e.store);
    }
  }
  const Expression& owner(int side) const;
  int unknown_of(int input) const { return (input - 1) / 3; }
  double* slope(Parts::Part& part, int row, int input) const;
  void evaluate(const Equation& e, std::span<const double> in, const double* sides, Parts& parts) const;
  void store(const Equation& e, std::span<const double> in, const double* sides, Parts& parts) const;
  void reaction(const Equation& e, std::span<const double> in, Parts& parts) const;

  std::vector<Definition> definitions_;
  std::vector<Equation> equations_;
  std::vector<char> coupled_;
  int sides_ = 0;
};

}  // namespace escapement::math
