#include "core/element_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/manifold.hpp"

namespace escapement {
namespace {

class Checker {
 public:
  Checker(const System& system, const ElementCheckOptions& options)
      : system_(system), options_(options), random_(options.seed), n_(system.size()) {
    for (const LieVariable& v : system.lie_variables()) on_se3_ = on_se3_ || v.manifold == Manifold::se3;
  }

  std::vector<std::string> run() {
    std::vector<int> sides_seen;  // bit 1: below, bit 2: above
    std::vector<double> first_seen;
    std::vector<char> varied;  // what is always 1 stands for no kink
    for (int k = 0; k < options_.states; ++k) {
      State s = random_state();
      std::vector<double> kinks;
      for (int tries = 0; tries < 200; ++tries) {  // away from kinks, where the two sides differ
        kinks.clear();
        for (const auto& g : system_.groups()) g->kinks(s, kinks);
        if (std::none_of(kinks.begin(), kinks.end(), [](double x) { return std::abs(x) < 1e-2; })) break;
        s = random_state();
      }
      sides_seen.resize(kinks.size(), 0);
      varied.resize(kinks.size(), 0);
      if (first_seen.empty()) first_seen = kinks;
      for (std::size_t i = 0; i < kinks.size(); ++i)
        varied[i] |= kinks[i] != first_seen[i] || kinks[i] != 1.0;
      for (std::size_t i = 0; i < kinks.size(); ++i) sides_seen[i] |= kinks[i] < 0 ? 1 : 2;
      in_parts_ = !on_se3_ && k % 2 == 1;
      check_state(s);
      check_power(s);
    }
    for (std::size_t i = 0; i < sides_seen.size(); ++i)
      if (sides_seen[i] != 3 && varied[i])
        complain(fmt::format("kink {} was met on one side only: widen the spread", i));
    return faults_;
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  void complain(std::string text) {
    if (faults_.size() < 20) faults_.push_back(std::move(text));
  }

  State random_state() {
    State s = system_.state();
    s.t = 1 + uniform();
    for (double& m : s.memory) m = std::round(1.5 * uniform());  // modes: −1, 0, 1
    const auto nominal = system_.nominal();
    const auto at = system_.value_of_row();
    for (int i = 0; i < n_; ++i)
      if (at[i] >= 0) s.value[at[i]] = options_.spread * nominal[i] * uniform();
    for (int i = 0; i < system_.rows(Kind::position).end; ++i) {
      s.rate[i] = options_.spread * nominal[i] * uniform();
      s.acceleration[i] = options_.spread * nominal[i] * uniform();
    }
    for (const auto& lie : system_.lie_variables()) {
      double* q = &s.value[lie.place.value];
      double size = 0;
      for (int k = 0; k < 4; ++k) {
        q[k] = uniform();
        size += q[k] * q[k];
      }
      for (int k = 0; k < 4; ++k) q[k] /= std::sqrt(size);
      if (lie.manifold != Manifold::so3)
        for (int k = 4; k < 7; ++k) q[k] = options_.spread * uniform();
    }
    return s;
  }

  /// State `from` with the unknown of row j moved by e along the shift: q∘exp(u + c0 e), v + c1 e, v̇ + c2 e.
  State moved(const State& from, std::span<const double> u, const Shift& c, int j, double e) const {
    State s = from;
    std::vector<double> step(u.begin(), u.end());
    if (j < system_.rows(Kind::position).end) {
      step[j] += c.position * e;
      s.rate[j] += c.velocity * e;
      s.acceleration[j] += c.acceleration * e;
    } else {
      s.value[system_.value_of_row()[j]] += e;
    }
    move_positions(system_, from.value, step, s.value, {});
    return s;
  }

  void check_state(const State& from) {
    const int positions = system_.rows(Kind::position).end;
    Shift c;
    c.position = 0.5 + 0.4 * uniform();
    c.velocity = 0.6 + 0.3 * uniform();
    c.acceleration = 0.8 + 0.5 * uniform();
    c.store = 1.0 + 0.5 * uniform();
    c.flow = 0.7 + 0.5 * uniform();
    c.holonomic_scale = 1.3;
    c.nonholonomic_scale = 0.7;
    if (in_parts_) {  // as a discrete Lagrangian takes them (on SE(3) none does)
      c.momentum = 0.9;
      c.momentum_rate = 0.4;
      c.force = 1.2;
      c.reaction = 0.6;
    }
    std::vector<double> u(positions), operators(system_.tangent_operators_size());
    for (double& x : u) x = system_.lie_variables().empty() ? 0.0 : 0.5 * uniform();
    State s = from;
    move_positions(system_, from.value, u, s.value, operators);

    std::vector<double> r(n_), again(n_), values(system_.pattern().nonzeros()), plus(n_), minus(n_);
    system_.residual(s, c, r);
    system_.residual(s, c, again);
    if (r != again) complain("the same rows evaluated twice differ: the element has hidden state");
    system_.tangent(s, c, operators, again, values);
    for (int i = 0; i < n_; ++i)
      if (!(std::abs(r[i] - again[i]) <= 1e-12 * (1 + std::abs(r[i]))))
        complain(fmt::format("row {}: residual {} but {} with tangent", system_.row_name(i), r[i], again[i]));
    for (const auto& g : system_.groups()) {
      const double difference = g->oracle_difference(s, c);
      if (!(difference < 1e-11))
        complain(
            fmt::format("hand-written assembly differs from the differentiated form by {:.2g}", difference));
    }

    const Pattern& p = system_.pattern();
    std::vector<double> largest(n_, 0.0);
    for (int k = 0; k < p.nonzeros(); ++k)
      largest[p.row[k]] = std::max(largest[p.row[k]], std::abs(values[k]));
    for (int j = 0; j < n_; ++j) {
      const double e = 1e-5 * system_.nominal()[j];
      system_.residual(moved(from, u, c, j, e), c, plus);
      system_.residual(moved(from, u, c, j, -e), c, minus);
      for (int i = 0; i < n_; ++i) {
        const int at = p.find(i, j);
        const double exact = at >= 0 ? values[at] : 0.0, difference = (plus[i] - minus[i]) / (2 * e);
        const double rounding = 1e-10 * (std::abs(plus[i]) + 1) / system_.nominal()[j];
        if (!(std::abs(exact - difference) <=
              options_.tolerance * (largest[i] + std::abs(difference)) + rounding))
          complain(fmt::format("tangent of row {} along `{}`: {} but differences give {}",
                               system_.row_name(i), system_.unknown_name(j), exact, difference));
      }
    }
  }

  /// v·R + x·(ṡ + flow) = dE/dt + loss + λ·Φ̇ + μ·k along a path, when every element states its energy or loss.
  void check_power(const State& s) {
    for (const auto& g : system_.groups()) {
      const bool constrains_only = g->has_constraints && !dynamic_cast<const DynamicGroup*>(g.get());
      if (!constrains_only && !g->power(s).stated) return;
    }
    const int positions = system_.rows(Kind::position).end;
    const Range states = system_.rows(Kind::state);
    std::vector<double> x_rate(n_, 0.0);
    for (int i = states.begin; i < states.end; ++i) x_rate[i] = system_.nominal()[i] * uniform();
    const auto along = [&](double tau) {
      State z = s;
      std::vector<double> u(positions);
      for (int i = 0; i < positions; ++i) {
        u[i] = tau * s.rate[i] + 0.5 * tau * tau * s.acceleration[i];
        z.rate[i] += tau * s.acceleration[i];
      }
      move_positions(system_, s.value, u, z.value, {});
      for (int i = states.begin; i < states.end; ++i) z.value[system_.value_of_row()[i]] += tau * x_rate[i];
      z.t += tau;
      return z;
    };
    const double tau = 1e-5;
    const State before = along(-tau), after = along(tau);
    std::vector<double> r(n_), s1(n_), s2(n_), rates(n_);
    system_.residual(s, {.store = 0, .flow = 1}, r);
    system_.state_store(before, s1);
    system_.state_store(after, s2);
    double power = 0, size = 1e-3;
    for (int i = 0; i < positions; ++i) {
      power += s.rate[i] * r[i];
      size += std::abs(s.rate[i] * r[i]);
    }
    for (int i = states.begin; i < states.end; ++i) {
      const double x = s.value[system_.value_of_row()[i]];
      power += x * ((s2[i] - s1[i]) / (2 * tau) + r[i]);
      size += std::abs(x * r[i]);
    }
    system_.constraints(s, 1, 0, rates);
    for (Kind kind : {Kind::holonomic, Kind::nonholonomic})
      for (int i = system_.rows(kind).begin; i < system_.rows(kind).end; ++i)
        power -= s.value[system_.value_of_row()[i]] * rates[i];
    double expected = 0;
    for (const auto& g : system_.groups()) {
      expected += (g->power(after).energy - g->power(before).energy) / (2 * tau) + g->power(s).loss;
    }
    if (!(std::abs(power - expected) <= 1e-6 * (size + std::abs(expected))))
      complain(fmt::format("power through the rows is {} but energy rate plus loss is {}", power, expected));
  }

  const System& system_;
  const ElementCheckOptions& options_;
  std::mt19937_64 random_;
  int n_;
  bool on_se3_ = false, in_parts_ = false;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> check_elements(const System& system, const ElementCheckOptions& options) {
  return Checker(system, options).run();
}

}  // namespace escapement
