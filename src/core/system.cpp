#include "core/system.hpp"

#include "core/elimination_order.hpp"

#include <fmt/format.h>

#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace escapement {

const char* name_of(Kind kind) {
  constexpr const char* names[] = {"position", "state", "algebraic", "holonomic", "nonholonomic"};
  return names[static_cast<int>(kind)];
}

const char* equation_of(Kind kind) {
  constexpr const char* names[] = {"momentum balance", "rate law", "defining equation",
                                   "holonomic constraint", "nonholonomic constraint"};
  return names[static_cast<int>(kind)];
}

std::string readable_name(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 ? text : mangled;
  std::free(text);
  return name;
}

double Group::output(const State&, int, int) const { return NAN; }

// ------------------------------------------------------------------ System

State System::state() const {
  State s;
  s.value.assign(values_, 0.0);
  s.rate.assign(rows_[0].size() + rows_[1].size(), 0.0);
  s.acceleration.assign(rows_[0].size(), 0.0);
  s.store.assign(rows_[1].size(), 0.0);
  s.memory.assign(memory_, 0.0);
  if (remembering_) s.delays.resize(remembering_->histories());
  for (const auto& lie : lie_) s.value[lie.place.value] = 1.0;
  return s;
}

void foreign_handle() {
  throw ModelError("E-ELEMENT", "kernel", "it uses a handle that is not among its element's variables()",
                   "in user equations take the handles from the first argument, do not capture them");
}

namespace {
void refuse_ground(const Handle& h) {
  if (h.is_ground()) throw ModelError("E-RATE", "ground", "ground has no unknown", "");
}
}  // namespace

std::span<double> System::value(State& s, const Handle& h) const {
  refuse_ground(h);
  const Variable& v = variables_.at(h.variable);
  return {s.value.data() + v.value, static_cast<std::size_t>(v.values)};
}
std::span<const double> System::value(const State& s, const Handle& h) const {
  return value(const_cast<State&>(s), h);
}
std::span<double> System::rate(State& s, const Handle& h) const {
  refuse_ground(h);
  const Variable& v = variables_.at(h.variable);
  if (v.row + v.dofs > rows_[1].end)
    throw ModelError("E-RATE", v.name, "an algebraic unknown or multiplier has no rate", "");
  return {s.rate.data() + v.row, static_cast<std::size_t>(v.dofs)};
}
std::span<const double> System::rate(const State& s, const Handle& h) const {
  return rate(const_cast<State&>(s), h);
}
std::span<const double> System::acceleration(const State& s, const Handle& h) const {
  refuse_ground(h);
  const Variable& v = variables_.at(h.variable);
  if (v.kind != Kind::position) throw ModelError("E-RATE", v.name, "only positions have an acceleration", "");
  return {s.acceleration.data() + v.row, static_cast<std::size_t>(v.dofs)};
}

void System::residual(const State& s, const Shift& shift, std::span<double> r) const {
  std::fill(r.begin(), r.end(), 0.0);
  for (const auto& g : groups_) g->residual(s, shift, r);
}

void System::tangent(const State& s, const Shift& shift, std::span<const double> operators,
                     std::span<double> r, std::span<double> values) const {
  std::fill(r.begin(), r.end(), 0.0);
  std::fill(values.begin(), values.end(), 0.0);
  for (const auto& g : groups_) g->tangent(s, shift, operators, r, values);
}

void System::constraints(const State& s, int holonomic_level, int nonholonomic_level,
                         std::span<double> r) const {
  std::fill(r.begin(), r.end(), 0.0);
  for (const auto& g : groups_)
    if (g->has_constraints) g->constraints(s, holonomic_level, nonholonomic_level, r);
}

void System::constraint_forces(const State& s, const Shift& shift, std::span<double> r) const {
  std::fill(r.begin(), r.end(), 0.0);
  for (const auto& g : groups_)
    if (g->has_constraints) g->residual(s, shift, r);
}

void System::constraint_tangent(const State& s, const Shift& shift, std::span<const double> operators,
                                std::span<double> r, std::span<double> values) const {
  std::fill(r.begin(), r.end(), 0.0);
  std::fill(values.begin(), values.end(), 0.0);
  for (const auto& g : groups_)
    if (g->has_constraints) g->tangent(s, shift, operators, r, values);
}

void System::momenta(const State& s, std::span<double> r) const {
  std::fill(r.begin(), r.end(), 0.0);
  for (const auto& g : groups_)
    if (g->has_momenta) g->residual(s, Shift::momenta(), r);
}

void System::state_flow(const State& s, std::span<double> r) const {
  std::fill(r.begin(), r.end(), 0.0);
  for (const auto& g : groups_)
    if (g->has_states) g->residual(s, {.store = 0, .flow = 1}, r);
}

