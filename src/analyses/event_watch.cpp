#include "analyses/event_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/manifold.hpp"

namespace escapement {

/// Of the largest value so far: what the location of an event leaves over is less.
static constexpr double border = 1e-8;

std::string chatter_hint(bool in_expression) {
  return in_expression
             ? "neither side of it holds: for dry friction, which sticks, take `translational.friction` or "
               "`rotational.friction`; for a two-point controller `control.hysteresis`; smooth_sign(x, "
               "width) has a "
               "smooth transition"
             : "give it a hysteresis or a smooth transition; an ideal switch in a loop has no motion between "
               "its "
               "two sides";
}

EventWatch::EventWatch(const Assembly& assembly) : assembly_(assembly) {
  std::map<std::pair<const Group*, int>, int> owner;
  for (const auto& [element, path] : assembly.switching) {
    owner[{element.group, element.index}] = static_cast<int>(names_.size());
    names_.push_back(path);
  }
  names_.push_back("an element");
  const auto owner_of = [&](const Group* g, int k) {
    const auto at = owner.find({g, k});
    return at == owner.end() ? static_cast<int>(names_.size()) - 1 : at->second;
  };
  const State state = assembly.system.state();
  for (const auto& g : assembly.system.groups()) {
    std::vector<double> kinks;
    g->kinks(state, kinks);
    const int n = g->size();
    const int corners = n > 0 ? static_cast<int>(kinks.size()) / n : 0;
    const std::size_t known = functions_.size();
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < g->crossings_of(k); ++i)
        functions_.push_back({g.get(), k, i, owner_of(g.get(), k), false});
    if (functions_.size() > known || corners > 0) groups_.push_back(g.get());
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < corners; ++i) functions_.push_back({g.get(), k, i, owner_of(g.get(), k), true});
  }
  for (Function& f : functions_)
    f.trigger = std::any_of(assembly.triggers.begin(), assembly.triggers.end(), [&](const EventType& e) {
      return e.trigger.group == f.group && e.trigger.index == f.element;
    });
  for (auto* x : {&start_, &end_, &work_, &ahead_}) x->reserve(functions_.size());
  for (auto* x : {&left_, &middle_, &right_, &low_, &high_, &trial_}) x->g.reserve(functions_.size());
  for (auto* x : {&passing_, &early_, &due_, &leaving_, &change_.who}) x->reserve(functions_.size());
  moves_.reserve(assembly.system.size());
  change_.impacts.reserve(functions_.size());
  change_.fired.reserve(assembly.triggers.size());
}

void EventWatch::values(const State& state, std::vector<double>& g) {
  g.clear();
  for (const Group* group : groups_) {
    group->crossings(state, g);
    group->kinks(state, g);
  }
  for (std::size_t i = 0; i < g.size(); ++i) g[i] *= functions_[i].side;
}

void EventWatch::begin(const State& state) {
  values(state, start_);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    Function& f = functions_[i];
    f.slight = false;
    if (f.corner && start_[i] < -1e-9 * f.largest) f.side = -f.side, start_[i] = -start_[i];
    f.largest = std::max(f.largest, std::abs(start_[i]));
  }
  end_ = start_;
  arm();
}

void EventWatch::look(const Step& step, double s, Sample& sample) {
  sample.at = s;
  if (s == 1) {
    sample.g = end_;
    return;
  }
  step.interior.at(step.stepper, step.from, s, between_);
  values(between_, sample.g);
}

