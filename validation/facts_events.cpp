// Events: where they are located, what they do, and the order across them; sticking, impacts, modes, actions, chattering.
#include <fmt/format.h>

#include <numbers>

#include "reference_ode.hpp"
#include "run_text.hpp"
#include "support.hpp"

using namespace escapement;
using namespace escapement::validation;

namespace {

/// Times of the events of one component.
std::vector<double> times_of(const TextRun& run, const std::string& who) {
  std::vector<double> list;
  for (const auto& e : run.statistics.events)
    if (e.what == who) list.push_back(e.time);
  return list;
}

/// A motion in pieces, to full precision: the time at which g falls below zero next, and the motion there.
template <std::size_t n>
struct SmoothPieces {
  using Values = std::array<Real, n>;
  using Derivative = typename ReferenceOde<n>::Derivative;
  Real t = 0;
  Values y;
  Real step;

  void until(const Derivative& f, Real end) {
    y = ReferenceOde<n>([&](Real s, const Values& x) { return f(t + s, x); }, y, step).at(end - t), t = end;
  }
  void to_event(const Derivative& f, const std::function<Real(const Values&)>& g) {
    const auto at = [&](const Values& from, Real begin, Real s) {
      return ReferenceOde<n>([&](Real u, const Values& x) { return f(begin + u, x); }, from, step).at(s);
    };
    bool above = g(y) > 1e-15L;
    for (;;) {
      const Values next = at(y, t, step);
      if (above && g(next) < 0) break;
      above = above || g(next) > 0;
      y = next, t += step;
    }
    Real low = 0, high = step;
    for (int k = 0; k < 70; ++k) (g(at(y, t, 0.5L * (low + high))) < 0 ? high : low) = 0.5L * (low + high);
    y = at(y, t, high), t += high;
  }
};

const std::string ball = R"yaml(
  ball:   {type: translational.mass, mass: 2 kg, initial: {position: 1 m}}
  weight: {type: control.constant, value: -2*9.81 N, unit: N}
  pull:   {type: translational.force, at: ball, input: weight}
)yaml";

}  // namespace

TEST_CASE("a bouncing ball: closed-form times, then contact after the point of accumulation") {
  for (const std::string settings :
       {"until: 5 s, step: 10 ms", "until: 5 s, adaptive: true, tolerance: 1e-6"}) {
    const TextRun run(
        ball + "  floor: {type: translational.end_stop, lower: 0, restitution: 0.8, between: [ground, ball]}",
        settings, {"ball.position", "ball.velocity", "ball.acceleration", "floor.force"});
    const auto hits = times_of(run, "floor");
    const double g = 9.81, first = std::sqrt(2 / g);
    double t = first, v = g * first;
    REQUIRE(hits.size() >= 35);
    for (std::size_t k = 0; k < hits.size(); ++k) {
      CHECK(std::abs(hits[k] - t) < (settings.find("adaptive") == std::string::npos ? 1e-8 : 1e-6));
      v *= 0.8;
      t += 2 * v / g;
    }
    CHECK(v < 1e-3);  // the last rebound would be slower than rest_velocity
    CHECK(v > 0.8 * 0.8e-3);
    for (std::size_t k = 0; k < run.t.size(); ++k) {
      if (run.t[k] < first + 2 * first * 0.8 / 0.2) continue;  // the point of accumulation
      CHECK(std::abs(run.rows[k][0]) < 1e-12);
      CHECK(std::abs(run.rows[k][1]) < 1e-12);
      CHECK(std::abs(run.rows[k][3] + 2 * g) <
            1e-9);  // the floor carries the weight: compression is negative
    }
    REQUIRE(run.statistics.energy);
    CHECK(std::abs(run.statistics.energy->error()) < 1e-6);
  }
}

