#include "analyses/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analyses/alarms.hpp"
#include "analyses/mode_search.hpp"
#include "analyses/reaction_watch.hpp"
#include "analyses/sampling.hpp"
#include "analyses/singularity.hpp"
#include "analyses/timetable.hpp"
#include "core/sizes.hpp"
#include "model/row_owner.hpp"
#include "steppers/step_control.hpp"

namespace escapement {

class Simulation::Run {
 public:
  Run(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer)
      : assembly_(assembly),
        system_(assembly.system),
        options_(options),
        observer_(observer),
        prepared_(prepare(assembly, start_of(options))),
        stepper_(make_stepper()),
        rows_(system_.size()) {
    if (!options.bare && !options.adaptive) alarms_.emplace(system_);
    if (alarms_ && options.variational.quasi_linear)
      alarms_->constraints_relax(relaxations(), longest_step());
    for (auto* x : {&fired_, &settling_}) x->reserve(watch_.size());
    crossed_.reserve(4 * watch_.size());
  }

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { restore_numbers(); }

  void begin(std::string_view resume) {
    State& state = result_.state;
    state = std::move(prepared_.state);
    if (resume.empty()) begin(state);
    else restore(resume);
    guarded([&] {
      if (resume.empty()) {
        if (options_.adaptive) control_.emplace(control(first_step(state)));
        save_if_wanted();
      }
      observer_.begun(state);
    });
  }
  bool finished() const { return over() || !(result_.state.t < options_.until); }
  void step() {
    guarded([&] {
      advance(result_.state);
      if (!over()) save_if_wanted();
    });
  }
  void step_whole() {
    const double end = timetable_.whole_step_end(result_.state.t);
    do step();
    while (!finished() && result_.state.t < end);
  }
  void jump_from_outside() {
    guarded([&] {
      State& state = result_.state;
      stepper_->discontinuity(state, slack());
      account(state);
      if (watch_.empty()) return;
      settle(state, watch_.due(state), true);
      if (!over()) watch_.begin(state);
    });
  }
  void rehearse(int steps) {
    stepper_->rehearse_jump(result_.state);
    if (!watch_.empty()) {
      before_ = trial_ = result_.state;
      trial_.delays.clear();
      beyond_.emplace(system_, stepper_->start_options());
      State at = result_.state;
      beyond_->solve(at);
    }
    const std::string bytes = save();
    for (int k = 0; k < steps && !finished(); ++k) step_whole();
    result_.failure.reset();
    result_.stopped = false;
    restore_numbers();
    overrides_.clear();
    jumps_ = Jumps(assembly_.events);  // of the numbers that hold again
    sampling_.take(assembly_.samplers);
    restore(bytes);
  }
  double next_step() const { return timetable_.size(); }
  long pivotings() const { return stepper_->pivotings(); }
  State& state() { return result_.state; }
  const RunResult& result() const { return result_; }
  RunResult end() {
    guarded([&] {
      if (result_.stopped && !result_.failure) observer_.checkpoint(save());
    });
    result_.statistics.simulated_seconds = result_.state.t;
    name_the_most_violated();
    result_.statistics.samples = sampling_.samples();
    tell_substeps();
    for (int i = 0; i < static_cast<int>(limited_.size()); ++i)
      if (limited_[i] > 0)
        result_.statistics
            .limited_by[i < system_.size() ? system_.unknown_name(i)
                                           : system_.unknown_name(i - system_.size()) + " (velocity)"] =
            limited_[i];
    tell_beyond();
    if (alarms_)
      for (Warning& w : alarms_->verdicts()) warn(std::move(w));
    restore_numbers();
    return std::move(result_);
  }

 private:
  void tell_substeps() {
    const RunStatistics& s = result_.statistics;
    if (s.substeps == 0) return;
    warn({"W-SUBSTEPS",
          fmt::format("steps had no solution as a whole and were halved, first at t = {:.4g} s: {} substeps, "
                      "the smallest of {:.2g} s",
                      s.first_divided, s.substeps, s.smallest_substep),
          "look at what happens there; a smaller step or `adaptive: true` avoids it", "", s.first_divided});
  }
  template <class F>
  void guarded(const F& f) {
    try {
      f();
    } catch (const ModelError& e) {  // no consistent values after a jump, a value that cannot be recorded
      result_.failure = {e.code, e.where, owner_of_unknown(e.where), "", result_.state.t, e.cause, e.hint};
      if (e.code != "E-START" || !(result_.state.t > 0)) return;
      result_.failure->code = "E-NEWTON";
      result_.failure->where = fmt::format("t={:g} s", result_.state.t);
      result_.failure->cause = fmt::format("after what jumps there, {}: {}", e.where, e.cause);
      result_.failure->hint = "a smaller step, so that less happens between the jumps";
    }
  }
  /// As the scheme starts.
  static PrepareOptions start_of(const SimulateOptions& options) {
    PrepareOptions o = options.prepare;
    o.slack = options.adaptive ? 1e-13 * options.until : Timetable(options).slack();
    if (options.method == Method::generalized_alpha) return o;
    o.start.hold_massless = true;
    if (options.variational.quasi_linear) o.start.proximal = std::max(o.start.proximal, 1e-9);
    return o;
  }
  void begin(State& state) {
    State first = state;  // jumps and samples of the first instant are in the state already
    jumps_.apply(first, state.t + slack());
    sampling_.begin(state.t + slack());
    for (const auto& w : prepared_.warnings) warn(w);
    result_.statistics.notes = options_.notes;
    const auto add = [this](const std::vector<std::string>& notes) {
      result_.statistics.notes.insert(result_.statistics.notes.end(), notes.begin(), notes.end());
    };
    add(assembly_.notes_on_settings);
    add(prepared_.notes);
    for (const Warning& w : stepper_->warnings()) warn(w);
    count(stepper_->start(state).newton);
    interior_.begin(state);
    if (alarms_) alarms_->begin(state);
    if (!watch_.empty()) {
      settle(state, watch_.due(state), false);
      watch_.begin(state);
    }
    account(state);
    if (options_.output_times.empty() || options_.output_times[0] == 0) record(state), ++next_output_;
  }

  StepControl control(double first) const {
    return {first, options_.h_min, options_.h_max, options_.scales.horizon, tolerance()};
  }
  /// The smallest that was asked for.
  double tolerance() const {
    double least = 1;
    const ErrorScales& s = options_.scales;
    for (const auto* t : {&s.positions, &s.velocities, &s.states, &s.signals, &s.multipliers})
      if (t->relative > 0) least = std::min(least, t->relative);
    return least;
  }

  // ---- checkpoints

