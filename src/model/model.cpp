#include "model/model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace escapement {

Mark Model::simulate_mark(std::string_view key) const {
  const Node* value = simulate_text_ ? simulate_text_->find(key) : nullptr;
  return value ? value->mark : simulate_text_ ? simulate_text_->mark : Mark{};
}

/// Of a constraint, under `spook`.
static std::vector<Parameter> relaxation_fields() {
  return {
      number("damping", "1",
             "time over which a violation decays, in steps: 2 unless given; less rings, more lasts longer")
          .at_least(0)
          .optional(),
      number("damping_time", "s", "the same as a time").at_least(0).optional(),
      number("compliance", "m/N", "of equations between lengths: how far they give way; 0: rigid")
          .at_least(0)
          .otherwise("0"),
      number("angular_compliance", "rad/N/m", "of equations between angles").at_least(0).otherwise("0")};
}

/// Records whose names are those of components, or patterns.
static Parameter by_path(Parameter p) {
  p.verbatim = true;
  return p;
}

const std::vector<Parameter>& simulate_schema() {
  static const std::vector<Parameter> schema = {
      number("until", "s", "end of the simulated time").positive(),
      number("step", "s", "step size; of adaptive steps the first, chosen by the program unless given")
          .positive()
          .optional(),
      vector("steps", "s", 0, "prescribed step sizes, repeated; instead of `step`").positive().optional(),
      choice("scheme",
             {"generalized-alpha", "newmark", "trapezoidal", "hht-alpha", "jwh-alpha", "stormer",
              "variational", "spook"},
             "integration scheme")
          .otherwise("generalized-alpha"),
      number("rho", "1", "spectral radius at infinity of the mechanics: 1 no numerical damping, 0 the most")
          .at_least(0)
          .at_most(1)
          .otherwise("0.8"),
      choice("scheme_states", {"jwh-alpha", "generalized-alpha"},
             "parameters for states: optimal for first order, or the same as for mechanics")
          .otherwise("jwh-alpha"),
      number("rho_states", "1", "spectral radius at infinity of the states; as rho unless given")
          .at_least(0)
          .at_most(1)
          .optional(),
      number(
          "alpha_m", "1",
          "parameters of your own, instead of rho: of generalized-alpha alpha_m, alpha_f, beta and gamma, of "
          "newmark beta and gamma")
          .optional(),
      number("alpha_f", "1", "see alpha_m").optional(),
      number("beta", "1", "see alpha_m").at_least(0).optional(),
      number("gamma", "1", "see alpha_m").positive().optional(),
      number("delta_m", "1", "of states, instead of rho_states and scheme_states: delta_m, delta_f and theta")
          .optional(),
      number("delta_f", "1", "see delta_m").optional(),
      number("theta", "1", "see delta_m").at_least(0).optional(),
      choice("form", {"exact", "weighted"},
             "of generalized-alpha: equations of motion exactly at the end of a step, or as weighted means "
             "of both ends (the "
             "classical form, with accelerations of first order, for comparison)")
          .otherwise("exact"),
      boolean("update",
              "gamma and theta follow the sizes of the steps, which keeps second order where these change; "
              "false: for comparison")
          .otherwise("true"),
      boolean("update_beta", "beta follows gamma; false: for comparison").otherwise("true"),
      choice(
          "constraints", {"index-3", "index-2"},
          "constraints on positions alone, or stabilised with velocities too; index-3 unless given, index-2 "
          "with adaptive steps and where constraints come and go")
          .optional(),
      group("relaxation", relaxation_fields(),
            "of `spook`: how constraints that are violated come back, and how far they give way"),
      by_path(
          records("relaxations", relaxation_fields(),
                  "of `spook`: the same for the constraints of components by name; patterns match several")
              .optional()),
      choice("frames", {"r3so3", "se3"},
             "how frames in space move in a step: translation and rotation apart, or together as a screw")
          .otherwise("r3so3"),
      boolean(
          "redundant",
          "constraints that depend on each other: true allows them without a warning, false refuses them; "
          "without it they are told and the run goes on, with the reactions of least size")
          .optional(),
      number("regularization", "1",
             "of multipliers, relative to the constraints' own stiffness; chosen by the program unless "
             "given: none, "
             "or 1e-9 where constraints depend on each other")
          .positive()
          .at_most(1e-2)
          .optional(),
      number("penalty", "1",
             "the same as a penalty, 1/regularization: the factor p of an augmented Lagrangian over the "
             "scaling factor s of "
             "the constraint's row")
          .at_least(100)
          .at_most(1e15)
          .optional(),
      boolean("adaptive", "steps chosen by error control").otherwise("false"),
      number("tolerance", "1",
             "of adaptive steps: what the errors of all steps of a run may add up to, relative to the size "
             "of each "
             "unknown plus its nominal magnitude")
          .positive()
          .at_most(0.1)
          .optional(),
      group("tolerances",
            {number("absolute", "1", "of the nominal magnitudes; as `tolerance` unless given")
                 .positive()
                 .optional(),
             number("positions", "1", "of positions and angles").positive().optional(),
             number("velocities", "1", "of their velocities").positive().optional(),
             number("states", "1", "of states").positive().optional(),
             number("signals", "1", "of signals and sensor readings; not controlled unless given")
                 .positive()
                 .optional(),
             number("multipliers", "1", "of reactions; not controlled unless given").positive().optional()},
            "kinds of unknowns with a tolerance of their own"),
      number("horizon", "s", "time over which errors may add up to the tolerance; the whole run unless given")
          .positive()
          .optional(),
      choice("estimator", {"embedded", "history"},
             "where the error of a step is estimated from; history: from accelerations alone, for models "
             "without states")
          .otherwise("embedded"),
      number("h_min", "s", "smallest adaptive step; 1e-12 of the run unless given").positive().optional(),
      number("h_max", "s", "largest adaptive step; a tenth of the run unless given").positive().optional(),
      number("event_tolerance", "s", "to which events are located in time; 1e-12 of the step unless given")
          .positive()
          .optional(),
      number("output_every", "any",
             "record every so many steps (a whole number) or at this interval (a time)")
          .positive()
          .otherwise("1"),
      vector("output_at", "s", 0, "record at these times, instead of `output_every`").at_least(0).optional(),
      number("newton_tolerance", "1", "remaining error of a step, relative to nominal magnitudes")
          .positive()
          .at_most(1e-2)
          .otherwise("1e-12"),
      integer("substeps",
              "how many times a prescribed step that has no solution may be halved; 0: the run ends there")
          .at_least(0)
          .at_most(40)
          .otherwise("10"),
      integer("newton_iterations", "most iterations of a step").at_least(1).at_most(1000).otherwise("50"),
  };
  return schema;
}

