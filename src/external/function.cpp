#include "external/function.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "external/guard.hpp"

namespace escapement::external {
namespace {

constexpr int most = 10000;                  // states, inputs, outputs: a larger number is a slip
constexpr double relative_increment = 6e-6;  // of central differences: the cube root of rounding
constexpr const char* part_names[] = {"f", "h", "f_x", "f_u", "h_x", "h_u"};

bool finite(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * 0.0;  // 0 for numbers, NaN for NaN and infinity
  return sum == 0.0;
}

/// Where an array of up to n doubles ends: the page behind it must not be touched, so that writing beyond the end is met
/// at once, within the guard.
std::shared_ptr<double> fence(std::size_t n) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = (n * sizeof(double) + page - 1) / page * page;
  void* const memory = mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  char* const end = static_cast<char*>(memory) + size;
  mprotect(end, page, PROT_NONE);
  return std::shared_ptr<double>(reinterpret_cast<double*>(end),
                                 [memory, size, page](double*) { munmap(memory, size + page); });
}

}  // namespace

const escapement_function& table_of(const Library& library, const std::string& name) {
  const void* const symbol = library.find(name.c_str());
  if (symbol == nullptr)
    throw LoadError{"E-LIBRARY", fmt::format("`{}` exports no `{}`", library.name, name),
                    fmt::format("const escapement_function {} = {{…}}; or its name under `function`", name)};
  const auto& table = *static_cast<const escapement_function*>(symbol);
  if (table.version != ESCAPEMENT_FUNCTION_VERSION)
    throw LoadError{"E-LIBRARY",
                    fmt::format("`{}` of `{}` is of version {}, needs {}", name, library.name, table.version,
                                ESCAPEMENT_FUNCTION_VERSION),
                    "a table that begins with .version = ESCAPEMENT_FUNCTION_VERSION, compiled with this "
                    "program's escapement/function.h"};
  if (table.parameters < 0 || table.parameters > most)
    throw LoadError{"E-LIBRARY",
                    fmt::format("`{}` of `{}` has {} parameters", name, library.name, table.parameters), ""};
  return table;
}

/// Some of the maps of a table, called one after the other under one guard.
struct Function::Call {
  struct One {
    Part part;
    escapement_map map;
    double* result;
    int size;
  };
  Call(const double* x, const double* u) : x(x), u(u) {}
  const double *x, *u;
  One ones[4];  // as many as count says
  int count = 0;
  volatile int at = 0;  // which is running: to be known after a jump
  int returned = 0;

  void add(Part part, escapement_map map, double* result, int size) {
    if (map != nullptr) ones[count++] = {part, map, result, size};
  }
};

Function::Function(std::shared_ptr<const Library> library, const escapement_function& table,
                   std::string block, std::vector<double> parameters, double time_limit)
    : library_(std::move(library)),
      table_(table),
      block_(std::move(block)),
      parameters_(std::move(parameters)),
      time_limit_(time_limit),
      states_(table.states),
      inputs_(table.inputs),
      outputs_(table.outputs) {
  arm_guard();
  if (table.sizes != nullptr) {
    int returned = 0;
    auto call = [&] { returned = table_.sizes(parameters_.data(), &states_, &inputs_, &outputs_); };
    if (library_->broken() || !guarded(call, time_limit_)) {
      library_->give_up();
      throw LoadError{"E-FUNCTION",
                      fmt::format("`sizes` of `{}` {}", library_->name, last_outcome().told(time_limit_)),
                      ""};
    }
    if (returned != 0)
      throw LoadError{"E-FUNCTION", fmt::format("`sizes` of `{}` returned {}", library_->name, returned),
                      "other parameters"};
  }
  const auto contradiction = [&](const std::string& what) {
    throw LoadError{"E-LIBRARY",
                    fmt::format("the table in `{}` contradicts itself: {}", library_->name, what),
                    "see escapement/function.h"};
  };
  for (const int n : {states_, inputs_, outputs_})
    if (n < 0 || n > most)
      contradiction(fmt::format("{} states, {} inputs, {} outputs", states_, inputs_, outputs_));
  if (outputs_ == 0) contradiction("it has no outputs");
  if (table_.h == nullptr) contradiction("it has outputs but no h");
  if (states_ > 0 && table_.f == nullptr) contradiction("it has states but no f");
  for (const double* sizes : {table_.state_magnitudes, table_.input_magnitudes})
    for (int i = 0; sizes != nullptr && i < (sizes == table_.state_magnitudes ? states_ : inputs_); ++i)
      if (!(sizes[i] > 0) || !std::isfinite(sizes[i]))
        contradiction(fmt::format("a magnitude is {:g}", sizes[i]));
  point_.resize(columns());
  plus_.resize(rows());
  minus_.resize(rows());
  given_.resize(static_cast<std::size_t>(rows()) * columns());
  fence_ = fence(std::max<std::size_t>(given_.size(), rows()));
}