TEST_CASE("a pendulum that hits a stop: impact times and motion of second order, also through constraints") {
  // θ̈ = −g/l sin θ, stop at −0.2 rad, restitution 0.6.
  const ReferenceOde<2>::Derivative f = [](Real, const auto& y) {
    return std::array<Real, 2>{y[1], -9.81L * std::sin(y[0])};
  };
  SmoothPieces<2> truth{0, {1.2L, 0}, 0.01L};
  std::vector<double> impacts;
  for (int k = 0; k < 3; ++k) {
    truth.to_event(f, [](const auto& y) { return y[0] + 0.2L; });
    impacts.push_back(double(truth.t));
    truth.y = {-0.2L, -0.6L * truth.y[1]};
  }
  const double end = 0.02 * std::ceil((impacts[2] + 0.2) / 0.02);
  truth.until(f, end);
  const std::string one = R"yaml(
  arm:   {type: rotational.inertia, inertia: 1 kg*m^2, initial: {angle: 1.2 rad}}
  law:   {type: control.expression, inputs: {a: arm.angle}, expression: "-(9.81 N*m)*sin(a)", unit: N*m}
  load:  {type: rotational.torque, at: arm, input: law}
  stop:  {type: rotational.end_stop, lower: -0.2 rad, restitution: 0.6, between: [ground, arm]})yaml";
  // A point mass on a hinge, hanging down where the angle is zero.
  const std::string spatial = R"yaml(
  arm:   {type: body.rigid, mass: 1 kg, principal_inertia: [1e-9 kg*m^2, 1e-9 kg*m^2, 1e-9 kg*m^2], initial: {position: [0, 0, -1 m]}}
  hinge: {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0], initial: {angle: 1.2 rad}}
  stop:  {type: rotational.end_stop, lower: -0.2 rad, restitution: 0.6, between: [ground, hinge]})yaml";
  for (const bool in_space : {false, true}) {
    Ladder ladder({"1st impact", "2nd", "3rd", "angle at the end", "velocity"});
    for (const double h : {0.02, 0.01, 0.005}) {
      const std::string name = in_space ? "hinge" : "arm";
      const TextRun run(in_space ? spatial : one, fmt::format("until: {} s, step: {} s", end, h),
                        {name + ".angle", name + ".velocity"},
                        in_space ? "gravity: [0, 0, -9.81 m/s^2]" : "");
      const auto hits = times_of(run, "stop");
      REQUIRE(hits.size() == 3);
      ladder.add(h, {hits[0] - impacts[0], hits[1] - impacts[1], hits[2] - impacts[2],
                     run.last[0] - double(truth.y[0]), run.last[1] - double(truth.y[1])});
    }
    ladder.print(in_space ? "pendulum with a stop, in space" : "pendulum with a stop");
    ladder.check_second_order(0.2);
  }
}

TEST_CASE("a thermostat: switching times of second order") {
  // ẋ = (30 u − x)/10 between 19 and 21: exponentials.
  std::vector<double> exact;
  double t = 10 * std::log(15.0 / 9), x = 21;
  for (int k = 0; k < 6; ++k) {
    exact.push_back(t);
    t += x == 21 ? 10 * std::log(21.0 / 19) : 10 * std::log(11.0 / 9);
    x = x == 21 ? 19 : 21;
  }
  Ladder ladder({"1", "2", "3", "4", "5", "6"});
  for (const double h : {0.5, 0.25, 0.125, 0.0625, 0.03125}) {
    const TextRun run(R"yaml(
  heater: {type: control.hysteresis, lower: 19, upper: 21, low: 1, high: 0, input: room}
  room:   {type: control.first_order, gain: 30, time_constant: 10 s, input: heater, initial: {output: 15}})yaml",
                      fmt::format("until: 12.5 s, step: {} s", h), {"room"});
    const auto hits = times_of(run, "heater");
    REQUIRE(hits.size() == 6);
    std::vector<double> errors;
    for (int k = 0; k < 6; ++k) errors.push_back(hits[k] - exact[k]);
    ladder.add(h, errors);
  }
  ladder.print("thermostat");
  ladder.check_second_order(0.15);
}

