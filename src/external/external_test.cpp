// User code that crashes, hangs, exits, lies or is not there: every fault comes back as a value that says what it was.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "external/function.hpp"
#include "external/guard.hpp"
#include "external/sha256.hpp"

using namespace escapement;
using namespace escapement::external;

namespace fs = std::filesystem;

namespace {

/// Settings and caches of their own, removed at the end.
struct Sandbox {
  Sandbox() {
    std::string name = (fs::temp_directory_path() / "escapement-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder = name;
    setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
    setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  }
  ~Sandbox() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  fs::path folder;
};

/// A function with one state, one input, one output and one parameter, its parts given as C.
std::string source(const std::string& f, const std::string& h = "y[0] = x[0]; return 0;",
                   const std::string& more = "", const std::string& before = "") {
  const std::string arguments = "(double t, const double *x, const double *u, const double *p, ";
  return "#include <escapement/function.h>\n#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n" +
         before + "\nstatic int f" + arguments + "double *dx) { " + f + " }\nstatic int h" + arguments +
         "double *y) { " + h +
         " }\nconst escapement_function function = {.version = ESCAPEMENT_FUNCTION_VERSION, .states = 1, "
         ".inputs = 1,\n"
         ".outputs = 1, .parameters = 1, .f = f, .h = h" +
         more + "};\n";
}

Function function(const std::string& text, double limit = 10) {
  auto library = load(source_text("test.c", text), true);
  const auto& table = table_of(*library, "function");
  return Function(library, table, "block", {2.0}, limit);
}

/// What an evaluation at t = 3, x = 1, u = 4 complains of; "" if it does not.
std::string complaint(const Function& function, bool check = false) {
  const double x = 1, u = 4;
  double dx = 0, y = 0;
  try {
    if (check) function.check(3, &x, &u);
    function.evaluate(3, &x, &u, &dx, &y);
    return function.fault() ? function.fault()->what() : "";
  } catch (const ModelError& e) {
    return e.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("`", text, "` lacks `", part, "`");
  return found;
}

LoadError load_error(const std::string& text, bool trust = true) {
  try {
    const auto library = load(source_text("test.c", text), trust);
    Function(library, table_of(*library, "function"), "block", {2.0}, 1);
  } catch (const LoadError& e) {
    return e;
  }
  return {};
}

}  // namespace

TEST_CASE("SHA-256 of the standard's messages") {  // FIPS 180-4, examples of NIST
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a well-behaved function") {
  Sandbox sandbox;
  const Function f =
      function(source("dx[0] = p[0] * u[0] - x[0] * t; return 0;", "y[0] = x[0] * u[0]; return 0;"));
  const double x = 1, u = 4;
  double dx = 0, y = 0, jacobian[4];
  f.check(3, &x, &u);
  f.evaluate(3, &x, &u, &dx, &y);
  CHECK(dx == 5);
  CHECK(y == 4);
  f.jacobian(3, &x, &u, jacobian);
  const double expected[] = {-3, 2, 4,
                             1};  // f is linear, h bilinear: central differences are exact but for rounding
  for (int i = 0; i < 4; ++i) CHECK(std::abs(jacobian[i] - expected[i]) < 1e-9);
}

TEST_CASE("crashes come back as a message, and nothing is called again") {
  Sandbox sandbox;
  const struct {
    const char *code, *says;
  } cases[] = {
      {"*(volatile int *)8 = 1; return 0;", "SIGSEGV (it used memory"},
      {"abort();", "SIGABRT"},
      {"volatile int seven = 7, zero = 0; return seven / zero;", "SIGFPE"},
      {"__builtin_trap();", "SIGILL"},
      {"exit(0);", "called exit()"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.code);
    const Function f = function(source(c.code));
    const std::string text = complaint(f);
    CHECK(has(text, "E-FUNCTION  block.f: f of `test.c`"));
    CHECK(has(text, c.says));
    CHECK(has(text, "at t = 3 s"));
    CHECK(has(complaint(f), "is not called again"));
  }
}

TEST_CASE("a recursion without end") {
  Sandbox sandbox;
  const Function f = function(source(
      "return deep(x[0]) > 0;", "y[0] = 0; return 0;", "",
      "static double deep(double x) { volatile double a[100]; a[7] = x; return deep(x + 1) + a[7]; }"));
  CHECK(has(complaint(f), "stack overflowed"));
}

TEST_CASE("a hang ends after the limit") {
  Sandbox sandbox;
  const Function f = function(source("for (volatile int i = 0;; ++i) {}"), 0.2);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(has(complaint(f), "did not return within 0.2 s"));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CHECK(seconds >= 0.2);
  CHECK(seconds < 5);
}

TEST_CASE("errors that the function tells, and numbers that are none") {
  Sandbox sandbox;
  CHECK(has(complaint(function(source("return 7;"))), "f of `test.c` returned 7 at"));
  CHECK(has(complaint(function(
                source("dx[0] = 0; return 0;", "return -2;", ", .message = message",
                       "static const char *message(int code) { return code == -2 ? \"too cold\" : 0; }"))),
            "block.h: h of `test.c` returned -2: too cold"));
  CHECK(has(complaint(function(source("dx[0] = sqrt(-x[0]); return 0;"))), "gave dx[0] = -nan"));
  CHECK(has(complaint(function(source("dx[0] = 0; return 0;", "y[0] = 1 / (x[0] - 1); return 0;",
                                      ", .output_names = names",
                                      "static const char *const names[] = {\"force\"};"))),
            "gave y[0] (force) = inf"));
}

TEST_CASE("hidden state and wrong derivatives are found at the start") {
  Sandbox sandbox;
  CHECK(has(complaint(function(source("static double sum; dx[0] = sum += u[0]; return 0;")), true),
            "not a function of its arguments"));
  const std::string arguments = "(double t, const double *x, const double *u, const double *p, double *m)";
  const auto with = [&](const std::string& entry) {
    return source("dx[0] = p[0] * u[0] * u[0] - x[0]; return 0;", "y[0] = fabs(x[0] - 1); return 0;",
                  ", .f_u = f_u, .h_x = h_x",
                  "static int f_u" + arguments + " { m[0] = " + entry + "; return 0; }\nstatic int h_x" +
                      arguments + " { m[0] = x[0] < 1 ? -1 : 1; return 0; }");
  };
  CHECK(complaint(function(with("2 * p[0] * u[0]")), true) ==
        "");  // and a kink at the very point is no fault
  const std::string wrong = complaint(function(with("p[0] * u[0]")), true);
  CHECK(has(wrong, "block.f_u: f_u of `test.c` gave 8 in row 0, column 0, where differences give 16"));
}

TEST_CASE("given derivatives are used, absent ones found by differences") {
  Sandbox sandbox;
  const std::string arguments = "(double t, const double *x, const double *u, const double *p, double *m)";
  const Function f =
      function(source("dx[0] = sin(x[0]) * u[0]; return 0;", "y[0] = exp(x[0]); return 0;", ", .f_x = f_x",
                      "static int f_x" + arguments + " { m[0] = 1234; return 0; }"));
  const double x = 1, u = 4;
  double jacobian[4];
  f.jacobian(0, &x, &u, jacobian);
  CHECK(jacobian[0] == 1234);
  CHECK(std::abs(jacobian[1] - std::sin(1.0)) < 1e-9);
  CHECK(std::abs(jacobian[2] - std::exp(1.0)) < 1e-9);
  CHECK(std::abs(jacobian[3]) < 1e-12);
}

TEST_CASE("code that cannot be used says why") {
  Sandbox sandbox;
  LoadError e = load_error(source("dx[0] = nonsense; return 0;"));
  CHECK(e.code == "E-COMPILE");
  CHECK(has(e.cause, "status 1"));
  CHECK(has(e.cause, "test.c:6:"));  // the line of the source as its author knows it
  CHECK(load_error(source("dx[0] = elsewhere(); return 0;", "", "", "double elsewhere(void);")).code ==
        "E-COMPILE");
  CHECK(load_error("int other;\n").code == "E-LIBRARY");
  CHECK(has(load_error("const int function = 99;\n").cause, "version 99, needs 1"));
  CHECK(has(load_error("#include <escapement/function.h>\nconst escapement_function function = {.version = "
                       "1, .outputs = 1};")
                .cause,
            "no h"));
  CHECK(has(load_error("__attribute__((constructor)) static void boom(void) { __builtin_trap(); }\n").cause,
            "SIGILL"));
  setenv("CC", "no-such-compiler", 1);
  e = load_error(source("dx[0] = 0.5; return 0;"));
  unsetenv("CC");
  CHECK(e.code == "E-COMPILE");
  CHECK(has(e.cause, "there is no C compiler `no-such-compiler`"));
  const fs::path text = sandbox.folder / "function.txt", library = sandbox.folder / "broken.so";
  write_file(text, "x");
  write_file(library, "not an ELF file");
  CHECK_THROWS_AS(source_file(text), LoadError);
  CHECK_THROWS_AS(source_file(sandbox.folder / "missing.c"), LoadError);
  CHECK_THROWS_AS(load(source_file(library), true), LoadError);
}

TEST_CASE("sizes that depend on the parameters") {
  Sandbox sandbox;
  const Function f = function(
      source("dx[0] = 0; return 0;", "y[0] = 0; return 0;", ", .sizes = sizes",
             "static int sizes(const double *p, int *n, int *m, int *k) { *n = p[0] * 10; return 0; }"));
  CHECK(f.states() == 20);
  CHECK(f.inputs() == 1);
}

TEST_CASE("trust is by content") {
  Sandbox sandbox;
  const std::string text = source("dx[0] = -x[0] / 3; return 0;");
  const LoadError e = load_error(text, false);
  CHECK(e.code == "E-TRUST");
  CHECK(has(e.cause, sha256(text)));
  const TrustFile file;
  CHECK(file.add(sha256(text), "test.c"));
  CHECK_FALSE(file.add(sha256(text), "test.c"));
  CHECK(file.read().size() == 1);
  CHECK(file.read()[0].note.starts_with("test.c 20"));
  CHECK(load_error(text, false).code == "");
  CHECK(load_error(text + " ", false).code == "E-TRUST");
  CHECK(file.remove(sha256(text)));
  CHECK_FALSE(file.remove(sha256(text)));
  CHECK(load_error(text, false).code == "E-TRUST");
}

TEST_CASE("what is compiled once is kept") {
  Sandbox sandbox;
  const std::string text = source("dx[0] = -x[0] / 4; return 0;");
  CHECK(load_error(text).code == "");
  int kept = 0;
  for (const auto& entry : fs::directory_iterator(sandbox.folder / "cache" / "escapement"))
    kept += entry.path().extension() == ".so";
  CHECK(kept == 1);
}

TEST_CASE("exceptions are caught") {
  auto throwing = [] { throw std::runtime_error("out of oil"); };
  CHECK_FALSE(guarded(throwing, 1));
  CHECK(last_outcome().told(1) == "threw an exception: out of oil");
  auto fine = [] {};
  CHECK(guarded(fine, 1));
}

TEST_CASE("outside of guarded calls signals go where they went before") {
  auto fine = [] {};
  CHECK(guarded(fine, 1));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGFPE, SIG_DFL);
    arm_guard();
    raise(SIGFPE);  // as if nobody had ever caught it
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGFPE);
}
