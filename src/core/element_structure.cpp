// What an element claims, examined at points where nothing vanishes by chance: which entries its tangent has, and that it writes
// nothing which the core cannot honour.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/element_group.hpp"

namespace escapement {
namespace {

/// A generic point of an element type.
struct GenericPoint {
  std::vector<double> q, v, a, other, memory;

  GenericPoint(const ElementType& type, double shift, int memory_size)
      : q(type.values), v(type.positions), a(type.positions), other(type.others()), memory(memory_size) {
    for (int i = 0; i < type.values; ++i) q[i] = 0.4 + 0.1 * i + shift * (i % 3);
    double turn = 0.3 + shift;
    for (const Slot& s : type.slots) {
      if (s.manifold == Manifold::vector) continue;
      turn += 0.83;
      const Rotation<double> R = exp_so3({{0.7 * turn, -0.4 + turn, 0.5 * turn * turn}});
      q[s.value] = R.w;
      for (int k = 0; k < 3; ++k) q[s.value + 1 + k] = R.u[k];
    }
    for (int i = 0; i < type.positions; ++i) v[i] = 0.7 - 0.23 * i + shift;
    for (int i = 0; i < type.positions; ++i) a[i] = 0.9 - 0.17 * i + shift;
    for (int i = 0; i < type.others(); ++i) other[i] = 0.3 + 0.15 * i + shift;
  }
  LocalPoint at(Manifold frames) const {
    return {q.data(), v.data(), a.data(), other.data(), 0, frames, memory.data()};
  }
};

/// One function of an element with its derivatives along all positions, velocities and other unknowns.
class Probe {
 public:
  Probe(const ElementType& type, const void* element, const GenericPoint& at, Manifold frames)
      : type_(type), element_(element), at_(at), frames_(frames), value_(type.rows), column_(type.rows) {}

  void take(ElementType::Function which) {
    const int n = type_.positions + type_.positions + type_.others();
    along_.assign(static_cast<std::size_t>(n) * type_.rows, 0.0);
    for (int j = 0; j < n; ++j) {
      std::vector<double> q(type_.values), v(type_.positions), other(type_.others());
      if (j >= others()) other[j - others()] = 1;
      else if (j >= velocities()) v[j - velocities()] = 1;
      else
        for (const Slot& s : type_.slots)
          if (j >= s.row && j < s.row + s.dofs)
            moved_by_unit(s.manifold == Manifold::se3 ? frames_ : s.manifold, &at_.q[s.value], j - s.row,
                          &q[s.value]);
      type_.probe(element_, at_.at(frames_), {q.data(), v.data(), other.data()}, which, value_.data(),
                  column_.data());
      std::copy(column_.begin(), column_.end(), along_.begin() + static_cast<std::ptrdiff_t>(j) * type_.rows);
    }
  }
  int velocities() const { return type_.positions; }
  int others() const { return 2 * type_.positions; }
  int all() const { return 2 * type_.positions + type_.others(); }
  double value(int row) const { return value_[row]; }
  double along(int row, int j) const { return along_[static_cast<std::size_t>(j) * type_.rows + row]; }
  bool depends(int row, int first, int last) const {
    for (int j = first; j < last; ++j)
      if (std::abs(along(row, j)) > 0) return true;
    return false;
  }
  bool touched(int row) const { return value(row) != 0 || depends(row, 0, all()); }

 private:
  const ElementType& type_;
  const void* element_;
  const GenericPoint& at_;
  Manifold frames_;
  std::vector<double> value_, column_, along_;
};

/// The rules, function by function.
class Examination {
 public:
  Examination(const ElementType& type, const void* element, Manifold frames)
      : type_(type),
        generic_(type, 0, std::max(type.memory, type.sides ? type.sides_of(element) : 0)),
        probe_(type, element, generic_, frames) {}

  void run() {
    using enum ElementType::Function;
    if (type_.store) probe_.take(store), check_store();
    if (type_.flow) probe_.take(flow), check_flow();
    if (type_.violation) probe_.take(violation), check_violation();
    if (type_.slip) probe_.take(slip), check_slip();
  }

