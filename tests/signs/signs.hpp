// What the cases of sign conventions share: a tiny model at its start, or after some time.
#pragma once
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <sstream>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"

namespace escapement::signs {

inline const Registry& registry() {
  static const Registry all = standard_registry();
  return all;
}

inline std::string model_text(const std::string& components, const std::string& nodes = {}) {
  std::string text = "escapement: 1\ngravity: [0, 0, -10 m/s^2]\n";
  if (!nodes.empty()) text += "nodes: {" + nodes + "}\n";
  text += "components:\n";
  std::istringstream lines(components);
  for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
  return text;
}

class Silent : public RunObserver {
 public:
  void row(const State&) override {}
  bool step(const StepDone&) override { return true; }
};

/// A model at its start, or after some time; its channels by name.
class At {
 public:
  At(double time, const std::string& components, const std::string& nodes = {})
      : assembly_(assemble(Model::read_text(model_text(components, nodes), "signs", registry()))) {
    SimulateOptions options;
    options.until = time;
    options.steps = {1e-3};
    Silent silent;
    RunResult result = simulate(assembly_, options, silent);
    if (result.failure) FAIL_CHECK(result.failure->cause);
    state_ = std::move(result.state);
  }
  double operator[](const std::string& channel) const {
    for (const Channel& c : assembly_.channels)
      if (c.name == channel) return assembly_.read(c, state_);
    FAIL("no channel " << channel);
    return 0;
  }

 private:
  Assembly assembly_;
  State state_;
};

inline doctest::Approx about(double value) { return doctest::Approx(value).epsilon(1e-6); }

/// One case per component, by its name.
using Cases = std::map<std::string, std::function<void()>>;
Cases mechanics();
Cases signals();
Cases sources();
Cases dynamics();
Cases programs();
Cases sampled();
Cases space();
Cases electric();

}  // namespace escapement::signs
