#include "core/newton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/signal_loop.hpp"

namespace escapement {

static constexpr double few_roundings = 16 * 2.2e-16;

Newton::Newton(const System& system, int extra, NewtonOptions options)
    : Newton(system.pattern(), extra, options, system.elimination_order()) {
  options_.undamped_at_last = options_.undamped_at_last || system.has_networks();
}

Newton::Newton(const Pattern& pattern, int extra, NewtonOptions options, std::span<const int> order)
    : options_(options), n_(pattern.n), solver_(make_solver(pattern.n)) {
  solver_->analyze(pattern, order);
  values_.assign(pattern.nonzeros(), 0.0);
  residual_.assign(n_, 0.0);
  increment_.assign(n_ + extra, 0.0);
  previous_.assign(n_ + extra, 0.0);
  moved_.assign(n_ + extra, 0.0);
  for (auto* x : {&floor_, &size_, &rows_}) x->assign(n_, 0.0);
  norms_.reserve(8 * options.max_iterations + 16);
}

Factorization Newton::factor() {
  auto result = solver_->factor(values_);
  factored_ = result.ok;
  slowest_ = 0;
  floors_good_for_ = 0;
  return result;
}

/// 0 · x is 0 for numbers, NaN for NaN and infinity.
static bool all_finite(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x * 0.0;
  return sum == 0.0;
}

bool Newton::finite() const { return all_finite(residual_); }

bool Newton::renew(NewtonProblem& problem, NewtonReport& report) {
  problem.tangent(residual_, values_);
  if (finite() && all_finite(values_)) return refactor(problem, report);
  fail(problem, report, NewtonStatus::not_finite);
  return false;
}

bool Newton::refactor(NewtonProblem& problem, NewtonReport& report) {
  const Factorization f = factor();
  ++report.factorizations;
  if (f.ok) return true;
  fail(problem, report, NewtonStatus::singular);
  report.worst.clear();
  for (int i : f.singular_rows) report.worst.push_back({i, residual_[i], 0.0});
  if (report.worst.empty())
    for (int i : f.singular_columns) report.worst.push_back({i, residual_[i], 0.0});
  return false;
}

/// What rounding can move each unknown by: what the caller knows of, `least` of the unknown itself, and A⁻¹ of a few ε
/// times the terms of the rows, for some choices of signs (T-newton-3).
void Newton::estimate_floors(NewtonProblem& problem, double least) {
  constexpr unsigned signs[] = {0x00000000u, 0x5a3c96e1u, 0x2d9f4b17u, 0x71e8c53au};
  const Pattern& p = solver_->pattern();
  std::fill(size_.begin(), size_.end(), 0.0);
  std::fill(floor_.begin(), floor_.end(), 0.0);
  problem.magnitudes(size_, floor_);
  std::fill(rows_.begin(), rows_.end(), 0.0);
  for (int j = 0; j < n_; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
      double rounding = few_roundings * size_[j];
      if (std::isinf(floor_[p.row[k]]) && std::isfinite(floor_[j])) rounding += floor_[j];  // of q, v in Φ, k
      rows_[p.row[k]] += std::abs(values_[k]) * rounding;
    }
  problem.add_rounding(rows_);
  for (int i = 0; i < n_; ++i) floor_[i] += least * size_[i];
  for (const unsigned pattern : signs) {
    for (int i = 0; i < n_; ++i) size_[i] = (pattern >> (i % 32) & 1u) ? -rows_[i] : rows_[i];
    solver_->solve({size_.data(), static_cast<std::size_t>(n_)});
    for (int i = 0; i < n_; ++i) floor_[i] = std::max(floor_[i], 4 * std::abs(size_[i]));
  }
}

void Newton::rounding(NewtonProblem& problem, std::span<double> floors) {
  estimate_floors(problem, 0);
  std::copy(floor_.begin(), floor_.end(), floors.begin());
  floors_good_for_ = 0;
}

/// Is every increment within what rounding can cause, or within the tolerance? (An unknown that tends to zero has hardly any
/// rounding of its own: it gets there by the second.)
bool Newton::below_floor(NewtonProblem& problem) {
  if (floors_good_for_ <= 0) {  // magnitudes change little in a few solves
    estimate_floors(problem, 1e-12);
    floors_good_for_ = 16;
  }
  const auto w = problem.weights();
  for (int i = 0; i < n_; ++i)
    if (const double size = std::abs(increment_[i]);
        !(size <= floor_[i] || w[i] * size <= options_.tolerance))
      return false;
  return true;
}

/// How far something small is off, by its own measure: 0 unless that is too much, and more than the rounding of its row.
double Newton::coarseness(NewtonProblem& problem) {
  const auto most = problem.most_left_over();
  const auto is_large = [&](int i) { return std::abs(increment_[i]) > most[i]; };
  if (most.empty()) return 0;
  int first = 0;
  while (first < n_ && !is_large(first)) ++first;
  if (first == n_) return 0;
  std::fill(size_.begin(), size_.end(), 0.0);
  problem.rounded_sizes(size_);
  std::fill(rows_.begin(), rows_.end(), 0.0);
  const Pattern& p = solver_->pattern();
  for (int j = 0; j < n_; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k)
      rows_[p.row[k]] += std::abs(values_[k]) * few_roundings * size_[j];
  double worst = 0;
  constexpr double share = 1e-6;  // of what it is now: what has been seen of it may be nothing yet
  for (int i = first; i < n_; ++i) {
    if (!is_large(i) || std::abs(increment_[i]) <= share * size_[i]) continue;
    const int k = p.find(i, i);
    if (k >= 0 && std::abs(values_[k] * increment_[i]) > rows_[i])
      worst = std::max(worst, std::abs(increment_[i]) / most[i]);
  }
  return worst;
}

double Newton::weighted(NewtonProblem& problem) const {
  const auto w = problem.weights();
  double norm = 0;
  for (std::size_t i = 0; i < increment_.size(); ++i) {
    const double e = w[i] * std::abs(increment_[i]);
    if (!(e <= norm)) norm = e;  // a NaN is never small
  }
  return norm / options_.tolerance;
}

void Newton::fail(NewtonProblem& problem, NewtonReport& report, NewtonStatus status) const {
  report.status = status;
  report.increments = norms_;
  const auto w = problem.weights();
  std::vector<NewtonReport::Worst> all;
  for (int i = 0; i < n_; ++i) all.push_back({i, residual_[i], w[i] * increment_[i]});
  std::vector<char> steep(n_, 0);  // rows whose derivative is not finite
  if (status == NewtonStatus::not_finite)
    for (int k = 0; k < solver_->pattern().nonzeros(); ++k)
      if (!std::isfinite(values_[k])) steep[solver_->pattern().row[k]] = 1;
  const auto badness = [&](const NewtonReport::Worst& x) {
    if (status == NewtonStatus::not_finite) return std::isfinite(x.residual) && !steep[x.row] ? 0.0 : 1.0;
    return std::isfinite(x.increment) ? std::abs(x.increment) : INFINITY;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return badness(a) > badness(b); });
  all.resize(std::min<std::size_t>(all.size(), 5));
  if (status == NewtonStatus::not_finite)
    std::erase_if(all, [&](const auto& x) { return std::isfinite(x.residual) && !steep[x.row]; });
  report.worst = std::move(all);
}