/// Functions that are above zero at three points of a step may be below between them: where a parabola has its lowest point the
/// function itself is asked, until it is below, or clearly not. True: one is, first between `low` and `high`.
bool EventWatch::dips(const Step& step, const Sample& a, const Sample& b, const Sample& c, Sample& low,
                      Sample& high) {
  bool found = false;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].muted || functions_[i].slight || below(i, c.g[i])) continue;
    double x[3] = {a.at, b.at, c.at}, g[3] = {a.g[i], b.g[i], c.g[i]};
    for (int tries = 0; tries < 12; ++tries) {
      const auto [least, most] = std::minmax({g[0], g[1], g[2]});
      if (!(most - least > 1e-9 * functions_[i].largest)) break;
      const double s01 = (g[1] - g[0]) / (x[1] - x[0]), s12 = (g[2] - g[1]) / (x[2] - x[1]);
      const double curve = (s12 - s01) / (x[2] - x[0]);
      if (!(curve > 0)) break;
      double at = 0.5 * (x[0] + x[1] - s01 / curve);  // of the parabola's lowest point
      const double lowest = g[0] + (at - x[0]) * (s01 + curve * (at - x[1]));
      const double length = x[2] - x[0];
      if (lowest > 0.1 * (most - least) || !(at > x[0] - 0.3 * length && at < x[2] + 0.3 * length)) break;
      // The parabola is not exact: a lowest point beyond an end may be within.
      at = std::clamp(at, x[0] + 0.1 * (x[1] - x[0]), x[2] - 0.1 * (x[2] - x[1]));
      if (std::abs(at - x[1]) < 1e-3 * length) break;
      look(step, at, trial_);
      if (below(i, trial_.g[i])) {
        if (!found || trial_.at < high.at) {
          std::swap(high, trial_);
          low = x[1] < high.at ? b : a;
          found = true;
        }
        break;
      }
      // The lowest of the four points stays in the middle.
      const int k = at < x[1] ? (trial_.g[i] < g[1] ? 0 : 1) : (trial_.g[i] < g[1] ? 2 : 3);
      const double y = trial_.g[i];
      if (k == 0) x[2] = x[1], g[2] = g[1], x[1] = at, g[1] = y;
      if (k == 1) x[0] = at, g[0] = y;
      if (k == 2) x[0] = x[1], g[0] = g[1], x[1] = at, g[1] = y;
      if (k == 3) x[2] = at, g[2] = y;
    }
  }
  return found;
}

/// Kinks that the step passes and that are not worth ending it (T-kink-3).
void EventWatch::choose_slight(const Step& step) {
  bool looked = false;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    Function& f = functions_[i];
    f.slight = false;
    if (!f.group->has_sides) continue;
    if (!looked) look(step, 0.5, trial_);
    looked = true;
    f.slight = (below(i, trial_.g[i]) || below(i, end_[i])) &&
               !f.group->matters(step.from, between_, step.stepper.result(), f.element, f.index);
  }
}

bool EventWatch::any_below(const std::vector<double>& g) const {
  for (std::size_t i = 0; i < functions_.size(); ++i)
    if (below(i, g[i])) return true;
  return false;
}

std::optional<double> EventWatch::first(const Step& step, bool shorter) {
  values(step.stepper.result(), end_);
  for (Function& f : functions_) f.left = 0;
  if (!shorter) choose_slight(step);
  if (!bracket(step)) return std::nullopt;
  narrow(step);
  early_.clear();
  for (std::size_t i = 0; i < functions_.size(); ++i)
    if (below(i, high_.g[i])) early_.push_back(static_cast<int>(i));
  return high_.at;
}

/// The first part of the step in which a function comes to be below zero: between low_ and high_; false: none does.
bool EventWatch::bracket(const Step& step) {
  // So many parts that none of them turns by more than a quarter of a radian (T-phase-3).
  const int parts = static_cast<int>(std::clamp(std::ceil(4 * step.turn), 2.0, 1e6));
  middle_.at = 0;
  middle_.g = start_;
  for (int k = 1; k <= parts; ++k) {
    look(step, k == parts ? 1.0 : static_cast<double>(k) / parts, right_);
    for (std::size_t i = 0; i < functions_.size(); ++i)
      functions_[i].largest = std::max(functions_[i].largest, std::abs(right_.g[i]));
    if (k > 1 && dips(step, left_, middle_, right_, low_, high_)) return true;
    if (any_below(right_.g)) {
      low_ = middle_;
      high_ = right_;
      return true;
    }
    std::swap(left_, middle_);
    std::swap(middle_, right_);
  }
  return false;
}

