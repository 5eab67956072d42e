#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analyses/simulate.hpp"
#include "model/row_owner.hpp"
#include "model/simulate_keys.hpp"

namespace escapement {
namespace {

/// A fault of a key of `simulate:`, or of the section ("").
ModelError error(const char* code, const Model& model, const std::string& key, std::string cause,
                 std::string hint = {}) {
  return ModelError(code, key.empty() ? "simulate" : "simulate." + key, std::move(cause), std::move(hint),
                    model.simulate_mark(key).place());
}

constexpr double newton_share = 1e-3;

double number(const FieldValues& values, std::string_view key) { return std::get<double>(*values.find(key)); }

void prescribed_steps(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  if (v.find("step") && v.find("steps"))
    throw error("E-CHOICE", model, "steps", "the step size is given twice: step and steps",
                "give exactly one of step, steps");
  if (!v.find("step") && !v.find("steps"))
    throw error("E-CHOICE", model, "", "the step size is missing",
                scheme_adapts(std::get<std::string>(*v.find("scheme")))
                    ? "give exactly one of step, steps; or adaptive: true and a tolerance"
                    : fmt::format("the scheme {} takes steps of a given size: `step: 1 ms`, or --set "
                                  "simulate.step=1ms",
                                  std::get<std::string>(*v.find("scheme"))));
  if (v.find("step")) o.steps = {number(v, "step")};
  if (v.find("steps")) o.steps = std::get<std::vector<double>>(*v.find("steps"));
  const auto [smallest, largest] = std::minmax_element(o.steps.begin(), o.steps.end());
  if (*largest > o.until)
    throw error("E-STEP", model, v.find("step") ? "step" : "steps",
                fmt::format("the step {:g} s is longer than the run, {:g} s", *largest, o.until));
  if (o.until / *smallest > 1e12)
    throw error("E-STEP", model, v.find("step") ? "step" : "steps",
                fmt::format("{:g} steps are more than time can count", o.until / *smallest), "a larger step");
  for (const auto& entry : v.entries())
    for (const char* key : {"tolerance", "tolerances", "horizon", "estimator", "h_min", "h_max"})
      if (entry.given && entry.key.substr(0, entry.key.find('.')) == key)
        throw error("E-VALUE", model, key, "it belongs to adaptive steps", "adaptive: true, or remove it");
}

void adaptive_steps(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  if (v.given("substeps"))
    throw error("E-VALUE", model, "substeps",
                "it belongs to prescribed steps: adaptive ones shrink down to h_min", "h_min, or remove it");
  o.adaptive = true;
  if (v.find("steps"))
    throw error("E-VALUE", model, "steps", "adaptive steps are not prescribed", "remove it, or `adaptive`");
  if (!v.find("tolerance"))
    throw error("E-MISSING", model, "", "adaptive steps need a tolerance",
                "tolerance: 1e-4, say: the errors of all steps add up to about that much");
  const double tolerance = number(v, "tolerance");
  const auto given = [&](const char* key, double otherwise) {
    return v.find(key) ? number(v, key) : otherwise;
  };
  const double absolute = given("tolerances.absolute", tolerance);
  const auto scale = [&](const char* key, double otherwise) {
    const double relative = given(key, otherwise);
    return ErrorScales::Tolerance{relative, v.find(key)    ? std::min(absolute, relative)
                                            : relative > 0 ? absolute
                                                           : 0.0};
  };
  o.scales.positions = scale("tolerances.positions", tolerance);
  o.scales.velocities = scale("tolerances.velocities", tolerance);
  o.scales.states = scale("tolerances.states", tolerance);
  o.scales.signals = scale("tolerances.signals", 0);
  o.scales.multipliers = scale("tolerances.multipliers", 0);
  o.scales.horizon = given("horizon", o.until);
  o.scales.learn = v.find("tolerances.absolute") == nullptr;
  if (std::get<std::string>(*v.find("estimator")) == "history") o.scales.estimator = ErrorEstimator::history;
  o.first = given("step", 0);
  o.h_min = given("h_min", 1e-12 * o.until);
  o.h_min_given = v.find("h_min") != nullptr;
  o.h_max = given("h_max", 0.1 * o.until);
  if (o.h_min > o.h_max)
    throw error("E-STEP", model, "h_min", fmt::format("{:g} s is more than h_max, {:g} s", o.h_min, o.h_max));
  if (o.first > o.until)
    throw error("E-STEP", model, "step",
                fmt::format("the step {:g} s is longer than the run, {:g} s", o.first, o.until));
  o.stepper.history = StartHistory::consistent;
  o.stepper.jump_slopes = true;
}

/// Of the tolerances that count.
double smallest(const ErrorScales& scales) {
  double least = INFINITY;
  for (const auto* t :
       {&scales.positions, &scales.velocities, &scales.states, &scales.signals, &scales.multipliers})
    if (t->relative > 0) least = std::min(least, t->relative);
  return least;
}

void read_output(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  if (v.find("output_at")) {
    o.output_times = std::get<std::vector<double>>(*v.find("output_at"));
    if (v.given("output_every"))
      throw error("E-CHOICE", model, "output_at", "rows are asked for twice: output_every and output_at",
                  "give one of them");
    for (std::size_t i = 0; i < o.output_times.size(); ++i)
      if (o.output_times[i] > o.until || (i > 0 && o.output_times[i] <= o.output_times[i - 1]))
        throw error("E-RANGE", model, "output_at",
                    fmt::format("{:g} s is {}", o.output_times[i],
                                o.output_times[i] > o.until ? "after the end of the run"
                                                            : "not after the time before it"),
                    "times in increasing order, within the run");
    return;
  }
  const double every = number(v, "output_every");
  if (model.output_every_is_time) {
    o.output_interval = every;
    if (o.until / every > 1e12)
      throw error("E-STEP", model, "output_every",
                  fmt::format("{:g} rows are more than time can count", o.until / every));
    return;
  }
  if (every != std::floor(every) || every > 1e9)
    throw error("E-TYPE", model, "output_every",
                fmt::format("{:g} is neither a whole number of steps nor a time", every));
  o.output_steps = static_cast<int>(every);
}

/// From the keys below `relaxation`, or below a name of `relaxations`; what is not given is as in `otherwise`.
struct RelaxationFields {
  Relaxation length, angle;

