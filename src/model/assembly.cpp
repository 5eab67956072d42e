#include "model/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>

#include "core/projection.hpp"

namespace escapement {
namespace {

class Assembler final : public Resolver {
 public:
  Assembler(const Model& model, const std::vector<Override>& overrides, double loads)
      : model_(model), overrides_(overrides), loads_(loads), gravity_(model.gravity) {
    for (double& g : gravity_) g *= loads;
    const FieldValue* frames = model.simulate.find("frames");
    if (frames && std::get<std::string>(*frames) == "se3") builder_.frames_move_on(Manifold::se3);
  }

  Assembly run() {
    read_fields();
    make_nodes();
    begin_widths();
    check_connected_ports();
    make_output_signals();
    build();
    diagnostics_.stop();
    make_scene();  // marks of joint coordinates never make these unknowns: all that is connected is so by now
    make_taps();
    make_offered();
    return finish();
  }

  // ---- Resolver

  Handle node(int component, const Port& port, int end) override {
    if (port.key.empty()) return own_node(component, end);
    const FlatComponent& c = model_.components[component];
    const Node* value = c.fields->find(port.key);
    const std::string where = c.path + "." + port.key;
    if (!value) return {};  // an optional port left open is ground
    const Node* name = value;
    if (port.by_name) name = &named(*value, where).entries[end].value;
    if (port.count > 1) {
      if (!value->is_sequence() || static_cast<int>(value->items.size()) != port.count)
        throw fault("E-TYPE", value->mark, where,
                    fmt::format("expected {} names [A, B], found {}", port.count,
                                value->is_sequence() ? fmt::format("a list of {}", value->items.size())
                                                     : value->described()));
      name = &value->items[end];
    }
    if (!name->is_scalar())
      throw fault("E-TYPE", name->mark, where, "expected a name, found " + name->described());
    const std::string text = FieldReader(*c.space, c.loop).substituted(*name, where);
    return node_named(Model::absolute(*c.space, text), text, *port.domain, name->mark, where, *c.space);
  }

  AttachedFrame frame(int component, const Port& port, int end) override {
    AttachedFrame at;
    framed_ = {};
    static_cast<Handle&>(at.node) = node(component, port, end);
    at.on_node = framed_.on_node;
    at.design = framed_.design;
    if (!at.node.is_ground()) touched_.insert(at.node.variable);
    return at;
  }
  void joint(JointPlacement joint) override { joints_.push_back(std::move(joint)); }
  void offer(int component, int node, const ElementId& reading,
             std::function<void(SystemBuilder&, const Handle&)> make) override {
    offered_[{component, node}].reading = reading;
    offered_[{component, node}].make = std::move(make);
  }
  Handle offered(int component, int node) override {
    Offered& o = offered_[{component, node}];
    if (o.wanted) return o.handle;
    const ComponentType& type = *model_.components[component].type;
    const OfferedNode& n = type.offers[node];
    const std::string& path = model_.components[component].path;
    o.handle = make_node(builder_, n.domain, type.offers.size() == 1 ? path : path + "." + n.name);
    o.wanted = true;
    return o.handle;
  }
  void memory(const ElementId& element, int slot, double value) override {
    memories_.push_back({element, slot, value});
  }

  void switches(int component, const ElementId& element) override {
    switching_.push_back({element, model_.components[component].path});
  }
  void sampler(Sampler sampler) override {
    refuse_too_many(sampler.period, std::numeric_limits<double>::infinity(), "samples");
    sampler.place = builder_.reserve(static_cast<int>(sampler.memory.size() + sampler.held.size()));
    samplers_.push_back(std::move(sampler));
  }
  void settable(int component, const ElementId& element, int slot, int part) override {
    settable_[{component, part}] = {element, slot, 0.0};
  }
  void settable(int component, const StateVariable<1>& state, int part) override {
    settable_states_[{component, part}] = state.variable;
  }
  void trigger(int component, const ElementId& element, std::vector<Signal<1>> inputs,
               std::vector<ActionRequest> actions, bool stop) override {
    triggers_.push_back({component, element, std::move(inputs), std::move(actions), stop});
  }

  void branch(int component, Branch branch) override {
    branch.component = component;
    branches_.push_back(branch);
  }

  void draw(int component, Scene::Part part) override {
    scene_.components[component].parts.push_back(std::move(part));
  }
  void draw_beam(int component, Scene::Beam beam, Scene::Part piece) override {
    const auto [at, is_new] = beams_.emplace(std::move(beam), static_cast<int>(scene_.beams.size()));
    if (is_new) scene_.beams.push_back(at->first);
    piece.beam = at->second;
    draw(component, std::move(piece));
  }
  void arrow(int component, Scene::Arrow arrow) override {
    scene_.components[component].arrows.push_back(std::move(arrow));
  }

  std::vector<std::vector<Signal<1>>> signals(int component, const Port& port) override {
    const FlatComponent& c = model_.components[component];
    const std::string where = c.path + "." + port.key;
    std::vector<std::vector<Signal<1>>> result;
    for (const auto& group : referenced(component, port)) {
      std::vector<Signal<1>> parts;
      for (const Reference& r : group) {
        const std::vector<Signal<1>> s = signals_of(r);
        parts.insert(parts.end(), s.begin(), s.end());
        check_tag(r, port, where);
      }
      if (port.width > 0 && static_cast<int>(parts.size()) != port.width)
        throw fault("E-WIDTH", group.front().mark, where,
                    fmt::format("`{}` has {} parts, needs {}", group.front().text, parts.size(), port.width),
                    fmt::format("choose one: {}.1", group.front().text));
      result.push_back(std::move(parts));
    }
    return result;
  }

  int signal_width(int component, const Port& port) override {
    int width = 0;
    for (const auto& group : referenced(component, port)) {
      int sum = 0;
      bool known = true;
      for (const Reference& r : group) {
        const int w = r.part > 0 ? 1 : output_width(r.component, r.output);
        known = known && w > 0;
        sum += w;
      }
      if (known) width = std::max(width, sum);
    }
    return width;
  }

  std::vector<Signal<1>> outputs(int component) override { return block_outputs_[component]; }

  BoundOutput& bound(int component, std::string_view output, int part) override {
    const ComponentType& type = *model_.components[component].type;
    int at = first_output_[component];
    for (const OutputType& o : outputs_of(component)) {
      const int parts = output_width(component, static_cast<int>(&o - outputs_of(component).data()));
      if (o.name == output) {
        if (part >= parts)
          throw std::logic_error(type.name + ": output " + o.name + " has no part " + std::to_string(part));
        return bound_[at + part];
      }
      at += parts;
    }
    throw std::logic_error(type.name + ": no output `" + std::string(output) + "` in its schema");
  }

  void start(const Handle& handle, std::vector<double> values, bool rate) override {
    starts_.push_back({handle, std::move(values), rate});
  }
  void keep(const Handle& handle, int first, int count, bool rate) override {
    kept_.push_back({handle, first, count, rate});
  }
  void event(TimeEvent event) override {
    refuse_too_many(event.period, event.count, "events");
    events_.push_back(event);
  }
  std::vector<std::string> units(int component, const Port& port) override {
    std::vector<std::string> list;
    for (const auto& group : referenced(component, port)) {
      std::string unit = tag(group.front().component, group.front().output);
      for (const Reference& r : group)
        if (tag(r.component, r.output) != unit) unit.clear();
      list.push_back(std::move(unit));
    }
    return list;
  }
  FieldReader reader(int component) override {
    const FlatComponent& c = model_.components[component];
    return FieldReader(*c.space, c.loop, model_.allow_outside);
  }
  const std::vector<double>& gravity() override {
    gravity_used_ = true;
    if (model_.gravity.empty())
      throw fault("E-MISSING", {}, "gravity", "the model has bodies in space but does not state gravity",
                  "gravity: [0, 0, -9.81 m/s^2], or gravity: none");
    return gravity_;
  }
  bool trusts_code() override { return model_.trust; }

