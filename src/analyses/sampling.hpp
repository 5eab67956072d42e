// Sampling: when sampled blocks compute, in which order, and when their outputs change (T-sample).
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/settle_signals.hpp"
#include "model/assembly.hpp"

namespace escapement {

class Sampling {
 public:
  explicit Sampling(const Assembly& assembly);
  bool empty() const { return samplers_.empty(); }
  /// When the next sample is, or the next output that waits for its computation; infinity: never.
  double next() const;
  /// Changes modes that do not hold with the signals of this state; false: all hold.
  using Modes = std::function<bool(State&)>;
  /// Everything that is due by now. True: an output changed. `modes`: what switches between the blocks of one sample.
  bool apply(State& state, double now, const Modes& modes = {});
  /// What is due by now has been applied already, to the state at the start.
  void begin(double now);
  /// All blocks compute once, whenever their samples are, and their outputs change at once: what rest asks for
  /// (T-equilibrium-5).
  void compute_all(State& state);
  /// What blocks keep from sample to sample, outputs included: to read, and to set.
  std::vector<double> kept(const State& state) const;
  void keep(State& state, std::span<const double> kept) const;
  /// Whose number that is.
  const std::string& keeper(std::size_t number) const;
  long samples() const { return samples_; }
  void archive(Archive& a) {
    for (Clock& c : clocks_) a(c.done);
    a(samples_);
    if (settler_) a(settler_->newton());
  }
  /// The same blocks go on with other numbers, but with the same clocks. Throws ModelError E-EVENT if these differ.
  void take(const std::vector<Sampler>& others);

 private:
  /// Samplers that share their instants; or outputs that do.
  struct Clock {
    double period, offset;
    bool outputs;  // what was computed before comes out
    std::vector<int> samplers;
    double done = 0;  // so many times
    double next() const { return offset + done * period; }
  };
  template <class S, class F>
  void each_kept(S& memory, const F& f) const;
  void read_inputs(const Sampler& s, const State& state, std::vector<double>& inputs) const;
  void settle(State& state, const Modes& modes);
  bool run_all(State& state, const Modes& modes);
  bool run(const Sampler& s, State& state, const std::vector<double>& before,
           const std::vector<double>& inputs);

  const System& system_;
  std::vector<Sampler> samplers_;
  std::vector<Clock> clocks_;
  std::optional<SignalSettler> settler_;  // none where nothing samples
  std::vector<int> due_;
  std::vector<double> inputs_, outputs_, before_;
  std::vector<std::vector<double>> used_;  // inputs of this sample, by sampler
  long samples_ = 0;
};

}  // namespace escapement
