// Group: the elements of one type, or one sort, as the system and those who watch it see them. One virtual call per group and
// evaluation; each group gathers, evaluates and scatters through a precomputed map into the values of the fixed pattern.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/continuation.hpp"
#include "core/error.hpp"
#include "core/shift.hpp"
#include "core/state.hpp"
#include "core/variable.hpp"
#include "sparse/pattern.hpp"

namespace escapement {

/// "escapement::planar::Mass" from the compiler's own spelling of it.
std::string readable_name(const char* mangled);

/// Where a variable stands: first value, first row, and its T(u) among the tangent operators (Lie groups).
struct Place {
  int value = -1, row = -1, tangent = -1;
};

class Group {
 public:
  virtual ~Group() = default;

  // ---- making a system
  virtual void connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) = 0;
  virtual void map(const Pattern& pattern) = 0;
  /// What the core cannot honour is refused.
  virtual void check_structure() const {}
  virtual int size() const = 0;
  /// First place of an element in State::memory.
  virtual int memory_of(int element) const = 0;
  /// The elements with their parameters; and those of another system's group, if that is of the same structure.
  virtual std::shared_ptr<const GroupNumbers> numbers() const = 0;
  virtual bool is_like(const Group& other) const = 0;

  // ---- equations
  virtual void residual(const State& state, const Shift& shift, std::span<double> r) const = 0;
  virtual void tangent(const State& state, const Shift& shift, std::span<const double> operators,
                       std::span<double> r, std::span<double> values) const = 0;
  virtual void constraints(const State&, int /*holonomic_level*/, int /*nonholonomic_level*/,
                           std::span<double> /*r*/) const {}
  /// Power bookkeeping of elements that state their energy or loss.
  struct Power {
    double energy = 0, loss = 0;
    bool stated = false;
  };
  virtual Power power(const State&) const { return {}; }
  /// Output `index` of an element; NaN: it has none.
  virtual double output(const State& state, int element, int index) const;
  /// Largest difference between what is written by hand and the differentiated functions, relative to the largest entry of the
  /// element (0 where there is none).
  virtual double oracle_difference(const State&, const Shift&) const { return 0; }
  /// Why a row of this group is not a finite number, if an element knows.
  virtual const ModelError* fault(const State&) const { return nullptr; }
  /// After an accepted step: what elements remember (`accept`).
  virtual void accept(State&) const {}

  // ---- what switches
  /// Values of the functions that have corners (`kinks`) of all elements, appended.
  virtual void kinks(const State&, std::vector<double>& /*values*/) const {}
  /// The angles (rad) whose sines elements take (`phases`), appended: how far they turn in a step says what it resolves.
  virtual void phases(const State&, std::vector<double>& /*angles*/) const {}
  /// Values of the functions that end a mode (`crossings`) of all elements, appended.
  virtual void crossings(const State&, std::vector<double>& /*values*/) const {}
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

  // ---- constraints that come and go
  /// An impact of this element at this speed: its constraint row, and the speed afterwards (0: it stays in contact).
  struct Impact {
    int row = -1;
    double rebound = 0;
  };
  virtual Impact impact(const State&, int /*element*/, double /*speed*/) const { return {}; }
  virtual void release(State&, int /*element*/) const {}
  /// Elements in contact that might rebound, appended.
  virtual void touching(const State&, std::vector<int>&) const {}
  /// Constraints of finite force give way, before an impact; true: there are some, which enter() again afterwards.
  virtual bool loosen(State&) const { return false; }
  /// Marks the constraint rows that may come and go …
  virtual void switching_rows(std::span<char>) const {}
  /// … how much those of finite force can bear, by row …
  virtual void strengths(const State&, std::span<double>) const {}
  /// … and those that do not act now.
  virtual void open_rows(const State&, std::span<char>) const {}

  bool has_states = false, has_constraints = false, has_momenta = false, accepts = false, switches = false;
  bool has_sides = false;             // of expressions: what is remembered of each crossing is its side
  Manifold frames = Manifold::r3so3;  // where frames move (set by the builder)
  int index = -1;                     // among the groups of the system (set by the builder)

 protected:
  /// The numbers that hold for this state.
  template <class N>
  const N& of(const State& state, const std::shared_ptr<N>& own) const {
    return state.numbers ? static_cast<const N&>(*(*state.numbers)[index]) : *own;
  }
};

}  // namespace escapement
