// The only file that knows CLI11. Its messages are ours: they name the nearest verb or option.
#include "command_line.hpp"
#include "base/nearest_name.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/error.hpp"
#include "model/units.hpp"

namespace escapement::app {
namespace {

constexpr const char* examples = R"(Examples:
  escapement new swing                         a commented model to start from
  escapement run swing/model.yaml              simulate; results in swing-run/
  escapement plot swing-run mass.position      an SVG plot of a channel
  escapement report swing-run                  one HTML page: plots, moving picture, numbers
  escapement components translational.spring   the reference page of a component

Exit status: 0 done, 2 input, 3 model, 4 numerical, 5 files, 6 code of a model, 70 a fault of the program, 130 interrupted.)";

// Verbs that the interface has fixed but this version does not do yet.
const std::vector<std::string> later = {"linearize", "spectrum", "convergence",
                                        "sweep",     "reduce",   "optimize"};

constexpr const char* saving = "save the run so often (wall time; default: 30 s, 0 s: never)";

class CommandLine {
 public:
  explicit CommandLine(Command& command) : command_(command) {
    app_.set_help_flag("-h,--help", "print this");
    app_.set_version_flag("--version", "escapement " ESCAPEMENT_VERSION);
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(34);

    add_run();
    add_resume();
    add_equilibrium();
    add_modes();
    add_buckling();
    add_check_and_show();
    add_components_and_new();
    add_plot_and_report();
    add_compare_and_export();
    add_trust_and_completion();
    app_.footer(examples);  // last: verbs would inherit it
  }

  bool parse(int argc, char** argv) {
    if (argc < 2) {
      fmt::print("{}", app_.help());
      return false;
    }
    for (int i = 1; i < argc; ++i) command_.json = command_.json || std::string(argv[i]) == "--json";
    command_.program = argv[0];
    check_verb(argv[1]);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      const auto chosen = app_.get_subcommands();
      fmt::print("{}", chosen.empty() ? app_.help() : chosen.front()->help("escapement"));
      return false;
    } catch (const CLI::CallForVersion& v) {
      fmt::print("{}\n", v.what());
      return false;
    } catch (const CLI::ParseError& e) {
      explain(e, argc, argv);
    }
    command_.verb = app_.get_subcommands().front()->get_name();
    for (const std::string& s : settings_) {
      const std::size_t equals = s.find('=');
      if (equals == std::string::npos || equals == 0)
        throw ModelError("E-USAGE", "--set " + s, "expected KEY=VALUE", "--set simulate.step=\"0.05 s\"");
      command_.set.emplace_back(s.substr(0, equals), s.substr(equals + 1));
    }
    return true;
  }

  std::vector<VerbInfo> verbs() const {
    std::vector<VerbInfo> list;
    for (const CLI::App* v : app_.get_subcommands({})) {
      VerbInfo info{v->get_name(), v->get_description(), {}};
      for (const CLI::Option* o : v->get_options())
        for (const std::string& name : o->get_lnames()) info.options.push_back("--" + name);
      list.push_back(std::move(info));
    }
    return list;
  }

