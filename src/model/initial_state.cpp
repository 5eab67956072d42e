#include "model/initial_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "model/draft.hpp"

namespace escapement {
namespace {

void take_start_values(const std::vector<StartValues>& starts, Assembly& a) {
  for (const StartValues& s : starts) {
    const auto to = s.rate ? a.system.rate(a.initial, s.handle) : a.system.value(a.initial, s.handle);
    if (to.size() != s.values.size()) throw std::logic_error("initial values of the wrong size");
    std::copy(s.values.begin(), s.values.end(), to.begin());
  }
}

FixedUnknowns fixed_rows(const std::vector<FixedParts>& parts, const System& system) {
  FixedUnknowns fixed;
  if (parts.empty()) return fixed;
  fixed.position.assign(system.rows(Kind::position).end, 0);
  fixed.rate = fixed.position;
  for (const FixedParts& p : parts) {
    const int row = system.variables()[p.handle.variable].row + p.first;
    std::fill_n((p.rate ? fixed.rate : fixed.position).begin() + row, p.count, 1);
  }
  return fixed;
}

void set_pose(const BodyStart& b, Assembly& a) {
  const Variable& v = a.system.variables()[b.variable];
  const Frame<double>& pose = b.body->pose;
  const double values[7] = {pose.R.w, pose.R.u[0], pose.R.u[1], pose.R.u[2], pose.x[0], pose.x[1], pose.x[2]};
  std::copy(values, values + 7, &a.initial.value[v.value]);
  const Vector3 linear = v.manifold == Manifold::se3 ? pose.R.inverse() * b.body->velocity : b.body->velocity;
  for (int k = 0; k < 3; ++k) {
    a.initial.rate[v.row + k] = linear[k];
    a.initial.rate[v.row + 3 + k] = b.body->angular_velocity[k];
  }
}

/// Bodies start where they say, or where joint coordinates put them.
void set_bodies(Draft& draft, Assembly& a) {
  Nodes& nodes = draft.nodes;
  std::vector<BodyStart> bodies;
  std::vector<JointStart> joints = draft.made.joints;
  std::deque<BodyFrames> more;  // the further nodes of flexible bodies, tied to the first
  for (int i = 0; i < std::ssize(draft.model.components); ++i) {
    if (!nodes.is_body(i)) continue;
    BodyFrames& first = nodes.body(i);
    bodies.push_back({nodes.own(i).variable, &first});
    for (std::size_t k = 0; k < nodes.further(i).size(); ++k) {
      const Pose& further = nodes.further(i)[k];
      const Frame<double> there = first.pose.inverse() * first.further[k];
      BodyFrames& node = more.emplace_back();
      node.pose = first.further[k];
      node.velocity = first.velocity + first.pose.R * cross(first.angular_velocity, there.x);
      node.angular_velocity = there.R.inverse() * first.angular_velocity;
      bodies.push_back({further.variable, &node});
      joints.push_back({draft.model.components[i].path, Build::typed<Pose>(nodes.own(i)), further, {}, {}});
    }
  }
  for (const JointStart* j : place_bodies(bodies, joints))
    if (!j->kept)
      a.warnings.push_back(
          {"W-COORDINATE",
           fmt::format("{}: it closes a loop, so its coordinate at the start follows from the other joints",
                       j->path),
           "", j->path});
  for (const BodyStart& b : bodies) set_pose(b, a);
}

void warn_of_free_bodies(const Draft& draft, Assembly& a) {
  if (draft.made.joints.empty()) return;
  for (int i = 0; i < std::ssize(draft.model.components); ++i) {
    const std::string& path = draft.model.components[i].path;
    if (draft.nodes.is_body(i) && !draft.nodes.is_attached(i))
      a.warnings.push_back(
          {"W-FREE", fmt::format("{}: nothing is attached to this body, it moves freely", path), "", path});
  }
}

/// Joint coordinates start where their bodies put them.
void set_offered_nodes(const Draft& draft, Assembly& a) {
  for (const auto& [key, node] : draft.nodes.offered()) {
    const Variable& v = a.system.variables()[node.variable];
    const ElementId& reading = draft.made.offers.at(key).reading;
    if (a.fixed.position.empty() || !a.fixed.position[v.row])
      a.initial.value[v.value] = reading.group->output(a.initial, reading.index, 0);
    if (a.fixed.rate.empty() || !a.fixed.rate[v.row])
      a.initial.rate[v.row] = reading.group->output(a.initial, reading.index, 1);
  }
}

}  // namespace

void set_initial_state(Draft& draft, Assembly& a) {
  a.initial = a.system.state();
  take_start_values(draft.made.starts, a);
  a.fixed = fixed_rows(draft.made.fixed, a.system);
  set_bodies(draft, a);
  warn_of_free_bodies(draft, a);
  for (const MemorySlot& m : draft.made.memories)
    a.initial.memory[m.element.group->memory_of(m.element.index) + m.slot] = m.value;
  set_offered_nodes(draft, a);
  for (Sampler& s : draft.made.samplers) {
    s.place += a.system.reserved_memory();
    std::copy(s.memory.begin(), s.memory.end(), a.initial.memory.begin() + s.place);
  }
}

}  // namespace escapement
