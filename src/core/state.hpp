// State: everything that time advances, as plain data. Copying it is checkpoint and rollback.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "core/numbers.hpp"

namespace escapement {

/// What a delay remembers of its input: samples at the ends of accepted steps, oldest first.
struct DelayHistory {
  struct Sample {
    double time, value;
    bool fresh;    // a new smooth piece begins here
    double known;  // since then: the end of its step
    void archive(Archive& a) { a(time, value, fresh, known); }
  };
  std::vector<Sample> samples;
  std::size_t first = 0;      // samples before it are forgotten
  double passed = 0;          // beginnings of pieces up to this time have come out
  std::vector<double> jumps;  // times of jumps that have not: steps should end where they do
  void archive(Archive& a) { a(samples, first, passed, jumps); }
};

struct State {
  double t = 0;
  std::vector<double> value;         // q, x, y, λ, μ; placed by Variable::value
  std::vector<double> rate;          // v of position rows, ṡ (rate of the store) of state rows
  std::vector<double> acceleration;  // v̇ of position rows
  std::vector<double> store;   // s of state rows, indexed by row - first state row: what is integrated, so a
                               // value of x set by hand counts only after GeneralizedAlpha::restart
  std::vector<double> memory;  // what elements remember between accepted steps
  std::vector<DelayHistory> delays;        // … and what delays do, one each
  std::shared_ptr<const Numbers> numbers;  // the parameters of elements, where they are not the system's own

  /// The numbers are not archived: who resumes a run knows what has set them.
  void archive(Archive& a) { a(t, value, rate, acceleration, store, memory, delays); }
  /// All but the histories, reusing the memory.
  void take(const State& from) {
    t = from.t;
    value = from.value;
    rate = from.rate;
    acceleration = from.acceleration;
    store = from.store;
    take_elements(from);
  }
  /// What belongs to elements: all that a state needs beside its values, so that they are evaluated as there.
  void take_elements(const State& from) {
    memory = from.memory;
    if (numbers != from.numbers) numbers = from.numbers;
  }
};

/// What delays remember may be long: another state borrows it, and gives it back unless it is kept.
struct LentDelays {
  State &owner, &borrower;
  bool back = true;
  LentDelays(State& owner, State& borrower) : owner(owner), borrower(borrower) {
    borrower.delays.swap(owner.delays);
  }
  ~LentDelays() {
    if (back) borrower.delays.swap(owner.delays);
  }
};

}  // namespace escapement