  void archive(Archive& a) {
    a(result_.state, result_.statistics, *stepper_, watched_, reactions_, energy_, watch_, jumps_, sampling_,
      singular_, regular_steps_, next_output_, overrides_, limited_, substep_, turns_guessed_, turning_told_,
      delays_told_, waves_told_, overruling_told_, excess_, turn_, resolved_, interior_);
    if (alarms_) a(*alarms_);
    if (control_) a(*control_, stall_.steps, stall_.first, stall_.row);
    else a(timetable_);
  }
  std::string save() {
    result_.statistics.simulated_seconds = result_.state.t;
    name_the_most_violated();
    Archive a;
    archive(a);
    return std::move(a.bytes());
  }
  void save_if_wanted() {
    if (observer_.wants_checkpoint()) observer_.checkpoint(save());
  }
  void restore(std::string_view bytes) {
    if (options_.adaptive) control_.emplace(control(options_.h_max));
    const State shape = result_.state;
    Archive a(bytes);
    archive(a);
    const State& s = result_.state;
    const auto same = [](const auto& x, const auto& y) { return x.size() == y.size(); };
    if (!a.at_end() || !same(s.value, shape.value) || !same(s.rate, shape.rate) ||
        !same(s.acceleration, shape.acceleration) || !same(s.store, shape.store) ||
        !same(s.memory, shape.memory) || !same(s.delays, shape.delays) ||
        limited_.size() != 2 * rows_.size() || !(s.t >= 0 && s.t <= options_.until))
      throw ArchiveError("the state of another system");
    if (overrides_.empty()) return;
    use_overrides();
    jumps_.take(other_->events);
  }

  std::unique_ptr<Stepper> make_stepper() {
    if (options_.method != Method::generalized_alpha) {
      VariationalOptions o = options_.variational;
      if (o.proximal == 0) o.proximal = prepared_.proximal;
      o.tell_left_over = !options_.bare;
      if (options_.relaxations) o.relaxations = options_.relaxations(assembly_);
      o.step = longest_step();
      result_.constraints = o.quasi_linear ? "relaxed" : "at the ends of steps";
      return std::make_unique<Variational>(system_, std::move(o));
    }
    GeneralizedAlphaOptions o = options_.stepper;
    o.change_form = true;
    if (o.proximal == 0) o.proximal = prepared_.proximal;
    if ((system_.switches() || turns_fast(prepared_.state)) && !options_.constraints_chosen)
      o.constraints = ConstraintForm::index2;
    index3_ = o.constraints == ConstraintForm::index3;
    result_.constraints = index3_ ? "index-3" : "index-2";
    return std::make_unique<GeneralizedAlpha>(system_, o);
  }
  /// Of the holonomic rows, under SPOOK.
  std::vector<Relaxation> relaxations() const {
    std::vector<Relaxation> all(system_.rows(Kind::holonomic).size(), options_.variational.relaxation);
    if (!options_.relaxations) return all;
    const std::vector<Relaxation> rows = options_.relaxations(assembly_);
    std::copy_n(rows.begin(), std::min(all.size(), rows.size()), all.begin());
    return all;
  }
  double longest_step() const { return *std::max_element(options_.steps.begin(), options_.steps.end()); }
  bool over() const { return result_.failure || result_.stopped || !result_.statistics.ended_by.empty(); }
  /// Times that differ by less are the same.
  double slack() const { return options_.adaptive ? 1e-13 * options_.until : timetable_.slack(); }
  void count(const NewtonReport& report) {
    result_.statistics.newton_iterations += report.iterations;
    result_.statistics.factorizations += report.factorizations;
    iterations_ += report.iterations;
    factorizations_ += report.factorizations;
  }

  // ---- one step

  void advance(State& state) {
    RunStatistics& s = result_.statistics;
    iterations_ = factorizations_ = rejected_ = 0;
    PlannedStep step = options_.adaptive ? chosen(state.t) : prescribed(state);
    fired_.clear();
    if (!compute(state, step)) return;
    if (step.size == 0) {  // something switches before any time passes
      settle(state, fired_, true);
      if (!over()) watch_.begin(state);
      return;
    }
    if (!options_.bare) {
      look_at_turns(state, step.size);
      look_at_delays(state, step.size);
      look_at_waves(state, step.size);
    }
    if (alarms_) alarms_->computed(state, stepper_->result(), step.size);
    rows_within(state, step);
    remember_within(state, step.end);
    stepper_->commit(state);
    state.t = step.end;
    ++s.steps;
    s.smallest_step = s.steps == 1 ? step.size : std::min(s.smallest_step, step.size);
    s.largest_step = std::max(s.largest_step, step.size);
    if (!options_.adaptive) prescribed_taken(step, state.t);
    if (!watch_.empty() && watch_.taken(state)) stepper_->corner();
    account(state);
    if (step.jump) jump(state);
    if (!fired_.empty()) settle(state, fired_, true);
    if (step.jump || !fired_.empty()) {
      if (alarms_) alarms_->interrupted();
      if (!watch_.empty() && !over()) watch_.begin(state);
      if (control_) control_->interrupted();
    } else if (passes_) {
      stepper_->corner();
      control_->interrupted();
    }
    if (result_.failure) return;
    look_out(state);
    if (options_.adaptive) look_at_progress(state, step.size);
    row_at_end(state, step, state.t >= options_.until || over());
    look(state, step.size);
    if (!observer_.step({state, step.size, s.steps, iterations_, factorizations_, rejected_, step.regular}))
      result_.stopped = true;
  }

  /// The next step as the errors suggest, ending where sources jump and at the end, without a sliver before it.
  PlannedStep chosen(double t) {
    const double jump = next_jump(result_.state);
    double target = jump < options_.until - slack() ? jump : options_.until;
    if (at_times() && !interior_.complete()) target = std::min(target, next_due());  // (T-dense-4)
    const double left = target - t, wanted = std::min(control_->next(), resolved_);
    if (left <= 1.01 * wanted) return {left, target, true, jump <= target + slack()};
    const double h = left < 2 * wanted ? 0.5 * left : wanted;
    return {h, t + h, true, false};
  }
  /// The next prescribed step, or the part of it that is likely to have a solution (T-step-6).
  PlannedStep prescribed(const State& state) {
    PlannedStep step = timetable_.next(state.t, next_jump(state));
    if (substep_ < (1 - 1e-9) * step.size) shorten(step, state.t, substep_);
    return step;
  }
  /// After a part of a step the next one may be twice as long, until whole steps are taken again.
  void prescribed_taken(const PlannedStep& step, double t) {
    timetable_.taken(step, t);
    if (substep_ == INFINITY) return;
    RunStatistics& s = result_.statistics;
    s.smallest_substep = s.substeps++ == 0 ? step.size : std::min(s.smallest_substep, step.size);
    substep_ = std::max(substep_, 2 * step.size);
    if (substep_ >= timetable_.size()) substep_ = INFINITY;
  }
  /// A prescribed step has no solution: half of it may have. False: it is too small already.
  bool halve(PlannedStep& step, double t) {
    const double half = 0.5 * step.size;
    if (half < std::ldexp(0.99 * timetable_.size(), -options_.substeps) || !(t + half > t)) return false;
    if (std::isnan(result_.statistics.first_divided)) result_.statistics.first_divided = t;
    substep_ = half;
    shorten(step, t, half);
    return true;
  }
  void shorten(PlannedStep& step, double t, double size) {
    // A whole step keeps its size though its time may differ a little: part of it may reach the end that it is for.
    const bool there = step.regular && t + size >= step.end;
    step = {size, t + size, options_.adaptive || there, false};
  }

