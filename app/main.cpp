// The command line. Model files come with the reader; until then the program tells its version and what it is built on.
#include <fmt/format.h>

#include <cstring>

int main(int argc, char** argv) {
  const char* first = argc > 1 ? argv[1] : "--help";
  if (std::strcmp(first, "--version") == 0) {
    fmt::print("escapement {}\n", ESCAPEMENT_VERSION);
    return 0;
  }
  if (std::strcmp(first, "--help") == 0 || std::strcmp(first, "-h") == 0) {
    fmt::print(
        "escapement {}: simulator for mechatronic systems\n\n"
        "  escapement --version   the version\n"
        "  escapement --help      this text\n\n"
        "The engine is a C++ library so far (docs/tour.md); model files are read by the next version.\n",
        ESCAPEMENT_VERSION);
    return 0;
  }
  fmt::print(stderr,
             "E-USAGE  {}: this version knows --help and --version only\n    Try: escapement --help\n",
             first);
  return 2;
}
