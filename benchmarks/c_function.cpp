// What it costs to call a function written in C through the guard, and what that is of a Newton iteration.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "components/registry.hpp"
#include "external/function.hpp"
#include "external/guard.hpp"
#include "model/assembly.hpp"
#include "report.hpp"
#include "steppers/generalized_alpha.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

namespace {

const char* const lag = R"c(#include <escapement/function.h>
static int f(double t, const double *x, const double *u, const double *p, double *dx) {
  dx[0] = (u[0] - x[0]) / p[0];
  return 0;
}
static int h(double t, const double *x, const double *u, const double *p, double *y) {
  y[0] = x[0];
  return 0;
}
static int f_x(double t, const double *x, const double *u, const double *p, double *m) {
  m[0] = -1 / p[0];
  return 0;
}
static int f_u(double t, const double *x, const double *u, const double *p, double *m) {
  m[0] = 1 / p[0];
  return 0;
}
static int h_x(double t, const double *x, const double *u, const double *p, double *m) {
  m[0] = 1;
  return 0;
}
static int h_u(double t, const double *x, const double *u, const double *p, double *m) {
  m[0] = 0;
  return 0;
}
const escapement_function bare = {.version = ESCAPEMENT_FUNCTION_VERSION, .states = 1, .inputs = 1, .outputs = 1,
                                  .parameters = 1, .f = f, .h = h};
const escapement_function function = {.version = ESCAPEMENT_FUNCTION_VERSION, .states = 1, .inputs = 1, .outputs = 1,
                                      .parameters = 1, .f = f, .h = h, .f_x = f_x, .f_u = f_u, .h_x = h_x, .h_u = h_u};
)c";

/// Seconds per residual and per tangent of a system with n such functions in a row, or with n built-in lags.
struct Cost {
  double residual, tangent;
};
Cost chain(const std::string& block, int n) {
  const Registry registry = standard_registry();
  std::string text =
      "escapement: 1\ncomponents:\n  s0: {type: control.sine, amplitude: 1, frequency: 1 Hz}\n";
  for (int i = 1; i <= n; ++i) text += fmt::format("  s{}: {{{}, input: s{}}}\n", i, block, i - 1);
  ReadOptions options;
  options.trust = true;
  options.allow_outside = true;
  const Assembly assembly = assemble(Model::read_text(text, "chain.yaml", registry, options));
  const System& system = assembly.system;
  std::vector<double> r(system.size()), values(system.pattern().nonzeros());
  const Shift shift{.position = 1, .velocity = 1, .acceleration = 1, .store = 1, .flow = 0.01};
  const double residual = seconds([&] { system.residual(assembly.initial, shift, r); });
  return {residual / n, seconds([&] { system.tangent(assembly.initial, shift, {}, r, values); }) / n};
}

}  // namespace

int main() {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("escapement-bench-{}", std::rand());
  fs::create_directories(folder);
  setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  const external::Source source = external::source_text("lag.c", lag);
  const auto library = external::load(source, true);
  const auto& table = external::table_of(*library, "function");
  const external::Function function(library, table, "lag", {0.2}, 10);

  double x = 1, u = 2, p = 0.2, dx = 0, y = 0;
  const auto thousand = [](auto f) {
    return seconds([&] {
             for (int i = 0; i < 1000; ++i) f();
           }) /
           1000;
  };
  const double bare = thousand([&] {
    table.f(0, &x, &u, &p, &dx);
    table.h(0, &x, &u, &p, &y);
  });
  const double guarded = thousand([&] { function.evaluate(0, &x, &u, &dx, &y); });
  auto nothing = [] {};
  const double guard = thousand([&] { external::guarded(nothing, 10); });
  report("c_function", "f and h under guard, results checked", guarded / bare, "the bare pointers", guarded,
         "s");
  report("c_function", "the guard alone", guard / bare, "the bare pointers", guard, "s");

  std::ofstream(folder / "lag.c") << lag;
  const std::string file =
      fmt::format("type: control.c_function, file: {}, parameters: [0.2]", (folder / "lag.c").string());
  const int n = 1000;
  const Cost given = chain(file, n), measured = chain(file + ", function: bare", n),
             built_in = chain("type: control.state_space, A: [[-5]], B: [[5]], C: [[1]]", n);
  const char* const against = "the same lag as control.state_space";
  report("c_function", "residual, per block", given.residual / built_in.residual, against, given.residual,
         "s");
  report("c_function", "rows and tangent, given, per block", given.tangent / built_in.tangent, against,
         given.tangent, "s");
  report("c_function", "rows and tangent, by differences, per block", measured.tangent / built_in.tangent,
         against, measured.tangent, "s");
  fs::remove_all(folder);
}
