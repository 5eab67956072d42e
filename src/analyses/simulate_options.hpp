// What a run is asked to do: the `simulate:` section of a model, read and checked.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/prepare.hpp"
#include "model/assembly.hpp"
#include "steppers/generalized_alpha.hpp"
#include "steppers/variational.hpp"

namespace escapement {

enum class Method { generalized_alpha, variational, spook };

struct SimulateOptions {
  double until = 0;           // s
  std::vector<double> steps;  // s, repeated; one for a constant step; empty if adaptive
  bool adaptive = false;
  ErrorScales scales;                      // of adaptive steps
  double first = 0, h_min = 0, h_max = 0;  // s; 0: chosen
  int substeps = 10;                       // so often a prescribed step without a solution is halved
  bool h_min_given = false;                // then what needs shorter steps ends the run
  double event_tolerance = 0;              // s; 0: 1e-12 of the step
  /// The same model with other numbers: for events that set parameters.
  std::function<Assembly(const std::vector<Override>&)> retune;
  int output_steps = 1;              // a row every this many steps …
  double output_interval = 0;        // … or, if > 0, at this interval of time …
  std::vector<double> output_times;  // … or, if there are any, at these times
  Method method = Method::generalized_alpha;
  GeneralizedAlphaOptions stepper;
  VariationalOptions variational;
  std::vector<std::pair<std::string, double>> parameters;  // of these, for the summary
  /// Of the constraint rows, for `spook`; none: all alike.
  std::function<std::vector<Relaxation>(const Assembly&)> relaxations;
  bool constraints_chosen = true;  // false: stabilised (index 2) where constraints come and go
  PrepareOptions prepare;
  double rho = -1, rho_states = -1;  // as asked for; -1: the scheme has none
  std::string scheme;                // as the model calls it
  std::vector<std::string> notes;    // of the model, to be reported
  /// Steps alone, which do not allocate: no energy balance, no list of events, no look-out for singular positions and the like.
  bool bare = false;
};

/// The smallest relative tolerance that counts.
double tightest(const ErrorScales& scales);

/// From the `simulate:` section; E-MISSING, E-UNSUPPORTED, E-STEP … with the place. The model must outlive them.
SimulateOptions simulate_options(const Model& model);

/// Throws E-SCHEME, with the place of `scheme` or `rho`, if the scheme cannot advance this system.
void check_scheme(const Model& model, const Assembly& assembly, const SimulateOptions& options);

/// Throws E-VALUE, with the place of `adaptive`, if the steps are not fixed; `who` needs them.
void need_fixed_steps(const Model& model, const SimulateOptions& options, const std::string& who);

}  // namespace escapement
