// ElementType: what the core knows of the elements of one type: their sizes, what they offer, and their functions on plain arrays.
// All that surrounds elements is compiled once (element_group.cpp); the table is made from the element by Adaptor (adaptor.hpp).
#pragma once
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "core/continuation.hpp"
#include "core/element_loop.hpp"
#include "core/numbers.hpp"
#include "core/switching.hpp"

namespace escapement {

/// The values of an element's unknowns, one after the other as its handles are.
struct LocalPoint {
  const double *q, *v, *a;  // of positions: their numbers, velocities and accelerations
  const double* other;      // x, y, λ, μ
  double t;
  Manifold frames;       // where frames move
  const double* memory;  // of this element; null if it has none
};

/// A direction in which a point moves.
struct LocalDirection {
  const double *q, *v, *other;
};

/// Rows and tangent in two ways: the largest difference, and how large they are.
struct OracleDifference {
  double largest = 0, size = 0;
};

/// All elements of one type, contiguous; their numbers may be exchanged for others (Numbers).
class Elements : public GroupNumbers {
 public:
  int size() const { return count_; }
  const void* operator[](int k) const { return first_ + k * stride_; }
  const char* first() const { return first_; }
  std::size_t stride() const { return stride_; }

 protected:
  const char* first_ = nullptr;
  std::size_t stride_ = 0;
  int count_ = 0;
};

struct ElementType {
  const std::type_info* type;

  // ---- sizes: local rows and columns are positions, states, algebraics, holonomics, nonholonomics
  struct Unknown {
    Kind kind;
    Manifold manifold;
    int values, dofs;
    int local;  // first place among q (positions) or among the others
    int row;    // first local row
  };
  std::span<const Unknown> unknowns;  // one per handle
  std::span<const Slot> slots;        // the positions
  int values, positions, states_begin, algebraics_begin, holonomics_begin, nonholonomics_begin, rows;
  int others() const { return rows - positions; }
  bool is_holonomic(int row) const { return row >= holonomics_begin && row < nonholonomics_begin; }

  // ---- what it offers (Offers)
  bool acts, has_lie, flow, store, violation, slip, constant_inertia, by_hand, rates, switches, sides;
  int memory, outputs, crossings_count, kinks_count;

  // ---- functions of an element; null: not offered
  void (*handles)(const void* element, Handle** list);
  /// Rows, and the tangent, of all elements of a loop.
  void (*residual)(const ElementLoop&, int begin, int end);
  void (*tangent)(const ElementLoop&, int begin, int end);
  /// Φ and k, or their time derivatives, added (T-start-2).
  void (*constraints)(const void*, const LocalPoint&, int holonomic_level, int nonholonomic_level,
                      double* rows);
  /// One function alone and its derivative in a direction.
  enum class Function { flow, store, violation, slip };
  void (*probe)(const void*, const LocalPoint&, const LocalDirection&, Function, double* rows,
                double* derivative);
  double (*output)(const void*, const LocalPoint&, int index);
  void (*output_slopes)(const void*, const LocalPoint&, const Shift&, const double* const* operators,
                        int index, double* slopes);
  double (*energy)(const void*, const LocalPoint&);
  double (*loss)(const void*, const LocalPoint&);

  // ---- by hand
  /// Where slopes along positions are not zero, of rows × rows entries.
  void (*mark_slopes)(const void*, const LocalPoint&, char* marks);
  /// Between what is written by hand and the differentiated functions, with T(u) = I.
  OracleDifference (*compare)(const void*, const LocalPoint&, const Shift&);

  // ---- events
  bool (*active)(const void*, const double* memory);
  double (*kink)(const void*, const LocalPoint&, int i);
  void (*phases)(const void*, const LocalPoint&, std::vector<double>& angles);
  double (*crossing)(const void*, const LocalPoint&, int i);
  bool (*ends_at_zero)(const void*, const LocalPoint&, int i);
  Continuation (*cross)(const void*, const LocalPoint&, int i, double* memory);
  void (*enter)(const void*, const LocalPoint&, double* memory);
  void (*accept)(const void*, const LocalPoint&, double* memory);
  void (*loosen)(const void*, double* memory);
  double (*strength)(const void*);
  double (*rebound)(const void*, double speed);
  void (*release)(const void*, double* memory);
  /// Of one whose expressions switch: how many operations do, and visit(context, expression, inputs) for each expression.
  using Visit = void (*)(void* context, const Switching& expression, std::span<const double> inputs);
  int (*sides_of)(const void*);
  void (*each_expression)(const void*, const LocalPoint&, void* context, Visit visit);
};

}  // namespace escapement
