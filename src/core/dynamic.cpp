#include "core/dynamic.hpp"

#include <algorithm>

namespace escapement {

// ------------------------------------------------------------------ SignalFunction

SignalFunction::SignalFunction(const std::vector<Signal<1>>& inputs, const std::vector<Signal<1>>& outputs)
    : inputs_(static_cast<int>(inputs.size())), outputs_(static_cast<int>(outputs.size())) {
  for (const auto& u : inputs) unknowns.push_back(Unknown::of(u));
  for (const auto& y : outputs) unknowns.push_back(Unknown::of(y));
}

void SignalFunction::evaluate(const Point& p, Parts& parts) const {
  thread_local std::vector<double> y, jacobian;
  y.assign(outputs_, 0.0);
  jacobian.assign(parts.slopes() ? static_cast<std::size_t>(inputs_) * outputs_ : 0, 0.0);
  function(p.t, p.value.first(inputs_), p.sides, y, jacobian);
  for (int i = 0; i < outputs_; ++i) {
    parts.flow.row[inputs_ + i] += p.value[inputs_ + i] - y[i];
    if (!parts.slopes()) continue;
    double* const slopes = parts.flow.K + (inputs_ + i) * parts.n;
    slopes[inputs_ + i] += 1;
    for (int j = 0; j < inputs_; ++j) slopes[j] -= jacobian[i * inputs_ + j];
  }
}

// ------------------------------------------------------------------ DynamicGroup

/// One element's numbers; grows to the largest element once per thread, not in the step loop.
struct DynamicGroup::Work {
  std::vector<double> value, rate, acceleration, rows, high, matrix;
  std::vector<double> row_of[4], K[4], C[4], M[4];
  Parts parts;
  double *sum = nullptr, *sum_of_slopes = nullptr;  // the weighed rows and slopes

  static Work& of_thread(std::size_t n) {
    thread_local Work work;
    if (work.value.size() < n) {
      for (auto* x : {&work.value, &work.rate, &work.acceleration, &work.rows, &work.high}) x->resize(n);
      for (auto& x : work.row_of) x.resize(n);
    }
    return work;
  }
  /// Zeros where an element of these sorts of unknowns writes.
  void clear_parts(const Placed& e, const Shift& shift, bool slopes) {
    const std::size_t n = e.row.size();
    const auto cleared = [](std::vector<double>& x, std::size_t size) {
      if (x.size() < size) x.resize(size);
      std::fill_n(x.begin(), size, 0.0);
      return x.data();
    };
    const auto part = [&](int i, bool wanted, bool with_rates) -> Parts::Part {
      if (!wanted) return {};
      Parts::Part p;
      p.row = cleared(row_of[i], n);
      if (!slopes) return p;
      p.K = cleared(K[i], n * n);
      if (with_rates) p.C = cleared(C[i], n * n), p.M = cleared(M[i], n * n);
      return p;
    };
    parts.n = static_cast<int>(n);
    parts.flow = part(0, true, e.positions);
    parts.reaction = part(1, e.constraints, e.positions);
    parts.store = part(2, e.states, e.positions);
    parts.rate = part(3, e.states && shift.store_rate != 0, e.positions);
    parts.only_stores = shift.flow == 0;
  }
  /// rows = Σ weight · part, and the same of the slopes along the shift (T-shift-1).
  void combine(const DynamicElement& e, const Placed& placed, const Shift& c, bool slopes) {
    const int n = parts.n;
    sum = parts.flow.row;
    sum_of_slopes = parts.flow.K;
    if (!placed.positions && !placed.states && !placed.constraints) return;  // signals alone
    sum = rows.data();
    std::fill_n(sum, n, 0.0);
    if (slopes) {
      if (matrix.size() < static_cast<std::size_t>(n) * n) matrix.resize(static_cast<std::size_t>(n) * n);
      sum_of_slopes = matrix.data();
      std::fill_n(sum_of_slopes, n * n, 0.0);
    }
    for (int i = 0; i < n; ++i) {
      const Kind kind = e.unknowns[i].kind;
      if (kind == Kind::holonomic || kind == Kind::nonholonomic) {
        const double scale = kind == Kind::holonomic ? c.holonomic_scale : c.nonholonomic_scale;
        if (!c.constraint_accelerations) add(e, placed, parts.flow, i, scale, c, slopes);
        else if (slopes)
          add_leading(e, i, kind, scale * c.acceleration);  // Φ̈ moves with v̇ through Φ_q, k̇ through k_v
        continue;
      }
      const double weight = kind == Kind::position ? c.force : kind == Kind::state ? c.flow : 1.0;
      add(e, placed, parts.flow, i, weight, c, slopes);
      if (parts.reaction.row && kind == Kind::position)
        add(e, placed, parts.reaction, i, c.reaction, c, slopes);
      if (kind != Kind::state) continue;
      add(e, placed, parts.store, i, c.store, c, slopes);
      if (parts.rate.row) add(e, placed, parts.rate, i, c.store_rate, c, slopes);
    }
  }

