// Elements whose unknowns are counted at run time: user equations, external functions, delays, functions of many
// signals. They write rows and tangent themselves; the checker holds them to the same rules as all others.
#pragma once
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/bend.hpp"
#include "core/group.hpp"
#include "core/parts.hpp"

namespace escapement {

class DynamicElement {
 public:
  virtual ~DynamicElement() = default;

  /// One number among the unknowns it reads or writes: part of a variable on a vector space.
  struct Unknown {
    Handle handle;
    Kind kind;
    int part = 0;
    template <class H>
    static Unknown of(const H& h, int part = 0) {
      static_assert(H::manifold == Manifold::vector, "rotations have no single numbers");
      return {h, H::kind, part};
    }
  };
  /// The values of its unknowns, in the order of `unknowns`; rates and accelerations of positions (zero for others; empty if
  /// there are no positions at all).
  struct Point {
    double t;
    std::span<const double> value, rate, acceleration;
    const DelayHistory* history;  // if it asked for one
    const double* sides;          // of what switches in it
  };
  std::vector<Unknown> unknowns;
  int size() const { return static_cast<int>(unknowns.size()); }

  /// Can row i depend on unknown j?
  virtual bool couples(int row, int column) const = 0;
  /// Adds its rows at a point and, where wanted, their slopes; constraints() has the values of Φ̈ and k̇.
  virtual void evaluate(const Point& p, Parts& parts) const = 0;
  /// Adds time derivatives of Φ and k along the point's rates and accelerations (levels as in System::constraints).
  virtual void constraints(const Point&, int /*holonomic_level*/, int /*nonholonomic_level*/,
                           std::span<double> /*rows*/) const {}
  /// The angles whose sines it takes, appended (T-phase).
  virtual void phases(const Point&, std::vector<double>& /*angles*/) const {}
  // ---- expressions that switch (T-kink); each of their sides has a crossing
  virtual int sides() const { return 0; }
  virtual void crossings(const Point&, std::span<double> /*functions*/) const {}
  virtual void cross(const Point&, int /*i*/, double* /*sides*/) const {}
  virtual Bend bend(const Point&, int /*i*/) const { return {}; }
  virtual bool ends_at_zero(const Point&, int /*i*/) const { return false; }
  virtual void land(const Point&, int /*i*/, double* /*sides*/) const {}
  virtual std::string switch_text(int /*i*/) const { return {}; }

  /// Why the last evaluation gave a row that is not a finite number, if it knows.
  virtual const ModelError* fault() const { return nullptr; }
  /// One that keeps something between evaluations serves one run at a time: a copy for another one; null: it serves all.
  virtual std::shared_ptr<const DynamicElement> for_another_run() const { return nullptr; }

  // ---- what a delay needs: a history of its own
  virtual bool remembers() const { return false; }
  /// s: what it reads of its history is at least so old.
  virtual double delay() const { return std::numeric_limits<double>::infinity(); }
  /// After an accepted step, or (fresh) at the start and after a jump. `known`: the end of the step, if it is later.
  virtual void remember(const Point&, DelayHistory&, bool /*fresh*/, double /*known*/) const {}
  /// The next time at which a step should end, because something comes out that jumped; infinity: none.
  virtual double next_break(const DelayHistory&) const { return std::numeric_limits<double>::infinity(); }
  /// From now on what jumps at time t (within slack) is behind us.
  virtual void pass_break(double /*t*/, double /*slack*/, DelayHistory&) const {}
};

/// Signals as a function of signals and time: y = f(t, u).
class SignalFunction : public DynamicElement {
 public:
  SignalFunction(const std::vector<Signal<1>>& inputs, const std::vector<Signal<1>>& outputs);
  /// y, and where a Jacobian is wanted ∂y/∂u row by row (it comes filled with zeros, outputs × inputs; else empty).
  virtual void function(double t, std::span<const double> u, const double* sides, std::span<double> y,
                        std::span<double> jacobian) const = 0;

  bool couples(int row, int column) const final {
    return row >= inputs_ && (column < inputs_ || row == column);
  }
  void evaluate(const Point& p, Parts& parts) const final;

 protected:
  int inputs_, outputs_;
};

class DynamicGroup final : public Group {
 public:
  int add(std::unique_ptr<DynamicElement> element);
  void connect(std::span<const Place> places, int& memory_size, PatternBuilder& pattern) override;
  void map(const Pattern& pattern) override;
  int size() const override { return static_cast<int>(placed_.size()); }
  int memory_of(int element) const override { return placed_[element].memory; }
  std::shared_ptr<const GroupNumbers> numbers() const override { return elements_; }
  bool is_like(const Group& other) const override;
  /// Numbers with elements of their own where they keep something between evaluations; null: there are none.
  std::shared_ptr<const GroupNumbers> for_another_run(const GroupNumbers& numbers) const;

  void residual(const State& state, const Shift& shift, std::span<double> r) const override;
  void tangent(const State& state, const Shift& shift, std::span<const double> operators, std::span<double> r,
               std::span<double> values) const override;
  void constraints(const State& state, int holonomic_level, int nonholonomic_level,
                   std::span<double> r) const override;
  const ModelError* fault(const State& state) const override;

  void crossings(const State& state, std::vector<double>& values) const override;
  int crossings_of(int element) const override { return own(element).sides(); }
  Continuation cross(State& state, int element, int i) const override;
  bool ends_at_zero(const State& state, int element, int i) const override;
  Continuation land(State& state, int element, int i) const override;
  bool matters(const State& begin, const State& middle, const State& end, int element, int i) const override;
  std::string switch_text(int element, int i) const override { return own(element).switch_text(i); }
  void enter(State& state) const override;
  void phases(const State& state, std::vector<double>& angles) const override;

  int histories() const { return histories_; }
  void remember(State& state, bool fresh) const;
  void remember_within(State& state, double step, double end) const;
  /// The shortest, and the row of its output.
  struct ShortestDelay {
    double time = std::numeric_limits<double>::infinity();  // s
    int row = -1;
  };
  ShortestDelay shortest_delay(const State& state) const;
  double next_break(const State& state) const;
  void pass_breaks(State& state, double slack) const;

 private:
  struct Work;
  struct List final : GroupNumbers {
    std::vector<std::shared_ptr<const DynamicElement>> elements;
  };
  struct Placed {
    std::vector<int> value, row;  // of each unknown; -1: ground
    std::vector<int> entry;       // of the tangent, row by row; -1: none
    int history = -1;
    bool positions = false, states = false, constraints = false;  // there are some
    int memory = 0;                                               // where its sides begin
  };
  const DynamicElement& own(int k) const { return *elements_->elements[k]; }
  const DynamicElement& element(const State& state, int k) const { return *of(state, elements_).elements[k]; }
  /// f(element, placed, its point) for all, or for one.
  template <class F>
  void each(const State& state, const F& f) const;
  template <class F>
  auto at(const State& state, int k, const F& f) const;
  DynamicElement::Point gather(const State& state, const DynamicElement& e, const Placed& placed,
                               Work& work) const;
  void add_constraint_accelerations(const DynamicElement& e, const DynamicElement::Point& p,
                                    const Shift& shift, Work& work) const;

  std::shared_ptr<List> elements_ = std::make_shared<List>();
  std::vector<Placed> placed_;
  int histories_ = 0;
  std::size_t largest_ = 0;
};

}  // namespace escapement
