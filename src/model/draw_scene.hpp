// The scene of an assembly, once all components are built.
#pragma once
#include "core/system.hpp"
#include "model/scene.hpp"

namespace escapement {

struct Draft;

/// What components did not draw themselves, what they are connected to, and the nodes that all this hangs on.
void draw_scene(Draft& draft);
/// Beams and cables also hang on points in space; and their ends are given exactly.
void add_nodes_of_beams(Scene& scene, const System& system);

}  // namespace escapement
