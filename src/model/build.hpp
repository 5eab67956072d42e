// Build: what a component's `build` function sees. It reads checked values, names its nodes and signals, adds elements
// and says what its channels are.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tap.hpp"
#include "model/circuit_topology.hpp"
#include "model/fields.hpp"
#include "model/placement.hpp"
#include "model/scene.hpp"

namespace escapement {

/// Where a channel's number comes from, and how it becomes a signal if somebody uses it as an input.
struct BoundOutput {
  enum class Source { unbound, value, rate, acceleration, element };
  Source source = Source::unbound;
  int variable = -1, part = 0;
  double factor = 1;
  ElementId element;
  int index = 0;
  Handle handle;
  int offered = -1;  // of a joint coordinate: which of the component's offered nodes it equals
  ElementId (*tap)(SystemBuilder&, const BoundOutput&,
                   Signal<1> to) = nullptr;  // null: it is a signal already
};

/// One element's memory changes at a given time, or again and again: a source that jumps. The times are time + k ·
/// period for whole k, so they never drift and are never listed; at the k-th the memory becomes value + k · increment.
struct TimeEvent {
  double time;
  ElementId element;
  int slot;
  double value;
  double period = 0;     // s
  double count = 1;      // how many times in all; may be infinite
  double increment = 0;  // of the value, from time to time
};

/// What a sampled block computes at a sample: its outputs, and its memory afterwards.
using SampledProgram = std::function<void(double t, std::span<const double> inputs, std::span<double> outputs,
                                          std::span<double> memory)>;

/// A block that computes at t = offset + k period, and whose outputs change `delay` later.
struct Sampler {
  std::string name;
  double period, offset, delay;  // s
  std::vector<Signal<1>> inputs;
  std::vector<Signal<1>> outputs;
  std::vector<ElementId> held;  // whose memory, slot 0, is the output
  std::vector<double> memory;   // at the start
  SampledProgram program;
  int place = 0;  // in State::memory: memory, then outputs that wait; set when the system is finished
};

/// What an event of the model does when its trigger fires.
struct EventAction {
  enum class Kind { memory, position, velocity, state, parameter, stop };
  Kind kind;
  std::string target;  // as the model calls it; of a parameter its component …
  std::string key;     // … and its key there
  int variable = -1, part = 0;
  ElementId element;                        // with this memory …
  int slot = 0;                             // … at this place
  std::shared_ptr<const Expression> value;  // of time and the inputs
};

/// An element that fires, and what then happens.
struct EventType {
  ElementId trigger;
  std::string name;
  std::vector<int> inputs;  // variables of signals, in the order of the expressions' (after time)
  std::vector<EventAction> actions;
};

/// An action as a component asks for it: what the target is comes out when everything is built.
struct ActionRequest {
  std::string target;
  const Node* text;
  std::shared_ptr<const Expression> value;
};

/// The names of the model and what they stand for; implemented by the assembly.
class Resolver {
 public:
  virtual ~Resolver() = default;
  virtual Handle node(int component, const Port& port, int end) = 0;
  virtual std::vector<std::vector<Signal<1>>> signals(int component, const Port& port) = 0;
  virtual int signal_width(int component, const Port& port) = 0;
  virtual std::vector<Signal<1>> outputs(int component) = 0;
  virtual BoundOutput& bound(int component, std::string_view output, int part) = 0;
  virtual void start(const Handle& handle, std::vector<double> values, bool rate) = 0;
  virtual void keep(const Handle& handle, int first, int count, bool rate) = 0;
  virtual void event(TimeEvent event) = 0;
  virtual const std::vector<double>& gravity() = 0;
  /// Units of the signals of a port, one per group; empty: nobody told.
  virtual std::vector<std::string> units(int component, const Port& port) = 0;
  virtual FieldReader reader(int component) = 0;
  virtual bool trusts_code() = 0;
  virtual AttachedFrame frame(int component, const Port& port, int end) = 0;
  virtual void joint(JointPlacement joint) = 0;
  /// How an offered node comes to be, and the element whose outputs 0 and 1 are its value and rate.
  virtual void offer(int component, int node, const ElementId& reading,
                     std::function<void(SystemBuilder&, const Handle&)> make) = 0;
  virtual void memory(const ElementId& element, int slot, double value) = 0;
  virtual Handle offered(int component, int node) = 0;
  virtual void switches(int component, const ElementId& element) = 0;
  virtual void sampler(Sampler sampler) = 0;
  virtual void settable(int component, const ElementId& element, int slot, int part) = 0;
  virtual void settable(int component, const StateVariable<1>& state, int part) = 0;
  virtual void trigger(int component, const ElementId& element, std::vector<Signal<1>> inputs,
                       std::vector<ActionRequest> actions, bool stop) = 0;
  virtual void branch(int component, Branch branch) = 0;
  virtual void draw(int component, Scene::Part part) = 0;
  virtual void draw_beam(int component, Scene::Beam beam, Scene::Part piece) = 0;
  virtual void arrow(int component, Scene::Arrow arrow) = 0;
};

class Build {
 public:
  Build(SystemBuilder& system, Resolver& resolver, int component, const ComponentType& type,
        const std::string& path, const FieldValues& values, const Node& fields)
      : system(system),
        resolver_(resolver),
        component_(component),
        type_(type),
        path_(path),
        values_(values),
        fields_(fields) {}

