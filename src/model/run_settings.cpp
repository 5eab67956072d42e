#include "model/run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "model/simulate_keys.hpp"

namespace escapement {

void RunSettings::read(const Node& root) {
  if (const Node* title = root.find("title")) model_.title = scalar(*title, "title");
  if (const Node* text = root.find("description")) scalar(*text, "description");
  read_simulate(root);
  if (const Node* start = top(root, "start")) read_start(*start);
  if (const Node* gravity = top(root, "gravity")) read_gravity(*gravity);
  if (const Node* nominal =
          find_section(root, "nominal", Node::Kind::mapping, "a mapping unknown: magnitude"))
    for (const Node::Entry& e : nominal->entries) model_.nominals.push_back({e.key, e.value, e.mark});
  if (const Node* record = top(root, "record")) read_record(*record);
  if (const Node* plots = find_section(root, "plots", Node::Kind::sequence, "a list of plots"))
    for (const Node& p : plots->items) read_plot(p);
}

const Node* RunSettings::top(const Node& root, const std::string& key) {
  const Node* value = command_.find(key);
  return value ? value : root.find(key);
}

void RunSettings::read_simulate(const Node& root) {
  const Node* simulate = find_section(root, "simulate", Node::Kind::mapping, "a mapping {until: …, step: …}");
  Node settings = simulate ? *simulate : Node::mapping({});
  model_.notes = give_way(settings, command_.of_simulate());
  command_.apply_to_simulate(settings);
  if (!simulate) settings.mark = root.mark;
  const Node& text = model_.texts_->documents.emplace_back(std::move(settings));
  model_.simulate_text_ = &text;
  if (text.entries.empty()) return;
  model_.simulate = FieldReader(space_, {}).read(text, simulate_schema(), {}, "simulate", diagnostics_);
  check_alternatives(text, simulate_schema(), {}, "simulate");
  if (const Node* every = text.find("output_every")) {
    const Dimension given = FieldReader(space_, {}).compile(*every, "simulate.output_every").dimension();
    model_.output_every_is_time = given == parse_unit("s").dimension;
    if (!model_.output_every_is_time && !given.dimensionless())
      throw fault("E-UNITS", every->mark, "simulate.output_every",
                  fmt::format("got {}, needs a time or a whole number of steps", every->text));
  }
}

void RunSettings::read_start(const Node& start) {
  model_.start = start_mode(start);
  const std::vector<std::string> choices = {"given", "assembled", "equilibrium"};
  if (model_.start == "steady")
    throw fault("E-UNSUPPORTED", start.mark, "start",
                fmt::format("`start: {}` is not there yet", model_.start), "start: equilibrium");
  if (std::find(choices.begin(), choices.end(), model_.start) == choices.end())
    throw fault("E-VALUE", start.mark, "start",
                fmt::format("`{}` is not one of {}", model_.start, fmt::join(choices, ", ")),
                did_you_mean(model_.start, choices));
}

/// `start: equilibrium`, or `start: {mode: equilibrium, load_steps: 10}`.
std::string RunSettings::start_mode(const Node& start) {
  if (!start.is_mapping()) return scalar(start, "start");
  const FieldValues given = FieldReader(space_, {})
                                .read(start,
                                      {text("mode", "given, assembled or equilibrium"),
                                       integer("load_steps", "loads grow in so many steps")
                                           .at_least(1)
                                           .at_most(100000)
                                           .otherwise("1")},
                                      {}, "start", diagnostics_);
  diagnostics_.stop();
  const std::string mode = std::get<std::string>(*given.find("mode"));
  model_.load_steps = static_cast<int>(std::get<double>(*given.find("load_steps")));
  if (given.given("load_steps") && mode != "equilibrium")
    throw fault("E-KEY", start.find("load_steps")->mark, "start.load_steps",
                fmt::format("`mode: {}` has no load steps", mode), "mode: equilibrium");
  return mode;
}

void RunSettings::read_gravity(const Node& gravity) {
  if (gravity.is_scalar() && gravity.text == "none") {
    model_.gravity = {0, 0, 0};
  } else if (gravity.is_sequence() && gravity.items.size() == 2) {
    throw fault("E-TYPE", gravity.mark, "gravity", "expected 3 numbers, found 2",
                "it serves bodies in space, z up; planar.mass has a `gravity` of its own");
  } else {
    model_.gravity = std::get<std::vector<double>>(
        FieldReader(space_, {}).read(vector("gravity", "m/s^2", 3, ""), gravity, "gravity"));
  }
}

void RunSettings::read_record(const Node& record) {
  if (record.is_scalar() && record.text == "all") {
    model_.record_all = true;
  } else if (record.is_sequence()) {
    if (record.items.empty())
      throw fault("E-TYPE", record.mark, "record", "the list is empty",
                  "remove it to record the default channels");
    for (const Node& n : record.items) model_.record.push_back({scalar(n, "record"), n.mark, "record"});
  } else {
    model_.record.push_back({scalar(record, "record"), record.mark, "record"});
  }
}

void RunSettings::read_plot(const Node& p) {
  if (!p.is_mapping())
    throw fault("E-TYPE", p.mark, "plots", "expected {title: …, y: …}, found " + p.described());
  PlotRequestText plot;
  for (const Node::Entry& e : p.entries) {
    if (e.key == "title") {
      plot.title = scalar(e.value, "plots.title");
    } else if (e.key == "x") {
      plot.x = {scalar(e.value, "plots.x"), e.value.mark, "plots.x"};
    } else if (e.key == "y") {
      if (e.value.is_sequence())
        for (const Node& n : e.value.items) plot.y.push_back({scalar(n, "plots.y"), n.mark, "plots.y"});
      else plot.y.push_back({scalar(e.value, "plots.y"), e.value.mark, "plots.y"});
    } else {
      throw fault("E-KEY", e.mark, "plots." + e.key, "a plot has no such key",
                  did_you_mean(e.key, std::vector<std::string>{"title", "x", "y"}));
    }
  }
  if (plot.y.empty()) throw fault("E-MISSING", p.mark, "plots", "`y` is missing (the channels to plot)");
  model_.plots.push_back(std::move(plot));
}

}  // namespace escapement
