// From the text of a component's fields to typed values: types, units, ranges, defaults, checked against its schema.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "math/table.hpp"
#include "model/diagnostics.hpp"
#include "model/expression.hpp"
#include "model/namespace.hpp"
#include "model/schema.hpp"

namespace escapement {

struct MatrixValue {
  int rows = 0, columns = 0;
  std::vector<double> entries;  // row by row
  double operator()(int i, int j) const { return entries[static_cast<std::size_t>(i) * columns + j]; }
};

using FieldValue = std::variant<double, std::string, std::vector<double>, std::vector<std::string>,
                                MatrixValue, std::shared_ptr<const Table>, std::shared_ptr<const Expression>>;

/// The typed values of one component; keys of groups are dotted: `initial.position`.
class FieldValues {
 public:
  const FieldValue* find(std::string_view key) const;
  /// Was it given in the text (rather than filled in by default)?
  bool given(std::string_view key) const;
  void set(std::string key, FieldValue value, bool given);
  struct Entry {
    std::string key;
    FieldValue value;
    bool given;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// Reads values of one namespace. `where` in messages is `path.key`.
class FieldReader {
 public:
  FieldReader(const Namespace& space, const Loop& loop, bool allow_outside = false)
      : space_(space), loop_(loop), allow_outside_(allow_outside) {}

  /// Checks all keys of a mapping against a schema; `also` are keys that belong to others. Faults are collected.
  FieldValues read(const Node& fields, const std::vector<Parameter>& parameters,
                   const std::vector<std::string>& also, const std::string& where,
                   Diagnostics& diagnostics) const;
  FieldValue read(const Parameter& p, const Node& value, const std::string& where) const;
  /// A number of any dimension.
  Expression compile(const Node& value, const std::string& where,
                     const std::vector<std::pair<std::string, std::string>>& variables = {}) const;
  /// Throws unless the expression has this unit.
  void check_unit(const Expression& e, const Node& value, const std::string& unit, const std::string& where,
                  bool bare_allowed = false) const;
  /// A parameter: a number, a vector or text.
  ParameterValue parameter(const Node& value, const std::string& where) const;
  /// `link.(i-1).tip` -> `link.2.tip`.
  std::string substituted(const Node& name, const std::string& where) const;
  /// A name the user chose: a letter first, no dots.
  static void check_name(const Node::Entry& entry, const std::string& where);
  /// The same fields with every name of a parameter replaced by its value and tables inlined.
  Node self_contained(const Node& fields, const std::vector<Parameter>& parameters) const;

 private:
  double number(const Parameter& p, const Node& value, const std::string& unit,
                const std::string& where) const;
  std::vector<double> vector(const Parameter& p, const Node& value, const std::string& where) const;
  MatrixValue matrix(const Parameter& p, const Node& value, const std::string& where) const;
  std::vector<std::vector<double>> csv_rows(const Node& value, const std::string& where) const;
  bool is_csv(const Node& value) const;
  static void check_range(const Parameter& p, double v, const Node& value, const std::string& unit,
                          bool literal, const std::string& where);
  void refuse_other_parameter(const Node& value, const ExpressionError& e, const std::string& where) const;
  std::vector<std::pair<double, double>> points(const Parameter& p, const Node& value,
                                                const std::string& where) const;
  std::shared_ptr<const Table> table(const Parameter& p, const Node& value, const std::string& where) const;
  static void check_equations(const Parameter& p, const Node& value, const std::string& where);
  /// An equation's text with the names of parameters replaced by their values.
  std::string with_numbers(const std::string& text) const;
  Node flattened(const Parameter& p, const Node& value) const;
  Node flat_number(const Parameter& p, const Node& value) const;
  Node flat_numbers(const Parameter& p, const Node& value) const;
  Node flat_points(const Parameter& p, const Node& value) const;

  const Namespace& space_;
  const Loop& loop_;
  bool allow_outside_;
};

/// Exactly one key of each set of alternatives is given, or E-CHOICE.
void check_alternatives(const Node& fields, const std::vector<Parameter>& parameters,
                        const std::vector<Port>& ports, const std::string& where);

}  // namespace escapement
