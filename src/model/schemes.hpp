// The integration schemes as a model names them: what each of them needs, can do, and is given under `simulate:`.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace escapement {

struct Scheme {
  std::string_view name;
  /// Which stepper takes its steps: generalized-α and its kin, or a discrete Lagrangian solved exactly or once per step.
  enum class Family { alpha, variational, spook };
  Family family;
  bool needs_mass_at_every_position;
  bool adapts;                         // it chooses its steps, if asked to
  std::vector<std::string_view> keys;  // of `simulate:`, of those that only some schemes have

  bool is_variational() const { return family != Family::alpha; }
  /// Does it have such a key? A group goes by its own name: `relaxation`.
  bool has(std::string_view key) const;
};

inline constexpr std::string_view default_scheme = "generalized-alpha";

const std::vector<Scheme>& schemes();
std::vector<std::string> scheme_names();
/// null: none has this name.
const Scheme* find_scheme(std::string_view name);
/// Of a name that the schema of `simulate:` allows.
const Scheme& scheme_named(std::string_view name);

/// The settings of adaptive steps.
const std::vector<std::string_view>& adaptive_keys();
/// Parameters that are given together, instead of spectral radii (T-alpha-10).
const std::vector<std::string_view>& mechanics_keys();  // alpha_m, alpha_f, beta, gamma
const std::vector<std::string_view>& state_keys();      // delta_m, delta_f, theta

}  // namespace escapement
