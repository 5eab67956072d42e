#include "analyses/error_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/sizes.hpp"
#include "model/row_owner.hpp"

namespace escapement {
namespace {

/// What the error of a step does as the step gets shorter shows what is in its way (T-step-5).
std::string why_not_smaller(double falls) {
  if (!(falls == falls)) return "nothing shorter was tried";
  if (falls < 0.5) return "shorter steps do not lessen it: it is rounding";
  if (falls < 1.5) return "it falls with the step only: something jumps there without an event";
  if (falls < 2.5)
    return "it falls with the square of the step: something has a corner there without an event";
  return "it falls as it does where all is smooth: something there is that fast";
}

}  // namespace

ErrorControl::ErrorControl(const System& system, const Stepper& stepper, const SimulateOptions& options,
                           RunLog& log)
    : system_(system),
      stepper_(stepper),
      options_(options),
      log_(log),
      control_(control(options.h_max)),
      limited_(2 * static_cast<std::size_t>(system.size()), 0) {}

StepControl ErrorControl::control(double first) const {
  return {first, options_.h_min, options_.h_max, options_.scales.horizon, tolerance()};
}
double ErrorControl::tolerance() const { return std::min(1.0, tightest(options_.scales)); }

void ErrorControl::begin(const State& state) { control_ = control(first_step(state)); }

/// So small that the error of a step of this kind is well within the tolerance, if the motion goes on as it begins.
double ErrorControl::first_step(const State& state) const {
  if (options_.first > 0) return options_.first;
  double h = options_.h_max;
  const auto at = system_.value_of_row();
  const double part =
      std::sqrt(std::max(options_.scales.positions.absolute, options_.scales.states.absolute));
  const auto usual = [&](int row, double now) {  // what is not there yet may become as large as usual
    const double least = small_size(system_, row, 0.0), nominal = system_.nominal()[row];
    return options_.scales.learn && now > least ? small_size(system_, row, now) : nominal;
  };
  const auto within = [&](double size, double rate) {
    if (rate != 0) h = std::min(h, part * size / std::abs(rate));
  };
  for (int i = 0; i < system_.rows(Kind::position).end; ++i) {
    const double speed = std::abs(state.rate[i]), value = at[i] >= 0 ? std::abs(state.value[at[i]]) : 1.0;
    within(usual(i, speed) + speed, state.acceleration[i]);
    within(usual(i, value) + value, state.rate[i]);
    if (state.acceleration[i] != 0)
      h = std::min(h, std::sqrt(part * (usual(i, value) + value) / std::abs(state.acceleration[i])));
  }
  const Range states = system_.rows(Kind::state);
  for (int i = states.begin; i < states.end; ++i)
    within(usual(i, std::abs(state.value[at[i]])) + std::abs(state.value[at[i]]), state.rate[i]);
  return std::max(h, 10 * options_.h_min);
}

bool ErrorControl::acceptable(const State& state, double h, const LocalError& error) {
  using Verdict = StepControl::Verdict;
  Verdict verdict = control_.judge(h, error.size);
  if (verdict == Verdict::reject && !options_.h_min_given && h <= 10 * options_.h_min &&
      std::isfinite(error.size))
    verdict = Verdict::tolerate;
  passes_ = verdict == Verdict::pass || verdict == Verdict::tolerate;
  if (verdict == Verdict::tolerate && (excess_.steps++ == 0 || error.size > excess_.error))
    excess_ = {excess_.steps, state.t, h, error.size, control_.falls(), error.row, error.rate};
  return verdict != Verdict::reject;
}

void ErrorControl::taken(double h, const LocalError& error, bool whole) {
  control_.taken(h, error.size, whole);
  if (error.row >= 0) ++limited_[error.rate ? system_.size() + error.row : error.row];
  stall_.row = error.row;
  noise_ += error.noise * error.noise;
}

bool ErrorControl::rejected(double h, const LocalError& error) {
  control_.rejected(h, error.size);
  return !control_.too_small();
}

bool ErrorControl::failed(double h) {
  control_.failed(h);
  return !control_.too_small();
}

std::optional<Hopeless> ErrorControl::look_at_progress(const State& state, double h) {
  constexpr long many = 100000;
  if (h > options_.h_min) {
    stall_.steps = 0;
    return {};
  }
  if (stall_.steps++ == 0) stall_.first = h;
  if (stall_.steps < many) return {};
  stall_.steps = 0;
  if (!(h < 0.99 * stall_.first)) return {};
  const int row = stall_.row;
  return Hopeless{
      "E-DIVERGED",
      fmt::format("time barely advances: {} steps in a row shorter than {:.2g} s, the last ones of {:.2g} s "
                  "and still shrinking, because of {}{}",
                  many, options_.h_min, h, row >= 0 ? system_.unknown_name(row) : "the error",
                  row >= 0 && row < system_.size()
                      ? fmt::format(" (it has come to {:.3g})", size_now(state, row))
                      : ""),
      "a solution that becomes infinite here? Look at what grows, or end the run before", row};
}
double ErrorControl::size_now(const State& state, int row) const {
  const int at = system_.value_of_row()[row];
  return at >= 0 ? std::abs(state.value[at]) : std::abs(state.rate[row]);
}

RunFailure ErrorControl::failure(const State& state, double h, const LocalError& error) const {
  const std::string unknown = error.row >= 0 ? system_.unknown_name(error.row) : "";
  return {"E-TOLERANCE",
          fmt::format("t={:g} s h={:g} s", state.t, h),
          owner_of_unknown(unknown),
          error.row >= 0 ? system_.row_name(error.row) : "",
          state.t,
          fmt::format("the error of {}{} is {:.3g} times the tolerance even at the smallest step, {:g} s",
                      unknown, error.rate ? " (its velocity)" : "", error.size, options_.h_min),
          "a larger tolerance, or a smaller h_min; " + why_not_smaller(control_.falls())};
}

void ErrorControl::tell() {
  tell_limits();
  warn_of_excess();
  warn_of_rounding();
  warn_of_uncontrolled();
}

/// Which unknowns decided how long steps were.
void ErrorControl::tell_limits() const {
  for (int i = 0; i < static_cast<int>(limited_.size()); ++i)
    if (limited_[i] > 0)
      log_.statistics()
          .limited_by[i < system_.size() ? system_.unknown_name(i)
                                         : system_.unknown_name(i - system_.size()) + " (velocity)"] =
          limited_[i];
}

void ErrorControl::warn_of_excess() {
  if (excess_.steps == 0) return;
  const std::string unknown = excess_.row >= 0 ? system_.unknown_name(excess_.row) : "";
  log_.warn({"W-TOLERANCE",
             fmt::format("{} steps have a larger error than the tolerance allows them, however short: at t = "
                         "{:.6g} s that of {}{} is {:.3g} times as large at h = {:.3g} s; {}",
                         excess_.steps, excess_.time, unknown, excess_.rate ? " (its velocity)" : "",
                         excess_.error, excess_.size, why_not_smaller(excess_.falls)),
             "", owner_of_unknown(unknown), excess_.time});
}

void ErrorControl::warn_of_rounding() {
  const double rounding = std::sqrt(noise_);
  if (rounding > 1)
    log_.warn(
        {"W-ROUNDING",
         fmt::format("the tolerance {:g} is less than what rounding adds up to in this run, about {:.2g}",
                     tolerance(), rounding * tolerance())});
}

/// What is so small that no step was chosen by its error (T-scale-1).
void ErrorControl::warn_of_uncontrolled() {
  const std::vector<int> rows = stepper_.uncontrolled(options_.scales);
  if (rows.empty()) return;
  constexpr std::size_t told = 3;
  std::string names, nominals;
  for (std::size_t i = 0; i < std::min(told, rows.size()); ++i) {
    const std::string name = system_.unknown_name(rows[i]);
    names += (i > 0 ? ", " : "") + name;
    const std::string& unit = system_.owner(rows[i]).unit;
    if (nominals.empty())
      nominals = fmt::format("{}: {:.1g}{}", name, stepper_.size_of(rows[i]),
                             unit.empty() || unit == "1" ? "" : " " + unit);
  }
  if (rows.size() > told) names += fmt::format(" and {} more", rows.size() - told);
  const char* const its = rows.size() > 1 ? "their" : "its";
  log_.warn(
      {"W-SMALL",
       fmt::format("{} stayed below a millionth of {} nominal magnitude: no step was chosen by {} error",
                   names, its, its),
       fmt::format("if that motion matters, tell how large it is: `nominal: {{{}}}`", nominals),
       owner_of_unknown(system_.unknown_name(rows[0]))});
}

void ErrorControl::archive(Archive& a) {
  if (a.reading()) control_ = control(options_.h_max);
  const std::size_t rows = limited_.size();
  a(control_, stall_, excess_, noise_, limited_);
  if (limited_.size() != rows) throw ArchiveError("the state of another system");
}

}  // namespace escapement
