// ElementGroup: all elements of one type, contiguous: gather, evaluate, scatter. Compiled once, for all types.
#pragma once
#include "core/adaptor.hpp"
#include "core/group.hpp"
#include "core/pieces.hpp"

namespace escapement {

/// Between what an element writes by hand and its differentiated functions: rows and tangent, and how large these are.
struct OracleDifference {
  double largest = 0, size = 0;
};

class ElementGroup final : public Group {
 public:
  ElementGroup(const ElementType& type, std::shared_ptr<Elements> elements);

  const ElementType& type() const { return type_; }
  const std::shared_ptr<Elements>& elements() const { return elements_; }
  /// After an element was added: its handles learn where they stand in it.
  void number_handles(int element);
  /// What output taps need: the variables of an element's handles, its point and the slopes of its output at a state.
  std::span<const int> variables_of(int element) const {
    return std::span(variables_).subspan(element * type_.unknowns.size(), type_.unknowns.size());
  }
  /// Of one element, between what is written by hand and the differentiated functions, with T(u) = I.
  OracleDifference oracle_difference(const void* element, const LocalPoint& p, const Shift& shift) const;
  void output_slopes(const State& state, const Shift& shift, std::span<const double> operators, int element,
                     int index, std::span<double> slopes) const;

  void connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) override;
  void map(const Pattern& pattern) override;
  void check_structure() const override;
  int size() const override { return elements_->size(); }
  int memory_of(int element) const override {
    return type_.sides ? sides_begin_[element] : memory_begin_ + element * type_.memory;
  }
  std::shared_ptr<const GroupNumbers> numbers() const override { return elements_; }
  bool is_like(const Group& other) const override;

  void residual(const State& state, const Shift& shift, std::span<double> r) const override;
  void tangent(const State& state, const Shift& shift, std::span<const double> operators, std::span<double> r,
               std::span<double> values) const override;
  void constraints(const State& state, int holonomic_level, int nonholonomic_level,
                   std::span<double> r) const override;
  Power power(const State& state) const override;
  double output(const State& state, int element, int index) const override;
  double oracle_difference(const State& state, const Shift& shift) const override;
  void accept(State& state) const override;

  void kinks(const State& state, std::vector<double>& values) const override;
  void phases(const State& state, std::vector<double>& angles) const override;
  void crossings(const State& state, std::vector<double>& values) const override;
  int crossings_of(int element) const override;
  Continuation cross(State& state, int element, int i) const override;
  bool ends_at_zero(const State& state, int element, int i) const override;
  Continuation land(State& state, int element, int i) const override;
  bool matters(const State& begin, const State& middle, const State& end, int element, int i) const override;
  std::string switch_text(int element, int i) const override;
  void enter(State& state) const override;

  Impact impact(const State& state, int element, double speed) const override;
  void release(State& state, int element) const override;
  void touching(const State& state, std::vector<int>& elements) const override;
  bool loosen(State& state) const override;
  void switching_rows(std::span<char> rows) const override;
  void strengths(const State& state, std::span<double> rows) const override;
  void open_rows(const State& state, std::span<char> open) const override;

 private:
  struct Work;
  std::span<const Place> places_of(int k) const {
    return std::span(places_).subspan(k * type_.unknowns.size(), type_.unknowns.size());
  }
  /// Global rows of an element; -1: ground.
  void rows_of(int k, std::span<int> rows) const;
  void gather(const State& state, int k, Work& work) const;
  LocalPoint point(const State& state, int k, const Work& work) const;
  /// Gathers into the work of this thread.
  LocalPoint point_at(const State& state, int k) const;
  Seeds seeds(int k, const Shift& shift, std::span<const double> operators, Work& work) const;
  bool acting(const void* e, const LocalPoint& p) const {
    return !type_.switches || type_.active(e, p.memory);
  }
  /// Rows (and the tangent) of one element, into `work`.
  void evaluate(const void* e, const LocalPoint& p, const Shift& shift, Work& work, bool slopes) const;
  void evaluate_by_hand(const void* e, const LocalPoint& p, const Shift& shift, Work& work,
                        bool slopes) const;
  template <class Add>
  void combine(std::span<const Place> places, const Shift& shift, std::span<const double> operators,
               Work& work, const Add& add) const;
  void add_constraint_accelerations(const void* e, const LocalPoint& p, const Shift& shift, Work& work) const;
  void scatter(int k, const double* rows, std::span<double> r) const;
  void shape(const void* e, std::span<bool> occupied) const;
  void mark_constraints(int k, std::span<char> marks) const;
  /// f(expression, inputs) for what switches in an element.
  template <class F>
  void each_expression(const State& state, int k, const F& f) const;

  const ElementType& type_;
  std::shared_ptr<Elements> elements_;
  std::vector<int> variables_;  // of the handles of each element; -1: ground
  std::vector<Place> places_;   // the same
  std::vector<int> map_;        // rows × rows entries of the tangent, of each element; -1: none
  Pieces pieces_;
  int memory_begin_ = 0;
  std::vector<int> sides_begin_;  // in State::memory, of each element
};

}  // namespace escapement
