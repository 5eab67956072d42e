#include "model/circuit_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace escapement {
namespace {

using Kind = Branch::Kind;

/// Which nodes are connected; by variable, ground is -1.
class Connected {
 public:
  int find(int v) {
    auto at = parent_.try_emplace(v, v).first;
    while (at->second != at->first) at = parent_.find(at->second = parent_.at(at->second));
    return at->first;
  }
  /// False: they were connected already.
  bool join(int a, int b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);  // ground stays a root
    return true;
  }

 private:
  std::map<int, int> parent_;
};

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most, ", "),
                     names.size() - most);
}

class Examination {
 public:
  Examination(const std::vector<Branch>& branches, const CircuitNames& names)
      : branches_(branches), names_(names) {
    for (const Branch& b : branches)
      for (const int v : {b.a, b.b})
        if (v >= 0) nodes_.insert(v);
  }

  void run() {
    refuse_dangling();
    refuse_ungrounded();
    refuse_loops();
    refuse_floating();
  }

 private:
  void refuse_dangling() {
    std::map<int, std::vector<const Branch*>> pins;
    for (const Branch& b : branches_) {
      if (b.a != b.b || b.a < 0) {
        if (b.a >= 0) pins[b.a].push_back(&b);
        if (b.b >= 0) pins[b.b].push_back(&b);
      }
    }
    for (const auto& [node, at] : pins) {
      if (at.size() > 1 || names_.is_read(node)) continue;
      if (std::any_of(at.begin(), at.end(), [](const Branch* b) { return b->loose; })) continue;
      throw ModelError("E-TOPOLOGY", names_.node(node),
                       fmt::format("only {} is connected to this node: no current can flow",
                                   names_.component(at.front()->component)),
                       "connect something else to it, or connect the pin elsewhere", names_.node_place(node));
    }
  }

  void refuse_ungrounded() {
    Connected graph;
    graph.find(-1);
    for (const Branch& b : branches_) graph.join(b.a, b.b);
    std::vector<std::string> apart;
    int first = -1;
    for (const int v : nodes_)
      if (graph.find(v) != graph.find(-1)) {
        if (first < 0) first = v;
        if (graph.find(v) == graph.find(first)) apart.push_back(names_.node(v));
      }
    if (first < 0) return;
    const bool any =
        std::any_of(nodes_.begin(), nodes_.end(), [&](int v) { return graph.find(v) == graph.find(-1); });
    throw ModelError(
        "E-TOPOLOGY", names_.node(first),
        any ? fmt::format("this part of the circuit has no connection to ground: {}", list(apart))
            : "the circuit has no ground",
        "connect one of its nodes to `ground`: voltages are counted from there", names_.node_place(first));
  }

  /// Loops of voltages that determine each other; at the operating point coils are short circuits.
  void refuse_loops() {
    const auto is_voltage = [](const Branch& b) { return b.kind == Kind::voltage; };
    const auto is_held = [&](const Branch& b) { return is_voltage(b) || b.kind == Kind::held_capacitor; };
    const auto is_short = [&](const Branch& b) { return is_voltage(b) || b.kind == Kind::inductor; };
    if (const auto loop = loop_of(is_voltage); !loop.empty())
      refuse_loop(loop, "voltage sources form a loop: their voltages would have to agree",
                  "put a resistor into the loop, or remove a source");
    if (const auto loop = loop_of(is_held); !loop.empty())
      refuse_loop(loop, "initial voltages and sources form a loop: they would have to agree",
                  "remove one `initial: {voltage: …}` of the loop: it follows from the others");
    if (const auto loop = loop_of(is_short); !loop.empty())
      refuse_loop(loop,
                  "coils (and voltage sources) form a loop without resistance: its current at the operating "
                  "point is not determined, or without bounds",
                  "give a coil of the loop a `resistance`, or `initial: {current: …}`");
  }

