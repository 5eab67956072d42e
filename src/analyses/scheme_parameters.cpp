#include "analyses/scheme_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyses/simulate_section.hpp"
#include "model/simulate_keys.hpp"

namespace escapement {

using simulate_section::error;
using simulate_section::number;

namespace {

/// By name: the family's own numbers for `rho`.
MechanicsParameters mechanics_by_rho(const Model& model, SimulateOptions& o) {
  o.rho = scheme_has(o.scheme, "rho") ? number(model.simulate, "rho") : -1;
  try {
    if (o.scheme == "generalized-alpha") return MechanicsParameters::chung_hulbert(o.rho);
    if (o.scheme == "jwh-alpha") return MechanicsParameters::jansen_whiting_hulbert(o.rho);
    if (o.scheme == "hht-alpha") return MechanicsParameters::hilber_hughes_taylor(o.rho);
    return o.scheme == "stormer" ? MechanicsParameters::stormer() : MechanicsParameters::newmark();
  } catch (const ModelError& e) {  // a rho that this scheme does not have
    if (e.code != "E-SCHEME") throw;
    throw error("E-SCHEME", model, "rho", e.where + ": " + e.cause, e.hint);
  }
}

StateParameters states_by_rho(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  if (!scheme_has(o.scheme, "rho_states")) return StateParameters::trapezoidal();
  o.rho_states = number(v, v.find("rho_states") ? "rho_states" : "rho");
  return std::get<std::string>(*v.find("scheme_states")) == "jwh-alpha"
             ? StateParameters::jansen_whiting_hulbert(o.rho_states)
             : StateParameters::chung_hulbert(o.rho_states);
}

/// Parameters that stand for themselves (T-alpha-10): all of `keys` or none; false: none. Not beside `others`.
bool own_parameters(const Model& model, const std::vector<std::string_view>& keys,
                    const std::vector<std::string>& others, const std::string& hint) {
  const FieldValues& v = model.simulate;
  const auto given = [&](std::string_view key) { return v.given(key); };
  const auto first = std::ranges::find_if(keys, given);
  if (first == keys.end()) return false;
  const std::string all = fmt::format("{}", fmt::join(keys, ", "));
  std::vector<std::string_view> missing;
  std::ranges::remove_copy_if(keys, std::back_inserter(missing), given);
  if (!missing.empty())
    throw error("E-MISSING", model, std::string(*first),
                fmt::format("{} {} missing: {} are given together", fmt::join(missing, ", "),
                            missing.size() == 1 ? "is" : "are", all),
                hint);
  for (const std::string& other : others)
    if (given(other))
      throw error("E-CHOICE", model, other, fmt::format("it is given beside {}, which say the same", all),
                  fmt::format("{}, or these", other));
  return true;
}

/// What keeps no run of any step from growing, or from dividing by zero, is no scheme (T-alpha-10).
void refuse_parameters(const Model& model, const char* m_key, double m, const char* f_key, double f) {
  if (m > 0.5)
    throw error(
        "E-SCHEME", model, m_key,
        fmt::format("{} = {:g} exceeds 1/2: not zero-stable, the history of the recursion grows in every "
                    "step, however small",
                    m_key, m),
        fmt::format("{} <= 1/2; for A-stability {} <= {} <= 1/2", m_key, m_key, f_key));
  if (f >= 1)
    throw error("E-SCHEME", model, f_key,
                fmt::format("{} = {:g}: the end of the step has no weight", f_key, f),
                fmt::format("{} < 1; for A-stability {} <= {} <= 1/2", f_key, m_key, f_key));
}

/// A set that goes with what is given: of second order and A-stable. `k`, `c`: its best are on α_m = k α_f − c.
struct Proposal {
  const char *m, *f, *order;  // keys
  double k, c;

  std::string text(const FieldValues& v, bool beta) const {
    const auto otherwise = [&](const char* key, double value) {
      return v.given(key) ? number(v, key) : value;
    };
    double alpha_f = 0;
    if (v.given(order))
      alpha_f = v.given(m) ? number(v, order) - 0.5 + number(v, m) : (0.5 + c - number(v, order)) / (k - 1);
    else if (v.given(m)) alpha_f = (number(v, m) + c) / k;
    alpha_f = otherwise(f, alpha_f);
    const double alpha_m = otherwise(m, v.given(order) ? 0.5 + alpha_f - number(v, order) : k * alpha_f - c);
    const double gamma = otherwise(order, 0.5 + alpha_f - alpha_m);
    std::string set = fmt::format("{}: {:.6g}, {}: {:.6g}, {}: {:.6g}", m, alpha_m, f, alpha_f, order, gamma);
    if (beta) set += fmt::format(", beta: {:.6g}", otherwise("beta", 0.25 * (gamma + 0.5) * (gamma + 0.5)));
    return fmt::format("{} (second order: {} = 1/2 + {} - {}{})", set, order, f, m,
                       beta ? "; beta = (gamma + 1/2)^2/4" : "");
  }
};
constexpr Proposal mechanics_proposal = {"alpha_m", "alpha_f", "gamma", 3, 1};  // Chung and Hulbert
constexpr Proposal states_proposal = {"delta_m", "delta_f", "theta", 2, 0.5};   // Jansen, Whiting and Hulbert

}  // namespace

MechanicsParameters mechanics_parameters(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  const bool free_newmark = o.scheme == "newmark";
  const std::vector<std::string_view> beta_gamma = {"beta", "gamma"};
  if (!own_parameters(model, free_newmark ? beta_gamma : mechanics_keys(), {"rho"},
                      free_newmark ? "beta: 0.25, gamma: 0.5, say; A-stable for 2 beta >= gamma >= 1/2"
                                   : mechanics_proposal.text(v, true)))
    return mechanics_by_rho(model, o);
  o.rho = -1;
  if (free_newmark) return MechanicsParameters::newmark(number(v, "beta"), number(v, "gamma"));
  refuse_parameters(model, "alpha_m", number(v, "alpha_m"), "alpha_f", number(v, "alpha_f"));
  return {number(v, "alpha_m"), number(v, "alpha_f"), number(v, "beta"), number(v, "gamma")};
}

StateParameters state_parameters(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  if (!own_parameters(model, state_keys(), {"rho_states", "scheme_states"}, states_proposal.text(v, false)))
    return states_by_rho(model, o);
  o.rho_states = -1;
  refuse_parameters(model, "delta_m", number(v, "delta_m"), "delta_f", number(v, "delta_f"));
  return {number(v, "delta_m"), number(v, "delta_f"), number(v, "theta")};
}

}  // namespace escapement
