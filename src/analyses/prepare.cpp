#include "analyses/prepare.hpp"

#include <fmt/format.h>

#include <numbers>
#include <random>

#include "analyses/assemble.hpp"
#include "analyses/consistent_start.hpp"
#include "analyses/equilibrium.hpp"
#include "analyses/remarks.hpp"
#include "analyses/rest.hpp"
#include "analyses/schedule.hpp"
#include "core/manifold.hpp"
#include "core/redundancy.hpp"

namespace escapement {
namespace {

constexpr double proximal = 1e-9;

std::string moved_text(const Moved& m) {
  std::vector<std::string> places, rates, parts;
  const double least = 1e-9;
  if (m.position > least) places.push_back(fmt::format("by {:.3g} {}", m.position, m.unit));
  if (m.angle > least) places.push_back(fmt::format("by {:.3g} deg", m.angle * 180 / std::numbers::pi));
  if (m.rate > least) rates.push_back(fmt::format("velocity by {:.3g} {}/s", m.rate, m.unit));
  if (m.turning > least) rates.push_back(fmt::format("angular velocity by {:.3g} rad/s", m.turning));
  const std::string name = m.name.ends_with(".pose") ? m.name.substr(0, m.name.size() - 5) : m.name;
  if (!places.empty()) parts.push_back(fmt::format("moved {} {}", name, fmt::join(places, " and ")));
  if (!rates.empty())
    parts.push_back(
        fmt::format("changed {} {}", places.empty() ? name + "'s" : "its", fmt::join(rates, " and its ")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void tell_moves(const System& system, const State& from, const State& to, const char* why, Prepared& result) {
  const auto moves = moved(system, from, to, 1e-9);
  if (moves.empty()) return;
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < moves.size() && i < most; ++i) text += (i ? "; " : "") + moved_text(moves[i]);
  if (moves.size() > most) text += fmt::format("; and {} more", moves.size() - most);
  result.notes.push_back(fmt::format("{} {}", why, text));
}

constexpr const char* shows_the_path = "`escapement equilibrium MODEL --path load=0..1` shows the path";

void tell_snap(double lost_at, Prepared& result) {
  if (lost_at < 1)
    result.warnings.push_back(
        {"W-SNAP",
         fmt::format("the path of equilibria could be followed to {:.6g} times the loads only: there the "
                     "structure snapped through",
                     lost_at),
         shows_the_path});
}

/// The search went downhill, wherever that led: from a structure at rest without its loads perhaps past a limit point.
void look_for_a_snap(const System& system, const PrepareOptions& options, const StartOptions& start,
                     const State& given, Prepared& result) {
  if (!options.with_loads || moved(system, given, result.state, 1e-4).empty()) return;
  try {
    if (snapped_through(system, result.state, given, start, options.with_loads))
      result.warnings.push_back(
          {"W-SNAP",
           "with the loads taken off step by step the structure does not come back to where it began: "
           "it may have snapped through",
           shows_the_path});
  } catch (const ModelError&) {  // without loads it is no model
  } catch (const ModelErrors&) {
  }
}

/// The same constraints a little aside, still satisfied: is it only this position?
bool only_here(const System& system, const State& state, const StartOptions& options, int rank) {
  State aside = state;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> push(system.size(), 0.0);
  for (int i = 0; i < system.rows(Kind::position).end; ++i)
    push[i] = 0.02 * uniform(random) * system.nominal()[i];
  move_positions(system, state.value, push, aside.value, {});
  std::fill(aside.rate.begin(), aside.rate.end(), 0.0);
  StartOptions free = options;
  free.kept = {};
  free.tolerance = 1e-6;
  try {
    project(system, aside, free);
  } catch (const ModelError&) {
    return false;
  }
  return constraint_rank(system, aside, 0).rank > rank;
}

void examine_constraints(const System& system, const PrepareOptions& options, Prepared& result) {
  if (options.redundancy == Redundancy::allow) result.proximal = proximal;
  const ConstraintRank rank = constraint_rank(system, result.state);
  result.redundant = rank.redundant();
  if (rank.redundant() == 0) return;
  result.proximal = proximal;
  const bool here = only_here(system, result.state, options.start, rank.rank);
  std::string sets;
  for (const Dependency& d : rank.dependencies) sets += "\n      " + describe(d, system);
  if (rank.redundant() > static_cast<int>(rank.dependencies.size()))
    sets += fmt::format("\n      and {} more", rank.redundant() - rank.dependencies.size());
  const std::string what =
      fmt::format("{} of {} constraint equations depend{} on the others{}", rank.redundant(), rank.equations,
                  rank.redundant() == 1 ? "s" : "", here ? " in the position at the start" : "");
  if (options.redundancy == Redundancy::refuse)
    throw ModelError("E-REDUNDANT", system.row_name(rank.dependencies.front().parts.front().row),
                     what + "; the constraints of each line depend on each other:" + sets,
                     "free a joint in each set (a revolute joint of a plane loop can be a point_on_line, "
                     "spherical or cylindrical joint), or leave `redundant` away");
  if (options.redundancy == Redundancy::allow) return;
  result.warnings.push_back({"W-REDUNDANT", what +
                                                (here ? ": it is a singular position, from which more than "
                                                        "one motion is possible, and the reactions "
                                                        "are "
                                                        "not unique there"
                                                      : ": the motion is right, the reactions of these "
                                                        "joints are not unique (those of least size are "
                                                        "computed)") +
                                                ". Sets that depend on each other:" + sets});
}

}  // namespace

PrepareOptions prepare_options(const Model& model) {
  PrepareOptions o;
  o.mode = model.start == "assembled"     ? StartMode::assembled
           : model.start == "equilibrium" ? StartMode::equilibrium
                                          : StartMode::given;
  o.load_steps = model.load_steps;
  o.with_loads = [&model](double loads) { return assemble(model, {}, loads); };
  if (const FieldValue* redundant = model.simulate.find("redundant"))
    o.redundancy = std::get<double>(*redundant) != 0 ? Redundancy::allow : Redundancy::refuse;
  return o;
}

Prepared prepare(const Assembly& assembly, const PrepareOptions& options) {
  const System& system = assembly.system;
  Prepared result;
  State& state = result.state = assembly.initial;
  apply_jumps_at_start(assembly, state, options.slack);
  system.enter(state);
  StartOptions start = options.start;
  start.kept = assembly.fixed;
  const bool still = options.mode == StartMode::equilibrium;
  if (options.mode != StartMode::given) {
    const State asked = state;
    State given = state;
    if (still) {
      std::fill(given.rate.begin(), given.rate.end(), 0.0);
      EquilibriumReport report;
      if (options.load_steps > 1)
        report = step_to_equilibrium(system, state, start, options.load_steps, options.with_loads);
      Rest rest(assembly, start, options.slack);
      tell_snap(report.lost_at, result);
      if (options.load_steps <= 1 || !rest.trivial()) report = rest.find(state);
      if (options.load_steps <= 1 && rest.trivial()) look_for_a_snap(system, options, start, given, result);
      if (report.unstable)
        result.warnings.push_back(
            {"W-UNSTABLE", "the equilibrium is not stable: pushed a little, it moves away"});
      if (!rest.goes_on().empty())
        result.warnings.push_back(
            {"W-REST",
             fmt::format(
                 "it is at rest for this instant only: prescribed motions go on, and {} does not stay "
                 "in balance",
                 rest.goes_on()),
             "start from given values, and let it come to rest in a run"});
      start.kept.rate.clear();
    }
    assemble_start(system, state, start);
    system.enter(state);
    system.remember(state, true);  // winding numbers; signals are not known yet
    for (DelayHistory& h : state.delays) h = {};
    tell_moves(system, asked, state,
               still ? "the search for an equilibrium" : "the start was assembled:", result);
  } else if (system.rows(Kind::holonomic).size() > 0) {
    check_constraints(system, state, start);  // before judging what depends on what
  }
  if (system.rows(Kind::holonomic).size() + system.rows(Kind::nonholonomic).size() > 0)
    examine_constraints(system, options, result);
  start.proximal = std::max(start.proximal, result.proximal);
  if (ConsistentStart consistent(assembly, start, options.slack); !consistent.trivial())
    consistent.find(state);
  if (still) Rest(assembly, start, options.slack).refuse_motion(state);
  result.notes.insert(result.notes.end(), assembly.notes.begin(), assembly.notes.end());
  for (std::string& note : remarks(assembly, state)) result.notes.push_back(std::move(note));
  // Sides of expressions hold only where somebody watches them: a run decides them where it begins (T-kink-2).
  for (const auto& g : system.groups())
    if (g->has_sides) g->enter(state);
  return result;
}

Prepared prepare_consistent(const Assembly& assembly, const PrepareOptions& options) {
  Prepared result = prepare(assembly, options);
  StartOptions start = options.start;
  start.proximal = std::max(start.proximal, result.proximal);
  make_consistent(assembly.system, result.state, start);
  return result;
}

}  // namespace escapement