 private:
  void add(const DynamicElement& e, const Placed& placed, const Parts::Part& part, int i, double weight,
           const Shift& c, bool slopes) {
    const int n = parts.n;
    sum[i] += weight * part.row[i];
    if (!slopes) return;
    if (!placed.positions) {
      for (int at = i * n; at < (i + 1) * n; ++at) sum_of_slopes[at] += weight * part.K[at];
      return;
    }
    for (int j = 0; j < n; ++j) {
      const int at = i * n + j;
      sum_of_slopes[at] +=
          weight * (e.unknowns[j].kind == Kind::position
                        ? c.position * part.K[at] + c.velocity * part.C[at] + c.acceleration * part.M[at]
                        : part.K[at]);
    }
  }
  void add_leading(const DynamicElement& e, int i, Kind kind, double weight) {
    const Parts::Part& part = parts.flow;
    for (int j = 0; j < parts.n; ++j)
      if (e.unknowns[j].kind == Kind::position)
        sum_of_slopes[i * parts.n + j] +=
            weight * (kind == Kind::holonomic ? part.K : part.C)[i * parts.n + j];
  }
};

int DynamicGroup::add(std::unique_ptr<DynamicElement> element) {
  Placed placed;
  for (const auto& u : element->unknowns) {
    placed.positions = placed.positions || u.kind == Kind::position;
    placed.states = placed.states || u.kind == Kind::state;
    placed.constraints = placed.constraints || u.kind == Kind::holonomic || u.kind == Kind::nonholonomic;
  }
  has_states = has_states || placed.states;
  has_constraints = has_constraints || placed.constraints;
  has_sides = has_sides || element->sides() > 0;
  largest_ = std::max(largest_, element->unknowns.size());
  elements_->elements.push_back(std::move(element));
  placed_.push_back(std::move(placed));
  return size() - 1;
}

bool DynamicGroup::is_like(const Group& other) const {
  const auto* o = dynamic_cast<const DynamicGroup*>(&other);
  if (!o || o->size() != size()) return false;
  for (int k = 0; k < size(); ++k)
    if (typeid(own(k)) != typeid(o->own(k)) || own(k).sides() != o->own(k).sides() ||
        placed_[k].value != o->placed_[k].value || placed_[k].row != o->placed_[k].row)
      return false;
  return true;
}

std::shared_ptr<const GroupNumbers> DynamicGroup::for_another_run(const GroupNumbers& numbers) const {
  std::shared_ptr<List> copy;
  const List& list = static_cast<const List&>(numbers);
  for (int k = 0; k < size(); ++k)
    if (auto element = list.elements[k]->for_another_run()) {
      if (!copy) copy = std::make_shared<List>(list);
      copy->elements[k] = std::move(element);
    }
  return copy;
}

void DynamicGroup::connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) {
  for (int k = 0; k < size(); ++k) {
    const DynamicElement& e = own(k);
    Placed& placed = placed_[k];
    placed.memory = memory_size;
    memory_size += e.sides();
    const int n = e.size();
    for (const auto& u : e.unknowns) {
      const bool ground = u.handle.is_ground();
      placed.value.push_back(ground ? -1 : places[u.handle.variable].value + u.part);
      placed.row.push_back(ground ? -1 : places[u.handle.variable].row + u.part);
    }
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < n; ++r)
        if (placed.row[r] >= 0 && placed.row[c] >= 0 && e.couples(r, c))
          pattern.add(placed.row[r], placed.row[c]);
    if (e.remembers()) placed.history = histories_++;
  }
}

