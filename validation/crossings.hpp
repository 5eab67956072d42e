// Closed forms of what switches along known signals: when a sine, a sawtooth or a straight line passes levels, and what the
// signal behind such a switch is in the mean; and how a run compares with them.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

#include "run_text.hpp"

namespace escapement::validation {

struct Crossing {
  double time;
  int sign;  // 1 rising, −1 falling
};

/// offset + amplitude · sin(2π · frequency · t + phase), amplitude > 0.
struct Wave {
  double frequency, amplitude = 1, phase = 0, offset = 0;

  double operator()(double t) const {
    return offset + amplitude * std::sin(2 * std::numbers::pi * frequency * t + phase);
  }
  std::string text(const std::string& name) const {
    return fmt::format(
        "  {}: {{type: control.sine, amplitude: {:.17g}, frequency: {:.17g}, phase: {:.17g}, offset: "
        "{:.17g}}}\n",
        name, amplitude, frequency, phase, offset);
  }
  /// How far a level is from the nearer peak, relative to the amplitude; negative beyond.
  double clearance(double level) const { return 1 - std::abs(level - offset) / amplitude; }
  /// Passages of a level within (from, to).
  std::vector<Crossing> crossings(double level, double from, double to) const {
    std::vector<Crossing> list;
    if (clearance(level) <= 0) return list;
    constexpr long double turn = 2 * std::numbers::pi_v<long double>;
    const long double up = std::asin((static_cast<long double>(level) - offset) / amplitude);
    for (const int sign : {1, -1}) {
      const long double angle = ((sign > 0 ? up : turn / 2 - up) - phase) / turn;  // in turns, of one of them
      for (auto k = static_cast<long>(std::ceil(from * static_cast<long double>(frequency) - angle));; ++k) {
        const auto time = static_cast<double>((angle + k) / frequency);
        if (time >= to) break;
        if (time > from) list.push_back({time, sign});
      }
    }
    std::sort(list.begin(), list.end(), [](auto a, auto b) { return a.time < b.time; });
    return list;
  }
};

/// What a switched signal does: where it starts, when and by how much it jumps.
struct Switched {
  double until;
  double start = 0, height = 1;
  std::vector<Crossing> jumps;