TEST_CASE("a relay drives a double integrator: switching times of second order, chattering is told") {
  // x″ = ∓1 with the relay on x + 0.5 v (a lead): it switches faster and faster; without the lead it oscillates.
  SmoothPieces<2> truth{0, {1, 0}, 0.01L};
  std::vector<double> exact;
  for (int k = 0; k < 5; ++k) {
    const Real u = k % 2 == 0 ? -1 : 1;
    truth.to_event(
        [=](Real, const auto& y) {
          return std::array<Real, 2>{y[1], u - 0.1L * y[1] * y[1] * y[1]};
        },
        [=](const auto& y) { return -u * (y[0] + 0.1L * y[1]); });
    exact.push_back(double(truth.t));
  }
  const auto text = [](double lead) {
    return fmt::format(R"yaml(
  mass:  {{type: translational.mass, mass: 1 kg, initial: {{position: 1 m}}}}
  line:  {{type: control.expression, inputs: {{x: mass.position, v: mass.velocity}}, expression: "x + ({} s)*v"}}
  relay: {{type: control.relay, low: 1 N, high: -1 N, unit: N, input: line}}
  push:  {{type: translational.force, at: mass, input: relay}}
  drag:  {{type: control.expression, inputs: {{v: mass.velocity}}, expression: "-(0.1 N*s^3/m^3)*v^3", unit: N}}
  slow:  {{type: translational.force, at: mass, input: drag}})yaml",
                       lead);
  };
  Ladder ladder({"1", "2", "3", "4", "5"});
  for (const double h : {0.04, 0.02, 0.01}) {
    const TextRun run(text(0.1), fmt::format("until: {} s, step: {} s", exact[4] + 0.3, h),
                      {"mass.position"});
    const auto hits = times_of(run, "relay");
    REQUIRE(hits.size() >= 5);
    std::vector<double> errors;
    for (int k = 0; k < 5; ++k) errors.push_back(hits[k] - exact[k]);
    ladder.add(h, errors);
  }
  ladder.print("relay");
  ladder.check_second_order(0.25);
  // Beyond |v| < lead both sides drive towards the line: no motion between them.
  const TextRun slides(text(1.5), "until: 10 s, step: 0.02 s", {"mass.position"}, "", true);
  CHECK(slides.failure == "E-CHATTER");
}

TEST_CASE("hard saturation: corners are located, second order behind them") {
  // x″ = −sat(4 x + v), limits ± 1.
  const auto sat = [](Real u) { return std::clamp<Real>(u, -1, 1); };
  const ReferenceOde<2>::Derivative f = [=](Real, const auto& y) {
    return std::array<Real, 2>{y[1], -sat(4 * y[0] + y[1])};
  };
  SmoothPieces<2> truth{0, {2, 0}, 0.01L};
  std::vector<double> exact;
  for (int k = 0; k < 4; ++k) {  // out of a limit, into the next one …
    truth.to_event(f, [=, odd = k % 2](const auto& y) {
      const Real u = 4 * y[0] + y[1];
      return odd ? 1 - std::abs(u) : std::abs(u) - 1;
    });
    exact.push_back(double(truth.t));
  }
  truth.until(f, 8);
  Ladder ladder({"x(8)", "v(8)"});
  for (const double h : {0.08, 0.04, 0.02}) {
    const TextRun run(R"yaml(
  mass: {type: translational.mass, mass: 1 kg, initial: {position: 2 m}}
  law:  {type: control.expression, inputs: {x: mass.position, v: mass.velocity}, expression: "-(4 N/m)*x - (1 N*s/m)*v", unit: N}
  sat:  {type: control.saturation, minimum: -1 N, maximum: 1 N, unit: N, input: law}
  push: {type: translational.force, at: mass, input: sat})yaml",
                      fmt::format("until: 8 s, step: {} s", h), {"mass.position", "mass.velocity"});
    ladder.add(h, {run.last[0] - double(truth.y[0]), run.last[1] - double(truth.y[1])});
    // Every corner is the end of a step.
    std::vector<double> ends = {0};
    for (const double s : run.sizes) ends.push_back(ends.back() + s);
    for (const double t : exact) {
      double nearest = INFINITY;
      for (const double e : ends) nearest = std::min(nearest, std::abs(e - t));
      CHECK(nearest < 2 * h * h);
    }
  }
  ladder.print("hard saturation");
  ladder.check_second_order(0.2);
}