// ------------------------------------------------------------------ calls

std::string Function::name_of(Part part, int index) const {
  const bool state = part == f_part;
  const char* const* names = state ? table_.state_names : table_.output_names;
  const std::string number = fmt::format("{}[{}]", state ? "dx" : "y", index);
  return names != nullptr ? fmt::format("{} ({}{})", number, state ? "rate of " : "", names[index]) : number;
}

void Function::fail(Part part, const std::string& cause, double t, const std::string& hint) const {
  throw ModelError("E-FUNCTION", block_ + "." + part_names[part],
                   fmt::format("{} of `{}` {} at t = {:g} s", part_names[part], library_->name, cause, t),
                   hint);
}

/// True if all of them returned 0. Throws when one crashes or hangs.
bool Function::run(Call& call, double t) const {
  if (library_->broken()) fail(call.ones[0].part, "is not called again after it failed", t, "");
  auto all = [&] {
    for (int i = 0; i < call.count && call.returned == 0; ++i) {
      call.at = i;
      const Call::One& one = call.ones[i];
      double* const result = fence_.get() - one.size;
      std::copy_n(one.result, one.size, result);
      call.returned = one.map(t, call.x, call.u, parameters_.data(), result);
      std::copy_n(result, one.size, one.result);
    }
  };
  if (!guarded(all, time_limit_)) [[unlikely]] {
    library_->give_up();
    fail(call.ones[call.at].part, last_outcome().told(time_limit_), t,
         last_outcome().fault == Fault::timeout
             ? "mend it, or allow more with time_limit"
             : "mend it; a debugger on a small test program finds the place");
  }
  return call.returned == 0;
}

/// "returned 3: too late".
std::string Function::told(const Call& call) const {
  std::string text = fmt::format("returned {}", call.returned);
  const char* meaning = nullptr;
  auto ask = [&] { meaning = table_.message(call.returned); };
  if (table_.message != nullptr && guarded(ask, time_limit_) && meaning != nullptr)
    text += ": " + std::string(meaning).substr(0, 300);
  return text;
}

