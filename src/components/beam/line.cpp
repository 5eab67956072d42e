#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "components/beam/curve.hpp"
#include "components/beam/parts.hpp"
#include "components/beam/section.hpp"

namespace escapement {
namespace {

using beam::vector3;

struct Station {
  std::string name;
  int node;
  bool given;  // under `stations`
};

/// Where the nodes are along the line: stations are between elements, each of which has `order` − 1 nodes inside.
struct Division {
  beam::Curve curve;
  int order;
  std::vector<double> s;
  std::vector<Station> stations;
  int elements() const { return static_cast<int>(s.size() - 1) / order; }
  double length(int element) const { return s[(element + 1) * order] - s[element * order]; }

  explicit Division(const Build& b) : curve(b), order(b.integer("order")) {
    const double length = curve.length();
    std::vector<std::pair<double, std::string>> marks;
    for (const Node::Entry& e : b.entries("stations")) {
      const std::string key = "stations." + e.key;
      if (e.key == "start" || e.key == "end")
        b.refuse_at(e.value, "E-NAME", key, "every beam has it already", "another name");
      const double place = b.quantity(e.value, key, "m");
      if (!(place >= 0 && place <= length * (1 + 1e-9)))
        b.refuse_at(e.value, "E-RANGE", key, fmt::format("is {:g} m, the beam is {:g} m long", place, length),
                    "how far from `from`, along the line");
      marks.emplace_back(std::min(place, length), e.key);
    }
    std::vector<double> cuts{0, length};
    for (const auto& [place, name] : marks) cuts.push_back(place);
    std::sort(cuts.begin(), cuts.end());
    const double least = 1e-9 * length;
    cuts.erase(std::unique(cuts.begin(), cuts.end(), [&](double a, double c) { return c - a < least; }),
               cuts.end());
    const int pieces = static_cast<int>(cuts.size()) - 1, n = b.integer("elements");
    if (n < pieces)
      b.refuse("E-RANGE", "elements",
               fmt::format("{} are too few: the stations divide the beam into {} pieces", n, pieces),
               "stations are where elements meet; more elements");
    // Each piece gets one, the rest go where they are longest.
    std::vector<int> share(pieces, 1);
    for (int i = 0; i < pieces; ++i)
      share[i] = std::max(1, static_cast<int>((cuts[i + 1] - cuts[i]) / length * n));
    int left = n;
    for (const int k : share) left -= k;
    const auto size = [&](int i, int more) { return (cuts[i + 1] - cuts[i]) / (share[i] + more); };
    for (; left > 0; --left) {
      int best = 0;
      for (int i = 1; i < pieces; ++i)
        if (size(i, 0) > size(best, 0)) best = i;
      ++share[best];
    }
    for (; left < 0; ++left) {
      int best = -1;
      for (int i = 0; i < pieces; ++i)
        if (share[i] > 1 && (best < 0 || size(i, -1) < size(best, -1))) best = i;
      --share[best];
    }
    s.push_back(0);
    stations.push_back({"start", 0, false});
    for (int i = 0; i < pieces; ++i) {
      for (const auto& [place, name] : marks)
        if (std::abs(place - cuts[i]) < least)
          stations.push_back({name, static_cast<int>(s.size()) - 1, true});
      add_nodes(cuts[i], cuts[i + 1], share[i]);
    }
    for (const auto& [place, name] : marks)
      if (length - place < least) stations.push_back({name, static_cast<int>(s.size()) - 1, true});
    stations.push_back({"end", static_cast<int>(s.size()) - 1, false});
  }