TEST_CASE("stick-slip: sticking does not creep, breaks away at the static friction, times of second order") {
  // A block on a belt of 0.1 m/s, spring 10 N/m: sticks until 10 x = 1.5 N.
  const std::string text = R"yaml(
  belt:   {type: translational.motion, position: (0.1 m/s)*t, at: plate}
  plate:  {type: translational.mass, mass: 1 kg, initial: {velocity: 0.1 m/s}}
  block:  {type: translational.mass, mass: 1 kg, initial: {velocity: 0.1 m/s}}
  spring: {type: translational.spring, stiffness: 10 N/m, between: [ground, block]}
  rub:    {type: translational.friction, coulomb: 1 N, static: 1.5 N, stribeck_velocity: 0.1 m/s, between: [plate, block]})yaml";
  const ReferenceOde<2>::Derivative slides = [](Real, const auto& y) {
    const Real r = (y[1] - 0.1L) / 0.1L;
    return std::array<Real, 2>{y[1], -10 * y[0] + 1 + 0.5L * std::exp(-r * r)};
  };
  SmoothPieces<2> truth{1.5L, {0.15L, 0.1L}, 0.005L};
  truth.to_event(slides, [](const auto& y) { return 0.1L - y[1]; });
  const double sticks = double(truth.t);
  const double again = sticks + double((0.15L - truth.y[0]) / 0.1L);
  Ladder ladder({"sticks", "breaks away"});
  for (const double h : {0.02, 0.01, 0.005}) {
    const TextRun run(text, fmt::format("until: 5 s, step: {} s", h),
                      {"rub.velocity", "rub.force", "block.position"});
    const auto hits = times_of(run, "rub");
    REQUIRE(hits.size() >= 3);
    CHECK(std::abs(hits[0] - 1.5) < 1e-8);
    ladder.add(h, {hits[1] - sticks, hits[2] - again});
    for (std::size_t k = 0; k < run.t.size(); ++k) {
      if (!(run.t[k] < hits[0] || (run.t[k] > hits[1] && run.t[k] < hits[2]))) continue;
      CHECK(std::abs(run.rows[k][0]) < 1e-12);
      CHECK(std::abs(run.rows[k][1]) < 1.5 + 1e-9);
    }
  }
  ladder.print("stick-slip");
  ladder.check_second_order(0.25);
  // At rest on a slope of forces below the static friction: for ever.
  const TextRun rests(R"yaml(
  block:  {type: translational.mass, mass: 1 kg}
  push:   {type: control.constant, value: 1.4 N, unit: N}
  force:  {type: translational.force, at: block, input: push}
  ground_contact: {type: translational.friction, coulomb: 1 N, static: 1.5 N, stribeck_velocity: 0.1 m/s, between: [ground, block]})yaml",
                      "until: 1000 s, step: 1 s", {"block.position", "ground_contact.force"});
  CHECK(std::abs(rests.last[0]) < 1e-12);  // what Newton's method may leave of the first step
  CHECK(std::abs(rests.last[1] - 1.4) < 1e-12);
}

TEST_CASE(
    "actions: modes, counters, states, velocities through constraints, numbers of components, the end") {
  // Two masses joined rigidly: setting the velocity of one is an impulse on both.
  const TextRun joined(R"yaml(
  a:     {type: translational.mass, mass: 1 kg, initial: {velocity: 1 m/s}}
  b:     {type: translational.mass, mass: 3 kg, initial: {velocity: -2 m/s}}
  lever: {type: translational.lever, ratio: 2, between: [a, b]}
  kick:  {type: event.crossing, expression: t - 0.5 s, set: {a.velocity: 5 m/s}})yaml",
                       "until: 1 s, step: 10 ms", {"a.velocity", "b.velocity", "a.position", "b.position"});
  CHECK(std::abs(joined.last[0] - 5) < 1e-9);
  CHECK(std::abs(joined.last[1] + 10) < 1e-9);
  CHECK(std::abs(joined.last[3] + 2 * joined.last[2]) < 1e-12);

  // A spring that becomes four times as stiff at t = 1: half the period afterwards, energy is put in.
  const double pi = std::numbers::pi;
  const TextRun stiffer(R"yaml(
  mass:   {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
  spring: {type: translational.spring, stiffness: 1 N/m, between: [ground, mass]}
  change: {type: event.crossing, expression: t - (3.14159265358979312/2)*(1 s), set: {spring.stiffness: 4 N/m}})yaml",
                        "until: 3 s, step: 1 ms", {"mass.position", "mass.velocity"});
  const double s = 3 - pi / 2;  // from x = 0, v = −1
  CHECK(std::abs(stiffer.last[0] + std::sin(2 * s) / 2) < 1e-6);
  CHECK(std::abs(stiffer.last[1] + std::cos(2 * s)) < 1e-6);

  // A saw tooth: an integrator that is set back; counted; and the run ends with the third.
  const TextRun saw(R"yaml(
  one:   {type: control.constant, value: 1}
  tooth: {type: control.integrator, input: one}
  count: {type: control.variable, value: 0}
  back:  {type: event.crossing, inputs: {x: tooth, n: count}, expression: x - 0.7, direction: rising, set: {tooth: 0, count: n + 1}}
  end:   {type: event.crossing, inputs: {n: count}, expression: n - 2.5, stop: true})yaml",
                    "until: 10 s, step: 0.1 s", {"tooth", "count"});
  CHECK(saw.statistics.ended_by == "end");
  CHECK(std::abs(saw.state.t - 2.1) < 1e-9);
  CHECK(saw.last[1] == 3);
}

