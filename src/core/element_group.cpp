#include "core/element_group.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/by_hand.hpp"

namespace escapement {

/// One element's numbers; grows to the largest element once per thread, not in the step loop.
struct ElementGroup::Work {
  std::vector<double> q, v, a, other;
  std::vector<double> rows, high, matrix;  // weighed rows, their derivatives in time, the tangent
  std::vector<double> turned;              // Seeds
  std::vector<double> store_rows, C, M, S, weighing;
  Parts parts;

  static Work& of_thread(const ElementType& type) {
    thread_local Work work;
    const std::size_t n = type.rows, square = n * n;
    const auto room = [](std::vector<double>& x, std::size_t size) {
      if (x.size() < size) x.resize(size);
    };
    room(work.q, type.values), room(work.v, type.positions), room(work.a, type.positions);
    room(work.other, type.others());
    if (work.rows.size() < n) {
      for (auto* x : {&work.rows, &work.high, &work.store_rows}) x->resize(n);
      for (auto* x : {&work.matrix, &work.C, &work.M, &work.S}) x->resize(square);
      work.turned.resize(7 * n);
      work.weighing.resize(3 * n);
    }
    return work;
  }
  /// Zeros where an element that is written by hand writes.
  void clear_parts(const ElementType& type, const Shift& shift, bool slopes) {
    const int n = type.rows;
    const auto cleared = [](std::vector<double>& x, int size) {
      std::fill_n(x.begin(), size, 0.0);
      return x.data();
    };
    // What is weighed needs the mass matrix in any case.
    const bool weighed = type.positions > 0 && type.rates && !shift.balances();
    parts = {};
    parts.n = n;
    parts.flow.row = cleared(rows, n);
    if (slopes || weighed) {
      parts.flow.K = cleared(matrix, n * n);
      if (type.rates) parts.flow.C = cleared(C, n * n), parts.flow.M = cleared(M, n * n);
    }
    if (!type.store || type.positions > 0) return;
    parts.store.row = cleared(store_rows, n);
    if (slopes) parts.store.K = cleared(S, n * n);
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

Seeds ElementGroup::seeds(int k, const Shift& c, std::span<const double> operators, Work& work) const {
  if (type_.has_lie) {
    for (std::size_t i = 0; i < type_.unknowns.size(); ++i) {
      const ElementType::Unknown& u = type_.unknowns[i];
      if (u.kind != Kind::position || u.manifold == Manifold::vector) continue;
      const Manifold manifold = u.manifold == Manifold::se3 ? frames : u.manifold;
      const int at = operators.empty() ? -1 : places_of(k)[i].tangent;
      const double* const T = at < 0 ? nullptr : &operators[at];
      for (int j = 0; j < u.dofs; ++j) {
        double* const dq = &work.turned[7 * (u.row + j)];
        std::fill_n(dq, 7, 0.0);
        if (T) {
          double w[6];
          for (int d = 0; d < u.dofs; ++d) w[d] = T[d * u.dofs + j];
          moved_by(manifold, u.dofs, &work.q[u.local], w, dq);
        } else {
          moved_by_unit(manifold, &work.q[u.local], j, dq);
        }
        for (int d = 0; d < u.values; ++d) dq[d] *= c.position;
      }
    }
  }
  return {c.position, c.velocity, c.acceleration, work.turned.data()};
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

namespace {

/// row = factor · (part of row) T, for the columns of one Lie-group position.
template <int dofs>
void add_turned(const double* K, const double* T, int first, double factor, double* row) {
  for (int j = first; j < dofs; ++j) {
    double sum = 0;
    for (int l = first; l < dofs; ++l) sum += K[l] * T[l * dofs + j];
    row[j] = factor * sum;
  }
}

}  // namespace

/// The tangent of one element that is written by hand: K T(u) c₀ + C c₁ + M c₂ (T-shift-1), by add(entry, value).
template <class Add>
void ElementGroup::combine(std::span<const Place> places, const Shift& c, std::span<const double> operators,
                           Work& work, const Add& add) const {
  const int n = type_.rows, positions = type_.positions;
  const Parts::Part& flow = work.parts.flow;
  if (positions == 0) {
    const double* const S = work.parts.store.K;
    for (int i = 0; i < n; ++i) {
      const bool state = i >= type_.states_begin && i < type_.algebraics_begin;
      const double weight = state ? c.flow : 1.0;
      for (int at = i * n; at < (i + 1) * n; ++at)
        add(at, weight * flow.K[at] + (S && state ? c.store * S[at] : 0.0));
    }
    return;
  }
  // Forces of multipliers: Φ_qᵀ, k_vᵀ.
  for (int m = type_.holonomics_begin; m < n; ++m) {
    const double* const gradient = (type_.is_holonomic(m) ? flow.K : flow.C) + m * n;
    for (int i = 0; i < positions; ++i) add(i * n + m, c.reaction * gradient[i]);
  }
  double* const row = work.weighing.data();
  for (int i = 0; i < n; ++i) {
    const bool constraint = i >= type_.holonomics_begin, holonomic = type_.is_holonomic(i);
    const double factor = !constraint ? 1.0 : holonomic ? c.holonomic_scale : c.nonholonomic_scale;
    const double* const K = flow.K + i * n;
    if (c.constraint_accelerations && constraint) {  // Φ̈ and k̇ along v̇
      const double* const along = holonomic ? K : flow.C + i * n;
      for (int j = 0; j < positions; ++j) add(i * n + j, factor * c.acceleration * along[j]);
      continue;
    }
    for (int j = 0; j < positions; ++j) row[j] = c.position * K[j];
    if (!operators.empty())
      for (std::size_t h = 0; h < places.size(); ++h) {
        const ElementType::Unknown& u = type_.unknowns[h];
        if (u.kind != Kind::position || places[h].tangent < 0) continue;
        const double* const T = &operators[places[h].tangent];
        const bool plain_before = u.manifold == Manifold::se3 && frames == Manifold::r3so3;  // T = I there
        if (u.dofs == 3) add_turned<3>(K + u.row, T, 0, c.position, row + u.row);
        else add_turned<6>(K + u.row, T, plain_before ? 3 : 0, c.position, row + u.row);
      }
    if (type_.rates) {
      const double *const C = flow.C + i * n, *const M = flow.M + i * n;
      for (int j = 0; j < positions; ++j) row[j] += c.velocity * C[j] + c.acceleration * M[j];
    }
    for (int j = 0; j < positions; ++j) add(i * n + j, factor * row[j]);
  }
}

void ElementGroup::residual(const State& state, const Shift& shift, std::span<double> r) const {
  if (!type_.acts) return;
  const Elements& elements = of(state, elements_);
  pieces_.each(size(), [&] {
    return [&, &work = Work::of_thread(type_)](int k) {
      gather(state, k, work);
      evaluate(elements[k], point(state, k, work), shift, work, false);
      scatter(k, work.rows.data(), r);
    };
  });
}

void ElementGroup::tangent(const State& state, const Shift& shift, std::span<const double> operators,
                           std::span<double> r, std::span<double> values) const {
  if (!type_.acts) return;
  const Elements& elements = of(state, elements_);
  const int entries = type_.rows * type_.rows;
  pieces_.each(size(), [&] {
    return [&, &work = Work::of_thread(type_)](int k) {
      gather(state, k, work);
      const LocalPoint p = point(state, k, work);
      if (type_.by_hand) {
        evaluate_by_hand(elements[k], p, shift, work, true);
        scatter(k, work.rows.data(), r);
        const int* const at = &map_[static_cast<std::size_t>(k) * entries];
        combine(places_of(k), shift, operators, work, [&](int entry, double x) {
          if (at[entry] >= 0) values[at[entry]] += x;
        });
        return;
      }
      std::fill_n(work.rows.begin(), type_.rows, 0.0);
      type_.tangent(elements[k], p, shift, seeds(k, shift, operators, work), work.rows.data(),
                    work.matrix.data());
      add_constraint_accelerations(elements[k], p, shift, work);
      scatter(k, work.rows.data(), r);
      const int* const at = &map_[static_cast<std::size_t>(k) * entries];
      for (int i = 0; i < entries; ++i)
        if (at[i] >= 0) values[at[i]] += work.matrix[i];
    };
  });
}

void ElementGroup::evaluate(const void* e, const LocalPoint& p, const Shift& shift, Work& work,
                            bool slopes) const {
  if (type_.by_hand) return evaluate_by_hand(e, p, shift, work, slopes);
  std::fill_n(work.rows.begin(), type_.rows, 0.0);
  type_.add_rows(e, p, shift, work.rows.data());
  add_constraint_accelerations(e, p, shift, work);
}

/// Φ̈ and k̇ along the point's accelerations.
void ElementGroup::add_constraint_accelerations(const void* e, const LocalPoint& p, const Shift& shift,
                                                Work& work) const {
  if (!has_constraints || !shift.constraint_accelerations || !acting(e, p)) return;
  std::fill_n(work.high.begin(), type_.rows, 0.0);
  type_.constraints(e, p, 2, 1, work.high.data());
  for (int i = type_.holonomics_begin; i < type_.rows; ++i)
    work.rows[i] += (type_.is_holonomic(i) ? shift.holonomic_scale : shift.nonholonomic_scale) * work.high[i];
}

void ElementGroup::evaluate_by_hand(const void* e, const LocalPoint& p, const Shift& c, Work& work,
                                    bool slopes) const {
  work.clear_parts(type_, c, slopes);
  type_.parts(e, p, work.parts);
  if (type_.positions > 0) {
    if (!type_.rates && frames == Manifold::se3) turn_to_body_axes(type_, p, work.parts.flow);
    if (!c.balances()) weigh(type_, p, c, work.parts.flow, {work.weighing.data(), 3u * type_.rows});
    for (int i = type_.holonomics_begin; i < type_.rows; ++i)
      work.rows[i] *= c.constraint_accelerations ? 0.0
                      : type_.is_holonomic(i)    ? c.holonomic_scale
                                                 : c.nonholonomic_scale;
    add_constraint_accelerations(e, p, c, work);
    return;
  }
  for (int i = type_.states_begin; i < type_.algebraics_begin; ++i) {
    work.rows[i] *= c.flow;
    if (type_.store) work.rows[i] += c.store * work.store_rows[i];
  }
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
  Work& work = Work::of_thread(type_);
  gather(state, element, work);
  const LocalPoint p = point(state, element, work);
  type_.output_slopes(of(state, elements_)[element], p, seeds(element, shift, operators, work), index,
                      slopes.data());
}

OracleDifference ElementGroup::oracle_difference(const void* e, const LocalPoint& p, const Shift& c) const {
  Work& work = Work::of_thread(type_);
  std::copy_n(p.q, type_.values, work.q.begin());
  const Seeds seeds = this->seeds(0, c, {}, work);
  const int n = type_.rows;
  std::vector<double> rows(n), exact(n * n), matrix(n * n);
  type_.tangent(e, p, c, seeds, rows.data(), exact.data());
  evaluate_by_hand(e, p, c, work, true);
  combine({}, c, {}, work, [&](int entry, double x) { matrix[entry] += x; });
  OracleDifference d;
  const auto compare = [&](double mine, double theirs) {
    d.largest = std::max(d.largest, std::abs(mine - theirs));
    d.size = std::max(d.size, std::abs(theirs));
  };
  for (int i = 0; i < n; ++i)
    if (!c.constraint_accelerations || i < type_.holonomics_begin) compare(work.rows[i], rows[i]);
  for (int i = 0; i < n * n; ++i) compare(matrix[i], exact[i]);
  return d;
}

double ElementGroup::oracle_difference(const State& state, const Shift& shift) const {
  if (!type_.by_hand) return 0;
  double worst = 0;
  const Elements& elements = of(state, elements_);
  for (int k = 0; k < size(); ++k) {
    Work& work = Work::of_thread(type_);
    gather(state, k, work);
    const OracleDifference d = oracle_difference(elements[k], point(state, k, work), shift);
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