 private:
  /// Of this many elements of the same length, without the first node.
  void add_nodes(double begin, double end, int count) {
    const double element = (end - begin) / count;
    for (int k = 0; k < count; ++k) {
      for (int i = 1; i < order; ++i)
        s.push_back(begin + element * (k + 0.5 * (1 + beam::node_place(order, i))));
      s.push_back(k + 1 == count ? end : begin + (end - begin) * (k + 1) / count);
    }
  }
};

BodyFrames frames(const Build& b) {
  const Division line(b);
  BodyFrames body;
  body.pose = line.curve.at(0);
  for (std::size_t i = 1; i < line.s.size(); ++i) body.further.push_back(line.curve.at(line.s[i]));
  for (const Station& station : line.stations) body.frames.push_back({station.name, {}, station.node});
  body.velocity = vector3(b, "initial.velocity");
  body.angular_velocity = body.pose.R.inverse() * vector3(b, "initial.angular_velocity");
  body.velocity_given = b.given("initial.velocity") || b.given("initial.angular_velocity");
  return body;
}

/// Adds the elements of a beam, whatever their order.
class Builder {
 public:
  explicit Builder(Build& b)
      : b_(b),
        line_(b),
        gravity_{{b.gravity()[0], b.gravity()[1], b.gravity()[2]}},
        viscosity_(b.number("damping.stiffness")),
        mass_damping_(b.number("damping.mass")),
        tapered_(beam::tapered(b)),
        at_start_(beam::read_line(b, 0)) {
    const auto& offset = b.vector("offset");
    offset_ = {{}, {{0, offset[0], offset[1]}}};
    beam::read_line(b, 1);  // examined, too
    for (const double s : line_.s) unloaded_.push_back(line_.curve.at(s) * offset_);
  }

  void run() {
    inertia_.resize(line_.s.size());
    switch (line_.order) {
      case 1:
        segments();
        break;
      case 2:
        elements<2>();
        break;
      default:
        elements<3>();
    }
    for (std::size_t i = 0; i < inertia_.size(); ++i) add_node(static_cast<int>(i));
    add_loads();
  }

 private:
  struct NodeInertia {
    double mass = 0;  // of the line around it, which the elements have
    Matrix3 inertia{};
    Vector3 first{};  // mass times the arm of its centre
  };

  Pose node(int i) const { return b_.own_node<Pose>(i); }
  beam::Line section(double s) const {
    return tapered_ ? beam::read_line(b_, s / line_.curve.length()) : at_start_;
  }
  /// The strain that the given prestress makes is there from the start.
  Vec<6, double> prestrain(const beam::Stiffness& stiffness) const {
    const Vector3 force = vector3(b_, "prestress.force"), moment = vector3(b_, "prestress.moment");
    const beam::Stiffness flexibility = beam::inverse(stiffness);
    Vec<6, double> strain;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 3; ++j)
        strain[i] += flexibility[i][j] * force[j] + flexibility[i][3 + j] * moment[j];
    return strain;
  }
  /// A part of the line's mass, seen from a node.
  void share(int i, const beam::Line& line, double length) {
    NodeInertia& n = inertia_[i];
    const Vector3 arm = line.centre + offset_.x;
    const double mass = length * line.mass;
    n.mass += mass;
    n.inertia = n.inertia + length * line.inertia + body::of_arm(mass, arm);
    n.first += mass * arm;
  }

