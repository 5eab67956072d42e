#include "netlist/netlist.hpp"

#include "netlist/elaborator.hpp"

namespace escapement {

Netlist Netlist::read(const SubsystemText& file, const SubsystemOptions& options) {
  Netlist n;
  auto deck = std::make_shared<netlist::Deck>();
  netlist::read_deck(file, options, *deck);
  n.parameters_ = Node::mapping({});
  for (const std::string& name : deck->top.parameter_order)
    n.parameters_.entries.push_back({name, deck->top.parameters.at(name).name.mark(), Node()});
  n.deck_ = std::move(deck);
  return n;
}

SubsystemTree Netlist::tree(const SubsystemUse& use) const { return netlist::Elaborator(*deck_, use).run(); }

SubsystemFormat netlist_format() {
  return {"netlist",
          "node, voltage source or current source",
          {".cir", ".sp", ".net", ".spice"},
          [](const SubsystemText& file, const SubsystemOptions& options) {
            return std::make_shared<const Netlist>(Netlist::read(file, options));
          }};
}

}  // namespace escapement
