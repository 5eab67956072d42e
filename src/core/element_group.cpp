#include "core/element_group.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace escapement {

/// One element's numbers; grows to the largest element once per thread, not in the step loop.
struct ElementGroup::Work {
  std::vector<double> q, v, a, other, rows;

  static Work& of_thread(const ElementType& type) {
    thread_local Work work;
    const auto room = [](std::vector<double>& x, int size) {
      if (static_cast<int>(x.size()) < size) x.resize(size);
    };
    room(work.q, type.values), room(work.v, type.positions), room(work.a, type.positions);
    room(work.other, type.others()), room(work.rows, type.rows);
    return work;
  }
};

ElementGroup::ElementGroup(const ElementType& type, std::shared_ptr<Elements> elements)
    : type_(type), elements_(std::move(elements)) {
  has_states = type.algebraics_begin > type.states_begin;
  has_constraints = type.rows > type.holonomics_begin;
  has_momenta = type.store && type.positions > 0;
  accepts = type.accept;
  switches = type.switches;
  has_sides = type.sides;
}

void ElementGroup::number_handles(int element) {
  std::vector<Handle*> handles(type_.unknowns.size());
  type_.handles((*elements_)[element], handles.data());
  for (std::size_t i = 0; i < handles.size(); ++i) {
    handles[i]->local = type_.unknowns[i].local;
    handles[i]->local_row = type_.unknowns[i].row;
    variables_.push_back(handles[i]->is_ground() ? -1 : handles[i]->variable);
  }
}

bool ElementGroup::is_like(const Group& other) const {
  const auto* o = dynamic_cast<const ElementGroup*>(&other);
  return o && o->type_.type == type_.type && o->size() == size() && o->variables_ == variables_ &&
         o->sides_begin_ == sides_begin_;
}

// ------------------------------------------------------------------ where things stand

void ElementGroup::connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) {
  memory_begin_ = memory_size;
  for (int k = 0; k < size(); ++k) {
    if (type_.sides) sides_begin_.push_back(memory_size);
    memory_size += type_.sides ? type_.sides_of((*elements_)[k]) : type_.memory;
  }
  places_.reserve(variables_.size());
  for (const int v : variables_) places_.push_back(v < 0 ? Place{} : places[v]);

  const int n = type_.rows;
  std::vector<int> rows(n), all;
  const auto occupied = std::make_unique<bool[]>(n * n);
  const std::span<bool> entries(occupied.get(), n * n);
  for (int k = 0; k < size(); ++k) {
    rows_of(k, rows);
    shape((*elements_)[k], entries);
    pattern.add_block(rows, entries);
    if (size() >= Pieces::least && type_.acts) all.insert(all.end(), rows.begin(), rows.end());
  }
  if (!all.empty()) pieces_.divide(all, n);
}

void ElementGroup::map(const Pattern& pattern) {
  const int n = type_.rows;
  map_.resize(static_cast<std::size_t>(size()) * n * n);
  std::vector<int> rows(n);
  const auto occupied = std::make_unique<bool[]>(n * n);
  const std::span<bool> entries(occupied.get(), n * n);
  for (int k = 0; k < size(); ++k) {
    rows_of(k, rows);
    shape((*elements_)[k], entries);
    pattern.find_block(rows, entries, std::span(map_).subspan(static_cast<std::size_t>(k) * n * n, n * n));
  }
}

void ElementGroup::rows_of(int k, std::span<int> rows) const {
  const auto places = places_of(k);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ElementType::Unknown& u = type_.unknowns[i];
    for (int d = 0; d < u.dofs; ++d) rows[u.row + d] = places[i].row < 0 ? -1 : places[i].row + d;
  }
}

void ElementGroup::gather(const State& state, int k, Work& work) const {
  const auto places = places_of(k);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ElementType::Unknown& u = type_.unknowns[i];
    const Place& at = places[i];
    if (u.kind != Kind::position) {
      for (int d = 0; d < u.dofs; ++d) work.other[u.local + d] = at.row < 0 ? 0.0 : state.value[at.value + d];
    } else if (at.row >= 0) {
      for (int d = 0; d < u.values; ++d) work.q[u.local + d] = state.value[at.value + d];
      for (int d = 0; d < u.dofs; ++d) {
        work.v[u.row + d] = state.rate[at.row + d];
        work.a[u.row + d] = state.acceleration[at.row + d];
      }
    } else {  // ground: the identity, at rest
      for (int d = 0; d < u.values; ++d) work.q[u.local + d] = 0.0;
      if (u.manifold != Manifold::vector) work.q[u.local] = 1.0;
      for (int d = 0; d < u.dofs; ++d) work.v[u.row + d] = work.a[u.row + d] = 0.0;
    }
  }
}

