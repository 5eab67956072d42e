// Any text: compile gives an expression or an ExpressionError within the text; evaluation never fails, and its text
// compiles to the same expression again.
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "model/gradient.hpp"

using namespace escapement;

namespace {

std::optional<Name> find(std::string_view name) {
  if (name == "x") return Name{parse_unit("m").dimension, 0};
  if (name == "mass.velocity") return Name{parse_unit("m/s").dimension, 1};
  if (name == "n") return Name{{}, 1};
  if (name == "u" || name == "der(x)") return Name{{}, 1, 0, false, true};
  if (name == "k") return Name{parse_unit("N/m").dimension, -1, 100};
  return std::nullopt;
}

void require(bool holds) {
  if (!holds) std::abort();
}

/// The same bits, or both not a number.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scope scope{find, {"x", "mass.velocity", "n", "u", "k"}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Expression once;
  try {
    once = Expression::compile(text, scope);
  } catch (const ExpressionError& e) {
    require(e.position <= size);
    return 0;
  }
  const Expression twice = Expression::compile(once.text(), scope);
  require(once.dimension() == twice.dimension() && once.is_zero() == twice.is_zero() &&
          once.is_bare_number() == twice.is_bare_number());
  for (const double value : {0.0, -1.5, 1e300}) {
    const std::array<double, 2> numbers{value, 0.25};
    std::array<Dual<2>, 2> duals{Dual<2>(value), Dual<2>(0.25)};
    duals[0].d[0] = duals[1].d[1] = 1;
    const double plain = once.evaluate<double>(numbers);
    const Dual<2> first = once.evaluate<Dual<2>>(duals), second = twice.evaluate<Dual<2>>(duals);
    require(same(plain, twice.evaluate<double>(numbers)));
    std::array<double, 2> slope{};
    static std::vector<double> work;
    require(same(plain, once.gradient<double>(numbers, slope, work)));  // one sweep back gives the same value
    require(same(first.v, second.v) && same(first.d[0], second.d[0]) && same(first.d[1], second.d[1]));
  }
  if (once.is_constant()) require(same(once.constant(), twice.constant()));
  return 0;
}