  SystemBuilder& system;
  const std::string& path() const { return path_; }
  /// `path.suffix`: for the names of unknowns.
  std::string name(const char* suffix) const;

  // ---- values (the schema guarantees type, unit and range)
  bool has(std::string_view key) const;
  bool given(std::string_view key) const;
  double number(std::string_view key) const;
  bool flag(std::string_view key) const { return number(key) != 0; }
  int integer(std::string_view key) const { return static_cast<int>(number(key)); }
  const std::string& text(std::string_view key) const;
  const std::vector<double>& vector(std::string_view key) const;
  const MatrixValue& matrix(std::string_view key) const;
  std::shared_ptr<const Table> table(std::string_view key) const;
  std::shared_ptr<const Expression> expression(std::string_view key) const;
  /// Something only the component can know is wrong: at this key.
  [[noreturn]] void refuse(const char* code, std::string_view key, std::string cause,
                           std::string hint = {}) const;
  /// World gravity (m/s²); E-MISSING unless the model states it.
  const std::vector<double>& gravity() const { return resolver_.gravity(); }

  // ---- what the user names: equations, records, named ports
  /// The text under a key, as it stands; null: not given.
  const Node* node(std::string_view key) const { return fields_.find(key); }
  /// The entries under a key that is a mapping; none if it is not given.
  const std::vector<Node::Entry>& entries(std::string_view key) const;
  /// An expression of these variables (name, unit; "any" where nobody told) and of the parameters.
  Expression compile(const Node& text, std::string_view key,
                     const std::vector<std::pair<std::string, std::string>>& variables) const;
  /// … that must have this unit.
  Expression compile(const Node& text, std::string_view key,
                     const std::vector<std::pair<std::string, std::string>>& variables,
                     const std::string& unit) const;
  /// A number in a unit that only the component knows.
  double quantity(const Node& text, std::string_view key, const std::string& unit) const;
  [[noreturn]] void refuse_at(const Node& value, const char* code, std::string_view key, std::string cause,
                              std::string hint = {}) const;
  /// Has the user said that this model may run code of its own, whatever it is?
  bool trusts_code() const { return resolver_.trusts_code(); }

