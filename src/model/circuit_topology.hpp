// The graph of a circuit, examined before it runs: what is not connected, what floats, what short-circuits (T-circuit-3).
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace escapement {

/// What lies between two electrical nodes.
struct Branch {
  enum class Kind {
    conductor,       // a current that depends on the voltage: resistors, junctions, switches
    capacitor,       // open at the operating point
    held_capacitor,  // … with a given voltage at the start
    inductor,        // a short circuit at the operating point
    held_inductor,   // … with a given current at the start
    voltage,         // the voltage is given, or controlled from elsewhere
    current,         // the current is
    sensing          // no current at all: the input of an amplifier, a gate
  };
  Kind kind;
  int a, b;            // variables of the nodes; -1: ground
  bool loose = false;  // may stand alone at a node
  int component = -1;
};

/// Names and places for the messages.
struct CircuitNames {
  std::function<std::string(int variable)> node;
  std::function<std::string(int component)> component;
  std::function<SourcePlace(int variable)> node_place;
  std::function<SourcePlace(int component)> component_place;
  std::function<bool(int variable)> is_read;  // a signal reads its voltage
};

/// Throws ModelError E-TOPOLOGY for the first fault: a dangling pin, no ground, a node that floats, a loop of voltage sources
/// and coils, an initial voltage that others determine.
void examine_circuit(const std::vector<Branch>& branches, const CircuitNames& names);

}  // namespace escapement
