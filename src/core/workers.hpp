// Workers: threads that share the elements of large groups. Which element adds to what in which order does not depend on their
// number, so neither do the results, to the last bit.
#pragma once
#include <type_traits>

namespace escapement {

class Workers {
 public:
  /// The program's own; ESCAPEMENT_THREADS says how many there are at first (else one per processor, eight at most).
  static Workers& shared();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const;
  void use(int count);

  /// task(0) … task(count − 1), each once, in any order and at the same time. Throws what one of them throws.
  template <class F>
  void run(int count, const F& task) {
    run(
        count, [](const void* f, int i) { (*static_cast<const F*>(f))(i); }, &task);
  }

 private:
  Workers();
  ~Workers();
  void run(int count, void (*call)(const void*, int), const void* task);
  struct Team;
  Team* team_;
};

}  // namespace escapement
