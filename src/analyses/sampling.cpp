#include "analyses/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace escapement {

Sampling::Sampling(const Assembly& assembly)
    : system_(assembly.system), samplers_(assembly.samplers), used_(assembly.samplers.size()) {
  if (!samplers_.empty()) settler_.emplace(assembly.system);
  const auto at = [&](double period, double offset, bool outputs, int sampler) {
    for (Clock& c : clocks_)
      if (c.period == period && c.offset == offset && c.outputs == outputs) {
        c.samplers.push_back(sampler);
        return;
      }
    clocks_.push_back({period, offset, outputs, {sampler}});
  };
  for (std::size_t i = 0; i < samplers_.size(); ++i) {
    const Sampler& s = samplers_[i];
    at(s.period, s.offset, false, static_cast<int>(i));
    if (s.delay > 0) at(s.period, s.offset + s.delay, true, static_cast<int>(i));
  }
}

double Sampling::next() const {
  double time = std::numeric_limits<double>::infinity();
  for (const Clock& c : clocks_) time = std::min(time, c.next());
  return time;
}

void Sampling::take(const std::vector<Sampler>& others) {
  for (std::size_t i = 0; i < samplers_.size(); ++i) {
    const Sampler &mine = samplers_[i], &other = others[i];
    if (mine.period != other.period || mine.offset != other.offset || mine.delay != other.delay)
      throw ModelError("E-EVENT", mine.name, "an event cannot set when it samples",
                       "two blocks, and an event that sets which of them counts");
    samplers_[i].program = other.program;
  }
}

void Sampling::read_inputs(const Sampler& s, const State& state, std::vector<double>& inputs) const {
  inputs.clear();
  for (const Signal<1>& u : s.inputs)
    inputs.push_back(u.is_ground() ? 0.0 : state.value[system_.variables()[u.variable].value]);
}

void Sampling::begin(double now) {
  bool sampled = false;
  for (Clock& c : clocks_)
    while (c.next() <= now) {
      sampled = sampled || !c.outputs;
      c.done += 1;
    }
  samples_ += sampled ? 1 : 0;
}

/// f(sampler, number) of all that is kept, sampler by sampler.
template <class S, class F>
void Sampling::each_kept(S& memory, const F& f) const {
  for (const Sampler& s : samplers_) {
    for (std::size_t k = 0; k < s.memory.size(); ++k) f(s, memory[s.place + k]);
    for (const ElementId& held : s.held) f(s, memory[held.group->memory_of(held.index)]);
  }
}

std::vector<double> Sampling::kept(const State& state) const {
  std::vector<double> numbers;
  each_kept(state.memory, [&](const Sampler&, double x) { numbers.push_back(x); });
  return numbers;
}

void Sampling::keep(State& state, std::span<const double> kept) const {
  std::size_t i = 0;
  each_kept(state.memory, [&](const Sampler&, double& x) { x = kept[i++]; });
  for (const Sampler& s : samplers_)
    for (std::size_t k = 0; s.delay > 0 && k < s.held.size(); ++k)
      state.memory[s.place + s.memory.size() + k] = state.memory[s.held[k].group->memory_of(s.held[k].index)];
}

const std::string& Sampling::keeper(std::size_t number) const {
  for (const Sampler& s : samplers_) {
    const std::size_t count = s.memory.size() + s.held.size();
    if (number < count) return s.name;
    number -= count;
  }
  return samplers_.back().name;
}

void Sampling::compute_all(State& state) {
  due_.resize(samplers_.size());
  for (std::size_t i = 0; i < due_.size(); ++i) due_[i] = static_cast<int>(i);
  run_all(state, {});
  for (const Sampler& s : samplers_)
    for (std::size_t k = 0; s.delay > 0 && k < s.held.size(); ++k)
      state.memory[s.held[k].group->memory_of(s.held[k].index)] = state.memory[s.place + s.memory.size() + k];
}

bool Sampling::apply(State& state, double now, const Modes& modes) {
  bool changed = false;
  due_.clear();
  for (Clock& c : clocks_)  // outputs come first: a computation may take the whole period
    while (c.outputs && c.next() <= now) {
      for (const int i : c.samplers) {
        const Sampler& s = samplers_[i];
        for (std::size_t k = 0; k < s.held.size(); ++k) {
          double& held = state.memory[s.held[k].group->memory_of(s.held[k].index)];
          const double waited = state.memory[s.place + s.memory.size() + k];
          changed = changed || held != waited;
          held = waited;
        }
      }
      c.done += 1;
    }
  for (Clock& c : clocks_)
    while (!c.outputs && c.next() <= now) {
      due_.insert(due_.end(), c.samplers.begin(), c.samplers.end());
      c.done += 1;
    }
  if (due_.empty()) return changed;
  std::sort(due_.begin(), due_.end());
  return run_all(state, modes) || changed;
}

/// Signals, and the modes that they decide on.
void Sampling::settle(State& state, const Modes& modes) {
  do settler_->settle(state);
  while (modes && modes(state));
}

/// Blocks that feed each other, directly or through signals, see what belongs to this sample: those whose inputs have changed
/// since they were run are run again, from the memory before, until none is (T-sample-2).
bool Sampling::run_all(State& state, const Modes& modes) {
  ++samples_;
  settle(state, modes);  // sources may have jumped
  before_ = state.memory;
  bool changed = false;
  for (std::size_t round = 0;; ++round) {
    bool moved = false;
    int last = -1;
    for (const int i : due_) {
      const Sampler& s = samplers_[i];
      read_inputs(s, state, inputs_);
      bool same = round > 0;
      for (std::size_t k = 0; same && k < inputs_.size(); ++k)
        same = std::abs(inputs_[k] - used_[i][k]) <= 1e-12 * (1e-3 + std::abs(inputs_[k]));
      if (same) continue;
      used_[i] = inputs_;
      last = i;
      moved = run(s, state, before_, inputs_) || moved;
    }
    changed = changed || moved;
    if (!moved) return changed;
    if (round > due_.size() + 1)
      throw ModelError(
          "E-LOOP", samplers_[last].name,
          fmt::format("sampled blocks feed each other within one sample, without end, at t = {:g} s",
                      state.t),
          "a sampled.delay somewhere on the loop");
    settle(state, modes);
  }
}

/// True: an output changed at once.
bool Sampling::run(const Sampler& s, State& state, const std::vector<double>& before,
                   const std::vector<double>& inputs) {
  const std::span<double> memory(state.memory.data() + s.place, s.memory.size());
  std::copy_n(before.begin() + s.place, s.memory.size(), memory.begin());
  outputs_.assign(s.held.size(), 0.0);
  s.program(state.t, inputs, outputs_, memory);
  for (const double y : outputs_)
    if (!std::isfinite(y))
      throw ModelError("E-NAN", s.name,
                       fmt::format("its output at the sample at t = {:g} s is {}", state.t, y),
                       "look for a division by zero in what it computes");
  bool changed = false;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    double& to = s.delay > 0 ? state.memory[s.place + s.memory.size() + k]
                             : state.memory[s.held[k].group->memory_of(s.held[k].index)];
    changed = changed || (s.delay == 0 && to != outputs_[k]);
    to = outputs_[k];
    if (s.delay == 0) state.value[system_.variables()[s.outputs[k].variable].value] = outputs_[k];
  }
  return changed;
}

}  // namespace escapement
