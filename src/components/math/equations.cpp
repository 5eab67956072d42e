#include "components/math/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/nearest_name.hpp"
#include "components/math/user_equations.hpp"
#include "model/component.hpp"

namespace escapement {

namespace {

using math::UserEquations;
using Sort = UserEquations::Sort;

/// "m" -> "m/s"; what is not known stays so.
std::string per_second(const std::string& unit, int times) {
  if (unit == "any") return unit;
  return unit + (times == 1 ? "/s" : "/s^2");
}

/// Of an unknown; "any" where it has none.
std::string unit_of(const Build& b, const std::string& name) {
  const std::string key = "unknowns." + name + ".unit";
  if (!b.given(key)) return "any";
  const std::string& unit = b.text(key);
  try {
    const Unit parsed = parse_unit(unit);
    if (parsed.factor != 1 || parsed.offset != 0)
      b.refuse("E-UNITS", key, fmt::format("unknowns are SI numbers, `{}` is not an SI unit", unit),
               parsed.dimension.dimensionless() ? "" : "unit: " + parsed.dimension.text());
  } catch (const UnitError& e) {
    b.refuse("E-UNITS", key, e.what(), e.nearest.empty() ? "" : "did you mean " + e.nearest + "?");
  }
  return unit;
}

class Writer {
 public:
  explicit Writer(Build& b) : b_(b), element_(std::make_unique<UserEquations>()) {}

  void run() {
    names_.push_back({"t", "s"});
    declare_unknowns();
    connect_positions<Position<1>>("sliders", "m", "");
    connect_positions<Position<1>>("shafts", "rad", "");
    connect_positions<Position<2>>("points", "m", "xy");
    connect_inputs();
    if (std::all_of(names_.begin() + 1, names_.end(), [](const auto& n) { return n.second == "any"; }))
      names_[0].second = "any";  // a problem without units at all
    define_names();
    substitute_signals();
    write_equations();
    write_forces();
    b_.add_dynamic(std::move(element_));
  }

 private:
  struct Declared {
    std::string name, kind, unit;
    int index;  // among the element's unknowns
  };

  static Extent extent_of(const std::string& unit) {
    return unit == "rad" ? Extent::angle : unit == "m" ? Extent::length : Extent::other;
  }

  // ---- names

  /// The unknown's value, rate and acceleration get the places among the inputs that the element expects.
  void add_name(const std::string& name, const std::string& unit, bool position, const Node& at) {
    for (const auto& [known, of] : names_)
      if (known == name) b_.refuse_at(at, "E-NAME", name, fmt::format("`{}` is declared twice", name));
    names_.push_back({name, unit});
    names_.push_back({position ? "der(" + name + ")" : "", per_second(unit, 1)});
    names_.push_back({position ? "der2(" + name + ")" : "", per_second(unit, 2)});
  }

  void declare_unknowns() {
    for (const Node::Entry& e : b_.entries("unknowns")) {
      const std::string key = "unknowns." + e.key;
      const std::string kind = b_.text(key + ".kind"), unit = unit_of(b_, e.key);
      for (const auto& [field, kinds] :
           {std::pair("rate", "position"), std::pair("reaction", "slip_multiplier")})
        if (b_.given(key + "." + field) && kind != kinds)
          b_.refuse("E-VALUE", key + "." + field, fmt::format("belongs to unknowns of the kind {}", kinds));
      const Description d{.unit = unit == "any" ? "1" : unit,
                          .nominal = b_.number(key + ".nominal"),
                          .extent = extent_of(unit)};
      const std::string name = b_.path() + "." + e.key;
      if (kind == "position") position(e, name, unit, d);
      if (kind == "state") scalar(e, b_.system.state<1>(name, d), unit);
      if (kind == "signal") scalar(e, b_.system.signal<1>(name, d), unit);
      if (kind == "multiplier") scalar(e, b_.system.multiplier<1>(name, d), unit);
      if (kind == "slip_multiplier") scalar(e, b_.system.slip_multiplier<1>(name, d), unit);
      declared_.push_back({e.key, kind, unit, element_->size() - 1});
    }
    if (declared_.empty() && !b_.node("forces"))
      b_.refuse("E-MISSING", "", "there are neither unknowns nor forces",
                "unknowns: {x: {kind: state}}, equations: {x: der(x) = …}");
  }

