// Linear blocks: from coefficients or from zeros and poles to ẋ = A x + B u, y = C x + D u with states of the size of the
// signals, and from there to terms of the system.
#pragma once
#include <complex>
#include <optional>
#include <span>

#include "components/control/linear.hpp"
#include "components/control/parts.hpp"

namespace escapement::control {

struct Realization {
  MatrixValue A, B, C, D;
  int order() const { return A.rows; }
};

MatrixValue zero_matrix(int rows, int columns);
double& entry(MatrixValue& M, int i, int j);
/// Adds factor · M from this row and column on.
void put(MatrixValue& into, int row, int column, const MatrixValue& M, double factor = 1);
MatrixValue product(const MatrixValue& M, const MatrixValue& N);
/// A⁻¹ X; none if A is singular.
std::optional<MatrixValue> solve(MatrixValue A, MatrixValue X);

/// Σ numerator sᵏ / Σ denominator sᵏ, highest power first, not more in the numerator. The states are the scaled
/// derivatives x, ẋ/ω, ẍ/ω² … of one quantity, with ω the geometric mean of the poles.
Realization companion(std::span<const double> numerator, std::span<const double> denominator);

/// The output of the first is the input of the second.
Realization series(const Realization& first, const Realization& second);

/// Roots of real polynomials: one with a positive imaginary part stands for itself and its conjugate.
using Roots = std::vector<std::complex<double>>;
int count(const Roots& roots);

/// gain Π(s − zero) / Π(s − pole) as sections of second order in series, each with a peak near one; not more zeros than
/// poles.
Realization sections(Roots zeros, Roots poles, double gain);

/// The state that stays while the input stays at u; none if there is a pole at zero.
std::optional<std::vector<double>> at_rest(const Realization& r, double u);

// ------------------------------------------------------------------ in a model

/// Adds states, their rows and the outputs; `x` grows by the new states, which are `all` in the end.
void add_linear(Build& b, const Realization& r, std::span<const Signal<1>> u, std::span<const Signal<1>> y,
                std::span<const double> start, std::vector<StateVariable<1>>& x, std::size_t all);

/// Refuses a matrix of another size.
void check_size(const Build& b, const char* key, const MatrixValue& M, int rows, int columns,
                const char* hint);

/// A, B, C and D (zero if absent) as given: n×n, n×m, p×n, p×m, as the hint says.
Realization given_matrices(const Build& b, const char* hint);

/// The numbers of `initial.state`, zeros if absent; refuses another number than n.
std::vector<double> start_of(const Build& b, int n);

/// A type with `input`, `output` and, per part of the signal, a realization that begins at rest (`initial.input`).
ComponentType linear_type(std::string name, std::string summary,
                          std::function<Realization(const Build&)> realization);

}  // namespace escapement::control
