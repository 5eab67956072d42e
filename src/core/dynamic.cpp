#include "core/dynamic.hpp"

#include <algorithm>

namespace escapement {

// ------------------------------------------------------------------ SignalFunction

SignalFunction::SignalFunction(const std::vector<Signal<1>>& inputs, const std::vector<Signal<1>>& outputs)
    : inputs_(static_cast<int>(inputs.size())), outputs_(static_cast<int>(outputs.size())) {
  for (const auto& u : inputs) unknowns.push_back(Unknown::of(u));
  for (const auto& y : outputs) unknowns.push_back(Unknown::of(y));
}

void SignalFunction::evaluate(const Point& p, const Shift&, std::span<double> rows, Matrix m) const {
  thread_local std::vector<double> y, jacobian;
  y.assign(outputs_, 0.0);
  jacobian.assign(m ? static_cast<std::size_t>(inputs_) * outputs_ : 0, 0.0);
  function(p.t, p.value.first(inputs_), p.sides, y, jacobian);
  for (int i = 0; i < outputs_; ++i) {
    rows[inputs_ + i] += p.value[inputs_ + i] - y[i];
    if (!m) continue;
    m(inputs_ + i, inputs_ + i) += 1;
    for (int j = 0; j < inputs_; ++j) m(inputs_ + i, j) -= jacobian[i * inputs_ + j];
  }
}

// ------------------------------------------------------------------ DynamicGroup

/// One element's numbers; grows to the largest element once per thread, not in the step loop.
struct DynamicGroup::Work {
  std::vector<double> value, rate, acceleration, rows, high, matrix;
  static Work& of_thread(std::size_t n) {
    thread_local Work work;
    if (work.value.size() < n) {
      for (auto* x : {&work.value, &work.rate, &work.acceleration, &work.rows, &work.high}) x->resize(n);
      work.matrix.resize(n * n);
    }
    return work;
  }
};

int DynamicGroup::add(std::unique_ptr<DynamicElement> element) {
  for (const auto& u : element->unknowns) {
    has_states = has_states || u.kind == Kind::state;
    has_constraints = has_constraints || u.kind == Kind::holonomic || u.kind == Kind::nonholonomic;
  }
  largest_ = std::max(largest_, element->unknowns.size());
  bool positions = false;
  for (const auto& u : element->unknowns) positions = positions || u.kind == Kind::position;
  has_sides = has_sides || element->sides() > 0;
  elements_.push_back({std::move(element), {}, {}, {}, -1, positions});
  return static_cast<int>(elements_.size()) - 1;
}

void DynamicGroup::connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) {
  for (Placed& e : elements_) {
    e.memory = memory_size;
    memory_size += e.element->sides();
    const int n = e.element->size();
    for (const auto& u : e.element->unknowns) {
      const bool ground = u.handle.is_ground();
      e.value.push_back(ground ? -1 : places[u.handle.variable].value + u.part);
      e.row.push_back(ground ? -1 : places[u.handle.variable].row + u.part);
    }
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < n; ++r)
        if (e.row[r] >= 0 && e.row[c] >= 0 && e.element->couples(r, c)) pattern.add(e.row[r], e.row[c]);
    if (e.element->remembers()) e.history = histories_++;
  }
}

void DynamicGroup::map(const Pattern& pattern) {
  for (Placed& e : elements_) {
    const int n = e.element->size();
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        e.entry.push_back(e.row[r] >= 0 && e.row[c] >= 0 && e.element->couples(r, c)
                              ? pattern.find(e.row[r], e.row[c])
                              : -1);
  }
}

const ModelError* DynamicGroup::fault() const {
  for (const Placed& e : elements_)
    if (const ModelError* fault = e.element->fault()) return fault;
  return nullptr;
}

DynamicElement::Point DynamicGroup::gather(const State& state, const Placed& e, Work& work) const {
  const std::size_t n = e.value.size();
  for (std::size_t i = 0; i < n; ++i) work.value[i] = e.value[i] < 0 ? 0.0 : state.value[e.value[i]];
  const std::size_t positions = e.positions ? n : 0;
  for (std::size_t i = 0; i < positions; ++i) {
    const bool position = e.element->unknowns[i].kind == Kind::position && e.row[i] >= 0;
    work.rate[i] = position ? state.rate[e.row[i]] : 0.0;
    work.acceleration[i] = position ? state.acceleration[e.row[i]] : 0.0;
  }
  return {state.t,
          {work.value.data(), n},
          {work.rate.data(), positions},
          {work.acceleration.data(), positions},
          e.history < 0 || state.delays.empty() ? nullptr : &state.delays[e.history],
          state.memory.data() + e.memory};
}

void DynamicGroup::add_constraint_accelerations(const Placed& e, const DynamicElement::Point& p,
                                                const Shift& shift, Work& work) const {
  const std::span high(work.high.data(), e.row.size());
  std::fill(high.begin(), high.end(), 0.0);
  e.element->constraints(p, 2, 1, high);
  for (std::size_t i = 0; i < high.size(); ++i)
    work.rows[i] += high[i] * (e.element->unknowns[i].kind == Kind::holonomic ? shift.holonomic_scale
                                                                              : shift.nonholonomic_scale);
}