  void position(const Node::Entry& e, const std::string& name, const std::string& unit,
                const Description& d) {
    const auto h = b_.system.position<1>(name, d);
    scalar(e, h, unit);
    b_.rate_channel(e.key + "_rate", h);
    b_.acceleration_channel(e.key + "_acceleration", h);
    if (const Node* rate = e.value.find("rate"))
      b_.start_rate(h, {starts_[UserEquations::rate_of(element_->size() - 1)] =
                            start(*rate, e.key + ".rate", per_second(unit, 1))});
  }

  template <class H>
  void scalar(const Node::Entry& e, const H& h, const std::string& unit) {
    element_->unknowns.push_back(DynamicElement::Unknown::of(h));
    add_name(e.key, unit, H::kind == Kind::position, e.value);
    b_.channel(e.key, h);
    const Node* value = e.value.find("initial");
    const double number = value ? start(*value, e.key + ".initial", unit) : 0.0;
    starts_[UserEquations::value_of(element_->size() - 1)] = number;
    if (value) b_.start(h, {number});
  }

  double start(const Node& value, const std::string& key, const std::string& unit) {
    return b_.quantity(value, "unknowns." + key, unit);
  }

  /// Positions that others own.
  template <class H>
  void connect_positions(const char* port, const char* unit, std::string_view parts) {
    const auto& all = b_.entries(port);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Node::Entry& e = all[k];
      const H h = b_.node<H>(port, static_cast<int>(k));
      for (int part = 0; part < H::dofs; ++part) {
        const std::string name = parts.empty() ? e.key : e.key + "." + parts[part];
        element_->unknowns.push_back(DynamicElement::Unknown::of(h, part));
        add_name(name, unit, true, e.value);
        forces_[name] = element_->size() - 1;
      }
    }
  }

  void connect_inputs() {
    const auto& all = b_.entries("inputs");
    const auto signals = b_.signals("inputs");
    const auto units = b_.units("inputs");
    for (std::size_t k = 0; k < signals.size(); ++k)
      for (std::size_t part = 0; part < signals[k].size(); ++part) {
        const Node::Entry& e = all[k];
        element_->unknowns.push_back(DynamicElement::Unknown::of(signals[k][part]));
        add_name(signals[k].size() == 1 ? e.key : fmt::format("{}.{}", e.key, part + 1),
                 units[k].empty() ? "any" : units[k], false, e.value);
      }
  }

  // ---- definitions

  /// `let`: each of the names above it.
  void define_names() {
    for (const Node::Entry& e : b_.entries("let")) {
      const std::string key = "let." + e.key;
      FieldReader::check_name(e, b_.path() + "." + key);
      for (const auto& [known, of] : names_)
        if (known == e.key)
          b_.refuse_at(e.value, "E-NAME", key, fmt::format("`{}` is declared twice", e.key));
      Expression x = compile(e.value, key);
      names_.push_back({e.key, unit_text(x)});
      element_->define(std::move(x), true);
    }
  }

  static std::string unit_text(const Expression& x) {
    return x.is_any() || x.is_zero() ? "any" : x.dimension().text();
  }

