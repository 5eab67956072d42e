// Taps: signals that equal something else of the system, exactly at every step, so that every output may be an input.
#pragma once
#include "core/element_group.hpp"

namespace escapement {

/// What the signal equals.
struct Tap {
  enum class Source {
    value,         // factor · one part of an unknown on a vector space
    rate,          // one part of the velocity of a position
    acceleration,  // one part of the acceleration of a position: d/dt(−v) + y = 0  (T-one-3)
    output         // output number `part` of an element
  };
  Source source = Source::value;
  int variable = -1;                    // of an unknown …
  bool position = false;                // … which is one of positions
  const ElementGroup* group = nullptr;  // … or of this group
  int element = 0;                      // … the element
  int part = 0;
  double factor = 1;
};

class TapGroup final : public Group {
 public:
  int add(const Tap& tap, Signal<1> to);
  void connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) override;
  void map(const Pattern& pattern) override;
  int size() const override { return static_cast<int>(placed_.size()); }
  int memory_of(int) const override { return 0; }  // it remembers nothing
  std::shared_ptr<const GroupNumbers> numbers() const override { return factors_; }
  bool is_like(const Group& other) const override;
  void residual(const State& state, const Shift& shift, std::span<double> r) const override;
  void tangent(const State& state, const Shift& shift, std::span<const double> operators, std::span<double> r,
               std::span<double> values) const override;

 private:
  struct Factors final : GroupNumbers {
    std::vector<double> list;
  };
  struct Placed {
    Tap tap{};
    int to = -1;                       // the variable of the signal
    int value = -1, row = -1;          // where the signal is
    int from_value = -1, from = -1;    // where the part of the unknown is; -1: ground
    std::vector<int> columns, locals;  // of an output: the unknowns it depends on, and their local numbers
    std::vector<int> entry;            // of the tangent, for each of them; the signal's own comes last
  };
  double source(const State& state, const Placed& placed, double factor) const;

  std::shared_ptr<Factors> factors_ = std::make_shared<Factors>();  // Tap::factor
  std::vector<Placed> placed_;
  int widest_ = 0;  // local rows of the elements that are tapped
};

}  // namespace escapement
