// RunLog: what a run reports while it goes on: counts, events, warnings, and why it ends before its time.
#pragma once
#include <string>

#include "analyses/run_result.hpp"
#include "core/newton.hpp"
#include "core/system.hpp"

namespace escapement {

class RunLog {
 public:
  /// `bare`: no list of events.
  RunLog(const System& system, RunResult& result, bool bare)
      : system_(system), result_(result), bare_(bare) {}

  RunStatistics& statistics() { return result_.statistics; }
  const RunStatistics& statistics() const { return result_.statistics; }
  /// Failed, stopped, or ended by an event.
  bool over() const { return result_.failure || result_.stopped || !result_.statistics.ended_by.empty(); }

  /// Of the present step.
  struct StepCounts {
    int iterations = 0, factorizations = 0, rejected = 0;
  };
  void begin_step() { step_ = {}; }
  const StepCounts& step() const { return step_; }
  void count(const NewtonReport& report);
  void count_rejected() { ++result_.statistics.rejected_steps, ++step_.rejected; }

  void warn(Warning w) { result_.statistics.warnings.push_back(std::move(w)); }
  void event(double t, const std::string& what);
  /// With the last events behind the cause.
  void fail(RunFailure f);
  void fail(const State& state, const Hopeless& found);
  void fail_to_settle(double t, const std::string& who, bool in_expression);
  /// An exception that ends the run: no consistent values after a jump, a value that cannot be recorded.
  void fail(const ModelError& e, double t);

 private:
  std::string last_events() const;

  const System& system_;
  RunResult& result_;
  bool bare_;
  StepCounts step_;
};

/// A step of size h has no solution.
RunFailure no_solution(const System& system, const State& state, double h, const NewtonReport& report);

}  // namespace escapement