  /// Constraints may use signals that are functions of positions and time: they see what the signal is equal to.
  void substitute_signals() {
    constraint_names_ = names_;
    const auto constrains = [](const Declared& u) { return u.kind.ends_with("multiplier"); };
    if (std::none_of(declared_.begin(), declared_.end(), constrains)) return;
    std::vector<char> done(declared_.size(), 0);
    for (bool found = true; found;) {
      found = false;
      for (std::size_t k = 0; k < declared_.size(); ++k)
        if (!done[k] && declared_[k].kind == "signal" && substitute(declared_[k])) done[k] = found = true;
    }
  }
  bool substitute(const Declared& u) {
    const auto& all = b_.entries("equations");
    const auto equation =
        std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.key == u.name; });
    if (equation == all.end()) return false;
    auto [left, right] = sides(equation->value, "equations." + u.name);
    if (right.text == u.name) std::swap(left, right);
    if (left.text != u.name) return false;
    Expression x = b_.compile(right, "equations." + u.name, constraint_names_);
    const Expression* const own = &x;
    for (const int input : element_->reads({&own, 1}).inputs)
      if (input != UserEquations::time && !is_place(input)) return false;
    constraint_names_[UserEquations::value_of(u.index)].first.clear();
    constraint_names_.push_back({u.name, u.unit == "any" ? unit_text(x) : u.unit});
    names_.push_back({"", "any"});
    element_->define(std::move(x), false);
    return true;
  }
  bool is_place(int input) const {
    return element_->unknowns[(input - 1) / 3].kind == Kind::position && (input - 1) % 3 == 0;
  }

  // ---- equations

  void write_equations() {
    const auto& all = b_.entries("equations");
    const auto has = [&](const std::string& name) {
      return std::any_of(all.begin(), all.end(), [&](const auto& e) { return e.key == name; });
    };
    for (const Declared& u : declared_)
      if (!has(u.name))
        b_.refuse("E-MISSING", b_.node("equations") ? "equations" : "",
                  fmt::format("there is no equation for `{}`", u.name),
                  fmt::format("one equation per unknown: {}: left = right", u.name));
    for (const Node::Entry& e : all) {
      const auto u = std::find_if(declared_.begin(), declared_.end(),
                                  [&](const Declared& d) { return d.name == e.key; });
      if (u == declared_.end()) {
        std::vector<std::string> known;
        for (const Declared& d : declared_) known.push_back(d.name);
        b_.refuse_at(e.value, "E-REFERENCE", "equations." + e.key,
                     fmt::format("`{}` is not among the unknowns", e.key), did_you_mean(e.key, known));
      }
      write(*u, e.value);
    }
  }

  void write(const Declared& u, const Node& text) {
    const std::string key = "equations." + u.name;
    auto [left, right] = sides(text, key);
    if (u.kind == "state") {
      if (!left.text.starts_with("der(") || closing(left.text, 3) != left.text.size() - 1)
        b_.refuse_at(text, "E-VALUE", key,
                     fmt::format("the equation of the state `{}` gives its rate", u.name),
                     fmt::format("{0}: der({0}) = …", u.name));
      left.text = left.text.substr(4, left.text.size() - 5);
      left.mark.column += 4;
      Expression store = compile(left, key), flow = compile(right, key);
      alike(store, flow, text, key, "1/s");
      element_->add({u.index, Sort::store, {{-1.0, std::move(flow)}}, std::move(store)});
      refuse_flow_in_store(u, text, key);
      return;
    }
    const auto& names = u.kind.ends_with("multiplier") ? constraint_names_ : names_;
    Expression l = b_.compile(left, key, names), r = b_.compile(right, key, names);
    alike(l, r, text, key, "1");
    const bool bare = b_.text("unknowns." + u.name + ".reaction") == "none";
    const Sort sort = u.kind == "multiplier"        ? Sort::holonomic
                      : u.kind != "slip_multiplier" ? Sort::raw
                      : bare                        ? Sort::bare_slip
                                                    : Sort::slip;
    if (sort != Sort::raw) refuse_index(sort, {&l, &r}, text, key);
    element_->add({u.index, sort, {{1.0, std::move(l)}, {-1.0, std::move(r)}}});
    if (u.kind != "position") return;
    // Rows of positions are written so that inertia (damping, stiffness) counts positively: reactions are added to them.
    std::vector<double> at(1 + 3 * element_->unknowns.size(),
                           0.3);  // of what others own the start is not known yet
    for (const auto& [index, value] : starts_) at[index] = value;
    if (element_->own_slope(at) < 0) element_->negate_last();
  }

  void write_forces() {
    for (const Node::Entry& e : b_.entries("forces")) {
      const std::string key = "forces." + e.key;
      const auto at = forces_.find(e.key);
      if (at == forces_.end()) {
        std::vector<std::string> known;
        for (const auto& [name, index] : forces_) known.push_back(name);
        b_.refuse_at(e.value, "E-REFERENCE", key,
                     fmt::format("`{}` is not among the sliders, shafts and points", e.key),
                     did_you_mean(e.key, known));
      }
      Expression force = compile(e.value, key);
      const bool shaft = b_.node("shafts") && b_.node("shafts")->find(e.key);
      if (!force.is_any() && !force.is_zero() &&
          !compatible(force.dimension(), parse_unit(shaft ? "N*m" : "N").dimension))
        b_.refuse_at(e.value, "E-UNITS", key,
                     fmt::format("`{}` is in {}, needs {}", e.value.text, force.dimension().text(),
                                 shaft ? "N*m" : "N"));
      element_->add({at->second, Sort::raw, {{-1.0, std::move(force)}}});
    }
  }

  // ---- texts

  /// Left and right of the equals sign.
  std::pair<Node, Node> sides(const Node& text, const std::string& key) const {
    const std::size_t equals = equals_sign(text, key);
    Node left = text, right = text;
    left.text = trimmed(text.text.substr(0, equals));
    right.text = trimmed(text.text.substr(equals + 1));
    right.mark.column +=
        static_cast<int>(std::min(text.text.find_first_not_of(' ', equals + 1), text.text.size()));
    return {std::move(left), std::move(right)};
  }
  Expression compile(const Node& text, const std::string& key) const { return b_.compile(text, key, names_); }

  static std::string trimmed(std::string s) {
    while (!s.empty() && s.back() == ' ') s.pop_back();
    const std::size_t first = s.find_first_not_of(' ');
    return first == std::string::npos ? "" : s.substr(first);
  }
  /// Where the parenthesis that opens at `open` closes.
  static std::size_t closing(const std::string& s, std::size_t open) {
    int level = 0;
    for (std::size_t i = open; i < s.size(); ++i) {
      level += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
      if (level == 0) return i;
    }
    return std::string::npos;
  }
  std::size_t equals_sign(const Node& text, const std::string& key) const {
    std::vector<std::size_t> found;
    const std::string& s = text.text;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s[i] == '=' && (i == 0 || (s[i - 1] != '<' && s[i - 1] != '>'))) found.push_back(i);
    if (found.size() != 1)
      b_.refuse_at(text, "E-EXPRESSION", key,
                   fmt::format("`{}` has {} equals sign", s, found.empty() ? "no" : "more than one"),
                   "left = right");
    return found[0];
  }

  /// Left and right sides, or a store and its flow, have one unit.
  void alike(const Expression& l, const Expression& r, const Node& text, const std::string& key,
             const char* factor) const {
    if (l.is_any() || r.is_any() || l.is_zero() || r.is_zero()) return;
    const Dimension left = l.dimension() * parse_unit(factor).dimension;
    if (compatible(left, r.dimension())) return;
    b_.refuse_at(
        text, "E-UNITS", key,
        fmt::format("the left side is in {}, the right side in {}", left.text(), r.dimension().text()));
  }

  /// What may stand in a constraint, by the place of the input among value, rate and acceleration.
  void refuse_index(Sort sort, std::vector<const Expression*> sides, const Node& text,
                    const std::string& key) const {
    const bool holonomic = sort == Sort::holonomic;
    for (const int input : element_->reads(sides).inputs) {
      if (input == UserEquations::time || is_place(input)) continue;
      const auto& unknown = element_->unknowns[(input - 1) / 3];
      if (!holonomic && unknown.kind == Kind::position && (input - 1) % 3 == 1) continue;
      b_.refuse_at(
          text, "E-INDEX", key,
          fmt::format("a {} constraint depends on `{}`", holonomic ? "holonomic" : "nonholonomic",
                      names_[input].first),
          holonomic
              ? "constrain positions and functions of time only; constraints on velocities have the kind "
                "slip_multiplier, and signals may stand for functions of positions and time"
              : "constrain positions, velocities and functions of time only");
    }
  }
  /// A store is a function of values, rates and time.
  void refuse_flow_in_store(const Declared& u, const Node& text, const std::string& key) const {
    const Expression* const store = &*element_->last().store;
    for (const int input : element_->reads({&store, 1}).inputs)
      if (input != UserEquations::time && (input - 1) % 3 == 2)
        b_.refuse_at(text, "E-VALUE", key,
                     fmt::format("what `{}` stores depends on `{}`", u.name, names_[input].first),
                     "store functions of values and rates only");
  }

  Build& b_;
  std::unique_ptr<UserEquations> element_;
  std::vector<Declared> declared_;
  std::map<int, double> starts_;                            // of the element's inputs, where known
  std::map<std::string, int> forces_;                       // of the positions that others own
  std::vector<std::pair<std::string, std::string>> names_;  // name, unit: as the element's inputs …
  std::vector<std::pair<std::string, std::string>> constraint_names_;  // … and as constraints see them
};