void Function::evaluate(double t, const double* x, const double* u, double* dx, double* y) const {
  fault_.reset();
  if (!finite({x, static_cast<std::size_t>(states_)}) || !finite({u, static_cast<std::size_t>(inputs_)})) {
    // Not its fault, and not its business: there is no such point.
    std::fill_n(dx, states_, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(y, outputs_, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Call call(x, u);
  call.add(f_part, states_ > 0 ? table_.f : nullptr, dx, states_);
  call.add(h_part, table_.h, y, outputs_);
  if (!run(call, t)) {
    const Part part = call.ones[call.at].part;
    fault_.emplace(
        "E-FUNCTION", block_ + "." + part_names[part],
        fmt::format("{} of `{}` {} at t = {:g} s", part_names[part], library_->name, told(call), t), "");
    std::fill_n(dx, states_, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(y, outputs_, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (const Part part : {f_part, h_part}) {
    const std::span<const double> values(part == f_part ? dx : y, part == f_part ? states_ : outputs_);
    if (finite(values)) continue;
    const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    fault_.emplace(
        "E-FUNCTION", block_ + "." + part_names[part],
        fmt::format("{} of `{}` gave {} = {} at t = {:g} s", part_names[part], library_->name,
                    name_of(part, static_cast<int>(bad - values.begin())), *bad, t),
        "look for a division by zero or a root of a negative number; inputs may be zero at the start");
    return;
  }
}

// ------------------------------------------------------------------ derivatives

/// f and h at (x, u) = z, one behind the other; NaN where they have no value.
void Function::evaluate_raw(double t, const double* z, double* result) const {
  Call call(z, z + states_);
  call.add(f_part, states_ > 0 ? table_.f : nullptr, result, states_);
  call.add(h_part, table_.h, result + states_, outputs_);
  if (!run(call, t)) std::fill_n(result, rows(), std::numeric_limits<double>::quiet_NaN());
}

/// Relative to the larger of the argument and its usual magnitude.
double Function::increment(int column) const {
  const double* sizes = column < states_ ? table_.state_magnitudes : table_.input_magnitudes;
  const double usual = sizes != nullptr ? sizes[column < states_ ? column : column - states_] : 1.0;
  return relative_increment * std::max(std::abs(point_[column]), usual);
}

/// (F(z + increment e) − F(z)) / increment, where F(z) stands in minus_.
void Function::difference(double t, int column, double increment, std::span<double> result) const {
  const double kept = point_[column];
  point_[column] = kept + increment;
  const double moved = point_[column] - kept;  // what rounding leaves of it
  evaluate_raw(t, point_.data(), result.data());
  point_[column] = kept;
  for (int i = 0; i < rows(); ++i) result[i] = (result[i] - minus_[i]) / moved;
}

bool Function::given(int row, int column) const {
  const bool state = column < states_;
  return (row < states_ ? (state ? table_.f_x : table_.f_u) : (state ? table_.h_x : table_.h_u)) != nullptr;
}

void Function::jacobian(double t, const double* x, const double* u, std::span<double> matrix) const {
  std::copy_n(x, states_, point_.begin());
  std::copy_n(u, inputs_, point_.begin() + states_);
  if (!finite(point_)) {
    std::fill(matrix.begin(), matrix.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  // What is given, block behind block, and from there to its place.
  const int sizes[] = {states_ * states_, states_ * inputs_, outputs_ * states_, outputs_ * inputs_};
  const escapement_map maps[] = {table_.f_x, table_.f_u, table_.h_x, table_.h_u};
  Call call(x, u);
  for (int k = 0, at = 0; k < 4; at += sizes[k++])
    if (sizes[k] > 0) call.add(static_cast<Part>(f_x_part + k), maps[k], given_.data() + at, sizes[k]);
  if (call.count > 0 && !run(call, t)) fail(call.ones[call.at].part, told(call), t, "");
  bool differences = false;
  for (int k = 0, at = 0; k < 4; at += sizes[k++]) {
    differences = differences || (maps[k] == nullptr && sizes[k] > 0);
    if (maps[k] == nullptr) continue;
    const int row = k < 2 ? 0 : states_, column = k % 2 == 0 ? 0 : states_,
              width = k % 2 == 0 ? states_ : inputs_;
    for (int i = 0; i < sizes[k]; ++i) {
      if (!std::isfinite(given_[at + i]))
        fail(static_cast<Part>(f_x_part + k),
             fmt::format("gave {} in row {}, column {}", given_[at + i], i / width, i % width), t, "");
      matrix[(row + i / width) * columns() + column + i % width] = given_[at + i];
    }
  }
  if (!differences) return;
  for (int j = 0; j < columns(); ++j) {
    bool needed = false;
    for (const int i : {0, rows() - 1}) needed = needed || !given(i, j);
    if (!needed) continue;
    const double kept = point_[j], step = increment(j);
    point_[j] = kept + step;
    const double above = point_[j];
    evaluate_raw(t, point_.data(), plus_.data());
    point_[j] = kept - step;
    const double width = above - point_[j];
    evaluate_raw(t, point_.data(), minus_.data());
    point_[j] = kept;
    for (int i = 0; i < rows(); ++i) {
      if (given(i, j)) continue;
      const double slope = (plus_[i] - minus_[i]) / width;
      if (!std::isfinite(slope))
        fail(i < states_ ? f_part : h_part,
             fmt::format("gave {} = {} close to where the run is",
                         name_of(i < states_ ? f_part : h_part, i < states_ ? i : i - states_),
                         std::isfinite(plus_[i]) ? minus_[i] : plus_[i]),
             t, "derivatives are found by differences: it needs values on both sides, or give its Jacobian");
      matrix[i * columns() + j] = slope;
    }
  }
}

// ------------------------------------------------------------------ the check at the start

void Function::check(double t, const double* x, const double* u) const {
  std::copy_n(x, states_, point_.begin());
  std::copy_n(u, inputs_, point_.begin() + states_);
  if (!finite(point_)) return;
  std::vector<double> first(rows());
  evaluate_raw(t, point_.data(), first.data());
  if (!finite(first)) return;
  // Something else in between, and the same again: a function of its arguments cannot tell.
  for (int j = 0; j < columns(); ++j) point_[j] += 100 * increment(j);
  evaluate_raw(t, point_.data(), plus_.data());
  std::copy_n(x, states_, point_.begin());
  std::copy_n(u, inputs_, point_.begin() + states_);
  evaluate_raw(t, point_.data(), minus_.data());
  for (int i = 0; i < rows(); ++i)
    if (first[i] != minus_[i]) {
      const Part part = i < states_ ? f_part : h_part;
      fail(part,
           fmt::format("is not a function of its arguments: the same point gave {} = {:.17g}, then {:.17g}",
                       name_of(part, i < states_ ? i : i - states_), first[i], minus_[i]),
           t, "no static or global variables: what must be remembered is a state");
    }
  std::vector<double> matrix(given_.size());
  if (!table_.f_x && !table_.f_u && !table_.h_x && !table_.h_u) return;
  jacobian(t, x, u, matrix);
  std::copy(first.begin(), first.end(), minus_.begin());
  std::vector<double> right(rows()), left(rows()), nearer_right(rows()), nearer_left(rows());
  std::vector<double> size(rows());  // of the terms that make up a row
  for (int i = 0; i < rows(); ++i) {
    size[i] = std::abs(first[i]);
    for (int j = 0; j < columns(); ++j)
      size[i] += std::abs(matrix[i * columns() + j]) * increment(j) / relative_increment;
  }
  for (int j = 0; j < columns(); ++j) {
    difference(t, j, increment(j), right);
    difference(t, j, -increment(j), left);
    difference(t, j, 0.5 * increment(j), nearer_right);
    difference(t, j, -0.5 * increment(j), nearer_left);
    for (int i = 0; i < rows(); ++i) {
      if (!given(i, j) || !std::isfinite(right[i]) || !std::isfinite(left[i])) continue;
      const double told = matrix[i * columns() + j];
      // Between the two slopes (they differ at a kink), give or take a thousandth, rounding and what the slopes still
      // change when the increment is halved, thrice.
      const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * size[i] / increment(j);
      const double slack =
          1e-3 * std::max({std::abs(told), std::abs(right[i]), std::abs(left[i])}) + rounding;
      const double lowest = std::min(left[i] - 3 * std::abs(left[i] - nearer_left[i]),
                                     right[i] - 3 * std::abs(right[i] - nearer_right[i]));
      const double highest = std::max(left[i] + 3 * std::abs(left[i] - nearer_left[i]),
                                      right[i] + 3 * std::abs(right[i] - nearer_right[i]));
      if (!(told < lowest - slack || told > highest + slack)) continue;
      const int k = (i < states_ ? 0 : 2) + (j < states_ ? 0 : 1);
      const int row = i < states_ ? i : i - states_, column = j < states_ ? j : j - states_;
      fail(static_cast<Part>(f_x_part + k),
           fmt::format("gave {:.6g} in row {}, column {}, where differences give {:.6g}", told, row, column,
                       0.5 * (left[i] + right[i])),
           t, "mend it, or leave it out: derivatives are then found by differences");
    }
  }
}

}  // namespace escapement::external