  /// The loop over rejections (T-step-1): a step that has a solution, is within the tolerance and ends at the first event,
  /// if there is one. False: there is none, and the run has failed.
  bool compute(State& state, PlannedStep& step) {
    const double planned = step.size;
    for (;;) {
      const StepReport report = attempt(state, step.size);
      turn_ = report.ok() ? turned(state) : 0.0;
      const double least = std::max(10 * options_.h_min, 1e-15 * state.t);
      if (options_.adaptive && turn_ > 0 && step.size > 1.2 * resolving(step.size) &&
          step.size > 2 * least) {  // (T-phase-2)
        ++result_.statistics.rejected_steps;
        ++rejected_;
        resolved_ = std::max(resolving(step.size), least);
        shorten(step, state.t, resolved_);
        continue;
      }
      LocalError error;
      if (report.ok() && options_.adaptive) error = stepper_->local_error(state, options_.scales);
      const bool good = report.ok() && (!options_.adaptive || acceptable(state, step.size, error));
      resolved_ = turn_ > 0 ? std::max(resolving(step.size), least) : INFINITY;
      const bool located = good && locate(state, step);
      if (located) {
        if (options_.adaptive && step.size > 0) {
          control_->taken(step.size, error.size, step.size == planned);
          if (error.row >= 0) ++limited_[error.rate ? system_.size() + error.row : error.row];
          stall_.row = error.row;
          excess_.noise += error.noise * error.noise;
        }
        return true;
      }
      ++result_.statistics.rejected_steps;
      ++rejected_;
      if (!options_.adaptive) {
        if (halve(step, state.t)) continue;
        fail(state, step.size, report.ok() ? failed_ : report.newton);
        return false;
      }
      if (report.ok() && !good) control_->rejected(step.size, error.size);
      else control_->failed(step.size);
      if (control_->too_small()) {
        if (report.ok() && !good) fail(state, step.size, error);
        else fail(state, step.size, report.ok() ? failed_ : report.newton);
        return false;
      }
      shorten(step, state.t, control_->next());
    }
  }

  /// Is the error of this step within the tolerance; or can it be paid for; or would no shorter step have less (T-step-4, 5)?
  bool acceptable(const State& state, double h, const LocalError& error) {
    using Verdict = StepControl::Verdict;
    Verdict verdict = control_->judge(h, error.size);
    if (verdict == Verdict::reject && !options_.h_min_given && h <= 10 * options_.h_min &&
        std::isfinite(error.size))
      verdict = Verdict::tolerate;
    passes_ = verdict == Verdict::pass || verdict == Verdict::tolerate;
    if (verdict == Verdict::tolerate) {
      if (excess_.steps++ == 0 || error.size > excess_.error)
        excess_ = {excess_.steps, excess_.noise,     state.t,   h,
                   error.size,    control_->falls(), error.row, error.rate};
    }
    return verdict != Verdict::reject;
  }

  StepReport attempt(State& state, double h) {
    if (options_.adaptive || !watch_.empty()) {
      if (const auto ahead = stepper_->look_ahead_if_needed(state, h)) {
        count(ahead->newton);
        if (!ahead->ok() && options_.adaptive) return *ahead;
      }
    }
    StepReport report = stepper_->attempt(state, h);
    count(report.newton);
    if (!options_.bare && report.ok() && report.left_over > result_.statistics.largest_left_over)
      note_left_over(state, report);
    return report;
  }

  static constexpr double noticed_left_over = 0.02;

  /// One linear solve per step is what `spook` promises; where it is not enough, that is told once.
  void note_left_over(const State& state, const StepReport& report) {
    RunStatistics& s = result_.statistics;
    const bool first = s.largest_left_over <= noticed_left_over;
    s.largest_left_over = report.left_over;
    if (report.left_over_row >= 0) s.left_over_of = system_.unknown_name(report.left_over_row);
    if (first && report.left_over > noticed_left_over)
      warn({"W-LEFTOVER",
            fmt::format("at t = {:.4g} s one linear solve leaves {} off by {:.2g} % of its size, and perhaps "
                        "more later on (largest_left_over in summary.json)",
                        state.t, s.left_over_of, 100 * report.left_over),
            "a smaller step, or `scheme: variational`", owner_of_unknown(s.left_over_of), state.t});
  }

  /// So small that the error of a step of this kind is well within the tolerance, if the motion goes on as it begins.
  double first_step(const State& state) const {
    if (options_.first > 0) return options_.first;
    double h = options_.h_max;
    const auto at = system_.value_of_row();
    const double part =
        std::sqrt(std::max(options_.scales.positions.absolute, options_.scales.states.absolute));
    const auto usual = [&](int row, double now) {  // what is not there yet may become as large as usual
      const double least = small_size(system_, row, 0.0), nominal = system_.nominal()[row];
      return options_.scales.learn && now > least ? small_size(system_, row, now) : nominal;
    };
    const auto within = [&](double size, double rate) {
      if (rate != 0) h = std::min(h, part * size / std::abs(rate));
    };
    for (int i = 0; i < system_.rows(Kind::position).end; ++i) {
      const double speed = std::abs(state.rate[i]), value = at[i] >= 0 ? std::abs(state.value[at[i]]) : 1.0;
      within(usual(i, speed) + speed, state.acceleration[i]);
      within(usual(i, value) + value, state.rate[i]);
      if (state.acceleration[i] != 0)
        h = std::min(h, std::sqrt(part * (usual(i, value) + value) / std::abs(state.acceleration[i])));
    }
    const Range states = system_.rows(Kind::state);
    for (int i = states.begin; i < states.end; ++i)
      within(usual(i, std::abs(state.value[at[i]])) + std::abs(state.value[at[i]]), state.rate[i]);
    return std::max(h, 10 * options_.h_min);
  }

  // ---- events

  /// To which events are located in a step of this size: never by how long the run is (T-event-2).
  double event_tolerance(double t, double h) const {
    const double wanted = options_.event_tolerance > 0 ? options_.event_tolerance : 1e-12 * h;
    return std::max(wanted, 4e-16 * t);
  }

  static constexpr double most_turn = 1;  // rad in a step whose error is controlled (T-phase-2)

  /// How far angles turn in the step just computed, where that matters.
  double turned(const State& state) {
    const bool looked_into = !watch_.empty() || system_.remembers();
    if (!looked_into && !options_.adaptive) return 0;
    return interior_.turn(*stepper_, state, looked_into);
  }
  EventWatch::Step step_of(State& state, double turn) { return {*stepper_, interior_, state, turn}; }

