// Notes: nothing wrong in itself, but hardly meant. Each where it applies, with other numbers too, and not where it does not.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "run_text.hpp"

using namespace escapement;
using validation::TextRun;

namespace {

/// The notes of a short run that contain this text.
std::vector<std::string> notes(const std::string& components, std::string_view about,
                               const std::string& head = "units: SI\ngravity: none",
                               const std::string& settings = "until: 0.002, step: 0.001") {
  std::vector<std::string> found;
  for (const std::string& note : TextRun(components, settings, {}, head).statistics.notes)
    if (note.find(about) != std::string::npos) found.push_back(note);
  return found;
}

bool names(const std::vector<std::string>& notes, std::string_view what) {
  return notes.size() == 1 && notes[0].find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("a spring that starts with an enormous load") {
  constexpr auto* about = "at the start, ";
  const auto line = [](double mass, double stiffness, double stretch) {
    return fmt::format(R"(
    m: {{type: translational.mass, mass: {}, initial: {{position: {}}}}}
    k: {{type: translational.spring, stiffness: {}, between: [ground, m]}})",
                       mass, stretch, stiffness);
  };
  struct {
    double mass, stiffness, stretch;
    bool enormous;
  } const cases[] = {{1, 1e6, 0.5, true},       {0.003, 2e4, 0.1, true}, {4e3, 1e9, 0.06, true},
                     {2, 2e4, 1, true},         {1, 1e4, 0.05, false},   {4e3, 1e9, 0.01, false},
                     {5e-12, 0.02, 2e-6, false}};
  for (const auto& c : cases) {
    INFO(c.mass, " kg, ", c.stiffness, " N/m, ", c.stretch, " m");
    const auto told = notes(line(c.mass, c.stiffness, c.stretch), about);
    CHECK(names(told, "k.force") == c.enormous);
    CHECK(told.empty() == !c.enormous);
  }
  CHECK(names(notes(R"(
    a: {type: planar.mass, mass: 0.2, initial: {position: [3, 4]}}
    k: {type: planar.spring, stiffness: 1e5, rest_length: 0, between: [ground, a]})",
                    about),
              "k.force is 5e+05 N"));
  CHECK(names(notes(R"(
    a: {type: body.sphere, radius: 0.1, density: 1000, initial: {position: [0, 0, 2]}}
    s: {type: force.spring, stiffness: 1e6, rest_length: 1, between: [ground, a]})",
                    about),
              "s.force is 1e+06 N"));
  // A law and a table count like a stiffness; a rest length that is right brings no note.
  CHECK(names(notes(R"(
    m: {type: translational.mass, mass: 1, initial: {position: 2}}
    k: {type: translational.spring, law: "(1e5 N/m^3)*elongation^3", between: [ground, m]})",
                    about),
              "k.force"));
  CHECK(notes(R"(
    m: {type: translational.mass, mass: 1, initial: {position: 2}}
    k: {type: translational.spring, stiffness: 1e6, rest_length: 2, between: [ground, m]})",
              about)
            .empty());
}

TEST_CASE("parameters that nothing uses") {
  constexpr auto* about = "nothing uses the parameter";
  const std::string model = R"(
    m: {type: translational.mass, mass: M, initial: {position: 1 m}}
    k: {type: translational.spring, stiffness: "4*K", between: [ground, m]})";
  const std::string settings = "until: 2 ms, step: 1 ms";
  CHECK(notes(model, about, "parameters: {M: 1 kg, K: 3 N/m}", settings).empty());
  CHECK(names(notes(model, about, "parameters: {M: 1 kg, K: 3 N/m, D: 2 N}", settings), "parameter D"));
  CHECK(names(notes(model, about, "parameters: {M: 1 kg, K: 3 N/m, b: 1, a: [1 m, 2 m, 3 m]}", settings),
              "parameters a, b"));
  // One that another one is made of is used; so is one of a condition, of a vector's place, or of `simulate:`.
  CHECK(notes(model, about, "parameters: {half: 0.5 kg, M: 2*half, K: 3 N/m}", settings).empty());
  CHECK(notes(model, about, "parameters: {M: 1 kg, K: 3 N/m, h: 1 ms}", "until: 2*h, step: h").empty());
  const std::string in_space = R"(
    a: {type: body.sphere, radius: 0.1 m, density: 100 kg/m^3, initial: {position: place}}
    k: {type: force.spring, stiffness: 1 N/m, between: [ground, a]})";
  CHECK(notes(in_space, about, "gravity: none\nparameters: {place: [1 m, 0 m, 0 m]}", settings).empty());
  CHECK(names(notes(in_space, about, "gravity: none\nparameters: {place: [1 m, 0 m, 0 m], x: 1 m}", settings),
              "parameter x"));
}

