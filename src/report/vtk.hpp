// The moving picture as VTK files, for ParaView and others: solids as surfaces, springs and rods as lines, marks as points;
// beams as the curves they bend to, with what they bear.
#pragma once
#include <filesystem>

namespace escapement {

/// From a run folder to a folder of its own: motion.pvd, one .vtp per frame, components.csv. Returns the number of frames.
/// Throws FileError.
std::size_t export_vtk(const std::filesystem::path& run, const std::filesystem::path& to);

}  // namespace escapement