/// The increment for the present residual and matrix; returns its weighted norm.
double Newton::next_increment(NewtonProblem& problem) {
  for (int i = 0; i < n_; ++i) increment_[i] = -residual_[i];
  solver_->solve({increment_.data(), static_cast<std::size_t>(n_)});
  problem.complete(*solver_, residual_, increment_);
  return weighted(problem);
}

/// Has the row of the unknown that moves most much the same derivatives as at the last increment? Then it is no curvature
/// that spoilt the increment, but a jump on the way, which no shorter step can avoid. Leaves rows and matrix of this point.
bool Newton::jumped(NewtonProblem& problem) {
  const auto w = problem.weights();
  int row = 0;
  for (int i = 0; i < n_; ++i)
    if (w[i] * std::abs(increment_[i]) > w[row] * std::abs(increment_[row])) row = i;
  const std::vector<double> before = values_;
  problem.tangent(residual_, values_);
  const Pattern& p = solver_->pattern();
  double size = 0, change = 0;
  for (int k = 0; k < p.nonzeros(); ++k) {
    if (p.row[k] != row) continue;
    size = std::max(size, std::abs(before[k]));
    change = std::max(change, std::abs(values_[k] - before[k]));
  }
  return finite() && change <= 0.01 * size;
}

/// Does the present increment lead back along the last one? Then a solution lies between the two points.
bool Newton::turned_back(NewtonProblem& problem) const {
  const auto w = problem.weights();
  double along = 0, now = 0, before = 0;
  for (std::size_t i = 0; i < increment_.size(); ++i) {
    const double a = w[i] * increment_[i], b = w[i] * previous_[i];
    along += a * b, now += a * a, before += b * b;
  }
  return along < -0.8 * std::sqrt(now * before);
}

