// What validation cases that are short model texts share: the text run with given settings, its rows, its events.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"

namespace escapement::validation {

/// The rows of a run: time and the named channels.
struct TextRun final : RunObserver {
  std::vector<double> t;
  std::vector<std::vector<double>> rows;  // [row][channel]
  RunStatistics statistics;
  std::string failure;  // its code

  /// `settings`: of `simulate:`, after the braces: "until: 5 s, step: 0.1 s". `look` sees every row too.
  TextRun(const std::string& components, const std::string& settings,
          const std::vector<std::string>& channels, const std::string& head = "", bool may_fail = false,
          std::function<void(const Assembly&, const State&)> look = {})
      : look_(std::move(look)) {
    static const Registry registry = standard_registry();
    const Model model = Model::read_text(
        "escapement: 1\n" + head + "\ncomponents:\n" + components + "\nsimulate: {" + settings + "}\n",
        "text", registry);
    const Assembly assembly = assemble(model);
    assembly_ = &assembly;
    for (const std::string& c : channels) wanted_.push_back(assembly.select({{c, {}, {}}}).at(0));
    const RunResult result = simulate(assembly, simulate_options(model), *this);
    if (result.failure && !may_fail) FAIL(result.failure->cause);
    if (result.failure) failure = result.failure->code;
    statistics = result.statistics;
    state = result.state;
    for (const Channel* c : wanted_) last.push_back(assembly.read(*c, state));
  }
  void row(const State& s) override {
    t.push_back(s.t);
    std::vector<double>& row = rows.emplace_back();
    for (const Channel* c : wanted_) row.push_back(assembly_->read(*c, s));
    if (look_) look_(*assembly_, s);
  }
  /// The row at this time.
  const std::vector<double>& at(double time) const {
    for (std::size_t i = 0; i < t.size(); ++i)
      if (std::abs(t[i] - time) < 1e-9) return rows[i];
    FAIL("no row at t = ", time);
    return rows.front();
  }
  bool step(const StepDone& s) override {
    sizes.push_back(s.size);
    return true;
  }
  std::vector<double> sizes, last;
  State state;

 private:
  std::function<void(const Assembly&, const State&)> look_;
  const Assembly* assembly_ = nullptr;
  std::vector<const Channel*> wanted_;
};

/// Channels of a model text at rest, where all forces balance.
inline std::vector<double> at_rest(const std::string& components, const std::vector<std::string>& channels,
                                   const std::string& head = "gravity: [0, 0, 0]") {
  static const Registry registry = standard_registry();
  const Model model = Model::read_text("escapement: 1\n" + head + "\ncomponents:\n" + components +
                                           "\nstart: equilibrium\nsimulate: {until: 1 s, step: 1 ms}\n",
                                       "text", registry);
  const Assembly assembly = assemble(model);
  const State state = prepare(assembly, prepare_options(model)).state;
  std::vector<double> values;
  for (const std::string& c : channels)
    for (const Channel* found : assembly.select({{c, {}, {}}}))
      values.push_back(assembly.read(*found, state));
  return values;
}

}  // namespace escapement::validation