 private:
  struct Reference {
    int component = -1;  // or a declared node: -2 - index
    int output = 0;      // index into the type's (or the domain's) outputs
    int part = 0;        // from 1; 0: all parts
    Mark mark;
    std::string text;
  };
  struct Start {
    Handle handle;
    std::vector<double> values;
    bool rate;
  };
  struct KeptParts {
    Handle handle;
    int first, count;
    bool rate;
  };
  struct Offered {
    Handle handle;
    bool wanted = false;  // somebody connects to it
    ElementId reading;
    std::function<void(SystemBuilder&, const Handle&)> make;
  };
  struct Memory {
    ElementId element;
    int slot;
    double value;
  };
  struct Trigger {
    int component;
    ElementId element;
    std::vector<Signal<1>> inputs;
    std::vector<ActionRequest> actions;
    bool stop;
  };

  // ---- 1. values

  void read_fields() {
    const std::size_t n = model_.components.size();
    values_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const FlatComponent& c = model_.components[i];
      std::vector<std::string> also;  // ports first: of two that are equally near the first is meant
      for (const Port& p : c.type->ports) also.push_back(p.key);
      also.insert(also.end(), {"type", "for"});
      const std::size_t before = diagnostics_.size();
      values_[i] = FieldReader(*c.space, c.loop, model_.allow_outside)
                       .read(*c.fields, c.type->parameters, also, c.path, diagnostics_);
      for (const Override& o : overrides_)
        if (o.component == c.path) override_number(*c.type, o, values_[i]);
      if (loads_ != 1) scale_loads(c.type->parameters, "", values_[i]);
      // A misspelt key is one slip: that the right one is missing goes without saying.
      if (diagnostics_.size() > before) continue;
      diagnostics_.collect([&] { check_alternatives(*c.fields, c.type->parameters, c.type->ports, c.path); });
      diagnostics_.collect([&] { check_output_unit(static_cast<int>(i)); });
      for (const Port& p : c.type->ports)
        if (p.required && !c.fields->find(p.key))
          diagnostics_.collect([&] {
            throw fault("E-MISSING", c.fields->mark, c.path,
                        fmt::format("`{}` is missing ({})", p.key, p.summary),
                        p.count == 2 ? "between: [A, B]" : "");
          });
    }
  }

  static void override_number(const ComponentType& type, const Override& o, FieldValues& values) {
    for (const Parameter& p : type.parameters) {
      if (p.key != o.key) continue;
      if (!std::isfinite(o.value) || o.value < p.minimum || o.value > p.maximum ||
          (p.above_minimum && o.value == p.minimum))
        throw ModelError(
            "E-RANGE", o.component + "." + o.key,
            fmt::format("an event sets it to {:g}{}", o.value, p.unit == "1" ? "" : " " + p.unit),
            "allowed: " + p.range());
      values.set(p.key, o.value, true);
    }
  }

  void scale_loads(const std::vector<Parameter>& parameters, const std::string& prefix,
                   FieldValues& values) const {
    for (const Parameter& p : parameters) {
      const std::string key = prefix + p.key;
      if (p.type == Parameter::Type::group) scale_loads(p.group, key + ".", values);
      const FieldValue* given = p.load ? values.find(key) : nullptr;
      if (!given) continue;
      FieldValue scaled = *given;
      if (auto* number = std::get_if<double>(&scaled)) *number *= loads_;
      if (auto* vector = std::get_if<std::vector<double>>(&scaled))
        for (double& x : *vector) x *= loads_;
      values.set(key, std::move(scaled), values.given(key));
    }
  }

  /// Values of the kind of a block's output agree with its `unit:`.
  void check_output_unit(int component) {
    const FlatComponent& c = model_.components[component];
    if (!c.type->block || !values_[component].given("unit")) return;
    const std::string unit = tag(component, 0);
    const FieldReader reader(*c.space, c.loop, model_.allow_outside);
    for (const Parameter& p : c.type->parameters) {
      const Node* value = p.like_output ? c.fields->find(p.key) : nullptr;
      if (!value) continue;
      Parameter same = p;
      (p.type == Parameter::Type::table ? same.second_unit : same.unit) = unit;
      same.bare_allowed = true;
      reader.read(same, *value, c.path + "." + p.key);
    }
  }

  // ---- 2. nodes

  void make_nodes() {
    const std::size_t n = model_.components.size();
    own_nodes_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      if (model_.components[i].type->provides)
        own_nodes_[i] = make_node(builder_, *model_.components[i].type->provides, model_.components[i].path);
    for (const DeclaredNode& d : model_.nodes) declared_.push_back(make_node(builder_, d.domain, d.path));
  }

  /// Number 0 is the node that it provides, the others are the further ones of a flexible body.
  Handle own_node(int component, int number) const {
    return number == 0 ? own_nodes_[component] : Handle(further_[component][number - 1]);
  }
  const Frame<double>& design(int component, int number) const {
    return number == 0 ? bodies_[component].pose : bodies_[component].further[number - 1];
  }

  Handle node_named(const std::string& absolute, const std::string& text, Domain domain, const Mark& mark,
                    const std::string& where, const Namespace& space) {
    if (absolute == "ground") return {};
    if (domain == Domain::frame) {
      for (const std::size_t dot : {absolute.size(), absolute.rfind('.')}) {
        if (dot == std::string::npos) continue;
        const int c = model_.find_component(absolute.substr(0, dot));
        if (c < 0 || !model_.components[c].type->frames) continue;
        const std::string name = dot < absolute.size() ? absolute.substr(dot + 1) : "";
        for (const BodyFrames::Named& frame : bodies_[c].frames)
          if (frame.name == name) {
            framed_.on_node = frame.on_node;
            framed_.design = design(c, frame.node) * frame.on_node;
            return own_node(c, frame.node);
          }
        if (model_.components[c].type->output(name))
          throw fault("E-DOMAIN", mark, where,
                      fmt::format("`{}` is a signal, needs a frame of a body", text));
        std::vector<std::string> names;
        for (const BodyFrames::Named& frame : bodies_[c].frames)
          if (!frame.name.empty()) names.push_back(absolute.substr(0, dot) + "." + frame.name);
        throw fault("E-REFERENCE", mark, where, fmt::format("there is no frame `{}`", text),
                    did_you_mean(text, names, fmt::format("its frames: {}", fmt::join(names, ", "))));
      }
    } else if (const Handle* node = offered_named(absolute, domain)) {
      return *node;
    }
    const auto mismatch = [&](const std::string& is) {
      const bool body = is == info(Domain::frame).node;
      return fault(
          "E-DOMAIN", mark, where, fmt::format("`{}` is {}, needs {}", text, is, info(domain).node),
          body ? "force.* and joint.* act on bodies; a revolute joint is a shaft, a prismatic one a slider"
               : "");
    };
    if (const int d = model_.find_node(absolute); d >= 0) {
      if (model_.nodes[d].domain != domain) throw mismatch(info(model_.nodes[d].domain).node);
      return declared_[d];
    }
    if (const int c = model_.find_component(absolute); c >= 0) {
      const ComponentType& type = *model_.components[c].type;
      if (!type.provides && !type.offers.empty())  // a joint coordinate of another kind
        throw mismatch(info(type.offers.front().domain).node);
      if (!type.provides) throw mismatch(type.block ? "a signal" : "no node (it is a " + type.name + ")");
      if (*type.provides != domain) throw mismatch(info(*type.provides).node);
      return own_nodes_[c];
    }
    for (std::size_t dot = absolute.rfind('.'); dot != std::string::npos && dot > 0;
         dot = absolute.rfind('.', dot - 1))
      if (const int c = model_.find_component(absolute.substr(0, dot)); c >= 0) {
        const ComponentType& type = *model_.components[c].type;
        if (type.output(absolute.substr(dot + 1)) != nullptr) throw mismatch("a signal");
        break;
      }
    throw unknown(text, mark, where, space, domain);
  }

