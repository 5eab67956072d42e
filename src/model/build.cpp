#include "model/build.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/dynamic.hpp"
#include "model/draft.hpp"

namespace escapement {

Build::Build(Draft& draft, int component)
    : system(draft.builder),
      draft_(draft),
      made_(draft.made),
      component_(component),
      type_(*draft.model.components[component].type),
      path_(draft.model.components[component].path),
      values_(draft.values[component]),
      fields_(*draft.model.components[component].fields) {}

std::string Build::name(const char* suffix) const { return path_ + "." + suffix; }
bool Build::has(std::string_view key) const { return values_.find(key) != nullptr; }
bool Build::given(std::string_view key) const { return values_.given(key); }
double Build::number(std::string_view key) const { return get<double>(key); }
const std::string& Build::text(std::string_view key) const { return get<std::string>(key); }
const std::vector<double>& Build::vector(std::string_view key) const { return get<std::vector<double>>(key); }
const MatrixValue& Build::matrix(std::string_view key) const { return get<MatrixValue>(key); }
std::shared_ptr<const Table> Build::table(std::string_view key) const {
  return get<std::shared_ptr<const Table>>(key);
}
ElementId Build::add_dynamic(std::unique_ptr<DynamicElement> element) {
  const bool switches = element->sides() > 0;
  const ElementId id = system.add_dynamic(std::move(element));
  if (switches) made_.switching.push_back({id, path_});
  return id;
}
std::shared_ptr<const Expression> Build::expression(std::string_view key) const {
  return get<std::shared_ptr<const Expression>>(key);
}
template <class T>
const T& Build::get(std::string_view key) const {
  const FieldValue* v = values_.find(key);
  if (!v || !std::holds_alternative<T>(*v))
    throw std::logic_error(type_.name + ": no value of this type under `" + std::string(key) + "`");
  return std::get<T>(*v);
}
const Port& Build::port(std::string_view key) const {
  const Port* p = type_.port(key);
  if (!p) throw std::logic_error(type_.name + ": no port `" + std::string(key) + "`");
  return *p;
}

const std::vector<double>& Build::gravity() const {
  made_.uses_gravity = true;
  if (draft_.gravity.empty())
    throw fault("E-MISSING", {}, "gravity", "the model has bodies in space but does not state gravity",
                "gravity: [0, 0, -9.81 m/s^2], or gravity: none");
  return draft_.gravity;
}
bool Build::trusts_code() const { return draft_.model.trust; }
FieldReader Build::reader() const { return draft_.reader(component_); }

Handle Build::own_handle(int number) const { return draft_.nodes.own(component_, number); }
Handle Build::handle(std::string_view key, int end) const {
  return draft_.nodes.at(component_, port(key), end);
}
AttachedFrame Build::frame(std::string_view key, int end) const {
  return draft_.nodes.frame_at(component_, port(key), end);
}
Position<1> Build::offered(int node) const {
  return typed<Position<1>>(draft_.nodes.offered(component_, node));
}
BoundOutput& Build::bound(std::string_view output, int part) {
  return draft_.outputs.bind(component_, output, part);
}

const std::vector<Node::Entry>& Build::entries(std::string_view key) const {
  static const std::vector<Node::Entry> none;
  const Node* value = fields_.find(key);
  return value ? value->entries : none;
}
Expression Build::compile(const Node& text, std::string_view key,
                          const std::vector<std::pair<std::string, std::string>>& variables) const {
  return reader().compile(text, path_ + "." + std::string(key), variables);
}
Expression Build::compile(const Node& text, std::string_view key,
                          const std::vector<std::pair<std::string, std::string>>& variables,
                          const std::string& unit) const {
  Expression e = compile(text, key, variables);
  reader().check_unit(e, text, unit, path_ + "." + std::string(key));
  return e;
}
double Build::quantity(const Node& text, std::string_view key, const std::string& unit) const {
  const Parameter p = escapement::number(std::string(key), unit, "");
  return std::get<double>(reader().read(p, text, path_ + "." + std::string(key)));
}

void Build::offered_channel(std::string_view output, const ElementId& reading, int index, int node) {
  BoundOutput& b = bound(output, 0);
  b.source = BoundOutput::Source::element;
  b.element = reading;
  b.index = index;
  b.offered = node;
}

bool Build::connected(std::string_view key) const { return fields_.find(key) != nullptr; }
Signal<1> Build::signal(std::string_view key) const { return signals(key).at(0).at(0); }
std::vector<Signal<1>> Build::wide_signal(std::string_view key) const { return signals(key).at(0); }
std::vector<std::vector<Signal<1>>> Build::signals(std::string_view key) const {
  return draft_.signals.at(component_, port(key));
}
std::vector<std::string> Build::units(std::string_view key) const {
  return draft_.signals.units(component_, port(key));
}
int Build::signal_width(std::string_view key) const { return draft_.widths.at_port(component_, port(key)); }
std::vector<Signal<1>> Build::outputs() const { return draft_.outputs.signals(component_); }
Signal<1> Build::output() const { return outputs().at(0); }

void Build::start_condition(const char* suffix, const Handle& a, const Handle& b, double value) {
  system.start_condition({name(suffix), {{a.variable, 1.0}, {b.variable, -1.0}}, value});
}
bool Build::is_fixed(std::string_view key) const {
  if (!has("initial.fixed")) return false;
  for (const std::string& word : get<std::vector<std::string>>("initial.fixed"))
    if (word == key) return true;
  return false;
}

BoundOutput& Build::bind(std::string_view output, const Handle& handle, BoundOutput::Source source,
                         int output_part) {
  BoundOutput& b = bound(output, output_part);
  b.source = source;
  b.variable = handle.variable;
  return b;
}

void Build::draw_beam(Scene::Beam beam, Scene::End a, Scene::End b,
                      std::function<Scene::Bearing(const Scene::Places&)> bearing) {
  Scene& scene = made_.scene;
  const auto [at, is_new] = made_.beams.emplace(std::move(beam), static_cast<int>(scene.beams.size()));
  if (is_new) scene.beams.push_back(at->first);
  drawing().parts.push_back({"beam", {}, {a, b}, at->second, std::move(bearing)});
}

void Build::at_times(const TimeEvent& event) {
  refuse_too_many(event.period, event.count, "events");
  made_.events.push_back(event);
}

void Build::sampler(Sampler sampler) {
  refuse_too_many(sampler.period, std::numeric_limits<double>::infinity(), "samples");
  sampler.place = system.reserve(static_cast<int>(sampler.memory.size() + sampler.held.size()));
  made_.samplers.push_back(std::move(sampler));
}

/// Steps end at each of them; and times that lie closer together than rounding of the time cannot be told apart.
void Build::refuse_too_many(double period, double count, const char* what) const {
  constexpr double most = 1e9;
  const FieldValue* const until = draft_.model.simulate.find("until");
  if (!until || !(period > 0)) return;
  const double number = std::min(count, std::get<double>(*until) / period);
  if (number > most)
    throw ModelError(
        "E-STEP", path_,
        fmt::format("a period of {:g} s makes {:.3g} {} until {:g} s, more than the {:g} that a run can have",
                    period, number, what, std::get<double>(*until), most),
        "a longer period, a shorter run, or the mean of what repeats");
}

void Build::refuse_at(const Node& value, const char* code, std::string_view key, std::string cause,
                      std::string hint) const {
  throw ModelError(code, path_ + "." + std::string(key), std::move(cause), std::move(hint),
                   value.mark.place());
}

void Build::refuse(const char* code, std::string_view key, std::string cause, std::string hint) const {
  const Node* value = &fields_;
  for (std::string_view rest = key; value && !rest.empty();) {  // `initial.state` stands in a group
    const std::string_view part = rest.substr(0, rest.find('.'));
    rest = part.size() < rest.size() ? rest.substr(part.size() + 1) : std::string_view();
    value = value->find(part);
  }
  throw ModelError(code, path_ + (key.empty() ? "" : "." + std::string(key)), std::move(cause),
                   std::move(hint), (value ? value->mark : fields_.mark).place());
}

}  // namespace escapement
