// Group: all elements of one type, contiguous. The only virtual call, once per type per assembly: it gathers,
// evaluates and scatters through a precomputed map into the values of the fixed pattern.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "core/element.hpp"
#include "core/error.hpp"
#include "core/state.hpp"
#include "core/workers.hpp"
#include "sparse/pattern.hpp"

namespace escapement {

/// "escapement::planar::Mass" from the compiler's own spelling of it.
std::string readable_name(const char* mangled);

/// Where a variable stands: first value, first row, and its T(u) among the tangent operators (Lie groups).
struct Place {
  int value = -1, row = -1, tangent = -1;
};

/// How threads share the elements of a large group: pieces of so many of them, one after the other. Elements that write to a row
/// which another piece writes to, too, come last, one by one: every sum has its order, however many threads there are.
class Pieces {
 public:
  static constexpr int size = 1024, least = 4096;
  /// `rows`: of all elements, so many each; -1 where there is none.
  void divide(std::span<const int> rows, int per_element);

  template <class F>
  void each(int elements, const F& f) const {
    if (pieces_ == 0) {
      for (int k = 0; k < elements; ++k) f(k);
      return;
    }
    Workers::shared().run(pieces_, [&](int piece) {
      for (int k = piece * size; k < std::min(elements, (piece + 1) * size); ++k)
        if (!border_[k]) f(k);
    });
    for (const int k : borders_) f(k);
  }

 private:
  int pieces_ = 0;  // 0: all in one
  std::vector<char> border_;
  std::vector<int> borders_;
};

class GroupBase {
 public:
  virtual ~GroupBase() = default;
  virtual void connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) = 0;
  virtual void map(const Pattern& pattern) = 0;
  virtual void check_structure() const = 0;
  virtual void residual(const State& state, const Shift& shift, std::span<double> r) const = 0;
  virtual void tangent(const State& state, const Shift& shift, std::span<const double> operators,
                       std::span<double> r, std::span<double> values) const = 0;
  virtual void constraints(const State& state, int holonomic_level, int nonholonomic_level,
                           std::span<double> r) const = 0;
  /// Power bookkeeping of elements that state their energy or loss.
  struct Power {
    double energy = 0, loss = 0;
    bool stated = false;
  };
  virtual Power power(const State& state) const = 0;
  /// Output `index` of an element (`outputs`).
  virtual double output(const State& state, int element, int index) const = 0;
  /// First place of an element in State::memory.
  virtual int memory_of(int element) const = 0;
  /// Values of the switching functions (`kinks`) of all elements, appended.
  virtual void kinks(const State& state, std::vector<double>& values) const = 0;
  /// The angles (rad) whose sines elements take (`phases`), appended: how far they turn in a step says what it resolves.
  virtual void phases(const State&, std::vector<double>& /*angles*/) const {}
  /// Values of the functions that end a mode (`crossings`) of all elements, appended.
  virtual void crossings(const State&, std::vector<double>&) const {}
  virtual int crossings_of(int /*element*/) const { return 0; }
  /// Function i of an element has passed zero.
  virtual Continuation cross(State&, int /*element*/, int /*i*/) const { return Continuation::jump; }
  /// Function i is zero, and the present mode is one that does not hold there: `a > b` where they are equal (T-kink-5).
  virtual bool ends_at_zero(const State&, int /*element*/, int /*i*/) const { return false; }
  /// Then it changes to the one that does.
  virtual Continuation land(State& state, int element, int i) const { return cross(state, element, i); }
  /// Function i has passed zero in this step, of which these are the beginning, the middle and the end: is it worth
  /// ending the step there (T-kink-3)?
  virtual bool matters(const State& /*begin*/, const State& /*middle*/, const State& /*end*/, int /*element*/,
                       int /*i*/) const {
    return true;
  }
  /// What switches, as the model has it; empty: the element itself.
  virtual std::string switch_text(int /*element*/, int /*i*/) const { return {}; }
  /// Modes at the start.
  virtual void enter(State&) const {}
  /// An impact of this element at this speed: its constraint row, and the speed afterwards (0: it stays in contact).
  struct Impact {
    int row = -1;
    double rebound = 0;
  };
  virtual Impact impact(int /*element*/, double /*speed*/) const { return {}; }
  virtual void release(State&, int /*element*/) const {}
  /// Elements in contact that might rebound, appended.
  virtual void touching(const State&, std::vector<int>&) const {}
  /// Constraints of finite force give way, before an impact; true: there are some, which enter() again afterwards.
  virtual bool loosen(State&) const { return false; }
  /// Marks the constraint rows that may come and go …
  virtual void switching_rows(std::span<char>) const {}
  /// How much those of finite force can bear, by row.
  virtual void strengths(std::span<double>) const {}
  /// … and those that do not act now.
  virtual void open_rows(const State&, std::span<char>) const {}
  /// Takes the numbers of the same group of another system.
  virtual void take(GroupBase& other) = 0;
  virtual int size() const = 0;
  /// Largest difference between hand-written assembly and the differentiated functions (0 where there is none).
  virtual double oracle_difference(const State& state, const Shift& shift) const = 0;
  /// Why a row of this group is not a finite number, if an element knows.
  virtual const ModelError* fault() const { return nullptr; }
  /// After an accepted step: what elements remember (`accept`).
  virtual void accept(State&) const {}
  bool has_states = false, has_constraints = false, has_momenta = false, accepts = false, switches = false;
  bool has_sides = false;             // of expressions: what is remembered of each crossing is its side
  Manifold frames = Manifold::r3so3;  // where frames move (set by the builder)
};