/// Back by as much as makes both increments meet: one step of the secant (T-newton-5). Newton alone goes back and forth for ever
/// about a root with a steep slope, a signed square root for instance. False if that does not halve the increment: a step that is
/// damped starts where the last increment did.
bool Newton::secant_step(NewtonProblem& problem, double rate, NewtonReport& report) {
  const double scale = 1 / (1 + rate);
  const auto go = [&](double part) {
    move(problem, increment_, part);
    for (std::size_t i = 0; i < previous_.size(); ++i) previous_[i] += part * increment_[i];
    problem.residual(residual_);
  };
  go(scale);
  if (!finite()) {
    go(-scale);
    return false;
  }
  if (!(next_increment(problem) <= 0.5 * report.increment)) return false;
  ++report.iterations;
  return true;
}

/// Last resort: back to where the last increment started, a new matrix there, and a shorter step that brings the next
/// increment down (natural monotonicity test). Leaves a new matrix at the point reached.
bool Newton::damped_step(NewtonProblem& problem, NewtonReport& report) {
  move(problem, previous_, -1.0);
  if (!renew(problem, report)) return false;
  const double norm = next_increment(problem);
  norms_.push_back(norm);
  std::swap(previous_, increment_);
  for (double scale = 0.5; scale > 1e-7 && std::isfinite(norm); scale *= 0.5) {
    move(problem, previous_, scale);
    problem.residual(residual_);
    if (finite() && next_increment(problem) <= (1 - 0.5 * scale) * norm) {
      problem.tangent(residual_, values_);
      if (finite() && all_finite(values_)) {  // else: on the very point where a root has no slope
        ++report.iterations;
        return refactor(problem, report);
      }
    }
    move(problem, previous_, -scale);
  }
  problem.residual(residual_);
  std::swap(previous_, increment_);
  fail(problem, report, finite() ? NewtonStatus::no_convergence : NewtonStatus::not_finite);
  return false;
}

void Newton::move(NewtonProblem& problem, std::span<const double> increment, double scale) {
  problem.move(increment, scale);
  for (std::size_t i = 0; i < moved_.size(); ++i) moved_[i] += scale * increment[i];
}

/// Shorter steps help with all that is continuous. Where they do not, a comparison may have changed sides on the way: then
/// once more from the beginning, across jumps; and along exponentials, where increments stay the same for long before they
/// shrink, without any shortening (T-newton-5).
NewtonReport Newton::solve(NewtonProblem& problem) {
  std::fill(moved_.begin(), moved_.end(), 0.0);
  NewtonReport report = attempt(problem, Damping::always);
  for (const Damping damping : {Damping::except_at_jumps, Damping::never}) {
    if (report.status != NewtonStatus::no_convergence) return report;
    if (damping == Damping::never && !options_.undamped_at_last) return report;
    problem.move(moved_, -1.0);
    std::fill(moved_.begin(), moved_.end(), 0.0);
    factored_ = false;
    NewtonReport again = attempt(problem, damping);
    again.iterations += report.iterations;
    again.factorizations += report.factorizations;
    if (again.ok()) return again;
    report.iterations = again.iterations;
    report.factorizations = again.factorizations;
  }
  return report;
}

/// How an attempt goes, and what its last increment was like.
struct Newton::Course {
  Damping damping;
  NewtonReport report = {};
  bool began_old = false;       // with the matrix of an earlier solve
  int age = 0;                  // iterations since the matrix was evaluated; 0: at this very point
  double previous = 0;          // weighted norm of the increment before, 0: none to compare with …
  bool previous_fresh = false;  // … and whether its matrix was evaluated at its own point
  double best = INFINITY;       // the smallest norm so far
  double coarse = INFINITY;     // what is small, the last time it was looked at
  int bold = 3;                 // increments that may still grow, once shorter ones have failed

