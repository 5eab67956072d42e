#include "analyses/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "analyses/alarms.hpp"
#include "analyses/error_control.hpp"
#include "analyses/event_actions.hpp"
#include "analyses/event_location.hpp"
#include "analyses/event_numbers.hpp"
#include "analyses/event_watch.hpp"
#include "analyses/left_over.hpp"
#include "analyses/mode_changes.hpp"
#include "analyses/output_rows.hpp"
#include "analyses/reaction_watch.hpp"
#include "analyses/schedule.hpp"
#include "analyses/singularity_watch.hpp"
#include "analyses/timetable.hpp"
#include "analyses/turning.hpp"

namespace escapement {

class Simulation::Run {
 public:
  Run(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void begin(std::string_view resume);
  bool finished() const { return log_.over() || !(state_.t < options_.until); }
  void step();
  void step_whole();
  void jump_from_outside();
  void rehearse(int steps);
  RunResult end();

  double next_step() const { return timetable_.size(); }
  long pivotings() const { return stepper_->pivotings(); }
  State& state() { return state_; }
  const RunResult& result() const { return result_; }

 private:
  template <class F>
  void guarded(const F& f);
  std::unique_ptr<Stepper> make_stepper();
  std::vector<Relaxation> relaxations() const;
  double longest_step() const { return *std::max_element(options_.steps.begin(), options_.steps.end()); }
  void start();

  void advance();
  PlannedStep next_step_to_try();
  PlannedStep adaptive_step() const;
  bool compute(PlannedStep& step);
  bool shorten(PlannedStep& step, const StepReport& report, bool good, const LocalError& error);
  StepReport attempt(double h);
  void take(const PlannedStep& step);
  void what_happens_at_the_end_of(const PlannedStep& step);
  void jump();
  void settle(const std::vector<int>& functions);
  void look_out(double h);
  void fail(double h, const NewtonReport& report);

  void archive(Archive& a);
  std::string save();
  void save_if_wanted();
  void restore(std::string_view bytes);

  const Assembly& assembly_;
  const System& system_;
  const SimulateOptions& options_;
  RunObserver& observer_;
  Prepared prepared_;
  RunResult result_;
  State& state_ = result_.state;
  RunStatistics& statistics_ = result_.statistics;
  RunLog log_{system_, result_, options_.bare};
  bool index3_ = false;
  std::unique_ptr<Stepper> stepper_;

  // Steps: how long they are, and what lies within them.
  Timetable timetable_{options_};
  Substeps substeps_{options_, timetable_, log_};
  std::optional<ErrorControl> error_control_;  // of adaptive steps
  Interior interior_{system_};
  Turning turning_{system_, options_, interior_, log_};

  // Jumps and events.
  Schedule schedule_{assembly_, log_};
  EventNumbers numbers_{assembly_, options_, observer_};
  EventWatch watch_{assembly_};
  EventLocation location_{options_, watch_, *stepper_, interior_, turning_, log_};
  EventActions actions_{system_, numbers_, schedule_, log_};
  RunEnergy energy_{system_, options_.bare, statistics_.energy};
  ModeChanges changes_{assembly_, watch_, actions_, *stepper_, timetable_, energy_, log_};
  std::vector<int> fired_;  // at the end of the step just computed

  // Results, and what is looked out for.
  OutputRows rows_{system_, options_, observer_, interior_, statistics_};
  LeftOverWatch left_over_{system_, log_};
  ReactionWatch reactions_{system_, log_};
  SingularityWatch singularities_{system_, prepared_.redundant, log_};
  std::optional<Alarms> alarms_;  // of fixed steps, not of bare runs
};

// ---- before the first step

namespace {

/// As the scheme starts.
PrepareOptions start_of(const SimulateOptions& options) {
  PrepareOptions o = options.prepare;
  o.slack = Timetable(options).slack();
  if (options.method == Method::generalized_alpha) return o;
  o.start.hold_massless = true;
  if (options.variational.quasi_linear) o.start.proximal = std::max(o.start.proximal, 1e-9);
  return o;
}

}  // namespace

Simulation::Run::Run(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer)
    : assembly_(assembly),
      system_(assembly.system),
      options_(options),
      observer_(observer),
      prepared_(prepare(assembly, start_of(options))),
      stepper_(make_stepper()) {
  if (options_.adaptive) error_control_.emplace(system_, *stepper_, options_, log_);
  if (!options_.bare && !options_.adaptive) alarms_.emplace(system_);
  if (alarms_ && options_.variational.quasi_linear) alarms_->constraints_relax(relaxations(), longest_step());
  fired_.reserve(watch_.size());
}

std::unique_ptr<Stepper> Simulation::Run::make_stepper() {
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
  const bool turns_fast =
      !options_.steps.empty() && turns_too_fast_for_index3(system_, prepared_.state, longest_step());
  if ((system_.switches() || turns_fast) && !options_.constraints_chosen)
    o.constraints = ConstraintForm::index2;
  index3_ = o.constraints == ConstraintForm::index3;
  result_.constraints = index3_ ? "index-3" : "index-2";
  return std::make_unique<GeneralizedAlpha>(system_, o);
}

/// Of the holonomic rows, under SPOOK.
std::vector<Relaxation> Simulation::Run::relaxations() const {
  std::vector<Relaxation> all(system_.rows(Kind::holonomic).size(), options_.variational.relaxation);
  if (!options_.relaxations) return all;
  const std::vector<Relaxation> rows = options_.relaxations(assembly_);
  std::copy_n(rows.begin(), std::min(all.size(), rows.size()), all.begin());
  return all;
}

/// Faults of the model that show on the way end the run.
template <class F>
void Simulation::Run::guarded(const F& f) {
  try {
    f();
  } catch (const ModelError& e) {
    log_.fail(e, state_.t);
  }
}

void Simulation::Run::begin(std::string_view resume) {
  state_ = std::move(prepared_.state);
  numbers_.begin(state_);
  if (resume.empty()) start();
  else restore(resume);
  guarded([&] {
    if (resume.empty()) {
      if (error_control_) error_control_->begin(state_);
      save_if_wanted();
    }
    observer_.begun(state_);
  });
}

void Simulation::Run::start() {
  schedule_.begin(state_, timetable_.slack());
  for (const Warning& w : prepared_.warnings) log_.warn(w);
  for (const auto* notes : {&options_.notes, &assembly_.notes_on_settings, &std::as_const(prepared_).notes})
    statistics_.notes.insert(statistics_.notes.end(), notes->begin(), notes->end());
  for (const Warning& w : stepper_->warnings()) log_.warn(w);
  log_.count(stepper_->start(state_).newton);
  interior_.begin(state_);
  if (alarms_) alarms_->begin(state_);
  if (!watch_.empty()) {
    changes_.settle_start(state_);
    watch_.begin(state_);
  }
  energy_.look(state_);
  rows_.begin(state_);
}

// ---- one step

void Simulation::Run::step() {
  guarded([&] {
    advance();
    if (!log_.over()) save_if_wanted();
  });
}

void Simulation::Run::step_whole() {
  const double end = timetable_.whole_step_end(state_.t);
  do step();
  while (!finished() && state_.t < end);
}

void Simulation::Run::advance() {
  log_.begin_step();
  fired_.clear();
  PlannedStep step = next_step_to_try();
  if (!compute(step)) return;
  if (step.size == 0) {  // something switches before any time passes
    settle(fired_);
    if (!log_.over()) watch_.begin(state_);
    return;
  }
  if (!options_.bare) turning_.look(state_, *stepper_, step.size);
  if (alarms_) alarms_->computed(state_, stepper_->result(), step.size);
  rows_.within(*stepper_, state_, step);
  turning_.remember(*stepper_, state_, step.end);
  take(step);
  what_happens_at_the_end_of(step);
  if (result_.failure) return;
  look_out(step.size);
  rows_.at_end(state_, step, state_.t >= options_.until || log_.over());
  if (!options_.bare) {
    if (!system_.switches()) singularities_.look(state_);
    if (index3_) reactions_.look(state_, step.size);
  }
  const RunLog::StepCounts& n = log_.step();
  if (!observer_.step(
          {state_, step.size, statistics_.steps, n.iterations, n.factorizations, n.rejected, step.regular}))
    result_.stopped = true;
}

PlannedStep Simulation::Run::next_step_to_try() {
  if (error_control_) return adaptive_step();
  PlannedStep step = timetable_.next(state_.t, schedule_.next(state_));
  substeps_.limit(step, state_.t);
  return step;
}

/// As the errors suggest, ending where sources jump and at the end, without a sliver before it.
PlannedStep Simulation::Run::adaptive_step() const {
  const double jump = schedule_.next(state_), slack = timetable_.slack();
  double target = jump < options_.until - slack ? jump : options_.until;
  if (rows_.at_times() && !interior_.complete()) target = std::min(target, rows_.next_due());  // (T-dense-4)
  const double left = target - state_.t;
  const double wanted = std::min(error_control_->next(), turning_.longest_step());
  if (left <= 1.01 * wanted) return {left, target, true, jump <= target + slack, true};
  const double h = left < 2 * wanted ? 0.5 * left : wanted;
  return {h, state_.t + h, true, false, true};
}

/// The loop over rejections (T-step-1): a step that has a solution, is within the tolerance and ends at the first event, if there is
/// one. False: there is none, and the run has failed.
bool Simulation::Run::compute(PlannedStep& step) {
  const double planned = step.size;
  for (;;) {
    const StepReport report = attempt(step.size);
    if (report.ok()) turning_.measure(*stepper_, state_, !watch_.empty());
    else turning_.forget();
    if (error_control_ && turning_.too_far(step.size)) {  // (T-phase-2)
      log_.count_rejected();
      step.shorten(state_.t, turning_.longest_step());
      continue;
    }
    LocalError error;
    if (report.ok() && error_control_) error = stepper_->local_error(state_, options_.scales);
    const bool good =
        report.ok() && (!error_control_ || error_control_->acceptable(state_, step.size, error));
    if (good && location_.locate(state_, step, fired_)) {
      if (error_control_ && step.size > 0) error_control_->taken(step.size, error, step.size == planned);
      return true;
    }
    log_.count_rejected();
    if (!shorten(step, report, good, error)) return false;
  }
}

StepReport Simulation::Run::attempt(double h) {
  if (error_control_ || !watch_.empty()) {
    if (const auto ahead = stepper_->look_ahead_if_needed(state_, h)) {
      log_.count(ahead->newton);
      if (!ahead->ok() && error_control_) return *ahead;
    }
  }
  const StepReport report = stepper_->attempt(state_, h);
  log_.count(report.newton);
  if (!options_.bare) left_over_.look(state_, report);
  return report;
}

/// After a rejection; false: no shorter step is allowed, and the run has failed. A step that is `good` itself has none to its event.
bool Simulation::Run::shorten(PlannedStep& step, const StepReport& report, bool good,
                              const LocalError& error) {
  const bool inaccurate = report.ok() && !good;
  const auto fail_without_solution = [&] {
    fail(step.size, report.ok() ? location_.failed() : report.newton);
    return false;
  };
  if (!error_control_) return substeps_.halve(step, state_.t) || fail_without_solution();
  if (inaccurate) {
    if (!error_control_->rejected(step.size, error)) {
      log_.fail(error_control_->failure(state_, step.size, error));
      return false;
    }
  } else if (!error_control_->failed(step.size)) {
    return fail_without_solution();
  }
  step.shorten(state_.t, error_control_->next());
  return true;
}

void Simulation::Run::take(const PlannedStep& step) {
  stepper_->commit(state_);
  state_.t = step.end;
  RunStatistics& s = statistics_;
  ++s.steps;
  s.smallest_step = s.steps == 1 ? step.size : std::min(s.smallest_step, step.size);
  s.largest_step = std::max(s.largest_step, step.size);
  if (!error_control_) {
    timetable_.taken(step, state_.t);
    substeps_.taken(step.size);
  }
  if (!watch_.empty() && watch_.taken(state_)) stepper_->corner();
  energy_.look(state_);
}

void Simulation::Run::what_happens_at_the_end_of(const PlannedStep& step) {
  if (step.jump) jump();
  if (!fired_.empty()) settle(fired_);
  if (step.jump || !fired_.empty()) {
    if (alarms_) alarms_->interrupted();
    if (!watch_.empty() && !log_.over()) watch_.begin(state_);
    if (error_control_) error_control_->interrupted();
  } else if (error_control_ && error_control_->passes()) {
    stepper_->corner();
    error_control_->interrupted();
  }
}

/// Sources, samples and what was delayed.
void Simulation::Run::jump() {
  const double slack = timetable_.slack();
  // Between the blocks of one sample expressions follow their signals; those that go round in a circle are left to settle().
  const auto follow = [this, rounds = 0](State& s) mutable { return ++rounds < 100 && watch_.follow(s); };
  if (!schedule_.apply(state_, state_.t + slack, follow)) return;
  stepper_->discontinuity(state_, slack);
  energy_.look(state_);  // powers jump too
  if (!watch_.empty()) watch_.after_jump(state_, fired_);
}

/// What has passed zero switches, and what follows from that.
void Simulation::Run::settle(const std::vector<int>& functions) {
  const double usual_step = error_control_ ? error_control_->next() : options_.steps.front();
  changes_.settle(state_, functions, 1e-4 * usual_step / (1 + turning_.angle()));
}

void Simulation::Run::jump_from_outside() {
  guarded([&] {
    stepper_->discontinuity(state_, timetable_.slack());
    energy_.look(state_);
    if (watch_.empty()) return;
    settle(watch_.due(state_));
    if (!log_.over()) watch_.begin(state_);
  });
}

/// Something hopeless ends the run (T-alarm).
void Simulation::Run::look_out(double h) {
  if (alarms_)
    if (const auto found = alarms_->taken(state_, statistics_.energy)) log_.fail(state_, *found);
  if (error_control_)
    if (const auto found = error_control_->look_at_progress(state_, h)) log_.fail(state_, *found);
}

/// A step of this size has no solution.
void Simulation::Run::fail(double h, const NewtonReport& report) {
  const NewtonStatus status = report.status;
  if (const ModelError* e = system_.fault(state_); e && status == NewtonStatus::not_finite) throw *e;
  RunFailure f = no_solution(system_, state_, h, report);
  if (status != NewtonStatus::singular && status != NewtonStatus::not_finite)
    if (const std::string hint = reactions_.hint(state_, h); !hint.empty()) f.hint = hint;
  if (const std::string hint = left_over_.hint(); !hint.empty()) f.hint = hint;
  log_.fail(std::move(f));
}

// ---- checkpoints

void Simulation::Run::archive(Archive& a) {
  a(state_, statistics_, *stepper_, interior_, turning_, schedule_, numbers_, watch_, actions_, energy_,
    rows_, reactions_, singularities_);
  if (alarms_) a(*alarms_);
  if (error_control_) a(*error_control_);
  else a(timetable_, substeps_);
}

std::string Simulation::Run::save() {
  statistics_.simulated_seconds = state_.t;
  rows_.name_the_most_violated();
  Archive a;
  archive(a);
  return std::move(a.bytes());
}

void Simulation::Run::save_if_wanted() {
  if (observer_.wants_checkpoint()) observer_.checkpoint(save());
}

void Simulation::Run::restore(std::string_view bytes) {
  const State shape = state_;
  Archive a(bytes);
  archive(a);
  const State& s = state_;
  const auto same = [](const auto& x, const auto& y) { return x.size() == y.size(); };
  if (!a.at_end() || !same(s.value, shape.value) || !same(s.rate, shape.rate) ||
      !same(s.acceleration, shape.acceleration) || !same(s.store, shape.store) ||
      !same(s.memory, shape.memory) || !same(s.delays, shape.delays) || !(s.t >= 0 && s.t <= options_.until))
    throw ArchiveError("the state of another system");
  if (!numbers_.empty()) schedule_.take(numbers_.use(state_));
}

void Simulation::Run::rehearse(int steps) {
  stepper_->rehearse_jump(state_);
  if (!watch_.empty()) changes_.rehearse(state_);
  const std::string bytes = save();
  for (int k = 0; k < steps && !finished(); ++k) step_whole();
  result_.failure.reset();
  result_.stopped = false;
  numbers_.forget(state_);
  schedule_.take_back(assembly_);
  restore(bytes);
}

// ---- the end

RunResult Simulation::Run::end() {
  guarded([&] {
    if (result_.stopped && !result_.failure) observer_.checkpoint(save());
  });
  statistics_.simulated_seconds = state_.t;
  statistics_.samples = schedule_.samples();
  rows_.name_the_most_violated();
  substeps_.tell();
  if (error_control_) error_control_->tell();
  if (alarms_)
    for (Warning& w : alarms_->verdicts()) log_.warn(std::move(w));
  return std::move(result_);
}

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

RunResult simulate(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer,
                   std::string_view resume) {
  Simulation simulation(assembly, options, observer);
  simulation.begin(resume);
  while (!simulation.finished()) simulation.step();
  return simulation.end();
}

}  // namespace escapement
