#include "analyses/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "analyses/reaction_watch.hpp"
#include "analyses/singularity.hpp"
#include "model/row_owner.hpp"

namespace escapement {
namespace {

/// A fault of a key of `simulate:`, or of the section ("").
ModelError error(const char* code, const Model& model, const std::string& key, std::string cause,
                 std::string hint = {}) {
  return ModelError(code, key.empty() ? "simulate" : "simulate." + key, std::move(cause), std::move(hint),
                    model.simulate_mark(key).place());
}

double number(const FieldValues& values, std::string_view key) { return std::get<double>(*values.find(key)); }

/// Times at which steps end: multiples of the pattern of steps, jumps of sources, the end. Times are computed from
/// whole numbers of steps, so they do not drift.
class Timetable {
 public:
  Timetable(const SimulateOptions& options, bool constrained)
      : options_(options), sliver_(constrained ? 1e-3 : 0.0) {
    for (double h : options.steps) pattern_ += h;
  }

  struct Step {
    double size, end;
    bool regular;       // ends at a time of the pattern (or the end of the run): rows of results belong here
    bool jump;          // ends where a source jumps
    double passed = 0;  // a time of the pattern within the step, too near to a jump to end there; 0: none
  };

  /// The step from t on; `jump` is when the next source jumps. Between a time of the pattern and a jump next to it no
  /// step is taken with constraints: one so short would lose multipliers in rounding (T-jump-3).
  Step next(double t, double jump) {
    double h = options_.steps[done_ % options_.steps.size()], end = regular_end(h), passed = 0;
    const bool left_over = end - t < sliver_ * h, jump_next = jump - end < sliver_ * h;
    if (end < options_.until && jump > end + slack() && (left_over || jump_next)) {
      passed = end;
      ++done_;
      h = options_.steps[done_ % options_.steps.size()];
      end = regular_end(h);
    }
    const bool last = end >= options_.until && end - jump < std::min(sliver_ * h, jump - t);
    const bool regular = last || jump >= end - slack();
    if (regular) ++done_;
    else end = jump;
    // A whole step keeps its exact size: the coefficients of the scheme, and so its matrix, stay the same.
    const bool whole = regular && std::abs(end - t - h) <= 1e-9 * h;
    return {whole ? h : end - t, end, regular, jump <= end + slack(), passed};
  }
  /// Times that differ by less are the same: rounding of the times themselves.
  double slack() const { return 1e-9 * options_.steps[done_ % options_.steps.size()]; }

 private:
  double regular_end(double h) const {
    const double end = time_of(done_ + 1);
    return end > options_.until - 1e-6 * h ? options_.until : end;
  }
  double time_of(long k) const {
    const long n = static_cast<long>(options_.steps.size());
    if (n == 1) return static_cast<double>(k) * options_.steps[0];
    double t = static_cast<double>(k / n) * pattern_;
    for (long i = 0; i < k % n; ++i) t += options_.steps[i];
    return t;
  }
  const SimulateOptions& options_;
  double sliver_;  // of a step
  double pattern_ = 0;
  long done_ = 0;
};

/// What jumps when: the next time of every event, the earliest first.
class Jumps {
 public:
  explicit Jumps(const std::vector<TimeEvent>& events) : events_(events), done_(events.size(), 0.0) {
    for (std::size_t i = 0; i < events.size(); ++i) await(i);
  }
  double next() const {
    return queue_.empty() ? std::numeric_limits<double>::infinity() : queue_.top().first;
  }
  /// All that is due by now; how many.
  int apply(State& state, double now) {
    int count = 0;
    while (next() <= now) {
      const std::size_t i = queue_.top().second;
      const TimeEvent& e = events_[i];
      queue_.pop();
      if (const double last = last_due(e, now); last > done_[i]) {  // of several at once the last one counts
        done_[i] = last;
      } else {
        state.memory[e.element.group->memory_of(e.element.index) + e.slot] = e.value + done_[i] * e.increment;
        done_[i] += 1;
        ++count;
      }
      if (done_[i] < e.count) await(i);
    }
    return count;
  }

 private:
  static double time_of(const TimeEvent& e, double k) { return e.time + k * e.period; }
  static double last_due(const TimeEvent& e, double now) {
    if (e.period <= 0) return 0;
    double k = std::min(e.count - 1, std::floor((now - e.time) / e.period));
    if (time_of(e, k) > now) k -= 1;  // rounding
    return k;
  }
  void await(std::size_t i) { queue_.emplace(time_of(events_[i], done_[i]), i); }

  using Due = std::pair<double, std::size_t>;  // time, event
  const std::vector<TimeEvent>& events_;
  std::vector<double> done_;  // how many times, by event
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
};

class Run {
 public:
  Run(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer)
      : assembly_(assembly),
        system_(assembly.system),
        options_(options),
        observer_(observer),
        prepared_(prepare(assembly, options.prepare)),
        stepper_(assembly.system, stepper_options()),
        rows_(system_.size()) {}

