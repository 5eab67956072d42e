// Build: what a component's `build` function sees. It reads checked values, names its nodes and signals, adds elements
// and says what its channels are.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/system.hpp"
#include "model/contributions.hpp"
#include "model/fields.hpp"

namespace escapement {

/// Where a channel's number comes from, and how it becomes a signal if somebody uses it as an input.
struct BoundOutput {
  enum class Source { unbound, value, rate, acceleration, element };
  Source source = Source::unbound;
  int variable = -1, part = 0;
  double factor = 1;
  ElementId element;
  int index = 0;
  int offered = -1;  // of a joint coordinate: which of the component's offered nodes it equals
};

struct Draft;

class Build {
 public:
  Build(Draft& draft, int component);

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
  const std::vector<double>& gravity() const;

  // ---- what the user names: equations, records, named ports
  /// The text under a key, as it stands; null: not given.
  const Node* node(std::string_view key) const { return fields_.find(key); }
  /// The entries under a key that is a mapping; none if it is not given.
  const std::vector<Node::Entry>& entries(std::string_view key) const;
  /// An expression of these variables (name, unit; "any" where it is not known) and of the parameters.
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
  bool trusts_code() const;

  // ---- connections
  /// The node it owns, or a further one of a flexible body (BodyFrames::further).
  template <class H>
  H own_node(int number = 0) const {
    return typed<H>(own_handle(number));
  }
  template <class H>
  H node(std::string_view key, int end = 0) const {
    return typed<H>(handle(key, end));
  }
  /// The frame at an end of a port: a body's node and where on it.
  AttachedFrame frame(std::string_view key, int end = 0) const;
  /// Ties two bodies: where they start may follow from its coordinates.
  void joint(JointStart joint) { made_.joints.push_back(std::move(joint)); }
  /// Offered node number `node` has value and rate as outputs 0 and 1 of `reading`; `make` adds what ties it, if somebody
  /// connects to it.
  void offer(int node, const ElementId& reading, std::function<void(SystemBuilder&, const Handle&)> make) {
    made_.offers[{component_, node}] = {reading, std::move(make)};
  }
  /// The offered node itself: it will be an unknown.
  Position<1> offered(int node) const;
  /// A channel that is the value (index 0) or the rate (1) of an offered node.
  void offered_channel(std::string_view output, const ElementId& reading, int index, int node);
  /// What an element remembers at the start.
  void start_memory(const ElementId& element, int slot, double value) {
    made_.memories.push_back({element, slot, value});
  }
  bool connected(std::string_view key) const;
  /// A single signal; of an optional port only if it is connected().
  Signal<1> signal(std::string_view key) const;
  /// All parts of a wide signal.
  std::vector<Signal<1>> wide_signal(std::string_view key) const;
  /// The signals of a port that takes several.
  std::vector<std::vector<Signal<1>>> signals(std::string_view key) const;
  /// Units of the signals of a port; "" where they are not known.
  std::vector<std::string> units(std::string_view key) const;
  int signal_width(std::string_view key) const;
  /// The signals of a block's own output.
  std::vector<Signal<1>> outputs() const;
  Signal<1> output() const;

  // ---- pictures: without a drawing of its own a component gets the shape of its type, at its node or ports
  void draw(std::string primitive, std::vector<double> size, std::vector<Scene::End> ends) {
    drawing().parts.push_back({std::move(primitive), std::move(size), std::move(ends)});
  }
  /// A piece of a beam or cable from one end to the other; pieces that are alike are kept once.
  void draw_beam(Scene::Beam beam, Scene::End a, Scene::End b,
                 std::function<Scene::Bearing(const Scene::Places&)> bearing);
  const std::string& primitive() const { return type_.shape.primitive; }
  /// The output is a force or torque in space: it acts at this end, in the axes of that one (-1: world).
  void arrow(std::string output, int end, int axes) {
    drawing().arrows.push_back({std::move(output), end, axes});
  }