void System::state_store(const State& s, std::span<double> r) const {
  std::fill(r.begin(), r.end(), 0.0);
  for (const auto& g : groups_)
    if (g->has_states) g->residual(s, {.store = 1, .flow = 0}, r);
}

void System::remember(State& s, bool fresh) const {
  for (const auto& g : groups_)
    if (g->accepts) g->accept(s);
  if (remembering_) remembering_->remember(s, fresh);
}

void System::enter(State& s) const {
  for (const auto& g : groups_) g->enter(s);
}

void System::open_rows(const State& s, std::span<char> open) const {
  std::fill(open.begin(), open.end(), 0);
  for (const auto& g : groups_) g->open_rows(s, open);
}

void System::strengths(const State& s, std::vector<double>& strengths) const {
  strengths.assign(size(), 0.0);
  for (const auto& g : groups_) g->strengths(s, strengths);
}

std::shared_ptr<const Numbers> System::numbers_of(const System& other) const {
  if (size() != other.size() || groups_.size() != other.groups_.size() || memory_ != other.memory_ ||
      variables_.size() != other.variables_.size())
    return nullptr;
  for (std::size_t i = 0; i < variables_.size(); ++i)
    if (variables_[i].name != other.variables_[i].name || variables_[i].row != other.variables_[i].row)
      return nullptr;
  auto numbers = std::make_shared<Numbers>();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (!groups_[i]->is_like(*other.groups_[i])) return nullptr;
    numbers->push_back(other.groups_[i]->numbers());
  }
  return numbers;
}

std::shared_ptr<const Numbers> System::numbers_for_another_run(std::shared_ptr<const Numbers> numbers) const {
  for (const auto& g : groups_) {
    const auto* dynamic = dynamic_cast<const DynamicGroup*>(g.get());
    if (!dynamic) continue;
    auto own = dynamic->for_another_run(numbers ? *(*numbers)[g->index] : *g->numbers());
    if (!own) continue;
    auto copy = std::make_shared<Numbers>();
    for (const auto& each : groups_) copy->push_back(numbers ? (*numbers)[each->index] : each->numbers());
    (*copy)[g->index] = std::move(own);
    return copy;
  }
  return numbers;
}

double System::next_break(const State& s) const {
  return remembering_ ? remembering_->next_break(s) : INFINITY;
}

void System::pass_breaks(State& s, double slack) const {
  if (remembering_) remembering_->pass_breaks(s, slack);
}

const Variable& System::owner(int row) const { return variables_.at(owner_.at(row)); }

std::string System::unknown_name(int row) const {
  const Variable& v = owner(row);
  return v.dofs == 1 ? v.name : v.name + "." + std::to_string(row - v.row + 1);
}

std::string System::motion_name(int row) const {
  const Variable& v = owner(row);
  if (v.manifold == Manifold::vector) return unknown_name(row);
  const std::string name = v.name.substr(0, v.name.rfind('.'));
  const int part = row - v.row, turns = v.dofs - 3;
  constexpr char axes[] = "xyz";
  if (part >= turns) return fmt::format("{} turning about its {}", name, axes[part - turns]);
  return fmt::format("{} moving along {}{}", name, v.manifold == Manifold::se3 ? "its " : "", axes[part]);
}

std::string System::row_name(int row) const {
  const Variable& v = owner(row);
  const std::size_t part = row - v.row;
  const std::string says = part < v.parts.size() ? v.parts[part]
                           : v.equation.empty()  ? equation_of(v.kind)
                                                 : v.equation;
  return "`" + unknown_name(row) + "` (" + says + ")";
}

// ------------------------------------------------------------------ SystemBuilder

int SystemBuilder::declare(Kind kind, Manifold manifold, int values, int dofs, std::string name,
                           Description d) {
  if (d.row_unit.empty() && kind == Kind::algebraic) d.row_unit = d.unit;
  system_.variables_.push_back({kind, manifold, values, dofs, std::move(name), std::move(d.unit),
                                std::move(d.equation), d.nominal, d.row_nominal, std::move(d.row_unit),
                                std::move(d.parts), std::move(d.part_units), d.extent, d.row_extent,
                                std::move(d.part_extents), d.starts_steady, d.network});
  system_.starts_steady_ = system_.starts_steady_ || d.starts_steady;
  system_.has_networks_ = system_.has_networks_ || d.network != Network::none;
  touched_.push_back(false);
  return static_cast<int>(system_.variables_.size()) - 1;
}

ElementGroup* SystemBuilder::new_group(const ElementType& type, std::shared_ptr<Elements> elements) {
  auto group = std::make_unique<ElementGroup>(type, std::move(elements));
  ElementGroup* const added = group.get();
  system_.groups_.push_back(std::move(group));
  return added;
}

