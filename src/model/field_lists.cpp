// Values that are lists of numbers: vectors, matrices and tables, in the text or in CSV files beside the model.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/file.hpp"
#include "model/fields.hpp"

namespace escapement {
namespace {

std::vector<double> csv_numbers(const std::string& line, const std::filesystem::path& file, int number,
                                const Mark& mark, const std::string& where) {
  std::vector<double> values;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    if (at < end && *at == '+') ++at;
    double v = 0;
    const auto [next, wrong] = std::from_chars(at, end, v);
    at = next;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
    if (wrong != std::errc() || (at < end && *at != ',' && *at != ';') || !std::isfinite(v))
      throw fault("E-TABLE", mark, where,
                  fmt::format("{}:{}: not a row of numbers: `{}`", file.filename().string(), number,
                              line.substr(0, 40)),
                  "columns are separated by commas; a first line that is no numbers is taken as a heading");
    values.push_back(v);
    if (at >= end) return values;
    ++at;
  }
}

}  // namespace

std::vector<double> FieldReader::vector(const Parameter& p, const Node& value,
                                        const std::string& where) const {
  std::vector<double> r;
  if (is_csv(value))
    for (const auto& row : csv_rows(value, where)) r.insert(r.end(), row.begin(), row.end());
  for (double v : r) check_range(p, v, value, p.unit, false, where);
  const ParameterValue* const named = value.is_scalar() ? space_.parameter(value.text) : nullptr;
  if (!r.empty()) {  // from a file
  } else if (named && named->vector) {
    const auto zero = [](double v) { return v == 0; };
    const bool zeros = std::all_of(named->values.begin(), named->values.end(), zero);
    if (p.unit != "any" && !(named->bare && (space_.bare_numbers_are_si || p.bare_allowed || zeros)) &&
        !compatible(named->dimension, parse_unit(p.unit).dimension))
      throw fault("E-UNITS", value.mark, where,
                  fmt::format("`{}` is in {}, needs {}", value.text, named->dimension.text(), p.unit));
    r = named->values;
    for (double v : r) check_range(p, v, value, p.unit, false, where);
  } else if (value.is_sequence()) {
    for (const Node& item : value.items) r.push_back(number(p, item, p.unit, where));
  } else if (p.size == 0 && value.is_scalar()) {  // a vector of one
    r.push_back(number(p, value, p.unit, where));
  } else {
    throw fault("E-TYPE", value.mark, where, "expected a list [ … ], found " + value.described());
  }
  if (p.size > 0 && static_cast<int>(r.size()) != p.size)
    throw fault("E-TYPE", value.mark, where, fmt::format("expected {} numbers, found {}", p.size, r.size()));
  if (r.empty()) throw fault("E-TYPE", value.mark, where, "the list is empty");
  return r;
}

MatrixValue FieldReader::matrix(const Parameter& p, const Node& value, const std::string& where) const {
  MatrixValue m;
  if (is_csv(value)) {
    const auto rows = csv_rows(value, where);
    m.rows = static_cast<int>(rows.size());
    m.columns = static_cast<int>(rows[0].size());
    for (const auto& row : rows) m.entries.insert(m.entries.end(), row.begin(), row.end());
    return m;
  }
  if (value.is_scalar()) {  // a 1×1 matrix
    m.rows = m.columns = 1;
    m.entries = {number(p, value, p.unit, where)};
    return m;
  }
  if (!value.is_sequence())
    throw fault("E-TYPE", value.mark, where, "expected rows [[…], […]], found " + value.described());
  for (const Node& row : value.items) {
    if (!row.is_sequence())
      throw fault("E-TYPE", row.mark, where, "expected a row [ … ], found " + row.described(),
                  "a matrix is a list of rows: [[1, 0], [0, 1]]");
    if (m.rows > 0 && static_cast<int>(row.items.size()) != m.columns)
      throw fault("E-TYPE", row.mark, where,
                  fmt::format("rows of different length: {} and {}", m.columns, row.items.size()));
    m.columns = static_cast<int>(row.items.size());
    ++m.rows;
    for (const Node& item : row.items) m.entries.push_back(number(p, item, p.unit, where));
  }
  if (m.entries.empty()) throw fault("E-TYPE", value.mark, where, "the matrix is empty");
  return m;
}

