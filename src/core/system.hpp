// System: names, numbering, pattern and groups of one differential-algebraic system. Constant once finished.
//     d/dt store(z, t) + flow(z, t) = 0,   one row per unknown   (T-one-1)
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/dynamic.hpp"
#include "core/element_group.hpp"
#include "core/tap.hpp"

namespace escapement {

struct Range {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
};

/// A position on SO(3) or SE(3): what steppers must treat on the group.
struct LieVariable {
  Manifold manifold;
  Place place;
  int dofs() const { return manifold == Manifold::so3 ? 3 : 6; }
};

/// Which element: the group it is in and its number there.
struct ElementId {
  const Group* group = nullptr;
  int index = 0;
};

/// Of an operating point: the sum of factor · state is given (the voltage of a capacitor, the current of a coil).
struct StartCondition {
  std::string name;
  std::vector<std::pair<int, double>> terms;  // variable (of one number) and factor; ground: -1
  double value = 0;
};

class System {
 public:
  int size() const { return pattern_.n; }
  Range rows(Kind kind) const { return rows_[static_cast<int>(kind)]; }
  const Pattern& pattern() const { return pattern_; }
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<LieVariable>& lie_variables() const { return lie_; }
  int tangent_operators_size() const { return tangent_size_; }
  /// nominal[i]: usual magnitude of the unknown of row i; row_nominal[i]: of the row itself.
  std::span<const double> nominal() const { return nominal_; }
  /// Does the model state it?
  std::span<const char> nominal_stated() const { return nominal_stated_; }
  std::span<const double> row_nominal() const { return row_nominal_; }
  /// First value of the variable that owns row i on a vector space: State::value[value_of_row()[i]] is its unknown
  /// (-1 on Lie groups).
  std::span<const int> value_of_row() const { return value_of_row_; }

  /// A state of the right size: zeros, identity rotations.
  State state() const;
  std::span<double> value(State& s, const Handle& h) const;
  std::span<const double> value(const State& s, const Handle& h) const;
  std::span<double> rate(State& s, const Handle& h) const;
  std::span<const double> rate(const State& s, const Handle& h) const;
  std::span<const double> acceleration(const State& s, const Handle& h) const;

  /// R(z) with the weights of the shift; position rows carry d/dt store + flow.
  void residual(const State& s, const Shift& shift, std::span<double> r) const;
  /// The same and its tangent on the pattern. `operators`: T(u) of the Lie variables, or empty for identity.
  void tangent(const State& s, const Shift& shift, std::span<const double> operators, std::span<double> r,
               std::span<double> values) const;
  /// Time derivatives of Φ (level 0…3) and k (level 0…2) into their rows; other rows are zero.
  void constraints(const State& s, int holonomic_level, int nonholonomic_level, std::span<double> r) const;
  /// Φ and Φ_qᵀλ alone, and their tangents: of the groups with constraints, by the weights of the shift.
  void constraint_forces(const State& s, const Shift& shift, std::span<double> r) const;
  void constraint_tangent(const State& s, const Shift& shift, std::span<const double> operators,
                          std::span<double> r, std::span<double> values) const;
  /// p of the positions (other rows are meaningless).
  void momenta(const State& s, std::span<double> r) const;
  /// flow(z) of the state rows (other rows are meaningless).
  void state_flow(const State& s, std::span<double> r) const;
  /// store(z) of the state rows (other rows are meaningless).
  void state_store(const State& s, std::span<double> r) const;

  /// After an accepted step; `fresh` at the start and after a jump: what delays remember.
  void remember(State& s, bool fresh) const;
  /// What delays remember of an instant within a step of this size, up to `end`, that is about to be taken.
  void remember_within(State& s, double step, double end) const {
    if (remembering_) remembering_->remember_within(s, step, end);
  }
  DynamicGroup::ShortestDelay shortest_delay(const State& s) const {
    return remembering_ ? remembering_->shortest_delay(s) : DynamicGroup::ShortestDelay{};
  }
  bool remembers() const { return remembering_ != nullptr; }
  /// The angles whose sines elements take (T-phase), one after the other.
  void phases(const State& s, std::vector<double>& angles) const {
    angles.clear();
    for (const auto& g : groups_) g->phases(s, angles);
  }
  /// The next time at which a step should end because something delayed jumps there; infinity: none.
  double next_break(const State& s) const;
  /// What jumps at this time, within slack, is behind us.
  void pass_breaks(State& s, double slack) const;