  double norm = 0, rate = 0;  // of the increment; over the norm of the one before, 0: none
  bool broken = false;        // there is no increment: rows are not finite
  bool small = false;         // within the tolerance, by a matrix that says so
  bool at_floor = false;      // it may be rounding

  static constexpr int old_matrix = 1000;  // age of one from an earlier solve
  bool undamped() const { return damping == Damping::never; }
  bool contracts() const { return !(previous > 0) || rate < 0.9; }
};

NewtonReport Newton::attempt(NewtonProblem& problem, Damping damping) {
  Course course{.damping = damping};
  NewtonReport& report = course.report;
  if (!begin(problem, course)) return report;
  while (true) {
    if (report.iterations == 0 && !finite()) {
      fail(problem, report, NewtonStatus::not_finite);
      return report;
    }
    look_at_increment(problem, course);
    if (static_cast<int>(norms_.size()) > (course.undamped() ? 5 : 1) * options_.max_iterations) {
      fail(problem, report, NewtonStatus::no_convergence);
      return report;
    }
    if (course.broken || !(course.contracts() || course.small || course.at_floor)) {
      if (!mend(problem, course)) return report;
      continue;
    }
    move(problem, increment_, 1.0);
    ++report.iterations;
    const bool converged = has_converged(course), refine = converged && can_be_refined(problem, course);
    if (converged && !refine) {
      judge_old_matrix(course);
      return report;
    }
    if (!go_on(problem, course, refine)) return report;
  }
}

/// Rows at the beginning, and a matrix, of an earlier solve if it will do. False: it has failed.
bool Newton::begin(NewtonProblem& problem, Course& course) {
  norms_.clear();
  --floors_good_for_;
  if (fresh_solves_ > 0 || !options_.keep_matrix) {
    fresh_solves_ = std::max(0, fresh_solves_ - 1);
    factored_ = false;
  }
  course.began_old = factored_;
  if (!factored_) return renew(problem, course.report);
  problem.residual(residual_);
  course.age = Course::old_matrix;
  return true;
}

void Newton::look_at_increment(NewtonProblem& problem, Course& c) {
  c.broken = !finite();
  c.norm = c.broken ? INFINITY : next_increment(problem);
  norms_.push_back(c.norm);
  c.report.increment = c.norm;
  // A new matrix after increments with an old one starts a new sequence.
  if (c.age == 0 && !c.previous_fresh && !c.broken && !(c.norm < 0.9 * c.previous)) c.previous = 0;
  c.rate = c.previous > 0 ? c.norm / c.previous : 0;
  if (c.previous > 0) {
    c.report.contraction = c.rate;
    slowest_ = std::max(c.rate, 0.5 * slowest_);
  }
  // Below what rounding can cause, no longer falling by 30 % is convergence (T-newton-3), with an old
  // matrix if it has contracted before.
  // Without shortening, wild increments prove nothing: neither how they shrink, nor what rounding would do to them.
  const bool wild = c.undamped() && c.norm * options_.tolerance > 1e-3;
  c.at_floor = !c.broken && !wild && c.norm > 0.7 * c.best &&
               (c.age < Course::old_matrix || c.best < 0.1 * norms_.front()) && below_floor(problem);
  c.best = std::min(c.best, c.norm);
  // A small increment counts if its matrix is of this solve, or has shown to contract.
  c.small = c.norm <= 1.0 && (c.age < Course::old_matrix || c.norm == 0 || (c.previous > 0 && c.rate < 0.9));
}

/// Increments do not shrink: a new matrix, if that may be why, or another way on. False: it has failed.
bool Newton::mend(NewtonProblem& problem, Course& c) {
  const bool across = c.damping == Damping::except_at_jumps;
  const auto take_it = [&] {
    move(problem, increment_, 1.0);
    ++c.report.iterations;
    std::swap(previous_, increment_);
    return renew(problem, c.report);
  };
  bool ok = true;
  solver_->distrust();
  if (!c.broken && c.age > 1) {  // perhaps only because the matrix is old
    ok = renew(problem, c.report);
  } else if (!c.broken && c.rate < 2 && turned_back(problem) && secant_step(problem, c.rate, c.report)) {
    problem.tangent(residual_, values_);  // where the slope is infinite the old matrix has to do
    if (finite() && all_finite(values_)) ok = refactor(problem, c.report);
  } else if (c.undamped() && !c.broken) {
    ok = take_it();
  } else if (across && !c.broken && jumped(problem)) {
    ok = refactor(problem, c.report);
  } else if (across && !c.broken && c.bold > 0 && c.rate < 10) {
    --c.bold;  // across a kink increments may grow once: unknowns that follow have other sizes
    ok = take_it();
  } else {
    ok = damped_step(problem, c.report);
  }
  c.age = 0;
  c.previous = 0;
  return ok;
}

