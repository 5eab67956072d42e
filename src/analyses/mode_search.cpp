#include "analyses/mode_search.hpp"

#include <algorithm>
#include <optional>

namespace escapement {

ModeSearch::ModeSearch(EventWatch& watch, std::size_t memory)
    : watch_(watch), seen_(8, std::vector<double>(memory)) {
  before_.reserve(memory);
  for (auto* x : {&due_, &one_}) x->reserve(watch.size());
  crossed_.reserve(4 * watch.size());
}

/// `values`: at which the functions have passed zero. The modes of both states change.
const EventWatch::Change& ModeSearch::switch_modes(State& state, State& values,
                                                   const std::vector<int>& functions) {
  before_ = state.memory;
  const EventWatch::Change& change = watch_.cross(values, functions);
  if (&values != &state) state.memory = values.memory;
  how_ = std::max(how_, at_rest_ && change.how == Continuation::impact ? Continuation::restart : change.how);
  corner_ = corner_ || change.corner;
  crossed_.insert(crossed_.end(), functions.begin(), functions.end());
  return change;
}

/// Modes that do not hold; if there are none, those that hold only at this very instant (T-unilateral-3).
void ModeSearch::look(const State& values) {
  const auto modes_only = [&](const std::vector<int>& functions) {
    due_.clear();
    for (const int f : functions)
      if (!watch_.is_trigger(f)) due_.push_back(f);
  };
  at_rest_ = false;
  modes_only(watch_.due(values, crossed_));
  if (!due_.empty()) return;
  modes_only(watch_.leaving(values));
  at_rest_ = true;
  if (at_start_) return;
  // What was located at a border is there but for rounding, which decides nothing: time will.
  const auto just_switched = [&](int f) {
    const auto same = [&](int c) { return watch_.same_element(c, f); };
    return std::any_of(crossed_.begin(), crossed_.end(), same) ||
           std::any_of(already_->begin(), already_->end(), same);
  };
  due_.erase(std::remove_if(due_.begin(), due_.end(), just_switched), due_.end());
}

bool ModeSearch::seen_before(const State& state) {
  for (std::size_t i = 0; i < tried_; ++i)
    if (seen_[i] == state.memory) return true;
  if (tried_ == seen_.size()) seen_.emplace_back();
  seen_[tried_++] = state.memory;
  return false;
}

/// By name, so that the order of the components in the model does not matter.
void ModeSearch::in_canonical_order(std::vector<int>& functions) const {
  std::sort(functions.begin(), functions.end(), [&](int a, int b) {
    const int order = watch_.name(a).compare(watch_.name(b));
    return order != 0 ? order < 0 : a < b;
  });
}

ModeSearch::Outcome ModeSearch::run(State& state, const Solve& solve) { return run(state, {}, solve); }

ModeSearch::Outcome ModeSearch::run(State& state, const std::vector<int>& first, const Solve& solve,
                                    const std::vector<int>& already) {
  at_start_ = first.empty();
  already_ = &already;
  crossed_.clear();
  how_ = Continuation::none;
  corner_ = at_rest_ = false;
  tried_ = 0;
  due_ = first;
  if (!first.empty()) {
    const EventWatch::Change& change = switch_modes(state, state, first);
    if (!change.fired.empty() || !change.impacts.empty()) return Outcome::acts;
    if (how_ == Continuation::none) return Outcome::hold;  // corners: nothing jumps
  }
  const std::size_t most = 100 + 10 * watch_.size();
  bool one_by_one = false;  // all at once went round in a circle (T-unilateral-2)
  std::size_t next = 0;     // of those that are due, where some lead to no solution
  for (std::size_t tries = 0; tries < most; ++tries) {
    State* values = nullptr;
    std::optional<ModelError> none;
    try {
      values = &solve(state);
    } catch (const ModelError& e) {
      none = e;
    }
    if (none) {  // these modes contradict each other: only one of them switches, or another one
      if (due_.empty() || before_.empty()) throw *none;
      if (!one_by_one) next = 0, in_canonical_order(due_);
      one_by_one = true;
      if (next == due_.size()) {
        if (!with_others(state, solve)) throw *none;
        return Outcome::hold;
      }
      state.memory = before_;
      one_.assign(1, due_[next++]);
      switch_modes(state, state, one_);
      continue;
    }
    look(*values);
    if (due_.empty()) return Outcome::hold;
    one_by_one = one_by_one || seen_before(state);
    if (one_by_one) {
      in_canonical_order(due_);
      next = 1;
      one_.assign(1, due_.front());
    }
    const bool leaving = at_rest_;
    const EventWatch::Change& change = switch_modes(state, *values, one_by_one ? one_ : due_);
    if (!change.impacts.empty() && !leaving) return Outcome::acts;
  }
  return Outcome::cycles;
}

/// What is due cannot switch alone: one or two others of its kind switch with it, if then everything holds. So diodes that
/// would close a loop without resistance commutate (T-unilateral-4).
bool ModeSearch::with_others(State& state, const Solve& solve) {
  const std::vector<int> due = due_;
  const std::vector<double> before = before_;
  const auto is_due = [&](int f) {
    return std::any_of(due.begin(), due.end(), [&](int d) { return watch_.same_element(d, f); });
  };
  std::vector<int> others;
  for (int f = 0; f < static_cast<int>(watch_.size()); ++f)
    if (!watch_.is_corner(f) && !watch_.is_trigger(f) && !is_due(f) &&
        std::any_of(due.begin(), due.end(),
                    [&](int d) { return watch_.element(d).group == watch_.element(f).group; }))
      others.push_back(f);
  in_canonical_order(others);
  if (others.size() > 40) others.resize(40);
  const auto hold = [&](std::vector<int> set) {
    set.insert(set.end(), due.begin(), due.end());
    state.memory = before;
    const std::size_t known = crossed_.size();
    switch_modes(state, state, set);
    try {
      look(solve(state));
      if (due_.empty()) return true;
    } catch (const ModelError&) {  // not these
    }
    crossed_.resize(known);
    return false;
  };
  for (const int f : others)
    if (hold({f})) return true;
  for (std::size_t i = 0; i < others.size(); ++i)
    for (std::size_t j = i + 1; j < others.size(); ++j)
      if (!watch_.same_element(others[i], others[j]) && hold({others[i], others[j]})) return true;
  return false;
}

std::string ModeSearch::participants() const {
  std::vector<std::string> names;
  // Those of the last rounds: what only started it has come to rest.
  const std::size_t last = std::min<std::size_t>(crossed_.size(), 50);
  for (std::size_t i = crossed_.size() - last; i < crossed_.size(); ++i)
    names.push_back(watch_.described(crossed_[i]));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 8; ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return names.size() > 8 ? text + " …" : text;
}

}  // namespace escapement
