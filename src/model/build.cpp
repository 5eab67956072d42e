#include "model/build.hpp"

#include <stdexcept>

#include "core/dynamic.hpp"

namespace escapement {

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
  if (switches) resolver_.switches(component_, id);
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

const std::vector<Node::Entry>& Build::entries(std::string_view key) const {
  static const std::vector<Node::Entry> none;
  const Node* value = fields_.find(key);
  return value ? value->entries : none;
}
Expression Build::compile(const Node& text, std::string_view key,
                          const std::vector<std::pair<std::string, std::string>>& variables) const {
  return resolver_.reader(component_).compile(text, path_ + "." + std::string(key), variables);
}
Expression Build::compile(const Node& text, std::string_view key,
                          const std::vector<std::pair<std::string, std::string>>& variables,
                          const std::string& unit) const {
  Expression e = compile(text, key, variables);
  resolver_.reader(component_).check_unit(e, text, unit, path_ + "." + std::string(key));
  return e;
}
double Build::quantity(const Node& text, std::string_view key, const std::string& unit) const {
  const Parameter p = escapement::number(std::string(key), unit, "");
  return std::get<double>(resolver_.reader(component_).read(p, text, path_ + "." + std::string(key)));
}

void Build::offered_channel(std::string_view output, const ElementId& reading, int index, int node) {
  BoundOutput& b = resolver_.bound(component_, output, 0);
  b.source = BoundOutput::Source::element;
  b.element = reading;
  b.index = index;
  b.offered = node;
}

bool Build::connected(std::string_view key) const { return fields_.find(key) != nullptr; }
Signal<1> Build::signal(std::string_view key) const { return signals(key).at(0).at(0); }
std::vector<Signal<1>> Build::wide_signal(std::string_view key) const { return signals(key).at(0); }
std::vector<std::vector<Signal<1>>> Build::signals(std::string_view key) const {
  return resolver_.signals(component_, port(key));
}
std::vector<std::string> Build::units(std::string_view key) const {
  return resolver_.units(component_, port(key));
}
int Build::signal_width(std::string_view key) const { return resolver_.signal_width(component_, port(key)); }
std::vector<Signal<1>> Build::outputs() const { return resolver_.outputs(component_); }
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
  BoundOutput& b = resolver_.bound(component_, output, output_part);
  b.source = source;
  b.variable = handle.variable;
  return b;
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
