// Several model faults at once, and what each means for the exit status of a program.
#pragma once
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace escapement {

/// All faults that were found before it made no sense to go on.
struct ModelErrors : std::exception {
  explicit ModelErrors(std::vector<ModelError> errors) : errors(std::move(errors)) {}
  const char* what() const noexcept override { return errors.front().what(); }
  std::vector<ModelError> errors;
};

/// Collects faults so that a user sees them all in one go.
class Diagnostics {
 public:
  /// Runs f; a ModelError it throws is kept.
  template <class F>
  void collect(F&& f) {
    try {
      f();
    } catch (const ModelError& e) {
      add(e);
    } catch (const ModelErrors& e) {
      for (const ModelError& one : e.errors) add(one);
    }
    if (errors_.size() >= most) stop();
  }
  std::size_t size() const { return errors_.size(); }
  /// Throws ModelErrors if there are any.
  void stop() const {
    if (!errors_.empty()) throw ModelErrors(errors_);
  }

 private:
  /// One fault that is met on several ways is one message.
  void add(const ModelError& e) {
    for (const ModelError& known : errors_)
      if (std::string_view(known.what()) == e.what()) return;
    errors_.push_back(e);
  }

  static constexpr std::size_t most = 25;
  std::vector<ModelError> errors_;
};

/// A documented message code.
struct MessageCode {
  const char* code;
  int exit_status;  // 2 input, 3 model, 4 numerical, 5 files, 6 external code, 70 our bug
  const char* meaning;
};
const std::vector<MessageCode>& message_codes();
int exit_status(std::string_view code);

}  // namespace escapement