  /// Delays remember what their inputs were within the step just computed, where its ends alone do not tell (T-delay-3).
  void remember_within(State& state, double end) {
    if (!system_.remembers()) return;
    const int parts = static_cast<int>(std::min(std::ceil(turn_ / fine_turn()), 1000.0));
    for (int k = 1; k < parts; ++k) {
      interior_.at(*stepper_, state, static_cast<double>(k) / parts, between_);
      LentDelays delays(state, between_);
      system_.remember_within(between_, stepper_->step_size(), end);
    }
  }
  /// rad between two samples of a delay (T-delay-3).
  double fine_turn() const { return options_.adaptive ? std::pow(4 * tolerance(), 0.25) : 0.1; }
  /// The longest step that resolves what turns, by the one just computed; also what a delay that is shorter than the step reads of
  /// it (T-delay-4).
  double resolving(double h) const {
    const double longest = h * most_turn / turn_, fine = h * fine_turn() / turn_;
    return longest <= delay_.time ? longest : std::max(delay_.time, std::min(fine, longest));
  }
  /// A wave of which constant steps see fewer than two points per period is invisible to what it drives (T-phase-4).
  void look_at_waves(const State& state, double h) {
    const long steps = result_.statistics.steps;
    if (waves_told_ || options_.adaptive || (steps > 10 && steps % 64 != 0)) return;
    if (system_.rows(Kind::position).size() + system_.rows(Kind::state).size() == 0) return;
    angles_.clear();
    later_angles_.clear();
    system_.phases(state, angles_);
    if (angles_.empty()) return;
    system_.phases(stepper_->result(), later_angles_);
    double most = 0;
    for (std::size_t i = 0; i < angles_.size(); ++i)
      if (const double turn = std::abs(later_angles_[i] - angles_[i]); turn < INFINITY)
        most = std::max(most, turn);
    if (most <= 1.001 * std::numbers::pi) return;
    waves_told_ = true;
    warn({"W-ALIASED",
          fmt::format("at t = {:.4g} s a sine turns by {:.3g} rad in a step of {:.3g} s: what it drives sees "
                      "fewer than two points of each of its waves",
                      state.t, most, h),
          fmt::format("a step of at most {:.2g} s, or `adaptive: true`", h / most), "", state.t});
  }
  void look_at_delays(const State& state, double h) {
    if (delays_told_ || options_.adaptive || !(h > delay_.time && turn_ > most_turn)) return;
    delays_told_ = true;
    const std::string name = owner_of_unknown(system_.unknown_name(delay_.row));
    warn({"W-DELAY",
          fmt::format("at t = {:.4g} s {} delays by less than a step, in which its input, or something else, "
                      "turns by {:.3g} rad: its output is not resolved",
                      state.t, name, turn_),
          fmt::format("a step of at most {:.3g} s, or `adaptive: true`",
                      std::max(delay_.time, h * most_turn / turn_)),
          name, state.t});
  }

  /// Ends the step just computed at the first event, if there is one: steps to where the interpolant says, again and again,
  /// until an event is at the end of one (T-event-2). A corner is passed by a thousandth of the step instead: on it, Newton
  /// would not know its side. False: one of the steps has no solution.
  bool locate(State& state, PlannedStep& step) {
    if (watch_.empty()) return true;
    auto first = watch_.first(step_of(state, turn_));
    if (const std::vector<int>& resting = watch_.resting(step_of(state, turn_)); !resting.empty()) {
      fired_ = resting;
      shorten(step, state.t, 0);
      return true;
    }
    if (!first) return true;
    const double exact = event_tolerance(state.t, step.size), rough = std::max(exact, 1e-3 * step.size);
    const double turn_rate = turn_ / step.size, whole = step.size;
    double passed =
        watch_.at_end() ? whole : INFINITY;  // the shortest step so far at whose end something is below zero
    double low = 0, high = step.size, tolerance = exact;
    const auto aim = [&](double at) {
      tolerance = watch_.corners_only() ? rough : exact;
      return tolerance == exact ? at : std::min(at + 0.5 * rough, high);
    };
    double size = aim(std::min(*first, 1.0) * step.size);
    for (int k = 0; k < 60; ++k) {
      if (size <= exact) {
        fired_ = watch_.early_at_start();
        shorten(step, state.t, 0);
        return true;
      }
      if (size != stepper_->step_size()) {
        const StepReport report = stepper_->attempt(state, size);
        count(report.newton);
        if (!report.ok()) {
          failed_ = report.newton;
          return report.newton.status == NewtonStatus::singular &&
                 end_at_passed(state, step, size, passed, exact, turn_rate);
        }
        turn_ = turn_rate * size;
        first = watch_.first(step_of(state, turn_), true);
        if (watch_.at_end()) passed = std::min(passed, size);
      }
      if (k == 10) return locate_by_ends(state, step, passed, exact, turn_rate);
      if (first) {
        high = size;
        const double earlier = std::max(*first * size, low);
        const double next = aim(earlier);
        if (size - earlier <= tolerance || high - low <= tolerance) break;
        size = k % 4 == 3 ? 0.5 * (low + earlier) : next;
        continue;
      }
      low = size;
      if (!watch_.passing(step_of(state, turn_), exact).empty() || high - low <= exact) break;
      const double later = low + watch_.soonest() + (tolerance == exact ? 0.0 : 0.5 * rough);
      size = later > low && later < high ? later : 0.5 * (low + high);
    }
    fired_ = watch_.passing(step_of(state, turn_), exact);
    const double taken = stepper_->step_size();
    if (step.size - taken > exact) shorten(step, state.t, taken);
    return true;
  }

  /// So short a step that rounding leaves its equations singular locates nothing: the event ends the shortest step that passes it
  /// and has a solution. `low`: a step that has none.
  bool end_at_passed(State& state, PlannedStep& step, double low, double passed, double exact,
                     double turn_rate) {
    if (passed == INFINITY) return false;
    while (passed > 1.2 * low) {
      const double middle = std::sqrt(low * passed);
      const StepReport report = stepper_->attempt(state, middle);
      count(report.newton);
      if (!report.ok() && report.newton.status != NewtonStatus::singular) return false;
      if (report.ok()) watch_.look_at_end(*stepper_);
      (report.ok() && watch_.at_end() ? passed : low) = middle;
    }
    // At the edge of what has a solution the next attempt may have none.
    while (!stepper_->attempt(state, passed).ok())
      if ((passed *= 2) > step.size) return false;
    turn_ = turn_rate * passed;
    watch_.look_at_end(*stepper_);
    fired_ = watch_.passing(step_of(state, turn_), exact);
    if (step.size - passed > exact) shorten(step, state.t, passed);
    return true;
  }

  /// The interior of steps leads nowhere, since they do not resolve what is fast: only their ends count. `passed`: a step at whose
  /// end something is below zero; if there is none there is no event, and the whole step is taken.
  bool locate_by_ends(State& state, PlannedStep& step, double passed, double exact, double turn_rate) {
    const auto computed = [&](double size) {
      const StepReport report = stepper_->attempt(state, size);
      count(report.newton);
      turn_ = turn_rate * size;
      watch_.look_at_end(*stepper_);
      if (!report.ok()) failed_ = report.newton;
      return report.ok();
    };
    fired_.clear();
    if (passed == INFINITY) return computed(step.size);
    double low = 0, high = passed;
    while (high - low > exact) {
      const double middle = 0.5 * (low + high);
      if (!(middle > low && middle < high)) break;
      if (!computed(middle)) {
        if (failed_.status != NewtonStatus::singular) return false;
        break;  // too short (as in end_at_passed)
      }
      (watch_.at_end() ? high : low) = middle;
    }
    if (!computed(high)) return false;
    fired_ = watch_.passing(step_of(state, turn_), exact);
    if (step.size - high > exact) shorten(step, state.t, high);
    return true;
  }

