// The signals at the ports of components. Every output may be an input: one that is no signal of its own is tapped.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "model/signal_references.hpp"

namespace escapement {

class Signals {
 public:
  explicit Signals(Draft& draft) : draft_(draft) {}

  /// Of each group at a port; E-WIDTH and E-UNITS if they do not fit.
  std::vector<std::vector<Signal<1>>> at(int component, const Port& port);
  /// Their units, one per group; empty: not known.
  std::vector<std::string> units(int component, const Port& port) const;

  /// Once everything is built: the rows that make tapped signals equal to their outputs.
  void make_taps();
  /// Is an output tapped that comes from this variable?
  bool reads(int variable) const;

 private:
  std::vector<Signal<1>> signals_of(const SignalReference& r);
  void check_unit(const SignalReference& r, const Port& port, const std::string& where) const;

  Draft& draft_;
  std::map<int, Signal<1>> tapped_;  // by number of the part (Outputs)
};

}  // namespace escapement
