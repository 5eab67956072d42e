// A function of one signal that is made of pieces: a table, or the straight lines of a saturation, a dead zone, an absolute value.
// Which piece holds is memory, so that steps end at its corners and no step sees two pieces at once (T-kink-4).
#pragma once
#include <memory>

#include "components/control/table_pieces.hpp"
#include "core/adaptor.hpp"

namespace escapement {
class Build;
}

namespace escapement::control {

struct TableMap {
  Signal<1> input, output;
  std::shared_ptr<const TablePieces> table;

  auto variables() const { return std::tie(input, output); }
  int sides() const { return table->sides(); }
  void each_expression(const auto& z, const auto& f) const { f(*table, std::array{z(input)}); }
  void flow(const auto& z, auto& out) const {
    out(output) += z(output) - table->evaluate(z(input), z.memory);
  }
};

/// The block output = pieces(input), part by part.
void build_table_map(Build& b, const std::shared_ptr<const TablePieces>& pieces);

/// u between low and high, the nearer one outside; either may be infinite, not both.
std::shared_ptr<const TablePieces> saturation(double low, double high);
/// How far u is beyond low or high, zero between them.
std::shared_ptr<const TablePieces> dead_zone(double low, double high);
std::shared_ptr<const TablePieces> absolute();

}  // namespace escapement::control

extern template struct escapement::Adaptor<escapement::control::TableMap>;