// ------------------------------------------------------------------ Model

ModelError Model::located(const ModelError& e) const {
  if (!e.place.file.empty()) return e;
  std::string path = e.where;
  if (path.starts_with('`')) path = path.substr(1, path.find('`', 1) - 1);  // `mass.position` (force balance)
  for (; !path.empty(); path.resize(path.rfind('.') == std::string::npos ? 0 : path.rfind('.'))) {
    if (const int c = find_component(path); c >= 0)
      return fault(e.code.c_str(), components[c].mark, e.where, e.cause, e.hint);
    if (const int d = find_node(path); d >= 0)
      return fault(e.code.c_str(), nodes[d].mark, e.where, e.cause, e.hint);
  }
  return e;
}

std::string Model::absolute(const Namespace& space, const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string first = name.substr(0, dot);
  if (first == "ground") return name;
  const auto port = space.ports.find(first);
  if (port != space.ports.end()) return port->second + (dot == std::string::npos ? "" : name.substr(dot));
  return space.prefix + name;
}

int Model::find_component(std::string_view path) const {
  const auto at = component_index_.find(path);
  return at == component_index_.end() ? -1 : at->second;
}
int Model::find_node(std::string_view path) const {
  const auto at = node_index_.find(path);
  return at == node_index_.end() ? -1 : at->second;
}

namespace {

/// Calls f(component, parameter, value) for every value of a component that `chosen` picks by its schema.
template <class Chosen, class F>
void for_each_value(const std::vector<FlatComponent>& components, Chosen chosen, F f) {
  for (const FlatComponent& c : components)
    for (const Parameter& p : c.type->parameters)
      if (const Node* value = chosen(p) ? c.fields->find(p.key) : nullptr) f(c, p, *value);
}

}  // namespace

const Namespace& Model::root_space() const { return spaces_->front(); }

std::vector<std::string> Model::unused_parameters() const {
  std::vector<std::string> names;
  for (const Namespace& space : *spaces_) {
    if (space.of_other_format) continue;
    const auto unused = space.unused();
    names.insert(names.end(), unused.begin(), unused.end());
  }
  return names;
}

std::vector<UsedFile> Model::used_files() const {
  std::vector<UsedFile> files;
  for_each_value(
      components, [](const Parameter& p) { return p.type == Parameter::Type::file; },
      [&](const FlatComponent& c, const Parameter& p, const Node& value) {
        const FieldReader reader(*c.space, c.loop, allow_outside);
        const std::filesystem::path path = std::get<std::string>(reader.read(p, value, c.path + "." + p.key));
        files.push_back({path, flat_name(path, *c.space)});
      });
  return files;
}

std::vector<UsedCode> Model::used_code() const {
  std::vector<UsedCode> all;
  for_each_value(
      components, [](const Parameter& p) { return p.code; },
      [&](const FlatComponent& c, const Parameter& p, const Node& value) {
        UsedCode code{c.path + "." + p.key, {}, {}};
        const FieldReader reader(*c.space, c.loop, allow_outside);
        const std::string text = std::get<std::string>(reader.read(p, value, code.where));
        if (p.type == Parameter::Type::file) code.file = text;
        else code.text = text;
        all.push_back(std::move(code));
      });
  return all;
}

