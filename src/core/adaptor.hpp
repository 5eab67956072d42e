// Adaptor: the table (ElementType) of an element type. An element is instantiated in exactly one file, its component's:
//   template struct escapement::Adaptor<escapement::translational::Spring>;
#pragma once
#include <cmath>
#include <memory>
#include <utility>

#include "core/element_type.hpp"
#include "core/rows.hpp"

namespace escapement {

template <class E>
class ElementsOf final : public Elements {
 public:
  void add(E element) {
    list_.push_back(std::move(element));
    first_ = reinterpret_cast<const char*>(list_.data());
    stride_ = sizeof(E);
    count_ = static_cast<int>(list_.size());
  }
  E& back() { return list_.back(); }
  const std::vector<E>& list() const { return list_; }

 private:
  std::vector<E> list_;
};

template <class E>
struct Adaptor {
  using L = Layout<E>;
  using Has = Offers<E>;
  static_assert(L::rows > 0, "an element lists at least one unknown in variables()");
  static_assert(!Has::violation || L::holonomics > 0, "violation() needs a Multiplier");
  static_assert(!Has::slip || L::nonholonomics > 0, "slip() needs a SlipMultiplier");
  static_assert(!Has::by_hand || !Has::switches, "constraints that switch have no rows by hand");
  static_assert(!Has::by_hand || L::states + L::algebraics == 0 || L::positions == 0 ||
                    L::rows == L::positions,
                "rows by hand are of positions and multipliers, or of states and signals");
  static_assert(!Has::by_hand || L::positions == 0 || (Has::violation + Has::store <= 1 && !Has::slip),
                "rows by hand are of one sort: inertia with its weight, a force, or a constraint");
  static_assert(!Has::by_hand || !Has::store || L::algebraics == 0, "by hand only states are stored");

  static const ElementType type;

 private:
  static constexpr bool stores = Has::store && L::positions == 0;
  using Hand = HandParts<L, Has::rates, stores>;
  static constexpr Sort sort = Has::violation ? Sort::constraint : Has::store ? Sort::inertia : Sort::force;

  static const E& of(const void* element) { return *static_cast<const E*>(element); }
  static Point<double, L> point(const LocalPoint& p) {
    Point<double, L> r;
    std::copy_n(p.q, L::values, r.z.q.begin());
    std::copy_n(p.v, L::positions, r.z.v.begin());
    std::copy_n(p.a, L::positions, r.a.begin());
    std::copy_n(p.other, L::others, r.z.other.begin());
    r.z.t = p.t;
    r.z.frames = p.frames;
    r.z.memory = p.memory;
    return r;
  }

  /// add_rows; where the constraints do not act their rows say that the multipliers are zero (T-event-5).
  template <class S>
  static void all_rows(const E& e, const Point<S, L>& p, const Shift& shift, int first,
                       std::array<S, L::rows>& rows) {
    add_rows(e, p, shift, first, rows);
    if constexpr (Has::switches)
      if (!e.active(p.z.memory))
        for (int m = L::holonomics_begin; m < L::rows; ++m) rows[m] = p.z.other[m - L::positions];
  }

