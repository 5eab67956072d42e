// What validation cases that are mechanisms written as model files share: the assembled model, its channels and the
// accelerations of its bodies, runs along given steps, the limit h -> 0 of what they give.
#pragma once
#include <algorithm>
#include <unordered_map>

#include "model_case.hpp"
#include "support.hpp"

namespace escapement::validation {

using Settings = std::vector<std::pair<std::string, std::string>>;

class Mechanism {
 public:
  Assembly assembly;
  GeneralizedAlphaOptions options;  // as the model says, with a tight Newton tolerance

  /// A file of validation/models, or, if it has several lines, the text of a model.
  explicit Mechanism(const std::string& model, const Settings& settings = {})
      : Mechanism(read(model, settings)) {}

  const System& system() const { return assembly.system; }
  const State& initial() const { return assembly.initial; }
  State consistent() const {
    State s = initial();
    make_consistent(system(), s, options.start);
    return s;
  }
  State run(const std::vector<double>& steps, const Observer& observe = {}) const {
    return validation::run(system(), initial(), options, steps, observe);
  }

  double operator()(const State& s, const std::string& channel) const {
    const auto found = channels_.find(channel);
    if (found == channels_.end()) FAIL("no channel " << channel);
    return assembly.read(*found->second, s);
  }
  std::vector<double> operator()(const State& s, const std::vector<std::string>& names) const {
    std::vector<double> values;
    for (const std::string& name : names) values.push_back((*this)(s, name));
    return values;
  }
  /// A channel with parts x, y, z.
  Vector3 vector(const State& s, const std::string& channel) const {
    return {{(*this)(s, channel + ".x"), (*this)(s, channel + ".y"), (*this)(s, channel + ".z")}};
  }
  Rotation<double> rotation(const State& s, const std::string& body) const {
    const std::string q = body + ".quaternion.";
    return {(*this)(s, q + "w"), {{(*this)(s, q + "x"), (*this)(s, q + "y"), (*this)(s, q + "z")}}};
  }
  /// What the state holds of a body: the frame at its centre of mass.
  Vector3 centre(const State& s, const std::string& body) const {
    const double* x = &s.value[variable(body).value + 4];
    return {{x[0], x[1], x[2]}};
  }
  Vector3 velocity(const State& s, const std::string& body) const { return part(s.rate, body, 0); }
  Vector3 angular_velocity(const State& s, const std::string& body) const { return part(s.rate, body, 3); }
  Vector3 acceleration(const State& s, const std::string& body) const {
    return part(s.acceleration, body, 0);
  }
  Vector3 angular_acceleration(const State& s, const std::string& body) const {
    return part(s.acceleration, body, 3);
  }
  const Variable& variable(const std::string& name) const {
    for (const Variable& v : system().variables())
      if (v.name == name || v.name == name + ".position" || v.name == name + ".pose") return v;
    FAIL("no variable " << name);
    return system().variables().front();
  }
  /// The largest violation of a position constraint.
  double violation(const State& s) const {
    std::vector<double> rows(system().size());
    system().constraints(s, 0, -1, rows);
    double largest = 0;
    const Range holonomic = system().rows(Kind::holonomic);
    for (int i = holonomic.begin; i < holonomic.end; ++i) largest = std::max(largest, std::abs(rows[i]));
    return largest;
  }

 private:
  explicit Mechanism(const Model& model)
      : assembly(assemble(model)), options(simulate_options(model).stepper) {
    options.newton.tolerance = std::min(options.newton.tolerance, 1e-12);
    for (const Channel& c : assembly.channels) channels_[c.name] = &c;
  }
  static Model read(const std::string& model, const Settings& settings) {
    static const Registry registry = standard_registry();
    ReadOptions options;
    options.set = settings;
    if (model.find('\n') != std::string::npos) return Model::read_text(model, "text", registry, options);
    return Model::read_file(std::filesystem::path(ESCAPEMENT_VALIDATION_MODELS) / (model + ".yaml"), registry,
                            options);
  }
  Vector3 part(const std::vector<double>& of, const std::string& body, int first) const {
    const double* x = &of[variable(body).row + first];
    return {{x[0], x[1], x[2]}};
  }
  std::unordered_map<std::string, const Channel*> channels_;
};

/// The limit h -> 0 of values found with these steps: y = y₀ + c₂h² + c₃h³ + … through all of them.
inline double limit(const std::vector<double>& h, const std::vector<double>& y) {
  const std::size_t n = h.size();
  std::vector<std::vector<long double>> A(n, std::vector<long double>(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    A[i][0] = 1;
    for (std::size_t k = 1; k < n; ++k) A[i][k] = std::pow(static_cast<long double>(h[i] / h[0]), k + 1);
    A[i][n] = y[i];
  }
  for (std::size_t k = n; k-- > 0;) {  // unknowns from the last to the first
    std::size_t pivot = 0;
    for (std::size_t i = 1; i <= k; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    std::swap(A[pivot], A[k]);
    for (std::size_t i = 0; i < k; ++i) {
      const long double f = A[i][k] / A[k][k];
      for (std::size_t j = 0; j <= k; ++j) A[i][j] -= f * A[k][j];
      A[i][n] -= f * A[k][n];
    }
  }
  return static_cast<double>(A[0][n] / A[0][0]);
}

/// What runs with a ladder of constant steps gave, value by value, and their limit.
struct Extrapolation {
  std::vector<double> h;
  std::vector<std::vector<double>> values;  // [rung][value]

  void add(double step, std::vector<double> v) {
    h.push_back(step);
    values.push_back(std::move(v));
  }
  double limit(std::size_t i) const { return limit(i, h.size()); }
  /// Through the finest `rungs` only.
  double limit(std::size_t i, std::size_t rungs) const {
    std::vector<double> steps(h.end() - static_cast<long>(rungs), h.end()), y;
    for (std::size_t r = h.size() - rungs; r < h.size(); ++r) y.push_back(values[r][i]);
    return validation::limit(steps, y);
  }
  double finest(std::size_t i) const { return values.back()[i]; }
  /// How sure the limit is: what the coarsest rung still changes.
  double uncertainty(std::size_t i) const { return std::abs(limit(i) - limit(i, h.size() - 1)); }
};

/// Prints and checks one extrapolated value against a figure that is certain to `tolerance` (absolute).
inline void check_limit(const Extrapolation& e, std::size_t i, const std::string& name, double expected,
                        double tolerance) {
  const double x = e.limit(i);
  fmt::print("  {:24} {:20.13g}  error {:8.1e} of {:.0e}  (finest step {:8.1e}, last rung moved it {:.0e})\n",
             name, x, x - expected, tolerance, e.finest(i) - expected, e.uncertainty(i));
  INFO(name, ": ", x, " expected ", expected);
  CHECK(std::abs(x - expected) <= tolerance);
}

}  // namespace escapement::validation