 private:
  [[noreturn]] void refuse(const char* code, const char* cause, const char* hint) const {
    throw ModelError(code, readable_name(type_.type->name()), cause, hint);
  }
  void check_store() const {
    for (int r = 0; r < type_.rows; ++r) {
      if (r >= type_.states_begin && r < type_.algebraics_begin) continue;
      if (r >= type_.holonomics_begin && probe_.touched(r))
        refuse("E-ELEMENT", "store() writes to the row of a multiplier", "constraints have no store");
      if (probe_.depends(r, probe_.others(), probe_.all()))
        refuse("E-STORE", "the store of a position or algebraic row depends on an unknown without a rate",
               "give the changing quantity a state row of its own (store = x, flow = -y) and use y");
      if (r >= type_.positions) continue;
      if (type_.constant_inertia && probe_.depends(r, 0, probe_.velocities()))
        refuse("E-STORE", "momentum declared constant_inertia depends on position",
               "remove constant_inertia");
      double linear = 0;
      for (int i = 0; i < type_.positions; ++i)
        linear += probe_.along(r, probe_.velocities() + i) * generic_.v[i];
      if (std::abs(linear - probe_.value(r)) > 1e-9 * (1 + std::abs(linear)))
        refuse("E-STORE", "momentum is not of the form M(q, t) v",
               "write what does not depend on velocity as a flow");
    }
  }
  void check_flow() const {
    for (int r = type_.holonomics_begin; r < type_.rows; ++r) {
      if (type_.is_holonomic(r) && probe_.touched(r))
        refuse("E-ELEMENT", "flow() writes to the row of a holonomic multiplier", "write it as violation()");
      if (!type_.is_holonomic(r) && probe_.depends(r, probe_.others(), probe_.all()))
        refuse("E-INDEX", "a nonholonomic constraint depends on a state, signal or multiplier",
               "constrain positions, velocities and functions of time only");
    }
  }
  void check_violation() const {
    for (int r = 0; r < type_.rows; ++r) {
      if (!type_.is_holonomic(r) && probe_.touched(r))
        refuse("E-ELEMENT", "violation() writes to a row that is no holonomic constraint", "");
      if (type_.is_holonomic(r) && probe_.depends(r, probe_.velocities(), probe_.all()))
        refuse("E-INDEX",
               "a holonomic constraint depends on a velocity, state or signal: its multiplier would be "
               "wrong at any step size",
               "constrain positions and functions of time only; pass a signal through a second-order "
               "reference filter");
    }
  }
  void check_slip() const {
    for (int r = 0; r < type_.rows; ++r) {
      if (r < type_.nonholonomics_begin && probe_.touched(r))
        refuse("E-ELEMENT", "slip() writes to a row that is no nonholonomic constraint", "");
      if (r >= type_.nonholonomics_begin && probe_.depends(r, probe_.others(), probe_.all()))
        refuse("E-INDEX", "a nonholonomic constraint depends on a state or signal",
               "constrain positions, velocities and functions of time only");
    }
  }

  const ElementType& type_;
  GenericPoint generic_;
  Probe probe_;
};

}  // namespace

/// Rows written by the wrong function, stores of position and algebraic rows on unknowns without a known rate, momentum that is not
/// linear in velocity, constraints on anything but positions and time (Φ) or positions, velocities and time (k), false claims of
/// constant inertia: by exact derivatives, element by element.
void ElementGroup::check_structure() const {
  for (int k = 0; k < size(); ++k) Examination(type_, (*elements_)[k], frames).run();
}

namespace {

/// Which local entries can be non-zero, by which functions the element offers, never by its numbers.
bool coupled(const ElementType& type, int row, int column) {
  if (!type.acts) return false;
  const bool position_column = column < type.positions;
  if (type.switches && row == column) return true;  // its multiplier is zero
  if (type.is_holonomic(row)) return position_column;
  if (row >= type.nonholonomics_begin && !type.flow) return position_column;
  return true;
}

}  // namespace

/// The same; of positions by hand (smooth, without cases) only what is not zero at two generic points.
void ElementGroup::shape(const void* e, std::span<bool> occupied) const {
  const int rows = type_.rows, n = type_.positions;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < rows; ++c) occupied[r * rows + c] = coupled(type_, r, c);
  if (!type_.by_hand || n == 0) return;
  std::vector<char> seen(rows * rows, 0);
  for (const double shift : {0.0, 0.37})
    type_.mark_slopes(e, GenericPoint(type_, shift, type_.memory).at(frames), seen.data());
  const std::vector<char> plain = seen;
  for (const Slot& s : type_.slots) {  // T(u) mixes the columns of a rotation
    if (s.manifold == Manifold::vector) continue;
    const int first = frames == Manifold::r3so3 && s.manifold == Manifold::se3 ? 3 : 0;
    for (int r = 0; r < rows; ++r) {
      bool any = false;
      for (int j = first; j < s.dofs; ++j) any = any || plain[r * rows + s.row + j];
      for (int j = first; any && j < s.dofs; ++j) seen[r * rows + s.row + j] = true;
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < n; ++c) {
      occupied[r * rows + c] = seen[r * rows + c];
      if (r >= type_.holonomics_begin) occupied[c * rows + r] = plain[r * rows + c];
    }
}

}  // namespace escapement
