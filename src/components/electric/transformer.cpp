#include <fmt/format.h>

#include <cmath>

#include "components/electric/build.hpp"

namespace escapement {
namespace {

const char* const windings[] = {"primary", "secondary", "tertiary"};

/// k12, k13, k23 of so many windings.
std::vector<double> couplings(const Build& b, std::size_t count) {
  std::vector<double> k = b.vector("coupling");
  const std::size_t pairs = count == 2 ? 1 : 3;
  if (k.size() == 1) k.resize(pairs, k[0]);
  if (k.size() != pairs)
    b.refuse("E-WIDTH", "coupling", fmt::format("{} numbers, needs 1 or {}", k.size(), pairs),
             "one for all pairs, or [k12, k13, k23]");
  for (const double x : k)
    if (std::abs(x) > 1) b.refuse("E-RANGE", "coupling", fmt::format("{:g} is beyond −1 … 1", x));
  if (count == 3 && 1 + 2 * k[0] * k[1] * k[2] - k[0] * k[0] - k[1] * k[1] - k[2] * k[2] < -1e-12)
    b.refuse("E-RANGE", "coupling",
             "no three coils can be coupled like this: their energy could be negative");
  return k;
}

void build_transformer(Build& b) {
  const std::size_t count = b.connected("tertiary") ? 3 : 2;
  const std::vector<double>& L = b.vector("inductance");
  if (L.size() != count)
    b.refuse("E-WIDTH", "inductance", fmt::format("{} numbers for {} windings", L.size(), count));
  for (const double x : L)
    if (!(x > 0)) b.refuse("E-RANGE", "inductance", "is not positive");
  std::vector<double> R(count, 0.0), start;
  if (b.has("resistance")) R = b.vector("resistance");
  if (R.size() != count)
    b.refuse("E-WIDTH", "resistance", fmt::format("{} numbers for {} windings", R.size(), count));
  for (const double x : R)
    if (!(x >= 0)) b.refuse("E-RANGE", "resistance", "is negative");
  if (b.has("initial.current")) start = b.vector("initial.current");
  if (!start.empty() && start.size() != count)
    b.refuse("E-WIDTH", "initial.current", fmt::format("{} numbers for {} windings", start.size(), count));
  std::vector<electric::Current> currents;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [a, c] = electric::ends(b, windings[i]);
    const std::string name = std::string(windings[i]) + ".current";
    currents.push_back(b.system.state<1>(b.name(name.c_str()), electric::current_unknown("flux linkage")));
    b.add(electric::Coil{a, c, currents[i], L[i], R[i]});
    b.channel(name, currents[i]);
    if (!start.empty()) b.start_condition(name.c_str(), currents[i], Handle{}, start[i]);
    b.branch(!start.empty() ? Branch::Kind::held_inductor
             : R[i] > 0     ? Branch::Kind::conductor
                            : Branch::Kind::inductor,
             a, c);
  }
  const std::vector<double> k = couplings(b, count);
  for (std::size_t i = 0, pair = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j, ++pair)
      b.add(electric::MutualInductance{currents[i], currents[j], k[pair] * std::sqrt(L[i] * L[j])});
}

}  // namespace

ComponentType electric_transformer() {
  ComponentType type("electric.transformer", "Two or three coupled coils.");
  type.description =
      "flux_i = Σ L_ij · i_j with L_ii = inductance and L_ij = k_ij √(L_i L_j); d/dt flux_i = voltage_i − "
      "resistance_i · i_i. The windings are dotted at their first node: currents into the dots help each "
      "other where k is positive.";
  const auto winding = [](const char* key, const char* summary) {
    Port p = node_port(key, Domain::electrical, summary);
    p.count = 2;
    return p;
  };
  type.connects(winding("primary", "nodes of the first winding, the dot first"));
  type.connects(winding("secondary", "nodes of the second winding, the dot first"));
  type.connects(winding("tertiary", "nodes of a third winding, the dot first").optional());
  type.takes(vector("inductance", "H", 0, "inductance of each winding"));
  type.takes(vector("coupling", "1", 0, "coefficient of coupling: one for all pairs, or [k12, k13, k23]"));
  type.takes(vector("resistance", "ohm", 0, "resistance of each winding; none if absent").optional());
  type.takes(
      group("initial", {vector("current", "A", 0, "currents at the start").optional()}, "how it starts"));
  type.own_outputs = [](const Build& b) {
    std::vector<OutputType> outputs;
    for (int i = 0; i < (b.connected("tertiary") ? 3 : 2); ++i)
      outputs.push_back(
          {std::string(windings[i]) + ".current", "A",
           fmt::format("current of the {} winding, from its first node to its second", windings[i])});
    return outputs;
  };
  type.signs = "Currents are positive from the first node of a winding (its dot) to the second.";
  type.nodes = "electrical: [line, hot, out]";
  type.example = R"yaml(
mains: {type: electric.voltage_source, sine: {amplitude: 325 V, frequency: 50 Hz}, between: [line, ground]}
wire: {type: electric.resistor, resistance: 1 ohm, between: [line, hot]}
core: {type: electric.transformer, inductance: [2 H, 20 mH], coupling: [0.999], primary: [hot, ground], secondary: [out, ground]}
load: {type: electric.resistor, resistance: 8 ohm, between: [out, ground]}
)yaml";
  type.build = build_transformer;
  return type;
}

}  // namespace escapement
