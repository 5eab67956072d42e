// Ticks and labels of an axis.
#include "report/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text.hpp"

namespace escapement {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

long double power(int exponent) { return std::pow(10.0L, exponent); }
int floor_log10(long double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-12L)); }
double clipped(long double value) {
  return static_cast<double>(std::clamp<long double>(value, -largest, largest));
}

/// 1, 2 or 5 times a power of ten, not below `step`.
long double rounded_up(long double step) {
  const long double base = power(floor_log10(step));
  for (const int factor : {1, 2, 5})
    if (factor * base >= step * (1 - 1e-9L)) return factor * base;
  return 10 * base;
}

std::string with_minus(std::string text) {
  if (text[0] == '-') text.replace(0, 1, "−");
  return text;
}

std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string fixed(long double value, int decimals) {
  return with_minus(fmt::format("{:.{}f}", static_cast<double>(value), std::clamp(decimals, 0, 17)));
}

}  // namespace

AxisRange AxisRange::padded(bool logarithmic, double part) const {
  if (empty()) return logarithmic ? AxisRange{1, 10} : AxisRange{0, 1};
  const long double a = low, b = high, size = std::max(std::abs(a), std::abs(b));
  if (logarithmic) {
    const long double decades = std::log10(b / a);
    const long double factor = std::pow(10.0L, decades < 1e-12L ? 0.5L : part * decades);
    return {std::max(clipped(a / factor), std::numeric_limits<double>::denorm_min()), clipped(b * factor)};
  }
  const bool constant = b - a <= 4e-15L * size;  // or nothing but rounding
  const long double pad = !constant ? part * (b - a) : size == 0 ? 1 : std::max(0.1L * size, 1e-300L);
  return {clipped(a - pad), clipped(b + pad)};
}

long double Axis::along(long double value) const {
  const long double low = range_.low, high = range_.high;
  return logarithmic_ ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

double Axis::position(double value) const {
  return static_cast<double>(begin_ + (end_ - begin_) * along(value));
}

void Axis::place(double begin, double end) {
  begin_ = begin;
  end_ = end;
  for (std::size_t i = 0; i < ticks_.size(); ++i)
    ticks_[i].position = static_cast<double>(begin_ + (end_ - begin_) * along(values_[i]));
}

std::vector<double> Axis::minor_positions() const {
  std::vector<double> positions;
  for (const long double value : minor_)
    positions.push_back(static_cast<double>(begin_ + (end_ - begin_) * along(value)));
  return positions;
}

void Axis::choose_ticks(double length, double spacing) {
  const double count = std::clamp(length / spacing, 2.0, 8.0);
  values_.clear();
  minor_.clear();
  ticks_.clear();
  offset_ = 0;
  exponent_ = 0;
  if (logarithmic_ && range_.high / range_.low >= 3) choose_logarithmic(count);
  else choose_linear(count);
}

void Axis::choose_linear(double count) {
  const long double low = range_.low, high = range_.high;
  step_ = rounded_up((high - low) / count);
  for (long double i = std::ceil(low / step_ - 1e-9L); i <= std::floor(high / step_ + 1e-9L); ++i)
    values_.push_back(i * step_);
  choose_scale();
  const int decimals = exponent_ - floor_log10(step_);
  for (const long double value : values_) {
    const bool zero = std::abs(value) < step_ / 2;
    const long double rest = beyond_offset(value);
    ticks_.push_back({0, rest == 0 ? "0" : fixed(rest / power(exponent_), decimals), zero});
  }
}

/// A whole number of steps: the difference of two large numbers would carry their rounding.
long double Axis::beyond_offset(long double value) const {
  return std::round((value - offset_) / step_) * step_;
}

/// Few digits on the labels: what all numbers share goes to the label of the axis, as an offset or a power of ten.
void Axis::choose_scale() {
  const auto largest_label = [&] {
    long double size = step_;
    for (const long double value : values_) size = std::max(size, std::abs(beyond_offset(value)));
    return size;
  };
  if (largest_label() > 2e4L * step_) {
    offset_power_ = floor_log10(static_cast<long double>(range_.high) - range_.low) + 1;
    const long double middle = (static_cast<long double>(range_.low) + range_.high) / 2;
    offset_ = std::round(middle / power(offset_power_)) * power(offset_power_);
  }
  const long double size = largest_label();
  const int exponent = 3 * static_cast<int>(std::floor(floor_log10(size) / 3.0));
  const bool prefix_known = !prefixed_unit(unit_, exponent).empty();
  if (size < 1e-2L || size >= (prefix_known ? 1e4L : 1e5L)) exponent_ = exponent;
}

void Axis::choose_logarithmic(double count) {
  const int first = static_cast<int>(std::ceil(std::log10(static_cast<long double>(range_.low)) - 1e-9L));
  const int last = static_cast<int>(std::floor(std::log10(static_cast<long double>(range_.high)) + 1e-9L));
  const int stride = std::max(1, static_cast<int>(std::ceil((last - first + 1) / count)));
  const bool within = last - first < 2;  // too few decades: 2 and 5 get labels as well
  const bool plain = first >= -3 && last <= 4;
  for (int decade = first - 1; decade <= last; ++decade)
    for (int factor = 1; factor <= 9; ++factor) {
      const long double value = factor * power(decade);
      if (value < range_.low * (1 - 1e-9L) || value > range_.high * (1 + 1e-9L)) continue;
      const bool labelled =
          factor == 1 ? (decade - first) % stride == 0 : within && (factor == 2 || factor == 5);
      if (!labelled) {
        if (stride == 1 && last - first <= 8) minor_.push_back(value);
        continue;
      }
      values_.push_back(value);
      const std::string times = factor == 1 ? "" : std::to_string(factor) + "·";
      ticks_.push_back({0, plain ? fixed(value, std::max(0, -decade)) : times + power_of_ten(decade), false});
    }
}

std::string Axis::label() const {
  std::string name = name_;
  if (offset_ != 0) {
    const double offset = static_cast<double>(offset_), size = std::abs(offset);
    const bool plain = size < 1e7 && size >= 1e-3;
    const int decimals = std::clamp(plain ? -offset_power_ : floor_log10(size) - offset_power_, 0, 16);
    const std::string number = plain ? without_zeros(fmt::format("{:.{}f}", size, decimals))
                                     : fmt::format("{:.{}e}", size, decimals);
    const std::string unit = printed_unit(unit_);
    name += (offset > 0 ? " − " : " + ") + number + (unit.empty() ? "" : " " + unit);
  }
  std::string unit = printed_unit(unit_);
  if (exponent_ != 0) {
    const std::string prefixed = prefixed_unit(unit_, exponent_);
    unit = !prefixed.empty() ? prefixed
           : unit.empty()    ? "×" + power_of_ten(exponent_)
                             : power_of_ten(exponent_) + " " + unit;
  }
  if (unit.empty()) return name;
  return name.empty() ? unit : name + " (" + unit + ")";
}

}  // namespace escapement
