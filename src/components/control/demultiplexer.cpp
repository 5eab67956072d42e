#include <fmt/format.h>

#include <cmath>

#include "components/control/linear.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

/// First part of the chosen piece.
std::size_t begin_of_piece(const Build& b, std::size_t parts) {
  const auto& sizes = b.vector("sizes");
  double sum = 0;
  for (const double n : sizes) {
    if (n != std::floor(n)) b.refuse("E-VALUE", "sizes", fmt::format("{:g} is not a whole number", n));
    sum += n;
  }
  if (sum != static_cast<double>(parts))
    b.refuse("E-WIDTH", "sizes", fmt::format("add up to {:g}, the input has {} parts", sum, parts));
  if (b.integer("piece") > static_cast<int>(sizes.size()))
    b.refuse("E-RANGE", "piece", fmt::format("there is no piece {}", b.integer("piece")),
             fmt::format("the pieces are 1 … {}", sizes.size()));
  double begin = 0;
  for (int k = 0; k + 1 < b.integer("piece"); ++k) begin += sizes[k];
  return static_cast<std::size_t>(begin);
}

}  // namespace

ComponentType control_demultiplexer() {
  ComponentType type("control.demultiplexer", "One of the signals that were joined into a wide one.");
  type.description =
      "The wide input consists of pieces of the given sizes, as a `control.multiplexer` joins them; the "
      "output "
      "is the piece of the given number, from 1. One block gives one piece; its parts are .1, .2, … as of "
      "every wide signal. Parts in any order are chosen with `control.selector`.";
  type.is_block("the piece", true);
  type.connects(input("any", "the wide signal").any_width());
  type.takes(vector("sizes", "1", 0, "how many parts each piece has").at_least(1));
  type.takes(integer("piece", "which piece, from 1").at_least(1));
  type.signs = "The output equals its piece of the input.";
  type.shape = {"block"};
  type.example = R"yaml(
pair: {type: control.constant, value: [1, 2]}
wave: {type: control.sine, frequency: 1 Hz}
bus: {type: control.multiplexer, input: [pair, wave]}
first: {type: control.demultiplexer, input: bus, sizes: [2, 1], piece: 1}
second: {type: control.demultiplexer, input: bus, sizes: [2, 1], piece: 2}
)yaml";
  type.width = [](const Build& b, std::string_view) {
    const auto& sizes = b.vector("sizes");
    const auto piece = static_cast<std::size_t>(b.integer("piece"));
    const int known = b.signal_width("input");
    const double most = known > 0 ? known : 1e6;  // what is wider is refused later
    return piece <= sizes.size() ? static_cast<int>(std::min(sizes[piece - 1], most)) : 1;
  };
  type.build = [](Build& b) {
    const auto u = b.wide_signal("input"), y = b.outputs();
    const std::size_t begin = begin_of_piece(b, u.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      b.add(control::Defined{y[i]});
      b.add(control::SignalFromSignal{y[i], u[begin + i], 1.0});
    }
  };
  return type;
}

}  // namespace escapement
