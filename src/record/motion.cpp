#include "record/motion.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <fstream>

#include "record/file_error.hpp"

namespace escapement {

static constexpr std::uint32_t magic = 0x4d435345;  // ESCM
static_assert(std::endian::native == std::endian::little, "motion.bin is little-endian");

MotionWriter::MotionWriter(std::filesystem::path path, std::size_t columns, long long keep)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), keep < 0 ? "wb" : "r+b")), row_(columns + 1) {
  if (!file_) refuse("cannot be written");
  if (keep >= 0) {
    std::error_code fault;
    const auto length = std::filesystem::file_size(path_, fault);
    if (fault || length < static_cast<std::uintmax_t>(keep))
      throw FileError(path_.string(), "it is shorter than at the checkpoint",
                      "restore the file, or run the model again");
    std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(keep), fault);
    if (fault) throw system_error(path_, "cannot be cut back", fault.value());
    std::fseek(file_.get(), 0, SEEK_END);
    bytes_ = keep;
    return;
  }
  const std::uint32_t head[4] = {magic, 1, static_cast<std::uint32_t>(columns + 1), 0};
  if (std::fwrite(head, sizeof head, 1, file_.get()) != 1) refuse("cannot be written");
  bytes_ = sizeof head;
}

MotionFile read_motion_file(const std::filesystem::path& path) {
  MotionFile motion;
  std::ifstream file(path, std::ios::binary);
  std::uint32_t head[4];
  if (!file.read(reinterpret_cast<char*>(head), sizeof head)) return motion;
  std::error_code fault;
  const std::uintmax_t bytes = std::filesystem::file_size(path, fault) - sizeof head;
  if (fault || head[0] != magic || head[1] != 1 || head[2] == 0)
    throw FileError(path.string(), "is no motion that this version knows", "run the model again");
  motion.columns = head[2];
  motion.frames = bytes / (sizeof(float) * motion.columns);
  motion.values.resize(motion.frames * motion.columns);
  file.read(reinterpret_cast<char*>(motion.values.data()),
            static_cast<std::streamsize>(motion.values.size() * sizeof(float)));
  return motion;
}

void MotionWriter::frame(double time, std::span<const double> values) {
  row_[0] = static_cast<float>(time);
  std::transform(values.begin(), values.end(), row_.begin() + 1,
                 [](double x) { return static_cast<float>(x); });
  if (std::fwrite(row_.data(), sizeof(float), row_.size(), file_.get()) != row_.size())
    refuse("cannot be written");
  bytes_ += static_cast<long long>(sizeof(float) * row_.size());
}

void MotionWriter::flush() {
  if (std::fflush(file_.get()) != 0) refuse("cannot be written");
}

void MotionWriter::close() {
  if (std::fclose(file_.release()) != 0) refuse("cannot be written");
}

void MotionWriter::refuse(const char* deed) const { throw system_error(path_, deed, errno); }

long worthwhile_frames(std::size_t columns) {
  constexpr double most_bytes = 16e6;
  return std::clamp(static_cast<long>(most_bytes / (sizeof(float) * static_cast<double>(columns + 1))), 60L,
                    1800L);
}

}  // namespace escapement