  /// The rows of an element; with its acceleration terms of constraints.
  [[gnu::always_inline]] static void rows_of(const E& e, const Point<double, L>& p, const Shift& c,
                                             std::array<double, L::rows>& rows) {
    if constexpr (Has::by_hand) {
      std::array<double, stores ? L::rows : 0> stored{};
      if (L::positions == 0 || !Has::rates || c.balances()) {
        const Hand parts{rows.data(), stored.data(), nullptr};
        e.parts(p.z, p.a, parts);
        weigh_rows<sort>(p, c, parts);
      } else {  // what is weighed needs the mass matrix
        typename Hand::Slopes slopes;
        const Hand parts{rows.data(), stored.data(), &slopes};
        e.parts(p.z, p.a, parts);
        weigh_rows<sort>(p, c, parts);
      }
    } else {
      all_rows(e, p, c, 0, rows);
    }
    add_constraint_accelerations(e, p, c, rows);
  }
  /// Φ̈ and k̇ along the point's accelerations.
  static void add_constraint_accelerations(const E& e, const Point<double, L>& p, const Shift& c,
                                           std::array<double, L::rows>& rows) {
    if constexpr (L::holonomics > 0 || L::nonholonomics > 0) {
      if (!c.constraint_accelerations) return;
      if constexpr (Has::switches)
        if (!e.active(p.z.memory)) return;
      std::array<double, L::rows> high{};
      constraint_rows(e, p, 2, 1, high);
      for (int i = L::holonomics_begin; i < L::rows; ++i)
        rows[i] += (is_holonomic<L>(i) ? c.holonomic_scale : c.nonholonomic_scale) * high[i];
    }
  }
  /// Rows and tangent by dual numbers, by add(row, column, value).
  template <class Add>
  static void differentiate(const E& e, const Point<double, L>& p, const Shift& c,
                            const Operators<L>& operators, std::array<double, L::rows>& rows,
                            const Add& add) {
    constexpr int K = chunk(L::rows);
    for (int first = 0; first < L::rows; first += K) {
      std::array<Dual<K>, L::rows> r{};
      all_rows(e, seeded<K>(p, c, operators, first), c, first, r);
      for (int i = 0; i < L::rows; ++i) {
        if (first == 0) rows[i] = r[i].v;
        for (int j = first; j < std::min(L::rows, first + K); ++j) add(i, j, r[i].d[j - first]);
      }
    }
  }
  template <class Add>
  [[gnu::always_inline]] static void tangent_of(const E& e, const Point<double, L>& p, const Shift& c,
                                                const Operators<L>& operators,
                                                std::array<double, L::rows>& rows, const Add& add) {
    if constexpr (Has::by_hand) {
      std::array<double, stores ? L::rows : 0> stored{};
      typename Hand::Slopes slopes;
      const Hand parts{rows.data(), stored.data(), &slopes};
      e.parts(p.z, p.a, parts);
      weigh_rows<sort>(p, c, parts);
      combine(c, p.z.frames, operators, parts, add);
    } else {
      differentiate(e, p, c, operators, rows, add);
    }
    add_constraint_accelerations(e, p, c, rows);
  }
  template <class F>
  [[gnu::always_inline]] static void each(const ElementLoop& loop, int begin, int end, const F& f) {
    for (int k = begin; k < end; ++k) {
      if (loop.skipped && loop.skipped[k]) continue;
      const Place* const places = loop.places + k * L::handles;
      Point<double, L> p;
      gather(loop, places, p);
      if constexpr (Has::memory > 0 || Has::sides) p.z.memory = loop.memory_of(k);
      f(*reinterpret_cast<const E*>(loop.elements + k * loop.stride), p, places, k);
    }
  }