  /// A joint coordinate: the joint's own name if it has one of this domain, or `joint.name`.
  const Handle* offered_named(const std::string& absolute, Domain domain) {
    for (const std::size_t dot : {absolute.size(), absolute.rfind('.')}) {
      if (dot == std::string::npos) continue;
      const int c = model_.find_component(absolute.substr(0, dot));
      if (c < 0) continue;
      const auto& offers = model_.components[c].type->offers;
      const std::string name = dot < absolute.size() ? absolute.substr(dot + 1) : "";
      for (std::size_t i = 0; i < offers.size(); ++i)
        if (offers[i].domain == domain && (name.empty() || offers[i].name == name)) {
          offered(c, static_cast<int>(i));
          return &offered_[{c, static_cast<int>(i)}].handle;
        }
    }
    return nullptr;
  }

  /// An unknown name, with the nearest one that would fit.
  ModelError unknown(const std::string& text, const Mark& mark, const std::string& where,
                     const Namespace& space, std::optional<Domain> domain) {
    std::vector<std::string> fitting;
    const auto add = [&](const std::string& path) {
      if (path.starts_with(space.prefix) && fitting.size() < 5000)
        fitting.push_back(path.substr(space.prefix.size()));
    };
    for (const FlatComponent& c : model_.components) {
      if (domain ? c.type->provides == domain || (domain == Domain::frame && c.type->frames) : c.type->block)
        add(c.path);
      for (const OfferedNode& o : c.type->offers)
        if (domain == o.domain) add(c.path + "." + o.name);
      if (!domain)
        for (const OutputType& o : c.type->outputs) add(c.path + "." + o.name);
    }
    for (const DeclaredNode& d : model_.nodes)
      if (domain == d.domain) add(d.path);
    for (const auto& [port, target] : space.ports) fitting.push_back(port);
    std::string hint;
    for (const FlatComponent& c : model_.components)  // a subsystem, or a repetition
      if (hint.empty() && c.path.starts_with(space.prefix + text + "."))
        hint = fmt::format("name one of its parts: {}", c.path.substr(space.prefix.size()));
    if (hint.empty()) hint = did_you_mean(text, fitting);
    if (hint.empty() && space.parameters.contains(text))
      hint = "this is a parameter, not a part of the model";
    if (hint.empty() && domain && text.find('.') == std::string::npos)
      hint = fmt::format("declare it: nodes: {{{}: [{}]}}, or name a component", info(*domain).name, text);
    return fault("E-REFERENCE", mark, where, fmt::format("there is no `{}`", text), hint);
  }

  // ---- 3. signals

  int output_width(int component, int output) {
    if (component < 0) {
      const auto& o = info(model_.nodes[-2 - component].domain).outputs[output];
      return std::max<int>(1, static_cast<int>(std::string_view(o.parts).size()));
    }
    const ComponentType& type = *model_.components[component].type;
    const OutputType& o = outputs_of(component)[output];
    if (!o.parts.empty()) return static_cast<int>(o.parts.size());
    if (!o.wide) return 1;
    const FlatComponent& c = model_.components[component];
    const Build b(builder_, *this, component, type, c.path, values_[component], *c.fields);
    if (output > 0) {
      if (!type.width) return output_width(component, 0);
      const auto [asked, first] = asked_.emplace(component, output);
      if (!first) {  // asked for again on the way, as below
        width_of_itself_ = true;
        return 0;
      }
      const int width = type.width(b, o.name);
      asked_.erase(asked);
      return width;
    }
    int& width = widths_[component];
    if (width == unknown_width) {
      width = 0;  // asked for again on the way: a loop of signals, the others decide
      int known = type.width ? type.width(b, o.name) : 0;
      if (known < 1) known = width_of_input(component);
      width = known;
      if (width < 1) {
        width = unknown_width;
        return 0;
      }
    }
    return width;
  }

  /// Blocks are as wide as their `input`, unless they say otherwise; in a loop of signals a list under `initial` may
  /// decide.
  int width_of_input(int component) {
    const Port* const input = model_.components[component].type->port("input");
    int width = input ? signal_width(component, *input) : 1;
    if (width > 0) return width;
    for (const FieldValues::Entry& e : values_[component].entries())
      if (const auto* list = std::get_if<std::vector<double>>(&e.value);
          list && e.key.starts_with("initial."))
        width = std::max(width, static_cast<int>(list->size()));
    return width;
  }

