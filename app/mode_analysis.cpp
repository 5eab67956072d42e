#include "mode_analysis.hpp"
#include "base/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model_files.hpp"
#include "quantity.hpp"
#include "shapes.hpp"

namespace escapement::app {
namespace {

ConfigurationChoice choice_of(const Command& command) {
  const std::string& at = command.at;
  if (at.empty()) return {};
  if (at == "equilibrium") return {ConfigurationChoice::Kind::equilibrium};
  if (at == "steady") return {ConfigurationChoice::Kind::steady};
  if (at == "start") return {ConfigurationChoice::Kind::start};
  if (std::isalpha(static_cast<unsigned char>(at[0])))
    throw ModelError("E-USAGE", "--at " + at, "is no configuration",
                     did_you_mean(at, std::vector<std::string>{"start", "equilibrium", "steady"},
                                  "start, equilibrium, steady, or a time such as \"2.5 s\""));
  return {ConfigurationChoice::Kind::time, quantity("--at", at, "s", "\"2.5 s\"")};
}

ModesOptions options_of(const Command& command) {
  ModesOptions o;
  if (command.count > 0) o.count = command.count;
  o.undamped = command.undamped;
  if (!command.below.empty()) {
    o.below = quantity("--below", command.below, "Hz", "\"500 Hz\"");
    if (!(o.below > 0))
      throw ModelError("E-USAGE", "--below " + command.below, "nothing is below that", "--below \"500 Hz\"");
  }
  return o;
}

}  // namespace

void check_mode_options(const Command& command) { choice_of(command), options_of(command); }

ModeAnalysis analyse_modes(const Command& command, const Registry& registry) {
  Model model = read_model(command, registry);
  Assembly assembly = assemble_for_linearization(model);
  try {
    Configuration configuration = configure(model, assembly, choice_of(command));
    ModesOptions options = options_of(command);
    options.proximal = configuration.proximal;
    ModesResult result = find_modes(assembly.system, configuration.state, options);
    return {std::move(model), std::move(assembly), std::move(configuration), std::move(result)};
  } catch (const ModelError& e) {
    throw model.located(e);
  }
}

void tell_warnings(const ModeAnalysis& a, const Command& command, std::vector<Warning>& told) {
  std::vector<Warning> warnings = a.assembly.warnings;
  for (const auto* list : {&a.configuration.warnings, &a.result.warnings})
    warnings.insert(warnings.end(), list->begin(), list->end());
  for (const Warning& w : warnings)
    if (std::find(told.begin(), told.end(), w) == told.end()) {
      print_warning(w, command.json);
      told.push_back(w);
    }
}

Json mode_json(const ModeAnalysis& a, std::size_t number) {
  const Mode& m = a.result.modes[number - 1];
  return Json::object()
      .set("mode", number)
      .set("frequency", m.frequency())
      .set("natural_frequency", m.natural())
      .set("damping_ratio", m.damping())
      .set("real", m.s.real())
      .set("imaginary", m.s.imag())
      .set("residual", m.residual)
      .set("moves", what_moves(a.assembly.system, m.largest));
}

Json modes_json(const ModeAnalysis& a) {
  Json list = Json::array();
  for (std::size_t k = 1; k <= a.result.modes.size(); ++k) list.add(mode_json(a, k));
  return list;
}

std::string quoted_field(const std::string& text) {
  return text.find_first_of(",\"") == std::string::npos ? text : "\"" + text + "\"";
}

std::string modes_csv(const ModeAnalysis& a) {
  std::string text = "mode,frequency,natural_frequency,damping_ratio,real,imaginary,residual,moves\n";
  int number = 0;
  for (const Mode& m : a.result.modes)
    text += fmt::format("{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.3g},{}\n", ++number, m.frequency(),
                        m.natural(), m.damping(), m.s.real(), m.s.imag(), m.residual,
                        quoted_field(what_moves(a.assembly.system, m.largest)));
  return text;
}

}  // namespace escapement::app
