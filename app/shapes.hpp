// Shapes (of modes, of buckling) as a moving picture: shape k plays one period in k − 1 ≤ t < k.
#pragma once
#include <complex>
#include <string>
#include <vector>

#include "analyses/modes.hpp"
#include "command_line.hpp"
#include "model/assembly.hpp"
#include "record/run_folder.hpp"

namespace escapement::app {

using ShapeOfRows = std::vector<std::complex<double>>;  // increments by row

std::vector<const ShapeOfRows*> shapes_of(const std::vector<Mode>& modes);

/// The folder of --out, or beside the model, with the model and its scene in it.
RunFolder shapes_folder(const Command& command, const Model& model, const Assembly& assembly,
                        const std::string& suffix);

/// results.csv and motion.bin: what the model's channels and its picture do, with a size that can be seen.
void write_shapes(const RunFolder& folder, const Model& model, const Assembly& assembly, const State& about,
                  const std::vector<const ShapeOfRows*>& shapes);

/// `arm turning about its y`, `filter.state`: the unknown of a row.
std::string what_moves(const System& system, int row);

}  // namespace escapement::app
