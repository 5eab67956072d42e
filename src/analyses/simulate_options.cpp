#include "analyses/simulate_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analyses/relaxation_options.hpp"
#include "analyses/scheme_parameters.hpp"
#include "analyses/simulate_section.hpp"
#include "model/schemes.hpp"

namespace escapement {
namespace {

using simulate_section::error;
using simulate_section::number;

constexpr double newton_share = 1e-3;

void prescribed_steps(const Model& model, SimulateOptions& o) {
  const FieldValues& v = model.simulate;
  if (v.find("step") && v.find("steps"))
    throw error("E-CHOICE", model, "steps", "the step size is given twice: step and steps",
                "give exactly one of step, steps");
  if (!v.find("step") && !v.find("steps"))
    throw error("E-CHOICE", model, "", "the step size is missing",
                scheme_named(std::get<std::string>(*v.find("scheme"))).adapts
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

/// What belongs to other schemes is refused by name.
void refuse_foreign_keys(const Model& model, const Scheme& scheme) {
  for (const auto& entry : model.simulate.entries()) {
    const std::string key = entry.key.substr(0, entry.key.find('.'));
    if (!entry.given || scheme.has(key)) continue;
    const bool relaxes = key.starts_with("relaxation"),
               exact = relaxes && scheme.family == Scheme::Family::variational;
    throw error("E-VALUE", model, key,
                exact     ? "the scheme variational keeps constraints exactly"
                : relaxes ? "it belongs to `scheme: spook`"
                          : fmt::format("the scheme {} has no {}", scheme.name, key),
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
  const bool spook = scheme_named(o.scheme).family == Scheme::Family::spook;
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

double tightest(const ErrorScales& scales) {
  double least = INFINITY;
  for (const auto* t :
       {&scales.positions, &scales.velocities, &scales.states, &scales.signals, &scales.multipliers})
    if (t->relative > 0) least = std::min(least, t->relative);
  return least;
}

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
  const Scheme& scheme = scheme_named(o.scheme);
  if (o.adaptive && !scheme.adapts)
    throw error("E-SCHEME", model, "adaptive",
                fmt::format("the scheme {} does not estimate its error", o.scheme),
                "a `step`, or scheme: generalized-alpha");
  refuse_foreign_keys(model, scheme);
  if (scheme.is_variational()) {
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
    p.newton.tolerance = std::clamp(newton_share * tightest(o.scales) / o.scales.horizon, 1e-12, 1e-6);
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
