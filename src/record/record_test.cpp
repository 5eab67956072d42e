// Writers and readers of results against each other, against full disks and against kills.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "record/file_error.hpp"
#include "record/results.hpp"
#include "record/writer.hpp"

using namespace escapement;
namespace fs = std::filesystem;

namespace {

/// A folder that vanishes with the test.
struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "escapement-record-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Folder() { fs::remove_all(path); }
  fs::path operator/(const std::string& name) const { return path / name; }
  fs::path path;
};

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

const std::vector<Column> three{{"time", "s"}, {"mass.position", "m"}, {"mass.speed", "m/s"}};

/// The action in a process of its own, whose files may not exceed `bytes`; 0: it returned true.
template <class Action>
int exit_status_with_file_limit(rlim_t bytes, Action action) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(action() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

bool h5py_available() {
  static const bool found = std::system("/usr/bin/python3 -c 'import h5py' >/dev/null 2>&1") == 0;
  return found;
}

bool python(const Folder& folder, const std::string& script) {
  put(folder / "check.py", script);
  return std::system(("/usr/bin/python3 " + (folder / "check.py").string()).c_str()) == 0;
}

std::string fault_of(const fs::path& path) {
  try {
    read_results(path);
  } catch (const FileError& fault) {
    return fault.cause;
  }
  return "none";
}

}  // namespace

TEST_CASE("CSV: header quoted only where RFC 4180 asks for it, 17 significant digits, line feeds") {
  const Folder folder;
  const auto writer =
      csv_writer(folder / "results.csv", {{"time", "s"}, {"a.b", "m"}, {"c,d", "1"}, {"e\"f", "1"}});
  const double row[] = {0.1, -1.0 / 3.0, 1e300, 2};
  writer->row(row);
  CHECK(content(folder / "results.csv") == "time,a.b,\"c,d\",\"e\"\"f\"\n");  // the header does not wait
  writer->flush();
  CHECK(content(folder / "results.csv") ==
        "time,a.b,\"c,d\",\"e\"\"f\"\n0.10000000000000001,-0.33333333333333331,1.0000000000000001e+300,2\n");
  writer->close();
  writer->close();
  const Results results = read_results(folder.path);
  REQUIRE(results.columns.size() == 4);
  CHECK(results.columns[2].name == "c,d");
  CHECK(results.find("e\"f") == 3);
  CHECK(results.find("nothing") == -1);
}

TEST_CASE("CSV: every double comes back as it was, over many buffers") {
  const Folder folder;
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 20000; ++i) {
    std::vector<double> row(3);
    for (double& value : row) do
        value = std::bit_cast<double>(random());
      while (std::isnan(value));
    rows.push_back(row);
  }
  rows.push_back({std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), -0.0});
  rows.push_back(
      {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), std::nan("")});
  {
    const auto writer = csv_writer(folder / "results.csv", three);
    for (const auto& row : rows) writer->row(row);
  }  // destroyed without close: the rows are kept
  const Results results = read_results(folder / "results.csv");
  REQUIRE(results.rows() == rows.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i)
    for (std::size_t j = 0; j < 3; ++j)
      different +=
          std::bit_cast<std::uint64_t>(results.data[j][i]) != std::bit_cast<std::uint64_t>(rows[i][j]);
  CHECK(different == 0);
  CHECK(std::isnan(results.data[2].back()));
}

TEST_CASE("CSV: a full disk is named in the system's words, and said again") {
  const auto write_until_refused = [] {
    const auto writer = csv_writer("/dev/full", three);
    writer->flush();
  };
  try {
    write_until_refused();
    FAIL("nothing thrown");
  } catch (const FileError& fault) {
    CHECK(fault.path == "/dev/full");
    CHECK(fault.cause == "cannot be written: No space left on device");
    CHECK(fault.hint.find("--out") != std::string::npos);
    CHECK(std::string(fault.what()).starts_with("E-FILE /dev/full  cannot be written"));
  }
  CHECK_THROWS_AS(csv_writer("/nowhere/at/all.csv", three), FileError);
}