  /// The components of a loop of such branches; empty: there is none.
  template <class Accept>
  std::vector<int> loop_of(Accept accept) {
    Connected graph;
    std::vector<const Branch*> tree;
    for (const Branch& b : branches_) {
      if (!accept(b)) continue;
      if (graph.join(b.a, b.b)) {
        tree.push_back(&b);
        continue;
      }
      // The way through the tree from one end to the other, breadth first.
      std::map<int, const Branch*> came;
      std::vector<int> queue{b.a};
      came[b.a] = nullptr;
      for (std::size_t k = 0; k < queue.size() && !came.contains(b.b); ++k)
        for (const Branch* t : tree)
          for (const auto& [from, to] : {std::pair{t->a, t->b}, std::pair{t->b, t->a}})
            if (from == queue[k] && !came.contains(to)) {
              came[to] = t;
              queue.push_back(to);
            }
      std::vector<int> loop{b.component};
      for (int at = b.b; came[at] != nullptr;) {
        loop.push_back(came[at]->component);
        at = came[at]->a == at ? came[at]->b : came[at]->a;
      }
      return loop;
    }
    return {};
  }

  [[noreturn]] void refuse_loop(const std::vector<int>& loop, const char* cause, const char* hint) {
    std::vector<std::string> parts;
    for (const int c : loop) parts.push_back(names_.component(c));
    throw ModelError("E-TOPOLOGY", parts.front(), fmt::format("{}: {}", cause, list(parts)), hint,
                     names_.component_place(loop.front()));
  }

  /// Nodes whose voltage nothing determines once capacitors are open.
  void refuse_floating() {
    Connected graph;
    graph.find(-1);
    for (const Branch& b : branches_)
      if (b.kind != Kind::capacitor && b.kind != Kind::current && b.kind != Kind::sensing &&
          b.kind != Kind::held_inductor)
        graph.join(b.a, b.b);
    for (const int v : nodes_) {
      if (graph.find(v) == graph.find(-1)) continue;
      std::vector<std::string> island;
      for (const int other : nodes_)
        if (graph.find(other) == graph.find(v)) island.push_back(names_.node(other));
      std::vector<std::string> capacitors, currents;
      bool coils = false;
      for (const Branch& b : branches_) {
        if ((graph.find(b.a) == graph.find(v)) == (graph.find(b.b) == graph.find(v))) continue;
        auto& to = b.kind == Kind::capacitor ? capacitors : currents;
        if (b.kind != Kind::sensing) to.push_back(names_.component(b.component));
        coils = coils || b.kind == Kind::held_inductor;
      }
      const std::string what =
          island.size() == 1 ? "the voltage of this node is" : "the voltages of " + list(island) + " are";
      if (capacitors.empty() && currents.empty())
        throw ModelError("E-TOPOLOGY", names_.node(v),
                         what + " not determined: only inputs that draw no current lead to the rest",
                         "connect a resistor or a source", names_.node_place(v));
      if (capacitors.empty())
        throw ModelError("E-TOPOLOGY", names_.node(v),
                         fmt::format("{} not determined: only {} lead there: {}", what,
                                     coils ? "given currents" : "sources of current", list(currents)),
                         coils ? "remove `initial: {current: …}` of one coil: it follows from the others"
                               : "a resistor to ground (a large one will do)",
                         names_.node_place(v));
      throw ModelError(
          "E-TOPOLOGY", names_.node(v),
          fmt::format("{} not determined at the operating point: isolated by the capacitor{} {}{}", what,
                      capacitors.size() == 1 ? "" : "s", list(capacitors),
                      currents.empty() ? "" : " and the current sources " + list(currents)),
          "initial: {voltage: …} of one of these capacitors, or a large resistor to ground",
          names_.node_place(v));
    }
  }

  const std::vector<Branch>& branches_;
  const CircuitNames& names_;
  std::set<int> nodes_;
};

}  // namespace

void examine_circuit(const std::vector<Branch>& branches, const CircuitNames& names) {
  if (!branches.empty()) Examination(branches, names).run();
}

}  // namespace escapement
