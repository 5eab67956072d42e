// `escapement check`, `show`, `components`, `new`, `completion`: everything that does not step.
#include <fmt/format.h>

#include <filesystem>

#include "analyses/simulate.hpp"
#include "base/nearest_name.hpp"
#include "command_line.hpp"
#include "components/registry.hpp"
#include "core/structural_rank.hpp"
#include "messages.hpp"
#include "model_files.hpp"
#include "record/file_error.hpp"
#include "record/run_folder.hpp"
#include "report/reference.hpp"

namespace escapement::app {
namespace {

namespace fs = std::filesystem;

/// The consistent start, as `run` makes it.
Prepared started(const Model& model, const Assembly& assembly) {
  try {
    return prepare_consistent(assembly, prepare_options(model));
  } catch (const ModelError& e) {
    throw model.located(e);
  }
}

void refuse_structural_singularity(const Model& model, const Assembly& assembly) {
  const System& system = assembly.system;
  const auto rows = structurally_singular_rows(system);
  if (rows.empty()) return;
  try {
    started(model, assembly);
  } catch (const ModelError& e) {  // it knows the path of a loop of signals
    if (e.code == "E-LOOP") throw;
  }
  throw ModelError(
      "E-SINGULAR", rows.front(),
      fmt::format("the equations cannot determine all unknowns, whatever the numbers: structural rank {} of "
                  "{}; rows without an unknown of their own: {}",
                  system.size() - static_cast<int>(rows.size()), system.size(),
                  fmt::join(rows.begin(), rows.begin() + std::min<std::size_t>(rows.size(), 5), ", ")),
      "look for parts that are not connected or prescribed twice, or for a loop of signals that determines "
      "nothing");
}

}  // namespace

int check(const Command& command) {
  const Registry registry = standard_registry();
  const Model model = read_model(command, registry);
  std::optional<SimulateOptions> options;
  if (model.simulate.find("until")) options = simulate_options(model);
  const Assembly assembly = assemble(model);
  assembly.recorded(model);
  for (const Warning& w : assembly.warnings) print_warning(w, command.json);
  if (options) check_scheme(model, assembly, *options);
  try {
    refuse_structural_singularity(model, assembly);
  } catch (const ModelError& e) {
    throw model.located(e);
  }
  const Prepared start = started(model, assembly);
  for (const Warning& w : start.warnings) print_warning(w, command.json);
  if (!command.quiet)
    for (const auto* notes : {&model.notes, &start.notes})
      for (const std::string& n : *notes) print_note(n, command.json);
  const System& system = assembly.system;
  if (command.json) {
    print_json(Json::object()
                   .set("event", "checked")
                   .set("file", command.arguments[0])
                   .set("components", model.components.size())
                   .set("unknowns", unknowns_by_kind(system))
                   .set("structural_rank", system.size())
                   .set("nonzeros", system.pattern().nonzeros())
                   .set("redundant_constraints", start.redundant)
                   .set("channels", assembly.channels.size()));
    return 0;
  }
  if (command.quiet) return 0;
  fmt::print("{}: fine\n", command.arguments[0]);
  fmt::print("  {} components, {} unknowns:\n", model.components.size(), system.size());
  for (int k = 0; k < kind_count; ++k)
    if (const int n = system.rows(static_cast<Kind>(k)).size(); n > 0)
      fmt::print("    {:>7} {:<13} {}\n", n, name_of(static_cast<Kind>(k)),
                 equation_of(static_cast<Kind>(k)));
  fmt::print("  structural rank {} of {}, {} entries in the matrix\n", system.size(), system.size(),
             system.pattern().nonzeros());
  fmt::print("  a consistent start exists; {} channels, {} of them recorded\n", assembly.channels.size(),
             assembly.recorded(model).size());
  if (!model.simulate.find("until")) fmt::print("  there is no `simulate:` section yet\n");
  return 0;
}

int show(const Command& command) {
  const Registry registry = standard_registry();
  const Model model = read_model(command, registry);
  const Assembly assembly = assemble(model);
  const System& system = assembly.system;
  if (command.channels) {
    Json list = Json::array();
    for (const Channel& c : assembly.channels) {
      if (command.json)
        list.add(Json::object().set("name", c.name).set("unit", c.unit).set("by_default", c.by_default));
      else fmt::print("{:<40} {}{}\n", c.name, c.unit, c.by_default ? "" : "  (on request)");
    }
    if (command.json) print_json(Json::object().set("channels", list));
    return 0;
  }
  std::optional<State> state;
  if (command.start) state = started(model, assembly).state;
  const std::string text = write_yaml(model.flattened());
  Json unknowns = Json::array();
  if (!command.json) fmt::print("{}\n# unknowns and their rows\n", text);
  for (const Variable& v : system.variables()) {
    std::vector<double> values, rates;
    if (state) {
      values.assign(&state->value[v.value], &state->value[v.value] + v.values);
      if (v.kind == Kind::position) rates.assign(&state->rate[v.row], &state->rate[v.row] + v.dofs);
    }
    const std::string equation = v.equation.empty() ? equation_of(v.kind) : v.equation;
    if (command.json) {
      Json j = Json::object();
      j.set("name", v.name)
          .set("kind", name_of(v.kind))
          .set("unit", v.unit)
          .set("rows", v.dofs)
          .set("equation", equation);
      if (state) {
        Json numbers = Json::array(), velocity = Json::array();
        for (double x : values) numbers.add(x);
        for (double x : rates) velocity.add(x);
        j.set("value", numbers);
        if (!rates.empty()) j.set("rate", velocity);
      }
      unknowns.add(j);
      continue;
    }
    fmt::print("#   {:<32} {:<12} {:<8} {}", v.name, name_of(v.kind), v.unit, equation);
    if (state) fmt::print("   = {:.9g}", fmt::join(values, ", "));
    if (!rates.empty()) fmt::print("   rate {:.9g}", fmt::join(rates, ", "));
    fmt::print("\n");
  }
  if (command.json) print_json(Json::object().set("model", text).set("unknowns", unknowns));
  return 0;
}

int components(const Command& command) {
  const Registry registry = standard_registry();
  if (command.schema) {
    fmt::print("{}\n", model_schema(registry).text(true));
    return 0;
  }
  if (command.arguments.empty()) {
    if (command.json) {
      Json all = Json::array();
      for (const ComponentType& t : registry.types()) all.add(component_json(t));
      print_json(all);
    } else {
      fmt::print("{}", command.markdown ? reference_markdown(registry) : component_list(registry));
    }
    return 0;
  }
  for (const std::string& name : command.arguments) {
    const ComponentType* type = registry.find(name);
    if (name == "simulate" && !command.json) {
      fmt::print("{}", simulate_page());
      continue;
    }
    if (!type) {
      std::vector<std::string> ending;  // `spring` for every ….spring
      for (const std::string& n : registry.names())
        if (n.substr(n.find('.') + 1) == name || n.substr(0, n.find('.')) == name) ending.push_back(n);
      if (ending.size() == 1) type = registry.find(ending.front());
      if (!type)
        throw ModelError("E-COMPONENT", name, "there is no such component type",
                         !ending.empty()
                             ? fmt::format("one of {}", fmt::join(ending, ", "))
                             : did_you_mean(name, registry.names(), "escapement components lists all types"));
    }
    if (command.json) print_json(component_json(*type));
    else fmt::print("{}", command.markdown ? component_markdown(*type) : component_page(*type));
  }
  return 0;
}

// ------------------------------------------------------------------ new

namespace {

constexpr const char* starter =
    R"yaml(# A mass on a spring and a damper, pushed by a force that jumps: a model to start from.
#
#   {1} check {0}/model.yaml      is everything right?
#   {1} run {0}/model.yaml        simulate; the results are in {0}-run/
#   {1} plot {0}-run              the plots asked for below
#
# Every quantity has its unit. `{1} components` lists what can stand under `components:`.
escapement: 1                 # version of the model language
title: A mass on a spring

parameters:                   # change one for a run: --set m="3 kg"
  m: 2 kg
  k: 50 N/m
  d: 3 N*s/m

components:
  # name: {{type: …, values, connections}}; a mass owns the slider that others connect to
  mass:    {{type: translational.mass, mass: m, initial: {{position: 0.1 m}}}}
  spring:  {{type: translational.spring, stiffness: k, between: [ground, mass]}}
  damper:  {{type: translational.damper, damping: d, between: [ground, mass]}}
  # signals: any channel of any component may be the input of another
  push:    {{type: control.step, time: 1 s, before: 0 N, after: 10 N, unit: N}}
  force:   {{type: translational.force, at: mass, input: push}}

simulate: {{until: 8 s, step: 0.01 s}}

# record: [mass.*, spring.force]      # instead of the default channels; `all` for everything
plots:
  - {{title: The mass comes to rest where the spring balances the force, y: mass.position}}
  - {{title: Forces, y: [spring.force, force.force]}}
)yaml";

}  // namespace