TEST_CASE("settings that this model has no use for") {
  constexpr auto* about = "has no effect";
  const std::string slider = R"(
    m: {type: translational.mass, mass: 1, initial: {position: 1}}
    k: {type: translational.spring, stiffness: 4, between: [ground, m]})";
  const std::string pendulum = R"(
    p: {type: planar.mass, mass: 1, gravity: [0, -9.81], initial: {position: [0.6, -0.8]}}
    r: {type: planar.distance, length: 1, between: [ground, p]})";
  const std::string lag = R"(
    u: {type: control.constant, value: 1}
    y: {type: control.first_order, time_constant: 0.1, input: u})";
  struct {
    const std::string& model;
    const char* setting;
    const char* key;  // none: it has an effect
  } const cases[] = {{slider, "constraints: index-2", "simulate.constraints"},
                     {pendulum, "constraints: index-2", nullptr},
                     {slider, "frames: se3", "simulate.frames"},
                     {pendulum, "frames: se3", "simulate.frames"},
                     {slider, "rho_states: 0.3", "simulate.rho_states"},
                     {lag, "rho_states: 0.3", nullptr},
                     {slider, "event_tolerance: 1e-9", "simulate.event_tolerance"},
                     {slider, "rho: 0.5", nullptr}};
  for (const auto& c : cases) {
    INFO(c.setting);
    const auto told =
        notes(c.model, about, "units: SI", std::string("until: 0.002, step: 0.001, ") + c.setting);
    if (c.key) CHECK(names(told, c.key));
    else CHECK(told.empty());
  }
}

TEST_CASE("mechanisms that hang on nothing") {
  constexpr auto* about = "nothing holds";
  const auto pair = [](const char* more) {
    return std::string(R"(
    a: {type: body.box, size: [1, 0.1, 0.1], density: 100, initial: {position: [0.5, 0, 0]}}
    b: {type: body.box, size: [1, 0.1, 0.1], density: 50, initial: {position: [1.5, 0, 0]}}
    j: {type: joint.revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}
)") + more;
  };
  const std::string heavy = "units: SI\ngravity: [0, 0, -9.81]";
  CHECK(names(notes(pair(""), about, heavy), "a, b"));
  CHECK(names(
      notes(pair("    c: {type: body.box, size: [1, 1, 1], density: 5, initial: {position: [9, 0, 0]}}\n"
                 "    g: {type: joint.spherical, between: [ground, c], at: [9, 0, 0]}\n"),
            about, heavy),
      "a, b"));
  for (const char* held :
       {"    g: {type: joint.revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n",
        "    g: {type: joint.prismatic, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}\n",
        "    g: {type: force.spring, between: [ground, a], stiffness: 100, rest_length: 0.5}\n",
        "    g: {type: force.drag, at: a, linear: 3}\n"}) {
    INFO(held);
    CHECK(notes(pair(held), about, heavy).empty());
  }
  // One body that flies is no mechanism.
  CHECK(notes("    a: {type: body.sphere, radius: 0.1, density: 100}\n", about, heavy).empty());
}