TEST_CASE("several things at one instant act together; directions count") {
  const TextRun run(R"yaml(
  wave: {type: control.sine, amplitude: 1, frequency: 1 Hz}
  up:   {type: control.variable, value: 0}
  down: {type: control.variable, value: 0}
  both: {type: control.variable, value: 0}
  rise: {type: event.crossing, inputs: {u: wave, n: up}, expression: u - 0.5, direction: rising, set: {up: n + 1}}
  fall: {type: event.crossing, inputs: {u: wave, n: down}, expression: u - 0.5, direction: falling, set: {down: n + 1}}
  any:  {type: event.crossing, inputs: {u: wave, n: both}, expression: 0.5 - u, set: {both: n + 1}})yaml",
                    "until: 2 s, step: 30 ms", {"up", "down", "both"});
  CHECK(run.last[0] == 2);
  CHECK(run.last[1] == 2);
  CHECK(run.last[2] == 4);
  const auto rises = times_of(run, "rise");
  REQUIRE(rises.size() == 2);
  CHECK(std::abs(rises[0] - 1.0 / 12) < 1e-10);
  CHECK(std::abs(times_of(run, "any")[0] - rises[0]) < 1e-11);
}

TEST_CASE("a quantiser and a comparison jump where they should") {
  const TextRun run(R"yaml(
  ramp:   {type: control.ramp, slope: 1}
  stairs: {type: control.quantiser, interval: 0.5, input: ramp}
  area:   {type: control.integrator, input: stairs}
  above:  {type: control.comparison, input: ramp, relation: ">", constant: 0.6}
  time_above: {type: control.integrator, input: above})yaml",
                    "until: 2 s, step: 70 ms", {"area", "time_above"});
  CHECK(std::abs(run.last[0] - (0.5 * 0.5 + 1.0 * 0.5 + 1.5 * 0.5 + 2 * 0.25)) < 1e-9);
  CHECK(std::abs(run.last[1] - 1.4) < 1e-9);
}

