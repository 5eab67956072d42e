#include "analyses/reaction_watch.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/row_owner.hpp"

namespace escapement {
namespace {

constexpr double too_far = 1;  // rad in a step
constexpr int jump_patience = 20;   // steps

struct Turn {
  double angle = 0;  // rad in a step
  int row = -1;      // of the body that turns most
};

Turn fastest_turn(const System& system, const State& state, double h) {
  Turn most;
  for (const LieVariable& lie : system.lie_variables()) {
    const int row = lie.place.row + lie.dofs() - 3;
    const double* w = &state.rate[row];
    if (const double angle = h * std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]); angle > most.angle)
      most = {angle, row};
  }
  return most;
}

std::string hint_by(const System& system, const Turn& turn) {
  const std::string who = turn.row >= 0 ? system.unknown_name(turn.row) : "";
  const std::string fast = turn.angle > 0.05 ? fmt::format("{} turns by {:.2g} rad in a step; try ",
                                                           owner_of_unknown(who), turn.angle)
                                             : "Try ";
  return fast + "`constraints: index-2`, a smaller rho, or a smaller step";
}

}  // namespace

bool turns_too_fast_for_index3(const System& system, const State& state, double h) {
  return fastest_turn(system, state, h).angle > too_far;
}

ReactionWatch::ReactionWatch(const System& system, RunLog& log)
    : system_(system),
      log_(log),
      first_(system.rows(Kind::holonomic).begin),
      count_(system.rows(Kind::holonomic).size()),
      value_(count_, 0.0),
      change_(count_, 0.0) {
  for (int i = 0; i < count_; ++i) at_.push_back(system.value_of_row()[first_ + i]);
}

void ReactionWatch::look(const State& state, double h) {
  if (!turned_ && turns_too_fast_for_index3(system_, state, h)) {
    turned_ = true;
    warn(fmt::format("from t = {:.4g} s on reactions and what follows from them may not be right", state.t),
         state, h);
  }
  if (begins_to_grow(state))
    warn(fmt::format("from about t = {:.4g} s on the reactions alternate from step to step and grow: "
                     "they are not to be trusted",
                     state.t),
         state, h);
}

/// True once, when they have alternated and grown for a while and are no longer small.
bool ReactionWatch::begins_to_grow(const State& state) {
  double size = 0, change = 0, before = 0, turn = 0;
  for (int i = 0; i < count_; ++i) {
    const double now = state.value[at_[i]], d = now - value_[i];
    size += now * now;
    change += d * d;
    before += change_[i] * change_[i];
    turn += d * change_[i];
    value_[i] = now;
    change_[i] = d;
  }
  const bool alternates = turn < -0.5 * std::sqrt(change * before) && change > before;
  run_ = alternates ? run_ + 1 : 0;
  if (grew_ || run_ < jump_patience || change < 0.01 * size) return false;
  return grew_ = true;
}

void ReactionWatch::warn(std::string message, const State& state, double h) {
  const Turn turn = fastest_turn(system_, state, h);
  log_.warn({"W-REACTIONS", std::move(message), hint_by(system_, turn),
             turn.row >= 0 ? owner_of_unknown(system_.unknown_name(turn.row)) : "", state.t});
}

std::string ReactionWatch::hint(const State& state, double h) const {
  return grew_ ? hint_by(system_, fastest_turn(system_, state, h)) : "";
}

}  // namespace escapement
