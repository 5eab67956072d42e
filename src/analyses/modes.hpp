// Modes: how a system moves near a configuration, from the linearised equations (T-modes).
#pragma once
#include <complex>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "core/warning.hpp"

namespace escapement {

/// A motion z(t) = shape · exp(s t); of a complex pair the one with Im s > 0 stands for both.
struct Mode {
  std::complex<double> s;  // 1/s; exactly 0 for what may drift
  std::vector<std::complex<double>>
      shape;            // by row: increments of positions (on the right), and of the others
  int largest = 0;      // the row that moves most, over nominal magnitudes; there the shape is 1 nominal
  double residual = 0;  // ‖(A + sB) z‖, as the matrix of the shift sees it, over ‖z‖

  double frequency() const;  // Hz, |Im s|/2π
  double natural() const;    // Hz, |s|/2π
  double damping() const;    // −Re s/|s|; 0 for s = 0
};

struct ModesOptions {
  int count = 20;         // the slowest
  double below = 0;       // Hz; > 0: all up to this natural frequency, whatever `count`
  bool undamped = false;  // K φ = ω² M φ: no velocities, no states
  double proximal = 0;    // for constraints that depend on each other (T-proximal)
  enum class Method { automatic, all, some } method = Method::automatic;  // all of them, or a search
};

struct ModesResult {
  std::vector<Mode> modes;  // slowest first
  std::vector<Warning> warnings;
  std::vector<std::string> notes;
  double radius = 0;  // 1/s: with delays, all modes with |s| < radius are there; else 0
};

/// About a state whose rows hold. Frames move on SE(3), where a steady turn has constant coefficients. Throws ModelError
/// E-MODES, E-SINGULAR.
ModesResult find_modes(const System& system, const State& state, const ModesOptions& options);

}  // namespace escapement
