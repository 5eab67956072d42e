// The sign conventions that the reference pages state, one case per registered component, on tiny models; and every
// component's example runs.
#include "signs.hpp"

using namespace escapement;
using namespace escapement::signs;

namespace {

const Cases& cases() {
  static const Cases all = [] {
    Cases all;
    for (const Cases& some :
         {mechanics(), signals(), sources(), dynamics(), programs(), sampled(), space(), electric()})
      all.insert(some.begin(), some.end());
    return all;
  }();
  return all;
}

}  // namespace

TEST_CASE("every component's signs are those of its reference page") {
  for (const ComponentType& type : registry().types()) {
    CAPTURE(type.name);
    const auto at = cases().find(type.name);
    if (at == cases().end()) {
      FAIL_CHECK(type.name << " has no case here");
      continue;
    }
    try {
      at->second();
    } catch (const std::exception& e) {
      FAIL_CHECK(std::string(e.what()));
    }
  }
  for (const auto& [name, check] : cases()) CHECK_MESSAGE(registry().find(name) != nullptr, name);
}

TEST_CASE("every component's example runs for a second") {
  for (const ComponentType& type : registry().types()) {
    CAPTURE(type.name);
    try {
      const Model model =
          Model::read_text(model_text(type.example, type.nodes) + "simulate: {until: 1 s, step: 0.01 s}\n",
                           type.name, registry());
      const Assembly assembly = assemble(model);
      Silent silent;
      const RunResult result = simulate(assembly, simulate_options(model), silent);
      if (result.failure) FAIL_CHECK(result.failure->cause);
      for (const Channel& c : assembly.channels)
        CHECK_MESSAGE(std::isfinite(assembly.read(c, result.state)), c.name);
    } catch (const std::exception& e) {
      FAIL_CHECK(std::string(e.what()));
    }
  }
}
