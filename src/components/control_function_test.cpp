// Functions written in C as blocks: rows and tangents with given and with measured derivatives; widths, names, starts.
#include <doctest/doctest.h>

#include <sstream>

#include "components/registry.hpp"
#include "core/element_check.hpp"
#include "model/assembly.hpp"

using namespace escapement;

namespace {

const std::string arguments = "(double t, const double *x, const double *u, const double *p, double *r)";

/// A pendulum with a wide input: two states, two inputs, two outputs; with Jacobians if asked for.
std::string pendulum(bool derivatives) {
  const auto map = [](const char* name, const std::string& body) {
    return "static int " + std::string(name) + arguments + " {\n" + body + "  return 0;\n}\n";
  };
  return "#include <escapement/function.h>\n#include <math.h>\n" +
         map("f",
             "  r[0] = x[1];\n  r[1] = -p[0] * sin(x[0]) - p[1] * x[1] + u[0] + 0.1 * t * u[1] * u[1];\n") +
         map("h", "  r[0] = x[0] * u[1];\n  r[1] = cos(x[0]) + u[0];\n") +
         map("f_x", "  r[0] = 0;\n  r[1] = 1;\n  r[2] = -p[0] * cos(x[0]);\n  r[3] = -p[1];\n") +
         map("f_u", "  r[0] = r[1] = 0;\n  r[2] = 1;\n  r[3] = 0.2 * t * u[1];\n") +
         map("h_x", "  r[0] = u[1];\n  r[1] = 0;\n  r[2] = -sin(x[0]);\n  r[3] = 0;\n") +
         map("h_u", "  r[0] = 0;\n  r[1] = x[0];\n  r[2] = 1;\n  r[3] = 0;\n") +
         "static const char *const names[] = {\"stiffness\", \"damping\"};\n"
         "static const double defaults[] = {4, 0.5};\n"
         "const escapement_function function = {.version = ESCAPEMENT_FUNCTION_VERSION, .states = 2, .inputs "
         "= 2,\n"
         "    .outputs = 2, .parameters = 2, .f = f, .h = h, .parameter_names = names,\n"
         "    .default_parameters = defaults" +
         (derivatives ? ", .f_x = f_x, .f_u = f_u, .h_x = h_x, .h_u = h_u" : "") + "};\n";
}

/// A component with its source inline, and `more` lines of it.
std::string block(const std::string& name, const std::string& code, const std::string& more) {
  std::string text = "  " + name + ":\n    type: control.c_function\n" + more + "    code: |\n";
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) text += "      " + line + "\n";
  return text;
}

Model model_of(const std::string& components) {
  static const Registry registry = standard_registry();
  ReadOptions options;
  options.trust = true;
  return Model::read_text("escapement: 1\ncomponents:\n" + components, "function.yaml", registry, options);
}

const std::string sources =
    "  wave: {type: control.sine, amplitude: 1, frequency: 1 Hz}\n  level: {type: control.constant, value: "
    "2}\n";

std::string refusal(const std::string& components) {
  try {
    assemble(model_of(components));
  } catch (const ModelErrors& e) {
    CHECK(e.errors.size() == 1);
    return e.what();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("functions with and without derivatives pass the element checker") {
  for (const bool derivatives : {true, false}) {
    CAPTURE(derivatives);
    const Model model =
        model_of(sources + block("swing", pendulum(derivatives),
                                 "    input: [wave, level]\n    parameters: {damping: 0.3}\n"));
    const Assembly assembly = assemble(model);
    for (const auto& fault : check_elements(assembly.system)) FAIL_CHECK(fault);
  }
}

TEST_CASE("widths, names and parameters are checked") {
  const std::string code = pendulum(false);
  const auto said = [&](const std::string& more, const char* part) {
    const std::string text = refusal(sources + block("swing", code, more));
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  said("    input: [wave, level]\n", "");
  said("    input: wave\n", "has 1 parts, the function has 2 inputs");
  said("", "`input` is missing (the function has 2 inputs)");
  said("    input: [wave, level]\n    parameters: [1]\n", "has 1 numbers, the function has 2 parameters");
  said("    input: [wave, level]\n    parameters: {dampin: 1}\n", "did you mean damping?");
  said("    input: [wave, level]\n    initial: {state: [1, 2, 3]}\n",
       "has 3 numbers, the function has 2 states");
  said("    input: [wave, level]\n    function: other\n", "exports no `other`");
  const Assembly assembly = assemble(model_of(sources + block("swing", code, "    input: [wave, level]\n")));
  CHECK(assembly.select({{"swing.output.*", {}, {}}}).size() == 2);
  CHECK(assembly.select({{"swing.state.*", {}, {}}}).size() == 2);
}
