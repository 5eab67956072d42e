// Draft: an assembly while it is being made, shared by the steps that make it. Components see it through Build.
#pragma once
#include <vector>

#include "model/contributions.hpp"
#include "model/diagnostics.hpp"
#include "model/model.hpp"
#include "model/nodes.hpp"
#include "model/outputs.hpp"
#include "model/signal_references.hpp"
#include "model/signal_widths.hpp"
#include "model/signals.hpp"

namespace escapement {

struct Draft {
  Draft(const Model& model, double loads);
  Draft(const Draft&) = delete;

  FieldReader reader(int component) const {
    const FlatComponent& c = model.components[component];
    return FieldReader(*c.space, c.loop, model.allow_outside);
  }

  const Model& model;
  std::vector<double> gravity;  // m/s², with the factor of the loads; empty: not stated
  SystemBuilder builder;
  Diagnostics diagnostics;
  std::vector<FieldValues> values;  // by component
  Nodes nodes{*this};
  Outputs outputs{*this};
  SignalReferences references{*this};
  SignalWidths widths{*this};
  Signals signals{*this};
  Contributions made;
};

}  // namespace escapement
