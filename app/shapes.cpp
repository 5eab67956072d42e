#include "shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/manifold.hpp"
#include "messages.hpp"
#include "model_files.hpp"
#include "record/motion.hpp"
#include "record/writer.hpp"
#include "report/scene_json.hpp"

namespace escapement::app {
namespace {

/// The diagonal of the box around all frames; of one frame alone 1 m.
double extent(const System& system, const State& state) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (const LieVariable& v : system.lie_variables())
    if (v.dofs() == 6)
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], state.value[v.place.value + 4 + k]);
        high[k] = std::max(high[k], state.value[v.place.value + 4 + k]);
      }
  double sum = 0;
  for (int k = 0; k < 3; ++k)
    if (high[k] > low[k]) sum += (high[k] - low[k]) * (high[k] - low[k]);
  return sum > 0 ? std::sqrt(sum) : 1.0;
}

/// Frames move by a tenth of the picture, nothing turns by more than 25°, other positions move by a fifth of what is usual.
double visible(const System& system, double size, const ShapeOfRows& shape) {
  double factor = INFINITY;
  const auto limit = [&](int first, int count, double most) {
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += std::norm(shape[first + k]);
    if (sum > 0) factor = std::min(factor, most / std::sqrt(sum));
  };
  for (const LieVariable& v : system.lie_variables()) {
    if (v.dofs() == 6) limit(v.place.row, 3, 0.1 * size);
    limit(v.place.row + v.dofs() - 3, 3, 25 * std::numbers::pi / 180);
  }
  for (int i = 0; i < system.rows(Kind::position).end; ++i)
    if (system.value_of_row()[i] >= 0) limit(i, 1, 0.2 * system.nominal()[i]);
  return std::isfinite(factor) ? factor : 1.0;
}

}  // namespace

std::vector<const ShapeOfRows*> shapes_of(const std::vector<Mode>& modes) {
  std::vector<const ShapeOfRows*> shapes;
  for (const Mode& m : modes) shapes.push_back(&m.shape);
  return shapes;
}

RunFolder shapes_folder(const Command& command, const Model& model, const Assembly& assembly,
                        const std::string& suffix) {
  const std::filesystem::path path = command.arguments.at(0);
  const ModelFiles files(model, path);
  RunFolder folder =
      command.out.empty() ? RunFolder::beside(path, suffix) : RunFolder::at(command.out, command.force);
  files.write(folder, model, assembly);
  if (command.json) print_json(Json::object().set("event", "started").set("folder", folder.path().string()));
  return folder;
}

void write_shapes(const RunFolder& folder, const Model& model, const Assembly& assembly, const State& about,
                  const std::vector<const ShapeOfRows*>& shapes) {
  const System& system = assembly.system;
  std::vector<const Channel*> channels;
  std::vector<double> resting;  // the values of the configuration itself
  for (const Channel* c : assembly.recorded(model))
    if (const double value = assembly.read(*c, about); std::isfinite(value)) {
      channels.push_back(c);
      resting.push_back(value);
    }
  std::vector<Column> columns = {{"time", "s", "shape k plays from k - 1 to k"}};
  for (const Channel* c : channels) columns.push_back({c->name, c->unit, c->summary});
  const auto csv = csv_writer(folder.path() / "results.csv", columns);
  std::optional<MotionWriter> motion;
  if (const std::size_t places = motion_columns(assembly); places > 0)
    motion.emplace(folder.path() / "motion.bin", places);
  State state = about;
  std::vector<double> u(system.size()), values(columns.size()), places;
  const double size = extent(system, about);
  const auto at = system.value_of_row();
  // Large models have fewer frames, as in a run.
  const int frames = static_cast<int>(
      std::clamp(worthwhile_frames(motion_columns(assembly)) / std::max<long>(1, shapes.size()), 8L, 48L));
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const double factor = visible(system, size, *shapes[k]);
    for (int frame = 0; frame < frames; ++frame) {
      const double part = static_cast<double>(frame) / frames;
      const auto phase = std::polar(factor, 2 * std::numbers::pi * part - std::numbers::pi / 2);
      for (int i = 0; i < system.size(); ++i) u[i] = (phase * (*shapes[k])[i]).real();
      move_positions(system, about.value, u, state.value, {});
      for (int i = system.rows(Kind::position).end; i < system.size(); ++i)
        state.value[at[i]] = about.value[at[i]] + u[i];
      values[0] = static_cast<double>(k) + part;
      for (std::size_t c = 0; c < channels.size(); ++c) {
        values[c + 1] = assembly.read(*channels[c], state);
        if (!std::isfinite(values[c + 1])) values[c + 1] = resting[c];  // the shape is larger than life
      }
      csv->row(values);
      if (!motion) continue;
      read_motion(assembly, state, places);
      motion->frame(values[0], places);
    }
  }
  csv->close();
  if (motion) motion->close();
}

std::string what_moves(const System& system, int row) {
  return row < system.rows(Kind::position).end ? system.motion_name(row) : system.unknown_name(row);
}

}  // namespace escapement::app
