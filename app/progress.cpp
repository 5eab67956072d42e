#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "messages.hpp"

namespace escapement::app {

namespace {

std::string duration(double s) {
  if (s < 1) return "< 1 s";
  if (s < 120) return fmt::format("{:.0f} s", s);
  if (s < 7200) return fmt::format("{:.0f} min", s / 60);
  return fmt::format("{:.1f} h", s / 3600);
}

}  // namespace

Progress::Progress(double until, const Command& command)
    : until_(until),
      json_(command.json),
      quiet_(command.quiet && !command.json),
      terminal_(!command.json && isatty(STDERR_FILENO)),
      interval_(terminal_ ? 0.1
                : json_   ? 1.0
                          : 5.0) {}

void Progress::show(double t) {
  if (quiet_) return;
  const double now = std::chrono::duration<double>(Clock::now() - start_).count();
  if (now < next_) return;
  next_ = now + interval_;
  const double rate = t / now, left = rate > 0 ? (until_ - t) / rate : 0;
  if (json_) {
    print_json(Json::object()
                   .set("event", "progress")
                   .set("time", t)
                   .set("until", until_)
                   .set("rate", rate)
                   .set("seconds_left", left));
    return;
  }
  draw(t, fmt::format("t = {:.4g} s of {:.4g} s  {:>3.0f} %  {:.3g} × real time  {} left", t, until_,
                      100 * t / until_, rate, duration(left)));
}

void Progress::draw(double t, const std::string& text) {
  if (!terminal_) {
    fmt::print(stderr, "{}\n", text);
    return;
  }
  const int width = 24, filled = static_cast<int>(width * std::min(1.0, t / until_));
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < filled ? "█" : "░";
  fmt::print(stderr, "\r\033[K{} {}", bar, text);
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace escapement::app
