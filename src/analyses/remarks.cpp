#include "analyses/remarks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sparse/connected_parts.hpp"

namespace escapement {
namespace {

/// The mass of all that has one: of sliders, points and bodies.
double total_mass(const System& system, const State& state) {
  std::vector<double> rows(system.size(), 0.0), values(system.pattern().nonzeros(), 0.0);
  system.tangent(state, Shift::mass(), {}, rows, values);
  double total = 0;
  for (const Variable& v : system.variables()) {
    if (v.kind != Kind::position) continue;
    const bool frame = v.dofs == 6;
    if (!frame && v.unit != "m") continue;
    const int parts = frame ? 3 : v.dofs;
    for (int i = v.row; i < v.row + parts; ++i)
      if (const int k = system.pattern().find(i, i); k >= 0) total += std::abs(values[k]) / parts;
  }
  return total;
}

/// A rest length that was forgotten, or a unit: nothing wrong in itself.
void remark_on_loads(const Assembly& assembly, const State& start, std::vector<std::string>& notes) {
  constexpr double heavy = 100 * 9.81, fast = 10;  // m/s² and m/s of everything together
  if (assembly.preloads.empty()) return;
  const double mass = total_mass(assembly.system, start);
  if (!(mass > 0)) return;
  for (std::size_t k = 0; k < assembly.preloads.size(); k += 2) {
    const Channel& channel = assembly.channels[assembly.preloads[k]];
    const double force = std::abs(assembly.read(channel, start));
    const double elongation = std::abs(assembly.read(assembly.channels[assembly.preloads[k + 1]], start));
    const double speed = std::sqrt(force * elongation / mass);
    if (!(force > heavy * mass && speed > fast)) continue;
    notes.push_back(
        fmt::format("{} is {:.3g} N at the start, enough to throw all bodies together at {:.2g} m/s: is a "
                    "rest length missing, or a unit wrong?",
                    channel.name, force, speed));
  }
}

/// Several bodies that nothing holds in any direction: a joint to the ground may have been forgotten. It is asked of the
/// equations: no row of theirs changes when all move together, at whatever velocity.
void remark_on_floating(const Assembly& assembly, const State& start, std::vector<std::string>& notes) {
  const System& system = assembly.system;
  const Pattern& p = system.pattern();
  std::vector<const Variable*> bodies;
  for (const Variable& v : system.variables())
    if (v.kind == Kind::position && v.dofs == 6) bodies.push_back(&v);
  if (bodies.size() < 2) return;
  const std::vector<int> part = connected_parts(p);
  std::vector<double> rows(system.size()), stiffness(p.nonzeros()), damping(p.nonzeros());
  system.tangent(start, Shift::stiffness(), {}, rows, stiffness);
  system.tangent(start, Shift::damping(), {}, rows, damping);
  std::vector<char> held(system.size(), 0);  // by part
  std::vector<double> together(system.size()), product(system.size()), terms(system.size());
  for (int axis = 0; axis < 3; ++axis) {
    std::fill(together.begin(), together.end(), 0.0);
    for (const Variable& v : system.variables()) {
      if (v.kind != Kind::position) continue;
      if (v.dofs == 6) {
        Vector3 e{};
        e[axis] = 1;
        if (v.manifold == Manifold::se3)
          e =
              Rotation<double>{
                  start.value[v.value],
                  {{start.value[v.value + 1], start.value[v.value + 2], start.value[v.value + 3]}}}
                  .inverse() *
              e;
        for (int k = 0; k < 3; ++k) together[v.row + k] = e[k];
      } else if (v.dofs == 3 && v.unit == "m") {
        together[v.row + axis] = 1;
      }
    }
    for (const auto* matrix : {&stiffness, &damping}) {
      std::fill(product.begin(), product.end(), 0.0);
      std::fill(terms.begin(), terms.end(), 0.0);
      for (int j = 0; j < p.n; ++j)
        for (int k = p.column_begin[j]; k < p.column_begin[j + 1] && together[j] != 0; ++k) {
          product[p.row[k]] += (*matrix)[k] * together[j];
          terms[p.row[k]] += std::abs((*matrix)[k] * together[j]);
        }
      for (int i = 0; i < p.n; ++i)
        if (std::abs(product[i]) > 1e-9 * terms[i]) held[part[i]] = 1;
    }
  }
  std::vector<std::vector<std::string>> floating(system.size());
  for (const Variable* v : bodies) {
    auto& names = floating[part[v->row]];
    const std::string whose = v->name.substr(0, v->name.rfind('.'));  // of a beam: its nodes are bodies, too
    if (!held[part[v->row]] && (names.empty() || names.back() != whose)) names.push_back(whose);
  }
  constexpr std::size_t told = 4;
  for (const auto& names : floating) {
    if (names.size() < 2) continue;
    notes.push_back(fmt::format("nothing holds {}{}: they hang on nothing and move together freely",
                                fmt::join(names.begin(), names.begin() + std::min(told, names.size()), ", "),
                                names.size() > told ? fmt::format(" and {} more", names.size() - told) : ""));
  }
}

}  // namespace

std::vector<std::string> remarks(const Assembly& assembly, const State& start) {
  std::vector<std::string> notes;
  remark_on_loads(assembly, start, notes);
  remark_on_floating(assembly, start, notes);
  return notes;
}

}  // namespace escapement
