// SPICE netlists as subsystems: every value of the tree knows its place in the netlist. docs/netlists.md says what is read.
#pragma once
#include <memory>

#include "model/subsystem_format.hpp"

namespace escapement {

namespace netlist {
struct Deck;
}

class Netlist final : public SubsystemFile {
 public:
  /// Throws ModelError or ModelErrors, each with its place.
  static Netlist read(const SubsystemText& file, const SubsystemOptions& options = {});

  /// `.param`.
  const Node& parameters() const override { return parameters_; }
  /// Names may have dots: `x1.r1` is R1 of the subcircuit X1.
  SubsystemTree tree(const SubsystemUse& use) const override;

 private:
  std::shared_ptr<const netlist::Deck> deck_;
  Node parameters_;
};

SubsystemFormat netlist_format();

}  // namespace escapement