  /// What has passed zero switches, then whatever does not hold any more, until all modes hold.
  void settle(State& state, const std::vector<int>& first, bool told) {
    auto &functions = settling_, &crossed = crossed_;
    functions = first;
    crossed.clear();
    for (int round = 0; !functions.empty() && !over(); ++round) {
      for (const int f : functions) {
        const bool often = told && watch_.chatters(f, state.t, 1e-4 * usual_step() / (1 + turn_));
        if (often && watch_.is_corner(f)) {
          watch_.mute(f);
          warn({"W-CORNER",
                fmt::format("{}: its corner is passed again and again from t = {:.4g} s on; its corners are "
                            "not located any more",
                            watch_.name(f), state.t),
                "", watch_.name(f), state.t});
        } else if (often || round > 50) {
          return chatter(state, watch_.described(f), watch_.in_expression(f));
        }
      }
      before_.take_numbers(state);
      const EventWatch::Change& change = watch_.cross(state, functions);
      const bool acts = !change.fired.empty() || !change.impacts.empty();
      const Continuation how = change.how;
      try {
        carry_out(state, change);
      } catch (const ModelError&) {  // others must switch with them
        if (acts || how == Continuation::none) throw;
        state.memory = before_.memory;
        settle_together(state, told);
        continue;
      }
      if (told)
        for (const int f : change.who) event(state.t, watch_.name(f));
      crossed.insert(crossed.end(), functions.begin(), functions.end());
      functions = watch_.due(state, crossed);
      if (acts || how == Continuation::none || over()) continue;
      if (functions.empty()) {
        functions = watch_.leaving(state);
        std::erase_if(functions, [&](int f) {  // rounding at a border decides nothing
          return std::any_of(crossed.begin(), crossed.end(),
                             [&](int c) { return watch_.same_element(c, f); });
        });
      }
      if (std::any_of(functions.begin(), functions.end(), [&](int f) { return !watch_.is_trigger(f); }))
        settle_together(state, told);
    }
  }