  void segments() {
    std::vector<beam::DampedSegment> all;
    std::vector<beam::Stiffness> flexibility;  // of the sections in their middles
    for (int k = 0; k < line_.elements(); ++k) {
      const double length = line_.length(k);
      const beam::Line line = section(line_.s[k] + 0.5 * length);
      beam::DampedSegment s{
          {node(k), node(k + 1), offset_, offset_, length, beam::of_segment(line.stiffness, length), {}},
          viscosity_};
      s.natural = s.strain(unloaded_[k].inverse() * unloaded_[k + 1]) - prestrain(s.stiffness);
      flexibility.push_back(beam::inverse(line.stiffness));
      if (viscosity_ > 0) b_.add(s);
      else b_.add(static_cast<const beam::Segment&>(s));
      all.push_back(s);
      const beam::Inertia mass{s.a, s.b, length * line.mass, gravity_};
      b_.add(mass);
      if (mass_damping_ > 0) b_.add(beam::MassDamping<beam::Inertia>{mass, mass_damping_});
      share(k, line, 0.5 * length);
      share(k + 1, line, 0.5 * length);
      draw(k, line,
           [segment = static_cast<const beam::Segment&>(s), section = flexibility.back(), from = end(k),
            to = end(k + 1)](const Scene::Places& at) {
             return segment.bearing(at(from).inverse() * at(to), section);
           });
    }
    const int last = line_.elements() - 1;
    for (const Station& station : line_.stations) {
      // The values of the segments belong to their middles: between two of them, or beyond the last two.
      const int left = std::clamp(station.node - 1, 0, std::max(last - 1, 0)),
                right = std::min(left + 1, last);
      const double m0 = line_.s[left] + 0.5 * line_.length(left),
                   m1 = line_.s[right] + 0.5 * line_.length(right);
      const double weight = left == right ? 1 : (m1 - line_.s[station.node]) / (m1 - m0);
      read(station,
           beam::Reading{
               node(station.node), all[left], all[right], weight, {flexibility[left], flexibility[right]}});
    }
  }

  template <int order>
  void elements() {
    std::vector<beam::Element<order>> all;
    const auto& rule = beam::rule<order>();
    for (int k = 0; k < line_.elements(); ++k) {
      const double length = line_.length(k), begin = line_.s[k * order];
      beam::Element<order> e;
      e.on = offset_;
      e.length = length;
      e.viscosity = viscosity_;
      beam::ElementInertia<order> mass{{}, 0, gravity_};
      std::array<Frame<double>, order + 1> unloaded;
      for (int i = 0; i <= order; ++i) {
        e.at[i] = mass.at[i] = node(k * order + i);
        unloaded[i] = unloaded_[k * order + i];
      }
      const auto natural = e.strains(unloaded);
      for (int g = 0; g < order; ++g) {
        const beam::Line line = section(begin + 0.5 * length * (1 + rule.place[g]));
        e.stiffness[g] = line.stiffness;
        e.natural[g] = natural[g] - prestrain(line.stiffness);
      }
      for (int i = 0; i <= order; ++i) {
        const beam::Line line = section(line_.s[k * order + i]);
        mass.mass += rule.share[i] * length * line.mass;
        share(k * order + i, line, rule.share[i] * length);
      }
      b_.add(e);
      all.push_back(e);
      b_.add(mass);
      if (mass_damping_ > 0) b_.add(beam::MassDamping<beam::ElementInertia<order>>{mass, mass_damping_});
      std::array<Scene::End, order + 1> ends;
      for (int i = 0; i <= order; ++i) ends[i] = end(k * order + i);
      for (int i = 0; i < order; ++i) {
        const int first = k * order + i;
        const double middle = (2.0 * i + 1) / order - 1;
        draw(first, section(0.5 * (line_.s[first] + line_.s[first + 1])),
             [e, ends, middle](const Scene::Places& at) {
               std::array<Frame<double>, order + 1> frames;
               for (int i = 0; i <= order; ++i) frames[i] = at(ends[i]);
               return e.bearing(frames, middle);
             });
      }
    }
    for (const Station& station : line_.stations) {
      const bool first = station.node == 0;  // else the element that ends there
      read(station,
           beam::ElementReading<order>{all[first ? 0 : station.node / order - 1], first ? 0 : order});
    }
  }

  Scene::End end(int k) const { return {node(k).variable, offset_}; }
  template <class Bearing>
  void draw(int k, const beam::Line& line, Bearing bearing) {
    b_.draw_beam({line.outline, line.youngs_modulus}, end(k), end(k + 1), std::move(bearing));
  }

  void add_node(int i) {
    const NodeInertia& n = inertia_[i];
    const body::Rigid turning{node(i), 0.0, n.inertia};
    b_.add(turning);
    if (mass_damping_ > 0) b_.add(beam::MassDamping<body::Rigid>{turning, mass_damping_});
    if (dot(n.first, n.first) == 0) return;
    const body::Eccentric beside{node(i), n.mass, (1 / n.mass) * n.first, gravity_};
    b_.add(beside);
    if (mass_damping_ > 0) b_.add(beam::MassDamping<body::Eccentric>{beside, mass_damping_});
  }

