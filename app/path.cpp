// `escapement equilibrium MODEL --path KEY=FROM..TO`: equilibria along a load factor, a parameter or a coordinate, through limit
// points (T-path).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyses/equilibrium_path.hpp"
#include "analyses/prepare.hpp"
#include "command_line.hpp"
#include "components/registry.hpp"
#include "messages.hpp"
#include "model/units.hpp"
#include "model_files.hpp"
#include "quantity.hpp"
#include "record/motion.hpp"
#include "record/writer.hpp"
#include "report/scene_json.hpp"

namespace escapement::app {
namespace {

constexpr const char* example = "load=0..2";
constexpr double farthest = 10;  // ranges, the other way, at which a path is given up

/// KEY=FROM..TO.
struct Request {
  std::string key, unit;
  double from = 0, to = 0;
};

Request request_of(const Command& command) {
  const std::string& text = command.path;
  const auto equals = text.find('='), dots = text.find("..", equals);
  if (equals == std::string::npos || equals == 0 || dots == std::string::npos)
    throw ModelError("E-USAGE", "--path " + text, "expected KEY=FROM..TO",
                     fmt::format("--path {}, or a channel or parameter of the model: --path "
                                 "\"apex.position.z=0.3 m..-0.3 m\"",
                                 example));
  const Quantity from = parse_quantity("--path", text.substr(equals + 1, dots - equals - 1), example),
                 to = parse_quantity("--path", text.substr(dots + 2), example);
  if (!from.unit.empty() && !to.unit.empty() && from.unit != to.unit)
    throw ModelError("E-USAGE", "--path " + text,
                     fmt::format("{} and {} are of different units", from.unit, to.unit),
                     "the same unit at both ends");
  if (from.value == to.value)
    throw ModelError("E-USAGE", "--path " + text, "the path has no length", "two different values");
  return {text.substr(0, equals), to.unit.empty() ? from.unit : to.unit, from.value, to.value};
}

/// A value in the unit of a channel.
double in_unit(const Request& request, double value, const std::string& unit) {
  if (request.unit.empty() && (unit == "1" || value == 0)) return value;
  try {
    const Unit given = parse_unit(request.unit), wanted = parse_unit(unit);
    if (compatible(given.dimension, wanted.dimension)) return value * given.factor / wanted.factor;
  } catch (const UnitError&) {
  }
  throw ModelError("E-USAGE", "--path " + request.key, fmt::format("needs values in {}", unit),
                   fmt::format("--path \"{}=0..1 {}\"", request.key, unit));
}

/// Along what, and with which models.
class Family {
 public:
  const Request request;
  int control = -1;         // the channel that is given, while the loads follow; -1: none
  double from = 0, to = 0;  // of it

  Family(const Command& command, const Registry& registry, const Model& model, const Assembly& assembly)
      : request(request_of(command)), command_(command), registry_(registry), model_(model) {
    const auto find = [&](const Channel& c) { return c.name == request.key; };
    const auto channel = std::find_if(assembly.channels.begin(), assembly.channels.end(), find);
    const bool factor = request.key == "loads" || (request.key == "load" && !is_parameter());
    loads_ = factor || channel != assembly.channels.end();
    if (factor) in_unit(request, 1, "1");
    if (channel == assembly.channels.end()) return;
    control = static_cast<int>(channel - assembly.channels.begin());
    from = in_unit(request, request.from, channel->unit), to = in_unit(request, request.to, channel->unit);
  }
  Assembly at(double value) const {
    if (loads_) return assemble(model_, {}, value);
    return assemble(read(value));
  }
  /// Ready to start at a value.
  Prepared prepared(double value) const {
    std::optional<Model> other;
    if (!loads_) other.emplace(read(value));
    const Model& model = other ? *other : model_;
    PrepareOptions options = prepare_options(model);
    options.mode = StartMode::equilibrium;
    options.load_steps = 1;
    try {
      return prepare(at(value), options);
    } catch (const ModelError& e) {
      throw model.located(e);
    }
  }
  /// What the parameter is called beside the channels, and its unit.
  std::string parameter_name() const { return loads_ ? "path.load" : "path." + request.key; }
  std::string parameter_unit() const { return loads_ || request.unit.empty() ? "1" : request.unit; }