void DynamicGroup::residual(const State& state, const Shift& shift, std::span<double> r) const {
  Work& work = Work::of_thread(largest_);
  for (const Placed& e : elements_) {
    const auto p = gather(state, e, work);
    const int n = e.element->size();
    const std::span rows(work.rows.data(), n);
    std::fill(rows.begin(), rows.end(), 0.0);
    e.element->evaluate(p, shift, rows, {nullptr, n});
    if (shift.constraint_accelerations) add_constraint_accelerations(e, p, shift, work);
    for (int i = 0; i < n; ++i)
      if (e.row[i] >= 0) r[e.row[i]] += rows[i];
  }
}

void DynamicGroup::tangent(const State& state, const Shift& shift, std::span<const double>,
                           std::span<double> r, std::span<double> values) const {
  Work& work = Work::of_thread(largest_);
  for (const Placed& e : elements_) {
    const auto p = gather(state, e, work);
    const int n = e.element->size();
    const std::span rows(work.rows.data(), n);
    std::fill(rows.begin(), rows.end(), 0.0);
    std::fill(work.matrix.begin(), work.matrix.begin() + n * n, 0.0);
    e.element->evaluate(p, shift, rows, {work.matrix.data(), n});
    if (shift.constraint_accelerations) add_constraint_accelerations(e, p, shift, work);
    for (int i = 0; i < n; ++i)
      if (e.row[i] >= 0) r[e.row[i]] += rows[i];
    for (int i = 0; i < n * n; ++i)
      if (e.entry[i] >= 0) values[e.entry[i]] += work.matrix[i];
  }
}

void DynamicGroup::constraints(const State& state, int holonomic_level, int nonholonomic_level,
                               std::span<double> r) const {
  Work& work = Work::of_thread(largest_);
  for (const Placed& e : elements_) {
    const auto p = gather(state, e, work);
    const std::span rows(work.rows.data(), e.row.size());
    std::fill(rows.begin(), rows.end(), 0.0);
    e.element->constraints(p, holonomic_level, nonholonomic_level, rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (e.row[i] >= 0) r[e.row[i]] += rows[i];
  }
}

void DynamicGroup::phases(const State& state, std::vector<double>& angles) const {
  Work& work = Work::of_thread(largest_);
  for (const Placed& e : elements_) e.element->phases(gather(state, e, work), angles);
}

void DynamicGroup::crossings(const State& state, std::vector<double>& values) const {
  Work& work = Work::of_thread(largest_);
  for (const Placed& e : elements_) {
    const int n = e.element->sides();
    if (n == 0) continue;
    values.resize(values.size() + n);
    e.element->crossings(gather(state, e, work), {values.end() - n, values.end()});
  }
}

Continuation DynamicGroup::cross(State& state, int element, int i) const {
  const Placed& e = elements_[element];
  double* const sides = &state.memory[e.memory];
  const bool undecided = sides[i] == 0;
  e.element->cross(gather(state, e, Work::of_thread(largest_)), i, sides);
  return undecided ? Continuation::none : Continuation::jump;
}

bool DynamicGroup::ends_at_zero(const State& state, int element, int i) const {
  const Placed& e = elements_[element];
  return e.element->ends_at_zero(gather(state, e, Work::of_thread(largest_)), i);
}

Continuation DynamicGroup::land(State& state, int element, int i) const {
  const Placed& e = elements_[element];
  e.element->land(gather(state, e, Work::of_thread(largest_)), i, &state.memory[e.memory]);
  return Continuation::jump;
}

bool DynamicGroup::matters(const State& begin, const State& middle, const State& end, int element,
                           int i) const {
  const Placed& e = elements_[element];
  const auto bend = [&](const State& state) {
    return e.element->bend(gather(state, e, Work::of_thread(largest_)), i);
  };
  return escapement::matters(bend(begin), bend(middle), bend(end));
}

void DynamicGroup::enter(State& state) const {
  for (const Placed& e : elements_) std::fill_n(state.memory.begin() + e.memory, e.element->sides(), 0.0);
}

double DynamicGroup::output(const State&, int, int) const { return NAN; }

void DynamicGroup::remember(State& state, bool fresh) const {
  Work& work = Work::of_thread(largest_);
  for (const Placed& e : elements_)
    if (e.history >= 0) e.element->remember(gather(state, e, work), state.delays[e.history], fresh, state.t);
}

void DynamicGroup::remember_within(State& state, double step, double end) const {
  Work& work = Work::of_thread(largest_);
  for (const Placed& e : elements_)
    // One that has been read within this very step keeps to what it was read from (T-delay-4). A step that ends where a jump
    // comes out is as long as the delay, but for rounding.
    if (e.history >= 0 && e.element->delay() >= (1 - 1e-9) * step)
      e.element->remember(gather(state, e, work), state.delays[e.history], false, end);
}

DynamicGroup::ShortestDelay DynamicGroup::shortest_delay() const {
  ShortestDelay shortest;
  for (const Placed& e : elements_)
    if (e.history >= 0 && e.element->delay() < shortest.time) shortest = {e.element->delay(), e.row.back()};
  return shortest;
}

double DynamicGroup::next_break(const State& state) const {
  double next = std::numeric_limits<double>::infinity();
  for (const Placed& e : elements_)
    if (e.history >= 0) next = std::min(next, e.element->next_break(state.delays[e.history]));
  return next;
}

void DynamicGroup::pass_breaks(State& state, double slack) const {
  for (const Placed& e : elements_)
    if (e.history >= 0) e.element->pass_break(state.t, slack, state.delays[e.history]);
}

void DynamicGroup::take(GroupBase& other) {
  auto& theirs = static_cast<DynamicGroup&>(other).elements_;
  for (std::size_t i = 0; i < elements_.size(); ++i) elements_[i].element.swap(theirs[i].element);
}

}  // namespace escapement
