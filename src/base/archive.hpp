// Archive: numbers and texts as one block of bytes, written and read back by the same functions, for checkpoints. A type takes
// part by `void archive(Archive& a) { a(x, y, …); }`. The bytes are those of this machine and version.
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace escapement {

/// The bytes are not what the program expects there.
struct ArchiveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Archive {
 public:
  /// To write.
  Archive() = default;
  /// To read these, which must outlive it.
  explicit Archive(std::string_view bytes) : left_(bytes), reading_(true) {}
  bool reading() const { return reading_; }
  std::string& bytes() { return bytes_; }
  bool at_end() const { return left_.empty(); }

  template <class... T>
  void operator()(T&... x) {
    (one(x), ...);
  }

 private:
  template <class T>
  void one(T& x) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) raw(&x, sizeof x);
    else x.archive(*this);
  }
  void one(std::string& x) {
    resize(x, 1);
    raw(x.data(), x.size());
  }
  template <class T>
  void one(std::vector<T>& x) {
    if constexpr (std::is_arithmetic_v<T>) {
      resize(x, sizeof(T));
      raw(x.data(), x.size() * sizeof(T));
    } else {
      resize(x, 1);
      for (T& entry : x) one(entry);
    }
  }
  template <class A, class B>
  void one(std::pair<A, B>& x) {
    one(x.first);
    one(x.second);
  }
  template <class T>
  void one(std::optional<T>& x) {
    bool there = x.has_value();
    one(there);
    if (reading_) x = there ? std::optional<T>(T{}) : std::nullopt;
    if (there) one(*x);
  }
  template <class T>
  void one(std::map<std::string, T>& x) {
    std::vector<std::pair<std::string, T>> entries(x.begin(), x.end());
    one(entries);
    if (reading_) x = {entries.begin(), entries.end()};
  }
  template <class C>
  void resize(C& x, std::size_t least_bytes) {
    std::uint64_t size = x.size();
    raw(&size, sizeof size);
    if (!reading_) return;
    if (size > left_.size() / least_bytes) throw ArchiveError("a length is beyond the end");
    x.resize(size);
  }
  void raw(void* x, std::size_t size) {
    if (!reading_) {
      bytes_.append(static_cast<const char*>(x), size);
      return;
    }
    if (size > left_.size()) throw ArchiveError("it ends too early");
    if (size > 0) std::memcpy(x, left_.data(), size);
    left_.remove_prefix(size);
  }
  std::string bytes_;
  std::string_view left_;
  bool reading_ = false;
};

}  // namespace escapement
