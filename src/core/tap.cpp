#include "core/tap.hpp"

#include <algorithm>

namespace escapement {

int TapGroup::add(const Tap& tap, Signal<1> to) {
  factors_->list.push_back(tap.factor);
  Placed placed;
  placed.tap = tap;
  placed.to = to.variable;
  placed_.push_back(std::move(placed));
  return size() - 1;
}

bool TapGroup::is_like(const Group& other) const {
  const auto* o = dynamic_cast<const TapGroup*>(&other);
  if (!o || o->size() != size()) return false;
  for (int k = 0; k < size(); ++k) {
    const Tap &a = placed_[k].tap, &b = o->placed_[k].tap;
    if (a.source != b.source || a.variable != b.variable || a.element != b.element || a.part != b.part ||
        placed_[k].to != o->placed_[k].to)
      return false;
  }
  return true;
}

void TapGroup::connect(std::span<const Place> places, int&, PatternBuilder& pattern) {
  for (int k = 0; k < size(); ++k) {
    Placed& placed = placed_[k];
    const Tap& tap = placed.tap;
    placed.value = places[placed.to].value;
    placed.row = places[placed.to].row;
    if (tap.source != Tap::Source::output) {
      if (tap.variable >= 0) {
        placed.from_value = places[tap.variable].value + tap.part;
        placed.from = places[tap.variable].row + tap.part;
        placed.columns = {placed.from};
      }
    } else {
      const ElementType& type = tap.group->type();
      const auto variables = tap.group->variables_of(tap.element);
      widest_ = std::max(widest_, type.rows);
      for (std::size_t i = 0; i < variables.size(); ++i)
        for (int d = 0; variables[i] >= 0 && d < type.unknowns[i].dofs; ++d) {
          placed.columns.push_back(places[variables[i]].row + d);
          placed.locals.push_back(type.unknowns[i].row + d);
        }
    }
    for (const int column : placed.columns) pattern.add(placed.row, column);
    pattern.add(placed.row, placed.row);
  }
}

void TapGroup::map(const Pattern& pattern) {
  for (Placed& placed : placed_) {
    for (const int column : placed.columns) placed.entry.push_back(pattern.find(placed.row, column));
    placed.entry.push_back(pattern.find(placed.row, placed.row));
  }
}

double TapGroup::source(const State& state, const Placed& placed, double factor) const {
  const Tap& tap = placed.tap;
  if (tap.source == Tap::Source::output) return tap.group->output(state, tap.element, tap.part);
  if (placed.from < 0) return 0;
  if (tap.source == Tap::Source::value) return factor * state.value[placed.from_value];
  return tap.source == Tap::Source::rate ? state.rate[placed.from] : state.acceleration[placed.from];
}

void TapGroup::residual(const State& state, const Shift&, std::span<double> r) const {
  const std::vector<double>& factors = of(state, factors_).list;
  for (int k = 0; k < size(); ++k)
    r[placed_[k].row] += state.value[placed_[k].value] - source(state, placed_[k], factors[k]);
}

void TapGroup::tangent(const State& state, const Shift& shift, std::span<const double> operators,
                       std::span<double> r, std::span<double> values) const {
  thread_local std::vector<double> slopes;
  if (static_cast<int>(slopes.size()) < widest_) slopes.resize(widest_);
  const std::vector<double>& factors = of(state, factors_).list;
  residual(state, shift, r);
  for (int k = 0; k < size(); ++k) {
    const Placed& placed = placed_[k];
    const Tap& tap = placed.tap;
    values[placed.entry.back()] += 1;
    if (tap.source == Tap::Source::output) {
      tap.group->output_slopes(state, shift, operators, tap.element, tap.part, slopes);
      for (std::size_t i = 0; i < placed.columns.size(); ++i)
        values[placed.entry[i]] -= slopes[placed.locals[i]];
    } else if (placed.from >= 0) {
      values[placed.entry.front()] -= tap.source == Tap::Source::rate           ? shift.velocity
                                      : tap.source == Tap::Source::acceleration ? shift.acceleration
                                      : tap.position                            ? factors[k] * shift.position
                                                                                : factors[k];
    }
  }
}

}  // namespace escapement
