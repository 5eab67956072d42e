// What switches in the elements of a group, and the constraints among them that come and go.
#include <algorithm>

#include "core/element_group.hpp"

namespace escapement {

template <class F>
void ElementGroup::each_expression(const State& state, int k, const F& f) const {
  type_.each_expression(of(state, elements_)[k], point_at(state, k), const_cast<F*>(&f),
                        [](void* context, const Switching& expression, std::span<const double> inputs) {
                          (*static_cast<const F*>(context))(expression, inputs);
                        });
}

void ElementGroup::kinks(const State& state, std::vector<double>& values) const {
  if (!type_.kink) return;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k) {
    const LocalPoint p = point_at(state, k);
    for (int i = 0; i < type_.kinks_count; ++i) values.push_back(type_.kink(elements[k], p, i));
  }
}

void ElementGroup::phases(const State& state, std::vector<double>& angles) const {
  if (!type_.phases) return;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k) type_.phases(elements[k], point_at(state, k), angles);
}

int ElementGroup::crossings_of(int element) const {
  return type_.sides ? type_.sides_of((*elements_)[element]) : type_.crossings_count;
}

void ElementGroup::crossings(const State& state, std::vector<double>& values) const {
  const Elements& elements = of(state, elements_);
  if (type_.sides) {
    for (int k = 0; k < size(); ++k) {
      const int n = crossings_of(k);
      if (n == 0) continue;
      values.resize(values.size() + n);
      const std::span<double> own(values.end() - n, values.end());
      const double* const sides = state.memory.data() + memory_of(k);
      each_expression(state, k, [&](const Switching& e, std::span<const double> inputs) {
        e.crossings(inputs, sides, own);
      });
    }
  } else if (type_.crossing) {
    for (int k = 0; k < size(); ++k) {
      const LocalPoint p = point_at(state, k);
      for (int i = 0; i < type_.crossings_count; ++i) values.push_back(type_.crossing(elements[k], p, i));
    }
  }
}

Continuation ElementGroup::cross(State& state, int element, int i) const {
  double* const memory = state.memory.data() + memory_of(element);
  if (type_.sides) {
    const bool undecided = memory[i] == 0;
    each_expression(state, element, [&](const Switching& e, std::span<const double> inputs) {
      if (e.has_side(i)) e.cross(inputs, memory, i);
    });
    return undecided ? Continuation::none : Continuation::jump;
  }
  if (!type_.cross) return Continuation::jump;
  return type_.cross(of(state, elements_)[element], point_at(state, element), i, memory);
}

bool ElementGroup::ends_at_zero(const State& state, int element, int i) const {
  bool ends = false;
  if (type_.sides) {
    const double* const sides = state.memory.data() + memory_of(element);
    each_expression(state, element, [&](const Switching& e, std::span<const double> inputs) {
      if (e.has_side(i)) ends = e.ends_at_zero(inputs, sides, i);
    });
  } else if (type_.ends_at_zero) {
    ends = type_.ends_at_zero(of(state, elements_)[element], point_at(state, element), i);
  }
  return ends;
}

Continuation ElementGroup::land(State& state, int element, int i) const {
  if (!type_.sides) return cross(state, element, i);
  double* const sides = state.memory.data() + memory_of(element);
  each_expression(state, element, [&](const Switching& e, std::span<const double> inputs) {
    if (e.has_side(i)) e.land(inputs, sides, i);
  });
  return Continuation::jump;
}

bool ElementGroup::matters(const State& begin, const State& middle, const State& end, int element,
                           int i) const {
  if (!type_.sides) return true;
  const auto bend = [&](const State& state) {
    const double* const sides = state.memory.data() + memory_of(element);
    Bend b;
    each_expression(state, element, [&](const Switching& e, std::span<const double> inputs) {
      if (e.has_side(i)) b = e.bend(inputs, sides, i);
    });
    return b;
  };
  return escapement::matters(bend(begin), bend(middle), bend(end));
}

std::string ElementGroup::switch_text(int element, int i) const {
  if (!type_.sides) return {};
  const std::vector<double> zeros(type_.values + 2 * type_.positions + type_.others());
  const LocalPoint p{zeros.data(), zeros.data(), zeros.data(), zeros.data(), 0, frames, nullptr};
  std::pair<std::string, int> found{{}, i};
  type_.each_expression((*elements_)[element], p, &found,
                        [](void* context, const Switching& e, std::span<const double>) {
                          auto& [text, side] = *static_cast<std::pair<std::string, int>*>(context);
                          if (e.has_side(side)) text = e.switch_text(side);
                        });
  return found.first;
}

void ElementGroup::enter(State& state) const {
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k) {
    if (type_.enter) type_.enter(elements[k], point_at(state, k), state.memory.data() + memory_of(k));
    if (type_.sides) std::fill_n(state.memory.begin() + memory_of(k), crossings_of(k), 0.0);
  }
}

// ------------------------------------------------------------------ constraints that come and go

Group::Impact ElementGroup::impact(const State& state, int element, double speed) const {
  if (!type_.rebound) return {};
  std::vector<int> rows(type_.rows);
  rows_of(element, rows);
  return {rows[type_.holonomics_begin], type_.rebound(of(state, elements_)[element], speed)};
}

void ElementGroup::release(State& state, int element) const {
  if (type_.release) type_.release(of(state, elements_)[element], &state.memory[memory_of(element)]);
}

void ElementGroup::touching(const State& state, std::vector<int>& list) const {
  if (!type_.rebound) return;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k)
    if (type_.active(elements[k], &state.memory[memory_of(k)])) list.push_back(k);
}

bool ElementGroup::loosen(State& state) const {
  if (!type_.loosen) return false;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k) type_.loosen(elements[k], &state.memory[memory_of(k)]);
  return true;
}

void ElementGroup::mark_constraints(int k, std::span<char> marks) const {
  std::vector<int> rows(type_.rows);
  rows_of(k, rows);
  for (int m = type_.holonomics_begin; m < type_.rows; ++m) marks[rows[m]] = 1;
}

void ElementGroup::switching_rows(std::span<char> rows) const {
  if (!type_.switches) return;
  for (int k = 0; k < size(); ++k) mark_constraints(k, rows);
}

void ElementGroup::strengths(const State& state, std::span<double> strengths) const {
  if (!type_.strength) return;
  const Elements& elements = of(state, elements_);
  std::vector<int> rows(type_.rows);
  for (int k = 0; k < size(); ++k) {
    rows_of(k, rows);
    for (int i = type_.holonomics_begin; i < type_.rows; ++i)
      if (rows[i] >= 0) strengths[rows[i]] = type_.strength(elements[k]);
  }
}

void ElementGroup::open_rows(const State& state, std::span<char> open) const {
  if (!type_.switches) return;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k)
    if (!type_.active(elements[k], &state.memory[memory_of(k)])) mark_constraints(k, open);
}

}  // namespace escapement