  /// What an operating point holds; has any state one to find?
  const std::vector<StartCondition>& start_conditions() const { return conditions_; }
  bool starts_steady() const { return starts_steady_; }
  bool has_networks() const { return has_networks_; }

  /// Modes of elements at the start, from positions and velocities.
  void enter(State& s) const;
  /// Are there constraints that come and go? Which rows do not act now (their multipliers are zero)?
  bool switches() const { return !switching_.empty(); }
  bool switches(int row) const { return !switching_.empty() && switching_[row]; }
  /// The largest force that a constraint of finite force can bear, by row, 0 for others.
  void strengths(const State& s, std::vector<double>& strengths) const;
  /// … by the system's own numbers, for scales; empty: none is of finite force.
  std::span<const double> strengths() const { return strengths_; }
  void open_rows(const State& s, std::span<char> open) const;

  /// The numbers of another system, for states of this one; null: it has another structure.
  std::shared_ptr<const Numbers> numbers_of(const System& other) const;
  /// Numbers for one more run beside others of this system, where elements keep something between evaluations; else those given.
  std::shared_ptr<const Numbers> numbers_for_another_run(std::shared_ptr<const Numbers> numbers) const;

  /// `top.joint[2] (holonomic constraint)`: for messages.
  std::string row_name(int row) const;
  std::string unknown_name(int row) const;
  /// `arm turning about its y`: what moves with this position row.
  std::string motion_name(int row) const;
  /// The variable that owns a row.
  const Variable& owner(int row) const;
  /// The unit of a row, "" if it is not told.
  const std::string& row_unit(int row) const {
    const Variable& v = owner(row);
    return v.part_units.empty() ? v.row_unit : v.part_units.at(row - v.row);
  }
  /// What a row measures.
  Extent row_extent(int row) const {
    const Variable& v = owner(row);
    return v.part_extents.empty() ? v.row_extent : v.part_extents.at(row - v.row);
  }

  /// Why the last evaluation gave a row that is not a finite number, if an element knows.
  const ModelError* fault(const State& s) const {
    for (const auto& g : groups_)
      if (const ModelError* e = g->fault(s)) return e;
    return nullptr;
  }

  /// In which order the linear solver should eliminate the unknowns; empty: its own (T-order).
  std::span<const int> elimination_order() const { return order_; }

  /// Where the memory that SystemBuilder::reserve() gave begins.
  int reserved_memory() const { return reserved_; }

  const std::vector<std::unique_ptr<Group>>& groups() const { return groups_; }
  int memory_of(const ElementId& id) const { return id.group->memory_of(id.index); }

 private:
  friend class SystemBuilder;

  std::vector<Variable> variables_;
  std::vector<StartCondition> conditions_;
  bool starts_steady_ = false, has_networks_ = false;
  std::vector<std::unique_ptr<Group>> groups_;
  Pattern pattern_;
  Range rows_[kind_count];
  std::vector<LieVariable> lie_;
  std::vector<double> nominal_, row_nominal_;
  std::vector<char> nominal_stated_;
  std::vector<int> value_of_row_, owner_, order_;
  std::vector<char> switching_;  // rows of constraints that come and go; empty: none
  std::vector<double> strengths_;
  int values_ = 0, tangent_size_ = 0, memory_ = 0, reserved_ = 0;
  DynamicGroup* remembering_ = nullptr;  // the group with histories, if there is one
};

/// Collects variables and elements; `finish` numbers, builds the pattern and the scatter maps.
class SystemBuilder {
 public:
  template <int n>
  Position<n> position(std::string name, Description d = {.unit = "m", .extent = Extent::length}) {
    return make<Position<n>>(std::move(name), std::move(d));
  }
  Orientation orientation(std::string name, Description d = {.unit = "rad"}) {
    return make<Orientation>(std::move(name), std::move(d));
  }
  Pose pose(std::string name, Description d = {.unit = "m"}) {
    return make<Pose>(std::move(name), std::move(d));
  }
  /// All frames of the system move on this manifold: r3so3 (default) or se3.
  void frames_move_on(Manifold manifold) { frames_ = manifold; }
  template <int n>
  StateVariable<n> state(std::string name, Description d = {}) {
    return make<StateVariable<n>>(std::move(name), std::move(d));
  }
  template <int n>
  Signal<n> signal(std::string name, Description d = {}) {
    return make<Signal<n>>(std::move(name), std::move(d));
  }
  template <int n>
  Multiplier<n> multiplier(std::string name, Description d = {.unit = "N"}) {
    return make<Multiplier<n>>(std::move(name), std::move(d));
  }
  template <int n>
  SlipMultiplier<n> slip_multiplier(std::string name, Description d = {.unit = "N"}) {
    return make<SlipMultiplier<n>>(std::move(name), std::move(d));
  }

