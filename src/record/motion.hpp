// Motion: where everything that a picture shows is, frame by frame. After 16 bytes (`ESCM`, format, columns, 0) rows of
// 32-bit numbers, little-endian, that begin with the time; what their columns mean is in scene.json.
#pragma once
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace escapement {

class MotionWriter {
 public:
  /// `keep`: goes on after so many bytes of the file that is there; -1: a new file.
  MotionWriter(std::filesystem::path path, std::size_t columns, long long keep = -1);
  long long bytes() const { return bytes_; }
  void frame(double time, std::span<const double> values);
  void flush();
  void close();

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  void refuse(const char* deed) const;
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<float> row_;
  long long bytes_ = 0;
};

struct MotionFile {
  std::size_t columns = 0, frames = 0;  // the time included
  std::vector<float> values;
};
/// Whole frames; none if there is no such file.
MotionFile read_motion_file(const std::filesystem::path& path);

/// How many frames of so many columns are worth keeping.
long worthwhile_frames(std::size_t columns);

}  // namespace escapement
