// Numbers: the elements of all groups of a system, with their parameters. A system has its own; a run may go on with others of the
// same structure (State::numbers), while other runs of the same system keep theirs.
#pragma once
#include <memory>
#include <vector>

namespace escapement {

/// The elements of one group.
class GroupNumbers {
 public:
  virtual ~GroupNumbers() = default;
};

using Numbers = std::vector<std::shared_ptr<const GroupNumbers>>;

}  // namespace escapement
