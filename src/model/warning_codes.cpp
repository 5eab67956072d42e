#include "model/warning_codes.hpp"

namespace escapement {

const std::vector<WarningCode>& warning_codes() {
  static const std::vector<WarningCode> codes = {
      {"W-FILE", "a file beside the results could not be written"},
      {"W-INCOMPLETE", "the results are those of a run that has not ended"},
      {"W-PLOTS", "the plots of a model cannot be read by this version"},
      {"W-CHANNELS", "too many channels for one of the files of results"},
      {"W-UNUSED", "the model states something that nothing uses"},
      {"W-FREE", "nothing is attached to a body"},
      {"W-COORDINATE", "the coordinate of a joint at the start follows from other joints"},
      {"W-REDUNDANT", "constraints depend on each other: their reactions are not unique"},
      {"W-UNSTABLE", "the equilibrium found is not stable"},
      {"W-SCHEME", "parameters of the scheme that cost order or stability"},
      {"W-HELD", "something takes no part in the linearised equations"},
      {"W-ENDED", "the run to the time of linearisation ended before it"},
      {"W-UNSTEADY", "the coefficients of the linearised equations change with time"},
      {"W-CONDITION", "modes are left out because their equations do not hold well enough"},
      {"W-BUCKLING", "a critical load could not be followed"},
      {"W-REST", "rest that does not last, because prescribed motions go on"},
      {"W-SNAP", "the structure snapped through on the way to its equilibrium"},
      {"W-PATH", "a path of equilibria has not come to its end"},
      {"W-SUBSTEPS", "steps had no solution as a whole and were halved"},
      {"W-LEFTOVER", "one linear solve per step is not enough"},
      {"W-ALIASED", "constant steps see fewer than two points of each wave of a source"},
      {"W-DELAY", "a delay is shorter than a step that does not resolve its input"},
      {"W-EVENTS", "several events set the same thing at one instant"},
      {"W-CORNER", "a corner is passed so often that it is no longer located"},
      {"W-REACTIONS", "reactions are not to be trusted: the step is too long for what turns"},
      {"W-TURNS", "the number of whole turns in a step is a guess"},
      {"W-SINGULAR", "the mechanism passed a singular position"},
      {"W-TOLERANCE", "steps have a larger error than the tolerance allows"},
      {"W-ROUNDING", "the tolerance is less than what rounding adds up to"},
      {"W-SMALL", "something is so small that the tolerance did not see it"},
      {"W-UNRESOLVED", "something changes faster than the steps resolve"},
      {"W-ENERGY", "energy comes from nowhere, or is lost to the scheme"},
      {"W-VIOLATED", "constraints do not hold"},
      {"W-LATE", "a run in real time did not keep up"},
  };
  return codes;
}

}  // namespace escapement