std::vector<OutputType> outputs(const Build& b) {
  std::vector<OutputType> list;
  const auto give = [&](const std::string& name, std::string unit, const char* what, const Node& at) {
    for (const OutputType& o : list)
      if (o.name == name) b.refuse_at(at, "E-NAME", "unknowns", fmt::format("`{}` names two channels", name));
    list.push_back({name, unit == "any" ? "" : std::move(unit), what});
  };
  for (const Node::Entry& e : b.entries("unknowns")) {
    const std::string key = "unknowns." + e.key;
    const std::string unit = unit_of(b, e.key);
    give(e.key, unit, "unknown", e.value);
    if (b.text(key + ".kind") != "position") continue;
    give(e.key + "_rate", per_second(unit, 1), "its rate", e.value);
    give(e.key + "_acceleration", per_second(unit, 2), "its acceleration", e.value);
  }
  return list;
}

}  // namespace

ComponentType math_equations() {
  ComponentType type("math.equations", "Unknowns of any kind and their equations, written in the model.");
  type.description =
      "Every unknown has one equation, `left = right`, of the names declared here, of time `t`, and of the "
      "parameters; `der(x)` and `der2(x)` are rate and acceleration of a position. The kind of an unknown "
      "says what its equation is:\n\n"
      "- `position`: any equation of positions, rates and accelerations, as a rule `m*der2(x) = force`;\n"
      "- `state`: `der(x) = rate`, or `der(stored) = flow` with what is stored a function of x;\n"
      "- `signal`: any equation that determines it;\n"
      "- `multiplier`: a constraint on positions and time; its reaction is added to the equations of these "
      "positions, M q̈ + Φ_qᵀλ = force;\n"
      "- `slip_multiplier`: a constraint on velocities too; its reaction k_vᵀμ is added, or with `reaction: "
      "none` the multiplier stands in the equations where the user writes it, linearly or not.\n\n"
      "`inputs` are signals (every channel is one); `sliders`, `shafts` and `points` are positions of other "
      "parts, for constraints between them and for `forces` that act on them. `let` names expressions for "
      "use "
      "in what follows; a constraint may use signals whose equation is `name = ` a function of positions and "
      "time. "
      "Derivatives are exact. Units "
      "are checked where they are known; an unknown without a unit fits anywhere. A position x has the "
      "channels x, x_rate and x_acceleration.";
  type.connects(signal_port("inputs", "any", "signals the equations use").any_width().named());
  type.connects(node_port("sliders", Domain::translational, "positions of sliders").named());
  type.connects(node_port("shafts", Domain::rotational, "angles of shafts").named());
  type.connects(node_port("points", Domain::planar, "points of the plane: p.x and p.y").named());
  type.takes(
      records("unknowns",
              {choice("kind", {"position", "state", "signal", "multiplier", "slip_multiplier"}, "what it is"),
               [] {
                 Parameter unit = text("unit", "SI unit; unknown if absent");
                 unit.verbatim = true;
                 return unit.optional();
               }(),
               number("initial", "any", "value at the start (of signals and multipliers a first guess)")
                   .otherwise("0"),
               number("rate", "any", "rate at the start, of a position").otherwise("0"),
               number("nominal", "any", "usual magnitude").positive().otherwise("1"),
               choice("reaction", {"automatic", "none"}, "of a slip_multiplier").otherwise("automatic")},
              "the unknowns by name")
          .optional());
  type.takes(
      equations("let", true, "expressions by name, each of the names above it, for equations and forces")
          .optional());
  type.takes(equations("equations", true, "one per unknown: left = right").optional());
  type.takes(equations("forces", true, "force (torque) on a slider, point (shaft)").optional());
  type.signs =
      "As in the equations; a force is positive along the position it acts on; a multiplier's reaction is "
      "−Φ_qᵀλ on the side of the forces.";
  type.shape = {"none"};
  type.example = R"yaml(
bead:
  type: math.equations
  unknowns:
    x: {kind: position, unit: m, initial: 0.6 m}
    y: {kind: position, unit: m, initial: -0.8 m}
    string: {kind: multiplier, unit: N/m}
  let: {square: x^2 + y^2}
  equations:
    x: (2 kg)*der2(x) = 0
    y: (2 kg)*der2(y) = -(2 kg)*(9.81 m/s^2)
    string: (square - 1 m^2)/2 = 0
tank:
  type: math.equations
  unknowns: {level: {kind: state, unit: m, initial: 0.5 m}, outflow: {kind: signal, unit: m^3/s}}
  equations:
    level: "der((0.2 m^2)*level) = -outflow"
    outflow: outflow = (2e-3 m^2/s)*level
)yaml";
  type.own_outputs = outputs;
  type.build = [](Build& b) { Writer(b).run(); };
  return type;
}

}  // namespace escapement