  void begin_widths() {
    diagnostics_.stop();  // widths need valid fields
    bodies_.resize(model_.components.size());
    further_.resize(model_.components.size());
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      const FlatComponent& c = model_.components[i];
      if (c.type->frames)
        diagnostics_.collect([&] {
          bodies_[i] = c.type->frames(
              Build(builder_, *this, static_cast<int>(i), *c.type, c.path, values_[i], *c.fields));
          for (std::size_t k = 0; k < bodies_[i].further.size(); ++k)
            further_[i].push_back(Build::typed<Pose>(
                make_node(builder_, Domain::frame, fmt::format("{}.node{}", c.path, k + 2))));
        });
    }
    diagnostics_.stop();
    widths_.assign(model_.components.size(), unknown_width);
    own_outputs_.resize(model_.components.size());
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      const FlatComponent& c = model_.components[i];
      if (!c.type->own_outputs) continue;
      diagnostics_.collect([&] {
        const Build b(builder_, *this, static_cast<int>(i), *c.type, c.path, values_[i], *c.fields);
        own_outputs_[i] = c.type->outputs;
        for (OutputType& o : c.type->own_outputs(b)) own_outputs_[i].push_back(std::move(o));
      });
    }
    diagnostics_.stop();
  }

  /// How many numbers this output has depends on the input, which is fed by it.
  [[noreturn]] void refuse_width_of_itself(int component, int output) {
    const FlatComponent& c = model_.components[component];
    const std::string name = c.path + "." + outputs_of(component)[output].name;
    const Node* const input = c.fields->find("input");
    throw fault("E-WIDTH", input ? input->mark : c.mark, c.path + (input ? ".input" : ""),
                fmt::format("how many parts `{}` has depends on itself, through a loop of signals", name),
                fmt::format("choose one part of it: {}.1", name));
  }

  void make_output_signals() {
    const std::size_t n = model_.components.size();
    block_outputs_.resize(n);
    first_output_.resize(n);
    int count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const FlatComponent& c = model_.components[i];
      first_output_[i] = count;
      diagnostics_.collect([&] {
        for (std::size_t o = 0; o < outputs_of(static_cast<int>(i)).size(); ++o) {
          width_of_itself_ = false;
          int width = output_width(static_cast<int>(i), static_cast<int>(o));
          if (width < 1 && o == 0) width = widths_[i] = 1;  // a loop that nobody decides: single numbers
          if (width < 1 && width_of_itself_) refuse_width_of_itself(static_cast<int>(i), static_cast<int>(o));
          if (c.type->block && o == 0) {
            const std::string unit = tag(static_cast<int>(i), 0);
            for (int k = 0; k < width; ++k)
              block_outputs_[i].push_back(builder_.signal<1>(
                  width == 1 ? c.path + ".output" : fmt::format("{}.output.{}", c.path, k + 1),
                  {.unit = unit.empty() ? "1" : unit}));
          }
          count += width;
        }
      });
    }
    diagnostics_.stop();
    bound_.resize(count);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < block_outputs_[i].size(); ++k)
        bind(bound_[first_output_[i] + k], block_outputs_[i][k]);
      const auto& domain = model_.components[i].type->provides;
      if (domain) bind_node(own_nodes_[i], *domain, first_output_[i]);
    }
    for (std::size_t d = 0; d < model_.nodes.size(); ++d) {
      first_node_output_.push_back(static_cast<int>(bound_.size()));
      int parts = 0;
      for (const NodeOutput& o : info(model_.nodes[d].domain).outputs)
        parts += std::max<int>(1, static_cast<int>(std::string_view(o.parts).size()));
      bound_.resize(bound_.size() + parts);
      bind_node(declared_[d], model_.nodes[d].domain, first_node_output_.back());
    }
  }

  static void bind(BoundOutput& b, const Signal<1>& s) {
    b.source = BoundOutput::Source::value;
    b.variable = s.variable;
    b.handle = s;
  }

  void bind_node(const Handle& node, Domain domain, int first) {
    if (domain == Domain::planar) bind_typed_node<Position<2>>(node, domain, first);
    else if (domain == Domain::electrical) bind_state_node(node, first);
    else if (domain != Domain::frame) bind_typed_node<Position<1>>(node, domain, first);
  }

  void bind_state_node(const Handle& node, int at) {
    BoundOutput& b = bound_[at];
    b.source = BoundOutput::Source::value;
    b.variable = node.variable;
    b.handle = node;
    b.tap = [](SystemBuilder& s, const BoundOutput& from, Signal<1> to) {
      return s.add(ValueTap<StateVariable<1>>{Build::typed<StateVariable<1>>(from.handle), to});
    };
  }

  template <class H>
  void bind_typed_node(const Handle& node, Domain domain, int first) {
    for (const NodeOutput& o : info(domain).outputs)
      for (int part = 0; part < H::dofs; ++part) {
        BoundOutput& b = bound_[first++];
        using Source = BoundOutput::Source;
        b.source = o.rate == 0 ? Source::value : o.rate == 1 ? Source::rate : Source::acceleration;
        b.variable = node.variable;
        b.handle = node;
        b.part = part;
        b.tap = [](SystemBuilder& s, const BoundOutput& from, Signal<1> to) {
          const H h = Build::typed<H>(from.handle);
          if (from.source == Source::value) return s.add(ValueTap<H>{h, to, from.part});
          if (from.source == Source::rate) return s.add(RateTap<H>{h, to, from.part});
          return s.add(AccelerationTap<H>{h, to, from.part});
        };
      }
  }

  /// The unit of an output: of its schema, or as the block's `unit:` says.
  std::string tag(int component, int output) {
    if (component < 0) return info(model_.nodes[-2 - component].domain).outputs[output].unit;
    const ComponentType& type = *model_.components[component].type;
    if (type.block && output == 0 && values_[component].given("unit")) {
      const std::string& unit = std::get<std::string>(*values_[component].find("unit"));
      const FlatComponent& c = model_.components[component];
      try {
        const Unit parsed = parse_unit(unit);
        if (parsed.factor != 1 || parsed.offset != 0)
          throw fault("E-UNITS", c.fields->find("unit")->mark, c.path + ".unit",
                      fmt::format("signals are SI numbers, `{}` is not an SI unit", unit),
                      parsed.dimension.dimensionless() ? "" : "unit: " + parsed.dimension.text());
      } catch (const UnitError& e) {
        throw fault("E-UNITS", c.fields->find("unit")->mark, c.path + ".unit", e.what(),
                    e.nearest.empty() ? "" : "did you mean " + e.nearest + "?");
      }
      return unit;
    }
    return outputs_of(component)[output].unit;
  }

  void check_tag(const Reference& r, const Port& port, const std::string& where) {
    if (port.unit == "any") return;
    const std::string unit = tag(r.component, r.output);
    if (unit.empty()) return;
    if (!compatible(parse_unit(unit).dimension, parse_unit(port.unit).dimension))
      throw fault("E-UNITS", r.mark, where, fmt::format("`{}` is in {}, needs {}", r.text, unit, port.unit));
  }

  /// What the names under a signal port refer to: groups of parts ([a, b] is one wide signal, or several).
  std::vector<std::vector<Reference>> referenced(int component, const Port& port) {
    const FlatComponent& c = model_.components[component];
    const std::string where = c.path + "." + port.key;
    const Node* value = c.fields->find(port.key);
    std::vector<std::vector<Reference>> groups;
    if (!value) return groups;
    if (port.by_name) {
      for (const Node::Entry& e : named(*value, where).entries)
        groups.push_back(of_name(component, e.value, where + "." + e.key));
      return groups;
    }
    if (!port.list || !value->is_sequence()) {
      groups.push_back(of_name(component, *value, where));
      return groups;
    }
    if (value->items.empty()) throw fault("E-TYPE", value->mark, where, "the list is empty");
    for (const Node& name : value->items) {
      if (!name.is_scalar())
        throw fault("E-TYPE", name.mark, where, "expected the name of a signal, found " + name.described());
      groups.push_back(of_name(component, name, where));
    }
    return groups;
  }

  const Node& named(const Node& value, const std::string& where) {
    if (!value.is_mapping())
      throw fault("E-TYPE", value.mark, where, "expected a mapping name: part, found " + value.described(),
                  "give each a name: {x: cart.position}");
    for (const Node::Entry& e : value.entries) FieldReader::check_name(e, where);
    return value;
  }
  /// One name, or a list that makes one wide signal.
  std::vector<Reference> of_name(int component, const Node& value, const std::string& where) {
    const FlatComponent& c = model_.components[component];
    const auto one = [&](const Node& name) {
      if (!name.is_scalar())
        throw fault("E-TYPE", name.mark, where, "expected the name of a signal, found " + name.described());
      return reference(FieldReader(*c.space, c.loop).substituted(name, where), name.mark, where, *c.space);
    };
    std::vector<Reference> group;
    if (!value.is_sequence()) return {one(value)};
    for (const Node& name : value.items) group.push_back(one(name));
    if (group.empty()) throw fault("E-TYPE", value.mark, where, "the list is empty");
    return group;
  }

  Reference reference(const std::string& text, const Mark& mark, const std::string& where,
                      const Namespace& space) {
    const std::string path = Model::absolute(space, text);
    if (path == "ground")
      throw fault("E-DOMAIN", mark, where, "`ground` is no signal", "control.constant with value 0 is one");
    std::size_t dot = path.size();
    while (true) {
      const std::string head = path.substr(0, dot);
      const std::string rest = dot < path.size() ? path.substr(dot + 1) : "";
      if (const int c = model_.find_component(head); c >= 0) return output_of(c, rest, text, mark, where);
      if (const int d = model_.find_node(head); d >= 0) return node_output(d, rest, text, mark, where);
      if (dot == 0 || (dot = path.rfind('.', dot - 1)) == std::string::npos) break;
    }
    throw unknown(text, mark, where, space, std::nullopt);
  }

  Reference output_of(int c, const std::string& rest, const std::string& text, const Mark& mark,
                      const std::string& where) {
    const ComponentType& type = *model_.components[c].type;
    std::vector<std::string> names;
    for (const OutputType& o : outputs_of(c)) names.push_back(o.name);
    const std::string listed = fmt::format("{}", fmt::join(names, ", "));
    if (rest.empty()) {
      if (type.block) return {c, 0, 0, mark, text};
      throw fault("E-DOMAIN", mark, where, fmt::format("`{}` is a {}, not a signal", text, type.name),
                  names.empty()
                      ? ""
                      : fmt::format("choose one of its outputs: {}.{}", text, fmt::join(names, ", .")));
    }
    std::string first = rest.substr(0, rest.find('.'));
    int output = -1;
    for (std::size_t o = 0; o < names.size(); ++o)  // `tip.position` has a dot of its own
      if (rest == names[o] || rest.starts_with(names[o] + ".")) {
        output = static_cast<int>(o);
        first = names[o];
      }
    std::string part = rest.size() > first.size() ? rest.substr(first.size() + 1) : "";
    if (output < 0 && type.block && !first.empty() && std::isdigit(static_cast<unsigned char>(first[0]))) {
      output = 0;
      part = rest;
    }
    if (output < 0) {
      std::string hint = did_you_mean(first, names, "one of " + listed);
      if (const Parameter* p = type.parameter("measure_" + first)) hint = p->key + ": true gives it one";
      throw fault("E-REFERENCE", mark, where,
                  fmt::format("`{}` has no output `{}`", model_.components[c].path, first), hint);
    }
    const std::string letters = outputs_of(c)[output].parts;
    return {c, output, part_number(part, letters, output_width(c, output), text, mark, where), mark, text};
  }

  Reference node_output(int d, const std::string& rest, const std::string& text, const Mark& mark,
                        const std::string& where) {
    const auto outputs = info(model_.nodes[d].domain).outputs;
    const std::string first = rest.substr(0, rest.find('.'));
    std::vector<std::string> names;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      names.push_back(outputs[o].name);
      if (names.back() != first) continue;
      const std::string part = rest.size() > first.size() ? rest.substr(first.size() + 1) : "";
      return {
          -2 - d, static_cast<int>(o),
          part_number(part, outputs[o].parts, output_width(-2 - d, static_cast<int>(o)), text, mark, where),
          mark, text};
    }
    throw fault("E-DOMAIN", mark, where,
                fmt::format("`{}` is {}, not a signal", text, info(model_.nodes[d].domain).node),
                fmt::format("choose one of its channels: {}", fmt::join(names, ", ")));
  }

  /// ".y" or ".2" -> 2; "" -> 0.
  static int part_number(const std::string& part, const std::string& letters, int width,
                         const std::string& text, const Mark& mark, const std::string& where) {
    if (part.empty()) return 0;
    if (part.size() == 1 && letters.find(part) != std::string::npos)
      return static_cast<int>(letters.find(part)) + 1;
    char* end = nullptr;
    const long i = std::strtol(part.c_str(), &end, 10);
    if (*end != '\0' || i < 1 || (width > 0 && i > width) || (!letters.empty()))
      throw fault("E-REFERENCE", mark, where, fmt::format("`{}` has no part `{}`", text, part),
                  width == 1        ? "it is a single number"
                  : letters.empty() ? fmt::format("its parts are 1 … {}", width)
                                    : fmt::format("its parts are {}", fmt::join(letters, ", ")));
    return static_cast<int>(i);
  }

  int bound_index(int component, int output) {
    int at = component >= 0 ? first_output_[component] : first_node_output_[-2 - component];
    for (int o = 0; o < output; ++o) at += output_width(component, o);
    return at;
  }

  /// The signals of a reference; outputs that are no signals yet get one (and, later, the row that defines it).
  std::vector<Signal<1>> signals_of(const Reference& r) {
    const bool block = r.component >= 0 && model_.components[r.component].type->block && r.output == 0;
    const int width = output_width(r.component, r.output);
    std::vector<Signal<1>> result;
    for (int k = r.part > 0 ? r.part - 1 : 0; k < (r.part > 0 ? r.part : width); ++k) {
      if (block) {
        result.push_back(block_outputs_[r.component].at(k));
        continue;
      }
      const int index = bound_index(r.component, r.output) + k;
      auto [at, fresh] = tapped_.try_emplace(index);
      if (fresh) {
        const std::string unit = tag(r.component, r.output);
        at->second = builder_.signal<1>(channel_name(r.component, r.output, k) + " (as a signal)",
                                        {.unit = unit.empty() ? "1" : unit});
      }
      result.push_back(at->second);
    }
    return result;
  }

  std::string channel_name(int component, int output, int part) {
    const bool declared = component < 0;
    const std::string& path =
        declared ? model_.nodes[-2 - component].path : model_.components[component].path;
    const std::string name = declared ? info(model_.nodes[-2 - component].domain).outputs[output].name
                                      : outputs_of(component)[output].name;
    const std::string letters = declared ? info(model_.nodes[-2 - component].domain).outputs[output].parts
                                         : outputs_of(component)[output].parts;
    if (!letters.empty()) return path + "." + name + "." + letters[part];
    return output_width(component, output) == 1 ? path + "." + name
                                                : fmt::format("{}.{}.{}", path, name, part + 1);
  }

  void check_connected_ports() {
    for (const ConnectedPort& p : model_.connected_ports)
      diagnostics_.collect([&] {
        static const Namespace top;
        if (p.domain) node_named(p.target, p.target, *p.domain, p.mark, p.where, top);
        else reference(p.target, p.mark, p.where, top);
      });
    diagnostics_.stop();
  }

  // ---- 4. elements

  void build() {
    scene_.components.resize(model_.components.size());
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      const FlatComponent& c = model_.components[i];
      diagnostics_.collect([&] {
        try {
          building_ = c.path;
          refuse_equal_ends(c, static_cast<int>(i));
          Build b(builder_, *this, static_cast<int>(i), *c.type, c.path, values_[i], *c.fields);
          c.type->build(b);
        } catch (const ModelError& e) {
          if (e.place.file.empty() && c.mark.file)
            throw ModelError(e.code, e.where, e.cause, e.hint, c.mark.place());
          throw;
        }
      });
    }
  }

  /// Steps end at each of them; and times that lie closer together than rounding of the time cannot be told apart.
  void refuse_too_many(double period, double count, const char* what) {
    constexpr double most = 1e9;
    const FieldValue* const until = model_.simulate.find("until");
    if (!until || !(period > 0)) return;
    const double number = std::min(count, std::get<double>(*until) / period);
    if (number > most)
      throw ModelError("E-STEP", building_,
                       fmt::format("a period of {:g} s makes {:.3g} {} until {:g} s, more than the {:g} that "
                                   "a run can have",
                                   period, number, what, std::get<double>(*until), most),
                       "a longer period, a shorter run, or the mean of what repeats");
  }

  void refuse_equal_ends(const FlatComponent& c, int i) {
    for (const Port& p : c.type->ports)
      if (p.domain && p.count == 2 && c.fields->find(p.key)) {
        const Handle a = node(i, p, 0), b = node(i, p, 1);
        if (a.variable == b.variable)
          throw fault("E-TOPOLOGY", c.fields->find(p.key)->mark, c.path + "." + p.key,
                      a.is_ground() ? "both ends are ground" : "both ends are the same",
                      "connect it to two different parts");
      }
  }

  void make_taps() {
    for (const auto& [index, signal] : tapped_) {
      const BoundOutput& b = bound_[index];
      if (b.source == BoundOutput::Source::unbound)
        throw std::logic_error("an output was not bound by its component: number " + std::to_string(index));
      if (b.offered >= 0) {
        const Position<1> node = Build::typed<Position<1>>(offered(owner_of(index), b.offered));
        if (b.index == 0) builder_.add(ValueTap<Position<1>>{node, signal});
        else builder_.add(RateTap<Position<1>>{node, signal});
        continue;
      }
      if (b.tap) {
        const ElementId tap = b.tap(builder_, b, signal);
        if (tap.group->crossings_of(tap.index) > 0) switches(owner_of(index), tap);
      } else {
        builder_.add(ValueTap<Signal<1>>{Build::typed<Signal<1>>(b.handle), signal});
      }
    }
  }

  /// The component of an output, by its index into bound_.
  int owner_of(int index) const {
    return static_cast<int>(std::upper_bound(first_output_.begin(), first_output_.end(), index) -
                            first_output_.begin()) -
           1;
  }

  void make_offered() {
    for (auto& [key, o] : offered_)
      if (o.wanted) o.make(builder_, o.handle);
  }

  /// It has frames and a node of its own: not fixed in the world.
  bool is_body(std::size_t component) const {
    const ComponentType& type = *model_.components[component].type;
    return type.frames && type.provides;
  }

  /// Bodies start where they say, or where joint coordinates put them.
  void place_bodies(Assembly& a) {
    std::vector<PlacedBody> bodies;
    std::vector<JointPlacement> joints = joints_;
    std::deque<BodyFrames> more;  // the further nodes of flexible bodies, tied to the first
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!is_body(i)) continue;
      BodyFrames& first = bodies_[i];
      bodies.push_back({own_nodes_[i].variable, &first});
      for (std::size_t k = 0; k < further_[i].size(); ++k) {
        const Frame<double> there = first.pose.inverse() * first.further[k];
        BodyFrames& node = more.emplace_back();
        node.pose = first.further[k];
        node.velocity = first.velocity + first.pose.R * cross(first.angular_velocity, there.x);
        node.angular_velocity = there.R.inverse() * first.angular_velocity;
        bodies.push_back({further_[i][k].variable, &node});
        joints.push_back(
            {model_.components[i].path, Build::typed<Pose>(own_nodes_[i]), further_[i][k], {}, {}});
      }
    }
    for (const JointPlacement* j : place(bodies, joints))
      if (!j->kept)
        a.warnings.push_back(
            {"W-COORDINATE",
             fmt::format("{}: it closes a loop, so its coordinate at the start follows from the other joints",
                         j->path),
             "", j->path});
    for (const PlacedBody& b : bodies) {
      const Variable& v = a.system.variables()[b.variable];
      const Frame<double>& pose = b.body->pose;
      const double values[7] = {pose.R.w,  pose.R.u[0], pose.R.u[1], pose.R.u[2],
                                pose.x[0], pose.x[1],   pose.x[2]};
      std::copy(values, values + 7, &a.initial.value[v.value]);
      const Vector3 linear =
          v.manifold == Manifold::se3 ? pose.R.inverse() * b.body->velocity : b.body->velocity;
      for (int k = 0; k < 3; ++k) {
        a.initial.rate[v.row + k] = linear[k];
        a.initial.rate[v.row + 3 + k] = b.body->angular_velocity[k];
      }
    }
    if (!joints_.empty())
      for (std::size_t i = 0; i < bodies_.size(); ++i)
        if (is_body(i) && !touched_.contains(own_nodes_[i].variable) &&
            std::none_of(further_[i].begin(), further_[i].end(),
                         [&](const Pose& p) { return touched_.contains(p.variable); }))
          a.warnings.push_back({"W-FREE",
                                fmt::format("{}: nothing is attached to this body, it moves freely",
                                            model_.components[i].path),
                                "", model_.components[i].path});
    for (const Memory& m : memories_)
      a.initial.memory[m.element.group->memory_of(m.element.index) + m.slot] = m.value;
    for (const auto& [key, o] : offered_) {
      if (!o.wanted) continue;
      const Variable& v = a.system.variables()[o.handle.variable];
      if (kept_.empty() || !a.kept.position[v.row])
        a.initial.value[v.value] = o.reading.group->output(a.initial, o.reading.index, 0);
      if (kept_.empty() || !a.kept.rate[v.row])
        a.initial.rate[v.row] = o.reading.group->output(a.initial, o.reading.index, 1);
    }
  }

  // ---- 5. pictures

  /// Of a component that draws nothing itself: the shape of its type, at its own node, or at and between its ports.
  void draw_by_type(int component) {
    const FlatComponent& c = model_.components[component];
    const Shape& shape = c.type->shape;
    if (shape.primitive == "none" || shape.primitive == "block") return;
    Scene::Part part{shape.primitive, {}, {}};
    for (const std::string& key : shape.keys) {
      const FieldValue* value = values_[component].find(key);
      if (const auto* number = value ? std::get_if<double>(value) : nullptr) part.size.push_back(*number);
      if (const auto* list = value ? std::get_if<std::vector<double>>(value) : nullptr)
        part.size.insert(part.size.end(), list->begin(), list->end());
    }
    const auto& frames = bodies_[component].frames;
    if (c.type->provides) {
      part.ends.push_back(
          {own_nodes_[component].variable, frames.empty() ? Frame<double>{} : frames.front().on_node});
    } else if (c.type->frames) {
      for (const auto& f : frames) draw(component, {shape.primitive, part.size, {{-1, f.on_node}}});
      return;
    } else {
      for (const Port& port : c.type->ports) {
        if (!port.domain || port.by_name || !c.fields->find(port.key)) continue;
        for (int end = 0; end < port.count; ++end) {
          const AttachedFrame at = frame(component, port, end);
          part.ends.push_back({at.node.variable, at.on_node});
        }
      }
    }
    if (!part.ends.empty()) draw(component, std::move(part));
  }

  void make_scene() {
    const auto links = connections(model_);
    std::map<int, Scene::Node> known;  // by variable
    const auto know = [&](const Handle& node, const std::string& name, Domain domain) {
      if (!node.is_ground()) known[node.variable] = {node.variable, name, domain};
    };
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      const FlatComponent& c = model_.components[i];
      scene_.components[i].connections = links[i];
      if (scene_.components[i].parts.empty()) draw_by_type(static_cast<int>(i));
      if (c.type->provides) know(own_nodes_[i], c.path, *c.type->provides);
      for (std::size_t k = 0; k < further_[i].size(); ++k)
        know(further_[i][k], fmt::format("{}.node{}", c.path, k + 2), Domain::frame);
    }
    for (std::size_t d = 0; d < declared_.size(); ++d)
      know(declared_[d], model_.nodes[d].path, model_.nodes[d].domain);
    for (const auto& [key, o] : offered_) {
      const FlatComponent& c = model_.components[key.first];
      if (o.wanted)
        know(o.handle, c.path + "." + c.type->offers[key.second].name, c.type->offers[key.second].domain);
    }
    std::set<int> used;
    for (const Scene::Component& c : scene_.components)
      for (const Scene::Part& p : c.parts)
        for (const Scene::End& e : p.ends)
          if (known.contains(e.variable)) used.insert(e.variable);
    for (const int variable : used) scene_.nodes.push_back(known[variable]);
  }

  /// Beams and cables also hang on points in space.
  void add_nodes_of_beams(const System& system) {
    std::map<int, std::size_t> place;  // by variable
    for (const Scene::Node& n : scene_.nodes) place.emplace(n.variable, place.size());
    for (const Scene::Component& c : scene_.components)
      for (const Scene::Part& p : c.parts)
        for (const Scene::End& e : p.ends) {
          if (p.beam < 0 || e.variable < 0) continue;
          const Variable& v = system.variables()[e.variable];
          if (!place.emplace(e.variable, scene_.nodes.size()).second) continue;
          if (v.manifold != Manifold::vector || v.values != 3)
            throw std::logic_error(v.name + " is no place in space");
          scene_.nodes.push_back({e.variable, v.name, std::nullopt});
        }
  }

  /// Magnitudes that the model states (T-error-1): by names of unknowns, as `show` lists them. They see no parameters, so that
  /// they stand the same in a flattened model.
  void take_nominals() {
    if (model_.nominals.empty()) return;
    Namespace plain;
    plain.bare_numbers_are_si = model_.root_space().bare_numbers_are_si;
    plain.index();
    const auto& variables = builder_.variables();
    std::vector<std::string> names;
    for (const Variable& v : variables) names.push_back(v.name);
    for (const NominalText& n : model_.nominals)
      diagnostics_.collect([&] {
        const auto at = std::find(names.begin(), names.end(), n.unknown);
        if (at == names.end())
          throw fault("E-REFERENCE", n.mark, "nominal",
                      fmt::format("there is no unknown called `{}`", n.unknown),
                      did_you_mean(n.unknown, names, "`escapement show` lists the unknowns"));
        const int variable = static_cast<int>(at - names.begin());
        const std::string& unit = variables[variable].unit;
        const Parameter magnitude = number("nominal", unit.empty() ? "1" : unit, "").positive();
        builder_.state_nominal(variable, std::get<double>(FieldReader(plain, {}).read(
                                             magnitude, n.value, "nominal." + n.unknown)));
      });
    diagnostics_.stop();
  }

  Assembly finish() {
    Assembly a;
    take_nominals();
    try {
      a.system = builder_.finish();
    } catch (const ModelError& e) {  // an unknown nobody acts on: tell where it was declared
      for (const DeclaredNode& d : model_.nodes)
        if (e.where.starts_with(d.path + ".")) throw fault(e.code.c_str(), d.mark, e.where, e.cause, e.hint);
      throw;
    }
    a.initial = a.system.state();
    for (const Start& s : starts_) {
      const auto to = s.rate ? a.system.rate(a.initial, s.handle) : a.system.value(a.initial, s.handle);
      if (to.size() != s.values.size()) throw std::logic_error("initial values of the wrong size");
      std::copy(s.values.begin(), s.values.end(), to.begin());
    }
    if (!kept_.empty()) {
      a.kept.position.assign(a.system.rows(Kind::position).end, 0);
      a.kept.rate = a.kept.position;
      for (const KeptParts& k : kept_) {
        const int row = a.system.variables()[k.handle.variable].row + k.first;
        std::fill_n((k.rate ? a.kept.rate : a.kept.position).begin() + row, k.count, 1);
      }
    }
    place_bodies(a);
    add_nodes_of_beams(a.system);
    a.scene = std::move(scene_);
    a.events = std::move(events_);
    for (std::size_t i = 0; i < model_.components.size(); ++i) add_channels(a, static_cast<int>(i));
    for (std::size_t d = 0; d < model_.nodes.size(); ++d) add_channels(a, -2 - static_cast<int>(d));
    a.switching = std::move(switching_);
    for (Sampler& s : samplers_) {
      s.place += a.system.reserved_memory();
      std::copy(s.memory.begin(), s.memory.end(), a.initial.memory.begin() + s.place);
    }
    a.samplers = std::move(samplers_);
    for (const Trigger& t : triggers_) diagnostics_.collect([&] { a.triggers.push_back(event_of(t, a)); });
    diagnostics_.stop();
    refuse_massless(a);
    examine_circuit(branches_, circuit_names(a.system));
    if (!model_.gravity.empty() && !gravity_used_)
      a.warnings.push_back(
          {"W-UNUSED",
           "`gravity:` is stated but no body in space uses it; planar.mass has a gravity of its own"});
    note_what_does_nothing(a);
    return a;
  }

  /// Parameters that nothing uses, settings that this model has no use for.
  void note_what_does_nothing(Assembly& a) const {
    constexpr std::size_t told = 5;
    const std::vector<std::string> unused = model_.unused_parameters();
    if (!unused.empty())
      a.notes.push_back(
          fmt::format("nothing uses the parameter{} {}{}", unused.size() > 1 ? "s" : "",
                      fmt::join(unused.begin(), unused.begin() + std::min(told, unused.size()), ", "),
                      unused.size() > told ? fmt::format(" and {} more", unused.size() - told) : ""));
    const System& s = a.system;
    const bool constrained = s.rows(Kind::holonomic).size() + s.rows(Kind::nonholonomic).size() > 0;
    const auto frames = std::any_of(s.variables().begin(), s.variables().end(), [](const Variable& v) {
      return v.kind == Kind::position && v.dofs == 6;
    });
    const auto has_no_use = [&](std::initializer_list<const char*> keys, const char* why) {
      for (const char* key : keys)
        if (model_.simulate.given(key))
          a.notes_on_settings.push_back(fmt::format("simulate.{} has no effect: {}", key, why));
    };
    if (!constrained)
      has_no_use({"constraints", "regularization", "penalty", "redundant", "compliance"},
                 "the model has no constraints");
    if (!frames) has_no_use({"frames"}, "no body of the model turns in space");
    if (s.rows(Kind::state).size() == 0)
      has_no_use({"rho_states", "scheme_states"}, "the model has no states");
    if (a.switching.empty() && a.triggers.empty())
      has_no_use({"event_tolerance"}, "nothing in the model switches");
  }

  void add_channels(Assembly& a, int component) {
    const bool declared = component < 0;
    const std::size_t n =
        declared ? info(model_.nodes[-2 - component].domain).outputs.size() : outputs_of(component).size();
    for (std::size_t o = 0; o < n; ++o) {
      const int output = static_cast<int>(o), first = bound_index(component, output);
      const std::string unit = tag(component, output);
      for (int k = 0; k < output_width(component, output); ++k) {
        if (bound_[first + k].source == BoundOutput::Source::unbound)
          throw std::logic_error(channel_name(component, output, k) + " was not bound by its component");
        if (!declared && outputs_of(component)[o].preload)
          a.preloads.push_back(static_cast<int>(a.channels.size()));
        a.channels.push_back({channel_name(component, output, k), unit.empty() ? "1" : unit,
                              declared ? info(model_.nodes[-2 - component].domain).outputs[o].summary
                                       : outputs_of(component)[o].summary,
                              declared || outputs_of(component)[o].by_default, bound_[first + k]});
      }
    }
  }

  // ---- events

  EventType event_of(const Trigger& t, const Assembly& a) {
    EventType e{t.element, model_.components[t.component].path, {}, {}};
    for (const Signal<1>& s : t.inputs) e.inputs.push_back(s.variable);
    for (const ActionRequest& r : t.actions) e.actions.push_back(action(t.component, r, a));
    if (t.stop) e.actions.push_back({EventAction::Kind::stop, e.name, "", -1, 0, {}, 0, nullptr});
    return e;
  }

  /// A parameter of the model or of a component, or something that is remembered or integrated.
  EventAction action(int component, const ActionRequest& r, const Assembly& a) {
    const FlatComponent& owner = model_.components[component];
    const std::string where = owner.path + ".set." + r.target;
    EventAction act{EventAction::Kind::parameter, r.target, "", -1, 0, {}, 0, r.value};
    const std::string absolute = Model::absolute(*owner.space, r.target);
    std::string unit;
    if (const BoundOutput* out = channel_named(absolute, unit, act)) {
      if (act.element.group) {
        act.kind = EventAction::Kind::memory;
      } else if (act.variable >= 0) {
        act.kind = EventAction::Kind::state;
      } else {
        const Variable& v = a.system.variables()[std::max(0, out->variable)];
        act.variable = out->variable;
        act.part = out->part;
        if (out->source == BoundOutput::Source::rate) act.kind = EventAction::Kind::velocity;
        else if (out->source == BoundOutput::Source::value && v.kind == Kind::position &&
                 v.manifold == Manifold::vector)
          act.kind = EventAction::Kind::position;
        else if (out->source == BoundOutput::Source::value && v.kind == Kind::state)
          act.kind = EventAction::Kind::state;
        else
          throw fault(
              "E-EVENT", r.text->mark, where,
              fmt::format("`{}` follows from other values: it cannot be set", r.target),
              "what can be set: positions and velocities of masses, inertias and points, states of blocks, "
              "control.variable, parameters");
      }
      reader(component).check_unit(*r.value, *r.text, unit, where);
      return act;
    }
    if (owner.space->parameters.contains(r.target))
      throw fault(
          "E-EVENT", r.text->mark, where,
          fmt::format("`{}` is a parameter of the model, used while it is read", r.target),
          "set what it is used for: COMPONENT.KEY, as in spring.stiffness; or use a control.variable");
    if (const std::size_t dot = absolute.rfind('.'); dot != std::string::npos)
      if (const int c = model_.find_component(absolute.substr(0, dot)); c >= 0)
        for (const Parameter& p : model_.components[c].type->parameters) {
          if (p.key != absolute.substr(dot + 1)) continue;
          if (p.type != Parameter::Type::number)
            throw fault("E-EVENT", r.text->mark, where, "events set single numbers only");
          reader(component).check_unit(*r.value, *r.text, p.unit, where);
          act.target = absolute.substr(0, dot);
          act.key = p.key;
          return act;
        }
    std::vector<std::string> names;
    for (const auto& [name, value] : owner.space->parameters) names.push_back(name);
    for (const FlatComponent& c : model_.components) names.push_back(c.path);
    throw fault("E-REFERENCE", r.text->mark, where,
                fmt::format("there is nothing called `{}` to set", r.target),
                did_you_mean(r.target, names, "a parameter, a state, a velocity or a control.variable"));
  }

  /// The channel of this name (a block's name stands for its output), its unit, and its memory if events may set it.
  const BoundOutput* channel_named(const std::string& absolute, std::string& unit, EventAction& act) {
    for (std::size_t c = 0; c < model_.components.size(); ++c) {
      const std::string& path = model_.components[c].path;
      if (!absolute.starts_with(path)) continue;
      for (std::size_t o = 0; o < outputs_of(static_cast<int>(c)).size(); ++o)
        for (int k = 0; k < output_width(static_cast<int>(c), static_cast<int>(o)); ++k) {
          const std::string name = channel_name(static_cast<int>(c), static_cast<int>(o), k);
          if (name != absolute &&
              !(model_.components[c].type->block && o == 0 && name == absolute + ".output"))
            continue;
          unit = tag(static_cast<int>(c), static_cast<int>(o));
          if (unit.empty()) unit = "any";
          const std::pair<int, int> at{static_cast<int>(c), k};
          if (const auto s = settable_.find(at); s != settable_.end() && o == 0)
            act.element = s->second.element, act.slot = s->second.slot;
          if (const auto s = settable_states_.find(at); s != settable_states_.end() && o == 0)
            act.variable = s->second;
          return &bound_[bound_index(static_cast<int>(c), static_cast<int>(o)) + k];
        }
    }
    return nullptr;
  }

  CircuitNames circuit_names(const System& system) const {
    CircuitNames names;
    names.node = [&](int v) {
      const std::string& name = system.variables()[v].name;
      return name.substr(0, name.rfind('.'));
    };
    names.component = [this](int c) { return model_.components[c].path; };
    names.component_place = [this](int c) { return model_.components[c].mark.place(); };
    names.node_place = [this](int v) {
      for (std::size_t d = 0; d < declared_.size(); ++d)
        if (declared_[d].variable == v) return model_.nodes[d].mark.place();
      return SourcePlace{};
    };
    names.is_read = [this](int v) {
      return std::any_of(tapped_.begin(), tapped_.end(),
                         [&](const auto& t) { return bound_[t.first].variable == v; });
    };
    return names;
  }

  /// A position without inertia has no acceleration that its equation could give; discrete Lagrangians do without.
  void refuse_massless(const Assembly& a) {
    const auto* scheme = model_.simulate.find("scheme");
    if (scheme &&
        (std::get<std::string>(*scheme) == "variational" || std::get<std::string>(*scheme) == "spook"))
      return;
    const std::vector<char> massless = massless_positions(a.system, a.initial);
    const auto row = std::find(massless.begin(), massless.end(), 1);
    if (row == massless.end()) return;
    const std::string name = a.system.unknown_name(static_cast<int>(row - massless.begin()));
    Mark mark;
    for (const DeclaredNode& d : model_.nodes)
      if (name.starts_with(d.path + ".")) mark = d.mark;
    for (const FlatComponent& c : model_.components)
      if (name.starts_with(c.path + ".")) mark = c.mark;
    throw fault("E-TOPOLOGY", mark, name, "nothing that moves with it has mass or inertia",
                "give it a mass (a small one will do), connect the parts directly, or choose `scheme: "
                "variational` or `spook`");
  }

  const std::vector<OutputType>& outputs_of(int component) const {
    const auto& own = own_outputs_[component];
    return own.empty() ? model_.components[component].type->outputs : own;
  }

  static constexpr int unknown_width = -1;
  bool width_of_itself_ = false;  // was a width asked for on the way to it?
  const Model& model_;
  const std::vector<Override>& overrides_;
  double loads_;
  std::vector<double> gravity_;
  SystemBuilder builder_;
  Diagnostics diagnostics_;
  std::vector<FieldValues> values_;
  std::vector<std::vector<OutputType>> own_outputs_;  // of components that have some of their own
  std::vector<Handle> own_nodes_, declared_;
  std::set<std::pair<int, int>> asked_;  // component, output: whose widths are being found
  std::vector<int> widths_, first_output_, first_node_output_;
  std::vector<std::vector<Signal<1>>> block_outputs_;
  std::vector<BoundOutput> bound_;
  std::map<int, Signal<1>> tapped_;  // by index into bound_
  std::vector<Start> starts_;
  std::vector<KeptParts> kept_;
  std::vector<TimeEvent> events_;
  std::string building_;                    // the component whose elements are being made
  std::vector<BodyFrames> bodies_;          // by component
  std::vector<std::vector<Pose>> further_;  // nodes of flexible bodies
  std::vector<JointPlacement> joints_;
  std::set<int> touched_;                           // bodies that something is attached to, by variable
  std::map<std::pair<int, int>, Offered> offered_;  // by component and number
  std::vector<Memory> memories_;
  std::vector<std::pair<ElementId, std::string>> switching_;
  std::map<std::pair<int, int>, Memory> settable_;      // by component and part of its output
  std::map<std::pair<int, int>, int> settable_states_;  // variables, likewise
  std::vector<Trigger> triggers_;
  std::vector<Sampler> samplers_;
  std::vector<Branch> branches_;
  AttachedFrame framed_;  // the frame of a body that was named last
  bool gravity_used_ = false;
  std::map<Scene::Beam, int> beams_;  // of the scene
  Scene scene_;
};

}  // namespace

Assembly assemble(const Model& model, const std::vector<Override>& overrides, double loads) {
  return Assembler(model, overrides, loads).run();
}

}  // namespace escapement
