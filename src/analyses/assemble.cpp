#include "analyses/assemble.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {
namespace {

/// A stop that touches.
struct Touch {
  ElementId element;
  int row;
  bool closed = false;
};

std::vector<Touch> touches(const System& system, const State& state) {
  std::vector<Touch> list;
  std::vector<int> elements;
  for (const auto& g : system.groups()) {
    elements.clear();
    g->touching(state, elements);
    for (const int k : elements) list.push_back({{g.get(), k}, g->impact(state, k, 0).row});
  }
  return list;
}

/// One instant: all that touches is known, and velocities are tried.
class Velocities {
 public:
  Velocities(const System& system, const State& given, const StartOptions& options)
      : system_(system), given_(given), options_(options), touches_(touches(system, given)) {
    speeds_.resize(system.size());
  }
  bool touching() const { return !touches_.empty(); }

  /// Φ̇ ≥ 0 at every stop; closed are those without which it would not be: the first that is wrong changes.
  State find() {
    for (Touch& t : touches_) t.closed = false;
    for (std::size_t tries = 0; tries < 20 * (touches_.size() + 1); ++tries) {
      State trying = tried();
      if (Touch* wrong = entered(trying)) {
        wrong->closed = true;
        continue;
      }
      Touch* pulling = nullptr;
      for (Touch& t : touches_) {
        if (!t.closed) continue;
        t.closed = false;
        if (!pulling && speed(tried(), t) >= -least(given_)) pulling = &t;
        t.closed = true;
      }
      if (pulling) {
        pulling->closed = false;
        continue;
      }
      const double still = least(trying);
      for (const Touch& t : touches_)
        if (!t.closed && speed(trying, t) <= still) trying.memory = closed(trying, t);
      return trying;
    }
    State all = given_;  // no such velocities were found: those of two-sided stops
    project(system_, all, options_);
    return all;
  }

 private:
  /// Velocities with these stops closed.
  State tried() {
    State trying = given_;
    for (const Touch& t : touches_)
      if (!t.closed) t.element.group->release(trying, t.element.index);
    project(system_, trying, options_);
    return trying;
  }
  Touch* entered(const State& trying) {
    const double still = least(trying);
    for (Touch& t : touches_)
      if (!t.closed && speed(trying, t) < -still) return &t;
    return nullptr;
  }
  /// Φ̇ of a stop, as if it were closed.
  double speed(const State& trying, const Touch& t) {
    State all = given_;
    all.value = trying.value;
    all.rate = trying.rate;
    system_.constraints(all, 1, 0, speeds_);
    return speeds_[t.row];
  }
  std::vector<double> closed(const State& trying, const Touch& t) const {
    std::vector<double> memory = trying.memory;
    const int at = t.element.group->memory_of(t.element.index);
    memory[at] = given_.memory[at];
    return memory;
  }
  static double least(const State& state) {
    double top = 0;
    for (const double v : state.rate) top = std::max(top, std::abs(v));
    return 1e-10 * (1 + top);
  }

  const System& system_;
  const State& given_;
  const StartOptions& options_;
  std::vector<Touch> touches_;
  std::vector<double> speeds_;
};

void find_velocities(const System& system, State& state, const StartOptions& options) {
  Velocities velocities(system, state, options);
  if (!velocities.touching()) project(system, state, options);
  else state = velocities.find();
}

}  // namespace

void assemble_start(const System& system, State& state, const StartOptions& options) {
  project_positions(system, state, options);
  const State given = state;
  try {
    find_velocities(system, state, options);
  } catch (const ModelError& e) {
    State loose = given;
    bool any = false;
    for (const auto& g : system.groups()) any = g->loosen(loose) || any;
    if (e.code != "E-START" || !any) throw;
    find_velocities(system, loose, options);
    state = std::move(loose);
    for (const auto& g : system.groups()) {
      State scratch = state;
      if (g->loosen(scratch)) g->enter(state);
    }
  }
}

}  // namespace escapement