void DynamicGroup::map(const Pattern& pattern) {
  for (int k = 0; k < size(); ++k) {
    const DynamicElement& e = own(k);
    Placed& placed = placed_[k];
    const int n = e.size();
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        placed.entry.push_back(placed.row[r] >= 0 && placed.row[c] >= 0 && e.couples(r, c)
                                   ? pattern.find(placed.row[r], placed.row[c])
                                   : -1);
  }
}

DynamicElement::Point DynamicGroup::gather(const State& state, const DynamicElement& e, const Placed& placed,
                                           Work& work) const {
  const std::size_t n = placed.value.size();
  for (std::size_t i = 0; i < n; ++i)
    work.value[i] = placed.value[i] < 0 ? 0.0 : state.value[placed.value[i]];
  const std::size_t positions = placed.positions ? n : 0;
  for (std::size_t i = 0; i < positions; ++i) {
    const bool position = e.unknowns[i].kind == Kind::position && placed.row[i] >= 0;
    work.rate[i] = position ? state.rate[placed.row[i]] : 0.0;
    work.acceleration[i] = position ? state.acceleration[placed.row[i]] : 0.0;
  }
  return {state.t,
          {work.value.data(), n},
          {work.rate.data(), positions},
          {work.acceleration.data(), positions},
          placed.history < 0 || state.delays.empty() ? nullptr : &state.delays[placed.history],
          state.memory.data() + placed.memory};
}

template <class F>
auto DynamicGroup::at(const State& state, int k, const F& f) const {
  const DynamicElement& e = element(state, k);
  return f(e, placed_[k], gather(state, e, placed_[k], Work::of_thread(largest_)));
}

template <class F>
void DynamicGroup::each(const State& state, const F& f) const {
  for (int k = 0; k < size(); ++k) at(state, k, f);
}

void DynamicGroup::add_constraint_accelerations(const DynamicElement& e, const DynamicElement::Point& p,
                                                const Shift& shift, Work& work) const {
  const std::span high(work.high.data(), e.unknowns.size());
  std::fill(high.begin(), high.end(), 0.0);
  e.constraints(p, 2, 1, high);
  for (std::size_t i = 0; i < high.size(); ++i)
    work.sum[i] +=
        high[i] * (e.unknowns[i].kind == Kind::holonomic ? shift.holonomic_scale : shift.nonholonomic_scale);
}

void DynamicGroup::residual(const State& state, const Shift& shift, std::span<double> r) const {
  Work& work = Work::of_thread(largest_);
  each(state, [&](const DynamicElement& e, const Placed& placed, const DynamicElement::Point& p) {
    work.clear_parts(placed, shift, false);
    e.evaluate(p, work.parts);
    work.combine(e, placed, shift, false);
    if (shift.constraint_accelerations) add_constraint_accelerations(e, p, shift, work);
    for (std::size_t i = 0; i < placed.row.size(); ++i)
      if (placed.row[i] >= 0) r[placed.row[i]] += work.sum[i];
  });
}

void DynamicGroup::tangent(const State& state, const Shift& shift, std::span<const double>,
                           std::span<double> r, std::span<double> values) const {
  Work& work = Work::of_thread(largest_);
  each(state, [&](const DynamicElement& e, const Placed& placed, const DynamicElement::Point& p) {
    work.clear_parts(placed, shift, true);
    e.evaluate(p, work.parts);
    work.combine(e, placed, shift, true);
    if (shift.constraint_accelerations) add_constraint_accelerations(e, p, shift, work);
    for (std::size_t i = 0; i < placed.row.size(); ++i)
      if (placed.row[i] >= 0) r[placed.row[i]] += work.sum[i];
    for (std::size_t i = 0; i < placed.entry.size(); ++i)
      if (placed.entry[i] >= 0) values[placed.entry[i]] += work.sum_of_slopes[i];
  });
}

