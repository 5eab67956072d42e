// The command line: reads it, runs the verb, turns every fault into a message and an exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "command_line.hpp"
#include "external/guard.hpp"
#include "messages.hpp"
#include "record/file_error.hpp"

namespace escapement::app {
namespace {

int dispatch(const Command& c) {
  if (c.verb == "equilibrium" && !c.path.empty()) return equilibrium_path(c);
  if (c.verb == "run" || c.verb == "equilibrium") return run(c);
  if (c.verb == "resume") return resume(c);
  if (c.verb == "modes") return modes(c);
  if (c.verb == "buckling") return buckling(c);
  if (c.verb == "check") return check(c);
  if (c.verb == "show") return show(c);
  if (c.verb == "components") return components(c);
  if (c.verb == "new") return make_new(c);
  if (c.verb == "plot") return plot(c);
  if (c.verb == "report") return report(c);
  if (c.verb == "compare") return compare(c);
  if (c.verb == "export") return export_run(c);
  if (c.verb == "trust") return trust(c);
  return completion(c);
}

int guarded(int argc, char** argv) {
  Command command;
  try {
    if (!read_command_line(argc, argv, command)) return 0;
    return dispatch(command);
  } catch (const ModelErrors& e) {
    for (const ModelError& one : e.errors) print_error(one, command.json);
    int status = 0;
    for (const ModelError& one : e.errors) status = status == 0 ? exit_status(one.code) : status;
    return status;
  } catch (const ModelError& e) {
    print_error(e, command.json);
    return exit_status(e.code);
  } catch (const FileError& e) {
    print_error(ModelError("E-FILE", "", e.cause, e.hint, {e.path, 0, 0}), command.json);
    return exit_status("E-FILE");
  } catch (const std::bad_alloc&) {
    print_error(ModelError("E-LIMIT", "", "there is not enough memory for this model", "a smaller model"),
                command.json);
    return exit_status("E-LIMIT");
  } catch (const std::system_error& e) {  // standard output is full or closed
    print_error(ModelError("E-FILE", "", e.what(), ""), false);
    return exit_status("E-FILE");
  } catch (const std::exception& e) {
    print_error(ModelError("E-INTERNAL", "", e.what(), "please report this, with the model"), command.json);
    return exit_status("E-INTERNAL");
  }
}

}  // namespace
}  // namespace escapement::app

int main(int argc, char** argv) {
  // A file opened later must not become standard output or standard error.
  for (int stream = 0; stream <= 2; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDWR) == -1) return 70;
  int status = 0;
  try {
    escapement::external::exit_when_stuck(escapement::exit_status("E-FUNCTION"), 20);
    status = escapement::app::guarded(argc, argv);
  } catch (...) {  // not even the message found memory
    constexpr std::string_view told = "E-LIMIT: there is not enough memory\n";
    return write(2, told.data(), told.size()) < 0 ? 70 : escapement::exit_status("E-LIMIT");
  }
  if (std::fflush(stdout) != 0 && status == 0) return 5;  // standard output is full or closed
  return status;
}
