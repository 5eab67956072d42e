#include "report/vtk.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>

#include "base/file.hpp"
#include "math/rotation.hpp"
#include "model/yaml.hpp"
#include "record/file_error.hpp"
#include "record/motion.hpp"
#include "record/run_folder.hpp"
#include "report/base64.hpp"
#include "report/text.hpp"

namespace escapement {
namespace {

namespace fs = std::filesystem;

// ------------------------------------------------------------------ scene.json

struct End {
  int node;  // -1: ground
  Frame<double> on_node;
};
struct Part {
  int component;
  std::string primitive;
  std::vector<double> size;
  std::vector<End> ends;
  int beam;               // -1: none
  std::size_t bears = 0;  // from this column on; 0: that is not recorded
};
struct Beam {
  bool cable;  // only the distance of its ends matters
  std::size_t columns() const { return cable ? 2 : 12; }
};
struct Picture {
  struct Moving {
    enum Kind { frame, planar, point, hidden } kind;
    std::size_t first;
    std::size_t columns() const { return kind == frame ? 7 : kind == point ? 3 : 2; }
  };
  std::vector<Moving> nodes;
  std::vector<Beam> beams;
  std::vector<std::string> components, types;
  std::vector<Part> parts;  // in space and in the plane
};

const Node& entry(const Node& node, const char* key) {
  const Node* value = node.find(key);
  if (!value)
    throw FileError("scene.json", fmt::format("has no `{}` where one is due", key), "run the model again");
  return *value;
}
double number(const Node& node) { return std::strtod(node.text.c_str(), nullptr); }
std::vector<double> numbers(const Node& list) {
  std::vector<double> values;
  for (const Node& item : list.items) values.push_back(number(item));
  return values;
}

Picture read_scene(const fs::path& path) {
  std::string content;
  if (read_file(path, content))
    throw FileError(path.string(), "there is none: the run is of an older version", "run the model again");
  const std::string name = path.string();
  YamlLimits limits;
  limits.bytes = std::max<std::size_t>(limits.bytes, content.size() + 1);
  limits.nodes = std::max<std::size_t>(limits.nodes, content.size());
  const Node scene = read_yaml(content, &name, limits);  // JSON is YAML
  Picture picture;
  for (const Node& n : entry(scene, "nodes").items) {
    const std::string& domain = entry(n, "domain").text;
    const auto kind = domain == "frame"    ? Picture::Moving::frame
                      : domain == "planar" ? Picture::Moving::planar
                      : domain == "point"  ? Picture::Moving::point
                                           : Picture::Moving::hidden;
    picture.nodes.push_back({kind, static_cast<std::size_t>(number(entry(n, "first")))});
  }
  if (const Node* beams = scene.find("beams"))
    for (const Node& b : beams->items) {
      const Node* cable = b.find("cable");
      picture.beams.push_back({cable && cable->text == "true"});
    }
  for (const Node& c : entry(scene, "components").items) {
    const int index = static_cast<int>(picture.components.size());
    picture.components.push_back(entry(c, "name").text);
    picture.types.push_back(entry(c, "type").text);
    for (const Node& p : entry(c, "parts").items) {
      const Node *beam = p.find("beam"), *bears = p.find("bears");
      Part part{index,
                entry(p, "primitive").text,
                numbers(entry(p, "size")),
                {},
                beam ? static_cast<int>(number(*beam)) : -1,
                beam && bears ? static_cast<std::size_t>(number(*bears)) : 0};
      if (part.beam >= static_cast<int>(picture.beams.size()))
        throw FileError(path.string(), "has a piece of no beam", "run the model again");
      bool in_space = true;
      for (const Node& e : entry(p, "ends").items) {
        const Node& on = entry(e, "node");
        const bool ground = on.kind == Node::Kind::null || on.text == "null";
        const int node = ground ? -1 : static_cast<int>(number(on));
        const auto x = numbers(entry(e, "position")), q = numbers(entry(e, "quaternion"));
        if (x.size() != 3 || q.size() != 4 || node < -1 || node >= static_cast<int>(picture.nodes.size()))
          throw FileError(path.string(), "has an end that is nowhere", "run the model again");
        part.ends.push_back({node, {{q[0], {{q[1], q[2], q[3]}}}, {{x[0], x[1], x[2]}}}});
        in_space = in_space && (ground || picture.nodes[node].kind != Picture::Moving::hidden);
      }
      if (in_space && !part.ends.empty()) picture.parts.push_back(std::move(part));
    }
  }
  return picture;
}

// ------------------------------------------------------------------ surfaces

struct Surface {
  std::vector<Vector3> points;
  std::vector<std::vector<int>> faces;
};

constexpr int sides = 24;
constexpr int pieces = 4;  // of the curve of a piece of a beam

/// A profile (radius, z) turned about z; radius 0 is a tip.
Surface turned(const std::vector<std::pair<double, double>>& profile) {
  Surface s;
  std::vector<int> first;
  for (const auto& [r, z] : profile) {
    first.push_back(static_cast<int>(s.points.size()));
    for (int k = 0; k < (r > 0 ? sides : 1); ++k) {
      const double angle = 2 * std::numbers::pi * k / sides;
      s.points.push_back({{r * std::cos(angle), r * std::sin(angle), z}});
    }
  }
  for (std::size_t i = 0; i + 1 < profile.size(); ++i)
    for (int k = 0; k < sides; ++k) {
      const int next = (k + 1) % sides;
      const bool tip = !(profile[i].first > 0), tip_after = !(profile[i + 1].first > 0);
      if (tip && tip_after) continue;
      if (tip) s.faces.push_back({first[i], first[i + 1] + next, first[i + 1] + k});
      else if (tip_after) s.faces.push_back({first[i] + k, first[i] + next, first[i + 1]});
      else s.faces.push_back({first[i] + k, first[i] + next, first[i + 1] + next, first[i + 1] + k});
    }
  return s;
}

Surface surface(const Part& part) {
  const std::vector<double>& d = part.size;
  const auto arc = [](double radius, double centre, double from, double to) {
    std::vector<std::pair<double, double>> list;
    for (int k = 0; k <= 8; ++k) {
      const double a = from + (to - from) * k / 8;
      const double r = radius * std::cos(a);
      list.emplace_back(r > 1e-9 * radius ? r : 0.0, centre + radius * std::sin(a));
    }
    return list;
  };
  constexpr double quarter = std::numbers::pi / 2;
  if (part.primitive == "box" && d.size() == 3) {
    Surface s;
    for (int k = 0; k < 8; ++k)
      s.points.push_back(
          {{(k & 1 ? 0.5 : -0.5) * d[0], (k & 2 ? 0.5 : -0.5) * d[1], (k & 4 ? 0.5 : -0.5) * d[2]}});
    s.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    return s;
  }
  if (part.primitive == "sphere" && d.size() == 1) return turned(arc(d[0], 0, -quarter, quarter));
  if (part.primitive == "cylinder" && d.size() == 2)
    return turned({{0, -d[1] / 2}, {d[0], -d[1] / 2}, {d[0], d[1] / 2}, {0, d[1] / 2}});
  if (part.primitive == "cone" && d.size() == 2) return turned({{0, 0}, {d[0], 0}, {0, d[1]}});
  if (part.primitive == "capsule" && d.size() == 2) {
    auto profile = arc(d[0], -d[1] / 2, -quarter, 0);
    const auto upper = arc(d[0], d[1] / 2, 0, quarter);
    profile.insert(profile.end(), upper.begin(), upper.end());
    return turned(profile);
  }
  if (part.primitive == "tube" && d.size() == 3)
    return turned(
        {{d[0], -d[2] / 2}, {d[1], -d[2] / 2}, {d[1], d[2] / 2}, {d[0], d[2] / 2}, {d[0], -d[2] / 2}});
  if (part.primitive == "wheel" && d.size() == 2) {
    const double half = std::max(d[1], 0.02 * d[0]);
    return turned({{0.9 * d[0], -half},
                   {d[0] + d[1], -half},
                   {d[0] + d[1], half},
                   {0.9 * d[0], half},
                   {0.9 * d[0], -half}});
  }
  return {};
}

// ------------------------------------------------------------------ frames

Frame<double> place(const Picture& picture, const End& end, const float* row) {
  if (end.node < 0) return end.on_node;
  const auto& node = picture.nodes[end.node];
  double v[7] = {};
  for (std::size_t i = 0; i < node.columns(); ++i) v[i] = row[node.first + i];
  if (node.kind != Picture::Moving::frame) return Frame<double>{{}, {{v[0], v[1], v[2]}}} * end.on_node;
  return Frame<double>{normalised({v[0], {{v[1], v[2], v[3]}}}), {{v[4], v[5], v[6]}}} * end.on_node;
}

// ------------------------------------------------------------------ beams

bool turns(const Picture& picture, const End& end) {
  return end.node < 0 || picture.nodes[end.node].kind == Picture::Moving::frame;
}

/// The logarithm of the one end as seen from the other: the curve between them.
struct Curve {
  Vector3 along, turn;
};

Curve curve(const Frame<double>& a, const Frame<double>& b, bool straight) {
  const Frame<double> H = a.inverse() * b;
  if (straight) return {H.x, {}};
  const Vector3 turn = log_so3(H.R);
  return {untangled(turn, H.x, InverseTangent<double>(dot(turn, turn)).e, true), turn};
}

/// What a piece bears, of a row of motion: strain, curvature, force, moment.
using Bearing = std::array<float, 12>;

Bearing bearing(const Picture& picture, const Part& part, const float* row) {
  Bearing now{};
  const float* from = row + part.bears;
  if (picture.beams[part.beam].cable) now[0] = from[0], now[6] = from[1];
  else std::copy_n(from, now.size(), now.begin());
  return now;
}

template <class T>
std::string array(const char* type, const char* name, int components, const std::vector<T>& values) {
  std::string bytes(sizeof(std::uint32_t) + values.size() * sizeof(T), '\0');
  const auto size = static_cast<std::uint32_t>(values.size() * sizeof(T));
  std::memcpy(bytes.data(), &size, sizeof size);
  if (size > 0) std::memcpy(bytes.data() + sizeof size, values.data(), size);
  std::string text =
      fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">", type,
                  name, components);
  append_base64(text, bytes.data(), bytes.size());
  return text + "</DataArray>\n";
}

struct Cells {
  std::vector<std::int32_t> connectivity, offsets, component;
  std::vector<float> bears[4];  // strain, curvature, force, moment, three each; NaN where there are none
  void add(const std::vector<int>& points, std::size_t first, int owner, const Bearing* now = nullptr) {
    for (const int p : points) connectivity.push_back(static_cast<std::int32_t>(first) + p);
    offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
    component.push_back(owner);
    for (std::size_t i = 0; i < 12; ++i)
      bears[i / 3].push_back(now ? (*now)[i] : std::numeric_limits<float>::quiet_NaN());
  }
  std::string text(const char* tag) const {
    return fmt::format("<{}>\n", tag) + array("Int32", "connectivity", 1, connectivity) +
           array("Int32", "offsets", 1, offsets) + fmt::format("</{}>\n", tag);
  }
};

std::string frame_file(const Picture& picture, const std::vector<Surface>& surfaces, const float* row) {
  std::vector<float> points;
  Cells verts, lines, polys;
  bool borne = false;  // runs of older versions do not tell what beams bear
  const auto add_point = [&](const Vector3& x) {
    for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(x[k]));
  };
  for (std::size_t i = 0; i < picture.parts.size(); ++i) {
    const Part& part = picture.parts[i];
    const std::size_t first = points.size() / 3;
    const Frame<double> at = place(picture, part.ends.front(), row);
    if (!surfaces[i].points.empty()) {
      for (const Vector3& p : surfaces[i].points) add_point(at * p);
      for (const auto& face : surfaces[i].faces) polys.add(face, first, part.component);
    } else if (part.beam >= 0 && part.ends.size() == 2) {
      const Beam& beam = picture.beams[part.beam];
      const bool straight = beam.cable || !turns(picture, part.ends[0]) || !turns(picture, part.ends[1]);
      const Curve way = curve(at, place(picture, part.ends[1], row), straight);
      const int steps = straight ? 1 : pieces;
      std::vector<int> line;
      for (int k = 0; k <= steps; ++k) {
        const double s = static_cast<double>(k) / steps;
        add_point(at * (left_tangent_so3(s * way.turn) * (s * way.along)));
        line.push_back(k);
      }
      if (part.bears > 0) {
        const Bearing now = bearing(picture, part, row);
        lines.add(line, first, part.component, &now);
        borne = true;
      } else {
        lines.add(line, first, part.component);
      }
    } else if (part.ends.size() == 2) {
      add_point(at.x);
      add_point(place(picture, part.ends[1], row).x);
      lines.add({0, 1}, first, part.component);
    } else {
      add_point(at.x);
      verts.add({0}, first, part.component);
    }
  }
  const auto all = [&](auto list) {  // cells in VTK's order
    auto joined = list(verts);
    for (const Cells* cells : {&lines, &polys}) {
      const auto& more = list(*cells);
      joined.insert(joined.end(), more.begin(), more.end());
    }
    return joined;
  };
  const char* const names[] = {"strain", "curvature", "force", "moment"};
  std::string bears;
  for (int k = 0; k < 4 && borne; ++k)
    bears += array("Float32", names[k], 3, all([k](const Cells& c) { return c.bears[k]; }));
  return fmt::format(
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
             "byte_order=\"LittleEndian\" "
             "header_type=\"UInt32\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" "
             "NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n<Points>\n",
             points.size() / 3, verts.offsets.size(), lines.offsets.size(), polys.offsets.size()) +
         array("Float32", "Points", 3, points) + "</Points>\n" + verts.text("Verts") + lines.text("Lines") +
         polys.text("Polys") + "<CellData Scalars=\"component\">\n" +
         array("Int32", "component", 1, all([](const Cells& c) { return c.component; })) + bears +
         "</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n";
}

}  // namespace

