#include "analyses/impacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace escapement {
namespace {

/// Constraints of finite force, given way as long as this lives; then they hold again where nothing moves.
class Loosened {
 public:
  Loosened(const System& system, State& state) : state_(state) {
    for (const auto& g : system.groups())
      if (g->loosen(state)) groups_.push_back(g.get());
  }
  Loosened(const Loosened&) = delete;
  ~Loosened() {
    for (const Group* g : groups_) g->enter(state_);
  }
  void too(const Group* group) { groups_.push_back(group); }

 private:
  State& state_;
  std::vector<const Group*> groups_;
};

std::vector<ElementId> touching(const System& system, const State& state) {
  std::vector<ElementId> list;
  std::vector<int> elements;
  for (const auto& g : system.groups()) {
    elements.clear();
    g->touching(state, elements);
    for (const int k : elements) list.push_back({g.get(), k});
  }
  return list;
}

/// A stop in contact, in an impact.
struct Contact {
  ElementId element;
  int row;
  double before, after;  // Φ̇; after: at least
  bool closed = true;    // it pushes
};

}  // namespace

void apply_impacts(const System& system, State& state, const std::vector<ElementId>& elements,
                   const StartOptions& options) {
  Loosened friction(system, state);
  StartOptions exactly =
      options;  // at the limits to the last digit, so that nothing is beyond them afterwards
  exactly.check = exactly.project = true;
  State touching_state = state;
  project(system, touching_state, exactly);
  state.value = touching_state.value;
  touching_state.rate = state.rate;  // all contacts closed: for their speeds

  std::vector<double> speeds(system.size()), rows(system.size());
  system.constraints(touching_state, 1, 0, speeds);
  std::vector<Contact> contacts;
  for (const ElementId& e : touching(system, state)) {
    const bool hit = std::any_of(elements.begin(), elements.end(), [&](const ElementId& x) {
      return x.group == e.group && x.index == e.index;
    });
    const int row = e.group->impact(state, e.index, 0).row;
    contacts.push_back(
        {e, row, speeds[row], hit ? e.group->impact(state, e.index, std::abs(speeds[row])).rebound : 0.0});
  }

  // Λ pushes or is zero, Φ̇⁺ is the rebound or more, never both (T-impact-2): by trying, the first that is wrong changes.
  const int positions = system.rows(Kind::position).end;
  std::vector<double> change(positions), impulse(system.size());
  for (std::size_t tries = 0;; ++tries) {
    if (tries > 20 * (contacts.size() + 1))
      throw ModelError(
          "E-EVENT", system.unknown_name(contacts.front().row),
          fmt::format("no impulses were found with which all stops that touch at t = {:g} s only push",
                      state.t),
          "an elastic stop (stiffness and damping) instead of a rigid one");
    State trying = touching_state;
    for (const Contact& c : contacts)
      if (!c.closed) c.element.group->release(trying, c.element.index);
    std::fill(change.begin(), change.end(), 0.0);
    std::fill(impulse.begin(), impulse.end(), 0.0);
    for (int pass = 0; pass < 3; ++pass) {  // regularised constraints leave a part ε each time
      system.constraints(trying, 1, 0, rows);
      for (const Contact& c : contacts)
        if (c.closed) rows[c.row] -= c.after;
      const auto increment = constrained_increment(system, trying, rows, options);
      for (int i = 0; i < positions; ++i) change[i] += increment[i], trying.rate[i] += increment[i];
      for (int i = positions; i < system.size(); ++i) impulse[i] += increment[i];
    }
    touching_state.rate = trying.rate;
    system.constraints(touching_state, 1, 0, speeds);
    touching_state.rate = state.rate;
    double pushes = 0;
    for (const Contact& c : contacts) pushes = std::max(pushes, std::abs(impulse[c.row]));
    bool right = true;
    for (Contact& c : contacts) {
      const bool pulls = c.closed && impulse[c.row] > 1e-10 * pushes;
      const bool enters = !c.closed && speeds[c.row] < c.after - 1e-10 * (1 + std::abs(c.before));
      if (!pulls && !enters) continue;
      c.closed = !c.closed;
      right = false;
      break;
    }
    if (right) break;
  }
  for (int i = 0; i < positions; ++i) state.rate[i] += change[i];
  for (const Contact& c : contacts)
    if (!c.closed || c.after > 0) c.element.group->release(state, c.element.index);
}

void set_velocities(const System& system, State& state, std::span<const int> rows,
                    std::span<const double> rates, const StartOptions& options) {
  Loosened held(system, state);
  for (const ElementId& e : touching(system, state)) {
    e.group->release(state, e.index);
    held.too(e.group);
  }
  const auto change = impulsive_increment(system, state, rows, rates, options);
  for (std::size_t i = 0; i < change.size(); ++i) state.rate[i] += change[i];
}

}  // namespace escapement