 private:
  Model read(double value) const {
    auto set = command_.set;
    set.emplace_back(request.key,
                     fmt::format("{:.17g}{}{}", value, request.unit.empty() ? "" : " ", request.unit));
    return Model::read_file(command_.arguments.at(0), registry_,
                            {set, command_.allow_outside, {}, command_.trust});
  }
  /// Has the model something of this name that --set knows?
  bool is_parameter() const {
    try {
      read(request.from);
    } catch (const ModelErrors& e) {
      return e.errors.front().code != "E-USAGE";
    } catch (const ModelError& e) {
      return e.code != "E-USAGE";
    }
    return true;
  }
  const Command& command_;
  const Registry& registry_;
  const Model& model_;
  bool loads_ = false;
};

/// Rows of results, and frames of the picture; `time` counts the points.
class PathRecord {
 public:
  PathRecord(const Family& family, const Model& model, const Assembly& assembly, const RunFolder& folder)
      : family_(family) {
    for (const Channel* c : assembly.recorded(model))
      channels_.push_back(static_cast<int>(c - assembly.channels.data()));
    std::vector<Column> columns = {{"time", "s", "the number of the point"}};
    if (family.control >= 0) {
      const Channel& c = assembly.channels[family.control];
      columns.push_back({"path." + c.name, c.unit, c.summary});
    }
    columns.push_back({family.parameter_name(), family.parameter_unit(), "along the path"});
    for (const int i : channels_) {
      const Channel& c = assembly.channels[i];
      columns.push_back({c.name, c.unit, c.summary});
    }
    writers_.push_back(csv_writer(folder.path() / "results.csv", columns));
    if (columns.size() < 20'000) writers_.push_back(hdf5_writer(folder.path() / "results.h5", columns));
    if (const std::size_t places = motion_columns(assembly); places > 0)
      motion_.emplace(folder.path() / "motion.bin", places);
  }
  void point(const PathPoint& point) {
    const Assembly assembly = family_.at(point.parameter);
    std::vector<double> values = {static_cast<double>(count_)};
    const auto read = [&](int i) { return assembly.read(assembly.channels[i], point.state); };
    if (family_.control >= 0) values.push_back(read(family_.control));
    values.push_back(point.parameter);
    for (const int i : channels_) values.push_back(read(i));
    for (const auto& w : writers_) w->row(values);
    if (motion_) {
      std::vector<double> places;
      read_motion(assembly, point.state, places);
      motion_->frame(count_, places);
    }
    ++count_;
  }
  void close() {
    for (const auto& w : writers_) w->close();
    if (motion_) motion_->close();
  }
  int count() const { return count_; }

 private:
  const Family& family_;
  std::vector<int> channels_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::optional<MotionWriter> motion_;
  int count_ = 0;
};

/// On the way.
struct Findings {
  std::vector<double> turns;  // values of the parameter at limit points
  std::optional<ModelError> failure;
  std::vector<Warning> warnings;
};

std::string value_text(const Family& family, double value) {
  const std::string unit = family.parameter_unit();
  return fmt::format("{} = {:.9g}{}{}", family.parameter_name().substr(5), value, unit == "1" ? "" : " ",
                     unit == "1" ? "" : unit);
}

ModelError lost(const Family& family, const EquilibriumPath& path, const char* hint) {
  return ModelError(
      "E-EQUILIBRIUM", "",
      fmt::format("the path could be followed to {} only", value_text(family, path.point().parameter)), hint);
}

void follow(const Family& family, EquilibriumPath& path, int most, PathRecord& record, Findings& found) {
  const double from = family.request.from, to = family.request.to;
  record.point(path.point());
  for (int k = 1; k < most; ++k) {
    if (!path.advance()) {
      found.failure =
          lost(family, path,
               "something may come to move freely there, or switch (a stop, friction): a path goes "
               "on with what holds where it begins");
      return;
    }
    const bool turned = path.turned();
    if (turned) {
      path.stop_at_turn();
      found.turns.push_back(path.point().parameter);
    }
    const bool arrived = path.passed(to);
    if (arrived && !path.stop_at(to)) {
      found.failure = lost(family, path, "a value beside it");
      return;
    }
    if (arrived && turned) found.turns.pop_back();
    record.point(path.point());
    if (arrived) return;
    if ((path.point().parameter - from) / (to - from) < -farthest) {
      found.warnings.push_back(
          {"W-PATH",
           fmt::format(
               "the path turned back{} and left at {}: it does not come to {:.6g} from there",
               found.turns.empty() ? "" : fmt::format(" at {}", value_text(family, found.turns.front())),
               value_text(family, path.point().parameter), to),
           "a range up to where it turns, or another quantity to follow it by"});
      return;
    }
  }
  found.warnings.push_back({"W-PATH",
                            fmt::format("after {} points the path is at {} and has not come to {:.6g}",
                                        record.count(), value_text(family, path.point().parameter), to),
                            "--points asks for more"});
}

/// At even values of the coordinate, with the loads that this takes.
void control(const Family& family, EquilibriumPath& path, int steps, PathRecord& record, Findings& found) {
  const PathMeasure measure = [&](const Assembly& a, const State& s) {
    return a.read(a.channels[family.control], s);
  };
  double slope = 0;
  for (int k = 0; k <= steps; ++k) {
    const double value = k == steps ? family.to : family.from + (family.to - family.from) * k / steps;
    if (!path.reach(measure, value)) {
      found.failure =
          lost(family, path,
               "the coordinate may turn back there, or nothing that bears the loads moves it: another "
               "one, or --path load=0..1");
      return;
    }
    const double before = record.count() > 1 ? slope : 0;
    slope = path.point().slope;
    if (before * slope < 0 && path.turned()) found.turns.push_back(path.turning_point().parameter);
    record.point(path.point());
  }
}

Json list_of(const auto& values) {
  Json list = Json::array();
  for (const auto& v : values) list.add(v);
  return list;
}

}  // namespace

int equilibrium_path(const Command& command) {
  need_out_for_force(command);
  const Registry registry = standard_registry();
  const Model model = read_model(command, registry);
  const Assembly assembly = assemble(model);
  for (const Warning& w : assembly.warnings) print_warning(w, command.json);
  const Family family(command, registry, model, assembly);
  const bool by_control = family.control >= 0;
  const double start = by_control ? 0 : family.request.from;
  const Prepared prepared = family.prepared(start);
  StartOptions options;
  options.kept = assembly.fixed;
  options.proximal = prepared.proximal;
  EquilibriumPath path([&](double value) { return family.at(value); }, prepared.state, start,
                       by_control ? 1 : family.request.to - start, options);

  const std::filesystem::path file = command.arguments.at(0);
  const ModelFiles files(model, file);
  const RunFolder folder =
      command.out.empty() ? RunFolder::beside(file, "-path") : RunFolder::at(command.out, command.force);
  files.write(folder, model, assembly);
  PathRecord record(family, model, assembly, folder);
  Findings found;
  found.warnings = prepared.warnings;
  if (by_control) control(family, path, command.points > 0 ? command.points : 100, record, found);
  else follow(family, path, command.points > 0 ? command.points : 1000, record, found);
  record.close();

  for (const Warning& w : found.warnings) print_warning(w, command.json);
  folder.write("summary.json", Json::object()
                                       .set("title", model.title)
                                       .set("status", found.failure ? "failed" : "done")
                                       .set("analysis", "path")
                                       .set("path", command.path)
                                       .set("points", record.count())
                                       .set("limit_points", list_of(found.turns))
                                       .set("warnings", warnings_json(found.warnings))
                                       .set("unknowns", unknowns_by_kind(assembly.system))
                                       .set("version", ESCAPEMENT_VERSION)
                                       .text(true) +
                                   "\n");
  if (command.json)
    print_json(Json::object()
                   .set("event", found.failure ? "failed" : "done")
                   .set("folder", folder.path().string())
                   .set("limit_points", list_of(found.turns)));
  else if (!command.quiet) {
    if (!model.title.empty()) fmt::print("{}\n", model.title);
    for (const double turn : found.turns) fmt::print("  limit point at {}\n", value_text(family, turn));
    fmt::print("  {} points, to {}, in {}\n", record.count(), value_text(family, path.point().parameter),
               (folder.path() / "results.csv").string());
    fmt::print("  next: {} plot {} CHANNEL\n", command.program, quoted_if_needed(folder.path().string()));
  }
  if (!found.failure) return 0;
  print_error(*found.failure, command.json);
  return exit_status(found.failure->code);
}

}  // namespace escapement::app
