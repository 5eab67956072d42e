#include "analyses/consistent_start.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace escapement {

ConsistentStart::ConsistentStart(const Assembly& assembly, StartOptions options, double slack)
    : assembly_(assembly),
      system_(assembly.system),
      options_(std::move(options)),
      slack_(slack),
      watch_(assembly),
      modes_(watch_, assembly.initial.memory.size()) {}

/// Consistent values with the modes and held outputs of the state. What is given is given each time anew; all else begins with
/// what it was the last time.
State& ConsistentStart::solve(State& state) {
  State next = given_;
  next.take_elements(state);
  if (known_) {
    next.acceleration = solved_.acceleration;
    for (const Variable& v : system_.variables()) {
      const bool given = v.kind == Kind::position || (v.kind == Kind::state && !v.starts_steady);
      if (!given) std::copy_n(solved_.value.begin() + v.value, v.values, next.value.begin() + v.value);
    }
  }
  make_consistent(system_, next, options_);
  solved_ = std::move(next);
  known_ = true;
  return solved_;
}

void ConsistentStart::search(State& state) {
  const auto run = [&] { return modes_.run(state, [this](State& s) -> State& { return solve(s); }); };
  ModeSearch::Outcome outcome;
  try {
    outcome = run();
  } catch (const ModelError&) {
    // Expressions that have no side yet may jump under Newton's method: with those of the given values it finds an end (T-kink-2).
    std::vector<int> undecided;
    state = given_;
    for (const int f : watch_.due(state))
      if (watch_.in_expression(f)) undecided.push_back(f);
    if (undecided.empty()) throw;
    watch_.cross(state, undecided);
    known_ = false;
    outcome = run();
  }
  if (outcome == ModeSearch::Outcome::cycles) refuse_cycle(modes_.participants(), modes_.in_expressions());
  if (outcome == ModeSearch::Outcome::acts) {  // what is hit at the very start is an event of the run
    state.memory = modes_.before();
    solve(state);
  }
  state = solved_;
}

void ConsistentStart::refuse_cycle(const std::string& who, bool in_expression) const {
  throw ModelError(
      "E-CHATTER", who.substr(0, who.find(' ')),
      fmt::format("no modes of {} hold together at the start: each change leads to another", who),
      in_expression
          ? chatter_hint(true)
          : "give one of them a hysteresis or a smooth transition; what switches in a loop without any "
            "delay may have no consistent state");
}

/// Between the blocks of one sample: modes that do not hold any more with its signals.
bool ConsistentStart::switch_by_signals(State& state) {
  std::vector<int> due;
  for (const int f : watch_.due(state, switched_))
    if (!watch_.is_trigger(f)) due.push_back(f);
  if (due.empty()) return false;
  switched_.insert(switched_.end(), due.begin(), due.end());
  if (switched_.size() > 100 + 10 * watch_.size())
    refuse_cycle(watch_.described(due.front()), watch_.in_expression(due.front()));
  watch_.cross(state, due);
  return true;
}

void ConsistentStart::modes(State& state) {
  given_ = state;
  known_ = false;
  search(state);
}

State& ConsistentStart::consistent(State& state) {
  given_ = state;
  known_ = false;
  return solve(state);
}

void ConsistentStart::find(State& state) {
  modes(state);
  if (Sampling sampling(assembly_); sampling.next() <= state.t + slack_) {
    switched_.clear();
    sampling.apply(state, state.t + slack_, [this](State& s) { return switch_by_signals(s); });
    search(state);
  }
  std::vector<int> sides;  // on which side events of the model begin
  for (const int f : watch_.due(state))
    if (watch_.is_trigger(f)) sides.push_back(f);
  watch_.cross(state, sides);
}

}  // namespace escapement
