// Sampled blocks: programs that run at samples, between which their outputs are held.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/system.hpp"

namespace escapement {

/// What a sampled block computes at a sample: its outputs, and its memory afterwards.
using SampledProgram = std::function<void(double t, std::span<const double> inputs, std::span<double> outputs,
                                          std::span<double> memory)>;

/// A block that computes at t = offset + k period, and whose outputs change `delay` later.
struct Sampler {
  std::string name;
  double period, offset, delay;  // s
  std::vector<Signal<1>> inputs;
  std::vector<Signal<1>> outputs;
  std::vector<ElementId> held;  // whose memory, slot 0, is the output
  std::vector<double> memory;   // at the start
  SampledProgram program;
  int place = 0;  // in State::memory: memory, then outputs that wait; set when the system is finished
};

}  // namespace escapement