  double at(double t) const {
    double y = start;
    for (const Crossing& c : jumps) y += c.time <= t ? c.sign * height : 0;
    return y;
  }
  /// Its mean over the run, in heights.
  double mean() const {
    long double sum = start / height;
    for (const Crossing& c : jumps) sum += c.sign * (1 - static_cast<long double>(c.time) / until);
    return static_cast<double>(sum);
  }
};

/// 1 above a level, 0 below.
inline Switched above(const Wave& wave, double level, double until) {
  return {until, wave(0) > level ? 1.0 : 0.0, 1, wave.crossings(level, 0, until)};
}

/// A wave rounded to multiples of an interval: it jumps half-way between them.
inline Switched rounded(const Wave& wave, double interval, double until) {
  Switched s{until, interval * std::round(wave(0) / interval), interval, {}};
  for (double k = std::floor((wave.offset - wave.amplitude) / interval) - 1;
       (k + 0.5) * interval < wave.offset + wave.amplitude; ++k)
    for (const Crossing& c : wave.crossings((k + 0.5) * interval, 0, until)) s.jumps.push_back(c);
  std::sort(s.jumps.begin(), s.jumps.end(), [](auto a, auto b) { return a.time < b.time; });
  return s;
}

inline std::vector<Crossing> in_direction(std::vector<Crossing> list, const std::string& direction) {
  if (direction != "both")
    std::erase_if(list, [&](const Crossing& c) { return (c.sign > 0) != (direction == "rising"); });
  return list;
}

/// The mean of a switched signal over the run in heights, as a component `mean`: its size does not depend on the run.
inline std::string mean_of(const std::string& signal, const Switched& s) {
  return fmt::format("  mean: {{type: control.integrator, input: {}, gain: {:.17g}}}\n", signal,
                     1 / (s.until * s.height));
}

/// Times of the events of one component; the first 10,000 of the run.
inline std::vector<double> event_times(const TextRun& run, const std::string& who) {
  std::vector<double> list;
  for (const auto& e : run.statistics.events)
    if (e.what == who) list.push_back(e.time);
  return list;
}

/// What is wrong with the events of one component, in words; empty if nothing is. Beyond the 10,000 events that a run lists only
/// their number is known: then nothing else may switch. Events are located to 1e-12 of the run: 1e-9 of it leaves room for
/// rounding where a signal is flat; `slack` is for what is known less well.
inline std::string wrong_events(const TextRun& run, const std::string& who,
                                const std::vector<Crossing>& exact, double until,
                                const std::function<double(const Crossing&)>& slack = {}) {
  if (!run.failure.empty()) return fmt::format("{} at t = {:.6g}", run.failure, run.state.t);
  const auto times = event_times(run, who);
  const long all = run.statistics.event_count, count = all > static_cast<long>(run.statistics.events.size())
                                                           ? all
                                                           : static_cast<long>(times.size());
  if (count != static_cast<long>(exact.size()))
    return fmt::format("{} events instead of {}", count, exact.size());
  for (std::size_t k = 0; k < times.size(); ++k)
    if (!(std::abs(times[k] - exact[k].time) <= 1e-9 * until + (slack ? slack(exact[k]) : 0.0)))
      return fmt::format("event {} at {:.12g} instead of {:.12g}", k, times[k], exact[k].time);
  return "";
}

/// The same, and its mean as the last channel: pieces of a constant are integrated exactly, so that only the places of the jumps
/// count, 1e-12 of the run each.
inline std::string wrong_mean(const TextRun& run, const std::string& who, const Switched& exact) {
  const std::string wrong = wrong_events(run, who, exact.jumps, exact.until);
  if (!wrong.empty()) return wrong;
  const double error = run.last.back() - exact.mean();
  if (std::abs(error) <= 1e-9 + 2e-12 * static_cast<double>(exact.jumps.size())) return "";
  return fmt::format("mean {:.12g} instead of {:.12g}", run.last.back(), exact.mean());
}

/// A wave through each kind of what switches, with numbers of its own. `level` serves all but the quantiser.
struct Switches {
  Wave wave;
  double until;
  double level, interval;
  std::string relation = ">", direction = "both";

  static constexpr int kinds = 5;
  static std::string name(int kind) {
    static const char* const names[kinds] = {"relay", "comparison", "quantiser", "counter", "ideal diode"};
    return names[kind];
  }
  /// A diode switches a millionth of a volt or ampere beyond its corner (with a load of 1 ohm).
  static constexpr double beyond = 2.1e-6;

