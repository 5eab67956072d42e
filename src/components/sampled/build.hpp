// What all sampled blocks share: a clock, outputs that are held, and a program that runs at the samples.
#pragma once
#include <vector>

#include "model/component.hpp"

namespace escapement::sampled {

/// Is a block with `period`, `offset`, `delay` and `initial.output`.
void is_sampled(ComponentType& type, std::string output);

/// A program for all inputs at once: y and the memory after a sample, from the inputs and the memory before. `start`: the
/// outputs before the first sample, unless `initial.output` is given; else zero.
void add_program(Build& b, const std::vector<Signal<1>>& inputs, std::vector<double> memory,
                 SampledProgram program, const std::vector<double>& start = {});
/// One for each part of `input`, each with a memory of its own.
void add_part_by_part(Build& b, const std::vector<double>& memory, const SampledProgram& program);
/// x₊ = A x + B u, y = C x + D u: the numbers of the matrices row by row.
struct Matrices {
  int states, inputs, outputs;
  std::vector<double> A, B, C, D;
};
SampledProgram linear_program(Matrices m);

}  // namespace escapement::sampled