LocalPoint ElementGroup::point(const State& state, int k, const Work& work) const {
  return {work.q.data(),
          work.v.data(),
          work.a.data(),
          work.other.data(),
          state.t,
          frames,
          type_.memory > 0 || type_.sides ? state.memory.data() + memory_of(k) : nullptr};
}

LocalPoint ElementGroup::point_at(const State& state, int k) const {
  Work& work = Work::of_thread(type_);
  gather(state, k, work);
  return point(state, k, work);
}

void ElementGroup::scatter(int k, const double* rows, std::span<double> r) const {
  const auto places = places_of(k);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].row < 0) continue;
    const ElementType::Unknown& u = type_.unknowns[i];
    for (int d = 0; d < u.dofs; ++d) r[places[i].row + d] += rows[u.row + d];
  }
}

// ------------------------------------------------------------------ equations

ElementLoop ElementGroup::loop(const State& state, const Shift& shift, std::span<const double> operators,
                               std::span<double> rows, std::span<double> values) const {
  const Elements& elements = of(state, elements_);
  return {elements.first(),
          elements.stride(),
          places_.data(),
          map_.data(),
          state,
          shift,
          operators,
          rows,
          values,
          frames,
          memory_begin_,
          type_.memory,
          type_.sides ? sides_begin_.data() : nullptr,
          nullptr};
}

void ElementGroup::residual(const State& state, const Shift& shift, std::span<double> r) const {
  if (!type_.acts) return;
  const ElementLoop all = loop(state, shift, {}, r, {});
  if (pieces_.one()) return type_.residual(all, 0, size());
  pieces_.each(size(), [&](int begin, int end, const char* skipped) {
    ElementLoop some = all;
    some.skipped = skipped;
    type_.residual(some, begin, end);
  });
}

void ElementGroup::tangent(const State& state, const Shift& shift, std::span<const double> operators,
                           std::span<double> r, std::span<double> values) const {
  if (!type_.acts) return;
  const ElementLoop all = loop(state, shift, operators, r, values);
  if (pieces_.one()) return type_.tangent(all, 0, size());
  pieces_.each(size(), [&](int begin, int end, const char* skipped) {
    ElementLoop some = all;
    some.skipped = skipped;
    type_.tangent(some, begin, end);
  });
}

void ElementGroup::constraints(const State& state, int holonomic_level, int nonholonomic_level,
                               std::span<double> r) const {
  if (!has_constraints) return;
  const Elements& elements = of(state, elements_);
  Work& work = Work::of_thread(type_);
  for (int k = 0; k < size(); ++k) {
    gather(state, k, work);
    const LocalPoint p = point(state, k, work);
    if (!acting(elements[k], p)) continue;
    std::fill_n(work.rows.begin(), type_.rows, 0.0);
    type_.constraints(elements[k], p, holonomic_level, nonholonomic_level, work.rows.data());
    scatter(k, work.rows.data(), r);
  }
}

Group::Power ElementGroup::power(const State& state) const {
  Power sum;
  if (!type_.energy && !type_.loss) return sum;
  sum.stated = true;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k) {
    const LocalPoint p = point_at(state, k);
    if (type_.energy) sum.energy += type_.energy(elements[k], p);
    if (type_.loss) sum.loss += type_.loss(elements[k], p);
  }
  return sum;
}

double ElementGroup::output(const State& state, int element, int index) const {
  if (!type_.output) return NAN;
  return type_.output(of(state, elements_)[element], point_at(state, element), index);
}

void ElementGroup::output_slopes(const State& state, const Shift& shift, std::span<const double> operators,
                                 int element, int index, std::span<double> slopes) const {
  std::array<const double*, 16> T{};
  int slot = 0;
  for (std::size_t i = 0; i < type_.unknowns.size(); ++i) {
    if (type_.unknowns[i].kind != Kind::position) continue;
    const int at = operators.empty() ? -1 : places_of(element)[i].tangent;
    T.at(slot++) = at < 0 ? nullptr : &operators[at];
  }
  type_.output_slopes(of(state, elements_)[element], point_at(state, element), shift, T.data(), index,
                      slopes.data());
}

double ElementGroup::oracle_difference(const State& state, const Shift& shift) const {
  if (!type_.compare) return 0;
  double worst = 0;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k) {
    const OracleDifference d = type_.compare(elements[k], point_at(state, k), shift);
    worst = std::max(worst, d.largest / (1 + d.size));
  }
  return worst;
}

void ElementGroup::accept(State& state) const {
  if (!type_.accept) return;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k) type_.accept(elements[k], point_at(state, k), &state.memory[memory_of(k)]);
}

}  // namespace escapement