TEST_CASE("contacts only push: an impact frees what it would have to pull, what rests can be kicked") {
  // A string of 1 m between a block pressed against a wall and one that moves away: taut at t = 1 s, it takes the first
  // one along; both go on with half the speed, slowed down by the force on the first.
  const TextRun string(R"yaml(
  a:      {type: translational.mass, mass: 1 kg}
  b:      {type: translational.mass, mass: 1 kg, initial: {velocity: 1 m/s}}
  press:  {type: control.constant, value: -0.1 N, unit: N}
  force:  {type: translational.force, at: a, input: press}
  wall:   {type: translational.end_stop, lower: 0, restitution: 0, between: [ground, a]}
  string: {type: translational.end_stop, upper: 1 m, restitution: 0, between: [a, b]})yaml",
                       "until: 2 s, step: 10 ms", {"a.velocity", "b.velocity", "wall.force", "string.force"});
  CHECK(std::abs(times_of(string, "string").at(0) - 1) < 1e-9);
  CHECK(std::abs(string.last[0] - 0.45) < 1e-9);
  CHECK(std::abs(string.last[1] - 0.45) < 1e-9);
  CHECK(string.last[2] == 0);
  CHECK(std::abs(string.last[3] - 0.05) < 1e-9);
  REQUIRE(string.statistics.energy);
  CHECK(std::abs(string.statistics.energy->error()) < 1e-9);

  // A block hits one that is pressed against a wall: the impulse goes through to the wall.
  const TextRun row(R"yaml(
  a:    {type: translational.mass, mass: 1 kg, initial: {position: -1 m, velocity: 1 m/s}}
  b:    {type: translational.mass, mass: 1 kg}
  push: {type: control.constant, value: 1 N, unit: N}
  hold: {type: translational.force, at: b, input: push}
  wall: {type: translational.end_stop, upper: 0, restitution: 0, between: [ground, b]}
  hit:  {type: translational.end_stop, lower: 0, restitution: 0.5, between: [a, b]})yaml",
                    "until: 1.5 s, step: 10 ms", {"a.velocity", "b.velocity", "wall.force"});
  CHECK(std::abs(row.last[0] + 0.5) < 1e-9);
  CHECK(std::abs(row.last[1]) < 1e-12);

  const TextRun resting(R"yaml(
  ball:   {type: translational.mass, mass: 2 kg}
  weight: {type: control.constant, value: -2*9.81 N, unit: N}
  pull:   {type: translational.force, at: ball, input: weight}
  floor: {type: translational.end_stop, lower: 0, restitution: 0.5, between: [ground, ball]}
  kick:  {type: event.crossing, expression: t - 1 s, set: {ball.velocity: 2 m/s}})yaml",
                        "until: 1.1 s, step: 10 ms", {"ball.position", "ball.velocity"});
  CHECK(std::abs(resting.last[0] - (0.2 - 0.5 * 9.81 * 0.01)) < 1e-9);
  CHECK(std::abs(resting.last[1] - (2 - 0.981)) < 1e-9);
}

TEST_CASE("numerical damping is kept between events, whether v' jumps or the history restarts") {
  // A stiff oscillator, 16 periods per step, out of rest, pushed to and fro by a force that a sine switches about every step:
  // a relay (v' jumps), or an event that sets a parameter (the history restarts, and the step settles, T-settle).
  const auto residue = [](const std::string& relay) {
    const TextRun run(R"yaml(
  mass:   {type: translational.mass, mass: 1 kg, initial: {position: 1 mm}}
  spring: {type: translational.spring, stiffness: 1e8 N/m, between: [ground, mass]}
  wave:   {type: control.sine, amplitude: 1, frequency: 47.3 Hz}
  relay:  )yaml" + relay + R"yaml(
  push:   {type: translational.force, at: mass, input: relay})yaml",
                      "until: 2 s, step: 10 ms", {"mass.position", "relay"});
    return std::abs(run.last[0] - run.last[1] / 1e8) / 1e-3;
  };
  const double jumps = residue("{type: control.relay, low: -1e-6 N, high: 1e-6 N, unit: N, input: wave}"),
               smooth = residue("{type: control.constant, value: 1e-6 N, unit: N}"),
               restarts = residue(
                   "{type: control.step, time: 0, after: 1e-6 N, unit: N}\n"
                   "  up:   {type: event.crossing, inputs: {x: wave}, expression: x, direction: rising, "
                   "set: {relay.after: 1e-6 N}}\n"
                   "  down: {type: event.crossing, inputs: {x: wave}, expression: x, direction: falling, "
                   "set: {relay.after: -1e-6 N}}");
  fmt::print(
      "stiff residue after 200 steps: {:.1e} without events, {:.1e} with 189 jumps, {:.1e} with 189 "
      "restarts\n",
      smooth, jumps, restarts);
  CHECK(smooth < 1e-12);
  CHECK(jumps < 1e-4);
  CHECK(restarts < 1e-4);
}

