#include "analyses/singularity_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/row_owner.hpp"

namespace escapement {
namespace {

constexpr int spare = 3;            // directions followed beyond the redundant ones
constexpr int most_redundant = 12;  // with more, the watch would cost more than the steps
constexpr int interval = 4;         // steps between looks …
constexpr double least =
    1e-7;  // of an eigenvalue, where constraints that always depend on each other have none
constexpr double quick = 0.3;  // … unless an eigenvalue has changed by so much of itself since the last one

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

int watched(int redundant) { return redundant <= most_redundant ? redundant + spare : 0; }

/// "singular position at t = 1.2 s: …"
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

}  // namespace

SingularityWatch::SingularityWatch(const System& system, int redundant, RunLog& log)
    : system_(system),
      log_(log),
      redundant_(redundant),
      least_(redundant > 0 ? least : 0.0),
      soft_(system.size(), system.rows(Kind::holonomic).begin,
            system.rows(Kind::holonomic).size() > redundant ? watched(redundant) : 0),
      past_(soft_.count()),
      next_(soft_.count()) {
  if (soft_.count() > redundant_) gradients_.emplace(system, 0, NewtonOptions{});
}

/// N: nominal magnitudes of positions; frames turn by so little that the points at which constraints hold them move by no more than
/// that, or long arms alone would make constraints look alike (T-singular-5).
void SingularityWatch::measure(std::span<const double> values) {
  const Pattern& p = system_.pattern();
  const Range constraints = system_.rows(Kind::holonomic);
  magnitude_.assign(system_.nominal().begin(), system_.nominal().begin() + system_.rows(Kind::position).end);
  std::vector<double> shift(system_.size());
  for (const LieVariable& v : system_.lie_variables()) {
    if (v.dofs() != 6) continue;
    const int first = v.place.row;
    const auto each = [&](int column, const auto& f) {
      for (int k = p.column_begin[column]; k < p.column_begin[column + 1]; ++k)
        if (p.row[k] >= constraints.begin && p.row[k] < constraints.end) f(p.row[k], values[k] * values[k]);
    };
    double shifts = 0, turns = 0;  // of the rows that shifts of the frame change
    for (int j = first; j < first + 3; ++j)
      each(j, [&](int i, double square) { shift[i] += square, shifts += square; });
    for (int j = first + 3; j < first + 6; ++j)
      each(j, [&](int i, double square) { turns += shift[i] > 0 ? square : 0.0; });
    for (int j = first; j < first + 3; ++j) each(j, [&](int i, double) { shift[i] = 0; });
    if (!(shifts > 0)) continue;
    const double arm = std::sqrt(turns / shifts) / magnitude_[first];
    for (int j = first + 3; j < first + 6; ++j) magnitude_[j] /= std::hypot(1.0, arm * magnitude_[j]);
  }
}

/// [N⁻², Φ_qᵀ; Φ_q, −ε]; what belongs to neither stands alone (T-singular-4).
bool SingularityWatch::factor(const State& state) {
  const Pattern& p = system_.pattern();
  const int positions = system_.rows(Kind::position).end;
  const Range constraints = system_.rows(Kind::holonomic);
  std::span<double> values = gradients_->matrix();
  row_.resize(system_.size());
  system_.tangent(state, Shift::stiffness(), {}, row_, values);
  measure(values);
  scale_.assign(system_.size(), 0.0);
  const auto is_constraint = [&](int i) { return i >= constraints.begin && i < constraints.end; };
  for (int j = 0; j < p.n; ++j)
    for (int k = p.column_begin[j]; k < p.column_begin[j + 1]; ++k) {
      const int i = p.row[k];
      if (is_constraint(i) && j < positions)
        scale_[i] += values[k] * values[k] * magnitude_[j] * magnitude_[j];
      else if (!(is_constraint(j) && i < positions)) values[k] = 0;
    }
  for (int j = 0; j < p.n; ++j) {
    double& diagonal = values[p.find(j, j)];
    if (j < positions) diagonal = 1 / (magnitude_[j] * magnitude_[j]);
    else if (is_constraint(j)) diagonal = -least_ * scale_[j];
    else diagonal = j < constraints.begin ? 1 : -1, scale_[j] = 1;
  }
  return gradients_->factor().ok;
}

void SingularityWatch::look(const State& state) {
  if (const auto passed = just_passed(state)) tell(*passed);
}

void SingularityWatch::tell(const SingularPosition& position) {
  constexpr int most = 10;
  if (++told_ <= most)
    log_.warn({"W-SINGULAR", describe(position, system_), "",
               position.rows.empty() ? "" : owner_of_unknown(system_.unknown_name(position.rows[0])),
               position.time});
  if (told_ == most)
    log_.warn({"W-SINGULAR", "further singular positions are among the events of summary.json only"});
  log_.event(position.time, "singular position");
}

std::optional<SingularPosition> SingularityWatch::just_passed(const State& state) {
  if (!gradients_ || ++steps_ < next_look_) return {};
  const bool first = scale_.empty();
  next_look_ = steps_ + interval;
  if (!factor(state)) return {};
  for (int i = 0; i < (first ? 6 : 2); ++i) soft_.iterate(gradients_->solver(), scale_);
  std::optional<SingularPosition> found;
  for (int v = 0; v < soft_.count(); ++v) {
    const SoftDirections::Pair& pair = soft_.pairs()[v];
    Past& now = next_[v] = pair.before >= 0 ? past_[pair.before] : Past{};
    const double t = state.t, mu = pair.eigenvalue - least_;
    if (v >= redundant_ && now.seen > 0 && std::abs(mu - now.value[1]) > quick * mu) next_look_ = steps_ + 1;
    if (v >= redundant_ && now.seen >= 2 && now.value[1] < now.value[0] && now.value[1] < mu && !found)
      found = passed(now, t, mu, pair);
    now.time[0] = now.time[1];
    now.value[0] = now.value[1];
    now.time[1] = t;
    now.value[1] = mu;
    ++now.seen;
  }
  past_.swap(next_);
  return found;
}

/// Near a singular position μ = m² + s (t − t*)²: it is one if m is less than the way of half an interval (T-singular-2).
std::optional<SingularPosition> SingularityWatch::passed(const Past& past, double t, double mu,
                                                         const SoftDirections::Pair& pair) const {
  const double a = past.time[0] - past.time[1], b = t - past.time[1];
  const double fa = past.value[0] - past.value[1], fb = mu - past.value[1];
  const double curvature = (fb / b - fa / a) / (b - a), slope = fb / b - curvature * b;
  const double lowest = past.value[1] - slope * slope / (4 * curvature);
  const double way = 0.25 * (b - a);
  if (!(curvature > 0 && lowest < curvature * way * way)) return {};
  std::vector<double> moves(system_.rows(Kind::position).end);
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = pair.upper[i] / magnitude_[i];
  return SingularPosition{past.time[1] - slope / (2 * curvature),
                          largest_parts(pair.lower, system_.rows(Kind::holonomic).begin, 8),
                          largest_parts(moves, 0, 6)};
}

}  // namespace escapement
