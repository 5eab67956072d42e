// What the electric components share when they are built.
#pragma once
#include "components/electric/passive.hpp"
#include "model/component.hpp"

namespace escapement::electric {

struct Ends {
  Terminal a, b;
};
/// The two nodes of a port; the channel `voltage` between them.
Ends ends(Build& b, std::string_view port = "between");
/// Declares `between` and the outputs `voltage` and `current`.
void two_terminals(ComponentType& type);
/// `control: [C, D]`: two nodes that are only sensed.
Port sensed();
/// The current of a source of voltage: an unknown, whose row (named by `equation`) sets the voltage.
Current source_current(Build& b, const Ends& ends, const char* equation);
/// A node inside a component, behind a resistance from an outer one; the outer one itself where there is none.
Terminal behind(Build& b, const Terminal& outer, double resistance, const char* suffix);
/// The voltage between two nodes as a signal.
Signal<1> as_signal(Build& b, const Ends& ends, const char* suffix);
/// Boltzmann's constant times a temperature over the charge of an electron.
double thermal_voltage(double kelvin);

/// The keys of a waveform in this unit (V, A): exactly one is given.
void add_waveform_keys(ComponentType& type, const char* unit, const char* what);
/// The signal that follows it; steps end at its corners.
Signal<1> waveform(Build& b, const char* suffix, const char* unit);

}  // namespace escapement::electric