std::size_t export_vtk(const fs::path& run, const fs::path& to) {
  const Picture picture = read_scene(run / "scene.json");
  const MotionFile motion = read_motion_file(run / "motion.bin");
  if (picture.parts.empty() || motion.frames == 0)
    throw FileError(run.string(), "nothing in this run has a place in space or in the plane",
                    "bodies and joints have; results.csv and results.h5 hold all channels");
  std::vector<Surface> surfaces;
  for (const Part& p : picture.parts) surfaces.push_back(surface(p));
  for (const Part& p : picture.parts) {
    bool there = p.bears == 0 || p.bears + picture.beams[p.beam].columns() <= motion.columns;
    for (const End& e : p.ends) {
      if (e.node < 0) continue;
      const auto& node = picture.nodes[e.node];
      there = there && node.first >= 1 && node.first + node.columns() <= motion.columns;
    }
    if (!there)
      throw FileError(run.string(), "scene.json and motion.bin do not belong together",
                      "run the model again");
  }
  std::error_code fault;
  fs::create_directories(to, fault);
  if (fault) throw system_error(to, "cannot be made", fault.value());
  if (!fs::is_empty(to, fault) && !fs::exists(to / "motion.pvd", fault))
    throw FileError(to.string(), "the folder holds something else; it is left as it is",
                    "another folder with --out");
  for (const auto& file : fs::directory_iterator(to, fault))  // frames of an earlier export
    if (const std::string name = file.path().filename();
        name.starts_with("motion-") && name.ends_with(".vtp"))
      fs::remove(file.path(), fault);
  const RunFolder folder = RunFolder::existing(to);
  std::string list = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  for (std::size_t k = 0; k < motion.frames; ++k) {
    const float* row = &motion.values[k * motion.columns];
    const std::string name = fmt::format("motion-{:05}.vtp", k);
    folder.write(name, frame_file(picture, surfaces, row));
    list += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", row[0], name);
  }
  std::string names = "component,name,type\n";
  for (std::size_t i = 0; i < picture.components.size(); ++i)
    names += fmt::format("{},{},{}\n", i, picture.components[i], picture.types[i]);
  folder.write("components.csv", names);
  folder.write("motion.pvd", list + "</Collection>\n</VTKFile>\n");
  return motion.frames;
}

}  // namespace escapement
