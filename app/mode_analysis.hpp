// A model and its modes about a configuration, as `modes` finds and reports them.
#pragma once
#include <string>
#include <vector>

#include "analyses/configuration.hpp"
#include "analyses/modes.hpp"
#include "command_line.hpp"
#include "messages.hpp"

namespace escapement::app {

struct ModeAnalysis {
  Model model;
  Assembly assembly;
  Configuration configuration;
  ModesResult result;
};

/// Throws ModelError E-USAGE for options that say nothing.
void check_mode_options(const Command& command);
ModeAnalysis analyse_modes(const Command& command, const Registry& registry);
/// Warnings that have not been reported yet.
void tell_warnings(const ModeAnalysis& analysis, const Command& command, std::vector<Warning>& told);

/// `number`: from 1.
Json mode_json(const ModeAnalysis& analysis, std::size_t number);
Json modes_json(const ModeAnalysis& analysis);
std::string modes_csv(const ModeAnalysis& analysis);
/// Of a CSV file.
std::string quoted_field(const std::string& text);

}  // namespace escapement::app
