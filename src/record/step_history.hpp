// StepHistory: step sizes and Newton's work over a whole run, in a limited number of buckets, however long it is.
#pragma once
#include <vector>

#include "base/archive.hpp"
#include "record/json.hpp"

namespace escapement {

class StepHistory {
 public:
  void add(double time, double step, int iterations, int factorizations);
  Json json() const;
  void archive(Archive& a) { a(buckets_, steps_per_bucket_, in_last_); }

 private:
  struct Bucket {
    double time, smallest, largest;
    int iterations;
    long factorizations;
    void include(const Bucket& later);
    void archive(Archive& a) { a(time, smallest, largest, iterations, factorizations); }
  };
  static constexpr std::size_t most = 2000;
  std::vector<Bucket> buckets_;
  long steps_per_bucket_ = 1, in_last_ = 0;
};

}  // namespace escapement
