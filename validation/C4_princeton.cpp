// C4: the Princeton beam (Dowell & Traybar), a cantilever loaded at an angle to its stiff axis, so that it bends both ways and
// twists. References: the continuum rod of the same stiffness, computed by shooting to ten decimals, and beam elements of
// ANSYS (Obrezkov et al., Nonlinear Dynamics 109, 2022, as given in EXUDYN's geometricallyExactBeamTest).
#include <array>
#include <numbers>

#include "beam_structure.hpp"
#include "run_text.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

constexpr double degree = std::numbers::pi / 180;

/// Where the tip goes (m), and its twist (degrees).
using Tip = std::array<double, 4>;

/// y is the stiff direction of the section.
Tip tip(int elements, double load, double angle) {
  const double h = 12.3777e-3, w = 3.2024e-3, E = 71.7e9, G = E / (2 * 1.31), length = 0.508;
  const double shear = 5.0 / 6 * G * h * w;
  const auto end = at_rest(
      fmt::format(R"yaml(
  beam: {{type: beam.line, from: [0, 0, 0], to: [{} m, 0, 0], elements: {}, properties: {{axial: {:.17g} N,
    shear: [{:.17g} N, {:.17g} N], torsion: {:.17g} N*m^2, bending: [{:.17g} N*m^2, {:.17g} N*m^2],
    mass: 0.1 kg/m, inertia: [1e-6 kg*m, 1e-6 kg*m, 1e-6 kg*m]}}}}
  root: {{type: joint.fixed, between: [ground, beam.start], at: [0, 0, 0]}}
  load: {{type: force.point, at: beam.end, force: [0, {:.17g} N, {:.17g} N]}}
)yaml",
                  length, elements, E * h * w, shear, shear, G * 1.1340719248e-10, E * h * w * w * w / 12,
                  E * w * h * h * h / 12, -load * std::cos(angle * degree), load * std::sin(angle * degree)),
      {"beam.end.position.*", "beam.end.quaternion.*"});
  const Matrix3 R = matrix({end[3], {{end[4], end[5], end[6]}}});
  return {end[0] - length, end[1], end[2], std::atan2(R.m[2][1], R.m[1][1]) / degree};
}

struct Reference {
  double load, angle;  // N, degrees
  Tip rod;
  std::array<double, 2> ansys;  // |y|, z; zeros: not given
};
constexpr Reference references[] = {
    {8.896, 0, {-0.0001355343, -0.0107135971, 0, 0}, {}},
    {8.896, 15, {-0.0022405456, -0.0106239758, 0.0421227809, 0.9056985}, {0.01061328706, 0.04208232124}},
    {8.896, 30, {-0.0076599334, -0.0101455436, 0.0794516879, 1.5112595}, {0.0101116963, 0.07939482948}},
    {8.896, 45, {-0.0143877697, -0.0088873962, 0.1090358771, 1.6648224}, {0.008837226265, 0.108987937}},
    {8.896, 60, {-0.0204710889, -0.0066532875, 0.1299170624, 1.3806928}, {0.006604665004, 0.129887616}},
    {8.896, 75, {-0.0245814625, -0.0035683225, 0.1422075861, 0.7738469}, {0.003538889001, 0.14219437}},
    {8.896, 90, {-0.0260216815, 0, 0.1462530396, 0}, {0, 0.146245978}},
    {13.345, 30, {-0.0171614704, -0.0167752345, 0.1178959888, 3.3287837}, {}},
    {13.345, 45, {-0.0303580555, -0.015339847, 0.1565803966, 3.4842941}, {}},
    {13.345, 60, {-0.0412025865, -0.0117146494, 0.181913298, 2.7763043}, {}},
    {13.345, 90, {-0.0504013592, 0, 0.2006848179, 0}, {}}};

}  // namespace

TEST_CASE("C4: bending both ways and twist of the Princeton beam") {
  fmt::print("{:>8} {:>6} {:>34} {:>6} {:>12} {:>10}\n", "load", "angle", "off with 8, 16, 32, 64 segments",
             "order", "limit", "ANSYS");
  for (const Reference& c : references) {
    std::vector<Tip> rungs;
    for (const int n : {8, 16, 32, 64}) rungs.push_back(tip(n, c.load, c.angle));
    const double way = std::hypot(c.rod[0], c.rod[1], c.rod[2]);
    const auto off = [&](const Tip& t) {
      return std::hypot(t[0] - c.rod[0], t[1] - c.rod[1], t[2] - c.rod[2]) / way;
    };
    Tip limit;
    for (int i = 0; i < 4; ++i) limit[i] = even_limit(rungs[1][i], rungs[2][i], rungs[3][i]);
    const double order = std::log2(off(rungs[1]) / off(rungs[2]));
    const double ansys = c.ansys[1] == 0
                             ? 0
                             : std::hypot(std::abs(limit[1]) - c.ansys[0], limit[2] - c.ansys[1]) /
                                   std::hypot(c.ansys[0], c.ansys[1]);
    fmt::print("{:8} {:6} {:10.1e} {:7.1e} {:7.1e} {:7.1e} {:6.2f} {:7.1e} {:.0e}° {:8.1e}\n", c.load,
               c.angle, off(rungs[0]), off(rungs[1]), off(rungs[2]), off(rungs[3]), order, off(limit),
               std::abs(limit[3] - c.rod[3]), ansys);
    CHECK(off(limit) < 1e-8);
    CHECK(std::abs(limit[3] - c.rod[3]) < 1e-7);
    CHECK(ansys < 3e-3);
  }
}
