// Models by name, as in model files: read or written in C++, checked, and made into a system (docs/language.md).
//
//   standard_registry()   all component types of Escapement; must outlive the models
//   Model                 Model::read_file(path, registry, {.set = {{"k", "2 N/m"}}}), Model::read_text; nothing is built yet
//   ModelText             a model written in C++, through the same registry
//   assemble(model)       an Assembly: system, initial state, channels, events
//
//   const Registry registry = standard_registry();
//   const Model model = Model::read_file("model.yaml", registry);
//   const Assembly assembly = assemble(model);
//   for (const Channel& c : assembly.channels)
//     std::printf("%s = %g %s\n", c.name.c_str(), assembly.read(c, assembly.initial), c.unit.c_str());
//
// Throws ModelErrors with everything that is wrong, each with file, line and column; ModelError for what ends it at once. The
// model must outlive what is made of it. For component types of one's own: component.hpp.
#pragma once
#include "components/registry.hpp"
#include "model/assembly.hpp"
#include "model/model.hpp"