  /// One change has led to others: all modes are found together, from what was before (T-unilateral-2). What is left to do, such
  /// as events of the model, is in settling_.
  void settle_together(State& state, bool told) {
    if (!beyond_) beyond_.emplace(system_, stepper_->start_options());
    // Velocities are the same, but exactly zero where something has come to stick.
    std::copy_n(state.rate.begin(), system_.rows(Kind::position).end, before_.rate.begin());
    const auto modes =
        std::remove_if(settling_.begin(), settling_.end(), [&](int f) { return watch_.is_trigger(f); });
    settling_.erase(modes, settling_.end());
    const auto solve = [this](State& s) -> State& {
      trial_.take_numbers(before_);
      trial_.memory = s.memory;
      LentDelays delays(s, trial_);
      beyond_->solve(trial_);
      return trial_;
    };
    const auto outcome = search_.run(state, settling_, solve, crossed_);
    if (outcome == ModeSearch::Outcome::cycles) {
      settling_.clear();
      return chatter(state, search_.participants(), search_.in_expressions());
    }
    // Accelerations and rates stay: the scheme takes up their whole jump.
    state.value = before_.value;
    state.store = before_.store;
    if (told) tell_switched(state.t);
    crossed_.insert(crossed_.end(), search_.crossed().begin(), search_.crossed().end());
    EventWatch::Change change;
    if (outcome == ModeSearch::Outcome::acts) change = watch_.last_change();
    change.how = std::max(change.how, search_.how());
    carry_out(state, change);
    if (!over()) settling_ = watch_.due(state, crossed_);
  }
  /// Elements that have another mode in the end.
  void tell_switched(double t) {
    const auto& list = search_.crossed();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto same = [&](int f) { return watch_.same_element(f, list[i]); };
      if (std::none_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), same) &&
          std::count_if(list.begin(), list.end(), same) % 2 == 1)
        event(t, watch_.name(list[i]));
    }
  }

  void carry_out(State& state, const EventWatch::Change& change) {
    Continuation how = change.how;
    bool moved = false;
    if (!change.fired.empty()) how = std::max(how, act(state, change.fired, moved));
    if (!change.impacts.empty()) {
      apply_impacts(system_, state, change.impacts, stepper_->start_options());
      moved = true;
    }
    if (how == Continuation::none) {
      if (change.corner) stepper_->corner();
      return;
    }
    if (how == Continuation::jump) stepper_->discontinuity(state, slack());
    else count(stepper_->restart(state).newton);
    if (moved && !options_.bare) {
      energy_.impact(state);
      result_.statistics.energy = energy_.balance();
    } else {
      account(state);
    }
    if (acting_.later.empty()) return;
    EventWatch::Change rest;  // of what is set twice at this instant
    rest.fired.swap(acting_.later);
    carry_out(state, rest);
  }

  /// What the events of the model do, all with the values just before. Those that give something another value than one before
  /// them does are left for later, when they see that value.
  Continuation act(State& state, const std::vector<const EventType*>& events, bool& moved) {
    Continuation how = Continuation::none;
    auto& [actions, in, rows, rates, numbers, later, overruled] = acting_;
    actions.clear();
    later.clear();
    rows.clear();
    rates.clear();
    numbers.clear();
    for (const EventType* e : events) {
      const std::size_t before = actions.size();
      const EventAction* twice = nullptr;
      in.assign(1, state.t);
      for (const int v : e->inputs) in.push_back(state.value[system_.variables()[v].value]);
      for (const EventAction& a : e->actions) {
        const double value = a.value ? a.value->evaluate<double>(in) : 0.0;
        if (!std::isfinite(value))
          throw ModelError("E-NAN", e->name + ".set." + a.target,
                           fmt::format("at t = {:g} s its value is {}", state.t, value),
                           "look for a division by zero or a root of a negative number");
        for (std::size_t k = 0; k < before; ++k)
          if (actions[k].first->target == a.target && actions[k].first->key == a.key &&
              actions[k].second != value)
            twice = &a, overruled.push_back({&a, value});
        actions.emplace_back(&a, value);
      }
      if (twice) {
        actions.resize(before);
        later.push_back(e);
      }
    }
    for (const auto& [a, value] : actions)
      if (std::find(overruled.begin(), overruled.end(), std::pair(a, value)) != overruled.end())
        warn_of_overruling(*a, state.t);
    if (later.empty()) overruled.clear();
    for (const auto& [a, value] : actions) {
      const Variable* v = a->variable >= 0 ? &system_.variables()[a->variable] : nullptr;
      switch (a->kind) {
        case EventAction::Kind::stop:
          result_.statistics.ended_by = a->target;
          break;
        case EventAction::Kind::memory:
          state.memory[a->element.group->memory_of(a->element.index) + a->slot] = value;
          how = std::max(how, Continuation::jump);
          break;
        case EventAction::Kind::parameter:
          numbers.push_back({a->target, a->key, value});
          break;
        case EventAction::Kind::velocity:
          rows.push_back(v->row + a->part);
          rates.push_back(value);
          break;
        case EventAction::Kind::position:
        case EventAction::Kind::state:
          state.value[v->value + a->part] = value;
          how = Continuation::restart;
          moved = true;
      }
    }
    if (!numbers.empty()) {
      retune(state, numbers);
      how = Continuation::restart;
      moved = true;
    }
    if (!rows.empty()) {
      set_velocities(system_, state, rows, rates, stepper_->start_options());
      how = Continuation::restart;
      moved = true;
    }
    return how;
  }

  /// Two events set something at one instant, and the second takes no notice of the first.
  void warn_of_overruling(const EventAction& a, double t) {
    if (std::exchange(overruling_told_, true)) return;
    warn({"W-EVENTS",
          fmt::format("at t = {:.6g} s several events set {} to different values: the last of them in the "
                      "model counts",
                      t, a.key.empty() ? a.target : a.target + "." + a.key),
          "one event for both, or values that are computed from the one before", "", t});
  }
  /// The system goes on with other numbers of the same elements.
  void retune(State& state, const std::vector<Override>& numbers) {
    for (const Override& n : numbers) {
      std::erase_if(overrides_,
                    [&](const Override& o) { return o.component == n.component && o.key == n.key; });
      overrides_.push_back(n);
    }
    restore_numbers();
    use_overrides();
    jumps_ = Jumps(other_->events);
    State past = state;
    jumps_.apply(past, state.t + slack());
    state.memory = past.memory;
  }
  void use_overrides() {
    auto other = std::make_unique<Assembly>(options_.retune(overrides_));
    if (!system_.take_numbers(other->system))
      throw ModelError("E-EVENT", overrides_.back().component + "." + overrides_.back().key,
                       "with this value the model has other equations: an event cannot set it",
                       "leave the number of parts and unknowns as it is");
    other_ = std::move(other);
    for (TimeEvent& e : other_->events)  // they belong to the elements of the system that runs
      for (std::size_t g = 0; g < system_.groups().size(); ++g)
        if (e.element.group == other_->system.groups()[g].get()) e.element.group = system_.groups()[g].get();
    sampling_.take(other_->samplers);
  }
  void restore_numbers() {
    if (!other_) return;
    system_.take_numbers(other_->system);
    other_.reset();
  }

  double usual_step() const {
    return options_.adaptive ? (control_ ? control_->next() : 0.0) : options_.steps.front();
  }
  void event(double t, const std::string& what) {
    ++result_.statistics.event_count;
    if (options_.bare) return;
    if (result_.statistics.events.size() < 10000) result_.statistics.events.push_back({t, what});
  }
  void chatter(const State& state, const std::string& who, bool expression) {
    RunFailure f;
    f.code = "E-CHATTER";
    f.time = state.t;
    f.where = fmt::format("t={:g} s", state.t);
    f.component = who.substr(0, who.find(" (`"));
    f.cause = fmt::format("{} {} to and fro without time going on", who,
                          who.find(" and ") == std::string::npos ? "switches" : "switch") +
              last_events();
    f.hint = chatter_hint(expression);
    result_.failure = std::move(f);
  }

  // ---- results

  void account(const State& state) {
    if (energy_.empty() || options_.bare) return;
    energy_.look(state);
    result_.statistics.energy = energy_.balance();
  }

  /// Rows at times of their own, or one every so many steps?
  bool at_times() const { return options_.output_interval > 0 || !options_.output_times.empty(); }
  double next_due() const {
    if (options_.output_times.empty()) return static_cast<double>(next_output_) * options_.output_interval;
    const auto k = static_cast<std::size_t>(next_output_);
    return k < options_.output_times.size() ? options_.output_times[k] : INFINITY;
  }

  /// Rows of results that are due within the step just computed, from its interpolant.
  void rows_within(State& state, const PlannedStep& step) {
    const auto at = [&](double t) {
      interior_.at(*stepper_, state, (t - state.t) / step.size, between_);
      between_.t = t;
    };
    if (!at_times()) return;
    for (double due = next_due(); due < step.end - 1e-9 * step.size; due = next_due()) {
      at(due);
      ++next_output_;
      record(between_);
    }
  }
  /// The end of a step: is a row due?
  void row_at_end(const State& state, const PlannedStep& step, bool last) {
    if (!at_times()) {
      if (step.regular || options_.adaptive || last) every_so_many(state, last);
      return;
    }
    const double now = state.t + 1e-9 * step.size;
    if (next_due() > now && !(last && options_.output_times.empty())) return;
    record(state);
    while (next_due() <= now) ++next_output_;
  }
  void every_so_many(const State& state, bool last) {
    if (++regular_steps_ % options_.output_steps == 0 || last) record(state);
  }

  /// Something hopeless ends the run (T-alarm).
  void look_out(const State& state) {
    if (!alarms_) return;
    if (const auto found = alarms_->taken(state, result_.statistics.energy)) fail(state, *found);
  }

  void look(const State& state, double h) {
    if (options_.bare) return;
    if (!system_.switches())
      if (const auto passed = watched_.look(state)) singular(*passed);
    if (index3_ && !turning_told_ && fastest(state, h).angle > index3_turn) {
      turning_told_ = true;
      warn_of_reactions(
          fmt::format("from t = {:.4g} s on reactions and what follows from them may not be right", state.t),
          state, h);
    }
    if (index3_ && reactions_.look(state))
      warn_of_reactions(
          fmt::format("from about t = {:.4g} s on the reactions alternate from step to step and grow: "
                      "they are not to be trusted",
                      state.t),
          state, h);
  }

  void warn_of_reactions(std::string message, const State& state, double h) {
    const int row = fastest(state, h).row;
    warn({"W-REACTIONS", std::move(message), turning_hint(state, h),
          row >= 0 ? owner_of_unknown(system_.unknown_name(row)) : "", state.t});
  }

  /// Angles count their turns by the rates at both ends of a step: where these differ by half a turn, it is a guess (T-turn-2).
  void look_at_turns(const State& state, double h) {
    if (turns_guessed_) return;
    const State& end = stepper_->result();
    double most = 0, second = 0;  // two bodies may turn against each other
    int who = -1;
    for (const LieVariable& lie : system_.lie_variables()) {
      const int row = lie.place.row + lie.dofs() - 3;
      double square = 0;
      for (int i = row; i < row + 3; ++i) square += std::pow(end.rate[i] - state.rate[i], 2);
      const double turn = h * std::sqrt(square);
      if (turn > most) second = most, most = turn, who = row;
      else second = std::max(second, turn);
    }
    if (most + second <= std::numbers::pi) return;
    turns_guessed_ = true;
    const std::string body = owner_of_unknown(system_.unknown_name(who));
    warn({"W-TURNS",
          fmt::format("at t = {:.4g} s {} turns {:.3g} rad/s faster or slower after a step of {:.3g} s: how "
                      "many whole turns angles of joints make there is a guess",
                      state.t, body, most / h, h),
          "a smaller step, or `adaptive: true`", body, state.t});
  }

  void singular(const SingularPosition& position) {
    constexpr int most = 10;
    if (++singular_ <= most) warn_of_position(position);
    if (singular_ == most)
      warn({"W-SINGULAR", "further singular positions are among the events of summary.json only"});
    ++result_.statistics.event_count;
    if (result_.statistics.events.size() < 10000)
      result_.statistics.events.push_back({position.time, "singular position"});
  }

  void warn_of_position(const SingularPosition& position) {
    const std::string who =
        position.rows.empty() ? "" : owner_of_unknown(system_.unknown_name(position.rows[0]));
    warn({"W-SINGULAR", describe(position, system_), "", who, position.time});
  }

  /// When the next source jumps, or something that was delayed.
  double next_jump(const State& state) const {
    return std::min({jumps_.next(), system_.next_break(state), sampling_.next()});
  }
  void jump(State& state) {
    const double now = state.t + slack();
    const bool delayed = system_.next_break(state) <= now;
    const int sources = jumps_.apply(state, now);
    static const std::string source = "source jumps";
    for (int i = 0; i < sources; ++i) event(state.t, source);
    // Between the blocks of one sample expressions follow their signals; those that go round in a circle are left to settle().
    const auto follow = [this, rounds = 0](State& s) mutable { return ++rounds < 100 && watch_.follow(s); };
    const bool sampled = sampling_.next() <= now && sampling_.apply(state, now, follow);
    if (sources == 0 && !delayed && !sampled) return;  // samples that change nothing
    stepper_->discontinuity(state, slack());
    account(state);  // powers jump too
    if (!watch_.empty()) watch_.after_jump(state, fired_);
  }

  void record(const State& state) {
    observer_.row(state);
    ++result_.statistics.rows;
    const Range constraints{system_.rows(Kind::holonomic).begin, system_.size()};
    if (constraints.size() == 0 || &state == &between_) return;
    RunStatistics& s = result_.statistics;
    const auto note = [&](Range rows, double& largest, int& where) {
      for (int i = rows.begin; i < rows.end; ++i)
        if (std::abs(rows_[i]) > largest) {
          largest = std::abs(rows_[i]);
          where = i;
        }
    };
    system_.constraints(state, 0, 0, rows_);
    note(constraints, s.largest_violation, most_violated_);
    system_.constraints(state, 1, -1, rows_);
    note(system_.rows(Kind::holonomic), s.largest_velocity_violation, most_violated_velocity_);
  }
  void name_the_most_violated() {
    RunStatistics& s = result_.statistics;
    if (most_violated_ >= 0) s.most_violated = system_.unknown_name(most_violated_);
    if (most_violated_velocity_ >= 0)
      s.most_violated_velocity = system_.unknown_name(most_violated_velocity_);
  }

  struct Turning {
    double angle = 0;  // rad in a step
    int row = -1;      // of the body that turns most
  };
  Turning fastest(const State& state, double h) const {
    Turning most;
    for (const LieVariable& lie : system_.lie_variables()) {
      const int row = lie.place.row + lie.dofs() - 3;
      const double* w = &state.rate[row];
      if (const double angle = h * std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]); angle > most.angle)
        most = {angle, row};
    }
    return most;
  }
  /// Beyond this index-3 reactions grow, whatever ρ∞, without alternating as they do before (T-constraint-8).
  static constexpr double index3_turn = 1;  // rad in a step
  bool turns_fast(const State& state) const {
    return !options_.steps.empty() &&
           fastest(state, *std::max_element(options_.steps.begin(), options_.steps.end())).angle >
               index3_turn;
  }
  /// What helps where index-3 reactions become unstable (T-constraint-8).
  std::string turning_hint(const State& state, double h) const {
    const auto [turn, row] = fastest(state, h);
    const std::string who = row >= 0 ? system_.unknown_name(row) : "";
    const std::string fast =
        turn > 0.05 ? fmt::format("{} turns by {:.2g} rad in a step; try ", owner_of_unknown(who), turn)
                    : "Try ";
    return fast + "`constraints: index-2`, a smaller rho, or a smaller step";
  }

  std::string last_events() const {
    const auto& events = result_.statistics.events;
    if (events.empty()) return "";
    std::string text = "; last events: ";
    const std::size_t from = events.size() > 3 ? events.size() - 3 : 0;
    for (std::size_t i = from; i < events.size(); ++i)
      text += fmt::format("{}{} at {:g} s", i > from ? ", " : "", events[i].what, events[i].time);
    return text;
  }

  void fail(const State& state, double h, const LocalError& error) {
    RunFailure f;
    const std::string unknown = error.row >= 0 ? system_.unknown_name(error.row) : "";
    f.code = "E-TOLERANCE";
    f.time = state.t;
    f.where = fmt::format("t={:g} s h={:g} s", state.t, h);
    f.component = owner_of_unknown(unknown);
    f.equation = error.row >= 0 ? system_.row_name(error.row) : "";
    f.cause = fmt::format("the error of {}{} is {:.3g} times the tolerance even at the smallest step, {:g} s",
                          unknown, error.rate ? " (its velocity)" : "", error.size, options_.h_min) +
              last_events();
    f.hint = "a larger tolerance, or a smaller h_min; " + why_not_smaller(control_->falls());
    result_.failure = std::move(f);
  }

  /// Adaptive steps near the end of a solution that has one, as where x'' = x³ becomes infinite, shrink on and on without getting
  /// there (T-step-8).
  void look_at_progress(const State& state, double h) {
    constexpr long many = 100000;
    if (h > options_.h_min) {
      stall_.steps = 0;
      return;
    }
    if (stall_.steps++ == 0) stall_.first = h;
    if (stall_.steps < many) return;
    stall_.steps = 0;
    if (!(h < 0.99 * stall_.first)) return;
    Hopeless found;
    found.code = "E-DIVERGED";
    found.row = stall_.row;
    found.cause = fmt::format(
        "time barely advances: {} steps in a row shorter than {:.2g} s, the last ones of {:.2g} s and still "
        "shrinking, because of {}{}",
        many, options_.h_min, h, found.row >= 0 ? system_.unknown_name(found.row) : "the error",
        found.row >= 0 && found.row < system_.size()
            ? fmt::format(" (it has come to {:.3g})", size_now(state, found.row))
            : "");
    found.hint = "a solution that becomes infinite here? Look at what grows, or end the run before";
    fail(state, found);
  }
  double size_now(const State& state, int row) const {
    const int at = system_.value_of_row()[row];
    return at >= 0 ? std::abs(state.value[at]) : std::abs(state.rate[row]);
  }

  void fail(const State& state, const Hopeless& found) {
    const std::string unknown = found.row >= 0 ? system_.unknown_name(found.row) : "";
    result_.failure = {found.code,
                       fmt::format("t={:g} s", state.t),
                       owner_of_unknown(unknown),
                       found.row >= 0 ? system_.row_name(found.row) : "",
                       state.t,
                       found.cause + last_events(),
                       found.hint};
  }

  /// What the error of a step does as the step gets shorter tells what is in its way (T-step-5).
  static std::string why_not_smaller(double falls) {
    if (!(falls == falls)) return "nothing shorter was tried";
    if (falls < 0.5) return "shorter steps do not lessen it: it is rounding";
    if (falls < 1.5) return "it falls with the step only: something jumps there without an event";
    if (falls < 2.5)
      return "it falls with the square of the step: something has a corner there without an event";
    return "it falls as it does where all is smooth: something there is that fast";
  }

  void tell_beyond() {
    if (excess_.steps > 0) warn_of_excess();
    if (const double rounding = std::sqrt(excess_.noise); options_.adaptive && rounding > 1)
      warn({"W-ROUNDING",
            fmt::format("the tolerance {:g} is less than what rounding adds up to in this run, about {:.2g}",
                        tolerance(), rounding * tolerance())});
    if (options_.adaptive) warn_of_uncontrolled();
  }
  /// What is so small that no step was chosen by its error (T-scale-1).
  void warn_of_uncontrolled() {
    const std::vector<int> rows = stepper_->uncontrolled(options_.scales);
    if (rows.empty()) return;
    constexpr std::size_t told = 3;
    std::string names, nominals;
    for (std::size_t i = 0; i < std::min(told, rows.size()); ++i) {
      const std::string name = system_.unknown_name(rows[i]);
      names += (i > 0 ? ", " : "") + name;
      const std::string& unit = system_.owner(rows[i]).unit;
      if (nominals.empty())
        nominals = fmt::format("{}: {:.1g}{}", name, stepper_->size_of(rows[i]),
                               unit.empty() || unit == "1" ? "" : " " + unit);
    }
    if (rows.size() > told) names += fmt::format(" and {} more", rows.size() - told);
    warn({"W-SMALL",
          fmt::format("{} stayed below a millionth of {} nominal magnitude: no step was chosen by {} error",
                      names, rows.size() > 1 ? "their" : "its", rows.size() > 1 ? "their" : "its"),
          fmt::format("if that motion matters, tell how large it is: `nominal: {{{}}}`", nominals),
          owner_of_unknown(system_.unknown_name(rows[0]))});
  }
  void warn_of_excess() {
    const std::string unknown = excess_.row >= 0 ? system_.unknown_name(excess_.row) : "";
    warn({"W-TOLERANCE",
          fmt::format("{} steps have a larger error than the tolerance allows them, however short: at t = "
                      "{:.6g} s that of {}{} is {:.3g} times as large at h = {:.3g} s; {}",
                      excess_.steps, excess_.time, unknown, excess_.rate ? " (its velocity)" : "",
                      excess_.error, excess_.size, why_not_smaller(excess_.falls)),
          "", owner_of_unknown(unknown), excess_.time});
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
    if (const RunStatistics& s = result_.statistics; s.largest_left_over > noticed_left_over)
      f.hint = fmt::format(
          "a smaller step, or `scheme: variational`: before, one linear solve left {} off by {:.2g} % of its "
          "size",
          s.left_over_of, 100 * s.largest_left_over);
    f.cause += last_events();
    result_.failure = std::move(f);
  }

  void warn(Warning w) { result_.statistics.warnings.push_back(std::move(w)); }

  const Assembly& assembly_;
  const System& system_;
  const SimulateOptions& options_;
  RunObserver& observer_;
  Prepared prepared_;
  RunResult result_;
  bool index3_ = false;
  std::unique_ptr<Stepper> stepper_;
  std::optional<StepControl> control_;  // of adaptive steps
  SingularityWatch watched_{system_, prepared_.redundant};
  ReactionWatch reactions_{system_};
  EnergyAccount energy_{system_};
  struct {
    long steps = 0;    // in a row that are shorter than adaptive ones usually get,
    double first = 0;  // s, the first of them,
    int row = -1;      // and which unknown decided the last
  } stall_;
  std::optional<Alarms> alarms_;  // of fixed steps, not of bare runs
  EventWatch watch_{assembly_};
  Interior interior_{system_};
  double turn_ = 0;             // rad, in the step just computed
  double resolved_ = INFINITY;  // s: steps up to this resolve what turns, as it did last
  int singular_ = 0;
  std::vector<double> angles_, later_angles_;
  bool turns_guessed_ = false, turning_told_ = false, delays_told_ = false,
       waves_told_ = false;  // warnings that are given once
  DynamicGroup::ShortestDelay delay_ = system_.shortest_delay();
  bool passes_ = false;  // the step just computed goes over a corner or a jump that is no event
  struct Excess {
    long steps = 0;                                     // whose error stayed above the tolerance …
    double noise = 0;                                   // (squares of what rounding may add, in tolerances)
    double time = 0, size = 0, error = 0, falls = NAN;  // … and the worst of them
    int row = -1;
    bool rate = false;
    void archive(Archive& a) { a(steps, noise, time, size, error, falls, row, rate); }
  } excess_;
  std::vector<double> rows_;
  std::vector<long> limited_ = std::vector<long>(2 * rows_.size(), 0);  // by row, then by row of velocities
  Timetable timetable_{options_};
  Jumps jumps_{assembly_.events};
  Sampling sampling_{assembly_};
  State between_;                                           // within a step
  std::vector<int> fired_;                                  // at the end of the step just computed
  NewtonReport failed_;                                     // of a step to an event
  int iterations_ = 0, factorizations_ = 0, rejected_ = 0;  // of the present step
  std::vector<Override> overrides_;
  std::unique_ptr<Assembly> other_;  // with the numbers that events have set; it holds ours meanwhile
  double substep_ = INFINITY;        // of a prescribed step that has no solution as a whole
  long regular_steps_ = 0, next_output_ = 0;
  int most_violated_ = -1, most_violated_velocity_ = -1;  // by row
  std::vector<int> settling_, crossed_;                   // work of settle()
  bool overruling_told_ = false;
  ModeSearch search_{watch_, assembly_.initial.memory.size()};
  std::optional<JumpSolver>
      beyond_;            // values that modes would lead to, made when several depend on each other
  State before_, trial_;  // values before a change of modes, and with those that are tried
  struct Acting {
    std::vector<std::pair<const EventAction*, double>> actions;
    std::vector<double> in;
    std::vector<int> rows;
    std::vector<double> rates;
    std::vector<Override> numbers;
    std::vector<const EventType*> later;                           // events left for later …
    std::vector<std::pair<const EventAction*, double>> overruled;  // … and what they would have set at once
  } acting_;                                                       // work of act()
};

Simulation::Simulation(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer)
    : run_(std::make_unique<Run>(assembly, options, observer)) {}
Simulation::~Simulation() = default;
void Simulation::begin(std::string_view resume) { run_->begin(resume); }
bool Simulation::finished() const { return run_->finished(); }
void Simulation::step() { run_->step(); }
void Simulation::step_whole() { run_->step_whole(); }
const State& Simulation::state() const { return run_->state(); }
State& Simulation::state() { return run_->state(); }
void Simulation::jump() { run_->jump_from_outside(); }
void Simulation::rehearse(int steps) { run_->rehearse(steps); }
double Simulation::next_step() const { return run_->next_step(); }
long Simulation::pivotings() const { return run_->pivotings(); }
const RunResult& Simulation::result() const { return run_->result(); }
RunResult Simulation::end() { return run_->end(); }

void apply_jumps_at_start(const Assembly& assembly, State& state, double slack) {
  Jumps(assembly.events).apply(state, state.t + slack);
}

RunResult simulate(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer,
                   std::string_view resume) {
  Simulation simulation(assembly, options, observer);
  simulation.begin(resume);
  while (!simulation.finished()) simulation.step();
  return simulation.end();
}

}  // namespace escapement
