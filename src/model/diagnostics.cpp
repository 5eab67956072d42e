#include "model/diagnostics.hpp"

namespace escapement {

const std::vector<MessageCode>& message_codes() {
  static const std::vector<MessageCode> codes = {
      {"E-USAGE", 2, "the command line is wrong: an unknown verb, option or value"},
      {"E-SYNTAX", 2, "the text is not YAML as model files use it, or not a netlist"},
      {"E-ENCODING", 2, "the file is not UTF-8 text"},
      {"E-DUPLICATE", 2, "a key stands twice in one mapping, or a name twice in a netlist"},
      {"E-LIMIT", 2, "the file is larger, deeper or more repetitive than a model can sensibly be"},
      {"E-VERSION", 2, "the file lacks `escapement: 1` or was written for another version of the language"},
      {"E-KEY", 2, "a key that does not exist here"},
      {"E-MISSING", 2, "a key that must be given is not there"},
      {"E-CHOICE", 2, "of several keys exactly one must be given"},
      {"E-TYPE", 2, "a value of another type than the key asks for"},
      {"E-VALUE", 2, "a value that is not among the allowed ones"},
      {"E-UNITS", 2, "a value whose unit does not fit, or that lacks one"},
      {"E-EXPRESSION", 2, "an expression that cannot be read"},
      {"E-RANGE", 2, "a number outside its allowed range"},
      {"E-TABLE", 2, "a table whose points do not make a function"},
      {"E-NAME", 2, "a name that is not allowed or used twice"},
      {"E-COMPONENT", 2, "an unknown component type"},
      {"E-REFERENCE", 2, "a name that stands for nothing in this model"},
      {"E-DOMAIN", 2, "a connection between things of different domains"},
      {"E-WIDTH", 2, "signals of different widths"},
      {"E-CYCLE", 2, "definitions that refer to each other in a circle"},
      {"E-OUTSIDE", 2, "a file outside the model's folder"},
      {"E-CHANNEL", 2, "a channel that does not exist"},
      {"E-UNSUPPORTED", 2, "something this version does not do yet"},
      {"E-TOPOLOGY", 3, "parts that are not connected in a meaningful way"},
      {"E-SINGULAR", 3, "equations that do not determine the unknowns"},
      {"E-LOOP", 3, "a loop of signals that has no solution, or many"},
      {"E-INDEX", 3, "a constraint on something that has no known rate"},
      {"E-START", 3, "initial values that contradict the constraints or each other"},
      {"E-EQUILIBRIUM", 3, "no equilibrium was found"},
      {"E-MODES", 3, "modes or critical loads of this kind do not exist here"},
      {"E-REDUNDANT", 3, "constraints that depend on each other and contradict, or are not allowed to"},
      {"E-SCHEME", 3, "an integration scheme that cannot advance this model"},
      {"E-EVENT", 2, "an event sets something that cannot be set"},
      {"E-STEP", 2, "a step size that makes no sense"},
      {"E-NEWTON", 4, "a step did not converge; nothing of it was recorded"},
      {"E-TOLERANCE", 4, "adaptive steps cannot keep to the tolerance"},
      {"E-CHATTER", 4, "something switches to and fro without time going on"},
      {"E-DIVERGED", 4, "an unknown grows without bound, faster than steps resolve"},
      {"E-ENERGY", 4, "far more energy than there was, from nowhere"},
      {"E-VIOLATED", 4, "constraints no longer hold, by far"},
      {"E-NAN", 4, "a recorded value is not a finite number"},
      {"E-CHECKPOINT", 5, "a checkpoint is missing, damaged, or of another model or version"},
      {"E-TRUST", 6, "the model uses code that you have not said you trust"},
      {"E-COMPILE", 6, "a C source does not compile, or there is no compiler"},
      {"E-LIBRARY", 6, "a library of functions cannot be loaded, or lacks what it must export"},
      {"E-FUNCTION", 6,
       "a function of the model crashed, hung, failed or gave a value that is not a finite number"},
      {"E-VIEWER", 5, "the program was built without the viewer of reports"},
      {"E-FILE", 5, "a file or folder cannot be read or written"},
      {"E-INTERNAL", 70, "a fault of the program itself"},
      // Faults that only C++ can make.
      {"E-ELEMENT", 70, "an element's functions write to rows of the wrong kind"},
      {"E-STORE", 70, "an element's store is of a form the core cannot honour"},
      {"E-RATE", 70, "a rate or acceleration was asked of an unknown that has none"},
      {"E-NOMINAL", 70, "a nominal magnitude that is not a positive number"},
  };
  return codes;
}

int exit_status(std::string_view code) {
  for (const MessageCode& c : message_codes())
    if (c.code == code) return c.exit_status;
  return 70;
}

}  // namespace escapement