/// To the earliest zero of all, by false position: only where to try (the step itself decides).
void EventWatch::narrow(const Step& step) {
  double trust_low = 1, trust_high = 1;  // an end that stays counts half each time
  for (int k = 0; k < 60 && high_.at - low_.at > 1e-14; ++k) {
    const double low = low_.at, high = high_.at;
    double s = high;
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (below(i, high_.g[i])) {
        const double zero = border_of(functions_[i]);
        const double at_low = trust_low * std::max(low_.g[i] - zero, 0.0);
        const double at_high = trust_high * (high_.g[i] - zero);
        s = std::min(s, low + (high - low) * at_low / (at_low - at_high));
      }
    if (k % 8 == 7) s = 0.5 * (low + high);
    const double margin = std::min(1e-3 * (high - low), std::max(1e-14, 1e-12 * high));
    s = std::clamp(s, low + margin, high - margin);
    if (!(s > low && s < high)) break;
    look(step, s, trial_);
    if (any_below(trial_.g)) std::swap(high_, trial_), trust_high = 1, trust_low *= 0.5;
    else std::swap(low_, trial_), trust_low = 1, trust_high *= 0.5;
  }
}

const std::vector<int>& EventWatch::passing(const Step& step, double slack) {
  const double length = step.stepper.step_size(), back = 0.1 / (1 + step.turn);
  values(step.stepper.result(), end_);
  look(step, 1 - back, trial_);
  passing_.clear();
  soonest_ = INFINITY;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const double slope = (end_[i] - trial_.g[i]) / (back * length);
    const bool passes = below(i, end_[i]) || (!functions_[i].muted && !functions_[i].slight && slope < 0 &&
                                              end_[i] + slack * slope < 0 && start_[i] > end_[i]);
    functions_[i].left = passes ? std::max(0.0, end_[i]) + slack * std::abs(slope) : 0.0;
    if (passes) passing_.push_back(static_cast<int>(i));
    else if (slope < 0 && !functions_[i].muted) soonest_ = std::min(soonest_, -end_[i] / slope);
  }
  return passing_;
}

bool EventWatch::taken(State& state) {
  bool turned = false;
  start_ = end_;
  arm();
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    Function& f = functions_[i];
    if (std::exchange(f.slight, false) && end_[i] < 0) {
      f.group->cross(state, f.element, f.index);
      turned = true;
    }
  }
  if (turned) values(state, start_);
  return turned;
}

bool EventWatch::follow(State& state) {
  due(state);
  std::erase_if(due_, [&](int f) { return !in_expression(f); });
  if (due_.empty()) return false;
  for (const int f : due_) functions_[f].group->cross(state, functions_[f].element, functions_[f].index);
  return true;
}

std::string EventWatch::described(int function) const {
  const Function& f = functions_[function];
  const std::string text = f.group->switch_text(f.element, f.index);
  return text.empty() ? name(function) : fmt::format("{} (`{}`)", name(function), text);
}

const EventWatch::Change& EventWatch::cross(State& state, const std::vector<int>& functions) {
  Change& change = change_;
  change.how = Continuation::none;
  change.corner = false;
  change.who.clear();
  change.impacts.clear();
  change.fired.clear();
  for (const int i : functions) {
    Function& f = functions_[i];
    if (f.corner) {
      f.side = -f.side;
      change.corner = true;
      continue;
    }
    const Continuation how = std::exchange(f.landed, false) ? f.group->land(state, f.element, f.index)
                                                            : f.group->cross(state, f.element, f.index);
    change.how = std::max(change.how, how);
    if (how == Continuation::none) continue;
    change.who.push_back(i);
    if (how == Continuation::impact) change.impacts.push_back({f.group, f.element});
    for (const EventType& e : assembly_.triggers)
      if (e.trigger.group == f.group && e.trigger.index == f.element) change.fired.push_back(&e);
  }
  return change;
}

const std::vector<int>& EventWatch::due(const State& state, const std::vector<int>& crossed) {
  values(state, work_);
  // An element that has just crossed is at the border, but for what its location leaves over: no side of it counts yet.
  const auto left_over = [&](const Function& f) {
    double most = -1;  // it has not crossed
    for (const int i : crossed)
      if (functions_[i].group == f.group && functions_[i].element == f.element)
        most = std::max({most, border * f.largest, 2 * functions_[i].left});
    return most;
  };
  due_.clear();
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    Function& f = functions_[i];
    f.landed = false;
    if (f.corner) continue;
    // It has passed zero, and not back (T-event-7).
    const double left = left_over(f), short_of_it = std::max(-work_[i], f.left);
    if (std::abs(work_[i]) <= left) f.band = std::max(f.band, 4 * short_of_it);
    else if (below(i, work_[i]) || (f.landed = jumped_onto_zero(i, state)))
      due_.push_back(static_cast<int>(i));
  }
  return due_;
}

