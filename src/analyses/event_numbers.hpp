// EventNumbers: the numbers of components that events of the model have set in this run.
#pragma once
#include <memory>
#include <vector>

#include "analyses/simulate_options.hpp"
#include "model/assembly.hpp"

namespace escapement {

class EventNumbers {
 public:
  EventNumbers(const Assembly& assembly, const SimulateOptions& options)
      : system_(assembly.system), options_(options) {}
  EventNumbers(const EventNumbers&) = delete;
  EventNumbers& operator=(const EventNumbers&) = delete;
  ~EventNumbers() { restore(); }

  /// From now on the elements of the system have these numbers, beside those set before. Throws ModelError E-EVENT if the model has
  /// other equations with them. The sources and samplers of the assembly that is returned have them, too.
  const Assembly& set(const std::vector<Override>& numbers);
  /// Those that were set hold again: after restore(), or in another run.
  const Assembly& use();
  bool empty() const { return overrides_.empty(); }
  /// The system has its own numbers again.
  void restore();
  void forget() { overrides_.clear(); }
  void archive(Archive& a) { a(overrides_); }

 private:
  const System& system_;
  const SimulateOptions& options_;
  std::vector<Override> overrides_;
  std::unique_ptr<Assembly> changed_;  // with these numbers; it holds those of the system meanwhile
};

}  // namespace escapement