 private:
  void add_run() {
    auto* run = verb("run", "simulate a model and record the results");
    model(run);
    run->add_option("--out", command_.out, "folder for the results (default: <model's folder>-run)");
    run->add_flag("--force", command_.force, "replace the run in the folder given with --out");
    run->add_flag("--report", command_.report, "and write report.html there: plots, moving picture, numbers");
    common(run);
    run->add_option("--checkpoint-every", command_.checkpoint_every, saving);
    run->add_flag("--real-time", command_.real_time,
                  "in step with the wall clock; tells how late steps were and how long they took");
    run->add_option("--speed", command_.speed, "simulated seconds per second of real time (default: 1)")
        ->check(CLI::PositiveNumber);
  }
  void add_resume() {
    auto* resume =
        verb("resume", "go on with a run that was interrupted or killed, from its last checkpoint");
    resume->add_option("RUN", command_.arguments, "a run folder")->required()->expected(1);
    resume->add_option("--checkpoint-every", command_.checkpoint_every, saving);
    resume->add_flag("--report", command_.report, "and write report.html there when it ends");
    resume->add_flag("--trust", command_.trust,
                     "run the code that the model uses (C functions), whatever it is");
    resume->add_flag("--json", command_.json, "standard output carries JSON lines only");
    resume->add_flag("--quiet", command_.quiet, "no progress, no summary");
  }
  void add_equilibrium() {
    auto* still = verb("equilibrium", "find where a model rests: positions, reactions, signals");
    model(still);
    still->add_option("--out", command_.out,
                      "folder for the results (default: <model's folder>-equilibrium, of a path -path)");
    still->add_option("--path", command_.path,
                      "KEY=FROM..TO: equilibria along `load` (the factor of all loads), a channel such as "
                      "\"apex.position.z=0.3 m..-0.3 m\", or a parameter of the model");
    still
        ->add_option(
            "--points", command_.points,
            "of a path: how many at most (default: 1000); along a channel how many steps (default: 100)")
        ->check(CLI::Range(1, 1000000));
    still->add_flag("--force", command_.force, "replace the run in the folder given with --out");
    common(still);
  }
  void add_modes() {
    auto* modes = verb("modes", "frequencies, damping and shapes of small motions about a configuration");
    model(modes);
    modes->add_option(
        "--at", command_.at,
        "where: equilibrium, steady (a steady turn), or a time such as \"2.5 s\" of a run (default: as "
        "the model starts)");
    modes->add_option("--count", command_.count, "how many, the slowest first (default: 20)")
        ->check(CLI::Range(1, 100000));
    modes->add_option("--below", command_.below, "instead: all up to this frequency, such as \"500 Hz\"");
    modes->add_flag("--undamped", command_.undamped,
                    "without velocities and states: real shapes, from mass and stiffness alone");
    modes
        ->add_option("--sweep", command_.sweep,
                     "KEY FROM TO N: the modes over N values of what --set can set (Campbell diagram)")
        ->expected(4);
    modes->add_option("--out", command_.out, "folder for the results (default: <model's folder>-modes)");
    modes->add_flag("--force", command_.force, "replace the run in the folder given with --out");
    modes->add_flag("--report", command_.report, "and write report.html there: the shapes in motion");
    common(modes);
  }
  void add_buckling() {
    auto* buckling = verb("buckling", "factors of the loads at which a structure buckles, and the shapes");
    model(buckling);
    buckling->add_option("--count", command_.count, "how many, the smallest first (default: 5)")
        ->check(CLI::Range(1, 1000));
    buckling->add_option("--out", command_.out,
                         "folder for the results (default: <model's folder>-buckling)");
    buckling->add_flag("--force", command_.force, "replace the run in the folder given with --out");
    buckling->add_flag("--report", command_.report, "and write report.html there: the shapes in motion");
    common(buckling);
  }
  void add_check_and_show() {
    auto* check =
        verb("check", "everything but stepping: syntax, units, references, topology, structural rank, start");
    model(check);
    common(check);
    auto* show =
        verb("show",
             "the model flattened: parameters, subsystems and repetitions resolved; its unknowns and rows");
    model(show);
    show->add_flag("--start", command_.start, "with the values at the start");
    show->add_flag("--channels", command_.channels,
                   "list the channels that can be recorded, plotted or used as inputs");
    common(show);
  }
  void add_components_and_new() {
    auto* components = verb("components", "the reference: all component types, or one in full");
    components->add_option("NAME", command_.arguments, "a component type");
    components->add_flag("--schema", command_.schema, "print a JSON Schema of model files, for editors");
    components->add_flag("--markdown", command_.markdown, "print the whole reference as Markdown");
    components->add_flag("--json", command_.json, "print as JSON");
    auto* fresh = verb("new", "write a commented model to start from");
    fresh->add_option("DIR", command_.arguments, "folder to make")->required();
    fresh->add_flag("--json", command_.json, "messages as JSON lines");
  }
  void add_plot_and_report() {
    auto* plot = verb("plot", "plot channels of a run as SVG");
    plot->add_option("RUN", command_.arguments,
                     "a run folder, then channels (with * and ?); without channels: the plots of the model")
        ->required();
    plot->add_option("--x", command_.x, "channel for the horizontal axis (default: time)");
    plot->add_option("--width", command_.width, "of the picture, in px (default: 720)")
        ->check(CLI::Range(200, 4000));
    plot->add_option("--out", command_.out, "file to write (default: in the run folder)");
    plot->add_flag("--json", command_.json, "messages as JSON lines");
    auto* report =
        verb("report", "one HTML page of a run: plots, moving picture, numbers; no network needed");
    report->add_option("RUN", command_.arguments, "a run folder")->required()->expected(1);
    report->add_option("--out", command_.out, "file to write (default: RUN/report.html)");
    report->add_flag("--json", command_.json, "messages as JSON lines");
  }
  void add_compare_and_export() {
    auto* compare =
        verb("compare", "how far two runs are apart, channel by channel, and a page that overlays them");
    compare->add_option("RUN", command_.arguments, "two run folders")->required()->expected(2);
    compare->add_option("--out", command_.out, "page to write (default: compare.html in the second folder)");
    compare->add_flag("--json", command_.json, "standard output carries JSON lines only");
    auto* exporting = verb("export", "the moving picture of a run for other programs");
    exporting->add_option("RUN", command_.arguments, "a run folder")->required()->expected(1);
    exporting->add_flag("--vtk", command_.vtk, "as VTK, for ParaView: motion.pvd and a file per frame");
    exporting->add_option("--out", command_.out, "folder to write to (default: RUN/vtk)");
    exporting->add_flag("--json", command_.json, "messages as JSON lines");
  }
  void add_trust_and_completion() {
    auto* trust =
        verb("trust", "let code that models use (C functions) run from now on, known by its content");
    trust->add_option("FILE", command_.arguments,
                      "a C source (.c), a shared library (.so), or a model: all it uses");
    trust->add_flag("--list", command_.list, "print what is trusted");
    trust->add_flag("--remove", command_.remove, "trust it no more");
    trust->add_flag("--allow-outside", command_.allow_outside, "let the model use files outside its folder");
    trust->add_flag("--json", command_.json, "standard output carries JSON lines only");
    trust->add_flag("--quiet", command_.quiet, "print nothing");
    auto* completion = verb("completion", "print a completion script for bash, zsh or fish");
    completion->add_option("SHELL", command_.arguments, "bash, zsh or fish")->required();
  }
  CLI::App* verb(const char* name, const char* summary) {
    CLI::App* v = app_.add_subcommand(name, summary);
    v->set_help_flag("-h,--help", "print this");
    return v;
  }
  void model(CLI::App* v) {
    v->add_option("MODEL", command_.arguments, "a model file (.yaml)")->required()->expected(1);
  }
  void common(CLI::App* v) {
    v->add_option("--set", settings_,
                  "KEY=VALUE: a parameter, or a dotted path such as mass.initial.position")
        ->type_size(1)
        ->allow_extra_args(false);
    v->add_flag("--allow-outside", command_.allow_outside, "let the model use files outside its folder");
    v->add_flag("--trust", command_.trust, "run the code that the model uses (C functions), whatever it is");
    v->add_flag("--json", command_.json, "standard output carries JSON lines only");
    v->add_flag("--quiet", command_.quiet, "no progress, no summary");
  }

