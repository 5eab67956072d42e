// Pace: steps in step with the wall clock, and how well that went. Nothing here allocates.
#pragma once
#include <array>
#include <csignal>

namespace escapement {

/// How often which duration was met: in bins of 1/32 of an octave, from a nanosecond to a quarter of an hour.
class Durations {
 public:
  void add(double seconds);
  long count() const { return count_; }
  double largest() const { return largest_; }
  double sum() const { return sum_; }
  /// So many of all (0.5, 0.99 …) took no longer, to 3 %; 0 if there are none.
  double quantile(double part) const;
  /// The histogram, four bars to an octave: f(longest duration, how often) for each that is not empty.
  template <class F>
  void each_bar(F f) const {
    constexpr int wide = per_octave / 4;
    for (int first = 0; first < per_octave * octaves; first += wide) {
      long times = 0;
      for (int k = first; k < first + wide; ++k) times += bins_[k];
      if (times > 0) f(upper(first + wide - 1), times);
    }
  }

 private:
  static constexpr int per_octave = 32, octaves = 40, lowest = -30;
  static int bin(double seconds);
  static double upper(int bin);
  std::array<long, per_octave * octaves> bins_{};
  long count_ = 0;
  double largest_ = 0, sum_ = 0;
};

class Pace {
 public:
  /// `speed`: simulated seconds per second. `stop`: a signal sets it to be woken at once.
  explicit Pace(double speed = 1, const volatile std::sig_atomic_t* stop = nullptr)
      : speed_(speed), stop_(stop) {}
  /// Simulated time is t now.
  void begin(double t);
  /// How long until t is due; negative: it is late. s of wall time
  double left(double t) const;
  /// How much wall time this much simulated time has.
  double wall(double duration) const { return duration / speed_; }
  /// A step has ended at t: notes how long it took, and waits until t is due. If that has passed, goes on at once.
  void wait(double t);

  long steps() const { return computing_.count(); }
  long overruns() const { return overruns_; }                // steps that ended after they were due …
  double worst_lateness() const { return worst_; }           // … by so much at most, s
  const Durations& computing() const { return computing_; }  // of each step
  const Durations& waking() const { return waking_; }        // how late it went on after waiting
  /// Time spent computing, of the time there was.
  double load() const { return there_ > 0 ? computing_.sum() / there_ : 0.0; }

 private:
  static double now();
  double speed_;
  const volatile std::sig_atomic_t* stop_;
  double start_ = 0, first_ = 0;  // wall and simulated time at the beginning
  double last_ = 0, since_ = 0;   // simulated time of the last step; when the present one began
  double there_ = 0;
  long overruns_ = 0;
  double worst_ = 0;
  Durations computing_, waking_;
};

}  // namespace escapement