  /// Levels at which this kind switches.
  std::vector<double> levels(int kind) const {
    if (kind != 2) return {level};
    std::vector<double> list;
    for (double k = std::floor((wave.offset - 1.1 * wave.amplitude) / interval) - 1;
         (k - 0.5) * interval < wave.offset + 1.1 * wave.amplitude; ++k)
      list.push_back((k + 0.5) * interval);
    return list;
  }
  /// Rounding decides: a level touches a peak, or is passed as the run starts or ends.
  bool ill_conditioned(int kind) const {
    const double end = 1e-9 * until, peak = kind == 4 ? 1e-6 + 2 * beyond / wave.amplitude : 1e-6;
    return std::ranges::any_of(levels(kind), [&](double l) {
      if (std::abs(wave.clearance(l)) < peak) return true;
      if (kind == 4 && std::abs(wave(0) - l) < 2 * beyond) return true;
      return !wave.crossings(l, -end, end).empty() || !wave.crossings(l, until - end, until + end).empty();
    });
  }
  /// What is wrong with a run of this kind; settings after `until`.
  std::string wrong(int kind, const std::string& settings) const {
    const std::string all = fmt::format("until: {:.17g}, {}", until, settings), source = wave.text("wave");
    const auto run = [&](const std::string& text, const std::string& channel,
                         const std::string& head = "units: SI") {
      return TextRun(source + text, all, {channel}, head, true);
    };
    if (kind == 0) {
      const Switched exact = above(wave, level, until);
      return wrong_mean(run(fmt::format("  s: {{type: control.relay, input: wave, threshold: {:.17g}, low: "
                                        "0, high: 1}}\n",
                                        level) +
                                mean_of("s", exact),
                            "mean"),
                        "s", exact);
    }
    if (kind == 1) {
      Switched exact = above(wave, level, until);
      if (relation[0] == '<') {
        exact.start = 1 - exact.start;
        for (Crossing& c : exact.jumps) c.sign = -c.sign;
      }
      return wrong_mean(run(fmt::format("  s: {{type: control.comparison, input: wave, relation: \"{}\", "
                                        "constant: {:.17g}}}\n",
                                        relation, level) +
                                mean_of("s", exact),
                            "mean"),
                        "s", exact);
    }
    if (kind == 2) {
      const Switched exact = rounded(wave, interval, until);
      return wrong_mean(
          run(fmt::format("  s: {{type: control.quantiser, input: wave, interval: {:.17g}}}\n", interval) +
                  mean_of("s", exact),
              "mean"),
          "s", exact);
    }
    if (kind == 3) {
      const auto exact = in_direction(wave.crossings(level, 0, until), direction);
      const TextRun counted =
          run(fmt::format(
                  "  n: {{type: control.variable, value: 0}}\n"
                  "  s: {{type: event.crossing, inputs: {{x: wave, k: n}}, expression: \"x - ({:.17g})\", "
                  "direction: {}, set: {{n: k + 1}}}}\n",
                  level, direction),
              "n");
      const std::string wrong = wrong_events(counted, "s", exact, until);
      if (!wrong.empty() || counted.last[0] == static_cast<double>(exact.size())) return wrong;
      return fmt::format("counts {} instead of {}", counted.last[0], exact.size());
    }
    return wrong_diode(run(fmt::format("  e: {{type: electric.voltage_source, input: wave, between: [in, "
                                       "ground]}}\n"
                                       "  s: {{type: electric.ideal_diode, knee_voltage: {:.17g}, between: "
                                       "[in, out]}}\n"
                                       "  load: {{type: electric.resistor, resistance: 1, between: [out, "
                                       "ground]}}\n",
                                       level),
                           "out.voltage", "units: SI\nnodes: {electrical: [in, out]}"));
  }

 private:
  /// It conducts above the knee, and in every row the load has what is above it, of which 1 mohm in series and a leakage of
  /// 1 nS take little.
  std::string wrong_diode(const TextRun& run) const {
    const double speed = 2 * std::numbers::pi * wave.frequency * wave.amplitude *
                         std::sqrt(std::max(0.0, 1 - std::pow((level - wave.offset) / wave.amplitude, 2)));
    const std::string wrong = wrong_events(run, "s", wave.crossings(level, 0, until), until,
                                           [&](const Crossing&) { return 2 * beyond / speed; });
    if (!wrong.empty()) return wrong;
    for (std::size_t k = 0; k < run.t.size(); ++k) {
      const double exact = std::max(0.0, wave(run.t[k]) - level) / 1.001;
      if (!(std::abs(run.rows[k][0] - exact) <= 2 * beyond + 1e-8 * (wave.amplitude + std::abs(wave.offset))))
        return fmt::format("{:.9g} V behind the diode instead of {:.9g} V at t = {:.9g}", run.rows[k][0],
                           exact, run.t[k]);
    }
    return "";
  }
};

inline std::string fixed(double step) { return fmt::format("step: {:.17g}", step); }
inline std::string adaptive(double tolerance) {
  return fmt::format("adaptive: true, tolerance: {:g}", tolerance);
}
inline TextRun run_for(double until, const std::string& components, const std::string& settings,
                       const std::vector<std::string>& channels, const std::string& head = "units: SI") {
  return TextRun(components, fmt::format("until: {:.17g}, {}", until, settings), channels, head, true);
}

/// A counter `n` of passages of an expression of x.
inline std::string counter(const std::string& x, const std::string& expression,
                           const std::string& direction) {
  return fmt::format(
      "  n: {{type: control.variable, value: 0}}\n"
      "  s: {{type: event.crossing, inputs: {{x: {}, k: n}}, expression: \"{}\", direction: {}, set: {{n: k "
      "+ 1}}}}\n",
      x, expression, direction);
}
/// What is wrong with such a counter, the first channel.
inline std::string wrong_count(const TextRun& run, const std::vector<Crossing>& exact, double until) {
  const std::string wrong = wrong_events(run, "s", exact, until);
  if (!wrong.empty() || run.last[0] == static_cast<double>(exact.size())) return wrong;
  return fmt::format("counts {} instead of {}", run.last[0], exact.size());
}

/// One of the Switches that a wave of so many periods has: levels off the middle, so that times between events differ.
inline Switches typical(double frequency, double periods) {
  const Wave wave{frequency, 2.5, 0.4, 0.7};
  return {wave, periods / frequency, 1.37, 1.9, ">=", "both"};
}

/// A sawtooth from −1 to 1, or a triangle from −1 over 1 to −1, of this period.
struct Saw {
  double period;
  bool triangle;

