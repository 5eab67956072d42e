#pragma once

namespace escapement {

/// How a run goes on after an element has changed its mode (T-event-4).
enum class Continuation {
  none,     // as before
  jump,     // v̇, ṡ, λ and signals jump: added to the history
  restart,  // constraints come or go: a new history
  impact    // velocities jump, by impulses of the constraints
};

}  // namespace escapement
