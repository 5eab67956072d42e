// Results as HDF5: one dataset per column. HDF5 updates its files in many small writes, and a kill between two of
// them can leave a file that no longer opens. So rows go to a hidden spare beside the file, and flush() exchanges
// the two names in one system call: `path` is at every moment absent or complete. The price is that rows are
// written twice from the first flush on. Of 1139 files of killed runs all held the rows of a flush, no more or
// less; written in place, about one in ten had columns of unequal length.
#include <fcntl.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "record/file_error.hpp"
#include "record/results.hpp"
#include "record/writer.hpp"

namespace escapement {
namespace {

namespace fs = std::filesystem;

constexpr const char* format_name = "escapement results 1";

/// HDF5 prints its errors unless told otherwise; the setting of the surrounding program comes back at the end.
class Quiet {
 public:
  Quiet() {
    // HDF5 1.10 recurses without end where it finds no memory while it starts: better told before.
    static const bool started = (std::make_unique<char[]>(4 << 20), H5open() >= 0);
    if (!started) throw std::bad_alloc();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An identifier of HDF5 and the function that closes it.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }
  operator hid_t() const { return id_; }
  herr_t close() { return id_ < 0 ? 0 : close_(std::exchange(id_, -1)); }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// The innermost message on HDF5's error stack; the system's error number if it names one.
FileError hdf5_error(const fs::path& path, const std::string& deed) {
  std::string message;
  const auto take_first = [](unsigned, const H5E_error2_t* entry, void* text) -> herr_t {
    if (entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &message);
  const std::string_view mark = "errno = ";
  const std::size_t place = message.find(mark);
  if (place != std::string::npos)
    return system_error(path, deed, std::atoi(message.c_str() + place + mark.size()));
  return {path.string(), deed + ": " + (message.empty() ? "HDF5 gives no reason" : message), ""};
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/// Others may read while we write: a lock would only keep them out. The cache of metadata is as large as appending
/// to all columns needs, and does not grow with the rows.
Handle file_access(std::size_t columns) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_file_locking(access, 0, 1);
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  H5Pget_mdc_config(access, &cache);
  cache.set_initial_size = 1;
  cache.initial_size = std::clamp<std::size_t>(columns * 8192, 1 << 18, 128 << 20);
  cache.min_size = cache.max_size = cache.initial_size;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  H5Pset_mdc_config(access, &cache);
  return access;
}

/// One HDF5 file with equally long columns. `path` is what messages name.
class ColumnFile {
 public:
  ColumnFile(const fs::path& path, const fs::path& place, const std::vector<Column>& columns,
             hsize_t chunk_rows)
      : path_(path) {
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access = file_access(columns.size());
    // HDF5 keeps 18 kB per node of a column's chunk index in memory: too much for thousands of columns.
    if (columns.size() > 100) H5Pset_istore_k(creation, 8);
    file_ = {H5Fcreate(place.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose};
    if (file_ < 0) throw hdf5_error(path_, "cannot be created");
    try {
      attribute(file_, "format", format_name);
      const hsize_t none = 0, unlimited = H5S_UNLIMITED;
      const Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose);
      const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      H5Pset_chunk(layout, 1, &chunk_rows);
      H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
      const Handle caching(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
      H5Pset_chunk_cache(caching, 1, 0, 0);  // whole chunks come and go: a cache per column is only memory
      for (const Column& column : columns) {
        datasets_.push_back(check(
            H5Dcreate2(file_, column.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, caching)));
        attribute(datasets_.back(), "unit", column.unit);
        if (!column.summary.empty()) attribute(datasets_.back(), "summary", column.summary);
      }
    } catch (...) {
      abandon();
      unlink(place.c_str());
      throw;
    }
  }
  ~ColumnFile() { abandon(); }
  ColumnFile(const ColumnFile&) = delete;
  ColumnFile& operator=(const ColumnFile&) = delete;

  hsize_t rows() const { return rows_; }

  /// `count` rows; column j begins at values[j stride].
  void append(const double* values, std::size_t stride, hsize_t count) {
    const auto [memory, file] = grow(count);
    for (std::size_t j = 0; j < datasets_.size(); ++j)
      check(H5Dwrite(datasets_[j], H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values + j * stride));
  }

  /// The rows that `other` has beyond ours.
  void catch_up(const ColumnFile& other) {
    std::vector<double> block(std::min<hsize_t>(other.rows_ - rows_, 1 << 16));
    while (rows_ < other.rows_) {
      const hsize_t count = std::min<hsize_t>(block.size(), other.rows_ - rows_);
      const auto [memory, file] = grow(count);
      for (std::size_t j = 0; j < datasets_.size(); ++j) {
        const Handle source(H5Dget_space(other.datasets_[j]), H5Sclose);
        select(source, rows_ - count, count);
        check(H5Dread(other.datasets_[j], H5T_NATIVE_DOUBLE, memory, source, H5P_DEFAULT, block.data()));
        check(H5Dwrite(datasets_[j], H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, block.data()));
      }
    }
  }

  void flush() { check(H5Fflush(file_, H5F_SCOPE_LOCAL)); }

  void close() {
    flush();  // nothing is left that closing could fail to write
    check(file_.close());
  }

  /// Closes without writing. HDF5 cannot close a file that it cannot write, so what it still wants to write goes
  /// to memory that is given back at once.
  void abandon() {
    if (file_ < 0) return;
    const Quiet quiet;
    void* descriptor = nullptr;
    const int nowhere = memfd_create("abandoned results", MFD_CLOEXEC);
    if (nowhere >= 0 && H5Fget_vfd_handle(file_, H5P_DEFAULT, &descriptor) >= 0)
      dup2(nowhere, *static_cast<int*>(descriptor));
    if (nowhere >= 0) ::close(nowhere);
    file_.close();
  }

 private:
  template <class Status>
  Status check(Status status) const {
    if (status < 0) throw hdf5_error(path_, "cannot be written");
    return status;
  }

  void attribute(hid_t owner, const char* name, const std::string& text) const {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose), type = text_type();
    const Handle attribute(check(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
    const char* value = text.c_str();
    check(H5Awrite(attribute, type, &value));
  }

  void select(hid_t space, hsize_t first, hsize_t count) const {
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr));
  }

  struct Spaces {
    Handle memory, file;
  };
  /// Makes every column longer; the spaces select the new rows.
  Spaces grow(hsize_t count) {
    const hsize_t first = rows_, unlimited = H5S_UNLIMITED;
    rows_ += count;
    for (const hid_t dataset : datasets_) check(H5Dset_extent(dataset, &rows_));
    Spaces spaces{{H5Screate_simple(1, &count, nullptr), H5Sclose},
                  {H5Screate_simple(1, &rows_, &unlimited), H5Sclose}};
    select(spaces.file, first, count);
    return spaces;
  }

  fs::path path_;
  Handle file_;
  std::vector<hid_t> datasets_;  // closed with the file
  hsize_t rows_ = 0;
};

/// Both names exist before and after, and at every moment between.
bool exchange_names(const fs::path& a, const fs::path& b) {
  if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
  const fs::path third = b.string() + "~";  // for file systems without the exchange, such as NFS
  unlink(third.c_str());
  if (link(a.c_str(), third.c_str()) != 0) return false;
  if (rename(b.c_str(), a.c_str()) == 0 && rename(third.c_str(), b.c_str()) == 0) return true;
  unlink(third.c_str());
  return false;
}

class Hdf5Writer final : public Writer {
 public:
  Hdf5Writer(const fs::path& path, const std::vector<Column>& columns)
      : path_(path),
        spare_(path.parent_path() / ("." + path.filename().string() + ".spare")),
        columns_(columns),
        chunk_rows_(std::clamp<std::size_t>(1'000'000 / std::max<std::size_t>(columns.size(), 1), 16, 1000)),
        buffer_(columns.size() * chunk_rows_) {
    assert(!columns.empty());
    const Quiet quiet;
    working_ = std::make_unique<ColumnFile>(path_, spare_, columns_, chunk_rows_);
    unlink(path_.c_str());  // results of an earlier run beside a new CSV would only mislead
  }
  /// After an exception elsewhere the rows so far are kept.
  ~Hdf5Writer() override {
    try {
      if (!failure_) close();
    } catch (...) {
    }
  }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void row(std::span<const double> values) override {
    assert(values.size() == columns_.size() && !closed_);
    if (failure_) throw *failure_;
    for (std::size_t j = 0; j < values.size(); ++j) buffer_[j * chunk_rows_ + buffered_] = values[j];
    if (++buffered_ == chunk_rows_) guarded([this] { append_buffer(); });
  }

  void flush() override {
    assert(!closed_);
    guarded([this] {
      append_buffer();
      if (in_place_) published_->flush();
      else if (!published_ || (working_ && working_->rows() > published_->rows())) publish();
    });
  }

  void close() override {
    if (closed_) return;
    guarded([this] {
      append_buffer();
      if (!in_place_ && (!published_ || (working_ && working_->rows() > published_->rows()))) {
        working_->close();
        take_name();
      } else {
        published_->close();
        unlink(spare_.c_str());
      }
      working_.reset();
      published_.reset();
      closed_ = true;
    });
  }

 private:
  void append_buffer() {
    if (buffered_ == 0) return;
    if (!in_place_) {
      if (!working_) working_ = std::make_unique<ColumnFile>(path_, spare_, columns_, chunk_rows_);
      if (published_ && working_->rows() < published_->rows()) working_->catch_up(*published_);
    }
    (in_place_ ? published_ : working_)->append(buffer_.data(), chunk_rows_, buffered_);
    buffered_ = 0;
  }

  void publish() {
    working_->flush();
    if (published_ && exchange_names(path_, spare_)) {
      std::swap(published_, working_);
      return;
    }
    take_name();
    in_place_ = published_ != nullptr;  // no exchange here (FAT): then a kill within a flush is a small risk
    published_ = std::move(working_);
  }

  void take_name() {
    if (rename(spare_.c_str(), path_.c_str()) != 0) throw system_error(path_, "cannot be written", errno);
  }

  /// After a fault the file of the last flush stays, and every further call says the same.
  template <class Action>
  void guarded(Action action) {
    if (failure_) throw *failure_;
    const Quiet quiet;
    try {
      action();
    } catch (const FileError& fault) {
      failure_ = fault;
      working_.reset();
      published_.reset();
      unlink(spare_.c_str());
      throw;
    }
  }

  fs::path path_, spare_;
  std::vector<Column> columns_;
  std::size_t chunk_rows_;
  std::vector<double> buffer_;             // column by column
  std::size_t buffered_ = 0;               // rows
  std::unique_ptr<ColumnFile> working_;    // behind spare_; may lack rows that published_ has
  std::unique_ptr<ColumnFile> published_;  // behind path_
  bool in_place_ = false, closed_ = false;
  std::optional<FileError> failure_;
};

std::string text_attribute(hid_t owner, const char* name) {
  const Handle attribute(H5Aopen(owner, name, H5P_DEFAULT), H5Aclose);
  if (attribute < 0) return "";
  const Handle stored(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tis_variable_str(stored) <= 0 || H5Sget_simple_extent_npoints(space) != 1) return "";
  const Handle type = text_type();
  char* value = nullptr;
  if (H5Aread(attribute, type, &value) < 0 || value == nullptr) return "";
  std::string text = value;
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, &value);
  return text;
}

Handle open_results(const fs::path& path) {
  const Handle access = file_access(0);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (file < 0) throw hdf5_error(path, "cannot be read");
  if (text_attribute(file, "format") != format_name)
    throw FileError(path.string(), "holds no results of a run", "");
  return file;
}

std::vector<Column> columns_of(const fs::path& path, hid_t file) {
  std::vector<std::string> names;
  const auto take_name = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->push_back(name);
    return 0;
  };
  if (H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, take_name, &names) < 0)
    throw hdf5_error(path, "cannot be read");
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name == "time"; });
  std::vector<Column> columns;
  for (const std::string& name : names) {
    const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (dataset < 0) throw hdf5_error(path, "cannot be read");
    columns.push_back({name, text_attribute(dataset, "unit"), text_attribute(dataset, "summary")});
  }
  return columns;
}

}  // namespace

std::unique_ptr<Writer> hdf5_writer(const fs::path& path, const std::vector<Column>& columns) {
  // Files are closed by their writers; HDF5 shall not close them when a function of a model calls exit (see external/guard).
  static const bool once = (H5dont_atexit(), true);
  (void)once;
  return std::make_unique<Hdf5Writer>(path, columns);
}

std::vector<Column> hdf5_columns(const fs::path& path) {
  const Quiet quiet;
  return columns_of(path, open_results(path));
}

Results read_hdf5(const fs::path& path) {
  const Quiet quiet;
  const Handle file = open_results(path);
  Results results{columns_of(path, file), {}};
  for (const Column& column : results.columns) {
    const Handle dataset(H5Dopen2(file, column.name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    results.data.emplace_back(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, results.data.back().data()) < 0)
      throw hdf5_error(path, "cannot be read");
  }
  return results;
}

}  // namespace escapement
