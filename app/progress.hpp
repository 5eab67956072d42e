// A line that shows how far a run has come: overwritten on a terminal, a plain or JSON line now and then elsewhere.
#pragma once
#include <chrono>
#include <string>

#include "command_line.hpp"

namespace escapement::app {

class Progress {
 public:
  Progress(double until, const Command& command);
  void show(double t);
  void clear();

 private:
  void draw(double t, const std::string& text);

  using Clock = std::chrono::steady_clock;
  double until_;
  bool json_, quiet_, terminal_;
  double interval_, next_ = 0.5;  // s
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace escapement::app