  void add_loads() {
    const Vector3 force = vector3(b_, "load.force"), follower = vector3(b_, "load.follower"),
                  moment = vector3(b_, "load.moment");
    const bool by_signal = b_.connected("load_factor");
    if (!b_.given("load.force") && !b_.given("load.follower") && !b_.given("load.moment")) {
      if (by_signal)
        b_.refuse("E-MISSING", "load_factor", "there is no load that it could multiply",
                  "load: {force: […]}");
      return;
    }
    const auto share_of = [&](int i) {
      return line_.order == 1   ? beam::rule<1>().share[i]
             : line_.order == 2 ? beam::rule<2>().share[i]
                                : beam::rule<3>().share[i];
    };
    std::vector<double> length(line_.s.size(), 0.0);  // of the line that hangs on a node
    for (int k = 0; k < line_.elements(); ++k)
      for (int i = 0; i <= line_.order; ++i) length[k * line_.order + i] += share_of(i) * line_.length(k);
    for (std::size_t i = 0; i < length.size(); ++i) {
      beam::Load load{node(static_cast<int>(i)), {},      by_signal ? 0.0 : 1.0,
                      length[i] * force,         offset_, length[i] * follower,
                      length[i] * moment};
      if (by_signal) load.factor = b_.signal("load_factor");
      b_.add(load);
    }
  }

  template <class Reading>
  void read(const Station& station, const Reading& reading) {
    const Pose at = node(station.node);
    const ElementId frame = b_.add(body::FrameReading{at}), section = b_.add(reading);
    const std::string prefix = station.name + ".";
    for (int k = 0; k < 3; ++k) {
      b_.channel(prefix + "position", frame, k, k);
      b_.channel(prefix + "velocity", frame, 7 + k, k);
      b_.channel(prefix + "strain", section, k, k);
      b_.channel(prefix + "curvature", section, 3 + k, k);
      b_.channel(prefix + "force", section, 6 + k, k);
      b_.channel(prefix + "moment", section, 9 + k, k);
    }
    for (int k = 0; k < 4; ++k) b_.channel(prefix + "quaternion", frame, 3 + k, k);
    if (!station.given) return;
    const auto acceleration =
        b_.system.signal<3>(b_.name((station.name + ".acceleration").c_str()), {.unit = "m/s^2"});
    b_.add(body::FrameAcceleration{at, acceleration, {}});
    for (int k = 0; k < 3; ++k) b_.channel(prefix + "acceleration", acceleration, 1, k, k);
  }

  Build& b_;
  Division line_;
  Frame<double> offset_;
  Vector3 gravity_;
  double viscosity_, mass_damping_;
  bool tapered_;
  beam::Line at_start_;
  std::vector<Frame<double>> unloaded_;
  std::vector<NodeInertia> inertia_;
};

void give_station(std::vector<OutputType>& list, const std::string& name, bool by_default) {
  list.push_back({name + ".position", "m", "world axes", "xyz", false, by_default});
  list.push_back(
      {name + ".quaternion", "1", "orientation: section axes to world axes", "wxyz", false, false});
  list.push_back({name + ".velocity", "m/s", "world axes", "xyz", false, by_default});
  list.push_back({name + ".strain", "1", "elongation and two of shear", "xyz", false, false});
  list.push_back({name + ".curvature", "1/m", "twist and two of bending", "xyz", false, false});
  list.push_back({name + ".force", "N", "tension and two shear forces", "xyz", false, by_default});
  list.push_back({name + ".moment", "N*m", "torsion and two bending moments", "xyz", false, by_default});
}

}  // namespace

