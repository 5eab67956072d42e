#include <fmt/format.h>

#include <cmath>

#include "components/sampled/build.hpp"
#include "external/guard.hpp"
#include "external/library.hpp"

namespace escapement {
namespace {

using Step = int (*)(double t, const double* u, double* y, double* memory);

constexpr const char* averaging =
    R"c(/* The mean of all samples so far: their number and their sum are its memory. */
int step(double t, const double *u, double *y, double *memory) {
  memory[0] += 1;
  memory[1] += u[0];
  y[0] = memory[1] / memory[0];
  return 0;
}
)c";

/// The function, called under guard.
class Function {
 public:
  Function(std::shared_ptr<const external::Library> library, Step step, std::string block, double time_limit)
      : library_(std::move(library)), step_(step), block_(std::move(block)), time_limit_(time_limit) {
    external::arm_guard();
  }
  void operator()(double t, std::span<const double> u, std::span<double> y, std::span<double> memory) const {
    if (library_->broken()) fail(t, "is not called again after it failed", "");
    int returned = 0;
    auto call = [&] { returned = step_(t, u.data(), y.data(), memory.data()); };
    if (!external::guarded(call, time_limit_)) {
      library_->give_up();
      fail(t, external::last_outcome().told(time_limit_),
           external::last_outcome().fault == external::Fault::timeout
               ? "mend it, or allow more with time_limit"
               : "mend it; a debugger on a small test program finds the place");
    }
    if (returned != 0) fail(t, fmt::format("returned {}", returned), "0 says that it succeeded");
    for (const double m : memory)
      if (!std::isfinite(m)) fail(t, fmt::format("left {} in its memory", m), "");
  }

 private:
  [[noreturn]] void fail(double t, const std::string& what, const std::string& hint) const {
    throw ModelError("E-FUNCTION", block_, fmt::format("`{}` {} at t = {:g} s", library_->name, what, t),
                     hint);
  }
  std::shared_ptr<const external::Library> library_;
  Step step_;
  std::string block_;
  double time_limit_;
};

void build_c_function(Build& b) {
  const char* const key = b.has("file") ? "file" : "code";
  std::shared_ptr<const external::Library> library;
  const void* symbol = nullptr;
  try {
    const external::Source source = b.has("file") ? external::source_file(b.text("file"))
                                                  : external::source_text(b.path() + ".code", b.text("code"));
    library = external::load(source, b.trusts_code() || source.content == averaging);
    symbol = library->find(b.text("function").c_str());
    if (symbol == nullptr)
      throw external::LoadError{
          "E-LIBRARY", fmt::format("`{}` exports no function `{}`", library->name, b.text("function")),
          "int step(double t, const double *u, double *y, double *memory), not static"};
  } catch (const external::LoadError& e) {
    b.refuse(e.code.c_str(), key, e.cause, e.hint);
  }
  std::vector<Signal<1>> u;
  if (b.connected("input")) u = b.wide_signal("input");
  sampled::add_program(
      b, u, b.has("memory") ? b.vector("memory") : std::vector<double>{},
      Function(library, reinterpret_cast<Step>(const_cast<void*>(symbol)), b.path(), b.number("time_limit")));
}

}  // namespace

ComponentType sampled_c_function() {
  ComponentType type("sampled.c_function", "A controller written in C, called at the samples.");
  type.description =
      "    int step(double t, const double *u, double *y, double *memory)\n\n"
      "is called at every sample with the inputs u (in SI units). It writes `outputs` numbers to y, keeps "
      "what "
      "it has to remember in `memory`, and returns 0; anything else ends the run. All it remembers must be "
      "there, not in static variables: within one sample it may be called again from the same memory when an "
      "input turns out to have changed, and a resumed run gives it back. The source is compiled as that of "
      "control.c_function is; code of a model runs only if you trust it: see docs/functions.md.";
  sampled::is_sampled(type, "y");
  type.connects(input("any", "u; several signals [a, b, …] are one after the other").any_width().optional());
  Parameter file =
      escapement::file("file", "a C source (.c) or a shared library (.so)").one_of("the function");
  Parameter code = text("code", "the C source itself").one_of("the function");
  file.code = code.code = code.verbatim = true;
  type.takes(file);
  type.takes(code);
  type.takes(text("function", "name of the exported function").otherwise("step"));
  type.takes(
      integer("outputs", "how many numbers it writes to y").at_least(1).at_most(10'000).otherwise("1"));
  type.takes(vector("memory", "any", 0, "what it remembers, at the start; none if absent").optional());
  type.takes(number("time_limit", "s", "a call that takes longer has failed").positive().otherwise("10 s"));
  type.signs = "As the function has them.";
  std::string indented = averaging;
  for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos && at + 1 < indented.size();
       ++at)
    if (indented[at + 1] != '\n') indented.insert(at + 1, "    ");
  type.example =
      "\nwave: {type: control.sine, amplitude: 2, frequency: 1 Hz}\nmean:\n  type: sampled.c_function\n"
      "  period: 50 ms\n  input: wave\n  memory: [0, 0]\n  code: |\n    " +
      indented;
  type.width = [](const Build& b, std::string_view) { return b.integer("outputs"); };
  type.build = build_c_function;
  return type;
}

}  // namespace escapement