Node Model::flattened() const {
  Node root = Node::mapping({});
  const auto put = [](Node& to, const std::string& key, Node value) {
    to.entries.push_back({key, {}, std::move(value)});
  };
  put(root, "escapement", Node(language_version));
  put(root, "flattened", Node("true"));
  if (!title.empty()) {
    Node text(title);
    text.quoted = true;
    put(root, "title", text);
  }
  if (!nodes.empty()) {
    Node all = Node::mapping({});
    for (const DeclaredNode& n : nodes) {
      if (!all.find(info(n.domain).name)) put(all, info(n.domain).name, Node::sequence({}));
      all.find(info(n.domain).name)->items.push_back(Node(n.path));
    }
    put(root, "nodes", all);
  }
  Node parts = Node::mapping({});
  for (const FlatComponent& c : components) {
    const FieldReader reader(*c.space, c.loop, allow_outside);
    Node fields = reader.self_contained(*c.fields, c.type->parameters);
    std::erase_if(fields.entries, [](const Node::Entry& e) { return e.key == "for"; });
    for (Node::Entry& e : fields.entries) {
      const auto rename = [&](Node& n, const auto& again) -> void {
        if (n.is_scalar()) n.text = absolute(*c.space, reader.substituted(n, e.key));
        for (Node& item : n.items) again(item, again);
        for (Node::Entry& named : n.entries) again(named.value, again);
      };
      if (c.type->port(e.key)) rename(e.value, rename);
      for (const Parameter& p : c.type->parameters)
        if (p.refers && p.key == e.key)
          for (Node::Entry& target : e.value.entries) target.key = absolute(*c.space, target.key);
    }
    put(parts, c.path, std::move(fields));
  }
  put(root, "components", std::move(parts));
  if (simulate_text_ && !simulate_text_->entries.empty())
    put(root, "simulate", FieldReader((*spaces_)[0], {}).self_contained(*simulate_text_, simulate_schema()));
  if (load_steps > 1) {
    Node stepped = Node::mapping({});
    put(stepped, "mode", Node(start));
    put(stepped, "load_steps", Node(load_steps));
    put(root, "start", std::move(stepped));
  } else if (start != "given") {
    put(root, "start", Node(start));
  }
  if (!gravity.empty()) {
    std::vector<Node> g;
    for (double v : gravity) g.push_back(Node(fmt::format("{:.17g} m/s^2", v)));
    put(root, "gravity", Node::sequence(std::move(g)));
  }
  if (!nominals.empty()) {
    Node all = Node::mapping({});
    for (const NominalText& n : nominals) put(all, n.unknown, n.value);
    put(root, "nominal", std::move(all));
    if (root_space().bare_numbers_are_si) put(root, "units", Node("SI"));
  }
  const auto texts = [](const std::vector<ChannelPattern>& list) {
    std::vector<Node> items;
    for (const ChannelPattern& p : list) {
      Node n(p.text);
      n.quoted = true;
      items.push_back(n);
    }
    return Node::sequence(std::move(items));
  };
  if (record_all) put(root, "record", Node("all"));
  else if (!record.empty()) put(root, "record", texts(record));
  if (!plots.empty()) {
    std::vector<Node> list;
    for (const PlotRequestText& p : plots) {
      Node n = Node::mapping({});
      if (!p.title.empty()) {
        Node text(p.title);
        text.quoted = true;
        put(n, "title", text);
      }
      if (!p.x.text.empty()) put(n, "x", Node(p.x.text));
      put(n, "y", texts(p.y));
      list.push_back(std::move(n));
    }
    put(root, "plots", Node::sequence(std::move(list)));
  }
  return root;
}

// ------------------------------------------------------------------ ModelText

ModelText::ModelText() : root_(Node::mapping({})) {
  root_.entries.push_back({"escapement", {}, Node(language_version)});
}

Node& ModelText::section(const std::string& key) {
  if (!root_.find(key)) root_.entries.push_back({key, {}, Node::mapping({})});
  return *root_.find(key);
}
ModelText& ModelText::title(const std::string& text) { return set("title", Node(text)); }
ModelText& ModelText::parameter(const std::string& name, Node value) {
  section("parameters").entries.push_back({name, {}, std::move(value)});
  return *this;
}
ModelText& ModelText::node(const std::string& domain, const std::string& name) {
  Node& all = section("nodes");
  if (!all.find(domain)) all.entries.push_back({domain, {}, Node::sequence({})});
  all.find(domain)->items.push_back(Node(name));
  return *this;
}
ModelText& ModelText::add(const std::string& name, const std::string& type, Fields fields) {
  Node n = std::move(fields);
  n.entries.insert(n.entries.begin(), {"type", {}, Node(type)});
  section("components").entries.push_back({name, {}, std::move(n)});
  return *this;
}
ModelText& ModelText::simulate(const std::string& key, Node value) {
  section("simulate").entries.push_back({key, {}, std::move(value)});
  return *this;
}
ModelText& ModelText::set(const std::string& key, Node value) {
  root_.entries.push_back({key, {}, std::move(value)});
  return *this;
}
Model ModelText::model(const Registry& registry, const ReadOptions& options) const {
  return Model::from_tree(root_, registry, options);
}

}  // namespace escapement