void DynamicGroup::constraints(const State& state, int holonomic_level, int nonholonomic_level,
                               std::span<double> r) const {
  Work& work = Work::of_thread(largest_);
  each(state, [&](const DynamicElement& e, const Placed& placed, const DynamicElement::Point& p) {
    const std::span rows(work.rows.data(), placed.row.size());
    std::fill(rows.begin(), rows.end(), 0.0);
    e.constraints(p, holonomic_level, nonholonomic_level, rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (placed.row[i] >= 0) r[placed.row[i]] += rows[i];
  });
}

const ModelError* DynamicGroup::fault(const State& state) const {
  for (const auto& e : of(state, elements_).elements)
    if (const ModelError* fault = e->fault()) return fault;
  return nullptr;
}

// ------------------------------------------------------------------ what switches

void DynamicGroup::phases(const State& state, std::vector<double>& angles) const {
  each(state,
       [&](const DynamicElement& e, const Placed&, const DynamicElement::Point& p) { e.phases(p, angles); });
}

void DynamicGroup::crossings(const State& state, std::vector<double>& values) const {
  each(state, [&](const DynamicElement& e, const Placed&, const DynamicElement::Point& p) {
    const int n = e.sides();
    if (n == 0) return;
    values.resize(values.size() + n);
    e.crossings(p, {values.end() - n, values.end()});
  });
}

Continuation DynamicGroup::cross(State& state, int element, int i) const {
  return at(state, element, [&](const DynamicElement& e, const Placed& placed, const auto& p) {
    double* const sides = state.memory.data() + placed.memory;
    const bool undecided = sides[i] == 0;
    e.cross(p, i, sides);
    return undecided ? Continuation::none : Continuation::jump;
  });
}

bool DynamicGroup::ends_at_zero(const State& state, int element, int i) const {
  return at(state, element,
            [&](const DynamicElement& e, const Placed&, const auto& p) { return e.ends_at_zero(p, i); });
}

Continuation DynamicGroup::land(State& state, int element, int i) const {
  at(state, element, [&](const DynamicElement& e, const Placed& placed, const auto& p) {
    e.land(p, i, state.memory.data() + placed.memory);
  });
  return Continuation::jump;
}

bool DynamicGroup::matters(const State& begin, const State& middle, const State& end, int element,
                           int i) const {
  const auto bend = [&](const State& state) {
    return at(state, element,
              [&](const DynamicElement& e, const Placed&, const auto& p) { return e.bend(p, i); });
  };
  return escapement::matters(bend(begin), bend(middle), bend(end));
}

void DynamicGroup::enter(State& state) const {
  for (int k = 0; k < size(); ++k) std::fill_n(state.memory.begin() + placed_[k].memory, own(k).sides(), 0.0);
}

// ------------------------------------------------------------------ delays

void DynamicGroup::remember(State& state, bool fresh) const {
  each(state, [&](const DynamicElement& e, const Placed& placed, const DynamicElement::Point& p) {
    if (placed.history >= 0) e.remember(p, state.delays[placed.history], fresh, state.t);
  });
}

void DynamicGroup::remember_within(State& state, double step, double end) const {
  each(state, [&](const DynamicElement& e, const Placed& placed, const DynamicElement::Point& p) {
    // One that has been read within this very step keeps to what it was read from (T-delay-4). A step that ends where a jump
    // comes out is as long as the delay, but for rounding.
    if (placed.history >= 0 && e.delay() >= (1 - 1e-9) * step)
      e.remember(p, state.delays[placed.history], false, end);
  });
}

DynamicGroup::ShortestDelay DynamicGroup::shortest_delay(const State& state) const {
  ShortestDelay shortest;
  for (int k = 0; k < size(); ++k)
    if (placed_[k].history >= 0 && element(state, k).delay() < shortest.time)
      shortest = {element(state, k).delay(), placed_[k].row.back()};
  return shortest;
}

double DynamicGroup::next_break(const State& state) const {
  double next = std::numeric_limits<double>::infinity();
  for (int k = 0; k < size(); ++k)
    if (placed_[k].history >= 0)
      next = std::min(next, element(state, k).next_break(state.delays[placed_[k].history]));
  return next;
}

void DynamicGroup::pass_breaks(State& state, double slack) const {
  for (int k = 0; k < size(); ++k)
    if (placed_[k].history >= 0)
      element(state, k).pass_break(state.t, slack, state.delays[placed_[k].history]);
}

}  // namespace escapement
