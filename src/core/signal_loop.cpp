#include "core/signal_loop.hpp"

#include <algorithm>

namespace escapement {
namespace {

/// The shortest circle through `start`, breadth first; `allowed` says which unknowns it may pass.
std::vector<int> circle(const std::vector<std::vector<int>>& depends, int start,
                        const std::vector<char>& allowed) {
  std::vector<int> from(depends.size(), -1), queue = {start};
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const int next : depends[queue[k]]) {
      if (next == start) {
        std::vector<int> loop = {queue[k]};
        while (loop.back() != start) loop.push_back(from[loop.back()]);
        std::reverse(loop.begin(), loop.end());
        return loop;
      }
      if (!allowed[next] || from[next] >= 0) continue;
      from[next] = queue[k];
      queue.push_back(next);
    }
  return {};
}

}  // namespace

std::vector<int> signal_loop(const System& system, std::span<const double> values,
                             const NewtonReport& report) {
  const Pattern& p = system.pattern();
  const Range signals = system.rows(Kind::algebraic);
  const auto is_signal = [&](int i) { return i >= signals.begin && i < signals.end; };
  std::vector<std::vector<int>> depends(p.n);
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (values[k] != 0 && p.row[k] != j) depends[p.row[k]].push_back(j);
  std::vector<char> only_signals(p.n), all(p.n, 1);
  for (int i = 0; i < p.n; ++i) only_signals[i] = is_signal(i);
  // What does not involve a signal is another fault, a constraint that says the same as another for instance.
  const auto& worst = report.worst;
  if (std::none_of(worst.begin(), worst.end(), [&](const auto& w) { return is_signal(w.row); })) return {};
  for (const auto* allowed : {&only_signals, &all})
    for (const auto& w : worst) {
      if (!(*allowed)[w.row]) continue;
      const auto loop = circle(depends, w.row, *allowed);
      if (std::any_of(loop.begin(), loop.end(), is_signal)) return loop;
      const int diagonal = p.find(w.row, w.row);
      if (is_signal(w.row) && (diagonal < 0 || values[diagonal] == 0)) return {w.row};  // y = y + 1
    }
  return {};
}

std::string loop_text(const System& system, std::span<const int> loop) {
  std::string text;
  for (const int i : loop) text += system.unknown_name(i) + " → ";
  return text + system.unknown_name(loop.front());
}

}  // namespace escapement