  static constexpr auto unknowns() {
    std::array<ElementType::Unknown, L::handles> list{};
    int value = 0, count = 0, next[kind_count];
    for (int k = 0; k < kind_count; ++k) next[k] = L::begin_of(static_cast<Kind>(k));
    const auto place = [&]<class H>() {
      int& row = next[static_cast<int>(H::kind)];
      const bool position = H::kind == Kind::position;
      list[count++] = {H::kind, H::manifold, H::values, H::dofs, position ? value : row - L::positions, row};
      if (position) value += H::values;
      row += H::dofs;
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (place.template operator()<std::tuple_element_t<i, typename L::Tuple>>(), ...);
    }
    (std::make_index_sequence<L::handles>());
    return list;
  }
  static constexpr auto unknowns_ = unknowns();
  static constexpr auto slots_ = position_slots<L>();
  static void describe(ElementType& t);
  static void add_equations(ElementType& t);
  static void add_readings(ElementType& t);
  static void add_events(ElementType& t);
  static ElementType make() {
    ElementType t{};
    describe(t);
    if constexpr (Has::acts) add_equations(t);
    add_readings(t);
    add_events(t);
    return t;
  }
};

template <class E>
void Adaptor<E>::describe(ElementType& t) {
  t.type = &typeid(E);
  t.unknowns = unknowns_;
  t.slots = slots_;
  t.values = L::values, t.positions = L::positions;
  t.states_begin = L::states_begin, t.algebraics_begin = L::algebraics_begin;
  t.holonomics_begin = L::holonomics_begin, t.nonholonomics_begin = L::nonholonomics_begin;
  t.rows = L::rows;
  t.acts = Has::acts, t.has_lie = L::has_lie, t.flow = Has::flow, t.store = Has::store;
  t.violation = Has::violation, t.slip = Has::slip, t.constant_inertia = Has::constant_inertia;
  t.by_hand = Has::by_hand, t.rates = Has::rates, t.switches = Has::switches, t.sides = Has::sides;
  t.memory = Has::memory;
  t.handles = [](const void* element, Handle** list) {
    std::apply(
        [&](const auto&... h) {
          ((*list++ = const_cast<Handle*>(static_cast<const Handle*>(&h))), ...);  // members of the element
        },
        of(element).variables());
  };
}

template <class E>
void Adaptor<E>::add_equations(ElementType& t) {
  t.residual = [](const ElementLoop& loop, int begin, int end) {
    each(
        loop, begin, end,
        [&](const E& e, const Point<double, L>& p, const Place* places, int) __attribute__((always_inline)) {
          std::array<double, L::rows> rows{};
          rows_of(e, p, loop.shift, rows);
          scatter<L>(loop, places, rows);
        });
  };
  t.tangent = [](const ElementLoop& loop, int begin, int end) {
    each(
        loop, begin, end,
        [&](const E& e, const Point<double, L>& p, const Place* places, int k)
            __attribute__((always_inline)) {
              std::array<double, L::rows> rows{};
              const int* const map = loop.map + static_cast<std::ptrdiff_t>(k) * L::rows * L::rows;
              tangent_of(
                  e, p, loop.shift, operators_of<L>(loop, places),
                  rows, [&](int i, int j, double x) __attribute__((always_inline)) {
                    if (const int at = map[i * L::rows + j]; at >= 0) loop.values[at] += x;
                  });
              scatter<L>(loop, places, rows);
            });
  };
  t.probe = [](const void* element, const LocalPoint& p, const LocalDirection& d, ElementType::Function which,
               double* rows, double* derivative) {
    const E& e = of(element);
    auto z = lifted<1>(point(p).z);
    for (int i = 0; i < L::values; ++i) z.q[i].d[0] = d.q[i];
    for (int i = 0; i < L::positions; ++i) z.v[i].d[0] = d.v[i];
    for (int i = 0; i < L::others; ++i) z.other[i].d[0] = d.other[i];
    Rows<Dual<1>, L> out;
    using enum ElementType::Function;
    if constexpr (Has::flow)
      if (which == flow) e.flow(z, out);
    if constexpr (Has::store)
      if (which == store) e.store(z, out);
    if constexpr (Has::violation)
      if (which == violation) e.violation(z, out);
    if constexpr (Has::slip)
      if (which == slip) e.slip(z, out);
    for (int i = 0; i < L::rows; ++i) rows[i] = out.r[i].v, derivative[i] = out.r[i].d[0];
  };
  if constexpr (Has::by_hand) {
    t.mark_slopes = [](const void* e, const LocalPoint& at, char* marks) {
      if constexpr (L::positions > 0) {
        const auto p = point(at);
        std::array<double, L::rows> rows{};
        typename Hand::Slopes slopes;
        const Hand parts{rows.data(), nullptr, &slopes};
        of(e).parts(p.z, p.a, parts);
        if constexpr (!Has::rates)
          if (p.z.frames == Manifold::se3) turn_to_body_axes(p.z, parts);
        for (int i = 0; i < L::rows; ++i)
          for (int j = 0; j < L::positions; ++j) {
            bool occupied = parts.stiffness(i, j) != 0;
            if constexpr (Has::rates)
              occupied = occupied || parts.damping(i, j) != 0 || parts.mass(i, j) != 0;
            if (occupied) marks[i * L::rows + j] = 1;
          }
      }
    };
    t.compare = [](const void* e, const LocalPoint& at, const Shift& c) {
      const auto p = point(at);
      std::array<double, L::rows> mine{}, theirs{};
      std::array<double, L::rows * L::rows> tangent{}, exact{};
      tangent_of(of(e), p, c, {}, mine, [&](int i, int j, double x) { tangent[i * L::rows + j] += x; });
      differentiate(of(e), p, c, {}, theirs, [&](int i, int j, double x) { exact[i * L::rows + j] += x; });
      add_constraint_accelerations(of(e), p, c, theirs);
      OracleDifference d;
      const auto take = [&](double a, double b) {
        d.largest = std::max(d.largest, std::abs(a - b));
        d.size = std::max(d.size, std::abs(b));
      };
      for (int i = 0; i < L::rows; ++i) take(mine[i], theirs[i]);
      for (int i = 0; i < L::rows * L::rows; ++i) take(tangent[i], exact[i]);
      return d;
    };
  }
  if constexpr (L::holonomics > 0 || L::nonholonomics > 0)
    t.constraints = [](const void* e, const LocalPoint& p, int holonomic_level, int nonholonomic_level,
                       double* rows) {
      std::array<double, L::rows> r{};
      constraint_rows(of(e), point(p), holonomic_level, nonholonomic_level, r);
      for (int i = L::holonomics_begin; i < L::rows; ++i) rows[i] += r[i];
    };
}

template <class E>
void Adaptor<E>::add_readings(ElementType& t) {
  if constexpr (Has::outputs) {
    t.outputs = E::outputs;
    t.output = [](const void* e, const LocalPoint& p, int index) -> double {
      return of(e).output(point(p).z, index);
    };
    t.output_slopes = [](const void* e, const LocalPoint& p, const Shift& c, const double* const* given,
                         int index, double* slopes) {
      constexpr int K = chunk(L::rows);
      const auto at = point(p);
      Operators<L> operators;
      std::copy_n(given, operators.size(), operators.begin());
      for (int first = 0; first < L::rows; first += K) {
        const Dual<K> y = of(e).output(seeded<K>(at, c, operators, first).z, index);
        for (int j = first; j < std::min(L::rows, first + K); ++j) slopes[j] = y.d[j - first];
      }
    };
  }
  if constexpr (Has::energy)
    t.energy = [](const void* e, const LocalPoint& p) -> double { return of(e).energy(point(p).z); };
  else if constexpr (Has::potential && !Has::loss)
    t.energy = [](const void* e, const LocalPoint& p) -> double { return of(e).potential(point(p).z); };
  if constexpr (Has::loss)
    t.loss = [](const void* e, const LocalPoint& p) -> double { return of(e).loss(point(p).z); };
  if constexpr (Has::phases)
    t.phases = [](const void* e, const LocalPoint& p, std::vector<double>& angles) {
      of(e).phases(point(p).z, angles);
    };
  if constexpr (Has::kinks) {
    t.kinks_count = E::kinks;
    t.kink = [](const void* e, const LocalPoint& p, int i) -> double { return of(e).kink(point(p).z, i); };
  }
  if constexpr (Has::accept)
    t.accept = [](const void* e, const LocalPoint& p, double* memory) { of(e).accept(point(p).z, memory); };
}

template <class E>
void Adaptor<E>::add_events(ElementType& t) {
  if constexpr (Has::crossings > 0) {
    t.crossings_count = Has::crossings;
    t.crossing = [](const void* e, const LocalPoint& p, int i) -> double {
      return of(e).crossing(point(p).z, i);
    };
    t.cross = [](const void* e, const LocalPoint& p, int i, double* memory) {
      return of(e).cross(point(p).z, i, memory);
    };
  }
  if constexpr (Has::ends_at_zero)
    t.ends_at_zero = [](const void* e, const LocalPoint& p, int i) -> bool {
      return of(e).ends_at_zero(point(p).z, i);
    };
  if constexpr (Has::enter)
    t.enter = [](const void* e, const LocalPoint& p, double* memory) { of(e).enter(point(p).z, memory); };
  if constexpr (Has::switches)
    t.active = [](const void* e, const double* memory) { return of(e).active(memory); };
  if constexpr (Has::loosen) t.loosen = [](const void* e, double* memory) { of(e).loosen(memory); };
  if constexpr (Has::strength) t.strength = [](const void* e) { return of(e).strength(); };
  if constexpr (Has::rebound) {
    t.rebound = [](const void* e, double speed) { return of(e).rebound(speed); };
    t.release = [](const void* e, double* memory) { of(e).release(memory); };
  }
  if constexpr (Has::sides) {
    t.sides_of = [](const void* e) { return of(e).sides(); };
    t.each_expression = [](const void* e, const LocalPoint& p, void* context, ElementType::Visit visit) {
      of(e).each_expression(point(p).z, [&](const Switching& expression, const auto& inputs) {
        visit(context, expression, inputs);
      });
    };
  }
}

template <class E>
const ElementType Adaptor<E>::type = Adaptor<E>::make();

}  // namespace escapement