  // ---- elements and channels
  template <class E>
  ElementId add(E element) {
    bool switches = Offers<E>::crossings > 0 || Offers<E>::kinks;
    if constexpr (Offers<E>::sides) switches = element.sides() > 0;
    const ElementId id = system.add(std::move(element));
    if (switches) made_.switching.push_back({id, path_});
    return id;
  }
  ElementId add_dynamic(std::unique_ptr<DynamicElement> element);
  /// Part `part` of the block's output is what the element has in its memory: events may set it.
  void settable(const ElementId& element, int slot, int part = 0) {
    made_.settable_memory[{component_, part}] = {element, slot};
  }
  /// … equals this state.
  void settable(const StateVariable<1>& state, int part = 0) {
    made_.settable_states[{component_, part}] = state.variable;
  }
  void sampler(Sampler sampler);
  /// When the element's crossing fires, all this happens; the expressions are of time and the inputs.
  void trigger(const ElementId& element, std::vector<Signal<1>> inputs, std::vector<ActionRequest> actions,
               bool stop) {
    made_.triggers.push_back({component_, element, std::move(inputs), std::move(actions), stop});
  }
  /// A channel that is the rate of a position, or its acceleration.
  void rate_channel(std::string_view output, const Handle& position) {
    bind(output, position, BoundOutput::Source::rate);
  }
  void acceleration_channel(std::string_view output, const Handle& position) {
    bind(output, position, BoundOutput::Source::acceleration);
  }
  /// A channel that is an unknown; `factor` turns a multiplier into a reaction of the right sign.
  void channel(std::string_view output, const Handle& handle, double factor = 1, int part = 0,
               int output_part = 0) {
    BoundOutput& b = bind(output, handle, BoundOutput::Source::value, output_part);
    b.part = part;
    b.factor = factor;
  }
  /// A channel that is output number `index` of an element.
  void channel(std::string_view output, const ElementId& element, int index, int output_part = 0) {
    BoundOutput& b = bound(output, output_part);
    b.source = BoundOutput::Source::element;
    b.element = element;
    b.index = index;
  }
  void start(const Handle& handle, std::vector<double> values) {
    made_.starts.push_back({handle, std::move(values), false});
  }
  /// At the operating point: A − B (or a single state) has this value.
  void start_condition(const char* suffix, const Handle& a, const Handle& b, double value);
  /// What lies between two electrical nodes, for the examination of the circuit.
  void branch(Branch::Kind kind, const Handle& a, const Handle& b, bool open_end = false) {
    made_.branches.push_back({kind, a.variable, b.variable, open_end, component_});
  }
  void start_rate(const Handle& handle, std::vector<double> values) {
    made_.starts.push_back({handle, std::move(values), true});
  }
  /// If `initial.fixed` names this key: parts of the position (or of its rate) stay as given at the start.
  void keep_if_fixed(std::string_view key, const Handle& handle, int first, int count, bool rate) {
    if (is_fixed(key)) made_.fixed.push_back({handle, first, count, rate});
  }
  bool is_fixed(std::string_view key) const;
  /// From this time on the element's memory holds `value`; steps end exactly there.
  void at_time(double time, const ElementId& element, int slot, double value) {
    made_.events.push_back({time, element, slot, value});
  }
  /// The same again and again.
  void at_times(const TimeEvent& event);

  template <class H>
  static H typed(const Handle& handle) {
    H h;
    static_cast<Handle&>(h) = handle;
    return h;
  }

 private:
  BoundOutput& bind(std::string_view output, const Handle& handle, BoundOutput::Source source,
                    int output_part = 0);
  template <class T>
  const T& get(std::string_view key) const;
  const Port& port(std::string_view key) const;
  FieldReader reader() const;
  Handle own_handle(int number) const;
  Handle handle(std::string_view key, int end) const;
  BoundOutput& bound(std::string_view output, int part);
  Scene::Component& drawing() { return made_.scene.components[component_]; }
  void refuse_too_many(double period, double count, const char* what) const;

  Draft& draft_;
  Contributions& made_;
  int component_;
  const ComponentType& type_;
  const std::string& path_;
  const FieldValues& values_;
  const Node& fields_;
};

}  // namespace escapement