  // ---- connections
  /// The node it owns, or a further one of a flexible body (BodyFrames::further).
  template <class H>
  H own_node(int number = 0) const {
    return typed<H>(resolver_.node(component_, Port{}, number));
  }
  template <class H>
  H node(std::string_view key, int end = 0) const {
    return typed<H>(resolver_.node(component_, port(key), end));
  }
  /// The frame at an end of a port: a body's node and where on it.
  AttachedFrame frame(std::string_view key, int end = 0) const {
    return resolver_.frame(component_, port(key), end);
  }
  /// Ties two bodies: where they start may follow from its coordinates.
  void joint(JointPlacement joint) { resolver_.joint(std::move(joint)); }
  /// Offered node number `node` has value and rate as outputs 0 and 1 of `reading`; `make` adds what ties it, if somebody
  /// connects to it.
  void offer(int node, const ElementId& reading, std::function<void(SystemBuilder&, const Handle&)> make) {
    resolver_.offer(component_, node, reading, std::move(make));
  }
  /// The offered node itself: it will be an unknown.
  Position<1> offered(int node) const { return typed<Position<1>>(resolver_.offered(component_, node)); }
  /// A channel that is the value (index 0) or the rate (1) of an offered node.
  void offered_channel(std::string_view output, const ElementId& reading, int index, int node);
  /// What an element remembers at the start.
  void start_memory(const ElementId& element, int slot, double value) {
    resolver_.memory(element, slot, value);
  }
  bool connected(std::string_view key) const;
  /// A single signal; of an optional port only if it is connected().
  Signal<1> signal(std::string_view key) const;
  /// All parts of a wide signal.
  std::vector<Signal<1>> wide_signal(std::string_view key) const;
  /// The signals of a port that takes several.
  std::vector<std::vector<Signal<1>>> signals(std::string_view key) const;
  /// Units of the signals of a port; "" where nobody told.
  std::vector<std::string> units(std::string_view key) const;
  int signal_width(std::string_view key) const;
  /// The signals of a block's own output.
  std::vector<Signal<1>> outputs() const;
  Signal<1> output() const;

  // ---- pictures: without a drawing of its own a component gets the shape of its type, at its node or ports
  void draw(std::string primitive, std::vector<double> size, std::vector<Scene::End> ends) {
    resolver_.draw(component_, {std::move(primitive), std::move(size), std::move(ends)});
  }
  /// A piece of a beam or cable from one end to the other; pieces that are alike are kept once.
  void draw_beam(Scene::Beam beam, Scene::End a, Scene::End b,
                 std::function<Scene::Bearing(const Scene::Places&)> bearing) {
    resolver_.draw_beam(component_, std::move(beam), {"beam", {}, {a, b}, -1, std::move(bearing)});
  }
  const std::string& primitive() const { return type_.shape.primitive; }
  /// The output is a force or torque in space: it acts at this end, in the axes of that one (-1: world).
  void arrow(std::string output, int end, int axes) {
    resolver_.arrow(component_, {std::move(output), end, axes});
  }