  template <class E>
  ElementId add(E element) {
    ElementGroup*& group = by_type_[typeid(E)];
    if (!group) group = new_group(Adaptor<E>::type, std::make_shared<ElementsOf<E>>());
    std::apply([&](const auto&... h) { (touch(h), ...); }, element.variables());
    static_cast<ElementsOf<E>&>(*group->elements()).add(std::move(element));
    return added(group);
  }
  ElementId add_dynamic(std::unique_ptr<DynamicElement> element);

  // ---- signals that equal something else
  /// y = factor · part of an unknown.
  template <class H>
  ElementId tap_value(const H& from, Signal<1> to, int part = 0, double factor = 1) {
    static_assert(H::manifold == Manifold::vector, "rotations have no single numbers");
    return tap({.source = Tap::Source::value,
                .variable = from.variable,
                .position = H::kind == Kind::position,
                .part = part,
                .factor = factor},
               to);
  }
  ElementId tap_rate(const Handle& position, Signal<1> to, int part = 0) {
    return tap({.source = Tap::Source::rate, .variable = position.variable, .part = part}, to);
  }
  ElementId tap_acceleration(const Handle& position, Signal<1> to, int part = 0) {
    return tap({.source = Tap::Source::acceleration, .variable = position.variable, .part = part}, to);
  }
  /// y = output number `index` of an element.
  ElementId tap_output(const ElementId& element, int index, Signal<1> to);
  ElementId tap(const Tap& tap, Signal<1> to);
  void start_condition(StartCondition condition) { system_.conditions_.push_back(std::move(condition)); }

  const std::vector<Variable>& variables() const { return system_.variables_; }
  /// The usual magnitude of an unknown, as the model states it.
  void state_nominal(int variable, double magnitude) {
    system_.variables_.at(variable).nominal = magnitude;
    system_.variables_.at(variable).stated = true;
  }

  /// Room for so many numbers in State::memory that no element owns; where, after System::reserved_memory().
  int reserve(int count) { return std::exchange(reserved_, reserved_ + count); }

  /// Once only. Throws ModelError when a row has nothing acting on it or an element is ill-formed.
  System finish();

 private:
  template <class H>
  H make(std::string name, Description d) {
    H h;
    h.variable = declare(H::kind, H::manifold, H::values, H::dofs, std::move(name), std::move(d));
    h.origin = this;
    return h;
  }
  int declare(Kind kind, Manifold manifold, int values, int dofs, std::string name, Description d);
  ElementGroup* new_group(const ElementType& type, std::shared_ptr<Elements> elements);
  ElementId added(ElementGroup* group);
  void touch(const Handle& h);

  System system_;
  std::unordered_map<std::type_index, ElementGroup*> by_type_;
  DynamicGroup* dynamic_ = nullptr;
  std::unique_ptr<TapGroup> taps_;  // the last of all groups
  std::vector<char> touched_;
  int reserved_ = 0;
  Manifold frames_ = Manifold::r3so3;
  bool finished_ = false;
};

}  // namespace escapement
