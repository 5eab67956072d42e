// How many parts the outputs of components have. Blocks are as wide as what feeds them, so that widths follow each other along the
// signals, and around loops of them.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/schema.hpp"

namespace escapement {

struct Draft;

class SignalWidths {
 public:
  explicit SignalWidths(Draft& draft);
  /// Of an output; < 1: not known yet.
  int of(int owner, int output);
  /// The same when all that can be known is: a loop of signals that nobody decides has single numbers. E-WIDTH if a width
  /// depends on itself.
  int decided(int component, int output);
  /// The widest of the signals at a port; 0: not known yet.
  int at_port(int component, const Port& port);

 private:
  int of_block(int component);
  int of_input(int component);
  [[noreturn]] void refuse_width_of_itself(int component, int output) const;

  static constexpr int unknown = -1;
  Draft& draft_;
  std::vector<int> widths_;              // of the first outputs of components
  std::set<std::pair<int, int>> asked_;  // component, output: whose widths are being found
  bool of_itself_ = false;               // was a width asked for on the way to it?
};

}  // namespace escapement
