// Switching: an expression or table some operations of which jump or have corners, as the core sees it (T-kink). Each of these
// operations has a side, a number of the element's memory, and a function that crosses zero where the side ends.
#pragma once
#include <span>
#include <string>

#include "core/bend.hpp"

namespace escapement {

class Switching {
 public:
  virtual bool has_side(int i) const = 0;
  /// Positive while a side holds; into the places of its own sides.
  virtual void crossings(std::span<const double> inputs, const double* sides,
                         std::span<double> functions) const = 0;
  /// Function i has passed zero: to the other side.
  virtual void cross(std::span<const double> inputs, double* sides, int i) const = 0;
  /// Function i is zero, and the present side is the one that equality does not belong to (T-kink-5).
  virtual bool ends_at_zero(std::span<const double> inputs, const double* sides, int i) const = 0;
  /// Then: to the side that it belongs to.
  virtual void land(std::span<const double> inputs, double* sides, int i) const = 0;
  virtual Bend bend(std::span<const double> inputs, const double* sides, int i) const = 0;
  /// The operation as the model has it.
  virtual std::string switch_text(int i) const = 0;

 protected:
  Switching() = default;
  Switching(const Switching&) = default;
  Switching& operator=(const Switching&) = default;
  ~Switching() = default;
};

}  // namespace escapement