  // ---- elements and channels
  template <class E>
  ElementId add(E element) {
    bool switches = Offers<E>::crossings > 0 || Offers<E>::kinks;
    if constexpr (Offers<E>::sides) switches = element.sides() > 0;
    const ElementId id = system.add(std::move(element));
    if (switches) resolver_.switches(component_, id);
    return id;
  }
  ElementId add_dynamic(std::unique_ptr<DynamicElement> element);
  /// Part `part` of the block's output is what the element has in its memory: events may set it.
  void settable(const ElementId& element, int slot, int part = 0) {
    resolver_.settable(component_, element, slot, part);
  }
  /// … equals this state.
  void settable(const StateVariable<1>& state, int part = 0) { resolver_.settable(component_, state, part); }
  void sampler(Sampler sampler) { resolver_.sampler(std::move(sampler)); }
  /// When the element's crossing fires, all this happens; the expressions are of time and the inputs.
  void trigger(const ElementId& element, std::vector<Signal<1>> inputs, std::vector<ActionRequest> actions,
               bool stop) {
    resolver_.trigger(component_, element, std::move(inputs), std::move(actions), stop);
  }
  /// A channel that is the rate of a position, or its acceleration.
  template <class H>
  void rate_channel(std::string_view output, const H& handle) {
    bind<RateTap<H>>(output, handle, BoundOutput::Source::rate);
  }
  template <class H>
  void acceleration_channel(std::string_view output, const H& handle) {
    bind<AccelerationTap<H>>(output, handle, BoundOutput::Source::acceleration);
  }
  /// A channel that is an unknown; `factor` turns a multiplier into a reaction of the right sign.
  template <class H>
  void channel(std::string_view output, const H& handle, double factor = 1, int part = 0,
               int output_part = 0) {
    BoundOutput& b = bind(output, handle, BoundOutput::Source::value, output_part);
    b.part = part;
    b.factor = factor;
    if (H::kind == Kind::algebraic && factor == 1) return;
    b.tap = [](SystemBuilder& s, const BoundOutput& from, Signal<1> to) {
      return s.add(ValueTap<H>{Build::typed<H>(from.handle), to, from.part, from.factor});
    };
  }
  /// A channel that is output number `index` of an element.
  template <class E>
  void channel(std::string_view output, const ElementId& element, int index, int output_part = 0) {
    static_assert(Offers<E>::outputs, "the element offers outputs");
    BoundOutput& b = resolver_.bound(component_, output, output_part);
    b.source = BoundOutput::Source::element;
    b.element = element;
    b.index = index;
    b.tap = [](SystemBuilder& s, const BoundOutput& from, Signal<1> to) {
      const auto* group = static_cast<const Group<E>*>(from.element.group);
      return s.add(OutputTap<E>{group->elements()[from.element.index], to, from.index});
    };
  }
  void start(const Handle& handle, std::vector<double> values) {
    resolver_.start(handle, std::move(values), false);
  }
  /// At the operating point: A − B (or a single state) has this value.
  void start_condition(const char* suffix, const Handle& a, const Handle& b, double value);
  /// What lies between two electrical nodes, for the examination of the circuit.
  void branch(Branch::Kind kind, const Handle& a, const Handle& b, bool open_end = false) {
    resolver_.branch(component_, {kind, a.variable, b.variable, open_end});
  }
  void start_rate(const Handle& handle, std::vector<double> values) {
    resolver_.start(handle, std::move(values), true);
  }
  /// If `initial.fixed` names this key: parts of the position (or of its rate) stay as given at the start.
  void keep_if_fixed(std::string_view key, const Handle& handle, int first, int count, bool rate) {
    if (is_fixed(key)) resolver_.keep(handle, first, count, rate);
  }
  bool is_fixed(std::string_view key) const;
  /// From this time on the element's memory holds `value`; steps end exactly there.
  void at_time(double time, const ElementId& element, int slot, double value) {
    resolver_.event({time, element, slot, value});
  }
  /// The same again and again.
  void at_times(const TimeEvent& event) { resolver_.event(event); }

  template <class H>
  static H typed(const Handle& handle) {
    H h;
    static_cast<Handle&>(h) = handle;
    return h;
  }

 private:
  BoundOutput& bind(std::string_view output, const Handle& handle, BoundOutput::Source source,
                    int output_part = 0);
  template <class Tap, class H>
  void bind(std::string_view output, const H& handle, BoundOutput::Source source) {
    bind(output, static_cast<const Handle&>(handle), source).tap = [](SystemBuilder& s,
                                                                      const BoundOutput& from, Signal<1> to) {
      return s.add(Tap{Build::typed<H>(from.handle), to});
    };
  }
  template <class T>
  const T& get(std::string_view key) const;
  const Port& port(std::string_view key) const;

  Resolver& resolver_;
  int component_;
  const ComponentType& type_;
  const std::string& path_;
  const FieldValues& values_;
  const Node& fields_;
};

}  // namespace escapement