TEST_CASE("rows at times of their own come from the interpolant, with constant steps too") {
  const std::string text = R"yaml(
  mass:   {type: translational.mass, mass: 1 kg, initial: {position: 1 m}}
  spring: {type: translational.spring, stiffness: 1 N/m, between: [ground, mass]})yaml";
  const std::vector<std::string> channels = {"mass.position", "mass.velocity", "mass.acceleration"};
  const TextRun listed(text, "until: 2 s, step: 10 ms, output_at: [0.1234 s, 1 s, 1.9999 s]", channels);
  REQUIRE(listed.t == std::vector<double>{0.1234, 1, 1.9999});
  const TextRun every(text, "until: 2 s, step: 10 ms, output_every: 33 ms", channels);
  REQUIRE(every.t.size() == 62);  // 0, 33 ms … 1.98 s, and the end
  const TextRun plain(text, "until: 2 s, step: 10 ms", channels);
  CHECK(plain.last == every.last);
  CHECK(plain.last == listed.last);
  for (const TextRun* run : {&listed, &every})
    for (std::size_t k = 0; k < run->t.size(); ++k) {
      const double t = run->t[k];
      CHECK(std::abs(run->rows[k][0] - std::cos(t)) < 2e-5);  // h² t/12 and a little
      CHECK(std::abs(run->rows[k][1] + std::sin(t)) < 2e-5);
      CHECK(std::abs(run->rows[k][2] + std::cos(t)) < 2e-5);
    }
}

TEST_CASE(
    "events at one instant that set one variable: all count, in any order; what is overruled is reported") {
  const auto run = [](const std::vector<std::string>& events, const std::string& steps) {
    std::string model = R"(
    s: {type: control.sine, amplitude: 1, frequency: 1 Hz}
    n: {type: control.variable, value: 0}
)";
    for (const std::string& e : events)
      model += "    " + e.substr(0, 1) +
               ": {type: event.crossing, direction: rising, inputs: {u: s, n: n}, " + e.substr(2) + "}\n";
    return TextRun(model, "until: 2.02 s, " + steps, {"n"});
  };
  const auto warned = [](const TextRun& r) {
    return std::any_of(r.statistics.warnings.begin(), r.statistics.warnings.end(),
                       [](const Warning& w) { return w.code == "W-EVENTS"; });
  };
  for (const std::string steps : {"step: 0.017 s", "step: 0.1 s", "adaptive: true, tolerance: 1e-4",
                                  "step: 0.017 s, scheme: variational"}) {
    INFO(steps);
    std::vector<std::string> counters{"x expression: u - 0.5, set: {n: n + 1}",
                                      "y expression: 2*u - 1, set: {n: n + 10}",
                                      "z expression: 0.5*u - 0.25, set: {n: n + 100}"};
    std::sort(counters.begin(), counters.end());
    do {
      const TextRun r = run(counters, steps);
      CHECK(r.last[0] == 222);
      CHECK_FALSE(warned(r));
    } while (std::next_permutation(counters.begin(), counters.end()));
    const TextRun same =
        run({"x expression: u - 0.5, set: {n: 3}", "y expression: 2*u - 1, set: {n: 3}"}, steps);
    CHECK(same.last[0] == 3);
    CHECK_FALSE(warned(same));
    const TextRun other =
        run({"x expression: u - 0.5, set: {n: 3}", "y expression: 2*u - 1, set: {n: 7}"}, steps);
    CHECK(other.last[0] == 7);
    CHECK(warned(other));
  }
}

TEST_CASE("switches within 1e-9 of a step of its end, one after the other") {
  for (const double after : {5e-12, 3e-12, 8e-12, 1e-13})
    for (const double next : {3e-12, 1.5e-12, -2e-12, 7e-12}) {
      INFO(after, " s, ", next, " s");
      const TextRun run(fmt::format(R"(
    clock: {{type: control.ramp, slope: 1}}
    a: {{type: control.relay, input: clock, threshold: {:.17g}}}
    b: {{type: control.relay, input: clock, threshold: {:.17g}}}
    sum: {{type: control.sum, inputs: [a, b]}}
    i: {{type: control.integrator, input: sum}})",
                                    0.24 + after, 0.25 + next),
                        "until: 0.5, step: 0.01", {"i", "sum"}, "units: SI");
      CHECK(run.rows.size() == 51);
      CHECK(run.last[1] == 2);
      CHECK(run.last[0] == doctest::Approx(-0.24 + 0.26 - 0.25 + 0.25).epsilon(1e-9));
    }
}
