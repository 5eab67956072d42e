#include "model/schemes.hpp"

#include <algorithm>
#include <stdexcept>

namespace escapement {
namespace {

using Keys = std::vector<std::string_view>;

bool is_among(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Keys all_of(std::initializer_list<Keys> lists) {
  Keys all;
  for (const Keys& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

const std::vector<std::string_view>& adaptive_keys() {
  static const Keys keys = {"tolerance", "tolerances", "horizon", "estimator", "h_min", "h_max"};
  return keys;
}
const std::vector<std::string_view>& mechanics_keys() {
  static const Keys keys = {"alpha_m", "alpha_f", "beta", "gamma"};
  return keys;
}
const std::vector<std::string_view>& state_keys() {
  static const Keys keys = {"delta_m", "delta_f", "theta"};
  return keys;
}

const std::vector<Scheme>& schemes() {
  using F = Scheme::Family;
  static const Keys rho = {"rho"}, beta_gamma = {"beta", "gamma"}, relaxed = {"relaxation", "relaxations"};
  static const Keys states = all_of({{"rho_states", "scheme_states"}, state_keys()});
  static const Keys alpha = all_of({{"constraints", "update", "update_beta"}, adaptive_keys()});
  static const std::vector<Scheme> all = {
      // name, family, needs mass, adapts, keys
      {"generalized-alpha", F::alpha, true, true, all_of({rho, mechanics_keys(), {"form"}, states, alpha})},
      {"newmark", F::alpha, true, true, all_of({beta_gamma, states, alpha})},
      {"trapezoidal", F::alpha, true, true, alpha},
      {"hht-alpha", F::alpha, true, true, all_of({rho, states, alpha})},
      {"jwh-alpha", F::alpha, true, true, all_of({rho, states, alpha})},
      {"stormer", F::alpha, true, true, all_of({states, alpha})},
      {"variational", F::variational, false, false, {"rho_states"}},
      {"spook", F::spook, false, false, all_of({{"rho_states"}, relaxed})},
  };
  return all;
}

std::vector<std::string> scheme_names() {
  std::vector<std::string> names;
  for (const Scheme& s : schemes()) names.emplace_back(s.name);
  return names;
}

const Scheme* find_scheme(std::string_view name) {
  for (const Scheme& s : schemes())
    if (s.name == name) return &s;
  return nullptr;
}

const Scheme& scheme_named(std::string_view name) {
  if (const Scheme* scheme = find_scheme(name)) return *scheme;
  throw std::logic_error("there is no scheme " + std::string(name));
}

bool Scheme::has(std::string_view key) const {
  if (is_among(keys, key)) return true;
  return std::none_of(schemes().begin(), schemes().end(),
                      [&](const Scheme& other) { return is_among(other.keys, key); });
}

}  // namespace escapement