  RunResult run() {
    State& state = result_.state;
    state = std::move(prepared_.state);
    jumps_.apply(state, state.t + timetable_.slack());
    for (const auto& w : prepared_.warnings) warn(w);
    result_.statistics.notes = prepared_.notes;
    for (const auto& w : stepper_.warnings()) warn(w.message);
    const StartReport start = stepper_.start(state);
    result_.statistics.newton_iterations += start.newton.iterations;
    result_.statistics.factorizations += start.newton.factorizations;
    account(state);
    record(state);

    try {
      while (state.t < options_.until && !result_.failure && !result_.stopped)
        advance(state, timetable_.next(state.t, next_jump(state)));
    } catch (const ModelError& e) {  // no consistent values after a jump, a value that cannot be recorded
      result_.failure = {e.code, e.where, owner_of_unknown(e.where), "", state.t, e.cause, e.hint};
    }
    result_.statistics.simulated_seconds = state.t;
    return std::move(result_);
  }

 private:
  GeneralizedAlphaOptions stepper_options() const {
    GeneralizedAlphaOptions o = options_.stepper;
    if (o.proximal == 0) o.proximal = prepared_.proximal;
    return o;
  }
  void advance(State& state, const Timetable::Step& step) {
    RunStatistics& s = result_.statistics;
    if (step.passed > 0)
      before_ = {state.t, state.value, state.rate, state.acceleration, state.store, {}, {}};
    const StepReport report = stepper_.advance(state, step.size);
    s.newton_iterations += report.newton.iterations;
    s.factorizations += report.newton.factorizations;
    if (!report.ok()) {
      ++s.rejected_steps;
      fail(state, step.size, report.newton);
      return;
    }
    ++s.steps;
    state.t = step.end;
    account(state);
    if (step.passed > 0) regular_time(between(before_, state, step.passed), step.size, false);
    if (step.jump) {
      jump(state);
      account(state);  // powers jump too
    }
    if (step.regular) regular_time(state, step.size, state.t >= options_.until);
    if (const auto passed = watch_.look(stepper_.newton(), state)) singular(*passed);
    if (options_.stepper.constraints == ConstraintForm::index3 && reactions_.look(state))
      warn(fmt::format(
          "from about t = {:.4g} s on the reactions alternate from step to step and grow: they are not to "
          "be trusted. {}",
          state.t, turning_hint(state, step.size)));
    if (!observer_.step({state, step.size, s.steps, report.newton.iterations, report.newton.factorizations}))
      result_.stopped = true;
  }

  void account(const State& state) {
    if (energy_.empty()) return;
    energy_.look(state);
    result_.statistics.energy = energy_.balance();
  }

  void singular(const SingularPosition& position) {
    constexpr int most = 10;
    if (++singular_ <= most) warn(describe(position, system_));
    if (singular_ == most) warn("further singular positions are among the events of summary.json only");
    ++result_.statistics.event_count;
    if (result_.statistics.events.size() < 10000)
      result_.statistics.events.push_back({position.time, "singular position"});
  }

  /// A time of the pattern: a row of results, if one is due.
  void regular_time(const State& state, double step, bool last) {
    ++regular_steps_;
    if (options_.output_interval > 0) {
      const double due = static_cast<double>(next_output_) * options_.output_interval;
      if (state.t < due - 1e-6 * step && !last) return;
      record(state);
      next_output_ = static_cast<long>(std::floor(state.t / options_.output_interval + 1e-6)) + 1;
    } else if (regular_steps_ % options_.output_steps == 0 || last) {
      record(state);
    }
  }

  /// The state at a time very near to one end of a step: on the line between both ends it is off by a thousandth of what
  /// the step is.
  const State& between(const State& a, const State& b, double t) {
    const double s = (t - a.t) / (b.t - a.t);
    const auto mix = [s](std::vector<double>& to, const std::vector<double>& x,
                         const std::vector<double>& y) {
      to.resize(y.size());
      for (std::size_t i = 0; i < y.size(); ++i) to[i] = x[i] + s * (y[i] - x[i]);
    };
    mix(passing_.value, a.value, b.value);
    mix(passing_.rate, a.rate, b.rate);
    mix(passing_.acceleration, a.acceleration, b.acceleration);
    mix(passing_.store, a.store, b.store);
    for (const LieVariable& lie : system_.lie_variables()) {
      double* q = &passing_.value[lie.place.value];
      const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (int k = 0; k < 4; ++k) q[k] /= size;
    }
    passing_.memory = b.memory;
    passing_.t = t;
    return passing_;
  }