  void take(const Model& model, const std::string& prefix, const std::string& key) {
    const FieldValues& v = model.simulate;
    const auto given = [&](const char* field) { return v.given(prefix + field); };
    if (given(".damping") && given(".damping_time"))
      throw error("E-CHOICE", model, key, "damping is given twice: in steps and as a time", "one of them");
    for (Relaxation* r : {&length, &angle}) {
      if (given(".damping")) r->damping = number(v, prefix + ".damping"), r->in_seconds = false;
      if (given(".damping_time")) r->damping = number(v, prefix + ".damping_time"), r->in_seconds = true;
    }
    if (given(".compliance")) length.compliance = number(v, prefix + ".compliance");
    if (given(".angular_compliance")) angle.compliance = number(v, prefix + ".angular_compliance");
  }
  /// Of a row; E-UNITS if it gives way and nobody tells what it measures.
  const Relaxation& of(const Model& model, const System& system, int row) const {
    const Extent extent = system.row_extent(row);
    if (extent == Extent::length) return length;
    if (extent == Extent::angle) return angle;
    if (length.compliance > 0 || angle.compliance > 0)
      throw error(
          "E-UNITS", model, "relaxation",
          fmt::format(
              "a compliance in m/N or rad/N/m does not fit {}, which is neither a length nor an angle",
              system.row_name(row)),
          "`relaxations` by component, and none for this one");
    return length;
  }
};

std::vector<Relaxation> relaxations(const Model& model, const Assembly& assembly) {
  const System& system = assembly.system;
  RelaxationFields all;
  all.take(model, "relaxation", "relaxation");
  std::map<std::string, RelaxationFields> named;  // by pattern
  for (const auto& entry : model.simulate.entries()) {
    if (!entry.given || !entry.key.starts_with("relaxations.")) continue;
    const std::string prefix = entry.key.substr(0, entry.key.rfind('.'));
    const auto [at, fresh] = named.emplace(prefix.substr(12), all);
    if (fresh) at->second.take(model, prefix, "relaxations");
  }
  std::vector<Relaxation> rows;
  std::map<std::string, int> used;
  std::vector<std::string> owners;
  for (int row = system.rows(Kind::holonomic).begin; row < system.size(); ++row) {
    const std::string owner = owner_of_unknown(system.unknown_name(row));
    if (owners.empty() || owners.back() != owner) owners.push_back(owner);
    const RelaxationFields* fields = &all;
    for (const auto& [pattern, its] : named)
      for (std::string name = owner;; name.resize(name.rfind('.'))) {
        if (matches(pattern, name)) fields = &its, ++used[pattern];
        if (name.find('.') == std::string::npos) break;
      }
    rows.push_back(system.rows(Kind::holonomic).end > row ? fields->of(model, system, row) : Relaxation{});
    if (system.row_name(row).ends_with("(coordinate)"))
      rows.back().compliance = 0;  // what defines one does not give way
  }
  for (const auto& [pattern, its] : named)
    if (!used.contains(pattern))
      throw error("E-NAME", model, "relaxations",
                  fmt::format("`{}` is no component with constraints", pattern),
                  owners.empty() ? "the model has no constraints" : did_you_mean(pattern, owners));
  return rows;
}

/// What belongs to other schemes is refused by name.
void refuse_foreign_keys(const Model& model, const std::string& scheme) {
  for (const auto& entry : model.simulate.entries()) {
    const std::string key = entry.key.substr(0, entry.key.find('.'));
    if (!entry.given || scheme_has(scheme, key)) continue;
    const bool relaxes = key.starts_with("relaxation"), exact = relaxes && scheme == "variational";
    throw error("E-VALUE", model, key,
                exact     ? "the scheme variational keeps constraints exactly"
                : relaxes ? "it belongs to `scheme: spook`"
                          : fmt::format("the scheme {} has no {}", scheme, key),
                relaxes ? "scheme: spook, or remove it"
                        : fmt::format("remove {}, or scheme: generalized-alpha", key));
  }
}

/// ε of multipliers, given as it is or as a penalty (T-proximal-2); 0: chosen later.
double regularization(const Model& model) {
  const FieldValues& v = model.simulate;
  if (v.find("regularization") && v.find("penalty"))
    throw error("E-CHOICE", model, "penalty", "multipliers are regularised twice: regularization and penalty",
                "one of them: penalty = 1/regularization");
  if (v.find("penalty")) return 1 / number(v, "penalty");
  return v.find("regularization") ? number(v, "regularization") : 0.0;
}

void variational_options(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  const bool spook = o.scheme == "spook";
  o.method = spook ? Method::spook : Method::variational;
  if (v.given("rho_states")) {
    o.rho_states = number(v, "rho_states");
    if (o.rho_states != 0 && o.rho_states != 1)
      throw error(
          "E-VALUE", model, "rho_states",
          fmt::format(
              "the scheme {} steps states with rho_states 0 (what is fast is damped) or 1 (nothing is)",
              o.scheme),
          "rho_states: 0, or 1");
    o.variational.damped_states = o.rho_states == 0;
  }
  auto& p = o.variational;
  p.quasi_linear = spook;
  p.newton.tolerance = number(v, "newton_tolerance");
  p.newton.max_iterations = static_cast<int>(number(v, "newton_iterations"));
  p.proximal = regularization(model);
  o.parameters = {{"rho_states", p.damped_states ? 0.0 : 1.0}};
  if (spook) {
    RelaxationFields all;
    all.take(model, "relaxation", "relaxation");
    std::set<std::string> named;
    for (const auto& entry : v.entries())
      if (entry.key.starts_with("relaxations.")) named.insert(entry.key.substr(0, entry.key.rfind('.')));
    o.parameters.insert(o.parameters.end(),
                        {{all.length.in_seconds ? "damping_time" : "damping_steps", all.length.damping},
                         {"compliance", all.length.compliance},
                         {"angular_compliance", all.angle.compliance},
                         {"relaxations", static_cast<double>(named.size())}});
  }
  if (spook) o.relaxations = [&model](const Assembly& assembly) { return relaxations(model, assembly); };
}

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

/// Weighted means (T-weighted): the published recursion with constant steps, and nothing besides.
void weighted_form(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  if (std::get<std::string>(*v.find("form")) != "weighted") return;
  for (const char* key : {"adaptive", "steps", "update", "update_beta"})
    if (v.given(key) && !(key == std::string("adaptive") && !o.adaptive))
      throw error("E-SCHEME", model, key,
                  fmt::format("form: weighted has parameters for constant steps, and none for {}", key),
                  "form: exact, or a `step`");
  o.stepper.balance = BalanceForm::weighted;
  o.substeps = 0;
}

/// Of generalized-α and its relatives.
void alpha_parameters(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  auto& p = o.stepper;
  p.states = state_parameters(model, o);
  p.mechanics = mechanics_parameters(model, o);
  p.update_parameters = number(v, "update") != 0;
  p.update_beta = p.update_parameters && number(v, "update_beta") != 0;
  if (!p.update_parameters && v.given("update_beta") && number(v, "update_beta") != 0)
    throw error("E-VALUE", model, "update_beta", "beta follows gamma, which `update: false` keeps as it is",
                "remove update, or update_beta");
  weighted_form(model, o);
  if (!o.adaptive) return;
  const bool ordered = p.mechanics.second_order() && p.states.second_order();
  if (p.update_parameters && ordered) return;
  throw error(
      "E-SCHEME", model, "adaptive",
      ordered
          ? "adaptive steps change their size: without the update of gamma and theta they are of first order"
          : "adaptive steps need second order: gamma = 1/2 + alpha_f - alpha_m and "
            "theta = 1/2 + delta_f - delta_m",
      "prescribed `steps`");
}

}  // namespace

void need_fixed_steps(const Model& model, const SimulateOptions& options, const std::string& who) {
  if (options.adaptive)
    throw error("E-VALUE", model, "adaptive", who + " needs fixed steps",
                "`step` without adaptive and tolerance: the longest with which the results are right");
}

SimulateOptions simulate_options(const Model& model) {
  const FieldValues& v = model.simulate;
  if (!v.find("until"))
    throw error("E-MISSING", model, "", "the model does not say how to simulate it",
                "simulate: {until: 10 s, step: 0.01 s}");
  SimulateOptions o;
  o.until = number(v, "until");
  o.substeps = static_cast<int>(number(v, "substeps"));
  if (number(v, "adaptive") != 0) adaptive_steps(model, o);
  else prescribed_steps(model, o);
  if (v.find("event_tolerance")) o.event_tolerance = number(v, "event_tolerance");
  o.retune = [&model](const std::vector<Override>& overrides) { return assemble(model, overrides); };

  o.notes = model.notes;
  o.scheme = std::get<std::string>(*v.find("scheme"));
  if (o.adaptive && !scheme_adapts(o.scheme))
    throw error("E-SCHEME", model, "adaptive",
                fmt::format("the scheme {} does not estimate its error", o.scheme),
                "a `step`, or scheme: generalized-alpha");
  refuse_foreign_keys(model, o.scheme);
  if (o.scheme == "variational" || o.scheme == "spook") {
    variational_options(model, o);
    o.prepare = prepare_options(model);
    read_output(model, o);
    return o;
  }
  alpha_parameters(model, o);
  auto& p = o.stepper;
  o.constraints_chosen = v.find("constraints") != nullptr;
  const bool index2 =
      o.constraints_chosen ? std::get<std::string>(*v.find("constraints")) == "index-2" : o.adaptive;
  p.constraints = index2 ? ConstraintForm::index2 : ConstraintForm::index3;
  p.newton.tolerance = number(v, "newton_tolerance");
  if (o.adaptive &&
      !v.given("newton_tolerance"))  // what Newton leaves over in a second: a small part of the tolerance
    p.newton.tolerance = std::clamp(newton_share * smallest(o.scales) / o.scales.horizon, 1e-12, 1e-6);
  if (o.adaptive) p.state_tolerance = 1e-11;
  if (o.adaptive && o.scales.learn) p.horizon = o.scales.horizon;
  p.newton.max_iterations = static_cast<int>(number(v, "newton_iterations"));
  o.prepare = prepare_options(model);
  p.proximal = regularization(model);

  read_output(model, o);
  return o;
}

void check_scheme(const Model& model, const Assembly& assembly, const SimulateOptions& options) {
  const Range states = assembly.system.rows(Kind::state);
  if (options.adaptive && options.scales.estimator == ErrorEstimator::history && states.size() > 0)
    throw error("E-VALUE", model, "estimator",
                fmt::format("`history` knows nothing of states: any step would do for {}",
                            assembly.system.unknown_name(states.begin)),
                "estimator: embedded");
  try {
    if (options.method != Method::generalized_alpha) {
      if (options.relaxations) options.relaxations(assembly);
      refuse_scheme(assembly.system, options.variational);
    } else {
      if (options.stepper.balance == BalanceForm::weighted &&
          !(assembly.events.empty() && assembly.triggers.empty() && assembly.samplers.empty()))
        throw ModelError("E-SCHEME", "form",
                         "weighted means satisfy the equations at no instant, and so cannot follow jumps",
                         "form: exact");
      GeneralizedAlphaOptions stepper = options.stepper;  // in the form that a run chooses
      if (assembly.system.switches() && !options.constraints_chosen)
        stepper.constraints = ConstraintForm::index2;
      refuse_scheme(assembly.system, stepper);
    }
  } catch (const ModelError& e) {
    if (e.code != "E-SCHEME") throw;
    const bool other = options.method != Method::generalized_alpha;
    const bool weighted = options.stepper.balance == BalanceForm::weighted;
    throw error("E-SCHEME", model,
                weighted                                       ? "form"
                : other || options.stepper.mechanics.beta == 0 ? "scheme"
                                                               : "rho",
                fmt::format("{}: {}", e.where, e.cause), e.hint);
  }
}

}  // namespace escapement
