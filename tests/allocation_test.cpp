// No allocation inside a step: counted at operator new and at KLU's own allocator.
#include <SuiteSparse_config.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <new>

#include "chain.hpp"
#include "components/body/rigid.hpp"
#include "components/joint/joint.hpp"
#include "components/registry.hpp"
#include "model/assembly.hpp"
#include "problems/pendulum.hpp"
#include "problems/spring_mass.hpp"
#include "report/reference.hpp"
#include "steppers/generalized_alpha.hpp"

namespace {
long allocations = 0;
void* counted(std::size_t n) {
  ++allocations;
  return std::malloc(n);
}
}  // namespace

void* operator new(std::size_t n) {
  ++allocations;
  if (void* p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
// Not inlined: g++ would take free() for a mismatch.
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

using namespace escapement;

namespace {

long allocations_in_steps(const System& system, State s, ConstraintForm form, double h) {
  GeneralizedAlphaOptions o;
  o.constraints = form;
  GeneralizedAlpha stepper(system, o);
  stepper.start(s);
  for (int k = 0; k < 20; ++k) REQUIRE(stepper.advance(s, h).ok());  // pivots chosen, buffers filled
  const long before = allocations;
  bool ok = true;
  long factorizations = 0;
  for (int k = 0; k < 200; ++k) {
    const auto report = stepper.advance(s, k % 2 ? h : 0.7 * h);
    ok = ok && report.ok();
    factorizations += report.newton.factorizations;
  }
  const long count = allocations - before;
  CHECK(ok);
  return count;
}

}  // namespace

TEST_CASE("steps do not allocate: dense and KLU, unconstrained, index 3 and index 2, with refactorisations") {
  SuiteSparse_config.malloc_func = counted;
  const problems::SpringMass spring_mass;
  CHECK(allocations_in_steps(spring_mass.system, spring_mass.initial(), ConstraintForm::index3, 0.01) == 0);
  const problems::Pendulum pendulum;
  const benchmarks::Chain chain(50);
  SystemBuilder b;  // a spinning top: rotations, tangent operators
  const auto at = b.pose("top");
  b.add(body::Rigid{at, 15.0, diagonal(0.234375, 0.46875, 0.234375), {{0, 0, -9.81}}});
  b.add(joint::spherical({}, at, b.multiplier<3>("f"), {}, {{0, -1, 0}}));
  const System top = b.finish();
  State spinning = top.state();
  top.value(spinning, at)[5] = 1.0;
  top.rate(spinning, at)[4] = 50.0;
  for (auto form : {ConstraintForm::index3, ConstraintForm::index2}) {
    CHECK(allocations_in_steps(pendulum.system, pendulum.initial(1.0, 0.5), form, 1e-3) == 0);
    CHECK(allocations_in_steps(chain.system, chain.initial(), form, 1e-3) == 0);
    CHECK(allocations_in_steps(top, spinning, form, 1e-3) == 0);
  }
}

TEST_CASE("steps with a function written in C do not allocate, derivatives by differences included") {
  const Registry registry = standard_registry();
  const ComponentType& type = *registry.find("control.c_function");
  const Assembly lag = assemble(Model::read_text(example_model(type), type.name, registry));
  CHECK(allocations_in_steps(lag.system, lag.initial, ConstraintForm::index3, 1e-3) == 0);
}