std::vector<std::vector<double>> FieldReader::csv_rows(const Node& value, const std::string& where) const {
  Node name = value;
  name.text = substituted(value, where);
  const auto path = contained_path(space_, name, allow_outside_, where);
  std::string bytes;
  const std::error_code unreadable = read_file(path, bytes, YamlLimits{}.bytes);
  if (unreadable == std::errc::file_too_large)
    throw fault("E-LIMIT", value.mark, where,
                fmt::format("`{}` has {} bytes", name.text, std::filesystem::file_size(path)));
  if (unreadable)
    throw fault("E-FILE", value.mark, where,
                fmt::format("cannot read `{}`: {}", name.text,
                            unreadable == not_a_regular_file ? "not a regular file" : unreadable.message()),
                "numbers in [ … ], or a CSV file beside the model");
  std::istringstream file(bytes);
  std::string line;
  std::vector<std::vector<double>> rows;
  for (int number = 1; std::getline(file, line); ++number) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    if (rows.empty() && std::string("0123456789+-.").find(line[first]) == std::string::npos)
      continue;  // a heading
    rows.push_back(csv_numbers(line, path, number, value.mark, where));
    if (rows.back().size() != rows.front().size())
      throw fault("E-TABLE", value.mark, where,
                  fmt::format("{}:{}: {} columns instead of {}", path.filename().string(), number,
                              rows.back().size(), rows.front().size()));
  }
  if (rows.empty())
    throw fault("E-TABLE", value.mark, where, fmt::format("`{}` holds no numbers", name.text));
  return rows;
}

bool FieldReader::is_csv(const Node& value) const {
  if (!value.is_scalar()) return false;
  if (value.text.ends_with(".csv")) return true;
  if (value.text.size() < 3 || value.text.front() != '(' || value.text.back() != ')') return false;
  const ParameterValue* const named = space_.parameter(value.text.substr(1, value.text.size() - 2));
  return named && named->text.ends_with(".csv");
}

std::vector<std::pair<double, double>> FieldReader::points(const Parameter& p, const Node& value,
                                                           const std::string& where) const {
  std::vector<std::pair<double, double>> points;
  if (value.is_sequence()) {
    for (const Node& row : value.items) {
      if (!row.is_sequence() || row.items.size() != 2)
        throw fault("E-TABLE", row.mark, where, "expected a point [x, y], found " + row.described());
      points.emplace_back(number(p, row.items[0], p.unit, where),
                          number(p, row.items[1], p.second_unit, where));
    }
    return points;
  }
  if (!value.is_scalar())
    throw fault("E-TABLE", value.mark, where,
                "expected points [[x, y], …] or the name of a CSV file, found " + value.described());
  for (const auto& row : csv_rows(value, where)) {
    if (row.size() != 2)
      throw fault("E-TABLE", value.mark, where,
                  fmt::format("`{}`: expected two columns, found {}", value.text, row.size()));
    points.emplace_back(row[0], row[1]);
  }
  return points;
}

std::shared_ptr<const Table> FieldReader::table(const Parameter& p, const Node& value,
                                                const std::string& where) const {
  std::vector<double> x, y;
  for (const auto& [a, b] : points(p, value, where)) {
    if (!x.empty() && !(a > x.back()))
      throw fault("E-TABLE", value.is_sequence() ? value.items[x.size()].mark : value.mark, where,
                  fmt::format("the first column must increase: {:g} follows {:g}", a, x.back()));
    x.push_back(a);
    y.push_back(b);
  }
  if (x.size() < 2) throw fault("E-TABLE", value.mark, where, "a table needs at least two points");
  return std::make_shared<const Table>(std::move(x), std::move(y), Table::Interpolation::linear);
}

}  // namespace escapement
