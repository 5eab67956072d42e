// What is worth telling before a run begins, though nothing of it is wrong: notes, no warnings.
#pragma once
#include <string>
#include <vector>

#include "model/assembly.hpp"

namespace escapement {

/// Springs that start with a load far beyond all weights; mechanisms in space that hang on nothing.
std::vector<std::string> remarks(const Assembly& assembly, const State& start);

}  // namespace escapement
