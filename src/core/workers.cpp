#include "core/workers.hpp"

#include "core/without_workers.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace escapement {
namespace {

thread_local int alone = 0;

}  // namespace

WithoutWorkers::WithoutWorkers() { ++alone; }
WithoutWorkers::~WithoutWorkers() { --alone; }

struct Workers::Team {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  void (*call)(const void*, int) = nullptr;
  const void* task = nullptr;
  int tasks = 0, busy = 0;
  long round = 0;
  bool ending = false;
  std::atomic<int> next{0};
  std::atomic_flag taken;  // by one of several callers
  std::exception_ptr fault;

  void work() {
    for (int i = next++; i < tasks; i = next++) {
      try {
        call(task, i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!fault) fault = std::current_exception();
      }
    }
  }
  void stand_by() {
    long seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return ending || round != seen; });
      if (ending) return;
      seen = round;
      lock.unlock();
      work();
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
  }
  void end() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
    }
    wake.notify_all();
    for (std::thread& t : threads) t.join();
    threads.clear();
    ending = false;
    round = 0;
  }
};

Workers& Workers::shared() {
  static Workers workers;
  return workers;
}

Workers::Workers() : team_(new Team) {
  const char* asked = std::getenv("ESCAPEMENT_THREADS");
  const int given = asked ? std::atoi(asked) : 0;
  use(given > 0 ? given : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u)));
}

Workers::~Workers() {
  team_->end();
  delete team_;
}

int Workers::count() const { return static_cast<int>(team_->threads.size()) + 1; }

void Workers::use(int count) {
  team_->end();
  for (int i = 1; i < std::clamp(count, 1, 64); ++i)
    team_->threads.emplace_back([this] { team_->stand_by(); });
}

void Workers::run(int count, void (*call)(const void*, int), const void* task) {
  Team& t = *team_;
  if (alone > 0 || t.threads.empty() || t.taken.test_and_set()) {  // others may be at work: then without them
    for (int i = 0; i < count; ++i) call(task, i);
    return;
  }
  struct Taken {
    std::atomic_flag& flag;
    ~Taken() { flag.clear(); }
  } const taken{t.taken};
  {
    const std::lock_guard lock(t.mutex);
    t.call = call;
    t.task = task;
    t.tasks = count;
    t.next = 0;
    t.busy = static_cast<int>(t.threads.size());
    t.fault = nullptr;
    ++t.round;
  }
  t.wake.notify_all();
  t.work();
  std::unique_lock lock(t.mutex);
  t.done.wait(lock, [&] { return t.busy == 0; });
  if (t.fault) std::rethrow_exception(t.fault);
}

}  // namespace escapement