int make_new(const Command& command) {
  const fs::path folder = command.arguments.at(0);
  std::error_code fault;
  if (fs::exists(folder / "model.yaml", fault))
    throw FileError((folder / "model.yaml").string(), "there is a model already; it is left as it is",
                    "another folder");
  fs::create_directories(folder, fault);
  if (fault) throw system_error(folder, "cannot be made", fault.value());
  std::string name = folder.string();
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  RunFolder::existing(folder).write("model.yaml", fmt::format(starter, name, command.program));
  if (command.json)
    print_json(Json::object().set("event", "written").set("file", (folder / "model.yaml").string()));
  else
    fmt::print("wrote {0}\n  next: {1} run {0}\n", quoted_if_needed(name + "/model.yaml"), command.program);
  return 0;
}

// ------------------------------------------------------------------ completion

int completion(const Command& command) {
  const std::string& shell = command.arguments.at(0);
  const auto list = verbs();
  std::vector<std::string> names;
  for (const VerbInfo& v : list) names.push_back(v.name);
  const auto types = standard_registry().names();
  if (shell == "bash" || shell == "zsh") {
    if (shell == "zsh") fmt::print("#compdef escapement\nautoload -U +X bashcompinit && bashcompinit\n");
    fmt::print("# For this shell:  source <(escapement completion {})\n", shell);
    fmt::print("_escapement() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}} words=\n");
    fmt::print("  if ((COMP_CWORD == 1)); then words='{} --help --version'\n", fmt::join(names, " "));
    fmt::print("  elif [[ $word == -* ]]; then\n    case $verb in\n");
    for (const VerbInfo& v : list) fmt::print("      {}) words='{}' ;;\n", v.name, fmt::join(v.options, " "));
    fmt::print("    esac\n  elif [[ $verb == components ]]; then words='{}'\n", fmt::join(types, " "));
    fmt::print("  elif [[ $verb == completion ]]; then words='bash zsh fish'\n  fi\n");
    fmt::print("  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n");
    fmt::print("  if [[ -z $words ]]; then mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); fi\n}}\n");
    fmt::print("complete -o filenames -F _escapement escapement ./escapement\n");
  } else if (shell == "fish") {
    fmt::print("# For this shell:  escapement completion fish | source\n");
    for (const VerbInfo& v : list) {
      fmt::print("complete -c escapement -n __fish_use_subcommand -a {} -d '{}'\n", v.name,
                 v.summary.substr(0, v.summary.find('\'')));
      for (const std::string& o : v.options)
        fmt::print("complete -c escapement -n '__fish_seen_subcommand_from {}' -l {}\n", v.name, o.substr(2));
    }
    fmt::print("complete -c escapement -n '__fish_seen_subcommand_from components' -f -a '{}'\n",
               fmt::join(types, " "));
  } else {
    throw ModelError("E-USAGE", shell, "there is no completion for this shell", "bash, zsh or fish");
  }
  return 0;
}

}  // namespace escapement::app
