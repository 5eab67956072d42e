#include "components/control/map.hpp"

#include "model/component.hpp"

template struct escapement::Adaptor<escapement::control::Map>;

namespace escapement {

void control::build_map(Build& b, const Map::Function& function) {
  const auto u = b.wide_signal("input"), y = b.outputs();
  for (std::size_t i = 0; i < y.size(); ++i) b.add(Map{u[i], y[i], function});
}

}  // namespace escapement
