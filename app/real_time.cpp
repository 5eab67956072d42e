#include "real_time.hpp"

#include <fmt/format.h>

namespace escapement::app {

namespace {

/// 12.3 µs
std::string short_time(double s) {
  return s < 1e-3 ? fmt::format("{:.3g} µs", 1e6 * s)
         : s < 1  ? fmt::format("{:.3g} ms", 1e3 * s)
                  : fmt::format("{:.3g} s", s);
}

}  // namespace

Json real_time_json(const Pace& pace, double speed) {
  const auto distribution = [](const Durations& d) {
    Json bars = Json::array();
    d.each_bar(
        [&](double up_to, long times) { bars.add(Json::object().set("up_to", up_to).set("times", times)); });
    return Json::object()
        .set("median", d.quantile(0.5))
        .set("p99", d.quantile(0.99))
        .set("p999", d.quantile(0.999))
        .set("largest", d.largest())
        .set("histogram", bars);
  };
  return Json::object()
      .set("speed", speed)
      .set("steps", pace.steps())
      .set("overruns", pace.overruns())
      .set("worst_lateness", pace.worst_lateness())
      .set("computing", distribution(pace.computing()))
      .set("jitter", distribution(pace.waking()))
      .set("load", pace.load());
}

void print_real_time(const Pace& pace) {
  const Durations &computing = pace.computing(), &waking = pace.waking();
  fmt::print(
      "  real time: {} of {} steps late; a step takes {} (median), {} (99.9 %), {} at most: {:.3g} % of the "
      "time\n",
      pace.overruns(), pace.steps(), short_time(computing.quantile(0.5)),
      short_time(computing.quantile(0.999)), short_time(computing.largest()), 100 * pace.load());
  fmt::print("  woken late by {} (median), {} (99.9 %), {} at most\n", short_time(waking.quantile(0.5)),
             short_time(waking.quantile(0.999)), short_time(waking.largest()));
}

std::optional<Warning> lateness(const Pace& pace) {
  if (pace.overruns() == 0) return std::nullopt;
  const bool too_slow = pace.load() > 0.9;
  return Warning{
      "W-LATE",
      fmt::format("{} of {} steps ended after they were due, by up to {}: computing took {:.3g} % of the "
                  "time, and {} for the longest step. {}",
                  pace.overruns(), pace.steps(), short_time(pace.worst_lateness()), 100 * pace.load(),
                  short_time(pace.computing().largest()),
                  too_slow ? "The model is too large or its step too small for this machine"
                           : "Other programs or the writing of results came in between"),
      too_slow ? "a longer step, another scheme, or fewer channels under `record:`"
               : "a real-time priority (docs/realtime.md), or fewer channels under `record:`"};
}

}  // namespace escapement::app
