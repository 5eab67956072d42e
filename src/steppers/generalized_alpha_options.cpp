#include "steppers/generalized_alpha_options.hpp"

#include <fmt/format.h>

#include "core/state_rows.hpp"

namespace escapement {
namespace {

/// Weighted means need inertia that is constant, M a: then the means of M a and of the forces belong to one instant (T-weighted-2).
void refuse_weighted(const System& system) {
  const auto refuse = [](const std::string& what, const char* why) {
    throw ModelError("E-SCHEME", what, why, "form: exact");
  };
  for (const auto& g : system.groups())
    for (int element = 0; element < g->size(); ++element)
      if (g->crossings_of(element) > 0)
        refuse("form",
               "weighted means satisfy the equations at no instant, and so do not tell when something "
               "switches or has a corner");
  if (!system.lie_variables().empty())
    refuse(system.unknown_name(system.lie_variables()[0].place.row),
           "weighted means need a constant mass matrix: the inertia of what turns in space is not");
  const Pattern& p = system.pattern();
  const int positions = system.rows(Kind::position).end;
  std::vector<double> rows(system.size()), values(p.nonzeros());
  State at = system.state();
  move_aside(system, at);
  const auto refuse_entries = [&](const Shift& along, const char* why) {
    system.tangent(at, along, {}, rows, values);
    for (int j = 0; j < positions; ++j)
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
        if (p.row[k] < positions && values[k] != 0) refuse(system.row_name(p.row[k]), why);
  };
  Shift momenta = Shift::momenta();
  momenta.position = 1;
  refuse_entries(momenta, "weighted means need a constant mass matrix: here it depends on positions");
  refuse_entries({.acceleration = 1, .momentum_rate = 0, .reaction = 0},
                 "weighted means need to know masses from forces: equations of the user do not tell");
}

}  // namespace

void refuse_scheme(const System& system, const GeneralizedAlphaOptions& options) {
  if (options.weighted()) refuse_weighted(system);
  const Range rows = system.rows(Kind::holonomic);
  if (rows.size() == 0) return;
  if (options.mechanics.beta == 0)
    throw ModelError("E-SCHEME", system.row_name(rows.begin),
                     "beta = 0 cannot satisfy a holonomic constraint", "choose a scheme with beta > 0");
  const double radius = options.mechanics.radius_at_infinity();
  if (radius > 1 - 1e-9 && options.constraints == ConstraintForm::index3)
    throw ModelError(
        "E-SCHEME", system.row_name(rows.begin),
        fmt::format("spectral radius at infinity {:g}: the multipliers of index-3 rows would grow "
                    "without bound",
                    radius),
        "choose rho below 1 (0.9 is fine)");
}

}  // namespace escapement
