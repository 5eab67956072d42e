// WithoutWorkers: as long as one lives, its thread does all the work of large groups itself, without waking others or waiting for them:
// for steps that must not meet a lock. The results are the same, to the last bit.
#pragma once

namespace escapement {

class WithoutWorkers {
 public:
  WithoutWorkers();
  ~WithoutWorkers();
  WithoutWorkers(const WithoutWorkers&) = delete;
  WithoutWorkers& operator=(const WithoutWorkers&) = delete;
};

}  // namespace escapement