TEST_CASE("CSV: a row that did not fit is taken back") {
  const Folder folder;
  const int status = exit_status_with_file_limit(100'000, [&] {
    const auto writer = csv_writer(folder / "results.csv", three);
    const double row[] = {1.0 / 3.0, 2.0 / 3.0, 1e-7 / 3.0};
    try {
      for (int i = 0; i < 10000; ++i) writer->row(row);
      writer->flush();
    } catch (const FileError& fault) {
      try {
        writer->row(row);
      } catch (const FileError& again) {
        return again.cause == fault.cause && fault.cause == "cannot be written: File too large";
      }
    }
    return false;
  });
  CHECK(status == 0);
  const std::string text = content(folder / "results.csv");
  CHECK(text.size() <= 100'000);
  CHECK(text.size() > 99'900);
  CHECK(text.back() == '\n');
  CHECK(read_results(folder.path).rows() > 1000);
}

TEST_CASE("reading: a last line without its end is dropped, other faults are placed") {
  const Folder folder;
  const fs::path path = folder / "results.csv";
  put(path, "time,a\n0,1\n1,2\n2,3.");
  CHECK(read_results(folder.path).data[1] == std::vector<double>{1, 2});
  put(path, "time,a\r\n0,1\r\n1,2\r\n");
  CHECK(read_results(folder.path).data[1] == std::vector<double>{1, 2});
  put(path, "time,a\n");
  CHECK(read_results(folder.path).rows() == 0);
  put(path, "time,a\n0,1e-400\n");
  CHECK(read_results(folder.path).data[1] == std::vector<double>{0});

  put(path, "");
  CHECK(fault_of(path) == "line 1: no complete header row");
  put(path, "time,a");
  CHECK(fault_of(path) == "line 1: no complete header row");
  put(path, "a,b\n");
  CHECK(fault_of(path) == "line 1: the first column is `a`, needs `time`");
  put(path, "time,a\n0,1\n1,x\n");
  CHECK(fault_of(path) == "line 3: column 2 `a`: got `x`, needs a number");
  put(path, "time,a\n0,1\n1\n");
  CHECK(fault_of(path) == "line 3: got 1 numbers, needs 2");
  put(path, "time,a\n0,1,2\n");
  CHECK(fault_of(path) == "line 2: got 3 numbers, needs 2");
  put(path, "time,a\n0,1 2\n");
  CHECK(fault_of(path) == "line 2: column 2 `a`: unexpected ` ` after the number");
  put(path, "time,a\n0,1\n\n1,2\n");
  CHECK(fault_of(path) == "line 3: column 1 `time`: got ``, needs a number");
  fs::remove(path);
  CHECK(fault_of(path) == "cannot be read: No such file or directory");
}

TEST_CASE("HDF5: columns, units and rows as written, whether flushed or not") {
  const Folder folder;
  for (const int flush_every : {0, 1, 7, 1000, 1024}) {
    CAPTURE(flush_every);
    const auto writer = hdf5_writer(folder / "results.h5", three);
    const int rows = flush_every == 1 ? 50 : 2503;
    for (int i = 0; i < rows; ++i) {
      const double row[] = {1e-3 * i, std::sin(1e-2 * i), -1.0 * i};
      writer->row(row);
      if (flush_every > 0 && i % flush_every == 0) {
        writer->flush();
        if (i % 500 == 0) CHECK(read_hdf5(folder / "results.h5").rows() == std::size_t(i + 1));
      }
    }
    CHECK(fs::exists(folder / "results.h5") == (flush_every > 0));
    writer->close();
    const Results results = read_hdf5(folder / "results.h5");
    REQUIRE(results.columns.size() == 3);
    for (int j = 0; j < 3; ++j) {
      CHECK(results.columns[j].name == three[j].name);
      CHECK(results.columns[j].unit == three[j].unit);
      REQUIRE(results.data[j].size() == std::size_t(rows));
    }
    int different = 0;
    for (int i = 0; i < rows; ++i)
      different += results.data[0][i] != 1e-3 * i || results.data[1][i] != std::sin(1e-2 * i) ||
                   results.data[2][i] != -1.0 * i;
    CHECK(different == 0);
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);  // no spare is left
  }
  if (h5py_available())
    CHECK(python(folder, "import h5py\nf = h5py.File('" + (folder / "results.h5").string() + "')\n" +
                             "assert f.attrs['format'] == 'escapement results 1'\n"
                             "assert f['mass.speed'].attrs['unit'] == 'm/s'\n"
                             "assert f['mass.speed'].shape == (2503,) and f['mass.speed'][-1] == -2502\n"));
}

TEST_CASE("HDF5: many columns") {
  const Folder folder;
  std::vector<Column> columns{{"time", "s"}};
  for (int j = 1; j < 300; ++j) columns.push_back({"body" + std::to_string(j) + ".x", j % 2 ? "m" : "µm"});
  const auto writer = hdf5_writer(folder / "results.h5", columns);
  std::vector<double> row(columns.size());
  for (int i = 0; i < 1500; ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = i + 1e4 * j;
    writer->row(row);
    if (i == 700) writer->flush();
  }
  writer->close();
  const Results results = read_hdf5(folder / "results.h5");
  const int place = results.find("body298.x");
  REQUIRE(place > 0);
  CHECK(results.columns[place].unit == "µm");
  REQUIRE(results.data[place].size() == 1500);
  CHECK(results.data[place][1499] == 1499 + 298e4);
}

