// What the user typed, and the verbs that answer it.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace escapement::app {

struct Command {
  std::string program = "escapement";  // as it was called
  std::string verb;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> set;
  std::string out, x, checkpoint_every, at, below, path;
  std::vector<std::string> sweep;
  int width = 720, count = 0, points = 0;  // 0: as many as is usual
  double speed = 0;                        // of real time; 0: as usual
  bool json = false, quiet = false, force = false, allow_outside = false;
  bool trust = false, list = false, remove = false;
  bool real_time = false;
  bool report = false, vtk = false, undamped = false;
  bool schema = false, markdown = false, start = false, channels = false;
};

/// Throws ModelError E-USAGE with the nearest verb or option; returns false if help or version was printed.
bool read_command_line(int argc, char** argv, Command& command);

/// Throws ModelError E-USAGE for --force without --out.
void need_out_for_force(const Command& command);

// Each returns the exit status.
int run(const Command& command);
int resume(const Command& command);
int equilibrium_path(const Command& command);
int modes(const Command& command);
int buckling(const Command& command);
int check(const Command& command);
int show(const Command& command);
int components(const Command& command);
int make_new(const Command& command);
int plot(const Command& command);
int report(const Command& command);
int compare(const Command& command);
int export_run(const Command& command);
/// `report.html` of a run folder; says where.
void write_report(const std::string& run, const std::string& out, bool json);
/// E-VIEWER unless the viewer is part of this program.
void need_viewer();
int trust(const Command& command);
int completion(const Command& command);

/// Verbs with their options, for the completion of shells.
struct VerbInfo {
  std::string name, summary;
  std::vector<std::string> options;
};
std::vector<VerbInfo> verbs();

}  // namespace escapement::app