/// Dense local tangent, written by analytic elements: k(row handle, i, column handle, j).
template <class L>
struct LocalMatrix {
  std::array<double, L::rows * L::rows> m{};
  template <class H, class C>
  double& operator()(const H& h, int i, const C& c, int j) {
    return m[(h.local_row + i) * L::rows + c.local_row + j];
  }
};

template <class E>
class Group final : public GroupBase {
 public:
  using L = Layout<E>;
  using Has = Offers<E>;
  static_assert(L::rows > 0, "an element lists at least one unknown in variables()");
  static_assert(!Has::violation || L::holonomics > 0, "violation() needs a Multiplier");
  static_assert(!Has::slip || L::nonholonomics > 0, "slip() needs a SlipMultiplier");
  static_assert(!Has::analytic || !L::has_lie, "hand-written assembly is for vector positions");
  static_assert(!Has::switches || (!Has::analytic && !Has::motion),
                "constraints that switch have no assembly by hand");
  static_assert(!Has::motion || L::states + L::algebraics == 0, "motion() is for positions and multipliers");
  static_assert(!Has::motion || (Has::violation + Has::store <= 1 && !Has::slip),
                "motion() is of one sort: inertia with its weight, a force, or a constraint");

  Group() {
    has_states = L::states > 0;
    has_constraints = L::holonomics > 0 || L::nonholonomics > 0;
    has_momenta = Has::store && L::positions > 0;
    accepts = Has::accept;
    switches = Has::switches;
    has_sides = Has::sides;
  }

  int add(E element) {
    int value = 0, row[kind_count] = {L::begin_of(Kind::position), L::begin_of(Kind::state),
                                      L::begin_of(Kind::algebraic), L::begin_of(Kind::holonomic),
                                      L::begin_of(Kind::nonholonomic)};
    std::apply(
        [&](const auto&... handle) {
          (
              [&]<class H>(const H& h) {
                auto& own = const_cast<H&>(h);  // a member of our own, non-const `element`
                int& next = row[static_cast<int>(H::kind)];
                own.local_row = next;
                next += H::dofs;
                if constexpr (H::kind == Kind::position) {
                  own.local = value;
                  value += H::values;
                } else {
                  own.local = own.local_row - L::positions;
                }
              }(handle),
              ...);
        },
        element.variables());
    elements_.push_back(std::move(element));
    return static_cast<int>(elements_.size()) - 1;
  }

