#include "model/draft.hpp"

namespace escapement {

Draft::Draft(const Model& model, double loads)
    : model(model), gravity(model.gravity), values(model.components.size()) {
  for (double& g : gravity) g *= loads;
  made.scene.components.resize(model.components.size());
  const FieldValue* frames = model.simulate.find("frames");
  if (frames && std::get<std::string>(*frames) == "se3") builder.frames_move_on(Manifold::se3);
}

}  // namespace escapement