TEST_CASE("HDF5: faults are exceptions with the system's words; the rows of the last flush stay") {
  const Folder folder;
  try {
    hdf5_writer("/nowhere/results.h5", three);
    FAIL("nothing thrown");
  } catch (const FileError& fault) {
    CHECK(fault.path == "/nowhere/results.h5");
    CHECK(fault.cause == "cannot be created: No such file or directory");
  }
  const int status = exit_status_with_file_limit(400'000, [&] {
    const auto writer = hdf5_writer(folder / "results.h5", three);
    try {
      for (int i = 0; i < 1'000'000; ++i) {
        const double row[] = {1.0 * i, 2.0 * i, 3.0 * i};
        writer->row(row);
        if (i % 3000 == 2999) writer->flush();
      }
    } catch (const FileError& fault) {
      return fault.cause == "cannot be written: File too large";
    }
    return false;
  });
  CHECK(status == 0);
  const Results results = read_hdf5(folder / "results.h5");
  CHECK(results.rows() >= 9000);
  CHECK(results.rows() % 3000 == 0);
  CHECK(results.data[2].back() == 3.0 * (results.rows() - 1));
}

TEST_CASE("HDF5: a file opens after a kill at any moment, with exactly the rows of a flush") {
  const Folder folder;
  std::mt19937 random(7);
  int opened = 0;
  for (int trial = 0; trial < 25; ++trial) {
    const fs::path path = folder / ("run" + std::to_string(trial) + ".h5");
    const pid_t child = fork();
    if (child == 0) {
      const auto writer = hdf5_writer(path, three);
      for (int i = 0;; ++i) {
        const double row[] = {1.0 * i, 2.0 * i, 3.0 * i};
        writer->row(row);
        if (i % 10 == 9) writer->flush();
      }
    }
    usleep(std::uniform_int_distribution<int>(5'000, 60'000)(random));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    if (!fs::exists(path)) continue;  // killed before the first flush
    const Results results = read_hdf5(path);
    ++opened;
    CHECK(results.rows() % 10 == 0);
    for (int j = 0; j < 3; ++j) {
      REQUIRE(results.data[j].size() == results.rows());
      bool same = true;
      for (std::size_t i = 0; i < results.rows(); ++i) same &= results.data[j][i] == (j + 1.0) * i;
      CHECK(same);
    }
  }
  CHECK(opened >= 1);
  if (h5py_available())
    CHECK(python(folder, "import glob, h5py\nfor p in glob.glob('" + (folder / "*.h5").string() +
                             "'):\n  f = h5py.File(p)\n  assert len({f[c].shape for c in f}) == 1\n"));
}

#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory for a while
TEST_CASE("HDF5: memory does not grow with the rows") {
  const auto resident = [] {  // kB
    long total = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> total >> pages;
    return pages * sysconf(_SC_PAGESIZE) / 1024;
  };
  const Folder folder;
  const auto writer = hdf5_writer(folder / "results.h5", three);
  const auto write = [&](int rows) {
    const double row[] = {1, 2, 3};
    for (int i = 0; i < rows; ++i) {
      writer->row(row);
      if (i % 50'000 == 0) writer->flush();
    }
  };
  write(100'000);
  const long before = resident();
  write(600'000);  // 14 MB of numbers, written twice
  CHECK(resident() - before < 10'000);
}
#endif

TEST_CASE("results.csv takes its units from results.h5, and a line cut by a kill is left out") {
  const Folder folder;
  const auto csv = csv_writer(folder / "results.csv", three);
  const auto hdf5 = hdf5_writer(folder / "results.h5", three);
  for (int i = 0; i < 3333; ++i) {
    const double row[] = {1e-3 * i, std::cos(1.0 * i), 1.0 / (1 + i)};
    csv->row(row);
    if (i < 100) hdf5->row(row);
  }
  csv->close();
  hdf5->close();
  std::ofstream(folder / "results.csv", std::ios::app) << "3.333,0.";  // as a kill leaves it
  CHECK(read_results(folder.path).columns[2].unit == "m/s");
  CHECK(read_results(folder.path).rows() == 3333);
  put(folder / "results.h5", "not HDF5");
  CHECK(read_results(folder.path).columns[1].unit.empty());
  CHECK_THROWS_AS(read_hdf5(folder / "results.h5"), FileError);
}