  void connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) override {
    places_.resize(elements_.size());
    memory_begin_ = memory_size;
    if constexpr (Has::sides)
      for (const E& e : elements_) {
        sides_begin_.push_back(memory_size);
        memory_size += e.sides();
      }
    else memory_size += Has::memory * static_cast<int>(elements_.size());
    for (std::size_t k = 0; k < elements_.size(); ++k) {
      int i = 0;
      std::apply(
          [&](const auto&... h) { ((places_[k][i++] = h.is_ground() ? Place{} : places[h.variable]), ...); },
          elements_[k].variables());
      const auto rows = global_rows(places_[k]);
      pattern.add_block(rows, shape(elements_[k]));
    }
    if (size() < Pieces::least || !Has::acts) return;
    std::vector<int> all;
    for (const Places& p : places_)
      for (const int row : global_rows(p)) all.push_back(row);
    pieces_.divide(all, L::rows);
  }

  void map(const Pattern& pattern) override {
    map_.resize(elements_.size());
    for (std::size_t k = 0; k < elements_.size(); ++k) {
      const auto rows = global_rows(places_[k]);
      pattern.find_block(rows, shape(elements_[k]), map_[k]);
    }
  }

  /// What the core cannot honour is refused: rows written by the wrong function, stores of position and algebraic rows
  /// on unknowns without a known rate, momentum that is not linear in velocity, constraints on anything but positions
  /// and time (Φ) or positions, velocities and time (k), false claims of constant inertia. Evaluated at a generic
  /// point, by exact derivatives, element by element.
  void check_structure() const override {
    for (const E& e : elements_) check_element(e);
  }

  void residual(const State& state, const Shift& shift, std::span<double> r) const override {
    if constexpr (Has::acts)
      pieces_.each(size(), [&](int k) {
        Point<double, L> p;
        gather(state, k, p);
        std::array<double, L::rows> rows{};
        evaluate(elements_[k], p, shift, rows);
        scatter(places_[k], rows, r);
      });
  }

  void tangent(const State& state, const Shift& shift, std::span<const double> operators, std::span<double> r,
               std::span<double> values) const override {
    if constexpr (Has::acts)
      pieces_.each(size(), [&](int k) {
        Point<double, L> p;
        gather(state, k, p);
        if constexpr (Has::motion) tangent_by_hand(k, p, shift, operators, r, values);
        else if (Has::analytic && !shift.constraint_accelerations) tangent_analytic(k, p, shift, r, values);
        else tangent_differentiated(k, p, shift, operators, r, values);
      });
  }

  void constraints(const State& state, int holonomic_level, int nonholonomic_level,
                   std::span<double> r) const override {
    if constexpr (L::holonomics > 0 || L::nonholonomics > 0) {
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        if (!acting(elements_[k], p)) continue;
        std::array<double, L::rows> rows{};
        constraint_rows(elements_[k], p, holonomic_level, nonholonomic_level, rows);
        scatter(places_[k], rows, r);
      }
    }
  }

  Power power(const State& state) const override {
    Power sum;
    if constexpr (Has::energy || Has::loss) {
      sum.stated = true;
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        if constexpr (Has::energy) sum.energy += elements_[k].energy(p.z);
        if constexpr (Has::loss) sum.loss += elements_[k].loss(p.z);
      }
    } else if constexpr (Has::potential) {
      sum.stated = true;
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        sum.energy += elements_[k].potential(p.z);
      }
    }
    return sum;
  }

  void kinks(const State& state, std::vector<double>& values) const override {
    if constexpr (Has::kinks) {
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        for (int i = 0; i < E::kinks; ++i) values.push_back(elements_[k].kink(p.z, i));
      }
    }
  }

  void phases(const State& state, std::vector<double>& angles) const override {
    if constexpr (Has::phases) {
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        elements_[k].phases(p.z, angles);
      }
    }
    (void)state, (void)angles;
  }

  void crossings(const State& state, std::vector<double>& values) const override {
    if constexpr (Has::crossings > 0) {
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        for (int i = 0; i < Has::crossings; ++i) values.push_back(elements_[k].crossing(p.z, i));
      }
    } else if constexpr (Has::sides) {
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        const int n = elements_[k].sides();
        if (n == 0) continue;
        gather(state, k, p);
        values.resize(values.size() + n);
        const std::span<double> own(values.end() - n, values.end());
        elements_[k].each_expression(
            p.z, [&](const auto& e, const auto& inputs) { e.crossings(inputs, p.z.memory, own); });
      }
    }
    (void)state, (void)values;
  }
  int crossings_of(int element) const override {
    if constexpr (Has::sides) return elements_[element].sides();
    (void)element;
    return Has::crossings;
  }
  bool matters(const State& begin, const State& middle, const State& end, int element, int i) const override {
    if constexpr (Has::sides) {
      const auto bend = [&](const State& state) {
        Point<double, L> p;
        gather(state, element, p);
        Bend b;
        elements_[element].each_expression(p.z, [&](const auto& e, const auto& inputs) {
          if (e.has_side(i)) b = e.bend(inputs, p.z.memory, i);
        });
        return b;
      };
      return escapement::matters(bend(begin), bend(middle), bend(end));
    } else {
      return GroupBase::matters(begin, middle, end, element, i);
    }
  }
  std::string switch_text(int element, int i) const override {
    std::string text;
    if constexpr (Has::sides)
      elements_[element].each_expression(Values<double, L>{}, [&](const auto& e, const auto&) {
        if (e.has_side(i)) text = e.switch_text(i);
      });
    (void)element, (void)i;
    return text;
  }
  Continuation cross(State& state, int element, int i) const override {
    if constexpr (Has::sides) {
      Point<double, L> p;
      gather(state, element, p);
      double* const sides = &state.memory[memory_of(element)];
      const bool undecided = sides[i] == 0;
      elements_[element].each_expression(p.z, [&](const auto& e, const auto& inputs) {
        if (e.has_side(i)) e.cross(inputs, sides, i);
      });
      return undecided ? Continuation::none : Continuation::jump;
    } else if constexpr (Has::crossings > 0) {
      Point<double, L> p;
      gather(state, element, p);
      return elements_[element].cross(p.z, i, &state.memory[memory_of(element)]);
    } else {
      return GroupBase::cross(state, element, i);
    }
  }
  bool ends_at_zero(const State& state, int element, int i) const override {
    bool ends = false;
    if constexpr (Has::sides || Has::ends_at_zero) {
      Point<double, L> p;
      gather(state, element, p);
      if constexpr (Has::sides)
        elements_[element].each_expression(p.z, [&](const auto& e, const auto& inputs) {
          if (e.has_side(i)) ends = e.ends_at_zero(inputs, p.z.memory, i);
        });
      else ends = elements_[element].ends_at_zero(p.z, i);
    }
    (void)state, (void)element, (void)i;
    return ends;
  }
  Continuation land(State& state, int element, int i) const override {
    if constexpr (Has::sides) {
      Point<double, L> p;
      gather(state, element, p);
      double* const sides = &state.memory[memory_of(element)];
      elements_[element].each_expression(p.z, [&](const auto& e, const auto& inputs) {
        if (e.has_side(i)) e.land(inputs, sides, i);
      });
      return Continuation::jump;
    } else {
      return GroupBase::land(state, element, i);
    }
  }
  void enter(State& state) const override {
    if constexpr (Has::enter) {
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        elements_[k].enter(p.z, &state.memory[memory_of(static_cast<int>(k))]);
      }
    }
    if constexpr (Has::sides)
      for (int k = 0; k < size(); ++k)
        std::fill_n(state.memory.begin() + memory_of(k), elements_[k].sides(), 0.0);
    (void)state;
  }
  Impact impact(int element, double speed) const override {
    if constexpr (Has::rebound)
      return {global_rows(places_[element])[L::holonomics_begin], elements_[element].rebound(speed)};
    else return GroupBase::impact(element, speed);
  }
  void release(State& state, int element) const override {
    if constexpr (Has::rebound) elements_[element].release(&state.memory[memory_of(element)]);
    (void)state, (void)element;
  }
  void touching(const State& state, std::vector<int>& elements) const override {
    if constexpr (Has::rebound)
      for (int k = 0; k < size(); ++k)
        if (elements_[k].active(&state.memory[memory_of(k)])) elements.push_back(k);
    (void)state, (void)elements;
  }
  bool loosen(State& state) const override {
    if constexpr (Has::loosen)
      for (std::size_t k = 0; k < elements_.size(); ++k)
        elements_[k].loosen(&state.memory[memory_of(static_cast<int>(k))]);
    (void)state;
    return Has::loosen;
  }
  void switching_rows(std::span<char> rows) const override {
    if constexpr (Has::switches)
      for (int k = 0; k < size(); ++k) mark_constraints(k, rows);
    (void)rows;
  }
  void strengths(std::span<double> rows) const override {
    if constexpr (Has::strength)
      for (int k = 0; k < size(); ++k) {
        const auto its = global_rows(places_[k]);
        for (int i = L::holonomics_begin; i < L::rows; ++i)
          if (its[i] >= 0) rows[its[i]] = elements_[k].strength();
      }
    (void)rows;
  }
  void open_rows(const State& state, std::span<char> open) const override {
    if constexpr (Has::switches)
      for (int k = 0; k < size(); ++k)
        if (!elements_[k].active(&state.memory[memory_of(k)])) mark_constraints(k, open);
    (void)state, (void)open;
  }
  void take(GroupBase& other) override { elements_.swap(static_cast<Group&>(other).elements_); }
  int size() const override { return static_cast<int>(elements_.size()); }

  double oracle_difference(const State& state, const Shift& shift) const override {
    double worst = 0;
    if constexpr (Has::analytic) {
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        Rows<double, L> rows;
        LocalMatrix<L> matrix;
        elements_[k].assemble(p.z, p.a, shift, rows, &matrix);
        std::array<Dual<L::rows>, L::rows> exact{};
        add_all(elements_[k], seeded(p, shift, operators_of(places_[k], {})), shift, exact);
        for (int i = 0; i < L::rows; ++i) {
          worst = std::max(worst, std::abs(rows.r[i] - exact[i].v) / (1 + std::abs(exact[i].v)));
          for (int j = 0; j < L::rows; ++j)
            worst = std::max(
                worst, std::abs(matrix.m[i * L::rows + j] - exact[i].d[j]) / (1 + std::abs(exact[i].d[j])));
        }
      }
    }
    (void)state, (void)shift;
    return worst;
  }

  void accept(State& state) const override {
    if constexpr (Has::accept) {
      Point<double, L> p;
      for (std::size_t k = 0; k < elements_.size(); ++k) {
        gather(state, k, p);
        elements_[k].accept(p.z, &state.memory[memory_of(static_cast<int>(k))]);
      }
    }
    (void)state;
  }

  double output(const State& state, int element, int index) const override {
    if constexpr (Has::outputs) {
      Point<double, L> p;
      gather(state, element, p);
      return elements_[element].output(p.z, index);
    } else {
      (void)state, (void)element, (void)index;
      return NAN;
    }
  }
  int memory_of(int element) const override {
    if constexpr (Has::sides) return sides_begin_[element];
    return memory_begin_ + element * Has::memory;
  }
  std::span<const E> elements() const { return elements_; }

  /// Position rows in parts (Shift::momentum …). What is written by hand is an inertia with its weight, whose M is constant in
  /// the coordinates of its velocities (not on SE(3)), or a force, or a constraint.
  static void weigh(const Point<double, L>& p, const Shift& c, Rows<double, L>& rows,
                    MotionTangent<L, Has::rates>& t) {
    constexpr int n = L::positions;
    if constexpr (Has::store) {
      std::array<double, L::rows> momentum{}, rate{}, turning{};
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          momentum[i] += t.mass(i, j) * p.z.v[j];
          rate[i] += t.mass(i, j) * p.a[j];
        }
      add_coadjoint<double, L>(p.z, momentum, turning);
      for (int i = 0; i < n; ++i)
        rows.r[i] = c.momentum * momentum[i] + c.momentum_rate * (rate[i] + turning[i]) +
                    c.force * (rows.r[i] - rate[i] - turning[i]);
      for (int i = 0; i < n * n; ++i) {
        t.K[i] *= c.force;
        t.C[i] = c.momentum * t.M[i] + c.momentum_rate * t.C[i];
        t.M[i] *= c.momentum_rate;
      }
    } else {
      const double weight = Has::violation ? c.reaction : c.force;
      for (int i = 0; i < n; ++i) rows.r[i] *= weight;
      for (int i = 0; i < n * n; ++i) {
        t.K[i] *= weight;
        if constexpr (Has::rates) t.C[i] *= weight;
      }
    }
  }

 private:
  using Places = std::array<Place, L::handles>;
  using Tangent = MotionTangent<L, Has::rates>;

  void check_element(const E& e) const {
    constexpr int n = L::positions + L::positions + L::others;  // along q, along v, along everything else
    constexpr int velocities = L::positions, others = 2 * L::positions;
    Point<double, L> p = generic_point(0);
    std::vector<double> memory(Has::memory, 0.0);
    if constexpr (Has::sides) memory.resize(e.sides(), 0.0);
    p.z.memory = memory.data();
    p.z.frames = frames;
    auto z = lifted<n>(p.z);
    along_positions(z, p.z, 0);
    for (int i = 0; i < L::positions; ++i) z.v[i].d[velocities + i] = 1.0;
    for (int i = 0; i < L::others; ++i) z.other[i].d[others + i] = 1.0;
    const auto depends = [](const Dual<n>& row, int first, int last) {
      for (int i = first; i < last; ++i)
        if (std::abs(row.d[i]) > 0) return true;
      return false;
    };
    const auto refuse = [](const char* code, const char* cause, const char* hint) {
      throw ModelError(code, readable_name(typeid(E).name()), cause, hint);
    };
    const auto touched = [&](const Dual<n>& row) { return row.v != 0 || depends(row, 0, n); };
    const auto is_holonomic = [](int r) { return r >= L::holonomics_begin && r < L::nonholonomics_begin; };
    if constexpr (Has::store) {
      Rows<Dual<n>, L> s;
      e.store(z, s);
      for (int r = 0; r < L::rows; ++r) {
        if (r >= L::states_begin && r < L::algebraics_begin) continue;
        if (r >= L::holonomics_begin && touched(s.r[r]))
          refuse("E-ELEMENT", "store() writes to the row of a multiplier", "constraints have no store");
        if (depends(s.r[r], others, n))
          refuse("E-STORE", "the store of a position or algebraic row depends on an unknown without a rate",
                 "give the changing quantity a state row of its own (store = x, flow = -y) and use y");
        if (r >= L::positions) continue;
        if (Has::constant_inertia && depends(s.r[r], 0, velocities))
          refuse("E-STORE", "momentum declared constant_inertia depends on position",
                 "remove constant_inertia");
        double linear = 0;
        for (int i = 0; i < L::positions; ++i) linear += s.r[r].d[velocities + i] * p.z.v[i];
        if (std::abs(linear - s.r[r].v) > 1e-9 * (1 + std::abs(linear)))
          refuse("E-STORE", "momentum is not of the form M(q, t) v",
                 "write what does not depend on velocity as a flow");
      }
    }
    if constexpr (Has::flow) {
      Rows<Dual<n>, L> f;
      e.flow(z, f);
      for (int r = L::holonomics_begin; r < L::rows; ++r) {
        if (is_holonomic(r) && touched(f.r[r]))
          refuse("E-ELEMENT", "flow() writes to the row of a holonomic multiplier",
                 "write it as violation()");
        if (!is_holonomic(r) && depends(f.r[r], others, n))
          refuse("E-INDEX", "a nonholonomic constraint depends on a state, signal or multiplier",
                 "constrain positions, velocities and functions of time only");
      }
    }
    if constexpr (Has::violation) {
      Rows<Dual<n>, L> phi;
      e.violation(z, phi);
      for (int r = 0; r < L::rows; ++r) {
        if (!is_holonomic(r) && touched(phi.r[r]))
          refuse("E-ELEMENT", "violation() writes to a row that is no holonomic constraint", "");
        if (is_holonomic(r) && depends(phi.r[r], velocities, n))
          refuse("E-INDEX",
                 "a holonomic constraint depends on a velocity, state or signal: its multiplier would be "
                 "wrong at any "
                 "step size",
                 "constrain positions and functions of time only; pass a signal through a second-order "
                 "reference "
                 "filter");
      }
    }
    if constexpr (Has::slip) {
      Rows<Dual<n>, L> k;
      e.slip(z, k);
      for (int r = 0; r < L::rows; ++r) {
        if (r < L::nonholonomics_begin && touched(k.r[r]))
          refuse("E-ELEMENT", "slip() writes to a row that is no nonholonomic constraint", "");
        if (r >= L::nonholonomics_begin && depends(k.r[r], others, n))
          refuse("E-INDEX", "a nonholonomic constraint depends on a state or signal",
                 "constrain positions, velocities and functions of time only");
      }
    }
  }

  /// Which local entries can be non-zero (by which functions the element offers, never by its numbers).
  static constexpr bool coupled(int row, int column) {
    if (!Has::acts) return false;
    const bool position_column = column < L::positions;
    if (Has::switches && row == column) return true;  // its multiplier is zero
    if (row >= L::holonomics_begin && row < L::nonholonomics_begin) return position_column;
    if (row >= L::nonholonomics_begin && !Has::flow) return position_column;
    return true;
  }

  /// The same; of elements by hand (smooth, without cases) only what is not zero at two generic points.
  std::array<bool, L::rows * L::rows> shape(const E& e) const {
    std::array<bool, L::rows * L::rows> occupied;
    for (int r = 0; r < L::rows; ++r)
      for (int c = 0; c < L::rows; ++c) occupied[r * L::rows + c] = coupled(r, c);
    if constexpr (Has::motion) {
      constexpr int n = L::positions;
      std::array<bool, L::rows * n> seen{};
      for (const double shift : {0.0, 0.37}) {
        Rows<double, L> rows;
        Tangent t;
        Point<double, L> p = generic_point(shift);
        p.z.frames = frames;
        move(e, p, rows, &t);
        for (int i = 0; i < L::rows * n; ++i) {
          seen[i] = seen[i] || t.K[i] != 0;
          if constexpr (Has::rates) seen[i] = seen[i] || t.C[i] != 0 || t.M[i] != 0;
        }
      }
      const std::array<bool, L::rows* n> plain = seen;
      for (const Slot& s : position_slots<L>()) {  // T(u) mixes the columns of a rotation
        if (s.manifold == Manifold::vector) continue;
        const int first = frames == Manifold::r3so3 && s.manifold == Manifold::se3 ? 3 : 0;
        for (int r = 0; r < L::rows; ++r) {
          bool any = false;
          for (int j = first; j < s.dofs; ++j) any = any || plain[r * n + s.row + j];
          for (int j = first; any && j < s.dofs; ++j) seen[r * n + s.row + j] = true;
        }
      }
      for (int r = 0; r < L::rows; ++r)
        for (int c = 0; c < n; ++c) {
          occupied[r * L::rows + c] = seen[r * n + c];
          if (r >= L::holonomics_begin) occupied[c * L::rows + r] = plain[r * n + c];
        }
    }
    return occupied;
  }

  /// A point where nothing vanishes by chance.
  static Point<double, L> generic_point(double shift) {
    Point<double, L> p{};
    for (int i = 0; i < L::values; ++i) p.z.q[i] = 0.4 + 0.1 * i + shift * (i % 3);
    double turn = 0.3 + shift;
    for (const Slot& s : position_slots<L>()) {
      if (s.manifold == Manifold::vector) continue;
      turn += 0.83;
      const Rotation<double> R = exp_so3({{0.7 * turn, -0.4 + turn, 0.5 * turn * turn}});
      p.z.q[s.value] = R.w;
      for (int k = 0; k < 3; ++k) p.z.q[s.value + 1 + k] = R.u[k];
    }
    for (int i = 0; i < L::positions; ++i) p.z.v[i] = 0.7 - 0.23 * i + shift;
    for (int i = 0; i < L::positions; ++i) p.a[i] = 0.9 - 0.17 * i + shift;
    for (int i = 0; i < L::others; ++i) p.z.other[i] = 0.3 + 0.15 * i + shift;
    return p;
  }

  static std::array<int, L::rows> global_rows(const Places& places) {
    std::array<int, L::rows> rows;
    for_each_handle([&](int i, auto h, int, int local_row) {
      using H = decltype(h);
      for (int d = 0; d < H::dofs; ++d) rows[local_row + d] = places[i].row < 0 ? -1 : places[i].row + d;
    });
    return rows;
  }

  /// Calls f(index, handle type, first local value, first local row) for every handle.
  template <class F>
  static void for_each_handle(F f) {
    int value = 0, row[kind_count] = {L::begin_of(Kind::position), L::begin_of(Kind::state),
                                      L::begin_of(Kind::algebraic), L::begin_of(Kind::holonomic),
                                      L::begin_of(Kind::nonholonomic)};
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (
          [&] {
            using H = typename L::template Bare<std::tuple_element_t<i, typename L::Tuple>>;
            int& next = row[static_cast<int>(H::kind)];
            f(static_cast<int>(i), H{}, H::kind == Kind::position ? value : next - L::positions, next);
            if (H::kind == Kind::position) value += H::values;
            next += H::dofs;
          }(),
          ...);
    }
    (std::make_index_sequence<L::handles>());
  }

  void gather(const State& state, std::size_t k, Point<double, L>& p) const {
    const Places& places = places_[k];
    for_each_handle([&](int i, auto h, int local, int local_row) {
      using H = decltype(h);
      const Place& at = places[i];
      if constexpr (H::kind == Kind::position) {
        for (int d = 0; d < H::values; ++d)
          p.z.q[local + d] = at.row < 0 ? (H::manifold != Manifold::vector && d == 0 ? 1.0 : 0.0)
                                        : state.value[at.value + d];
        for (int d = 0; d < H::dofs; ++d) {
          p.z.v[local_row + d] = at.row < 0 ? 0.0 : state.rate[at.row + d];
          p.a[local_row + d] = at.row < 0 ? 0.0 : state.acceleration[at.row + d];
        }
      } else {
        for (int d = 0; d < H::dofs; ++d) p.z.other[local + d] = at.row < 0 ? 0.0 : state.value[at.value + d];
      }
    });
    p.z.t = state.t;
    p.z.frames = frames;
    if constexpr (Has::memory > 0) p.z.memory = &state.memory[memory_of(static_cast<int>(k))];
    if constexpr (Has::sides) p.z.memory = state.memory.data() + memory_of(static_cast<int>(k));
  }

  static auto operators_of(const Places& places, std::span<const double> operators) {
    std::array<const double*, position_slots<L>().size()> T{};
    int slot = 0;
    for_each_handle([&](int i, auto h, int, int) {
      if constexpr (decltype(h)::kind == Kind::position)
        T[slot++] = operators.empty() || places[i].tangent < 0 ? nullptr : &operators[places[i].tangent];
    });
    return T;
  }

  void mark_constraints(int element, std::span<char> marks) const {
    const auto rows = global_rows(places_[element]);
    for (int m = L::holonomics_begin; m < L::rows; ++m) marks[rows[m]] = 1;
  }
  template <class S>
  static bool acting(const E& e, const Point<S, L>& p) {
    if constexpr (Has::switches) return e.active(p.z.memory);
    else return true;
  }
  /// add_rows; where the constraints do not act their rows say that the multipliers are zero (T-event-5).
  template <class S>
  static void add_all(const E& e, const Point<S, L>& p, const Shift& shift, std::array<S, L::rows>& rows) {
    add_rows(e, p, shift, rows);
    if constexpr (Has::switches)
      if (!e.active(p.z.memory))
        for (int m = L::holonomics_begin; m < L::rows; ++m) rows[m] = p.z.other[m - L::positions];
  }

  static void evaluate(const E& e, const Point<double, L>& p, const Shift& shift,
                       std::array<double, L::rows>& rows) {
    if constexpr (Has::analytic) {
      if (!shift.constraint_accelerations) {
        Rows<double, L> out;
        e.assemble(p.z, p.a, shift, out, static_cast<LocalMatrix<L>*>(nullptr));
        rows = out.r;
        return;
      }
    }
    if constexpr (Has::motion) {
      Rows<double, L> out;
      if (shift.balances()) {
        move(e, p, out, nullptr);
      } else {
        Tangent t;
        move(e, p, out, &t);
        weigh(p, shift, out, t);
      }
      scale(e, p, shift, out);
      rows = out.r;
      return;
    } else {
      add_all(e, p, shift, rows);
      if (acting(e, p)) add_constraint_accelerations(e, p, shift, rows);
    }
  }

  void tangent_analytic(std::size_t k, const Point<double, L>& p, const Shift& shift, std::span<double> r,
                        std::span<double> values) const {
    if constexpr (Has::analytic) {
      Rows<double, L> rows;
      LocalMatrix<L> matrix;
      elements_[k].assemble(p.z, p.a, shift, rows, &matrix);
      scatter(places_[k], rows.r, r);
      for (int i = 0; i < L::rows * L::rows; ++i)
        if (map_[k][i] >= 0) values[map_[k][i]] += matrix.m[i];
    }
  }
  void tangent_differentiated(std::size_t k, const Point<double, L>& p, const Shift& shift,
                              std::span<const double> operators, std::span<double> r,
                              std::span<double> values) const {
    if constexpr (!Has::motion) {
      std::array<Dual<L::rows>, L::rows> rows{};
      add_all(elements_[k], seeded(p, shift, operators_of(places_[k], operators)), shift, rows);
      std::array<double, L::rows> plain;
      for (int i = 0; i < L::rows; ++i) plain[i] = rows[i].v;
      if (acting(elements_[k], p)) add_constraint_accelerations(elements_[k], p, shift, plain);
      scatter(places_[k], plain, r);
      for (int i = 0; i < L::rows; ++i)
        for (int j = 0; j < L::rows; ++j) {
          const int at = map_[k][i * L::rows + j];
          if (at >= 0) values[at] += rows[i].d[j];
        }
    }
  }

  // ---- by hand

  void tangent_by_hand(std::size_t k, const Point<double, L>& p, const Shift& shift,
                       std::span<const double> operators, std::span<double> r,
                       std::span<double> values) const {
    if constexpr (Has::motion) {
      Rows<double, L> rows;
      Tangent t;
      move(elements_[k], p, rows, &t);
      if (!shift.balances()) weigh(p, shift, rows, t);
      scale(elements_[k], p, shift, rows);
      scatter(places_[k], rows.r, r);
      add_motion(k, t, shift, operators_of(places_[k], operators), values);
    }
  }

  static void move(const E& e, const Point<double, L>& p, Rows<double, L>& rows, Tangent* t) {
    if constexpr (Has::motion) {
      e.motion(p.z, p.a, rows, t);
      if constexpr (!Has::rates)
        if (p.z.frames == Manifold::se3) turn_to_body_axes(p.z, rows, t);
    }
  }
  /// Constraint rows: Φ and k times their factors, or Φ̈ and k̇.
  static void scale(const E& e, const Point<double, L>& p, const Shift& c, Rows<double, L>& rows) {
    for (int i = L::holonomics_begin; i < L::nonholonomics_begin; ++i)
      rows.r[i] *= c.constraint_accelerations ? 0.0 : c.holonomic_scale;
    for (int i = L::nonholonomics_begin; i < L::rows; ++i)
      rows.r[i] *= c.constraint_accelerations ? 0.0 : c.nonholonomic_scale;
    add_constraint_accelerations(e, p, c, rows.r);
  }
  template <class Operators>
  void add_motion(std::size_t k, Tangent& t, const Shift& c, const Operators& operators,
                  std::span<double> values) const {
    constexpr int n = L::positions;
    const auto& map = map_[k];
    const auto add = [&](int row, int column, double x) {
      if (const int at = map[row * L::rows + column]; at >= 0) values[at] += x;
    };
    for (int i = 0; i < n; ++i) {  // forces of multipliers: Φ_qᵀ, k_vᵀ
      for (int m = L::holonomics_begin; m < L::nonholonomics_begin; ++m)
        add(i, m, c.reaction * t.stiffness(m, i));
      if constexpr (Has::rates)
        for (int m = L::nonholonomics_begin; m < L::rows; ++m) add(i, m, c.reaction * t.damping(m, i));
    }
    for (int i = 0; i < L::rows; ++i) {
      const bool holonomic = i >= L::holonomics_begin && i < L::nonholonomics_begin;
      const bool slip = i >= L::nonholonomics_begin;
      const double factor = holonomic ? c.holonomic_scale : slip ? c.nonholonomic_scale : 1.0;
      if (c.constraint_accelerations && (holonomic || slip)) {  // Φ̈ and k̇ along v̇
        for (int j = 0; j < n; ++j) {
          if constexpr (Has::rates) {
            add(i, j, factor * c.acceleration * (holonomic ? t.stiffness(i, j) : t.damping(i, j)));
          } else {
            add(i, j, factor * c.acceleration * t.stiffness(i, j));
          }
        }
        continue;
      }
      double row[n];
      const double* K = &t.K[i * n];
      for (int j = 0; j < n; ++j) row[j] = c.position * K[j];
      int slot = 0;
      for (const Slot& s : position_slots<L>()) {
        const double* T = operators[slot++];
        if (!T) continue;
        const int first =
            frames == Manifold::r3so3 && s.manifold == Manifold::se3 ? 3 : 0;  // T = I before it
        for (int j = first; j < s.dofs; ++j) {
          double sum = 0;
          for (int l = first; l < s.dofs; ++l) sum += K[s.row + l] * T[l * s.dofs + j];
          row[s.row + j] = c.position * sum;
        }
      }
      if constexpr (Has::rates)
        for (int j = 0; j < n; ++j) row[j] += c.velocity * t.C[i * n + j] + c.acceleration * t.M[i * n + j];
      for (int j = 0; j < n; ++j) add(i, j, factor * row[j]);
    }
  }

  static void add_constraint_accelerations(const E& e, const Point<double, L>& p, const Shift& shift,
                                           std::array<double, L::rows>& rows) {
    if constexpr (L::holonomics > 0 || L::nonholonomics > 0) {
      if (!shift.constraint_accelerations) return;
      std::array<double, L::rows> high{};
      constraint_rows(e, p, 2, 1, high);
      for (int i = L::holonomics_begin; i < L::nonholonomics_begin; ++i)
        rows[i] += shift.holonomic_scale * high[i];
      for (int i = L::nonholonomics_begin; i < L::rows; ++i) rows[i] += shift.nonholonomic_scale * high[i];
    }
  }

  static void scatter(const Places& places, const std::array<double, L::rows>& rows, std::span<double> r) {
    for_each_handle([&](int i, auto h, int, int local_row) {
      using H = decltype(h);
      if (places[i].row < 0) return;
      for (int d = 0; d < H::dofs; ++d) r[places[i].row + d] += rows[local_row + d];
    });
  }

  std::vector<E> elements_;
  std::vector<Places> places_;
  std::vector<std::array<int, L::rows * L::rows>> map_;
  Pieces pieces_;
  int memory_begin_ = 0;
  std::vector<int> sides_begin_;  // in State::memory, of each element
};

}  // namespace escapement