  std::string text() const {
    return fmt::format(
        "  wave: {{type: control.time_table, beyond: repeat, table: [[0, -1], [{:.17g}, 1]{}]}}\n",
        triangle ? period / 2 : period, triangle ? fmt::format(", [{:.17g}, -1]", period) : "");
  }
  Switched above(double level, double until) const {
    Switched s{until, 0, 1, {}};
    const double up = (level + 1) / 2 * (triangle ? 0.5 : 1), down = triangle ? 1 - up : 1;
    for (double k = 0; k * period < until; ++k)
      for (const auto& [part, sign] : {std::pair{up, 1}, std::pair{down, -1}})
        if ((k + part) * period < until) s.jumps.push_back({(k + part) * period, sign});
    return s;
  }
};

/// A shaft that turns at a constant speed.
struct Shaft {
  double speed, angle;

  std::string text() const {
    return fmt::format(
        "  shaft: {{type: rotational.inertia, inertia: 1, initial: {{velocity: {:.17g}, angle: {:.17g}}}}}\n",
        speed, angle);
  }
  /// When it passes `first` and every so many radians on.
  std::vector<Crossing> passages(double first, double distance, double until) const {
    std::vector<Crossing> list;
    for (double k = std::ceil((angle - first) / distance);; ++k) {
      const double time = (first + k * distance - angle) / speed;
      if (time >= until) return list;
      if (time > 0) list.push_back({time, 1});
    }
  }
  /// What is wrong with the count of its turns, by the sine of the angle.
  std::string wrong_turns(double until, const std::string& settings) const {
    return wrong_count(run_for(until, text() + counter("shaft.angle", "sin(x)", "rising"), settings, {"n"}),
                       passages(0, 2 * std::numbers::pi, until), until);
  }
  /// … with that of both edges of the sawtooth atan(tan(angle/2)), which jumps at half a turn,
  std::string wrong_saw(double until, const std::string& settings) const {
    return wrong_count(
        run_for(until, text() + counter("shaft.angle", "atan(tan(x/2))", "both"), settings, {"n"}),
        passages(0, std::numbers::pi, until), until);
  }
  /// … and with the lines of an encoder.
  std::string wrong_lines(double until, double line, const std::string& settings) const {
    const Switched exact{until, line * std::round(angle / line), line, passages(0.5 * line, line, until)};
    return wrong_mean(
        run_for(until,
                text() +
                    fmt::format("  s: {{type: control.quantiser, input: shaft.angle, interval: {:.17g}}}\n",
                                line) +
                    mean_of("s", exact),
                settings, {"mean"}),
        "s", exact);
  }
};

inline void check_relay(const Wave& wave, double level, double until, const std::string& settings) {
  const Switches s{wave, until, level, 1};
  INFO("relay at ", level, ", ", wave.frequency, " Hz, until ", until, ", ", settings);
  REQUIRE(!s.ill_conditioned(0));
  CHECK(s.wrong(0, settings) == "");
}

}  // namespace escapement::validation