ComponentType beam_line() {
  ComponentType type("beam.line", "A beam that bends, twists, shears and stretches, however far it moves.");
  type.description =
      "Geometrically exact: rigid motions leave no strain, and with `order: 1` (`elements` segments of two "
      "nodes, "
      "each with the same strain and curvature all along) bending into a circle is exact; the error goes "
      "with the "
      "square of their length. Elements of order 2 and 3 have one and two nodes more inside, and smaller "
      "errors "
      "with fewer of them.\n\n"
      "Its frames `start`, `end` and those named under `stations` are like those of a body: joints, forces "
      "and "
      "sensors connect to them. Stations have channels of their own, also as signals: "
      "`blade.gauge.curvature.y`. "
      "Strain, curvature, force and moment there come from the elements on both sides, in the axes of the "
      "section: "
      "x along the beam, z towards `up`; at a station that carries a load they are the mean of both sides.";
  type.provides = Domain::frame;
  beam::add_curve_keys(type);
  type.takes(integer("elements", "how many").at_least(1).at_most(100000).otherwise("10"));
  type.takes(
      integer("order", "of the elements: 1 (two nodes), 2 or 3").at_least(1).at_most(3).otherwise("1"));
  beam::add_section_keys(type);
  type.takes(vector("offset", "m", 2, "of the line from the frames, along y and z of the section")
                 .otherwise("[0, 0]"));
  Parameter stations =
      vector("stations", "m", 0, "places along the line, by name: {gauge: 0.1 m}").optional();
  stations.named = true;
  type.takes(std::move(stations));
  type.takes(group(
      "damping",
      {number("stiffness", "s", "load per rate of strain, over load per strain").at_least(0).otherwise("0"),
       number("mass", "1/s", "force per momentum").at_least(0).otherwise("0")},
      "in proportion to stiffness and to mass (Rayleigh): a mode of ω has the damping ratio "
      "(stiffness·ω + mass/ω)/2"));
  type.takes(group("prestress",
                   {vector("force", "N", 3, "tension and two shear forces").otherwise("[0, 0, 0]"),
                    vector("moment", "N*m", 3, "torsion and two bending moments").otherwise("[0, 0, 0]")},
                   "loads that it has, all along, in the form given by the line"));
  type.takes(group(
      "load",
      {vector("force", "N/m", 3, "keeps its direction, world axes").otherwise("[0, 0, 0]").as_load(),
       vector("follower", "N/m", 3, "turns with the section, its axes").otherwise("[0, 0, 0]").as_load(),
       vector("moment", "N", 3, "per length, turns with the section").otherwise("[0, 0, 0]").as_load()},
      "on it, per length of the unloaded line; its weight comes of itself"));
  type.connects(signal_port("load_factor", "1", "multiplies `load`").optional());
  type.takes(group("initial",
                   {vector("velocity", "m/s", 3, "of `from`, world axes").otherwise("[0, 0, 0]"),
                    vector("angular_velocity", "rad/s", 3, "of all of it, as if rigid, world axes")
                        .otherwise("[0, 0, 0]")},
                   "how it starts"));
  for (const char* end : {"start", "end"}) give_station(type.outputs, end, true);
  type.own_outputs = [](const Build& b) {
    std::vector<OutputType> list;
    for (const Node::Entry& e : b.entries("stations")) {
      give_station(list, e.key, true);
      list.push_back({e.key + ".acceleration", "m/s^2", "world axes", "xyz", false, false});
    }
    return list;
  };
  type.signs =
      "Forces and moments are those that the part towards `to` exerts on the part towards `from`, in the "
      "axes of the section: tension is positive.";
  type.shape = {"rod"};
  type.example = R"yaml(
blade: {type: beam.line, from: [0, 0, 0], to: [1 m, 0, 0], elements: 8, rectangle: {width: 3 cm, height: 2 cm}, material: aluminium, stations: {gauge: 0.1 m}}
root: {type: joint.fixed, between: [ground, blade.start], at: [0, 0, 0]}
)yaml";
  type.frames = frames;
  type.build = [](Build& b) { Builder(b).run(); };
  return type;
}

}  // namespace escapement
