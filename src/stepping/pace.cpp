#include "stepping/pace.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace escapement {

int Durations::bin(double seconds) {
  int exponent = 0;
  const double mantissa = std::frexp(std::max(seconds, 1e-12), &exponent);  // in [½, 1)
  const int k = (exponent - 1 - lowest) * per_octave + static_cast<int>((2 * mantissa - 1) * per_octave);
  return std::clamp(k, 0, per_octave * octaves - 1);
}

double Durations::upper(int bin) {
  return std::ldexp(1 + (bin % per_octave + 1) / static_cast<double>(per_octave), bin / per_octave + lowest);
}

void Durations::add(double seconds) {
  ++bins_[bin(seconds)];
  ++count_;
  largest_ = std::max(largest_, seconds);
  sum_ += seconds;
}

double Durations::quantile(double part) const {
  const auto wanted = static_cast<long>(std::ceil(part * static_cast<double>(count_)));
  long so_far = 0;
  for (int k = 0; k < per_octave * octaves; ++k) {
    so_far += bins_[k];
    if (so_far < std::max(wanted, 1L)) continue;
    return std::min(upper(k), largest_);
  }
  return 0;
}

double Pace::now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void Pace::begin(double t) {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // woken when it is due, not within the usual 50 µs after it
  start_ = since_ = now();
  first_ = last_ = t;
}

double Pace::left(double t) const { return start_ + (t - first_) / speed_ - now(); }

void Pace::wait(double t) {
  const double due = start_ + (t - first_) / speed_, ended = now();
  computing_.add(ended - since_);
  there_ += (t - last_) / speed_;
  last_ = t;
  since_ = ended;
  if (ended > due) {
    ++overruns_;
    worst_ = std::max(worst_, ended - due);
    return;
  }
  timespec until;
  until.tv_sec = static_cast<time_t>(due);
  until.tv_nsec = std::min(999'999'999L, static_cast<long>((due - std::floor(due)) * 1e9));
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR)
    if (stop_ && *stop_) return;
  since_ = now();
  waking_.add(std::max(0.0, since_ - due));
}

}  // namespace escapement
