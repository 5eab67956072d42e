#include "core/state_rows.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

bool StateRows::mix() {
  const bool any = has(StateRow::dynamic);
  std::replace(kinds.begin(), kinds.end(), StateRow::dynamic, StateRow::mixed);
  has_mixed = has_mixed || any;
  return any;
}

bool StateRows::has(StateRow kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

StateRows examine_state_rows(const System& system, const State& state, Newton& newton) {
  StateRows result;
  StateRowExamination(system).look(state, newton.solver(), result);
  newton.invalidate();
  return result;
}

void StateRowExamination::look(const State& state, LinearSolver& solver, StateRows& result) {
  const System& system = system_;
  const Range rows = system.rows(Kind::state);
  auto& kinds = result.kinds;
  kinds.assign(rows.size(), StateRow::algebraic);
  result.usual.assign(rows.size(), 0.0);
  result.fastest = INFINITY;
  result.has_driven = result.has_mixed = false;
  if (rows.size() == 0) return;
  const auto shift = [](double store, double flow) {
    return Shift{.acceleration = 1, .store = store, .flow = flow, .constraint_accelerations = true};
  };
  const Pattern& p = system.pattern();
  r_.resize(system.size());
  for (auto* x : {&E_, &A_, &aside_E_, &Q_, &aside_Q_}) x->resize(p.nonzeros());
  system.tangent(state, shift(1, 0), {}, r_, E_);
  system.tangent(state, shift(0, 1), {}, r_, A_);
  aside_ = state;
  move_aside(system, aside_);
  system.tangent(aside_, shift(1, 0), {}, r_, aside_E_);
  // … and along positions and velocities.
  const Shift along{.position = 0.6, .velocity = 0.8, .store = 1, .flow = 0};
  system.tangent(state, along, {}, r_, Q_);
  system.tangent(aside_, along, {}, r_, aside_Q_);
  const auto inside = [&](int i) { return i >= rows.begin && i < rows.end; };
  for (int j = rows.begin; j < rows.end; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
      const int i = p.row[k];
      if (inside(i)) result.usual[i - rows.begin] += 1e-3 * std::abs(E_[k]) * system.nominal()[j];
      if (!inside(i) || (E_[k] == 0 && !(std::abs(aside_E_[k]) > 0))) continue;
      kinds[i - rows.begin] = StateRow::dynamic;
      if (A_[k] != 0 && E_[k] != 0) result.fastest = std::min(result.fastest, std::abs(E_[k] / A_[k]));
    }
  for (int j = 0; j < system.rows(Kind::position).end; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
      const int i = p.row[k];
      const bool moves = Q_[k] != 0 || std::abs(aside_Q_[k]) > 0;
      if (!inside(i) || !moves || kinds[i - rows.begin] != StateRow::algebraic) continue;
      kinds[i - rows.begin] = StateRow::driven;
      result.has_driven = true;
    }
  // Do the stores determine the states? Factor their tangent with unit rows for everybody else.
  const auto stored = [&](int i) { return inside(i) && kinds[i - rows.begin] == StateRow::dynamic; };
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      if (!stored(j) || !stored(p.row[k])) E_[k] = p.row[k] == j ? 1.0 : 0.0;
  if (factored_ != E_) {  // of linear stores it is the same every time
    factored_ = E_;
    determines_ = solver.factor(factored_).ok;
  }
  if (!determines_) result.mix();
}

void move_aside(const System& system, State& state) {
  const auto nominal = system.nominal();
  const auto at = system.value_of_row();
  for (int i = 0; i < system.size(); ++i)
    if (at[i] >= 0) state.value[at[i]] += 0.37 * nominal[i];
  for (int i = 0; i < system.rows(Kind::position).end; ++i) state.rate[i] += 0.43 * nominal[i];
}

std::vector<int> impulsive_unknowns(const System& system, const State& state, const StateRows& rows) {
  const Range states = system.rows(Kind::state), signals = system.rows(Kind::algebraic);
  const Pattern& p = system.pattern();
  std::vector<double> r(system.size()), E(p.nonzeros()), A(p.nonzeros());
  system.tangent(state, {.store = 1, .flow = 0}, {}, r, E);
  system.tangent(state, {.store = 0, .flow = 1}, {}, r, A);
  const auto algebraic = [&](int row) {
    if (row >= signals.begin && row < signals.end) return true;
    if (row < states.begin || row >= states.end) return false;
    const StateRow kind = rows.kinds[row - states.begin];
    return kind == StateRow::algebraic || kind == StateRow::driven;
  };
  std::vector<int> columns;
  for (int j = states.begin; j < signals.end; ++j) {
    bool stored = false;
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      stored = stored || (p.row[k] >= states.begin && p.row[k] < states.end && E[k] != 0);
    if (!stored) columns.push_back(j);
  }
  // Each is matched with an algebraic row, along augmenting paths; what is then reached from those left over is not determined.
  std::vector<int> column_of(system.size(), -1), from(system.size(), -1), seen(system.size(), -1), queue;
  std::vector<int> free;
  const auto search = [&](int start, int mark, bool augment) {
    queue.assign(1, start);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const int j = queue[head];
      for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
        int row = p.row[k];
        if (A[k] == 0 || !algebraic(row) || seen[row] == mark) continue;
        seen[row] = mark;
        from[row] = j;
        if (column_of[row] >= 0) {
          queue.push_back(column_of[row]);
          continue;
        }
        if (!augment) continue;
        for (int column = from[row];; column = from[row]) {
          int before = -1;  // the row this column had
          for (int l = p.column_begin[column]; l < p.column_begin[column + 1]; ++l)
            if (column_of[p.row[l]] == column && p.row[l] != row) before = p.row[l];
          column_of[row] = column;
          if (before < 0) return true;
          row = before;
        }
      }
    }
    return false;
  };
  for (const int j : columns)
    if (!search(j, j, true)) free.push_back(j);
  std::vector<char> reached(system.size(), 0);
  for (const int j : free) {
    search(j, system.size() + j, false);
    for (const int column : queue) reached[column] = 1;
  }
  std::vector<int> result;
  for (const int j : columns)
    if (reached[j]) result.push_back(j);
  return result;
}

}  // namespace escapement