ElementId SystemBuilder::added(ElementGroup* group) {
  group->number_handles(group->size() - 1);
  return {group, group->size() - 1};
}

ElementId SystemBuilder::tap(const Tap& tap, Signal<1> to) {
  touch(to);
  if (!taps_) taps_ = std::make_unique<TapGroup>();
  return {taps_.get(), taps_->add(tap, to)};
}

ElementId SystemBuilder::tap_output(const ElementId& element, int index, Signal<1> to) {
  const auto* group = dynamic_cast<const ElementGroup*>(element.group);
  if (!group || index < 0 || index >= group->type().outputs)
    throw ModelError("E-ELEMENT", "tap", "the element has no such output", "");
  return tap({.source = Tap::Source::output, .group = group, .element = element.index, .part = index}, to);
}

void SystemBuilder::touch(const Handle& h) {
  if (h.is_ground()) return;
  if (h.origin != this || h.variable >= static_cast<int>(touched_.size()))
    throw ModelError("E-TOPOLOGY", "element", "a handle belongs to another system", "");
  touched_[h.variable] = true;
}

ElementId SystemBuilder::add_dynamic(std::unique_ptr<DynamicElement> element) {
  if (!dynamic_) {
    auto group = std::make_unique<DynamicGroup>();
    dynamic_ = group.get();
    system_.groups_.push_back(std::move(group));
  }
  for (const auto& u : element->unknowns) touch(u.handle);
  return {dynamic_, dynamic_->add(std::move(element))};
}

System SystemBuilder::finish() {
  if (std::exchange(finished_, true))
    throw ModelError("E-TOPOLOGY", "builder", "finish was called before", "");
  System& s = system_;
  std::unordered_map<std::string, int> names;
  for (std::size_t i = 0; i < s.variables_.size(); ++i) {
    const Variable& v = s.variables_[i];
    if (!touched_[i])
      throw ModelError("E-TOPOLOGY", v.name,
                       std::string("nothing acts on this ") + name_of(v.kind) + " unknown",
                       "connect it to an element, or remove it");
    if (!names.emplace(v.name, 0).second)
      throw ModelError("E-NAME", v.name, "two unknowns have this name", "rename one of them");
    if (!(v.nominal > 0) || !(v.row_nominal > 0) || !std::isfinite(v.nominal) ||
        !std::isfinite(v.row_nominal))
      throw ModelError("E-NOMINAL", v.name, "a nominal magnitude must be a positive number", "");
  }

  // Rows and values are numbered kind by kind, in the order of creation.
  std::vector<Place> places(s.variables_.size());
  int row = 0;
  for (int k = 0; k < kind_count; ++k) {
    s.rows_[k].begin = row;
    for (std::size_t i = 0; i < s.variables_.size(); ++i) {
      Variable& v = s.variables_[i];
      if (static_cast<int>(v.kind) != k) continue;
      if (v.manifold == Manifold::se3) v.manifold = frames_;
      v.value = s.values_;
      v.row = row;
      places[i] = {v.value, v.row, -1};
      if (v.manifold != Manifold::vector) {
        places[i].tangent = s.tangent_size_;
        s.tangent_size_ += v.dofs * v.dofs;
        s.lie_.push_back({v.manifold, places[i]});
      }
      for (int d = 0; d < v.dofs; ++d) {
        s.nominal_.push_back(v.nominal);
        s.nominal_stated_.push_back(v.stated);
        s.row_nominal_.push_back(v.row_nominal);
        s.value_of_row_.push_back(v.manifold == Manifold::vector ? v.value + d : -1);
        s.owner_.push_back(static_cast<int>(i));
      }
      s.values_ += v.values;
      row += v.dofs;
    }
    s.rows_[k].end = row;
  }

  if (taps_) s.groups_.push_back(std::move(taps_));
  PatternBuilder pattern(row);
  for (int i = 0; i < row; ++i) pattern.add(i, i);
  int index = 0;
  for (const auto& g : s.groups_) {
    g->index = index++;
    g->frames = frames_;
    g->connect(places, s.memory_, pattern);
    g->check_structure();
    if (!g->switches) continue;
    s.switching_.resize(row, 0);
    g->switching_rows(s.switching_);
  }
  s.reserved_ = s.memory_;
  s.memory_ += reserved_;
  if (dynamic_ && dynamic_->histories() > 0) s.remembering_ = dynamic_;
  s.pattern_ = pattern.finish();
  for (const auto& g : s.groups_) g->map(s.pattern_);
  s.order_ = elimination_order(s);
  if (s.switches()) s.strengths(s.state(), s.strengths_);
  return std::move(system_);
}

}  // namespace escapement
