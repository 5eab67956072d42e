// EventNumbers: the numbers of components that events of the model have set in this run.
#pragma once
#include <memory>
#include <vector>

#include "analyses/run_observer.hpp"
#include "analyses/simulate_options.hpp"
#include "model/assembly.hpp"

namespace escapement {

class EventNumbers {
 public:
  EventNumbers(const Assembly& assembly, const SimulateOptions& options, RunObserver& observer)
      : system_(assembly.system), options_(options), observer_(observer) {}

  /// The numbers that hold before any event has set some: those of the state.
  void begin(State& state);
  /// From now on the state has these numbers, beside those set before. Throws ModelError E-EVENT if the model has other equations
  /// with them. The sources and samplers of the assembly that is returned have them, too.
  const Assembly& set(State& state, const std::vector<Override>& numbers);
  /// Those that were set, for a state that was read from an archive.
  const Assembly& use(State& state);
  bool empty() const { return overrides_.empty(); }
  /// As at the beginning.
  void forget(State& state);
  void archive(Archive& a) { a(overrides_); }

 private:
  const System& system_;
  const SimulateOptions& options_;
  RunObserver& observer_;
  std::vector<Override> overrides_;
  std::shared_ptr<const Numbers> given_;  // at the beginning
  std::shared_ptr<Assembly> changed_;     // the model with the numbers that were set
};

}  // namespace escapement
