#include "analyses/run_log.hpp"

#include <fmt/format.h>

#include "analyses/event_watch.hpp"
#include "model/row_owner.hpp"

namespace escapement {

void RunLog::count(const NewtonReport& report) {
  result_.statistics.newton_iterations += report.iterations;
  result_.statistics.factorizations += report.factorizations;
  step_.iterations += report.iterations;
  step_.factorizations += report.factorizations;
}

void RunLog::event(double t, const std::string& what) {
  constexpr std::size_t most = 10000;
  RunStatistics& s = result_.statistics;
  ++s.event_count;
  if (!bare_ && s.events.size() < most) s.events.push_back({t, what});
}

std::string RunLog::last_events() const {
  const auto& events = result_.statistics.events;
  if (events.empty()) return "";
  std::string text = "; last events: ";
  const std::size_t from = events.size() > 3 ? events.size() - 3 : 0;
  for (std::size_t i = from; i < events.size(); ++i)
    text += fmt::format("{}{} at {:g} s", i > from ? ", " : "", events[i].what, events[i].time);
  return text;
}

void RunLog::fail(RunFailure f) {
  f.cause += last_events();
  result_.failure = std::move(f);
}

void RunLog::fail(const State& state, const Hopeless& found) {
  const std::string unknown = found.row >= 0 ? system_.unknown_name(found.row) : "";
  fail({found.code, fmt::format("t={:g} s", state.t), owner_of_unknown(unknown),
        found.row >= 0 ? system_.row_name(found.row) : "", state.t, found.cause, found.hint});
}

void RunLog::fail_to_settle(double t, const std::string& who, bool in_expression) {
  const bool several = who.find(" and ") != std::string::npos;
  fail({"E-CHATTER", fmt::format("t={:g} s", t), who.substr(0, who.find(" (`")), "", t,
        fmt::format("{} {} to and fro without time going on", who, several ? "switch" : "switches"),
        chatter_hint(in_expression)});
}

void RunLog::fail(const ModelError& e, double t) {
  RunFailure f = {e.code, e.where, owner_of_unknown(e.where), "", t, e.cause, e.hint};
  if (e.code == "E-START" && t > 0) {
    f.code = "E-NEWTON";
    f.where = fmt::format("t={:g} s", t);
    f.cause = fmt::format("after what jumps there, {}: {}", e.where, e.cause);
    f.hint = "a smaller step, so that less happens between the jumps";
  }
  result_.failure = std::move(f);
}

namespace {

std::string hint_for(NewtonStatus status) {
  switch (status) {
    case NewtonStatus::singular:
      return "look at the named rows: a mechanism may have reached a singular position, or a loop of signals "
             "has no solution";
    case NewtonStatus::not_finite:
      return "look at the named rows for a division by zero or a root of a negative number; try a smaller "
             "step";
    default:
      return "a smaller step (--set simulate.step=…), more iterations (--set simulate.newton_iterations=…), "
             "or smoother elements at the named rows";
  }
}

}  // namespace

RunFailure no_solution(const System& system, const State& state, double h, const NewtonReport& report) {
  RunFailure f;
  f.code = "E-NEWTON";
  f.time = state.t;
  f.where = fmt::format("t={:g} s h={:g} s", state.t, h);
  f.cause = describe(report, system);
  f.hint = hint_for(report.status);
  if (!report.worst.empty()) {
    const int row = report.worst.front().row;
    f.component = owner_of_unknown(system.unknown_name(row));
    f.equation = system.row_name(row);
  }
  return f;
}

}  // namespace escapement
