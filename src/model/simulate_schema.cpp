// The keys of `simulate:`, as a table.
#include "model/model.hpp"
#include "model/schemes.hpp"

namespace escapement {
namespace {

/// Of a constraint, under `spook`.
std::vector<Parameter> relaxation_fields() {
  return {
      number("damping", "1",
             "time over which a violation decays, in steps: 2 unless given; less rings, more lasts longer")
          .at_least(0)
          .optional(),
      number("damping_time", "s", "the same as a time").at_least(0).optional(),
      number("compliance", "m/N", "of equations between lengths: how far they give way; 0: rigid")
          .at_least(0)
          .otherwise("0"),
      number("angular_compliance", "rad/N/m", "of equations between angles").at_least(0).otherwise("0")};
}

/// Records whose names are those of components, or patterns.
Parameter by_path(Parameter p) {
  p.verbatim = true;
  return p;
}

}  // namespace

const std::vector<Parameter>& simulate_schema() {
  static const std::vector<Parameter> schema = {
      number("until", "s", "end of the simulated time").positive(),
      number("step", "s", "step size; of adaptive steps the first, chosen by the program unless given")
          .positive()
          .optional(),
      vector("steps", "s", 0, "prescribed step sizes, repeated; instead of `step`").positive().optional(),
      choice("scheme", scheme_names(), "integration scheme").otherwise(std::string(default_scheme)),
      number("rho", "1", "spectral radius at infinity of the mechanics: 1 no numerical damping, 0 the most")
          .at_least(0)
          .at_most(1)
          .otherwise("0.8"),
      choice("scheme_states", {"jwh-alpha", "generalized-alpha"},
             "parameters for states: optimal for first order, or the same as for mechanics")
          .otherwise("jwh-alpha"),
      number("rho_states", "1", "spectral radius at infinity of the states; as rho unless given")
          .at_least(0)
          .at_most(1)
          .optional(),
      number(
          "alpha_m", "1",
          "parameters of your own, instead of rho: of generalized-alpha alpha_m, alpha_f, beta and gamma, of "
          "newmark beta and gamma")
          .optional(),
      number("alpha_f", "1", "see alpha_m").optional(),
      number("beta", "1", "see alpha_m").at_least(0).optional(),
      number("gamma", "1", "see alpha_m").positive().optional(),
      number("delta_m", "1", "of states, instead of rho_states and scheme_states: delta_m, delta_f and theta")
          .optional(),
      number("delta_f", "1", "see delta_m").optional(),
      number("theta", "1", "see delta_m").at_least(0).optional(),
      choice("form", {"exact", "weighted"},
             "of generalized-alpha: equations of motion exactly at the end of a step, or as weighted means "
             "of both ends (the "
             "classical form, with accelerations of first order, for comparison)")
          .otherwise("exact"),
      boolean("update",
              "gamma and theta follow the sizes of the steps, which keeps second order where these change; "
              "false: for comparison")
          .otherwise("true"),
      boolean("update_beta", "beta follows gamma; false: for comparison").otherwise("true"),
      choice(
          "constraints", {"index-3", "index-2"},
          "constraints on positions alone, or stabilised with velocities too; index-3 unless given, index-2 "
          "with adaptive steps and where constraints come and go")
          .optional(),
      group("relaxation", relaxation_fields(),
            "of `spook`: how constraints that are violated come back, and how far they give way"),
      by_path(
          records("relaxations", relaxation_fields(),
                  "of `spook`: the same for the constraints of components by name; patterns match several")
              .optional()),
      choice("frames", {"r3so3", "se3"},
             "how frames in space move in a step: translation and rotation apart, or together as a screw")
          .otherwise("r3so3"),
      boolean(
          "redundant",
          "constraints that depend on each other: true allows them without a warning, false refuses them; "
          "without it they are told and the run goes on, with the reactions of least size")
          .optional(),
      number("regularization", "1",
             "of multipliers, relative to the constraints' own stiffness; chosen by the program unless "
             "given: none, "
             "or 1e-9 where constraints depend on each other")
          .positive()
          .at_most(1e-2)
          .optional(),
      number("penalty", "1",
             "the same as a penalty, 1/regularization: the factor p of an augmented Lagrangian over the "
             "scaling factor s of "
             "the constraint's row")
          .at_least(100)
          .at_most(1e15)
          .optional(),
      boolean("adaptive", "steps chosen by error control").otherwise("false"),
      number("tolerance", "1",
             "of adaptive steps: what the errors of all steps of a run may add up to, relative to the size "
             "of each "
             "unknown plus its nominal magnitude")
          .positive()
          .at_most(0.1)
          .optional(),
      group("tolerances",
            {number("absolute", "1", "of the nominal magnitudes; as `tolerance` unless given")
                 .positive()
                 .optional(),
             number("positions", "1", "of positions and angles").positive().optional(),
             number("velocities", "1", "of their velocities").positive().optional(),
             number("states", "1", "of states").positive().optional(),
             number("signals", "1", "of signals and sensor readings; not controlled unless given")
                 .positive()
                 .optional(),
             number("multipliers", "1", "of reactions; not controlled unless given").positive().optional()},
            "kinds of unknowns with a tolerance of their own"),
      number("horizon", "s", "time over which errors may add up to the tolerance; the whole run unless given")
          .positive()
          .optional(),
      choice("estimator", {"embedded", "history"},
             "where the error of a step is estimated from; history: from accelerations alone, for models "
             "without states")
          .otherwise("embedded"),
      number("h_min", "s", "smallest adaptive step; 1e-12 of the run unless given").positive().optional(),
      number("h_max", "s", "largest adaptive step; a tenth of the run unless given").positive().optional(),
      number("event_tolerance", "s", "to which events are located in time; 1e-12 of the step unless given")
          .positive()
          .optional(),
      number("output_every", "any",
             "record every so many steps (a whole number) or at this interval (a time)")
          .positive()
          .otherwise("1"),
      vector("output_at", "s", 0, "record at these times, instead of `output_every`").at_least(0).optional(),
      number("newton_tolerance", "1", "remaining error of a step, relative to nominal magnitudes")
          .positive()
          .at_most(1e-2)
          .otherwise("1e-12"),
      integer("substeps",
              "how many times a prescribed step that has no solution may be halved; 0: the run ends there")
          .at_least(0)
          .at_most(40)
          .otherwise("10"),
      integer("newton_iterations", "most iterations of a step").at_least(1).at_most(1000).otherwise("50"),
  };
  return schema;
}

}  // namespace escapement
