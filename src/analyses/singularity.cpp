#include "analyses/singularity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/start.hpp"

namespace escapement {
namespace {

constexpr int spare = 3;            // directions followed beyond the redundant ones
constexpr int most_redundant = 12;  // with more, the watch would cost more than the steps
constexpr int interval = 4;         // steps between looks

/// Indices of the parts that matter, the largest first.
std::vector<int> largest_parts(std::span<const double> x, int first, int most) {
  std::vector<int> rows;
  double top = 0;
  for (double v : x) top = std::max(top, std::abs(v));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::abs(x[i]) > 0.1 * top) rows.push_back(first + static_cast<int>(i));
  std::stable_sort(rows.begin(), rows.end(),
                   [&](int a, int b) { return std::abs(x[a - first]) > std::abs(x[b - first]); });
  if (static_cast<int>(rows.size()) > most) rows.resize(most);
  return rows;
}

/// Do these multiples of the constraints' gradients cancel? Forces that grow, at a stop for instance, make a direction soft
/// too, but leave the gradients as they are (T-singular-3).
bool cancel(const System& system, std::span<const double> matrix, std::span<const double> multiples) {
  const Pattern& p = system.pattern();
  const int first = system.rows(Kind::holonomic).begin, positions = system.rows(Kind::position).end;
  std::vector<double> sum(positions, 0.0);
  double apart = 0, together = 0;
  for (std::size_t k = 0; k < multiples.size(); ++k) {
    const int column = first + static_cast<int>(k);
    for (int i = p.column_begin[column]; i < p.column_begin[column + 1] && p.row[i] < positions; ++i) {
      const double part = matrix[i] * multiples[k] * system.nominal()[p.row[i]];
      sum[p.row[i]] += part;
      apart += part * part;
    }
  }
  for (const double x : sum) together += x * x;
  return together < 0.05 * apart;
}

int watched(int redundant) { return redundant <= most_redundant ? redundant + spare : 0; }

}  // namespace

std::string describe(const SingularPosition& position, const System& system) {
  std::string rows, motion;
  for (int r : position.rows) rows += (rows.empty() ? "" : ", ") + system.row_name(r);
  for (int r : position.motion) motion += (motion.empty() ? "" : ", ") + system.motion_name(r);
  return fmt::format(
      "singular position at t = {:.4g} s: there constraints depend on each other and the motion may branch. "
      "The "
      "constraints: {}. What comes free: {}",
      position.time, rows, motion);
}

SingularityWatch::SingularityWatch(const System& system, int redundant)
    : system_(system),
      redundant_(redundant),
      soft_(system.size(), system.rows(Kind::holonomic).begin, watched(redundant)),
      past_(soft_.count()),
      next_(soft_.count()) {}

std::optional<SingularPosition> SingularityWatch::look(Newton& newton, const State& state) {
  if (soft_.count() <= redundant_ || ++steps_ % interval != 0 || !newton.factored()) return {};
  if (scale_.empty()) {
    scale_ = proximal_diagonal(system_, 1.0, newton.matrix());
    for (int i = 0; i < 5; ++i) soft_.iterate(newton.solver(), scale_);
  }
  soft_.iterate(newton.solver(), scale_);
  std::optional<SingularPosition> found;
  for (int v = 0; v < soft_.count(); ++v) {
    const SoftDirections::Pair& pair = soft_.pairs()[v];
    Past& now = next_[v] = pair.before >= 0 ? past_[pair.before] : Past{};
    const double t = state.t, mu = pair.eigenvalue;
    // Near a singular position μ = m² + s (t − t*)²: it is one if m is less than the way of half an interval.
    if (v >= redundant_ && now.seen >= 2 && now.value[1] < now.value[0] && now.value[1] < mu && !found) {
      const double a = now.time[0] - now.time[1], b = t - now.time[1];
      const double fa = now.value[0] - now.value[1], fb = mu - now.value[1];
      const double curvature = (fb / b - fa / a) / (b - a), slope = fb / b - curvature * b;
      const double lowest = now.value[1] - slope * slope / (4 * curvature);
      const double way = 0.25 * (b - a);
      if (curvature > 0 && lowest < curvature * way * way && cancel(system_, newton.matrix(), pair.lower)) {
        std::vector<double> moves(system_.rows(Kind::position).end);
        for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = pair.upper[i] / system_.nominal()[i];
        found = SingularPosition{now.time[1] - slope / (2 * curvature),
                                 largest_parts(pair.lower, system_.rows(Kind::holonomic).begin, 8),
                                 largest_parts(moves, 0, 6)};
      }
    }
    now.time[0] = now.time[1];
    now.value[0] = now.value[1];
    now.time[1] = t;
    now.value[1] = mu;
    ++now.seen;
  }
  past_.swap(next_);
  return found;
}

}  // namespace escapement