  /// When the next source jumps, or something that was delayed.
  double next_jump(const State& state) const { return std::min(jumps_.next(), system_.next_break(state)); }
  void jump(State& state) {
    const int count = jumps_.apply(state, state.t + timetable_.slack());
    result_.statistics.event_count += count;
    for (int i = 0; i < count && result_.statistics.events.size() < 10000; ++i)
      result_.statistics.events.push_back({state.t, "source jumps"});
    stepper_.discontinuity(state, timetable_.slack());
  }

  void record(const State& state) {
    observer_.row(state);
    ++result_.statistics.rows;
    const Range constraints{system_.rows(Kind::holonomic).begin, system_.size()};
    if (constraints.size() == 0 || &state == &passing_) return;
    RunStatistics& s = result_.statistics;
    const auto note = [&](Range rows, double& largest, std::string& where) {
      for (int i = rows.begin; i < rows.end; ++i)
        if (std::abs(rows_[i]) > largest) {
          largest = std::abs(rows_[i]);
          where = system_.unknown_name(i);
        }
    };
    system_.constraints(state, 0, 0, rows_);
    note(constraints, s.largest_violation, s.most_violated);
    system_.constraints(state, 1, -1, rows_);
    note(system_.rows(Kind::holonomic), s.largest_velocity_violation, s.most_violated_velocity);
  }

  /// What helps where index-3 reactions become unstable (T-constraint-8).
  std::string turning_hint(const State& state, double h) const {
    double turn = 0;
    std::string who;
    for (const LieVariable& lie : system_.lie_variables()) {
      const double* w = &state.rate[lie.place.row + lie.dofs() - 3];
      if (const double angle = h * std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]); angle > turn) {
        turn = angle;
        who = system_.unknown_name(lie.place.row);
      }
    }
    const std::string fast =
        turn > 0.05 ? fmt::format("{} turns by {:.2g} rad in a step; try ", owner_of_unknown(who), turn)
                    : "Try ";
    return fast + "`constraints: index-2`, a smaller rho, or a smaller step";
  }

  void fail(const State& state, double h, const NewtonReport& report) {
    const double t = state.t;
    if (const ModelError* e = system_.fault(); e && report.status == NewtonStatus::not_finite) throw *e;
    RunFailure f;
    f.code = "E-NEWTON";
    f.time = t;
    f.where = fmt::format("t={:g} s h={:g} s", t, h);
    f.cause = describe(report, system_);
    if (!report.worst.empty()) {
      const int row = report.worst.front().row;
      const std::string unknown = system_.unknown_name(row);
      f.component = owner_of_unknown(unknown);
      f.equation = system_.row_name(row);
    }
    switch (report.status) {
      case NewtonStatus::singular:
        f.hint =
            "look at the named rows: a mechanism may have reached a singular position, or a loop of signals "
            "has no solution";
        break;
      case NewtonStatus::not_finite:
        f.hint =
            "look at the named rows for a division by zero or a root of a negative number; try a smaller "
            "step";
        break;
      default:
        f.hint =
            "a smaller step (--set simulate.step=…), more iterations (--set simulate.newton_iterations=…), "
            "or smoother "
            "elements at the named rows";
        if (reactions_.told()) f.hint = turning_hint(state, h);
    }
    if (!result_.statistics.events.empty()) {
      const auto& e = result_.statistics.events.back();
      f.cause += fmt::format("; last event: {} at {:g} s", e.what, e.time);
    }
    result_.failure = std::move(f);
  }

  void warn(std::string text) { result_.statistics.warnings.push_back(std::move(text)); }

  const Assembly& assembly_;
  const System& system_;
  const SimulateOptions& options_;
  RunObserver& observer_;
  Prepared prepared_;
  GeneralizedAlpha stepper_;
  SingularityWatch watch_{system_, prepared_.redundant};
  ReactionWatch reactions_{system_};
  EnergyAccount energy_{system_};
  int singular_ = 0;
  RunResult result_;
  std::vector<double> rows_;
  Timetable timetable_{options_, system_.rows(Kind::holonomic).size() > 0};
  Jumps jumps_{assembly_.events};
  State before_, passing_;  // for a time of the pattern within a step
  long regular_steps_ = 0, next_output_ = 1;
};

}  // namespace

