#include "run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "real_time.hpp"

namespace escapement::app {
namespace {

Json scheme_parameters(const SimulateOptions& options) {
  Json parameters = Json::object();
  for (const auto& [name, value] : options.parameters) parameters.set(name, value);
  if (options.method != Method::generalized_alpha) return parameters;
  const auto& m = options.stepper.mechanics;
  const auto& x = options.stepper.states;
  if (options.rho >= 0) parameters.set("rho", options.rho);
  if (options.rho_states >= 0) parameters.set("rho_states", options.rho_states);
  parameters.set("alpha_m", m.alpha_m).set("alpha_f", m.alpha_f).set("beta", m.beta).set("gamma", m.gamma);
  parameters.set("delta_m", x.delta_m).set("delta_f", x.delta_f).set("theta", x.theta);
  return parameters.set("radius_at_infinity", m.radius_at_infinity())
      .set("radius_at_infinity_states", x.radius_at_infinity());
}

Json counts_json(const FinishedRun& run) {
  const RunStatistics& s = run.result.statistics;
  const double wall = run.wall_seconds;
  Json j = Json::object();
  j.set("steps", s.steps)
      .set("rejected_steps", s.rejected_steps)
      .set("substeps", s.substeps)
      .set("newton_iterations", s.newton_iterations);
  j.set("factorizations", s.factorizations)
      .set("wall_seconds", wall)
      .set("simulated_seconds", s.simulated_seconds);
  j.set("real_time_factor", wall > 0 ? s.simulated_seconds / wall : 0.0);
  j.set("unknowns", unknowns_by_kind(run.assembly.system)).set("components", run.model.components.size());
  j.set("channels", run.recording.channels().size()).set("rows", s.rows);
  if (!s.ended_by.empty()) j.set("ended_by", s.ended_by);
  if (!run.assembly.samplers.empty()) j.set("samples", s.samples);
  if (s.steps > 0) j.set("smallest_step", s.smallest_step).set("largest_step", s.largest_step);
  return j;
}

/// The unknowns that decided how long steps were, most often first.
Json limited_json(const RunStatistics& s) {
  Json limited = Json::array();
  std::vector<std::pair<long, std::string>> by;
  for (const auto& [name, count] : s.limited_by) by.emplace_back(-count, name);
  std::sort(by.begin(), by.end());
  for (std::size_t i = 0; i < by.size() && i < 10; ++i)
    limited.add(Json::object().set("unknown", by[i].second).set("steps", -by[i].first));
  return limited;
}

/// Events, warnings and notes.
Json happenings_json(const FinishedRun& run) {
  const RunStatistics& s = run.result.statistics;
  Json events = Json::array();
  for (const auto& e : s.events) events.add(Json::object().set("time", e.time).set("what", e.what));
  Json warnings = warnings_json(run.assembly.warnings);
  for (const Warning& w : s.warnings) warnings.add(warning_json(w));
  Json notes = Json::array();
  for (const auto& n : s.notes) notes.add(n);
  return Json::object()
      .set("events", events)
      .set("event_count", s.event_count)
      .set("warnings", warnings)
      .set("notes", notes);
}

/// How well constraints hold and energy is kept.
Json quality_json(const RunStatistics& s) {
  Json j = Json::object();
  j.set("largest_constraint_violation", s.largest_violation).set("most_violated", s.most_violated);
  j.set("largest_velocity_violation", s.largest_velocity_violation)
      .set("most_violated_velocity", s.most_violated_velocity);
  if (s.energy)
    j.set("energy", Json::object()
                        .set("start", s.energy->start)
                        .set("end", s.energy->end)
                        .set("supplied", s.energy->supplied)
                        .set("dissipated", s.energy->dissipated)
                        .set("error", s.energy->error())
                        .set("largest", s.energy->largest));
  return j;
}

Json scheme_json(const FinishedRun& run) {
  const SimulateOptions& options = run.options;
  const RunStatistics& s = run.result.statistics;
  Json j = Json::object();
  j.set("scheme", options.scheme).set("scheme_parameters", scheme_parameters(options));
  if (options.method == Method::spook)
    j.set("largest_left_over", s.largest_left_over).set("left_over_of", s.left_over_of);
  Json steps = Json::array();
  for (double h : options.steps) steps.add(h);
  return j.set("step_sizes", steps).set("constraints", run.result.constraints);
}

std::string plural(long n, const char* one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

std::string kinds_text(const System& system) {
  static const char* const names[] = {"position", "state", "signal", "constraint", "nonholonomic constraint"};
  std::string kinds;
  for (int k = 0; k < kind_count; ++k)
    if (const int n = system.rows(static_cast<Kind>(k)).size(); n > 0)
      kinds += (kinds.empty() ? "" : ", ") + plural(n, names[k]);
  return kinds;
}

}  // namespace

Json summary_json(const FinishedRun& run, const std::string& model_hash) {
  const SimulateOptions& options = run.options;
  const bool stopped = run.result.stopped;
  Json j = Json::object();
  j.set("title", run.model.title).set("status", run.failure ? "failed" : stopped ? "interrupted" : "done");
  j.merge(counts_json(run));
  if (options.adaptive) {
    j.set("tolerance", options.scales.positions.relative).set("horizon", options.scales.horizon);
    j.set("estimator", options.scales.estimator == ErrorEstimator::embedded ? "embedded" : "history");
    j.set("limited_by", limited_json(run.result.statistics));
  }
  j.merge(happenings_json(run)).merge(quality_json(run.result.statistics)).merge(scheme_json(run));
  j.set("version", ESCAPEMENT_VERSION).set("model_hash", model_hash);
  if (run.failure) j.set("error", error_json(*run.failure, run.failed_at));
  return j;
}

void print_summary(const FinishedRun& run, const std::string& program) {
  const RunStatistics& s = run.result.statistics;
  const System& system = run.assembly.system;
  const double wall = run.wall_seconds;
  const std::filesystem::path& folder = run.recording.folder()->path();
  if (!run.model.title.empty()) fmt::print("{}\n", run.model.title);
  const std::string rejected = s.rejected_steps > 0 ? fmt::format(", {} rejected,", s.rejected_steps) : "";
  const std::string sizes = s.smallest_step < 0.99 * s.largest_step && s.steps > 1
                                ? fmt::format(" of {:.3g} to {:.3g} s", s.smallest_step, s.largest_step)
                                : "";
  fmt::print("  {}{}{} to t = {:g} s in {:.3g} s ({:.3g} × real time)\n", plural(s.steps, "step"), sizes,
             rejected, s.simulated_seconds, wall, wall > 0 ? s.simulated_seconds / wall : 0.0);
  if (run.pace) print_real_time(*run.pace);
  fmt::print("  {}: {}\n", plural(system.size(), "unknown"), kinds_text(system));
  fmt::print("  Newton: {}, {}\n", plural(s.newton_iterations, "iteration"),
             plural(s.factorizations, "factorization"));
  if (system.rows(Kind::holonomic).size() + system.rows(Kind::nonholonomic).size() > 0)
    fmt::print("  largest constraint violation: {:.2g}{}, of its rate {:.2g}\n", s.largest_violation,
               s.most_violated.empty() ? "" : " (" + s.most_violated + ")", s.largest_velocity_violation);
  if (s.event_count > 0)
    fmt::print("  {}{}\n", plural(s.event_count, "event"),
               s.ended_by.empty()
                   ? ""
                   : fmt::format("; {} ended the run at t = {:g} s", s.ended_by, s.simulated_seconds));
  fmt::print("  {} × {} in {}\n", plural(s.rows, "row"),
             plural(static_cast<long>(run.recording.channels().size()), "channel"),
             (folder / "results.csv").string() + (run.recording.with_hdf5() ? ", results.h5" : ""));
  const std::string at = quoted_if_needed(folder.string());
  fmt::print("  next: {0} report {1}, or {0} plot {1}{2}\n", program, at,
             run.model.plots.empty() ? " CHANNEL" : "");
}

void print_equilibrium(const FinishedRun& run) {
  const auto& channels = run.recording.channels();
  const State& state = run.result.state;
  if (!run.model.title.empty()) fmt::print("{}\n", run.model.title);
  std::size_t width = 0;
  std::map<std::string, double> largest;  // by unit: what is far below it is rounding
  for (const Channel* c : channels) {
    width = std::max(width, c->name.size());
    largest[c->unit] = std::max(largest[c->unit], std::abs(run.assembly.read(*c, state)));
  }
  for (const Channel* c : channels) {
    const double value = run.assembly.read(*c, state);
    fmt::print("  {:<{}} {:>14.7g} {}\n", c->name, width,
               std::abs(value) < 1e-13 * std::max(1.0, largest[c->unit]) ? 0.0 : value,
               c->unit == "1" ? "" : c->unit);
  }
  fmt::print("  in {}\n", (run.recording.folder()->path() / "results.csv").string());
}

}  // namespace escapement::app
