// Checkpoints: a run as it was at some time, in one file of its folder, `checkpoint.bin`. It is replaced in one go, and it is
// known to be whole by a checksum, to belong to the model by a hash, and to this version of the program by its name.
#pragma once
#include <filesystem>
#include <string>

#include "record/run_folder.hpp"

namespace escapement {

struct Checkpoint {
  std::string version, model_hash;
  double time = 0;       // s, simulated
  std::string contents;  // of simulate() and of what records
};

inline constexpr const char* checkpoint_name = "checkpoint.bin";

/// Throws FileError; the checkpoint before stays as it is.
void write_checkpoint(const RunFolder& folder, const Checkpoint& checkpoint);
/// Throws FileError if there is none or it cannot be read, ModelError E-CHECKPOINT if it is damaged or foreign.
Checkpoint read_checkpoint(const std::filesystem::path& folder);

/// All of the file is on the disk.
void make_durable(const std::filesystem::path& file);

}  // namespace escapement
