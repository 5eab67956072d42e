// What validation cases share: running a stepper along given steps, errors over a ladder of steps, tables.
#pragma once
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "steppers/generalized_alpha.hpp"
#include "steppers/variational.hpp"

namespace escapement::validation {

/// Constant steps that add up to `until` exactly.
inline std::vector<double> constant_steps(double until, int n) { return std::vector<double>(n, until / n); }

/// Steps repeating a pattern of relative sizes, n in all, that add up to `until`.
inline std::vector<double> pattern_steps(double until, int n, const std::vector<double>& pattern) {
  std::vector<double> steps(n);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += steps[i] = pattern[i % pattern.size()];
  for (double& h : steps) h *= until / sum;
  return steps;
}

/// Called after the start and after every step.
using Observer = std::function<void(const State&)>;

/// Starts and runs; any failure is a failed check with the rows named.
inline State run(Stepper& stepper, const System& system, State state, const std::vector<double>& steps,
                 const Observer& observe = {}) {
  stepper.start(state);
  if (observe) observe(state);
  const double t0 = state.t;
  double sum = 0;
  for (double h : steps) {
    const StepReport report = stepper.advance(state, h);
    if (!report.ok()) {
      FAIL("step at t = ", state.t, " h = ", h, ": ", describe(report.newton, system));
      return state;
    }
    sum += h;
    state.t = t0 + sum;
    if (observe) observe(state);
  }
  return state;
}
inline State run(const System& system, State state, const GeneralizedAlphaOptions& options,
                 const std::vector<double>& steps, const Observer& observe = {}) {
  GeneralizedAlpha stepper(system, options);
  return run(stepper, system, std::move(state), steps, observe);
}
inline State run(const System& system, State state, const VariationalOptions& options,
                 const std::vector<double>& steps, const Observer& observe = {}) {
  Variational stepper(system, options);
  return run(stepper, system, std::move(state), steps, observe);
}

/// Errors of named quantities over a ladder of steps; prints the table with observed orders.
struct Ladder {
  std::vector<std::string> names;
  std::vector<double> h;
  std::vector<std::vector<double>> errors;  // [rung][quantity]

  explicit Ladder(std::vector<std::string> quantity_names) : names(std::move(quantity_names)) {}
  void add(double step, std::vector<double> e) {
    h.push_back(step);
    errors.push_back(std::move(e));
  }
  double error(std::size_t rung, std::size_t quantity) const {
    return std::abs(errors.at(rung).at(quantity));
  }
  double order(std::size_t rung, std::size_t quantity) const {
    return std::log(error(rung - 1, quantity) / error(rung, quantity)) / std::log(h[rung - 1] / h[rung]);
  }
  void print(const std::string& title) const {
    fmt::print("\n{}\n{:>12}", title, "h");
    for (const auto& n : names) fmt::print(" {:>14} order", n);
    fmt::print("\n");
    for (std::size_t r = 0; r < h.size(); ++r) {
      fmt::print("{:12.4e}", h[r]);
      for (std::size_t q = 0; q < names.size(); ++q)
        fmt::print(" {:14.6e} {:>5}", errors[r][q], r == 0 ? "" : fmt::format("{:.2f}", order(r, q)));
      fmt::print("\n");
    }
  }
  /// The last rung's order of every quantity lies within 2 ± tolerance, and what `rounding` of the last error makes of the order.
  void check_second_order(double tolerance, const std::vector<double>& rounding = {}) const {
    const std::size_t last = h.size() - 1;
    for (std::size_t q = 0; q < names.size(); ++q) {
      INFO("order of ", names[q]);
      const double unsure =
          rounding.empty() ? 0.0 : rounding[q] / error(last, q) / std::log(h[last - 1] / h[last]);
      CHECK(std::abs(order(last, q) - 2.0) <= tolerance + unsure);
    }
  }
};

/// Value at h -> 0 from three rungs h, h/2, h/4 of a second-order method: the h² and h³ terms removed.
inline double richardson(double h1, double h2, double h4) {
  const double first = (4 * h2 - h1) / 3, second = (4 * h4 - h2) / 3;
  return (8 * second - first) / 7;
}

/// a equals b to `relative` (of |b|).
inline bool close(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

}  // namespace escapement::validation
