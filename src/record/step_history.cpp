#include "record/step_history.hpp"

#include <algorithm>

namespace escapement {

void StepHistory::Bucket::include(const Bucket& later) {
  time = later.time;
  smallest = std::min(smallest, later.smallest);
  largest = std::max(largest, later.largest);
  iterations = std::max(iterations, later.iterations);
  factorizations += later.factorizations;
}

void StepHistory::add(double time, double step, int iterations, int factorizations) {
  const Bucket one{time, step, step, iterations, factorizations};
  if (in_last_ > 0 && in_last_ < steps_per_bucket_) {
    buckets_.back().include(one);
    ++in_last_;
    return;
  }
  if (buckets_.size() == most) {  // two of them become one
    for (std::size_t i = 0; i < most / 2; ++i) {
      buckets_[i] = buckets_[2 * i];
      buckets_[i].include(buckets_[2 * i + 1]);
    }
    buckets_.resize(most / 2);
    steps_per_bucket_ *= 2;
  }
  buckets_.push_back(one);
  in_last_ = 1;
}

Json StepHistory::json() const {
  Json time = Json::array(), smallest = Json::array(), largest = Json::array(), iterations = Json::array(),
       factorizations = Json::array();
  for (const Bucket& b : buckets_) {
    time.add(b.time);
    smallest.add(b.smallest);
    largest.add(b.largest);
    iterations.add(b.iterations);
    factorizations.add(b.factorizations);
  }
  return Json::object()
      .set("time", time)
      .set("smallest_step", smallest)
      .set("largest_step", largest)
      .set("iterations", iterations)
      .set("factorizations", factorizations);
}

}  // namespace escapement