SimulateOptions simulate_options(const Model& model) {
  const FieldValues& v = model.simulate;
  if (!v.find("until"))
    throw error("E-MISSING", model, "", "the model does not say how to simulate it",
                "simulate: {until: 10 s, step: 0.01 s}");
  SimulateOptions o;
  o.until = number(v, "until");
  if (v.find("step")) o.steps = {number(v, "step")};
  if (v.find("steps")) o.steps = std::get<std::vector<double>>(*v.find("steps"));
  const auto [smallest, largest] = std::minmax_element(o.steps.begin(), o.steps.end());
  if (*largest > o.until)
    throw error("E-STEP", model, v.find("step") ? "step" : "steps",
                fmt::format("the step {:g} s is longer than the run, {:g} s", *largest, o.until));
  if (o.until / *smallest > 1e12)
    throw error("E-STEP", model, v.find("step") ? "step" : "steps",
                fmt::format("{:g} steps are more than time can count", o.until / *smallest), "a larger step");
  if (v.find("adaptive") && number(v, "adaptive") != 0)
    throw error("E-UNSUPPORTED", model, "adaptive", "steps chosen by error control are not there yet",
                "adaptive: false and a step");
  if (v.find("tolerance"))
    throw error("E-UNSUPPORTED", model, "tolerance", "it belongs to adaptive steps, which are not there yet");

  o.scheme = std::get<std::string>(*v.find("scheme"));
  const double rho = number(v, "rho");
  const double rho_states = v.find("rho_states") ? number(v, "rho_states") : rho;
  auto& p = o.stepper;
  o.rho = rho;
  o.rho_states = rho_states;
  p.states = std::get<std::string>(*v.find("scheme_states")) == "jwh-alpha"
                 ? StateParameters::jansen_whiting_hulbert(rho_states)
                 : StateParameters::chung_hulbert(rho_states);
  try {
    if (o.scheme == "generalized-alpha") p.mechanics = MechanicsParameters::chung_hulbert(rho);
    else if (o.scheme == "jwh-alpha") p.mechanics = MechanicsParameters::jansen_whiting_hulbert(rho);
    else if (o.scheme == "hht-alpha") p.mechanics = MechanicsParameters::hilber_hughes_taylor(rho);
    else if (o.scheme == "newmark") p.mechanics = MechanicsParameters::newmark();
    else if (o.scheme == "trapezoidal") {
      p.mechanics = MechanicsParameters::trapezoidal();
      p.states = StateParameters::trapezoidal();
    } else if (o.scheme == "stormer") p.mechanics = MechanicsParameters::stormer();
    else
      throw error("E-UNSUPPORTED", model, "scheme", fmt::format("the scheme {} is not there yet", o.scheme),
                  "scheme: generalized-alpha");
  } catch (const ModelError& e) {  // a rho that this scheme does not have
    if (e.code != "E-SCHEME") throw;
    throw error("E-SCHEME", model, "rho", e.where + ": " + e.cause, e.hint);
  }
  if (o.scheme == "newmark" || o.scheme == "trapezoidal" || o.scheme == "stormer") {
    if (v.given("rho"))
      throw error("E-VALUE", model, "rho", fmt::format("the scheme {} has no rho", o.scheme), "remove rho");
    o.rho = -1;
  }
  if (o.scheme == "trapezoidal") {
    for (const char* key : {"rho_states", "scheme_states"})
      if (v.given(key))
        throw error("E-VALUE", model, key, fmt::format("the trapezoidal scheme has no {}", key),
                    fmt::format("remove {}", key));
    o.rho_states = -1;
  }
  if (std::get<std::string>(*v.find("constraints")) == "index-2") p.constraints = ConstraintForm::index2;
  p.newton.tolerance = number(v, "newton_tolerance");
  p.newton.max_iterations = static_cast<int>(number(v, "newton_iterations"));
  o.prepare = prepare_options(model);
  if (v.find("regularization")) p.proximal = number(v, "regularization");

  const double every = number(v, "output_every");
  const bool time = model.output_every_is_time;
  if (time) {
    o.output_interval = every;
    if (o.steps.size() > 1 || std::abs(every / o.steps[0] - std::round(every / o.steps[0])) > 1e-6 ||
        every < o.steps[0] * (1 - 1e-9))
      throw error("E-STEP", model, "output_every",
                  fmt::format("{:g} s is not a multiple of the step {:g} s", every, o.steps[0]),
                  "a multiple of the step, or a whole number of steps");
  } else {
    if (every != std::floor(every) || every > 1e9)
      throw error("E-TYPE", model, "output_every",
                  fmt::format("{:g} is neither a whole number of steps nor a time", every));
    o.output_steps = static_cast<int>(every);
  }
  return o;
}

void check_scheme(const Model& model, const Assembly& assembly, const SimulateOptions& options) {
  try {
    refuse_scheme(assembly.system, options.stepper);
  } catch (const ModelError& e) {
    if (e.code != "E-SCHEME") throw;
    throw error("E-SCHEME", model, options.stepper.mechanics.beta == 0 ? "scheme" : "rho",
                fmt::format("{}: {}", e.where, e.cause), e.hint);
  }
}

void apply_jumps_at_start(const Assembly& assembly, State& state) {
  Jumps(assembly.events).apply(state, state.t);
}

RunResult simulate(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer) {
  return Run(assembly, options, observer).run();
}

}  // namespace escapement