/// A function was positive before this instant and is zero now, where its mode does not hold (T-kink-5).
bool EventWatch::jumped_onto_zero(std::size_t i, const State& state) const {
  const Function& f = functions_[i];
  return i < start_.size() && !f.muted && near_zero(f, work_[i]) && start_[i] > border * f.largest &&
         f.group->ends_at_zero(state, f.element, f.index);
}

/// What stays at zero for the whole step has come to rest there.
const std::vector<int>& EventWatch::resting(const Step& step) {
  passing_.clear();
  bool looked = false;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    Function& f = functions_[i];
    if (f.corner || f.muted || !near_zero(f, start_[i]) || !near_zero(f, end_[i])) continue;
    const auto ends = [&](const State& s) { return f.group->ends_at_zero(s, f.element, f.index); };
    if (!ends(step.from) || !ends(step.stepper.result())) continue;
    if (!looked) look(step, 0.5, trial_);
    looked = true;
    f.landed = ends(between_);
    if (f.landed) passing_.push_back(static_cast<int>(i));
  }
  return passing_;
}

void EventWatch::after_jump(const State& state, std::vector<int>& functions) {
  const auto& now = due(state);
  std::erase_if(functions, [&](int i) {
    return work_[i] > border * functions_[i].largest || std::find(now.begin(), now.end(), i) != now.end();
  });
  functions.insert(functions.end(), now.begin(), now.end());
}

const std::vector<int>& EventWatch::leaving(const State& state) {
  leaving_.clear();
  double fastest = 0;
  for (const double a : state.acceleration) fastest = std::max(fastest, std::abs(a));
  if (fastest == 0) return leaving_;
  constexpr double at_rest = 1e-9, ahead = 1e-3, least = 1e-8;
  const System& system = assembly_.system;
  values(state, work_);
  // How much a function changes a little later: with the positions, by v or by v̇, or with the velocities.
  const auto moved = [&](double by_rate, double by_acceleration) {
    moves_.assign(system.size(), 0.0);
    for (std::size_t i = 0; i < state.acceleration.size(); ++i)
      moves_[i] = by_rate * state.rate[i] + by_acceleration * state.acceleration[i];
    between_.take(state);
    move_positions(system, state.value, moves_, between_.value, {});
    values(between_, ahead_);
  };
  const auto at_border = [&](std::size_t i) {
    const Function& f = functions_[i];
    return !f.corner && !f.trigger && !f.muted && std::abs(work_[i]) <= at_rest * std::max(1.0, f.largest);
  };
  const auto mark = [&](double scale) {
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (at_border(i) && ahead_[i] - work_[i] < -least * scale * fastest)
        leaving_.push_back(static_cast<int>(i));
  };
  bool any = false;
  for (std::size_t i = 0; i < functions_.size(); ++i) any = any || at_border(i);
  if (!any) return leaving_;
  between_.take(state);
  for (std::size_t i = 0; i < state.acceleration.size(); ++i)
    between_.rate[i] += ahead * state.acceleration[i];
  values(between_, ahead_);
  mark(ahead);
  moved(ahead, 0);  // what is reached with a velocity is an event of the next step
  for (std::size_t i = 0; i < functions_.size(); ++i)
    if (std::abs(ahead_[i] - work_[i]) > ahead * at_rest) work_[i] = INFINITY;
  moved(0, 0.5 * ahead * ahead);
  mark(0.5 * ahead * ahead);
  return leaving_;
}

bool EventWatch::chatters(int function, double time, double short_time) {
  Function& f = functions_[function];
  f.quickly = time - f.last <= short_time ? f.quickly + 1 : 0;
  f.last = time;
  return f.quickly >= 50;
}

}  // namespace escapement
