// A user function ẋ = f(t, x, u, p), y = h(t, x, u, p) as the program sees it: called under guard, its results checked,
// its derivatives given or found by differences.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "escapement/function.h"
#include "external/library.hpp"

namespace escapement::external {

/// The table that a library exports under this name. Throws LoadError E-LIBRARY.
const escapement_function& table_of(const Library& library, const std::string& name);

class Function {
 public:
  /// `block` names it in messages. Throws LoadError E-LIBRARY for a table that contradicts itself, E-FUNCTION if `sizes`
  /// fails. There are as many parameters as the table says.
  Function(std::shared_ptr<const Library> library, const escapement_function& table, std::string block,
           std::vector<double> parameters, double time_limit);

  /// The same with work of its own: a function serves one thread at a time.
  std::unique_ptr<Function> copy() const {
    return std::make_unique<Function>(library_, table_, block_, parameters_, time_limit_);
  }

  int states() const { return states_; }
  int inputs() const { return inputs_; }
  int outputs() const { return outputs_; }

  /// dx and y. Where there is no value (it is not finite, or the function says that it failed) they are NaN, and fault()
  /// tells why. Throws ModelError E-FUNCTION when the function crashes or hangs.
  void evaluate(double t, const double* x, const double* u, double* dx, double* y) const;
  /// ∂(f, h)/∂(x, u), row by row: `states + outputs` rows of `states + inputs`.
  void jacobian(double t, const double* x, const double* u, std::span<double> matrix) const;
  /// The same numbers twice at one point, and given derivatives that agree with differences; or ModelError E-FUNCTION.
  void check(double t, const double* x, const double* u) const;
  /// Why the last evaluation was not finite.
  const ModelError* fault() const { return fault_ ? &*fault_ : nullptr; }

 private:
  struct Call;
  enum Part { f_part, h_part, f_x_part, f_u_part, h_x_part, h_u_part };

  int rows() const { return states_ + outputs_; }
  int columns() const { return states_ + inputs_; }
  bool run(Call& call, double t) const;
  std::string told(const Call& call) const;
  void evaluate_raw(double t, const double* z, double* result) const;
  void difference(double t, int column, double increment, std::span<double> result) const;
  double increment(int column) const;
  bool given(int row, int column) const;
  std::string name_of(Part part, int index) const;
  [[noreturn]] void fail(Part part, const std::string& cause, double t, const std::string& hint) const;

  std::shared_ptr<const Library> library_;
  const escapement_function& table_;
  std::string block_;
  std::vector<double> parameters_;
  double time_limit_;
  int states_, inputs_, outputs_;
  // Work, so that steps do not allocate.
  mutable std::vector<double> point_, plus_, minus_, given_;
  std::shared_ptr<double> fence_;  // results are written right before a page that must not be touched
  mutable std::optional<ModelError> fault_;
};

}  // namespace escapement::external