  std::vector<std::string> verb_names() const {
    std::vector<std::string> names;
    for (const VerbInfo& v : verbs()) names.push_back(v.name);
    return names;
  }

  void check_verb(const std::string& word) const {
    const auto names = verb_names();
    if (std::find(names.begin(), names.end(), word) != names.end()) return;
    if (word.starts_with("-")) {
      if (word == "-h" || word == "--help" || word == "--version") return;
      throw ModelError(
          "E-USAGE", word, "there is no such option",
          did_you_mean(word, std::vector<std::string>{"--help", "--version"}, "escapement --help"));
    }
    if (std::find(later.begin(), later.end(), word) != later.end())
      throw ModelError("E-USAGE", word, "this version does not have this verb yet", "escapement --help");
    std::string hint = did_you_mean(word, names, "escapement --help lists the verbs");
    if (nearest_name(word, names).empty() && (word.ends_with(".yaml") || word.ends_with(".yml")))
      hint = "escapement run " + word;
    throw ModelError("E-USAGE", word, "there is no such verb", hint);
  }

  [[noreturn]] void explain(const CLI::ParseError& e, int argc, char** argv) const {
    const CLI::App* chosen = &app_;
    for (const CLI::App* v : app_.get_subcommands({}))
      if (argc > 1 && v->get_name() == argv[1]) chosen = v;
    std::vector<std::string> options;
    for (const CLI::Option* o : chosen->get_options())
      for (const std::string& name : o->get_lnames()) options.push_back("--" + name);
    const std::string help = fmt::format("escapement {} --help", chosen->get_name());
    for (int i = 2; i < argc; ++i) {
      const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
      if (!word.starts_with("-") || word == "-h" ||
          std::find(options.begin(), options.end(), word) != options.end())
        continue;
      throw ModelError("E-USAGE", word, fmt::format("`escapement {}` has no such option", chosen->get_name()),
                       did_you_mean(word, options, help));
    }
    if (dynamic_cast<const CLI::RequiredError*>(&e))
      throw ModelError("E-USAGE", chosen->get_name(), "something is missing: " + std::string(e.what()), help);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) || dynamic_cast<const CLI::ExtrasError*>(&e))
      throw ModelError("E-USAGE", chosen->get_name(), "more or fewer arguments than it takes", help);
    throw ModelError("E-USAGE", chosen->get_name(), e.what(), help);
  }

  Command& command_;
  std::vector<std::string> settings_;
  CLI::App app_{"Escapement: simulator for mechatronic systems", "escapement"};
};

}  // namespace

void need_out_for_force(const Command& command) {
  if (command.force && command.out.empty())
    throw ModelError("E-USAGE", "--force", "it concerns a folder given with --out", "--out DIR --force");
}

bool read_command_line(int argc, char** argv, Command& command) {
  return CommandLine(command).parse(argc, argv);
}

std::vector<VerbInfo> verbs() {
  Command unused;
  return CommandLine(unused).verbs();
}

}  // namespace escapement::app
