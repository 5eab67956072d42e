#include "model/body_start.hpp"

#include <algorithm>
#include <map>

namespace escapement {
namespace {

struct Moving {
  Frame<double> pose{};
  Vector3 velocity{}, angular{};  // of the origin, both in world axes
};

/// The same rigid motion, seen from a frame fixed to it.
Moving seen_from(const Moving& body, const Frame<double>& on) {
  return {body.pose * on, body.velocity + cross(body.angular, body.pose.R * on.x), body.angular};
}

/// The other side of a joint from this side's marker, its coordinates and their rates.
Moving across(const Moving& marker, const Frame<double>& relative, const JointStart::Rate& rate) {
  Moving to{marker.pose * relative, {}, marker.angular + marker.pose.R * rate.angular};
  to.velocity =
      marker.velocity + cross(marker.angular, marker.pose.R * relative.x) + marker.pose.R * rate.linear;
  return to;
}

/// Coordinates and rates as seen from the other side.
std::pair<Frame<double>, JointStart::Rate> reversed(const Frame<double>& relative,
                                                    const JointStart::Rate& rate) {
  const Frame<double> back = relative.inverse();
  return {back, {-(back.R * (rate.linear - cross(rate.angular, relative.x))), -(back.R * rate.angular)}};
}

}  // namespace

std::vector<const JointStart*> place_bodies(const std::vector<BodyStart>& bodies,
                                            const std::vector<JointStart>& joints) {
  std::vector<const JointStart*> left;
  const bool wanted =
      std::any_of(joints.begin(), joints.end(), [](const JointStart& j) { return j.relative || j.rate; });
  if (!wanted) return left;
  constexpr int ground = -1;
  std::map<int, BodyFrames*> body;
  std::map<int, Moving> placed, before;
  std::map<int, std::vector<const JointStart*>> at;
  for (const BodyStart& b : bodies) {
    body[b.variable] = b.body;
    before[b.variable] = {b.body->pose, b.body->velocity, b.body->pose.R * b.body->angular_velocity};
  }
  before[ground] = placed[ground] = {};
  for (const JointStart& j : joints) {
    at[j.a.is_ground() ? ground : j.a.variable].push_back(&j);
    at[j.b.is_ground() ? ground : j.b.variable].push_back(&j);
  }
  std::map<const JointStart*, bool> used;
  const auto spread = [&](int root) {
    std::vector<int> queue{root};
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const int from = queue[head];
      for (const JointStart* j : at[from]) {
        const bool forward = (j->a.is_ground() ? ground : j->a.variable) == from;
        const Pose& end = forward ? j->b : j->a;
        const int to = end.is_ground() ? ground : end.variable;
        if (!before.contains(to) || placed.contains(to)) continue;
        used[j] = true;
        const Frame<double>&mine = forward ? j->on_a : j->on_b, &theirs = forward ? j->on_b : j->on_a;
        const Frame<double> was = (before[from].pose * mine).inverse() * (before[to].pose * theirs);
        Frame<double> relative = was;
        JointStart::Rate rate = j->rate.value_or(JointStart::Rate{});
        if (j->relative || j->rate) {
          const Frame<double> given = j->relative ? *j->relative : forward ? was : was.inverse();
          if (forward) relative = given;
          else std::tie(relative, rate) = reversed(given, rate);
        }
        const Moving marker = across(seen_from(placed[from], mine), relative, rate);
        Moving to_body = seen_from(marker, theirs.inverse());
        if (!j->rate && body[to]->velocity_given) {  // as the body itself says
          to_body.velocity = before[to].velocity;
          to_body.angular = to_body.pose.R * body[to]->angular_velocity;
        }
        placed[to] = to_body;
        queue.push_back(to);
      }
    }
  };
  spread(ground);
  for (const BodyStart& b : bodies)  // parts that float
    if (!placed.contains(b.variable)) {
      placed[b.variable] = before[b.variable];
      spread(b.variable);
    }
  for (const auto& [variable, b] : body) {
    const Moving& m = placed[variable];
    b->pose = {normalised(m.pose.R), m.pose.x};
    b->velocity = m.velocity;
    b->angular_velocity = m.pose.R.inverse() * m.angular;
  }
  for (const JointStart& j : joints)
    if ((j.relative || j.rate) && !used[&j]) left.push_back(&j);
  return left;
}

}  // namespace escapement
