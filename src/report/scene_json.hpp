// The scene of a model as JSON (scene.json of a run folder), and the columns of its motion.bin.
#pragma once
#include "model/assembly.hpp"
#include "record/json.hpp"

namespace escapement {

Json scene_json(const Model& model, const Assembly& assembly);

/// How many numbers a frame of motion has, and these numbers: those of the scene's nodes, one after the other, then what the pieces
/// of beams bear.
std::size_t motion_columns(const Assembly& assembly);
void read_motion(const Assembly& assembly, const State& state, std::vector<double>& values);

}  // namespace escapement
