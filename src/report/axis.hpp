// Axis: a range of numbers with ticks that people count in, from 1e-320 to 1e308, linear or logarithmic.
#pragma once
#include <limits>
#include <string>
#include <vector>

namespace escapement {

struct AxisRange {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool empty() const { return low > high; }
  void include(double value) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  /// Wider by this part of itself on either side. Never empty or zero: a constant is shown in the middle.
  AxisRange padded(bool logarithmic, double part) const;
};

struct Tick {
  double position;  // px
  std::string label;
  bool zero;
};

class Axis {
 public:
  Axis() = default;
  Axis(std::string name, std::string unit, AxisRange range, bool logarithmic)
      : name_(std::move(name)), unit_(std::move(unit)), range_(range), logarithmic_(logarithmic) {}

  /// As many ticks as fit into `length` px, `spacing` px or more apart; not more than are pleasant to read.
  void choose_ticks(double length, double spacing);
  /// Where the ends of the range lie, in px; ticks follow.
  void place(double begin, double end);
  double position(double value) const;

  const std::vector<Tick>& ticks() const { return ticks_; }
  std::vector<double> minor_positions() const;
  /// `mass.position (mm)`, `flow (10⁻³ m³/s)`, `tank.pressure − 101325 Pa (mPa)`
  std::string label() const;

 private:
  void choose_linear(double count);
  void choose_logarithmic(double count);
  void choose_scale();
  long double beyond_offset(long double value) const;
  long double along(long double value) const;  // 0 … 1

  std::string name_, unit_;
  AxisRange range_{0, 1};
  bool logarithmic_ = false;
  double begin_ = 0, end_ = 1;
  std::vector<Tick> ticks_;
  std::vector<long double> values_, minor_;  // of the ticks; long double: differences of doubles overflow
  long double step_ = 0;
  long double offset_ = 0;  // taken off the labels
  int offset_power_ = 0;    // and a multiple of this power of ten
  int exponent_ = 0;        // labels are in units of 10^exponent
};

}  // namespace escapement
