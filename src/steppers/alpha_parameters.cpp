#include "steppers/alpha_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/error.hpp"

namespace escapement {
namespace {

constexpr double rounding = 1e-12;

void require_rho(double rho, double low, const char* scheme) {
  if (rho >= low && rho <= 1) return;
  throw ModelError("E-SCHEME", scheme, fmt::format("the spectral radius at infinity is {:g}", rho),
                   fmt::format("choose it between {:g} and 1", low));
}

/// Largest root modulus of a ζ² + b ζ + c.
double largest_root(double a, double b, double c) {
  if (std::abs(a) < rounding) return std::abs(b) < rounding ? 0.0 : std::abs(c / b);
  const std::complex<double> root = std::sqrt(std::complex<double>(b * b - 4 * a * c));
  return std::max(std::abs((-b + root) / (2 * a)), std::abs((-b - root) / (2 * a)));
}

}  // namespace

MechanicsParameters MechanicsParameters::chung_hulbert(double rho) {
  require_rho(rho, 0, "Chung-Hulbert");
  const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), g = 0.5 + af - am;
  return {am, af, 0.25 * (g + 0.5) * (g + 0.5), g};
}
MechanicsParameters MechanicsParameters::jansen_whiting_hulbert(double rho) {
  const auto s = StateParameters::jansen_whiting_hulbert(rho);
  return {s.delta_m, s.delta_f, 0.25 * (s.theta + 0.5) * (s.theta + 0.5), s.theta};
}
MechanicsParameters MechanicsParameters::hilber_hughes_taylor(double rho) {
  require_rho(rho, 0.5, "Hilber-Hughes-Taylor");
  const double af = (1 - rho) / (1 + rho);
  return {0.0, af, 0.25 * (1 + af) * (1 + af), 0.5 + af};
}
MechanicsParameters MechanicsParameters::newmark(double beta, double gamma) {
  return {0.0, 0.0, beta, gamma};
}

bool MechanicsParameters::second_order() const {
  return std::abs(gamma - (0.5 + alpha_f - alpha_m)) < rounding;
}
bool MechanicsParameters::beta_follows_gamma() const {
  return std::abs(beta - 0.25 * (gamma + 0.5) * (gamma + 0.5)) < rounding;
}
double MechanicsParameters::radius_at_infinity() const {
  if (beta == 0) return INFINITY;
  // (α_f + (1−α_f)ζ) · ((1−γ+γζ)(…) + (ζ−1)(½−β+βζ)): the second factor is β ζ² + (½+γ−2β) ζ + (½−γ+β).
  const double newmark = largest_root(beta, 0.5 + gamma - 2 * beta, 0.5 - gamma + beta);
  return std::max(std::abs(alpha_f / (1 - alpha_f)), newmark);
}

StateParameters StateParameters::jansen_whiting_hulbert(double rho) {
  require_rho(rho, 0, "Jansen-Whiting-Hulbert");
  const double dm = 0.5 * (3 * rho - 1) / (rho + 1), df = rho / (rho + 1);
  return {dm, df, 0.5 + df - dm};
}
StateParameters StateParameters::chung_hulbert(double rho) {
  const auto m = MechanicsParameters::chung_hulbert(rho);
  return {m.alpha_m, m.alpha_f, m.gamma};
}
bool StateParameters::second_order() const { return std::abs(theta - (0.5 + delta_f - delta_m)) < rounding; }
double StateParameters::radius_at_infinity() const {
  return std::max(std::abs(delta_f / (1 - delta_f)), theta == 0 ? INFINITY : std::abs((1 - theta) / theta));
}

namespace {

/// (T-alpha-10) of one set; `order`: γ or θ.
struct Conditions {
  const char *m_name, *f_name, *order_name;
  double m, f, order;
  double needed() const { return 0.5 + f - m; }

  std::vector<ParameterWarning> violated() const {
    std::vector<ParameterWarning> warnings;
    const auto warn = [&](const char* condition, std::string message) {
      warnings.push_back({condition, std::move(message)});
    };
    if (std::abs(order - needed()) >= rounding)
      warn("order", fmt::format("{} = {:.10g}, but second order needs 1/2 + {} - {} = {:.10g}: first order{}",
                                order_name, order, f_name, m_name, needed(),
                                order < needed()
                                    ? ", and what oscillates without damping grows, however small the step"
                                    : ", and what oscillates is damped by the step"));
    if (m > 0.5 + rounding) warn("zero-stability", fmt::format("{} = {:g} exceeds 1/2", m_name, m));
    if (m > f + rounding || f > 0.5 + rounding)
      warn(
          "A-stability",
          fmt::format(
              "{} <= {} <= 1/2 is violated ({:g}, {:g}): not A-stable, what is faster than the step may grow",
              m_name, f_name, m, f));
    return warnings;
  }
};

}  // namespace

std::vector<ParameterWarning> check(const MechanicsParameters& p) {
  auto warnings = Conditions{"alpha_m", "alpha_f", "gamma", p.alpha_m, p.alpha_f, p.gamma}.violated();
  if (p.beta < 0.5 * p.gamma - rounding)
    warnings.push_back(
        {"A-stability",
         fmt::format("beta = {:g} is below gamma/2 = {:g}: not A-stable, what is faster than the step grows",
                     p.beta, 0.5 * p.gamma)});
  return warnings;
}

std::vector<ParameterWarning> check(const StateParameters& p) {
  auto warnings = Conditions{"delta_m", "delta_f", "theta", p.delta_m, p.delta_f, p.theta}.violated();
  if (p.theta < 0.5 - rounding)
    warnings.push_back(
        {"A-stability",
         fmt::format("theta = {:g} is below 1/2: not A-stable, what is faster than the step grows",
                     p.theta)});
  return warnings;
}

}  // namespace escapement
