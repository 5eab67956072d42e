#include "stepping/stepped_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "analyses/simulate.hpp"
#include "base/nearest_name.hpp"
#include "components/control/input.hpp"
#include "components/registry.hpp"
#include "core/without_workers.hpp"
#include "model/diagnostics.hpp"

namespace escapement {
namespace {

struct Silent final : RunObserver {
  void row(const State&) override {}
  bool step(const StepDone&) override { return true; }
};

/// A number of `control.input`.
struct InputSlot {
  std::string name;
  int variable, memory;
};

std::string without_output(std::string name) {
  constexpr std::string_view part = ".output";
  if (const std::size_t at = name.rfind(part); at != std::string::npos) name.erase(at, part.size());
  return name;
}

std::vector<InputSlot> find_inputs(const Model& model, const Assembly& assembly) {
  std::vector<InputSlot> slots;
  for (const auto& g : assembly.system.groups())
    if (const auto* group = dynamic_cast<const ElementGroup*>(g.get());
        group && *group->type().type == typeid(control::Input))
      for (int k = 0; k < group->size(); ++k)
        slots.push_back({"", group->variables_of(k)[0], group->memory_of(k)});
  const auto is_input = [&](const std::string& component) {
    return std::any_of(model.components.begin(), model.components.end(), [&](const FlatComponent& c) {
      return c.path == component && c.type->name == "control.input";
    });
  };
  for (const Channel& c : assembly.channels)  // others may share its signal
    for (InputSlot& s : slots)
      if (c.from.source == BoundOutput::Source::value && c.from.variable == s.variable &&
          is_input(c.name.substr(0, c.name.rfind(".output"))))
        s.name = without_output(c.name);
  return slots;
}

SimulateOptions stepping_options(const Model& model) {
  SimulateOptions o = simulate_options(model);
  need_fixed_steps(model, o, "a model that is stepped from outside");
  o.until = std::numeric_limits<double>::infinity();
  o.output_steps = std::numeric_limits<int>::max();  // no rows of results
  o.output_interval = 0;
  o.output_times.clear();
  o.bare = true;
  return o;
}

}  // namespace

struct SteppedModel::Parts {
  Parts(const std::filesystem::path& file, const SteppingOptions& o)
      : registry(standard_registry()),
        model(Model::read_file(file, registry, {o.set, o.allow_outside, {}, o.trust})),
        options(stepping_options(model)),
        assembly(assemble(model)),
        inputs(find_inputs(model, assembly)) {
    check_scheme(model, assembly, options);
    try {
      simulation.emplace(assembly, options, observer);
      simulation->begin();
    } catch (const ModelError& e) {
      throw model.located(e);
    }
    look();
    if (failed) {
      const RunFailure& f = *simulation->result().failure;
      throw ModelError(f.code, f.where, f.cause, f.hint);
    }
    rehearse();
  }
  /// After whatever may have failed.
  bool look() {
    if (const auto& failure = simulation->result().failure; failure && !failed) {
      failed = true;
      status = exit_status(failure->code);
      message = ModelError(failure->code, failure->where, failure->cause, failure->hint).what();
    }
    return !failed;
  }
  void rehearse() {
    const WithoutWorkers alone;
    simulation->rehearse(8);
  }
  bool over() const { return failed || simulation->finished(); }

  Registry registry;
  Model model;
  SimulateOptions options;
  Assembly assembly;
  std::vector<InputSlot> inputs;
  Silent observer;
  std::optional<Simulation> simulation;
  bool failed = false;
  int status = 0;
  std::string message;
};

SteppedModel::SteppedModel(const std::filesystem::path& file, const SteppingOptions& options)
    : parts_(std::make_unique<Parts>(file, options)) {}
SteppedModel::~SteppedModel() = default;
SteppedModel::SteppedModel(SteppedModel&&) noexcept = default;
SteppedModel& SteppedModel::operator=(SteppedModel&&) noexcept = default;

std::vector<std::string> SteppedModel::inputs() const {
  std::vector<std::string> names;
  for (const InputSlot& s : parts_->inputs) names.push_back(s.name);
  return names;
}

std::vector<std::string> SteppedModel::outputs() const {
  std::vector<std::string> names;
  for (const Channel& c : parts_->assembly.channels) names.push_back(c.name);
  return names;
}

SteppedModel::Input SteppedModel::input(std::string_view name) const {
  const auto names = inputs();
  const std::string wanted = without_output(std::string(name));
  if (const auto at = std::find(names.begin(), names.end(), wanted); at != names.end())
    return {static_cast<int>(at - names.begin())};
  for (const std::string& n : names)
    if (n.starts_with(wanted + "."))
      throw ModelError("E-CHANNEL", std::string(name), "this input has several parts",
                       fmt::format("{}.1, {}.2 …", wanted, wanted));
  if (!matching(name, outputs()).empty())
    throw ModelError("E-CHANNEL", std::string(name), "it is an output of the model and cannot be set",
                     names.empty() ? "make the signal that is to be set a control.input"
                                   : "the inputs are " + fmt::format("{}", fmt::join(names, ", ")));
  throw ModelError("E-CHANNEL", std::string(name), "the model has no such input",
                   did_you_mean(name, names,
                                names.empty() ? "it has none; a control.input is one"
                                              : fmt::format("the inputs are {}", fmt::join(names, ", "))));
}

SteppedModel::Output SteppedModel::output(std::string_view name) const {
  const auto names = outputs();
  const auto found = matching(name, names);
  if (found.size() == 1) return {found[0]};
  if (found.size() > 1)
    throw ModelError("E-CHANNEL", std::string(name), "several channels have this name",
                     fmt::format("one of {}, {} …", names[found[0]], names[found[1]]));
  throw ModelError("E-CHANNEL", std::string(name), "the model has no such channel",
                   did_you_mean(name, names, "escapement show MODEL --channels lists them"));
}

void SteppedModel::set(Input input, double value) {
  Parts& p = *parts_;
  if (input.index < 0 || input.index >= static_cast<int>(p.inputs.size()))
    throw ModelError("E-VALUE", "input", "this handle belongs to no input of the model", "input(name)");
  const InputSlot& slot = p.inputs[input.index];
  if (!std::isfinite(value))
    throw ModelError("E-VALUE", slot.name, fmt::format("its value cannot be {}", value), "a finite number");
  p.simulation->state().memory[slot.memory] = value;
}

bool SteppedModel::jump() {
  Parts& p = *parts_;
  if (p.over()) return false;
  const WithoutWorkers alone;
  p.simulation->jump();
  return p.look();
}

bool SteppedModel::step() {
  Parts& p = *parts_;
  if (p.over()) return false;
  const WithoutWorkers alone;
  p.simulation->step_whole();
  return p.look();
}

double SteppedModel::read(Output output) const {
  const Parts& p = *parts_;
  if (output.index < 0 || output.index >= static_cast<int>(p.assembly.channels.size())) return NAN;
  return p.assembly.read(p.assembly.channels[output.index], p.simulation->state());
}

double SteppedModel::time() const { return parts_->simulation->state().t; }
double SteppedModel::step_size() const { return parts_->simulation->next_step(); }
bool SteppedModel::ended() const { return !parts_->failed && parts_->simulation->finished(); }
bool SteppedModel::failed() const { return parts_->failed; }
int SteppedModel::status() const { return parts_->status; }
const std::string& SteppedModel::message() const { return parts_->message; }
void SteppedModel::rehearse() {
  if (!parts_->over()) parts_->rehearse();
}
long SteppedModel::pivotings() const { return parts_->simulation->pivotings(); }

}  // namespace escapement