/// Converged when what the contraction leaves over is below the tolerance (T-newton-2).
bool Newton::has_converged(const Course& c) const {
  return c.small || c.at_floor ||
         (c.previous > 0 && !c.undamped() && c.rate < 0.9 && c.norm * slowest_ <= 1.0 - slowest_);
}

/// Is something small still off by its own measure, and does it help to go on?
bool Newton::can_be_refined(NewtonProblem& problem, Course& c) {
  if (c.at_floor) return false;
  const double off = coarseness(problem);
  const bool helps = off > 0 && off < 0.3 * c.coarse;
  c.coarse = off;
  return helps;
}

/// An old matrix that did not pay off is not tried again for a while, longer each time (T-newton-4).
void Newton::judge_old_matrix(const Course& c) {
  if (!c.began_old) return;
  if (c.report.factorizations > 0 || c.report.iterations > options_.patience) {
    fresh_solves_ = back_off_;
    back_off_ = std::min(2 * back_off_, 64);
  } else {
    back_off_ = 1;
  }
}

/// To the next increment. A new matrix costs about as much as a few iterations: it is due when as many more would be needed at
/// this rate, unless it is rounding that they struggle with. False: it has failed.
bool Newton::go_on(NewtonProblem& problem, Course& c, bool refine) {
  constexpr int few = 5;
  const bool cached = floors_good_for_ > 0;
  const bool slow = refine || c.undamped() ||
                    (c.previous > 0 && (c.rate > options_.slow || c.norm * std::pow(c.rate, few) > 1.0) &&
                     !below_floor(problem));
  if (!cached) floors_good_for_ = 0;  // estimated on the way: magnitudes may be far off
  std::swap(previous_, increment_);
  c.previous = c.norm;
  c.previous_fresh = c.age == 0;
  ++c.age;
  if (!slow) {
    problem.residual(residual_);
    return true;
  }
  if (c.previous_fresh) solver_->distrust();
  problem.tangent(residual_, values_);
  if (!finite() || !all_finite(values_)) return true;
  if (!refactor(problem, c.report)) return false;
  c.age = 0;
  return true;
}

std::string describe(const NewtonReport& report, const System& system) {
  std::string text;
  switch (report.status) {
    case NewtonStatus::converged:
      return fmt::format("converged in {} iterations", report.iterations);
    case NewtonStatus::no_convergence:
      text = fmt::format("no convergence in {} iterations; worst rows:", report.iterations);
      break;
    case NewtonStatus::singular:
      text = "the equations are singular; rows that depend on each other:";
      break;
    case NewtonStatus::not_finite:
      text = "a row, or its derivative, is not a finite number:";
      break;
  }
  for (const auto& w : report.worst)
    text += fmt::format(
        "\n    row {} residual {:.3g}{}{}", system.row_name(w.row), w.residual,
        system.row_unit(w.row).empty() || system.row_unit(w.row) == "1" ? "" : " " + system.row_unit(w.row),
        w.increment != 0 && report.status == NewtonStatus::no_convergence
            ? fmt::format(", unknown still moves by {:.2g} of its nominal magnitude", w.increment)
            : "");
  if (!report.loop.empty()) text += "\n    they lie on a loop of signals: " + loop_text(system, report.loop);
  if (!report.increments.empty()) {
    text += "\n    increments / tolerance:";
    const std::size_t n = report.increments.size(), shown = std::min<std::size_t>(n, 12);
    if (n > shown) text += " …";
    for (std::size_t i = n - shown; i < n; ++i) text += fmt::format(" {:.1e}", report.increments[i]);
  }
  return text;
}

}  // namespace escapement
