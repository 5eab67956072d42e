#include "model/expression.hpp"

#include <charconv>

namespace escapement {

std::string Expression::self_contained() const {
  std::string r = text_;
  for (auto use = constants_.rbegin(); use != constants_.rend(); ++use) {
    char number[40];
    *std::to_chars(number, number + sizeof number - 1, use->name.value).ptr =
        '\0';  // shortest that reads back
    const std::string unit = use->name.dimension.text();
    const std::string quantity = std::string(number) + (use->name.bare || unit == "1" ? "" : " " + unit);
    const bool alone = use->size == text_.size();
    r.replace(use->begin, use->size, alone ? quantity : "(" + quantity + ")");
  }
  return r;
}

std::vector<int> Expression::inputs() const {
  std::vector<int> list;
  for (const Step& s : tape_)
    if (s.op == Op::input) list.push_back(s.index);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

void Expression::find_taken(const std::vector<Step>& tape, std::span<const double> v, std::span<char> taken) {
  const std::size_t n = tape.size();
  std::fill_n(taken.begin(), n, 0);
  taken[n - 1] = 1;
  for (std::size_t i = n; i-- > 0;) {
    const Step& s = tape[i];
    if (!taken[i]) continue;
    const int leave_out = s.op != Op::choose ? -1 : v[s.operand[0]] != 0 ? 2 : 1;
    for (int k = 0; k < 3; ++k)
      if (s.operand[k] >= 0 && k != leave_out) taken[s.operand[k]] = 1;
  }
}

double Expression::result_of(const Step& s, const std::vector<double>& v, double side) {
  const auto operand = [&](int k) { return v[s.operand[s.operand[k] < 0 ? 0 : k]]; };
  return apply<double>(s.op, operand(0), operand(1), operand(2), side);
}

const Expression::Results& Expression::run(std::span<const double> inputs, const double* sides, int forced,
                                           double its_side) const {
  thread_local Results results;
  auto& [v, taken] = results;
  const std::size_t n = tape_.size();
  if (v.size() < n) v.resize(n), taken.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Step& s = tape_[i];
    if (s.op == Op::number) v[i] = s.number;
    else if (s.op == Op::input) v[i] = inputs[s.index];
    else v[i] = result_of(s, v, static_cast<int>(i) == forced ? its_side : side_of(s, sides));
  }
  find_taken(tape_, v, taken);
  return results;
}

void Expression::phases(std::span<const double> inputs, const double* sides,
                        std::vector<double>& angles) const {
  const auto periodic = [](const Step& s) {
    return s.varies && (s.op == Op::sin || s.op == Op::cos || s.op == Op::tan);
  };
  if (std::none_of(tape_.begin(), tape_.end(), periodic)) return;
  const std::vector<double>& v = run(inputs, sides).value;
  for (const Step& s : tape_)
    if (periodic(s)) angles.push_back(v[s.operand[0]]);
}

bool Expression::is_constant() const {
  for (const Step& s : tape_)
    if (s.op == Op::input) return false;
  return true;
}

}  // namespace escapement
