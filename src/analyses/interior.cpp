#include "analyses/interior.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

void Interior::begin(State& state) {
  complete_ = true;
  algebraic_ = states_without_store(system_, state);
  // Where only derivatives determine a current, its own equation does not: signals alone, then.
  for (const bool states : {true, false}) {
    if (!states) algebraic_.assign(system_.size(), 0);
    settler_.emplace(system_, algebraic_);
    if (settler_->empty()) break;
    State trial;
    trial.take(state);
    LentDelays delays(state, trial);
    if (settler_->try_settle(trial).ok()) return;
    complete_ = false;
  }
  settler_.reset();
}

void Interior::at(const Stepper& stepper, State& from, double s, State& between) {
  stepper.interpolate(from, s, between);
  if (!settler_) return;
  LentDelays delays(from, between);
  settler_->try_settle(between);
}

void Interior::archive(Archive& a) {
  bool settles = settler_.has_value();
  a(settles, complete_, algebraic_);
  if (settles && algebraic_.size() != static_cast<std::size_t>(system_.size()))
    throw ArchiveError("the signals of another system");
  if (a.reading()) settler_.reset();
  if (a.reading() && settles) settler_.emplace(system_, algebraic_);
  if (settles) a(settler_->newton());
}

double Interior::turn(const Stepper& stepper, const State& from, bool bodies) {
  const State& to = stepper.result();
  double most = 0;
  system_.phases(from, before_);
  if (!before_.empty()) {  // there and back is a way, too
    stepper.interpolate(from, 0.5, middle_);
    system_.phases(middle_, half_);
    system_.phases(to, after_);
  }
  for (std::size_t i = 0; i < before_.size(); ++i)
    if (const double turned = std::abs(half_[i] - before_[i]) + std::abs(after_[i] - half_[i]);
        turned < INFINITY)
      most = std::max(most, turned);
  if (!bodies) return most;
  for (const LieVariable& lie : system_.lie_variables()) {
    const int row = lie.place.row + lie.dofs() - 3;
    for (const State* state : {&from, &to}) {
      const double* w = &state->rate[row];
      most = std::max(most, stepper.step_size() * std::hypot(w[0], w[1], w[2]));
    }
  }
  return most;
}

}  // namespace escapement
