#include "analyses/mode_changes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyses/impacts.hpp"

namespace escapement {

ModeChanges::ModeChanges(const Assembly& assembly, EventWatch& watch, EventActions& actions, Stepper& stepper,
                         const Timetable& timetable, RunEnergy& energy, RunLog& log)
    : system_(assembly.system),
      watch_(watch),
      actions_(actions),
      stepper_(stepper),
      timetable_(timetable),
      energy_(energy),
      log_(log),
      search_(watch, assembly.initial.memory.size()) {
  due_.reserve(watch.size());
  crossed_.reserve(4 * watch.size());
}

void ModeChanges::rehearse(const State& state) {
  before_ = trial_ = state;
  trial_.delays.clear();
  solver_.emplace(system_, stepper_.start_options());
  State at = state;
  solver_->solve(at);
}

void ModeChanges::settle_start(State& state) {
  told_ = false;
  due_ = watch_.due(state);
  settle(state);
}

void ModeChanges::settle(State& state, const std::vector<int>& first, double short_time) {
  told_ = true;
  short_time_ = short_time;
  due_ = first;
  settle(state);
}

void ModeChanges::settle(State& state) {
  crossed_.clear();
  for (int round = 0; !due_.empty() && !log_.over(); ++round) {
    if (chatters(state, round)) return;
    switch_one_by_one(state);
  }
}

/// Something switches again and again: it fails, unless it is only a corner, which is then passed over.
bool ModeChanges::chatters(const State& state, int round) {
  for (const int f : due_) {
    const bool often = told_ && watch_.chatters(f, state.t, short_time_);
    if (often && watch_.is_corner(f)) {
      watch_.mute(f);
      log_.warn({"W-CORNER",
                 fmt::format("{}: its corner is passed again and again from t = {:.4g} s on; its corners are "
                             "not located any more",
                             watch_.name(f), state.t),
                 "", watch_.name(f), state.t});
    } else if (often || round > 50) {
      log_.fail_to_settle(state.t, watch_.described(f), watch_.in_expression(f));
      return true;
    }
  }
  return false;
}

/// What is due crosses, and what that makes due is found.
void ModeChanges::switch_one_by_one(State& state) {
  before_.take(state);
  const EventWatch::Change& change = watch_.cross(state, due_);
  const bool acts = !change.fired.empty() || !change.impacts.empty();
  const Continuation how = change.how;
  try {
    carry_out(state, change);
  } catch (const ModelError&) {  // others must switch with them
    if (acts || how == Continuation::none) throw;
    state.memory = before_.memory;
    return settle_together(state);
  }
  if (told_)
    for (const int f : change.who) log_.event(state.t, watch_.name(f));
  crossed_.insert(crossed_.end(), due_.begin(), due_.end());
  due_ = watch_.due(state, crossed_);
  if (acts || how == Continuation::none || log_.over()) return;
  if (due_.empty()) {
    due_ = watch_.leaving(state);
    std::erase_if(due_, [&](int f) {  // rounding at a border decides nothing
      return std::any_of(crossed_.begin(), crossed_.end(), [&](int c) { return watch_.same_element(c, f); });
    });
  }
  if (std::any_of(due_.begin(), due_.end(), [&](int f) { return !watch_.is_trigger(f); }))
    settle_together(state);
}

/// One change has led to others: all modes are found together, from what was before (T-unilateral-2). What is left to do then, such
/// as events of the model, is due.
void ModeChanges::settle_together(State& state) {
  if (!solver_) solver_.emplace(system_, stepper_.start_options());
  // Velocities are the same, but exactly zero where something has come to stick.
  std::copy_n(state.rate.begin(), system_.rows(Kind::position).end, before_.rate.begin());
  const auto modes = std::remove_if(due_.begin(), due_.end(), [&](int f) { return watch_.is_trigger(f); });
  due_.erase(modes, due_.end());
  const auto solve = [this](State& s) -> State& {
    trial_.take(before_);
    trial_.take_elements(s);
    LentDelays histories(s, trial_);
    solver_->solve(trial_);
    return trial_;
  };
  const auto outcome = search_.run(state, due_, solve, crossed_);
  if (outcome == ModeSearch::Outcome::cycles) {
    due_.clear();
    return log_.fail_to_settle(state.t, search_.participants(), search_.in_expressions());
  }
  // Accelerations and rates stay: the scheme takes up their whole jump.
  state.value = before_.value;
  state.store = before_.store;
  if (told_) tell_switched(state.t);
  crossed_.insert(crossed_.end(), search_.crossed().begin(), search_.crossed().end());
  EventWatch::Change change;
  if (outcome == ModeSearch::Outcome::acts) change = watch_.last_change();
  change.how = std::max(change.how, search_.how());
  carry_out(state, change);
  if (!log_.over()) due_ = watch_.due(state, crossed_);
}

/// Elements that have another mode in the end.
void ModeChanges::tell_switched(double t) {
  const auto& list = search_.crossed();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto same = [&](int f) { return watch_.same_element(f, list[i]); };
    if (std::none_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), same) &&
        std::count_if(list.begin(), list.end(), same) % 2 == 1)
      log_.event(t, watch_.name(list[i]));
  }
}

/// Events act, impacts follow, and the scheme goes on from there.
void ModeChanges::carry_out(State& state, const EventWatch::Change& change) {
  const double slack = timetable_.slack();
  EventActions::Effect effect{change.how, false};
  if (!change.fired.empty()) {
    const auto acted = actions_.act(state, change.fired, stepper_.start_options(), slack);
    effect = {std::max(effect.how, acted.how), acted.moved};
  }
  if (!change.impacts.empty()) {
    apply_impacts(system_, state, change.impacts, stepper_.start_options());
    effect.moved = true;
  }
  if (effect.how == Continuation::none) {
    if (change.corner) stepper_.corner();
    return;
  }
  if (effect.how == Continuation::jump) stepper_.discontinuity(state, slack);
  else log_.count(stepper_.restart(state).newton);
  if (effect.moved) energy_.impact(state);
  else energy_.look(state);
  if (!actions_.anything_left()) return;
  EventWatch::Change rest;  // of what is set twice at this instant
  rest.fired = actions_.take_left();
  carry_out(state, rest);
}

}  // namespace escapement
